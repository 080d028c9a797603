/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Renames files in the names of static functions. The number N of
 * -funique-internal-linkage-names is the MD5 of the file's name, so the number
 * of a known file can be changed too.
 */
#include "profile_merge.h"

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "../object/names.h"

enum { DIGITS_ROOM = 40 }; /* 2^128 has 39 digits */

struct file_number {
  char from[DIGITS_ROOM], to[DIGITS_ROOM];
};

/* ---- files ---- */

/* Returns the part of a file's name after FROM; NULL if FROM does not match. */
static const char *match_rule(const char *file, size_t size, const char *rule) {
  size_t from = strcspn(rule, "=");
  if (from > size || memcmp(file, rule, from) != 0)
    return NULL;
  /* A folder without a file is not the name of a file. */
  bool folder = rule[from - 1] == '/' && from < size;
  return folder || from == size ? file + from : NULL;
}

static void append_file(const struct file_renames *renames, const char *file,
                        size_t size, struct buffer *out) {
  const char *rest = NULL;
  for (size_t i = 0; i < renames->count && !rest; i++) {
    const char *to = strchr(renames->list[i], '=') + 1;
    rest = match_rule(file, size, renames->list[i]);
    if (rest)
      need_append(out, to, strlen(to));
  }
  rest = rest ? rest : file;
  need_append(out, rest, (size_t)(file + size - rest));
}

/* ---- numbers ---- */

static void format_md5_digits(char digits[DIGITS_ROOM], const void *file,
                              size_t size) {
  unsigned char sum[16];
  char text[DIGITS_ROOM] = "";
  size_t at = sizeof text - 1;
  bool more = true;
  md5(sum, file, size);
  while (more) {
    unsigned rest = 0;
    more = false;
    for (size_t i = 0; i < sizeof sum; i++) {
      rest = rest << 8 | sum[i];
      sum[i] = (unsigned char)(rest / 10);
      rest %= 10;
      more = more || sum[i];
    }
    text[--at] = (char)('0' + rest);
  }
  memcpy(digits, text + at, sizeof text - at);
}

/* Returns the numbers of a file's old name and of its new name. */
static struct file_number compute_numbers(const struct file_renames *renames,
                                          const char *file, size_t size) {
  struct file_number number;
  struct buffer name = {.limit = SIZE_MAX / 2};
  append_file(renames, file, size, &name);
  format_md5_digits(number.from, file, size);
  format_md5_digits(number.to, name.data, name.size);
  buffer_free(&name);
  return number;
}

static void add_known_file(struct file_renames *renames, const char *file,
                           size_t size) {
  const struct file_number number = compute_numbers(renames, file, size);
  if (strcmp(number.from, number.to) != 0)
    LIST_ADD(renames->numbers, renames->number_count, number);
}

static bool equals_number(const char *number, struct bytes digits) {
  return strlen(number) == digits.size &&
         memcmp(number, digits.data, digits.size) == 0;
}

/* Appends the digits of a number, or those for the file's new name. */
static void append_number(const struct file_renames *renames,
                          struct bytes digits, struct bytes file,
                          struct buffer *to) {
  const struct file_number own =
      compute_numbers(renames, (const char *)file.data, file.size);
  const char *found = equals_number(own.from, digits) ? own.to : NULL;
  for (size_t i = 0; i < renames->number_count && !found; i++)
    if (equals_number(renames->numbers[i].from, digits))
      found = renames->numbers[i].to;
  if (found)
    need_append(to, found, strlen(found));
  else
    need_append(to, digits.data, digits.size);
}

/* ---- names ---- */

void renames_append_name(struct file_renames *renames, struct bytes name,
                         size_t file_size, struct buffer *to) {
  size_t begin = to->size;
  const struct bytes file = {name.data, file_size};
  struct bytes rest = {name.data + file_size, name.size - file_size};
  struct bytes digits = names_unique_number(rest);
  append_file(renames, (const char *)file.data, file.size, to);
  if (digits.size) {
    need_append(to, rest.data, (size_t)(digits.data - rest.data));
    append_number(renames, digits, file, to);
    rest.data = digits.data + digits.size;
    rest.size = (size_t)(name.data + name.size - rest.data);
  }
  need_append(to, rest.data, rest.size);
  if (compare_bytes(to->data + begin, to->size - begin, name.data, name.size) !=
      0)
    renames->used = true;
}

void renames_warn_unused(const struct file_renames *renames, const char *file) {
  if (renames->count && !renames->used)
    warn(file, "--rename matched no name; write FROM as the compiler got it");
}

const char *renames_add_rule(void *given, const char *rule) {
  struct file_renames *renames = given;
  const char *equal = strchr(rule, '=');
  if (!equal || equal == rule || (!equal[1] && equal[-1] != '/'))
    return "expected FROM=TO after --rename, two files or two folders; write / "
           "at the end of a folder";
  if (renames->count == RENAMES_MOST)
    return "too many --rename";
  renames->list[renames->count++] = rule;
  add_known_file(renames, rule, (size_t)(equal - rule));
  return NULL;
}

void renames_add_sources(struct file_renames *renames,
                         const struct dwarf *dwarf) {
  for (size_t i = 0; renames->count && i < dwarf->unit_count; i++) {
    const char *file = dwarf_unit_source(dwarf, i);
    add_known_file(renames, file, strlen(file));
  }
}

void renames_free(struct file_renames *renames) { free(renames->numbers); }
