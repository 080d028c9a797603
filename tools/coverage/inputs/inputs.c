/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads all inputs except the ELFs, which inputs_elf.c opens first,
 * and adds each dump to its ELF. Each log is read separately. Then
 * active_calls.c finds the active calls of each ELF.
 */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../image/dumpfile.h"
#include "../../image/trace_counts.h"
#include "../../profile/raw.h"
#include "../tests/tests.h"
#include "source.h"

enum {
  FILE_LIMIT = 1 << 30,
  ID_BYTES = 8 /* number of bytes of a build id that are compared; each dump has
                  at least this many */
};

/* ---- raw profiles ----
 *
 * This part reads the counters and the bitmap of a raw profile, and its first
 * build id.
 */

static const char *parse_build_id(const struct raw_profile *raw,
                                  struct dump_header *header) {
  struct bytes ids = raw->ids, id;
  if (ids.size < 8)
    return "the profile has no build id, so it may come from another build; "
           "link with --build-id, and keep .note.gnu.build-id in the linker "
           "script";
  if (!profile_pop_build_id(&ids, &id, raw->big) ||
      id.size > sizeof header->build_id)
    return "the build id is damaged, or longer than 64 bytes; copy the file "
           "again, or link with --build-id=sha1";
  memcpy(header->build_id, id.data, id.size);
  header->build_id_size = id.size;
  return NULL;
}

static const char *make_header_of_raw_profile(const struct raw_profile *raw,
                                              struct dump_header *header) {
  bool wide;
  *header = (struct dump_header){.lean = true,
                                 .big_endian = raw->big,
                                 .wide = raw->wide,
                                 .version = raw->fields[BAREPROF_VERSION_WORD]};
  header->pieces[BAREPROF_PIECE_COUNTERS].size = raw->counters.size;
  header->pieces[BAREPROF_PIECE_BITMAP].size = raw->bitmap.size;
  if (raw->counters.size > PIECE_LIMIT || raw->bitmap.size > PIECE_LIMIT)
    return PIECE_TOO_LARGE;
  /* A second raw profile would be ignored. If there is none, the rest of the
   * file is value data. */
  for (size_t at = raw->at; raw->file.size - at >= 8; at++)
    if (raw_is_magic(raw->file.data + at, raw->big, &wide))
      return "the file has several profiles; pass each profile in its own file";
  return parse_build_id(raw, header);
}

const char *inputs_parse_raw_profile(struct snapshot *snapshot,
                                     struct bytes file) {
  struct raw_profile raw;
  struct dump_header header;
  const char *error = raw_open_profile(&raw, file, 0);
  if (!error)
    error = make_header_of_raw_profile(&raw, &header);
  if (error)
    return error;
  bool made = snapshot_init(snapshot, &header);
  if (made)
    made = snapshot_set_piece(snapshot, BAREPROF_PIECE_COUNTERS,
                              raw.counters.data);
  if (made && raw.bitmap.size)
    made = snapshot_set_piece(snapshot, BAREPROF_PIECE_BITMAP, raw.bitmap.data);
  if (made)
    return NULL;
  snapshot_free(snapshot);
  return out_of_memory;
}

/* ---- given files ---- */

/* Returns whether two logs differ at most in CRs: two programs may capture one
 * line, and one of them may convert LF to CR LF. */
static bool do_logs_equal(struct bytes a, struct bytes b) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a.size && a.data[i] == '\r')
      i++;
    while (k < b.size && b.data[k] == '\r')
      k++;
    if (i == a.size || k == b.size || a.data[i] != b.data[k])
      return i == a.size && k == b.size;
  }
}

static bool do_files_equal(const struct input_file *a,
                           const struct input_file *b) {
  const struct bytes one = a->file.bytes, other = b->file.bytes;
  if (!a->dump && !b->dump)
    return do_logs_equal(one, other);
  return one.size == other.size &&
         (!one.size || memcmp(one.data, other.data, one.size) == 0);
}

static const struct input_file *find_equal_file(const struct input_files *given,
                                                const struct input_file *file) {
  for (size_t i = 0; i < given->count; i++)
    if (do_files_equal(&given->list[i], file))
      return &given->list[i];
  return NULL;
}

