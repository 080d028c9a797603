/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads all inputs except the ELFs, which inputs_elf.c has opened before, and
 * adds each dump to its ELF. Each log is read separately. active_calls.c and
 * counted.c continue with the subjects.
 */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../image/dumpfile.h"
#include "../../image/traced.h"
#include "../../profile/raw.h"
#include "../tests/by_test.h"
#include "source.h"

/* ---- raw profiles ----
 *
 * Reads the counters and the bitmap of a raw profile, with its first build id.
 */

static const char *read_build_id(const struct raw *raw, struct header *header) {
  struct bytes ids = raw->ids, id;
  if (ids.size < 8)
    return "the build id is missing, so the dump may come from another build; "
           "link with --build-id";
  if (!raw_next_id(raw, &ids, &id) || id.size > sizeof header->build_id)
    return "the build id is not valid; copy the file again";
  memcpy(header->build_id, id.data, id.size);
  header->build_id_size = id.size;
  return NULL;
}

/* Whether another raw profile follows in the file; it would be ignored.
 * Otherwise the rest of the file is value data. */
static bool has_another(const struct raw *raw) {
  bool wide;
  for (size_t at = raw->at; raw->file.size - at >= 8; at++)
    if (raw_magic(raw->file.data + at, raw->big, &wide))
      return true;
  return false;
}

static const char *describe(const struct raw *raw, struct header *header) {
  *header = (struct header){.lean = true,
                            .big_endian = raw->big,
                            .wide = raw->wide,
                            .version = raw->fields[BAREPROF_VERSION_WORD]};
  header->pieces[BAREPROF_PIECE_COUNTERS].size = raw->counters.size;
  header->pieces[BAREPROF_PIECE_BITMAP].size = raw->bitmap.size;
  if (raw->counters.size > PIECE_LIMIT || raw->bitmap.size > PIECE_LIMIT)
    return "the file has more than 16 MB of counters, so it is damaged; copy "
           "the file again";
  if (has_another(raw))
    return "the file has several profiles; pass each profile in its own file";
  return read_build_id(raw, header);
}

const char *rawfile_read(struct snapshot *snapshot, struct bytes file) {
  struct raw raw;
  struct header header;
  const char *error = raw_open(&raw, file, 0);
  if (!error)
    error = describe(&raw, &header);
  if (error)
    return error;
  bool made = snapshot_new(snapshot, &header);
  if (made)
    made =
        snapshot_constant(snapshot, BAREPROF_PIECE_COUNTERS, raw.counters.data);
  if (made && raw.bitmap.size)
    made = snapshot_constant(snapshot, BAREPROF_PIECE_BITMAP, raw.bitmap.data);
  if (made)
    return NULL;
  snapshot_free(snapshot);
  return out_of_memory;
}

/* ---- all ---- */

enum { BUILDS_MOST = 64, ID_SHOWN = 6 };

/* ---- dumps ---- */

static const char *show_id(char shown[2 * ID_SHOWN + 1], struct bytes id) {
  return hex_of(shown, id.data, id.size < ID_SHOWN ? id.size : ID_SHOWN);
}

/* Reports that the ELF of a dump's build is missing, once for each build. */
static void no_elf(struct inputs *inputs, const struct header *header) {
  char id[2 * ID_SHOWN + 1];
  for (size_t i = 0; i < inputs->unpaired_count; i++)
    if (build_id_same(header_id(&inputs->unpaired[i]), header_id(header)) ||
        (!header->build_id_size && !inputs->unpaired[i].build_id_size))
      return;
  inputs->left_out++;
  if (header->build_id_size)
    report(
        inputs->log,
        "a dump has build id %s, which matches no ELF; pass the ELF that ran",
        show_id(id, header_id(header)));
  else
    report(inputs->log,
           "a dump has no build id, although each ELF has one: a pattern such "
           "as *(.note*) in the linker script took it; put bareprof.ld before "
           "this pattern, and run the new image");
  if (inputs->unpaired_count < BUILDS_MOST)
    LIST_ADD(inputs->unpaired, inputs->unpaired_count, *header);
}

