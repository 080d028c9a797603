/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof live: reads the counts of each poll from a visit or a log, and
 * evaluates them into a struct live_coverage, like a report. live_show.c prints
 * the state, live_page.c serves it.
 */
#include "live.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/model/evaluate.h"
#include "../image/dumpfile.h"
#include "../wire/session.h"

enum { LOG_LIMIT = 1 << 30 };

struct live_elf_counts {
  struct input_elf subject; /* a copy that gets its own counts */
  bool counted;             /* the ELF has counts */
  size_t boots;
  struct name_table names;
  struct profile profile;
};

/* The state of coverage while it is made from the counts of one poll. */
struct live_coverage_builder {
  struct live_session *live;
  struct live_elf_counts *all; /* one for each ELF */
  size_t boots; /* the number of boots of the ELF that has booted most often */
  int status;
};

/* ---- the counts ---- */

static void add_visit_counts(struct live_coverage_builder *builder,
                             const struct gdb_visit *visit) {
  for (size_t i = 0; i < builder->live->inputs->count && !builder->status;
       i++) {
    struct live_elf_counts *one = &builder->all[i];
    builder->status = join_add_file(&one->subject.join, one->subject.name,
                                    buffer_bytes(&visit->list[i].core));
    one->counted = true;
  }
}

static struct live_elf_counts *
find_elf_of_dump(const struct live_coverage_builder *builder,
                 const struct snapshot *dump) {
  const struct input_elf *subject =
      inputs_find_elf(builder->live->inputs, header_build_id(&dump->header));
  return subject && dump->header.kind == BAREPROF_KIND_PROFILE
             ? &builder->all[subject - builder->live->inputs->subjects]
             : NULL;
}

static bool accept_and_fill_dump(void *context, struct snapshot *dump) {
  struct live_elf_counts *one = find_elf_of_dump(context, dump);
  if (one && !snapshot_is_complete(dump))
    image_fill_constant_gaps(dump, &one->subject.elf);
  return one;
}

static void add_counts_of_boot(void *context, const struct snapshot *last,
                               size_t dumps, size_t untold) {
  struct live_coverage_builder *builder = context;
  struct live_elf_counts *one = find_elf_of_dump(builder, last);
  (void)dumps, (void)untold;
  if (!builder->status)
    builder->status = join_dump(&one->subject.join, one->subject.name, last);
  one->counted = true;
  if (++one->boots > builder->boots)
    builder->boots = one->boots;
}

static void add_log_counts(struct live_coverage_builder *builder) {
  const struct live_session *live = builder->live;
  const struct boots_events events = {.context = builder,
                                      .wanted = accept_and_fill_dump,
                                      .boot_ended = add_counts_of_boot,
                                      .joins = true,
                                      .polls = live->inputs->polled};
  struct file file;
  builder->status = file_read(&file, live->log, LOG_LIMIT);
  if (builder->status)
    return;
  const char *error = boots_parse_log(file.bytes, &events, NULL);
  file_close(&file);
  if (error)
    builder->status = report(live->log, "%s", error);
}

/* ---- the state ---- */

static int make_profile_and_names(struct live_elf_counts *one) {
  one->subject.saturated = snapshot_is_saturated(&one->subject.join.profile);
  int status = input_make_and_check_profile(&one->subject, &one->profile);
  const char *error =
      status ? NULL
             : evaluation_read_function_names(&one->subject.elf, &one->names);
  return error ? report(one->subject.name, "%s", error) : status;
}

static int evaluate_counts(struct model *exported,
                           struct live_coverage_builder *builder) {
  struct live_session *live = builder->live;
  const struct input_elf *subjects = live->inputs->subjects;
  size_t count = live->inputs->count, used = 0;
  struct evaluation_input *list = need_memory(calloc(count + 1, sizeof *list));
  int status = 0;
  const struct evaluation_options mask = {
      .tokens = &live->tokens,
      .code_only = live->settings->lines == LINES_CODE,
      .as_llvm_cov = live->settings->as_llvm_cov};
  for (size_t i = 0; i < count && !status; i++) {
    struct live_elf_counts *one = &builder->all[i];
    if (!one->counted)
      continue;
    status = make_profile_and_names(one);
    list[used++] =
        (struct evaluation_input){.elf = &subjects[i].elf,
                                  .names = &one->names,
                                  .profile = &one->profile,
                                  .saturated = one->subject.saturated};
  }
  const char *error =
      status ? NULL : evaluate_elfs(exported, list, used, &mask);
  const char *failed = subjects[0].name;
  for (size_t i = 0; error && i < count; i++)
    if (list[exported->failed].elf == &subjects[i].elf)
      failed = subjects[i].name;
  free(list);
  if (error)
    return report(failed, "%s", error);
  return status || live->tokens.failed;
}

