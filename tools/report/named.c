/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The copy of an ELF that has the names.
 */
#include "named.h"

#include <stdlib.h>
#include <string.h>

#include "../base/elf_append.h"
#include "../base/error.h"

enum { COPY_LIMIT = (1 << 30) + (1 << 26) };

static const char *copy(const struct subject *subject,
                        const struct buffer *names, struct buffer *file) {
  const struct elf_addition addition = {"__llvm_prf_names",
                                        {names->data, names->size}};
  const char *error =
      buffer_append(file, subject->file.bytes.data, subject->file.bytes.size);
  return error ? error : elf_append(file, &addition, 1);
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