/* Returns the subject of a dump. NULL: there is none, which is reported. */
static struct subject *pair(struct inputs *inputs,
                            const struct header *header) {
  struct bytes id = header_id(header);
  inputs->found++;
  struct subject *subject = id.size ? inputs_of_build(inputs, id) : NULL;
  if (subject)
    subject->dumped = true;
  else
    no_elf(inputs, header);
  return subject;
}

/* Whether failed tests are left out. Then the counts come only from the other
 * tests (tests_add), not from the logs. */
static bool from_tests(const struct inputs *inputs) {
  return inputs->tests && inputs->tests->left_out;
}

static void add_counts(struct inputs *inputs, struct subject *subject,
                       const struct snapshot *counts, size_t dumps) {
  subject->join.elf = &subject->elf;
  subject->join.elf_name = subject->name;
  if (!from_tests(inputs) && join_dump(&subject->join, inputs->log, counts)) {
    inputs->failed = true;
    return;
  }
  subject->starts++;
  subject->dumps += dumps;
}

static bool on_dump(void *context, struct snapshot *dump) {
  struct inputs *inputs = context;
  if (dump->header.kind != BAREPROF_KIND_PROFILE)
    return false; /* `bareprof mip` and `bareprof samples` read the other
                     kinds. */
  struct subject *subject = pair(inputs, &dump->header);
  if (subject && !snapshot_whole(dump))
    holes_fill(dump, &subject->elf);
  if (subject && snapshot_whole(dump))
    given_note(&inputs->given, dump);
  return subject;
}

/* A boot number with which two logs begin does not tell boots apart. */
static void on_header(void *context, struct header *header) {
  const struct inputs *inputs = context;
  if (given_begins_two(&inputs->given, header))
    header->boot = 0;
}

static void on_start(void *context, const struct snapshot *last, size_t dumps,
                     size_t untold) {
  struct inputs *inputs = context;
  struct subject *subject = inputs_of_build(inputs, header_id(&last->header));
  add_counts(inputs, subject, last, dumps);
  subject->active.logged++;
  subject->untold += untold;
}

/* Whether the log is of a port to which requests were sent. */
static bool was_asked(const struct inputs *inputs) {
  return inputs->asked && inputs->joined &&
         !strcmp(inputs->joined, inputs->log);
}

static void on_trouble(void *context, const struct trouble *trouble) {
  struct inputs *inputs = context;
  const struct snapshot *dump = trouble->dump;
  bool passed = trouble->kind == TROUBLE_PASSED;
  char text[MISSING_TEXT], name[80];
  if (trouble->kind == TROUBLE_UNCOUNTED) {
    if (trouble->header->kind != BAREPROF_KIND_PROFILE)
      return;
    if (!inputs->uncounted)
      uncounted_tell(inputs->log);
    inputs->uncounted = true;
    return;
  }
  /* Parts that this port lost have been requested again. */
  if (trouble->kind != TROUBLE_REFUSED && was_asked(inputs))
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
    struct subject *subject = inputs_of_build(inputs, header_id(&dump->header));
    holes_list(dump, subject->name, &subject->elf);
  } else if (trouble->kind == TROUBLE_LOST) {
    report(inputs->log, "data is lost: %s", trouble->lost);
  } else if (trouble->kind == TROUBLE_MISSING) {
    missing_tell(text, trouble->missing);
    report(inputs->log, "%s; send the dump again", text);
  } else if (trouble->kind == TROUBLE_REFUSED) {
    inputs->found++;
    inputs->refused = true;
    report(inputs->log, "the firmware rejected a dump: %s",
           profile_error((int)trouble->answer->error));
  }
}

static int add_trace(struct inputs *inputs, struct bytes file) {
  struct header header;
  const char *error = trace_header(&header, file);
  if (!error && inputs->tests)
    error = "a trace does not belong to a test; remove --tests";
  if (error)
    return report(inputs->log, "%s", error);
  struct subject *subject = pair(inputs, &header);
  if (!subject)
    return 0;
  subject->join.elf = &subject->elf;
  subject->join.elf_name = subject->name;
  subject->starts++;
  subject->dumps++;
  return join_file(&subject->join, inputs->log, file);
}