/* Adds a file to the list, unless the list has an equal file. Messages call the
 * file `shown`. */
static int read_and_add_input_file(struct input_files *given, const char *name,
                                   const char *shown) {
  struct input_file added = {0};
  if (file_read(&added.file, name, FILE_LIMIT))
    return 1;
  added.file.name = shown;
  added.dump = file_is_raw_profile(added.file.bytes) ||
               dumpfile_is_dump(added.file.bytes) ||
               trace_file_has_magic(added.file.bytes) ||
               inputs_is_core(added.file.bytes);
  const struct input_file *same = find_equal_file(given, &added);
  if (same) {
    if (!given->copies++) {
      given->copy = shown;
      given->copied = same->file.name;
    }
    file_close(&added.file);
    return 0;
  }
  if (!added.dump &&
      file_refuse_non_log(shown, added.file.bytes,
                          "a console log, a .bpdump or a .profraw")) {
    file_close(&added.file);
    return 1;
  }
  LIST_ADD(given->list, given->count, added);
  return 0;
}

static size_t path_stem_size(const char *path) {
  const char *base = os_base_name(path), *dot = strrchr(base, '.');
  return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

static bool is_slash(char c) { return c == '/' || c == '\\'; }

/* Returns where the shortest end of a path begins that `other` does not end
 * with. The end begins at the name of a folder or file. */
static size_t find_distinct_end(const char *path, size_t size,
                                const char *other) {
  size_t base = (size_t)(os_base_name(path) - path),
         end = path_stem_size(other);
  size_t at = size, left = end;
  while (at && left && path[at - 1] == other[left - 1])
    at--, left--;
  if (at > base || (left && at == base && !is_slash(other[left - 1])) ||
      (!at && !left))
    return base;
  at -= at && !left; /* skips the slash before the part that equals all of
                        `other` */
  while (at && !is_slash(path[at - 1]))
    at--;
  return at;
}

char *input_files_test_name(const struct input_files *given, const char *name) {
  size_t size = path_stem_size(name),
         begin = (size_t)(os_base_name(name) - name);
  if (strcmp(name, "-") == 0)
    return need_memory(strdup("stdin"));
  for (size_t i = 0; i < given->count; i++) {
    size_t own = find_distinct_end(name, size, given->list[i].file.name);
    begin = own < begin ? own : begin;
  }
  char *copy = need_memory(calloc(1, size - begin + 1));
  return memcpy(copy, name + begin, size - begin);
}

/* Returns the first dump in a log from the sender of this header, or NULL. */
static const struct dump_header *
find_first_of_sender(const struct input_file *file,
                     const struct dump_header *header) {
  for (size_t i = 0; i < file->first_count; i++) {
    const struct dump_header *one = &file->firsts[i];
    if (one->kind == header->kind && one->core == header->core &&
        one->image == header->image &&
        memcmp(one->build_id, header->build_id, ID_BYTES) == 0)
      return one;
  }
  return NULL;
}

static void append_if_first_of_sender(void *context,
                                      struct dump_header *header) {
  struct input_file *file = context;
  if (!find_first_of_sender(file, header))
    LIST_ADD(file->firsts, file->first_count, *header);
}

/* Warns in one line, whatever the number of copies. */
static void warn_of_copies(const struct input_files *given) {
  char first[256], others[80] = "";
  if (given->copies > 1)
    snprintf(others, sizeof others, "; so do %zu more equal files",
             given->copies - 1);
  if (given->copies)
    warn(given->copy, "this file equals %s, and counts once%s",
         make_printable(first, sizeof first, given->copied), others);
}

static void warn_of_logged_dumps(const struct input_files *given) {
  char others[80] = "";
  if (given->in_logs > 1)
    snprintf(others, sizeof others, "; the same holds for %zu more files",
             given->in_logs - 1);
  if (given->in_logs)
    warn(given->in_log, "a log has this dump too, and the dump counts once%s",
         others);
}

/* Warns of repeated files, sorts the logs to the front, and reads the first
 * headers of the logs. */
static int put_logs_first_and_read_headers(struct input_files *given) {
  size_t logs = 0;
  warn_of_copies(given);
  for (size_t i = 0; i < given->count; i++)
    if (!given->list[i].dump) {
      struct input_file log = given->list[i];
      memmove(&given->list[logs + 1], &given->list[logs],
              (i - logs) * sizeof log);
      given->list[logs++] = log;
    }
  for (size_t i = 0; i < logs && logs > 1; i++) {
    struct input_file *log = &given->list[i];
    const char *error =
        boots_parse_headers(log->file.bytes, append_if_first_of_sender, log);
    if (error)
      return report(log->file.name, "%s", error);
  }
  return 0;
}

/* Returns whether two logs begin with the boot number of this header. The
 * number may be random RAM content (bareprof_boot_number after a cold start, or
 * in QEMU). Then it does not tell boots apart. */
static bool do_logs_share_boot(const struct input_files *given,
                               const struct dump_header *header) {
  size_t count = 0;
  for (size_t i = 0; header->boot && i < given->count; i++) {
    const struct dump_header *first =
        find_first_of_sender(&given->list[i], header);
    count += first && first->boot == header->boot;
  }
  return count > 1;
}

/* Returns whether a log has a dump of the same build with the same counts. */
static bool is_dump_logged(const struct input_files *given,
                           const struct snapshot *dump) {
  uint64_t sought = snapshot_hash_counts(dump);
  for (size_t i = 0; i < given->dump_count; i++)
    if (given->dumps[i] == sought)
      return true;
  return false;
}

static void free_input_files(struct input_files *given) {
  for (size_t i = 0; i < given->count; i++) {
    free(given->list[i].firsts);
    file_close(&given->list[i].file);
  }
  free(given->list);
  free(given->dumps);
}

/* ---- dumps ---- */

enum { BUILDS_MOST = 64, ID_SHOWN = 6 };

static const char *format_build_id(char shown[2 * ID_SHOWN + 1],
                                   struct bytes id) {
  return format_hex(shown, id.data, id.size < ID_SHOWN ? id.size : ID_SHOWN);
}

/* Reports that the ELF of a build is missing, once for each build. */
static void report_missing_elf(struct inputs *inputs,
                               const struct dump_header *header) {
  char id[2 * ID_SHOWN + 1];
  for (size_t i = 0; i < inputs->unpaired_count; i++)
    if (elf_build_ids_match(header_build_id(&inputs->unpaired[i]),
                            header_build_id(header)) ||
        (!header->build_id_size && !inputs->unpaired[i].build_id_size))
      return;
  inputs->left_out++;
  if (header->build_id_size)
    report(
        inputs->log,
        "a dump has build id %s, which matches no ELF; pass the ELF that ran",
        format_build_id(id, header_build_id(header)));
  else
    report(inputs->log,
           "a dump has no build id, although each ELF has one; in the linker "
           "script put bareprof.ld before a pattern such as *(.note*), which "
           "takes the build id, and run the new image");
  if (inputs->unpaired_count < BUILDS_MOST)
    LIST_ADD(inputs->unpaired, inputs->unpaired_count, *header);
}

/* Returns the ELF of a dump's build. If the ELF is missing, reports this and
 * returns NULL. */
static struct input_elf *match_dump_to_elf(struct inputs *inputs,
                                           const struct dump_header *header) {
  struct bytes id = header_build_id(header);
  inputs->found++;
  struct input_elf *subject = id.size ? inputs_find_elf(inputs, id) : NULL;
  if (subject)
    subject->dumped = true;
  else
    report_missing_elf(inputs, header);
  return subject;
}

/* Returns whether failed tests are left out. Then the counts come only from the
 * other tests (tests_join_counts), not from the logs. */
static bool has_counts_from_tests(const struct inputs *inputs) {
  return inputs->tests && inputs->tests->left_out;
}

static void add_boot_counts(struct inputs *inputs, struct input_elf *subject,
                            const struct snapshot *counts, size_t dumps) {
  if (!has_counts_from_tests(inputs) &&
      join_dump(&subject->join, inputs->log, counts)) {
    inputs->failed = true;
    return;
  }
  subject->boots++;
  subject->dumps += dumps;
}

static bool accept_and_note_dump(void *context, struct snapshot *dump) {
  struct inputs *inputs = context;
  if (dump->header.kind != BAREPROF_KIND_PROFILE)
    return false; /* The commands `bareprof mip` and `bareprof samples` read the
                     other kinds. */
  struct input_elf *subject = match_dump_to_elf(inputs, &dump->header);
  if (subject && !snapshot_is_complete(dump))
    image_fill_constant_gaps(dump, &subject->elf);
  if (subject && snapshot_is_complete(dump))
    LIST_ADD(inputs->given.dumps, inputs->given.dump_count,
             snapshot_hash_counts(dump));
  return subject;
}

static void on_dump_header(void *context, struct dump_header *header) {
  const struct inputs *inputs = context;
  if (do_logs_share_boot(&inputs->given, header))
    header->boot = 0;
}

static void on_boot_end(void *context, const struct snapshot *last,
                        size_t dumps, size_t untold) {
  struct inputs *inputs = context;
  struct input_elf *subject =
      inputs_find_elf(inputs, header_build_id(&last->header));
  add_boot_counts(inputs, subject, last, dumps);
  subject->active.logged++;
  subject->merged_dumps += untold;
}

static bool may_log_lack_beginning(const struct inputs *inputs) {
  return inputs->headless_log && !strcmp(inputs->headless_log, inputs->log);
}

/* Returns whether the log comes from a port to which requests were sent. */
static bool is_polled_log(const struct inputs *inputs) {
  return inputs->polled && may_log_lack_beginning(inputs);
}

/* Reports a problem in a log, and counts it, so that the report says that data
 * is missing. */
static void on_log_problem(void *context, const struct log_problem *trouble) {
  struct inputs *inputs = context;
  const struct snapshot *dump = trouble->dump;
  bool passed = trouble->kind == TROUBLE_PASSED;
  char text[MISSING_TEXT], name[80];
  if (trouble->kind == TROUBLE_UNCOUNTED) {
    if (trouble->header->kind != BAREPROF_KIND_PROFILE)
      return;
    if (!inputs->warned_uncounted)
      ordinals_report_unnumbered(inputs->log);
    inputs->warned_uncounted = true;
    return;
  }
  /* Parts that were lost on this port have been requested again. */
  if (trouble->kind != TROUBLE_REFUSED && is_polled_log(inputs))
    return;
  inputs->left_out += !passed;
  if (dump)
    snprintf(name, sizeof name, "the dump of core %u, image %u, boot %u",
             dump->header.core, dump->header.image, dump->header.boot);
  if (passed)
    report(inputs->log, "%s has gaps; a later dump of this boot replaces it",
           name);
  else if (dump)
    report(inputs->log, "%s has gaps; send the dump again", name);
  if (dump && !passed) {
    struct input_elf *subject =
        inputs_find_elf(inputs, header_build_id(&dump->header));
    functions_print_gaps(dump, subject->name, &subject->elf);
  } else if (trouble->kind == TROUBLE_LOST) {
    report(inputs->log, "data is lost: %s", trouble->lost);
  } else if (trouble->kind == TROUBLE_MISSING) {
    ordinals_describe_missing(text, trouble->missing);
    report(inputs->log, "%s; send the dump again", text);
  } else if (trouble->kind == TROUBLE_REFUSED) {
    inputs->found++;
    inputs->refused = true;
    report(inputs->log, "the firmware rejected a dump: %s",
           image_error_message((int)trouble->answer->error));
  }
}

static int add_trace(struct inputs *inputs, struct bytes file) {
  struct dump_header header;
  struct bytes lines = file;
  const char *error = trace_parse_build_id(&header, &lines);
  if (!error && inputs->tests)
    error = "a trace of trace points belongs to no test; remove --tests";
  if (error)
    return report(inputs->log, "%s", error);
  struct input_elf *subject = match_dump_to_elf(inputs, &header);
  if (!subject)
    return 0;
  subject->boots++;
  subject->dumps++;
  return join_add_file(&subject->join, inputs->log, file);
}

int inputs_add_core(struct inputs *inputs, size_t number, struct bytes core) {
  struct input_elf *subject = &inputs->subjects[number];
  const char *name = inputs->log ? inputs->log : subject->name;
  subject->dumped = true;
  subject->boots++;
  subject->dumps++;
  const char *error = active_calls_add_core(&subject->active, core);
  return error ? report(name, "%s", error)
               : join_add_file(&subject->join, name, core);
}

static int add_core(struct inputs *inputs, struct bytes file) {
  inputs->found++;
  if (inputs->tests)
    return report(inputs->log,
                  "a core file does not belong to a test; remove --tests");
  if (inputs->count != 1)
    return report(inputs->log,
                  "a core needs one ELF, but there are %zu; pass only the ELF "
                  "of the core file",
                  inputs->count);
  return inputs_add_core(inputs, 0, file);
}

static int add_dump_file(struct inputs *inputs, struct bytes file) {
  struct snapshot dump;
  if (trace_file_has_magic(file))
    return add_trace(inputs, file);
  if (inputs_is_core(file))
    return add_core(inputs, file);
  const char *error = file_is_raw_profile(file)
                          ? inputs_parse_raw_profile(&dump, file)
                          : dumpfile_read(&dump, file);
  if (error)
    return report(inputs->log, "%s", error);
  /* `bareprof merge` accepts such files, too. */
  if (!dump.header.pieces[BAREPROF_PIECE_COUNTERS].size) {
    warn(inputs->log, "the file has no counters, and adds nothing");
    snapshot_free(&dump);
    return 0;
  }
  struct input_elf *subject = match_dump_to_elf(inputs, &dump.header);
  if (subject && is_dump_logged(&inputs->given, &dump))
    inputs->given.in_log =
        inputs->given.in_logs++ ? inputs->given.in_log : inputs->log;
  else if (subject)
    add_boot_counts(inputs, subject, &dump, 1);
  if (subject && inputs->tests)
    tests_add_dump(inputs->tests, NULL, &dump, NULL);
  snapshot_free(&dump);
  return 0;
}

static void on_test_dump(void *context, const char *name,
                         const struct snapshot *dump,
                         const struct snapshot *before) {
  const struct inputs *inputs = context;
  tests_add_dump(inputs->tests, name, dump, before);
}

static void on_unsure_dump(void *context, const char *name,
                           const struct snapshot *dump,
                           const struct snapshot *before) {
  struct inputs *inputs = context;
  char shown[256];
  if (name && inputs->tests->resets) {
    tests_add_dump(inputs->tests, name, dump, NULL);
    return;
  }
  inputs->left_out++;
  if (name)
    tests_note_continuation(inputs->tests, before);
  if (name)
    report(inputs->log,
           "the coverage of test %s is unknown, because a dump or name before "
           "its dump is lost; send the dumps again",
           make_printable(shown, sizeof shown, name));
  else
    report(inputs->log,
           "a dump or a test name before dump %u of boot %u is lost, so this "
           "dump belongs to no test; send the dumps again",
           dump->header.serial, dump->header.boot);
}

static void on_lost_test_dump(void *context, const char *name) {
  struct inputs *inputs = context;
  char shown[256];
  inputs->left_out++;
  report(inputs->log, "the dump of test %s is lost; send the dump again",
         make_printable(shown, sizeof shown, name));
}

static int add_log(struct inputs *inputs, struct bytes log) {
  const struct tests *tests = inputs->tests;
  bool asked = is_polled_log(inputs);
  const struct boots_events events = {
      .context = inputs,
      .wanted = accept_and_note_dump,
      .boot_ended = on_boot_end,
      .trouble = on_log_problem,
      .header = on_dump_header,
      .dump = tests ? on_test_dump : NULL,
      .unsure = on_unsure_dump,
      .lost_name = on_lost_test_dump,
      .joins = may_log_lack_beginning(inputs),
      .polls = asked,
      .pattern = tests && tests->has_pattern ? &tests->compiled : NULL};
  const char *lacks;
  unsigned before = inputs->left_out;
  const char *error = boots_parse_log(log, &events, &lacks);
  if (error)
    return report(inputs->log, "%s", error);
  if (tests)
    tests_parse_times(inputs->tests, log);
  bool begun = false, whole = !asked || inputs->failed;
  for (size_t i = 0; i < inputs->count; i++) {
    begun |= inputs->subjects[i].dumped;
    whole |= inputs->subjects[i].boots != 0;
  }
  if (begun && !whole) {
    inputs->left_out++;
    report(inputs->log,
           "no dump is complete; check the baud rate and the UART connection");
  }
  /* Losses have been reported already. */
  if (!inputs->found && inputs->left_out == before) {
    inputs->left_out++;
    report(inputs->log, "%s", lacks);
  }
  return 0;
}

static void add_counts_of_files(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->given.count; i++) {
    const struct input_file *given = &inputs->given.list[i];
    inputs->log = given->file.name;
    inputs->found = 0;
    show_progress(i, inputs->given.count, "files");
    if (given->dump ? add_dump_file(inputs, given->file.bytes)
                    : add_log(inputs, given->file.bytes))
      inputs->failed = true;
    inputs->logs_without_dump += !inputs->found && !given->dump;
    char *known = input_files_test_name(&inputs->given, given->file.name);
    if (inputs->tests)
      tests_end_file(inputs->tests, given->file.name, known);
    free(known);
  }
  show_progress(inputs->given.count, inputs->given.count, "files");
  warn_of_logged_dumps(&inputs->given);
  if (inputs->tests)
    tests_warn_of_unmatched_cases(inputs->tests);
  for (size_t i = 0; i < inputs->count && has_counts_from_tests(inputs); i++)
    if (inputs->subjects[i].boots &&
        tests_join_counts(inputs->tests, &inputs->subjects[i]))
      inputs->failed = true;
}