static void begin_coverage_builder(struct live_coverage_builder *builder) {
  const struct inputs *inputs = builder->live->inputs;
  builder->all = need_memory(calloc(inputs->count + 1, sizeof *builder->all));
  for (size_t i = 0; i < inputs->count; i++) {
    struct input_elf *subject = &builder->all[i].subject;
    *subject = inputs->subjects[i];
    subject->join = (struct image_join){.elf = &subject->elf,
                                        .elf_name = subject->name,
                                        .warned = subject->join.warned};
    profile_init(&builder->all[i].profile, 0);
  }
}

static void free_coverage_builder(struct live_coverage_builder *builder) {
  struct inputs *inputs = builder->live->inputs;
  for (size_t i = 0; i < inputs->count; i++) {
    /* The next state and the final report do not repeat the warnings. */
    inputs->subjects[i].join.warned = builder->all[i].subject.join.warned;
    names_free(&builder->all[i].names);
    profile_free(&builder->all[i].profile);
    join_free(&builder->all[i].subject.join);
  }
  free(builder->all);
}

/* Replaces the lcov file in one step, so that an editor never reads half of the
 * file. Writes only regular files. A device or a pipe would get several files
 * in a row, so only the final report writes to it. Returns 0, or reports the
 * error and returns 1. */
static int replace_lcov(const char *name, const struct model *exported) {
  struct os_file_info facts;
  struct output_file output;
  bool there = os_stat(name, &facts);
  if (strcmp(name, "-") == 0 || os_is_open_file_name(name) ||
      (there ? facts.kind != OS_FILE : os_is_link(name)))
    return 0;
  if (output_open(&output, name))
    return 1;
  output.again = true;
  lcov_print_tracefile(exported, 0, NULL, output.stream);
  return output_commit(&output);
}

static void free_live_coverage(struct live_coverage *state) {
  places_free(&state->places);
  model_free(&state->exported);
}

/* Shows a state if it differs from the last one. live owns *now after the call.
 */
static void show_state_if_changed(struct live_session *live,
                                  const struct live_coverage *now) {
  if (!live->begun)
    live->begun = session_get_time();
  bool differs = live_note_changes(live, now);
  free_live_coverage(&live->state);
  live->state = *now;
  if (!differs)
    return;
  live_print_state(live);
  if (live->page)
    live_page_set_state(live->page, live);
  /* After an error the run continues without the lcov file; the final report
   * writes it and fails. */
  if (live->lcov && replace_lcov(live->lcov, &now->exported))
    live->lcov = NULL;
}

int live_show_counts(struct live_session *live, const struct gdb_visit *visit) {
  struct live_coverage_builder builder = {.live = live};
  struct live_coverage now = {0};
  bool counted = false;
  begin_coverage_builder(&builder);
  if (visit)
    add_visit_counts(&builder, visit);
  else
    add_log_counts(&builder);
  for (size_t i = 0; i < live->inputs->count; i++)
    counted |= builder.all[i].counted;
  int status = builder.status;
  if (!status && counted)
    status = evaluate_counts(&now.exported, &builder);
  if (!status && counted)
    places_make(&now.places, &now.exported, 0);
  live->boots = counted ? builder.boots : live->boots;
  free_coverage_builder(&builder);
  if (status || !counted)
    free_live_coverage(&now);
  else
    show_state_if_changed(live, &now);
  return status;
}

void live_serve_and_redraw(struct live_session *live) {
  if (live->page)
    live_page_serve(live->page);
  live_redraw_if_old(live);
}

void live_free(struct live_session *live) {
  if (live->drawn)
    putchar('\n');
  free_live_coverage(&live->state);
  free(live->touched);
  token_store_free(&live->tokens);
  live_page_close(live->page);
}
