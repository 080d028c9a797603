/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The copy of an ELF that has the names.
 */
#include "named.h"

#include <stdlib.h>
#include <string.h>

#include "../object/elf_write.h"
#include "../base/error.h"
#include "../object/names.h"

enum { COPY_LIMIT = (1 << 30) + (1 << 26) };

/* Copies the coverage map's records, except records of functions without a
 * name: llvm-cov refuses those. The compiler made no code for these functions,
 * so nothing describes them. Each record is
 *   u64 NameRef; u32 size; u64 hash, u64 of the file names; size bytes
 * without padding within, and with some behind it, up to a multiple of 8. */
static const char *filter(const struct elf *elf, struct bytes map,
                          const struct names *names, struct buffer *to) {
  enum { SIZE_AT = 8, HEAD = 28 };
  const char *error = NULL;
  for (size_t at = 0; !error && map.size - at >= HEAD;) {
    const unsigned char *record = map.data + at;
    size_t left = map.size - at;
    size_t size = HEAD + (size_t)load32(record + SIZE_AT, elf->big);
    size = (size + 7) & ~(size_t)7;
    if (size > left)
      size = left;
    if (names_find(names, load64(record, elf->big)))
      error = buffer_append(to, record, size);
    at += size;
  }
  return error;
}

static const char *copy(const struct subject *subject,
                        const struct buffer *section, struct buffer *file) {
  const struct elf *elf = &subject->elf;
  struct elf_section covfun;
  struct names names;
  struct buffer kept = {.limit = COPY_LIMIT};
  const struct bytes bytes = {section->data, section->size};
  struct bytes map = {NULL, 0};
  unsigned char *memory = NULL;
  const char *error = names_read(&names, bytes);
  if (!error && elf_find_section(elf, "__llvm_covfun", &covfun))
    error = elf_contents(elf, &covfun, COPY_LIMIT, &map, &memory);
  if (!error)
    error = filter(elf, map, &names, &kept);
  if (!error)
    error =
        buffer_append(file, subject->file.bytes.data, subject->file.bytes.size);
  const struct elf_addition additions[] = {
      {"__llvm_prf_names", bytes}, {"__llvm_covfun", {kept.data, kept.size}}};
  if (!error)
    error = elf_append(file, additions, kept.size ? 2 : 1);
  buffer_free(&kept);
  names_free(&names);
  free(memory);
  return error;
}

static int write_copy(const struct subject *subject, const char *path,
                      const struct buffer *names) {
  struct buffer file = {.limit = COPY_LIMIT};
  struct output output;
  const char *error = copy(subject, names, &file);
  int status =
      error ? report(subject->name, "%s", error) : output_open(&output, path);
  if (!status) {
    fwrite(file.data, 1, file.size, output.stream);
    status = output_commit(&output);
  }
  buffer_free(&file);
  return status;
}

int named_make(struct subject *subject, const struct folder *folder) {
  struct buffer names;
  char file[200];
  bool lost;
  const char *error = image_names(&subject->elf, &names, &lost);
  int status = error ? report(subject->name, "%s", error) : 0;
  if (!status && names.size) {
    snprintf(file, sizeof file, "%s.elf", subject->stem);
    subject->named = folder_path(folder, file);
    status = subject->named ? write_copy(subject, subject->named, &names)
                            : report(NULL, "out of memory; close other "
                                           "programs");
  }
  buffer_free(&names);
  return status;
}
