/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof live: reads the counts of each poll from a visit or a log, and
 * evaluates them into a struct live_state, like a report. live_show.c prints
 * the state, live_page.c serves it.
 */
#include "live.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/need.h"
#include "../base/os.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/model/evaluate.h"
#include "../image/dumpfile.h"
#include "../wire/session.h"

enum { LOG_LIMIT = 1 << 30 };

struct live_elf_counts {
  struct input_elf subject; /* a copy that gets its own counts */
  bool counted;           /* the ELF has counts */
  size_t starts;
  struct name_table names;
  struct profile profile;
};

/* The state of coverage while it is made from the counts of one poll. */
struct live_state_builder {
  const struct inputs *inputs;
  struct live_elf_counts *all; /* one for each ELF */
  size_t starts;             /* boots of the ELF that has booted most often */
  bool as_llvm_cov, code_only;
  struct token_store *tokens;
  int status;
};

/* ---- the counts ---- */

static void add_visit_counts(struct live_state_builder *making,
                             const struct gdb_visit *visit) {
  for (size_t i = 0; i < making->inputs->count && !making->status; i++) {
    struct live_elf_counts *one = &making->all[i];
    const struct buffer *core = &visit->list[i].core;
    making->status = join_add_file(&one->subject.join, one->subject.name,
                                   (struct bytes){core->data, core->size});
    one->counted = true;
  }
}

static struct live_elf_counts *
find_elf_of_dump(const struct live_state_builder *making,
                 const struct snapshot *dump) {
  const struct input_elf *subject =
      inputs_find_elf(making->inputs, header_build_id(&dump->header));
  return subject && dump->header.kind == BAREPROF_KIND_PROFILE
             ? &making->all[subject - making->inputs->subjects]
             : NULL;
}

static bool accept_dump(void *context, struct snapshot *dump) {
  struct live_elf_counts *one = find_elf_of_dump(context, dump);
  if (one && !snapshot_is_complete(dump))
    functions_fill_gaps(dump, &one->subject.elf);
  return one;
}

static void add_boot(void *context, const struct snapshot *last, size_t dumps,
                     size_t untold) {
  struct live_state_builder *making = context;
  struct live_elf_counts *one = find_elf_of_dump(making, last);
  (void)dumps, (void)untold;
  if (!making->status)
    making->status = join_dump(&one->subject.join, one->subject.name, last);
  one->counted = true;
  if (++one->starts > making->starts)
    making->starts = one->starts;
}

static void add_log_counts(struct live_state_builder *making, const char *log) {
  const struct boots_events events = {.context = making,
                                      .wanted = accept_dump,
                                      .start = add_boot,
                                      .joins = true,
                                      .asks = making->inputs->asked};
  struct file file;
  making->status = file_read(&file, log, LOG_LIMIT);
  if (making->status)
    return;
  const char *error = boots_read(file.bytes, &events, NULL);
  file_close(&file);
  if (error)
    making->status = report(log, "%s", error);
}

/* ---- the state ---- */

static int read_counts(struct live_elf_counts *one) {
  int status = input_counts_read(&one->subject, &one->profile);
  const char *error =
      status ? NULL : evaluation_read_names(&one->subject.elf, &one->names);
  return error ? report(one->subject.name, "%s", error) : status;
}

static int evaluate_counts(struct model *exported,
                           struct live_state_builder *making) {
  size_t count = making->inputs->count, used = 0;
  struct evaluate_input *list = need_memory(calloc(count + 1, sizeof *list));
  int status = making->status;
  const struct evaluate_options mask = {.tokens = making->tokens,
                                        .code_only = making->code_only,
                                        .as_llvm_cov = making->as_llvm_cov};
  for (size_t i = 0; i < count && !status; i++) {
    struct live_elf_counts *one = &making->all[i];
    if (!one->counted)
      continue;
    status = read_counts(one);
    list[used++] =
        (struct evaluate_input){.elf = &making->inputs->subjects[i].elf,
                                .names = &one->names,
                                .profile = &one->profile};
  }
  const char *error =
      status ? NULL : evaluate_elfs(exported, list, used, &mask);
  free(list);
  if (error)
    return report(making->inputs->subjects[0].name, "%s", error);
  return status || making->tokens->failed;
}

