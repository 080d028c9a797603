/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file opens the ELFs among the inputs; inputs.c reads the other files.
 * This file also turns the counts of an ELF into profiles: the raw profile that
 * the firmware itself would have written, and an indexed profile for llvm-cov.
 */
#include "inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/compare.h"
#include "../../base/llvm.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../image/dumpfile.h"
#include "../../image/raw_version.h"
#include "../../profile/indexed.h"
#include "../../profile/raw.h"
#include "bareprof.h"
#include "../model/evaluate.h"

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

/* Returns whether the ELF was compiled with -fprofile-generate, which counts in
 * LLVM's IR and never has a coverage mapping. */
static bool is_for_pgo(const struct elf *elf) {
  enum { IR_BIT = 56 };
  struct raw_version_evidence found;
  return !raw_version_collect_evidence(elf, 0, &found) &&
         found.symbol >> IR_BIT & 1;
}

static int open_and_check_input_elf(struct inputs *inputs,
                                    struct input_elf *subject) {
  struct elf_section mapping;
  const char *error = elf_open(&subject->elf, subject->file.bytes);
  if (!error)
    error = counter_width_mix_error(&subject->elf);
  if (error)
    return report(subject->name, "%s", error);
  if (subject->elf.type == ELF_REL)
    return report(subject->name, ELF_NOT_LINKED);
  subject->digest = need_memory(malloc(16));
  bool maps = elf_find_section(&subject->elf, "__llvm_covmap", &mapping);
  inputs->object_code |= inputs->traced && !inputs->count && !maps;
  if (inputs->object_code) {
    image_find_or_make_id(&subject->elf, &subject->build_id, subject->digest);
    return 0;
  }
  if (!maps)
    return report(
        subject->name, "the coverage mapping is missing; %s",
        compiler_is_gcc(&subject->elf)
            ? "gcc compiled this ELF: build again with clang, or measure "
              "object code with run --trace or report --object-code"
        : is_for_pgo(&subject->elf)
            ? "compile with -fcoverage-mapping, and with "
              "-fprofile-instr-generate instead of -fprofile-generate, which "
              "is only for PGO"
            : "compile with -fcoverage-mapping, and do not strip the ELF");
  if (!image_find_or_make_id(&subject->elf, &subject->build_id,
                             subject->digest))
    return report(subject->name, "the build id is missing, so dumps cannot be "
                                 "matched with this ELF; link with --build-id");
  struct input_elf *same = inputs_find_elf(inputs, subject->build_id);
  if (same)
    return report(subject->name,
                  "this ELF has the same build id as %s; pass only one of them",
                  same->name);
  return 0;
}

static int add_input_elf(struct inputs *inputs, const char *name) {
  struct input_elf subject = {.name = name, .join.elf_name = name};
  if (file_map(&subject.file, name, FILE_LIMIT))
    return 1;
  if (open_and_check_input_elf(inputs, &subject)) {
    free(subject.digest);
    file_close(&subject.file);
    return 1;
  }
  LIST_ADD(inputs->subjects, inputs->count, subject);
  return 0;
}

int inputs_check_readable(char **names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], "-") && !os_can_read(names[i]))
      return report(names[i],
                    "cannot be opened: %s; check the path and the permissions",
                    os_error_text(errno));
  return 0;
}

/* Returns whether a file name looks like the name of an ELF. The command of
 * `run` may write other inputs later, but an ELF must exist at the start. */
static bool is_elf_name(const char *name) {
  size_t size = strlen(name);
  return size > 4 && (strcmp(name + size - 4, ".elf") == 0 ||
                      strcmp(name + size - 4, ".axf") == 0);
}

/* Reports that no ELF was given, and names the first file of another known
 * kind. */
static int report_no_elf(char **names, size_t count) {
  struct os_file_info facts;
  if (inputs_check_readable(names, count))
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
    if (is_elf_name(names[i]) && inputs_check_readable(&names[i], 1))
      return 1;
  for (size_t i = 0; i < count; i++)
    if (inputs_is_elf(names[i]) && add_input_elf(inputs, names[i]))
      inputs->failed = true;
  if (inputs->failed)
    return 1;
  if (!inputs->count)
    return report_no_elf(names, count);
  for (size_t i = 0; i < inputs->count; i++)
    inputs->subjects[i].join.elf = &inputs->subjects[i].elf;
  return 0;
}

/* ---- profiles ---- */

#define PROFILE_MOST ((size_t)1 << 34)

