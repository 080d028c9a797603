/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opens the ELFs among the inputs as subjects. inputs.c reads the other files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../image/snapshot.h"
#include "../../image/raw_version.h"
#include "inputs.h"

enum { FILE_LIMIT = 1 << 30 };

bool inputs_is_elf(const char *name) {
  unsigned char begin[18] = "";
  struct os_file_info facts;
  int file =
      os_stat(name, &facts) && facts.kind == OS_FILE ? os_open(name) : -1;
  if (file < 0)
    return false;
  bool elf = os_read(file, begin, sizeof begin) >= 4 &&
             memcmp(begin, "\177ELF", 4) == 0 &&
             !inputs_is_core((struct bytes){begin, sizeof begin});
  close(file);
  return elf;
}

struct input_elf *inputs_find_elf(const struct inputs *inputs,
                                  struct bytes id) {
  for (size_t i = 0; i < inputs->count; i++)
    if (elf_build_ids_match(inputs->subjects[i].build_id, id))
      return &inputs->subjects[i];
  return NULL;
}

/* Whether the ELF was compiled with -fprofile-generate, which counts in LLVM's
 * IR and never has a coverage mapping. */
static bool is_for_pgo(const struct elf *elf) {
  enum { IR_BIT = 56 };
  struct raw_version_evidence found;
  return !raw_version_collect(elf, 0, &found) && found.symbol >> IR_BIT & 1;
}

static int check_elf(struct inputs *inputs, struct input_elf *subject) {
  struct elf_section mapping;
  const char *error = elf_open(&subject->elf, subject->file.bytes);
  if (!error)
    error = counter_width_mix_error(&subject->elf);
  if (error)
    return report(subject->name, "%s", error);
  if (subject->elf.type == ELF_REL)
    return report(subject->name, ELF_NOT_LINKED);
  subject->digest = need_memory(malloc(16));
  if (inputs->object_code) {
    image_find_id(&subject->elf, &subject->build_id, subject->digest);
    return 0;
  }
  if (!elf_find_section(&subject->elf, "__llvm_covmap", &mapping))
    return report(
        subject->name, "the coverage mapping is missing; %s",
        compiler_is_gcc(&subject->elf)
            ? "gcc compiled this ELF: build again with clang, or pass the ELF "
              "of the clang build"
        : is_for_pgo(&subject->elf)
            ? "compile with -fcoverage-mapping, and with "
              "-fprofile-instr-generate instead of -fprofile-generate, which "
              "is only for PGO"
            : "compile with -fcoverage-mapping, and do not strip the ELF");
  if (!image_find_id(&subject->elf, &subject->build_id, subject->digest))
    return report(subject->name, "the build id is missing, so dumps cannot be "
                                 "matched with this ELF; link with --build-id");
  struct input_elf *same = inputs_find_elf(inputs, subject->build_id);
  if (same)
    return report(subject->name,
                  "this ELF has the same build id as %s; pass only one of them",
                  same->name);
  return 0;
}

static int add_elf(struct inputs *inputs, const char *name) {
  struct input_elf subject = {.name = name};
  if (file_map(&subject.file, name, FILE_LIMIT))
    return 1;
  if (check_elf(inputs, &subject)) {
    free(subject.digest);
    file_close(&subject.file);
    return 1;
  }
  LIST_ADD(inputs->subjects, inputs->count, subject);
  return 0;
}

int inputs_check_files(char **names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], "-") && !os_can_read(names[i]))
      return report(names[i],
                    "cannot be opened: %s; check the path and the permissions",
                    os_error_text(errno));
  return 0;
}

/* Whether a file has the name of an ELF. The command of `run` may write other
 * inputs later, but an ELF must exist at once. */
static bool is_elf_name(const char *name) {
  size_t size = strlen(name);
  return size > 4 && (strcmp(name + size - 4, ".elf") == 0 ||
                      strcmp(name + size - 4, ".axf") == 0);
}

/* Reports that no ELF was given, and what the first file of a known kind is
 * instead. */
static int report_no_elf(char **names, size_t count) {
  struct os_file_info facts;
  if (inputs_check_files(names, count))
    return 1;
  for (size_t i = 0; i < count; i++) {
    struct file file;
    if (!os_stat(names[i], &facts) || facts.kind == OS_OTHER)
      continue;
    if (facts.kind == OS_FOLDER)
      return report(names[i],
                    "this is a folder; pass the linked ELF, and logs");
    if (file_map(&file, names[i], FILE_LIMIT))
      return 1;
    bool known = file_kind_name(file.bytes);
    if (known)
      report(names[i], "%s", file_no_elf_error(file.bytes));
    file_close(&file);
    if (known)
      return 1;
  }
  return report(NULL, "report: no ELF given; pass the ELF that ran");
}

int inputs_open_elfs(struct inputs *inputs, char **names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_elf_name(names[i]) && inputs_check_files(&names[i], 1))
      return 1;
  for (size_t i = 0; i < count; i++)
    if (inputs_is_elf(names[i]) && add_elf(inputs, names[i]))
      inputs->failed = true;
  if (inputs->failed)
    return 1;
  if (!inputs->count)
    return report_no_elf(names, count);
  return 0;
}