/* ---- all inputs ---- */

static void free_input_elf(struct input_elf *subject) {
  active_calls_free(&subject->active);
  join_free(&subject->join);
  source_free_list(subject);
  summary_free(&subject->summary);
  profile_free(&subject->profile);
  buffer_free(&subject->dropped);
  names_free(&subject->names);
  free(subject->digest);
  free(subject->stem);
  file_close(&subject->file);
}

static void drop_elfs_without_dump(struct inputs *inputs) {
  size_t kept = 0;
  for (size_t i = 0; i < inputs->count; i++) {
    struct input_elf *subject = &inputs->subjects[i];
    char id[2 * ID_SHOWN + 1];
    if (subject->boots) {
      inputs->subjects[kept++] = *subject;
      continue;
    }
    /* In other cases, a message has already named the errors in the ELF's
     * dumps, or the reason why the logs contain no dumps. */
    if (!subject->dumped && !inputs->refused &&
        (!inputs->logs_without_dump ||
         inputs->logs_without_dump < inputs->given.count))
      report(subject->name, "no dump has build id %s; pass the log of this ELF",
             format_build_id(id, subject->build_id));
    inputs->left_out++;
    free_input_elf(subject);
  }
  inputs->count = kept;
  /* The ELFs have moved in the array. */
  for (size_t i = 0; i < kept; i++)
    inputs->subjects[i].join.elf = &inputs->subjects[i].elf;
}