unsigned inputs_clang_release(const struct elf *elf, unsigned raw) {
  uint64_t found = find_compiler_releases(elf, ".comment") |
                   find_compiler_releases(elf, ".debug_str");
  for (unsigned release = COMPILER_LAST; release >= LLVM_FIRST; release--) {
    unsigned writes = compiler_raw_version(release);
    /* Releases that bareprof does not know yet are assumed to write the last
     * version. */
    if (found >> release & 1 &&
        (writes ? writes : BAREPROF_RAW_VERSION_LAST) == raw)
      return release;
  }
  return 0;
}

/* The first function with an implausibly large count. */
struct suspect_function {
  char name[200];
};

static void note_suspect_function(void *context, enum addition_result result,
                                  const struct record_counts *counts,
                                  const struct counts_addition *addition) {
  struct suspect_function *found = context;
  size_t most = sizeof found->name - 1;
  (void)counts;
  if (result & ADDED_SUSPECT && !*found->name)
    snprintf(found->name, sizeof found->name, "%.*s",
             (int)(addition->name_size < most ? addition->name_size : most),
             addition->name);
}

/* An implausibly large count is an error, because other counts are computed
 * from it. */
int input_make_and_check_profile(const struct input_elf *subject,
                                 struct profile *profile) {
  char *bytes = NULL;
  size_t size = 0;
  struct suspect_function found = {""};
  const struct addition_handler events = {note_suspect_function, &found};
  const struct raw_options options = {.weight = 1, .events = &events};
  profile_init(profile, PROFILE_MOST);
  FILE *stream = need_memory(os_open_memory_stream(&bytes, &size));
  const char *error = raw_write_profile(&subject->join.profile, stream);
  need_memory(os_close_memory_stream(stream, &bytes, &size) ? bytes : NULL);
  if (!error)
    error = raw_parse_into(
        profile, (struct bytes){(unsigned char *)bytes, size}, &options);
  free(bytes);
  if (error)
    return report(subject->name, "%s", error);
  return *found.name ? report(subject->name,
                              "%s: a count is above 2^56, so its memory was "
                              "overwritten or never cleared; check that "
                              "bareprof_init runs first, and dump again",
                              found.name)
                     : 0;
}

/* Returns the index version that the llvm-cov of the compiler reads. If the
 * compiler is unknown, or its version would lose data, returns the oldest
 * version that keeps all data. If every version would lose data, returns 0 and
 * sets *why_not to the error. */
static unsigned choose_index_version(const struct input_elf *subject,
                                     const char **why_not) {
  unsigned release =
      subject->release < LLVM_LAST ? subject->release : LLVM_LAST;
  unsigned version =
      release ? indexed_choose_version(&subject->profile, release, why_not) : 0;
  if (version && !indexed_check_version(&subject->profile, version))
    return version;
  return indexed_choose_version(&subject->profile, 0, why_not);
}

static int write_indexed_profile(const struct input_elf *subject,
                                 const char *name) {
  const char *error = NULL;
  struct output_file output;
  const struct indexed_options options = {
      .version = choose_index_version(subject, &error)};
  if (!options.version)
    return report(subject->name, "%s", error);
  if (output_open(&output, name))
    return 1;
  error = indexed_write(&subject->profile, output.stream, &options);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(subject->name, "%s", error);
}

static bool has_profile_function(const void *context, uint64_t name) {
  return profile_find_function(context, name);
}

bool inputs_is_function_dropped(const struct inputs *inputs, const char *name) {
  uint64_t reference = md5_low64(name, strlen(name));
  bool found = false;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    const struct dropped_function *list = (const void *)subject->dropped.data;
    size_t count = input_dropped_count(subject);
    size_t at = search_from(list, count, name, reference);
    found |= at < count && list[at].name == reference;
    if (profile_find_function(&subject->profile, reference))
      return false;
  }
  return found;
}

int input_make_and_write_profiles(struct input_elf *subject, const char *raw,
                                  const char *indexed) {
  const char *error =
      evaluation_read_function_names(&subject->elf, &subject->names);
  if (error)
    return report(subject->name, "%s", error);
  subject->saturated = snapshot_is_saturated(&subject->join.profile);
  if (join_write(&subject->join, raw) ||
      input_make_and_check_profile(subject, &subject->profile))
    return 1;
  subject->dropped.limit = PROFILE_MOST;
  error = functions_read_dropped(&subject->elf, has_profile_function,
                                 &subject->profile, &subject->dropped);
  return error ? report(subject->name, "%s", error)
               : write_indexed_profile(subject, indexed);
}
