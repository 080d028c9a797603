/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a sample profile in version 2 of the format that gcc -fauto-profile
 * reads. The output was tested with gcc 12.2, but not with later versions. gcc
 * 11.3 wants version 1, and reports an error.
 *
 * All numbers are little-endian, u32 or u64:
 *
 *   u32 magic "gcda", u32 version 2, u32 0
 *   u32 0xAA000000, u32 size; u32 number of names; each u32 size, the name and
 *     its zero
 *   u32 0xAC000000, u32 size; u32 number of functions; each u64 entries, and
 *     an instance: u32 name, u32 number of lines, u32 number of inlined calls;
 *     a line: u32 offset, u32 number of targets, u64 count; a target: u32 kind,
 *     u64 name, u64 count; an inlined call: u32 offset, the callee's instance
 *   u32 0xAE000000, u32 4, u32 0: no groups of modules
 *
 * An offset is the line times 65,536 plus the discriminator. A name is an index
 * in the list of names. A line with only one target is written without it: its
 * call is direct, or a test for that target does not pay off.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/number.h"
#include "sampled.h"

enum { MAGIC = 0x67636461, VERSION = 2 };

struct gcc_names {
  const char **list; /* sorted, each once */
  size_t count;
  const struct sampled_profile *profile;
  struct buffer *out;
};

static const char *append_number(struct buffer *to, uint64_t value,
                                 unsigned size) {
  unsigned char bytes[8];
  store64(bytes, value, false);
  return buffer_append_bytes(to, bytes, size);
}

/* ---- names ---- */

static const char *append_name(struct buffer *names, const char *name) {
  return buffer_append_bytes(names, &name, sizeof name);
}

static const char *append_names(struct buffer *names,
                                const struct sampled_function *function) {
  const char *error = append_name(names, function->name);
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next)
    for (const struct sampled_target *to = line->targets; to && !error;
         to = to->next)
      error = append_name(names, to->name);
  for (const struct sampled_function *callee = function->inlined;
       callee && !error; callee = callee->next)
    error = append_names(names, callee);
  return error;
}

static uint32_t find_name_number(const struct gcc_names *names,
                                 const char *name) {
  const char **found = bsearch(&name, names->list, names->count,
                               sizeof *names->list, compare_texts);
  return (uint32_t)(found - names->list);
}

static void sort_unique_names(struct gcc_names *names) {
  size_t kept = 0;
  sort_array(names->list, names->count, sizeof *names->list, compare_texts);
  for (size_t i = 0; i < names->count; i++)
    if (!kept || strcmp(names->list[kept - 1], names->list[i]))
      names->list[kept++] = names->list[i];
  names->count = kept;
}

/* ---- parts ---- */

static const char *append_name_table(const struct gcc_names *names,
                                     struct buffer *to) {
  const char *error = append_number(to, names->count, 4);
  for (size_t i = 0; i < names->count && !error; i++) {
    size_t size = strlen(names->list[i]) + 1;
    error = append_number(to, size, 4);
    if (!error)
      error = buffer_append_bytes(to, names->list[i], size);
  }
  return error;
}

static uint32_t encode_site(const struct sampled_site *site) {
  return site->line << 16 | (site->discriminator & 0xFFFF);
}

static const char *append_line(const struct gcc_names *names, struct buffer *to,
                               const struct sampled_line *line) {
  bool several = line->target_count > 1;
  const char *error = append_number(to, encode_site(&line->site), 4);
  if (!error)
    error = append_number(to, several ? line->target_count : 0, 4);
  if (!error)
    error = append_number(to, line->count, 8);
  for (const struct sampled_target *target = line->targets;
       several && target && !error; target = target->next) {
    error = append_number(to, 0, 4);
    if (!error)
      error = append_number(to, find_name_number(names, target->name), 8);
    if (!error)
      error = append_number(to, target->count, 8);
  }
  return error;
}

static const char *append_function(const struct gcc_names *names,
                                   struct buffer *to,
                                   const struct sampled_function *function) {
  const char *error =
      append_number(to, find_name_number(names, function->name), 4);
  if (!error)
    error = append_number(to, function->line_count, 4);
  if (!error)
    error = append_number(to, function->inlined_count, 4);
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next)
    error = append_line(names, to, line);
  for (const struct sampled_function *callee = function->inlined;
       callee && !error; callee = callee->next) {
    error = append_number(to, encode_site(&callee->site), 4);
    if (!error)
      error = append_function(names, to, callee);
  }
  return error;
}

static const char *append_functions(const struct gcc_names *names,
                                    struct buffer *to) {
  const char *error = append_number(to, names->profile->function_count, 4);
  for (const struct sampled_function *function = names->profile->functions;
       function && !error; function = function->next) {
    error = append_number(to, function->head_count, 8);
    if (!error)
      error = append_function(names, to, function);
  }
  return error;
}

/* ---- the file ---- */

static const char *append_part(const struct gcc_names *names, uint32_t tag,
                               const char *part(const struct gcc_names *,
                                                struct buffer *)) {
  struct buffer bytes = {.limit = names->out->limit};
  const char *error = part(names, &bytes);
  if (!error)
    error = append_number(names->out, tag, 4);
  if (!error)
    error = append_number(names->out, bytes.size, 4);
  if (!error)
    error = buffer_append_bytes(names->out, bytes.data, bytes.size);
  buffer_free(&bytes);
  return error;
}

static const char *append_no_modules(const struct gcc_names *names,
                                     struct buffer *to) {
  (void)names;
  return append_number(to, 0, 4);
}

const char *sampled_append_gcc(struct buffer *out,
                               const struct sampled_profile *profile) {
  struct buffer list = {.limit = out->limit};
  struct gcc_names names = {.profile = profile, .out = out};
  const char *error = NULL;
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next)
    error = append_names(&list, function);
  names.list = (const char **)(void *)list.data;
  names.count = list.size / sizeof *names.list;
  if (!error) {
    sort_unique_names(&names);
    error = append_number(out, MAGIC, 4);
  }
  if (!error)
    error = append_number(out, VERSION, 8);
  if (!error)
    error = append_part(&names, 0xAA000000, append_name_table);
  if (!error)
    error = append_part(&names, 0xAC000000, append_functions);
  if (!error)
    error = append_part(&names, 0xAE000000, append_no_modules);
  buffer_free(&list);
  return error;
}
