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
 * in the list of names. A line with only one target is written without this
 * target: either its call is direct, or gcc would gain nothing from a test for
 * this target.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/need.h"
#include "sampled.h"

enum { MAGIC = 0x67636461, VERSION = 2 };
enum { NAMES = 0xAA, FUNCTIONS = 0xAC, MODULES = 0xAE };

struct gcc_names {
  const char **list; /* the names, sorted and without repetitions */
  size_t count;
};

static void append_number(struct buffer *to, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store64(bytes, value, false);
  need_append(to, bytes, size);
}

/* ---- names ---- */

static void collect_gcc_names(struct gcc_names *names,
                              const struct sampled_function *function) {
  LIST_ADD(names->list, names->count, function->name);
  for (const struct sampled_line *line = function->lines; line;
       line = line->next)
    for (const struct sampled_target *to = line->targets; to; to = to->next)
      LIST_ADD(names->list, names->count, to->name);
  for (const struct sampled_function *callee = function->inlined; callee;
       callee = callee->next)
    collect_gcc_names(names, callee);
}

static uint32_t get_name_number(const struct gcc_names *names,
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

/* ---- functions ---- */

static uint32_t encode_site(const struct sampled_site *site) {
  return site->line << 16 | (site->discriminator & 0xFFFF);
}

static void append_line(const struct gcc_names *names, struct buffer *to,
                        const struct sampled_line *line) {
  bool several = line->target_count > 1;
  append_number(to, encode_site(&line->site), 4);
  append_number(to, several ? line->target_count : 0, 4);
  append_number(to, line->count, 8);
  for (const struct sampled_target *target = line->targets; several && target;
       target = target->next) {
    append_number(to, 0, 4);
    append_number(to, get_name_number(names, target->name), 8);
    append_number(to, target->count, 8);
  }
}

static void append_function(const struct gcc_names *names, struct buffer *to,
                            const struct sampled_function *function) {
  append_number(to, get_name_number(names, function->name), 4);
  append_number(to, function->line_count, 4);
  append_number(to, function->inlined_count, 4);
  for (const struct sampled_line *line = function->lines; line;
       line = line->next)
    append_line(names, to, line);
  for (const struct sampled_function *callee = function->inlined; callee;
       callee = callee->next) {
    append_number(to, encode_site(&callee->site), 4);
    append_function(names, to, callee);
  }
}

/* ---- the file ---- */

/* Writes a part that begins with a number of elements, and empties the part. */
static void write_and_clear_tagged_part(FILE *stream, unsigned tag,
                                        size_t count, struct buffer *part) {
  unsigned char head[12];
  store32(head, (uint32_t)tag << 24, false);
  store32(head + 4, (uint32_t)part->size + 4, false);
  store32(head + 8, (uint32_t)count, false);
  fwrite(head, 1, sizeof head, stream);
  fwrite(part->data, 1, part->size, stream);
  part->size = 0;
}

void sampled_print_gcc(FILE *stream, const struct sampled_profile *profile) {
  struct gcc_names names = {NULL, 0};
  struct buffer part = {.limit = (size_t)1 << 30};
  append_number(&part, MAGIC, 4);
  append_number(&part, VERSION, 8);
  fwrite(part.data, 1, part.size, stream);
  part.size = 0;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    collect_gcc_names(&names, function);
  sort_unique_names(&names);
  for (size_t i = 0; i < names.count; i++) {
    size_t size = strlen(names.list[i]) + 1;
    append_number(&part, size, 4);
    need_append(&part, names.list[i], size);
  }
  write_and_clear_tagged_part(stream, NAMES, names.count, &part);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    append_number(&part, function->head_count, 8);
    append_function(&names, &part, function);
  }
  write_and_clear_tagged_part(stream, FUNCTIONS, profile->function_count,
                              &part);
  write_and_clear_tagged_part(stream, MODULES, 0, &part);
  buffer_free(&part);
  free(names.list);
}