int inputs_read_log(struct inputs *inputs, const char *name,
                    const char *shown) {
  return read_and_add_input_file(&inputs->given, name, shown);
}

int inputs_read_and_add_files(struct inputs *inputs, char **names,
                              size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!inputs_is_elf(names[i]) &&
        read_and_add_input_file(&inputs->given, names[i], names[i]))
      inputs->failed = true;
  if (inputs->failed || put_logs_first_and_read_headers(&inputs->given))
    return 1;
  add_counts_of_files(inputs);
  if (inputs->failed)
    return 1;
  drop_elfs_without_dump(inputs);
  if (!inputs->count)
    return inputs->left_out && !inputs->allow_missing
               ? 1
               : report(NULL, "report: no data is left to report; pass a "
                              "complete dump of an ELF");
  if (inputs->left_out && !inputs->allow_missing)
    return report(NULL, "report: the report is not written; pass the missing "
                        "files, or use --allow-missing");
  for (size_t i = 0; i < inputs->count; i++) {
    struct input_elf *subject = &inputs->subjects[i];
    active_calls_collect(subject);
    subject->release = inputs_clang_release(
        &subject->elf,
        (unsigned)(uint32_t)subject->join.profile.header.version);
  }
  return 0;
}

void inputs_free(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    free_input_elf(&inputs->subjects[i]);
  free(inputs->subjects);
  free(inputs->unpaired);
  free_input_files(&inputs->given);
  *inputs = (struct inputs){0};
}