static void begin_live_state(struct live_state_builder *making,
                             const struct inputs *inputs) {
  *making = (struct live_state_builder){.inputs = inputs};
  making->all = need_memory(calloc(inputs->count + 1, sizeof *making->all));
  for (size_t i = 0; i < inputs->count; i++) {
    struct input_elf *subject = &making->all[i].subject;
    *subject = inputs->subjects[i];
    subject->join =
        (struct image_join){.elf = &subject->elf, .elf_name = subject->name};
    profile_new(&making->all[i].profile, 0);
  }
}

static void free_state_builder(struct live_state_builder *making) {
  for (size_t i = 0; i < making->inputs->count; i++) {
    names_free(&making->all[i].names);
    profile_free(&making->all[i].profile);
    join_free(&making->all[i].subject.join);
  }
  free(making->all);
}

/* Replaces the lcov file in one step, so that an editor never reads half of it.
 * Writes only regular files. A device or a pipe would get several files in a
 * row, so only the final report writes to it. */
static int replace_lcov(const char *name, const struct model *exported) {
  char new[4200];
  struct os_file_info facts;
  bool there = os_stat(name, &facts);
  if (there ? facts.kind != OS_FILE : os_is_link(name))
    return 0;
  char *real = there ? os_real_path(name) : NULL;
  const char *target = real ? real : name;
  bool fits = (size_t)snprintf(new, sizeof new, "%s.new", target) < sizeof new;
  FILE *stream = fits ? os_fopen(new, "w") : NULL;
  if (stream)
    lcov_write(exported, 0, NULL, stream);
  bool failed = !stream || ferror(stream) != 0;
  failed = (stream && fclose(stream)) || failed || !os_rename(new, target);
  if (failed && stream)
    os_remove(new);
  if (failed)
    report(name, "cannot be written: %s; free disk space, or use another file",
           os_error_text(errno));
  free(real);
  return failed;
}

static void free_live_state(struct live_state *state) {
  lcov_free(&state->lines);
  model_free(&state->exported);
}

/* Shows a state if it differs from the last one. live owns *now after the call.
 */
static void show_if_changed(struct live_session *live,
                            const struct live_state *now) {
  if (!live->begun)
    live->begun = session_clock();
  bool differs = live_compare(live, now);
  free_live_state(&live->state);
  live->state = *now;
  if (!differs)
    return;
  live_print(live);
  if (live->page)
    live_page_set_state(live->page, live);
  /* After an error the run continues without the lcov file; the final report
   * writes it and fails. */
  if (live->lcov && replace_lcov(live->lcov, &now->exported))
    live->lcov = NULL;
}

/* Evaluates the counts, shows the state, and frees *making. */
static int show_finished_state(struct live_session *live,
                               struct live_state_builder *making) {
  struct live_state now = {0};
  bool counted = making->status != 0;
  for (size_t i = 0; i < making->inputs->count; i++)
    counted |= making->all[i].counted;
  if (!counted) {
    free_state_builder(making);
    return 0;
  }
  making->as_llvm_cov = live->as_llvm_cov;
  making->tokens = &live->tokens;
  making->code_only = live->code_only;
  int status = evaluate_counts(&now.exported, making);
  if (!status)
    lcov_make(&now.lines, &now.exported, 0);
  live->starts = making->starts;
  free_state_builder(making);
  if (status)
    free_live_state(&now);
  else
    show_if_changed(live, &now);
  return status;
}

int live_show_visit(struct live_session *live, const struct inputs *inputs,
                    const struct gdb_visit *visit) {
  struct live_state_builder making;
  begin_live_state(&making, inputs);
  add_visit_counts(&making, visit);
  return show_finished_state(live, &making);
}

int live_show_log(struct live_session *live, const struct inputs *inputs,
                  const char *log) {
  struct live_state_builder making;
  begin_live_state(&making, inputs);
  add_log_counts(&making, log);
  return show_finished_state(live, &making);
}

void live_refresh(struct live_session *live) {
  if (live->page)
    live_page_serve(live->page);
  live_redraw(live);
}

void live_free(struct live_session *live) {
  if (live->drawn)
    putchar('\n');
  free_live_state(&live->state);
  free(live->touched);
  token_store_free(&live->tokens);
  live_page_close(live->page);
}