int inputs_memory(struct inputs *inputs, size_t number, struct bytes core) {
  struct subject *subject = &inputs->subjects[number];
  const char *name = inputs->log ? inputs->log : subject->name;
  subject->join.elf = &subject->elf;
  subject->join.elf_name = subject->name;
  subject->dumped = true;
  subject->starts++;
  subject->dumps++;
  const char *error = active_halted(&subject->active, core);
  return error ? report(name, "%s", error)
               : join_file(&subject->join, name, core);
}

static int add_core(struct inputs *inputs, struct bytes file) {
  inputs->found++;
  if (inputs->tests)
    return report(inputs->log,
                  "a core does not belong to a test; remove --tests");
  if (inputs->count != 1)
    return report(inputs->log,
                  "a core needs one ELF, but there are %zu; pass only the ELF "
                  "that the core is from",
                  inputs->count);
  return inputs_memory(inputs, 0, file);
}

static int add_file(struct inputs *inputs, struct bytes file) {
  struct snapshot dump;
  if (trace_is(file))
    return add_trace(inputs, file);
  if (inputs_is_core(file))
    return add_core(inputs, file);
  const char *error = file_is_raw(file) ? rawfile_read(&dump, file)
                                        : dumpfile_read(&dump, file);
  if (error)
    return report(inputs->log, "%s", error);
  /* `bareprof merge` accepts such files too. */
  if (!dump.header.pieces[BAREPROF_PIECE_COUNTERS].size) {
    warn(inputs->log, "the file has no counters, and adds nothing");
    snapshot_free(&dump);
    return 0;
  }
  struct subject *subject = pair(inputs, &dump.header);
  if (subject && given_has(&inputs->given, &dump))
    inputs->given.in_log =
        inputs->given.in_logs++ ? inputs->given.in_log : inputs->log;
  else if (subject)
    add_counts(inputs, subject, &dump, 1);
  if (subject && inputs->tests)
    tests_dump(inputs->tests, NULL, &dump, NULL);
  snapshot_free(&dump);
  return 0;
}

static void on_test(void *context, const char *name,
                    const struct snapshot *dump,
                    const struct snapshot *before) {
  const struct inputs *inputs = context;
  tests_dump(inputs->tests, name, dump, before);
}

static void on_unsure(void *context, const char *name,
                      const struct snapshot *dump,
                      const struct snapshot *before) {
  struct inputs *inputs = context;
  char shown[256];
  if (name && inputs->tests->resets) {
    tests_dump(inputs->tests, name, dump, NULL);
    return;
  }
  inputs->left_out++;
  if (name)
    tests_goes_on(inputs->tests, before);
  if (name)
    report(inputs->log,
           "the coverage of test %s is unknown, because a dump or name before "
           "its dump is lost; send the dumps again",
           printable(shown, sizeof shown, name));
  else
    report(inputs->log,
           "a dump or name before dump %u of boot %u is lost, so its code "
           "belongs to no test; send the dumps again",
           dump->header.serial, dump->header.boot);
}

static void on_unnamed(void *context, const char *name) {
  struct inputs *inputs = context;
  char shown[256];
  inputs->left_out++;
  report(inputs->log, "the dump of test %s is lost; send the dump again",
         printable(shown, sizeof shown, name));
}

