/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions are the same if they have the same bytes in the raw section: and
 * then all of their map records must be the same.
 */
#include "add.h"

#include <string.h>

static bool same_function(const struct mip_function *a,
                          const struct mip_function *b) {
  if (a->raw != b->raw || a->address != b->address || a->size != b->size ||
      a->cfg != b->cfg || a->block_count != b->block_count ||
      strcmp(a->name, b->name))
    return false;
  for (uint32_t i = 0; i < a->block_count; i++)
    if (a->blocks[i].offset != b->blocks[i].offset)
      return false;
  return true;
}

const char *mip_same_build(const struct mip_profile *to,
                           const struct mip_profile *from) {
  if (to->hash != from->hash || to->type != from->type)
    return "its module hash or its profile type is another: it is of another "
           "build; give the profiles of one build";
  if (to->build && from->build && to->build != from->build)
    return "its build id is another: it is of another build; give the profiles "
           "of one build";
  if (to->revision != from->revision || to->wide != from->wide)
    return "its header is of the other revision of the format; give the "
           "profiles of one build";
  if (to->function_count != from->function_count)
    return "it has other functions: it is of another build; give the profiles "
           "of one build";
  for (size_t i = 0; i < to->function_count; i++)
    if (!same_function(&to->functions[to->by_raw[i]],
                       &from->functions[from->by_raw[i]]))
      return "its functions differ in place, size or structure: it is of "
             "another build; give the profiles of one build";
  return NULL;
}

const char *mip_add_profile(struct mip_profile *to,
                            const struct mip_profile *from) {
  const char *error = mip_same_build(to, from);
  if (error)
    return error;
  for (size_t i = 0; i < to->function_count; i++) {
    struct mip_function *into = &to->functions[to->by_raw[i]];
    const struct mip_function *more = &from->functions[from->by_raw[i]];
    mip_add_runs(to, into, more);
    for (uint32_t k = 0; k < into->block_count; k++)
      into->blocks[k].covered |= more->blocks[k].covered;
  }
  for (size_t i = 0; i < from->edge_count && !error; i++) {
    struct mip_edge edge = from->edges[i];
    uint64_t raw = from->functions[edge.callee].raw;
    if (mip_find_raw(to, raw, &edge.callee))
      error = mip_add_edge(to, &edge);
  }
  to->lost = mip_sum(to->lost, from->lost);
  return error;
}

const char *mip_add_file(struct mip_profile *to, struct bytes file,
                         const struct mip_raw_options *options) {
  struct mip_header header;
  struct mip_profile from = {0};
  const char *error = mip_header_read(&header, file);
  if (error)
    return error;
  if (header.kind != MIP_PROFILE)
    return mip_raw_add(to, file, options);
  error = mip_profile_read(&from, file);
  if (!error && options->same_build)
    error = mip_other_build(to->build, from.build);
  if (!error)
    error = mip_add_profile(to, &from);
  mip_free(&from);
  return error;
}
