/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The copy of an ELF that has the names of functions, and names of files that
 * llvm-cov understands on this system.
 */
#include "named.h"

#include <stdlib.h>
#include <string.h>

#include "../object/elf_write.h"
#include "../base/error.h"
#include "../object/mapping.h"
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

/* What replaces sections of the ELF; those that are empty replace nothing. */
struct parts {
  struct buffer names, files, functions;
};

static const char *rename_files(const struct elf *elf, struct parts *parts) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  if (!error)
    error = mapping_rename(&mapping, &parts->files, &parts->functions);
  mapping_close(&mapping);
  return error;
}

/* The functions that have names. */
static const char *keep_named(const struct elf *elf, struct parts *parts) {
  struct elf_section covfun;
  struct names names;
  struct buffer kept = {.limit = COPY_LIMIT}, *functions = &parts->functions;
  struct bytes map = {functions->data, functions->size};
  unsigned char *memory = NULL;
  const char *error =
      names_read(&names, (struct bytes){parts->names.data, parts->names.size});
  if (!error && !map.size && elf_find_section(elf, "__llvm_covfun", &covfun))
    error = elf_contents(elf, &covfun, COPY_LIMIT, &map, &memory);
  if (!error)
    error = filter(elf, map, &names, &kept);
  buffer_free(functions);
  *functions = kept;
  names_free(&names);
  free(memory);
  return error;
}

static const char *copy(const struct subject *subject,
                        const struct parts *parts, struct buffer *file) {
  const struct {
    const char *name;
    const struct buffer *contents;
  } all[] = {{"__llvm_prf_names", &parts->names},
             {"__llvm_covmap", &parts->files},
             {"__llvm_covfun", &parts->functions}};
  struct elf_addition additions[3];
  size_t count = 0;
  const char *error =
      buffer_append(file, subject->file.bytes.data, subject->file.bytes.size);
  for (unsigned i = 0; i < 3; i++)
    if (all[i].contents->size)
      additions[count++] = (struct elf_addition){
          all[i].name, {all[i].contents->data, all[i].contents->size}};
  return error ? error : elf_append(file, additions, count);
}

static int write_copy(const struct subject *subject, const char *path,
                      const struct parts *parts) {
  struct buffer file = {.limit = COPY_LIMIT};
  struct output output;
  const char *error = copy(subject, parts, &file);
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
  struct parts parts = {.files.limit = COPY_LIMIT,
                        .functions.limit = COPY_LIMIT};
  const struct elf *elf = &subject->elf;
  char file[200];
  bool lost;
  const char *error = image_names(elf, &parts.names, &lost);
  if (!error)
    error = rename_files(elf, &parts);
  if (!error && parts.names.size)
    error = keep_named(elf, &parts);
  int status = error ? report(subject->name, "%s", error) : 0;
  if (!status && (parts.names.size || parts.files.size)) {
    snprintf(file, sizeof file, "%s.elf", subject->stem);
    subject->named = folder_path(folder, file);
    status = subject->named ? write_copy(subject, subject->named, &parts)
                            : report_memory(NULL);
  }
  buffer_free(&parts.names);
  buffer_free(&parts.files);
  buffer_free(&parts.functions);
  return status;
}