static int add_log(struct inputs *inputs, struct bytes log) {
  const struct tests *tests = inputs->tests;
  bool asked = was_asked(inputs);
  const struct starts_events events = {
      .context = inputs,
      .wanted = on_dump,
      .start = on_start,
      .trouble = on_trouble,
      .header = on_header,
      .dump = tests ? on_test : NULL,
      .unsure = on_unsure,
      .unnamed = on_unnamed,
      .joins = inputs->joined && !strcmp(inputs->joined, inputs->log),
      .asks = asked,
      .pattern = tests && tests->has_pattern ? &tests->compiled : NULL};
  const char *lacks;
  unsigned before = inputs->left_out;
  const char *error = starts_read(log, &events, &lacks);
  if (error)
    return report(inputs->log, "%s", error);
  if (tests)
    tests_times(inputs->tests, log);
  bool whole = !asked;
  for (size_t i = 0; i < inputs->count; i++)
    whole |= inputs->subjects[i].dumped;
  if (!whole && inputs->found) {
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

static void add_given(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->given.count; i++) {
    const struct given_file *given = &inputs->given.list[i];
    inputs->log = given->file.name;
    inputs->found = 0;
    progress(i, inputs->given.count, "files");
    if (given->dump ? add_file(inputs, given->file.bytes)
                    : add_log(inputs, given->file.bytes))
      inputs->failed = true;
    inputs->silent += !inputs->found && !given->dump;
    char *known = given_test(&inputs->given, given->file.name);
    if (inputs->tests)
      tests_file(inputs->tests, given->file.name, known);
    free(known);
  }
  progress(inputs->given.count, inputs->given.count, "files");
  given_tell(&inputs->given);
  if (inputs->tests)
    tests_failures(inputs->tests);
  for (size_t i = 0; i < inputs->count && from_tests(inputs); i++)
    if (inputs->subjects[i].starts &&
        tests_add(inputs->tests, &inputs->subjects[i]))
      inputs->failed = true;
}

/* ---- all ---- */

static void free_subject(struct subject *subject) {
  active_free(&subject->active);
  join_free(&subject->join);
  built_free(subject);
  summary_free(&subject->summary);
  profile_free(&subject->profile);
  buffer_free(&subject->dropped);
  names_free(&subject->names);
  free(subject->digest);
  free(subject->stem);
  file_close(&subject->file);
}

/* Removes the ELFs without a dump. */
static void drop_unrun(struct inputs *inputs) {
  size_t kept = 0;
  for (size_t i = 0; i < inputs->count; i++) {
    struct subject *subject = &inputs->subjects[i];
    char id[2 * ID_SHOWN + 1];
    if (subject->starts) {
      inputs->subjects[kept++] = *subject;
      continue;
    }
    /* Otherwise errors of its dumps have been reported, or why the logs have
     * none. */
    if (!subject->dumped && !inputs->refused &&
        (!inputs->silent || inputs->silent < inputs->given.count))
      report(subject->name, "no dump has build id %s; pass the log of this ELF",
             show_id(id, subject->build_id));
    inputs->left_out++;
    free_subject(subject);
  }
  inputs->count = kept;
  /* The subjects have moved. */
  for (size_t i = 0; i < kept; i++)
    inputs->subjects[i].join.elf = &inputs->subjects[i].elf;
}

int inputs_log(struct inputs *inputs, const char *name, const char *shown) {
  return given_add(&inputs->given, name, shown);
}

int inputs_read(struct inputs *inputs, char **names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!inputs_is_elf(names[i]) &&
        given_add(&inputs->given, names[i], names[i]))
      inputs->failed = true;
  if (inputs->failed || given_settle(&inputs->given))
    return 1;
  add_given(inputs);
  if (inputs->failed)
    return 1;
  drop_unrun(inputs);
  if (!inputs->count)
    return inputs->left_out && !inputs->allow_missing
               ? 1
               : report(NULL, "report: no data is left to report");
  if (inputs->left_out && !inputs->allow_missing)
    return report(
        NULL,
        "report: not written; pass the missing files, or use --allow-missing");
  for (size_t i = 0; i < inputs->count; i++) {
    struct subject *subject = &inputs->subjects[i];
    active_find(subject);
    subject->release = counted_release(
        &subject->elf,
        (unsigned)(uint32_t)subject->join.profile.header.version);
  }
  return 0;
}

void inputs_free(struct inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    free_subject(&inputs->subjects[i]);
  free(inputs->subjects);
  free(inputs->unpaired);
  given_free(&inputs->given);
  *inputs = (struct inputs){0};
}
