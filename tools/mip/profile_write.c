/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * .mip files, written.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "files.h"

static const char *write_function(const struct mip_profile *profile,
                                  const struct mip_function *function,
                                  struct buffer *to) {
  unsigned offset_size = profile->revision == MIP_B ? 8 : 4;
  const struct {
    uint64_t value;
    unsigned size;
  } numbers[] = {{md5_low64(function->name, strlen(function->name)), 8},
                 {function->raw, offset_size},
                 {(uint64_t)function->address, offset_size},
                 {function->size, 4},
                 {function->cfg, 4},
                 {function->block_count, 4},
                 {function->runs, 4},
                 {function->calls, 8},
                 {function->order, 8}};
  const char *error = NULL;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !error; i++)
    error = mip_put(to, numbers[i].value, numbers[i].size);
  for (uint32_t i = 0; i < function->block_count && !error; i++) {
    error = mip_put(to, function->blocks[i].offset, 4);
    if (!error)
      error = mip_put(to, function->blocks[i].covered, 1);
  }
  return error ? error : mip_put(to, 0, 4);
}

static int compare_names(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *write_names(const struct mip_profile *profile,
                               struct buffer *to) {
  size_t count = profile->function_count, kept = 0;
  const char **names = malloc((count + 1) * sizeof *names);
  if (!names)
    return "not enough memory; free some";
  for (size_t i = 0; i < count; i++)
    names[i] = profile->functions[i].name;
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 0; i < count; i++)
    if (!kept || strcmp(names[kept - 1], names[i]))
      names[kept++] = names[i];
  const char *error = mip_put(to, kept, 8);
  for (size_t i = 0; i < kept && !error; i++)
    error = buffer_append(to, names[i], strlen(names[i]) + 1);
  free(names);
  return error;
}

static const char *write_edges(const struct mip_profile *profile,
                               struct buffer *to) {
  const char *error = mip_align(to, 8);
  if (!error)
    error = buffer_append(to,
                          "\xFB"
                          "BPE\1\0\0\0",
                          8);
  if (!error)
    error = mip_put(to, profile->lost, 8);
  if (!error)
    error = mip_put(to, profile->edge_count, 8);
  for (size_t i = 0; i < profile->edge_count && !error; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    error = mip_put(to, edge->callee, 8);
    if (!error)
      error = mip_put(to, (uint64_t)edge->from, 8);
    if (!error)
      error = mip_put(to, edge->count, 8);
  }
  return error;
}

const char *mip_profile_write(const struct mip_profile *profile,
                              struct buffer *to) {
  struct mip_header header = mip_header_of(profile, MIP_PROFILE);
  const char *error = mip_header_write(&header, to);
  if (!error)
    error = mip_put(to, profile->function_count, 8);
  for (size_t i = 0; i < profile->function_count && !error; i++)
    error = write_function(profile, &profile->functions[i], to);
  if (!error)
    error = write_names(profile, to);
  if (!error && (profile->edge_count || profile->lost))
    error = write_edges(profile, to);
  return error;
}
