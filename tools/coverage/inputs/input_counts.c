/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns the counts of an ELF into profiles. The counts are written as the raw
 * profile that the firmware itself would have written, and that file is read
 * like any other raw profile. The report keeps it next to an indexed profile
 * for llvm-cov.
 */
#include "inputs.h"

#include <stdlib.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/llvm.h"
#include "../../base/os.h"
#include "../../image/dumpfile.h"
#include "../../image/raw_version.h"
#include "../../profile/indexed.h"
#include "../../profile/raw.h"
#include "bareprof.h"
#include "../model/evaluate.h"

#define PROFILE_MOST ((size_t)1 << 34)

unsigned inputs_clang_release(const struct elf *elf, unsigned raw) {
  uint64_t found =
      compiler_releases(elf, ".comment") | compiler_releases(elf, ".debug_str");
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
struct impossible_count {
  char name[200];
};

static void note_impossible_count(void *context, enum addition_result result,
                                  const struct record_counts *counts,
                                  const struct counts_addition *addition) {
  struct impossible_count *found = context;
  size_t most = sizeof found->name - 1;
  (void)counts;
  if (result & ADDED_SUSPECT && !*found->name)
    snprintf(found->name, sizeof found->name, "%.*s",
             (int)(addition->name_size < most ? addition->name_size : most),
             addition->name);
}

/* Reads a raw profile. An implausibly large count is an error, because other
 * counts are computed from it. */
static int read_raw_profile(const struct input_elf *subject,
                            struct profile *profile, struct bytes bytes) {
  struct impossible_count found = {""};
  const struct addition_handler events = {note_impossible_count, &found};
  const struct raw_options options = {.weight = 1, .events = &events};
  const char *error = raw_read(profile, bytes, &options);
  if (error)
    return report(subject->name, "%s", error);
  return *found.name ? report(subject->name,
                              "%s: a count is above 2^56, so its memory was "
                              "overwritten or never cleared; check that "
                              "bareprof_init runs first, and dump again",
                              found.name)
                     : 0;
}

int input_counts_read(const struct input_elf *subject,
                      struct profile *profile) {
  char *bytes = NULL;
  size_t size = 0;
  profile_new(profile, PROFILE_MOST);
  FILE *stream = need_memory(os_open_memory(&bytes, &size));
  const char *error = raw_write_profile(&subject->join.profile, stream);
  need_memory(os_close_memory(stream, &bytes, &size) ? bytes : NULL);
  int status =
      error ? report(subject->name, "%s", error)
            : read_raw_profile(subject, profile,
                               (struct bytes){(unsigned char *)bytes, size});
  free(bytes);
  return status;
}

/* Returns the index version that the llvm-cov of the compiler reads. If the
 * compiler is unknown, or its version would lose data, returns the oldest
 * version that loses nothing; 0: there is none, and *why_not is the error. */
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

static bool has_counts(const void *context, uint64_t name) {
  return profile_find_function(context, name);
}

bool inputs_has_dropped(const struct inputs *inputs, const char *name) {
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

int input_counts_write(struct input_elf *subject, const char *raw,
                       const char *indexed) {
  struct file file;
  profile_new(&subject->profile, PROFILE_MOST);
  const char *error = evaluation_read_names(&subject->elf, &subject->names);
  if (error)
    return report(subject->name, "%s", error);
  if (join_write(&subject->join, raw) || file_map(&file, raw, PROFILE_MOST))
    return 1;
  int status = read_raw_profile(subject, &subject->profile, file.bytes);
  file_close(&file);
  subject->dropped.limit = PROFILE_MOST;
  if (!status)
    error = functions_read_dropped(&subject->elf, has_counts, &subject->profile,
                                   &subject->dropped);
  if (error)
    return report(subject->name, "%s", error);
  return status ? status : write_indexed_profile(subject, indexed);
}
