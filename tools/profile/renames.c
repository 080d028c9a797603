/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Renames files in the names of static functions. The number N of
 * -funique-internal-linkage-names is the MD5 of the file's name, so the number
 * of a known file can be changed too.
 */
#include "profile_merge.h"

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
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

static const char *append_file(const struct file_renames *renames,
                               const char *file, size_t size,
                               struct buffer *out) {
  const char *tail = NULL, *error = NULL;
  for (size_t i = 0; i < renames->count && !tail; i++) {
    const char *to = strchr(renames->list[i], '=') + 1;
    tail = match_rule(file, size, renames->list[i]);
    if (tail)
      error = buffer_append_bytes(out, to, strlen(to));
  }
  if (error)
    return error;
  const char *rest = tail ? tail : file;
  return buffer_append_bytes(out, rest, (size_t)(file + size - rest));
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

/* Finds the numbers of a file's old name and of its new name. */
static const char *compute_numbers(const struct file_renames *renames,
                                   const char *file, size_t size,
                                   struct file_number *number) {
  struct buffer name = {.limit = SIZE_MAX / 2};
  const char *error = append_file(renames, file, size, &name);
  if (!error) {
    format_md5_digits(number->from, file, size);
    format_md5_digits(number->to, name.data, name.size);
  }
  buffer_free(&name);
  return error;
}

static const char *add_known_file(struct file_renames *renames,
                                  const char *file, size_t size) {
  struct file_number number;
  const char *error = compute_numbers(renames, file, size, &number);
  return error || strcmp(number.from, number.to) == 0
             ? error
             : buffer_append_bytes(&renames->numbers, &number, sizeof number);
}

static bool equals_number(const char *number, struct bytes digits) {
  return strlen(number) == digits.size &&
         memcmp(number, digits.data, digits.size) == 0;
}

/* Appends the digits of a number, or those for the file's new name. */
static const char *append_number(const struct file_renames *renames,
                                 struct bytes digits, struct bytes file,
                                 struct buffer *to) {
  const struct file_number *list = (const void *)renames->numbers.data;
  struct file_number own;
  const char *error =
      compute_numbers(renames, (const char *)file.data, file.size, &own);
  if (error || equals_number(own.from, digits))
    return error ? error : buffer_append_bytes(to, own.to, strlen(own.to));
  for (size_t i = 0; i < renames->numbers.size / sizeof *list; i++)
    if (equals_number(list[i].from, digits))
      return buffer_append_bytes(to, list[i].to, strlen(list[i].to));
  return buffer_append_bytes(to, digits.data, digits.size);
}

/* ---- names ---- */

static const char *append_name(const struct file_renames *renames,
                               struct bytes name, size_t file_size,
                               struct buffer *to) {
  const struct bytes file = {name.data, file_size};
  struct bytes rest = {name.data + file_size, name.size - file_size};
  struct bytes digits = names_unique_number(rest);
  const char *error =
      append_file(renames, (const char *)file.data, file.size, to);
  if (!error && digits.size) {
    error =
        buffer_append_bytes(to, rest.data, (size_t)(digits.data - rest.data));
    if (!error)
      error = append_number(renames, digits, file, to);
    rest.data = digits.data + digits.size;
    rest.size = (size_t)(name.data + name.size - rest.data);
  }
  return error ? error : buffer_append_bytes(to, rest.data, rest.size);
}

const char *renames_append_name(struct file_renames *renames, struct bytes name,
                                size_t file_size, struct buffer *to) {
  size_t begin = to->size;
  const char *error = append_name(renames, name, file_size, to);
  if (!error && compare_bytes(to->data + begin, to->size - begin, name.data,
                              name.size) != 0)
    renames->used = true;
  return error;
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
  renames->numbers.limit = SIZE_MAX / 2;
  return add_known_file(renames, rule, (size_t)(equal - rule));
}

const char *renames_add_sources(struct file_renames *renames,
                                const struct dwarf *dwarf) {
  const char *error = NULL;
  for (size_t i = 0; renames->count && i < dwarf->unit_count && !error; i++) {
    const char *file = dwarf_unit_source(dwarf, i);
    error = add_known_file(renames, file, strlen(file));
  }
  return error;
}

void renames_free(struct file_renames *renames) {
  buffer_free(&renames->numbers);
}
