/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each state is made as that of a report, from the counts of one read.
 */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../coverage/inputs/counted.h"
#include "../coverage/model/evaluate.h"
#include "../wire/session.h"

enum { WIDTH = 80, PLACES_MOST = 400 };

struct counts_of_elf {
  struct subject subject; /* a copy, with counts of its own */
  struct names names;
  struct profile profile;
};

/* Reads the counts of an ELF. */
static int read_counts(struct counts_of_elf *to, const struct subject *subject,
                       const struct buffer *core) {
  to->subject = *subject;
  to->subject.join =
      (struct join){.elf = &subject->elf, .elf_name = subject->name};
  int status = join_file(&to->subject.join, subject->name,
                         (struct bytes){core->data, core->size});
  profile_new(&to->profile, 0);
  if (!status)
    status = counted_read(&to->subject, &to->profile);
  const char *error =
      status ? NULL : evaluate_names(&subject->elf, &to->names);
  return error ? report(subject->name, "%s", error) : status;
}

/* Makes the state that a visit has read. */
static int make(struct exported *exported, const struct inputs *inputs,
                const struct visit *visit) {
  struct counts_of_elf *all = calloc(inputs->count + 1, sizeof *all);
  struct evaluated *list = calloc(inputs->count + 1, sizeof *list);
  int status = all && list ? 0 : report_memory(NULL);
  size_t read = 0;
  for (; read < inputs->count && !status; read++) {
    struct counts_of_elf *one = &all[read];
    status = read_counts(one, &inputs->subjects[read], &visit->list[read].core);
    list[read] = (struct evaluated){&inputs->subjects[read].elf, &one->names,
                                    &one->profile,
                                    one->profile.bitmaps == BITMAPS_18};
  }
  exported_begin(exported);
  const char *error =
      status ? NULL : evaluate(exported, list, inputs->count, NULL);
  for (size_t i = 0; i < read; i++) {
    names_free(&all[i].names);
    profile_free(&all[i].profile);
    join_free(&all[i].subject.join);
  }
  free(all);
  free(list);
  return error ? report(inputs->subjects[0].name, "%s", error) : status;
}

/* ---- what is new ---- */

static bool ran(const struct lcov *lines, size_t i) {
  return lines->entries[i].kind == LCOV_LINE && lines->entries[i].hits;
}

static bool same_lists(const struct lcov *a, const struct lcov *b) {
  return a->count == b->count;
}

/* Whether line i ran for the first time. */
static bool is_new(const struct lcov *before, const struct lcov *now,
                   size_t i) {
  return ran(now, i) && !(same_lists(before, now) && ran(before, i));
}

/* Adds FILE:FIRST-LAST to the text. Returns its length. */
static size_t add_place(char *text, size_t used, const struct lcov *now,
                        size_t first, size_t last) {
  char name[60];
  const struct lcov_entry *from = &now->entries[first];
  printable(name, sizeof name, os_base(from->file));
  int size = snprintf(text + used, PLACES_MOST - used,
                      from->line == now->entries[last].line ? " %s:%u"
                                                            : " %s:%u-%u",
                      name, from->line, now->entries[last].line);
  return used + (size_t)size < PLACES_MOST ? used + (size_t)size : used;
}

/* Lists new lines, as many as the text has room for. Returns whether there are
 * some. */
static bool list_new(const struct lcov *before, const struct lcov *now,
                     char text[PLACES_MOST]) {
  size_t used = 0, first = SIZE_MAX, last = 0;
  text[0] = 0;
  for (size_t i = 0; i <= now->count; i++) {
    if (i < now->count && now->entries[i].kind != LCOV_LINE)
      continue;
    bool fresh = i < now->count && is_new(before, now, i);
    bool joins = fresh && first != SIZE_MAX &&
                 !strcmp(now->entries[i].file, now->entries[first].file);
    if (first != SIZE_MAX && !joins) {
      used = add_place(text, used, now, first, last);
      first = SIZE_MAX;
    }
    if (fresh && first == SIZE_MAX)
      first = i;
    last = fresh ? i : last;
  }
  return used;
}

static void show(const struct live *live, const struct exported *now,
                 const char *places) {
  const struct score *scores = now->summary.total.scores;
  char line[WIDTH + PLACES_MOST];
  double seconds = (double)(session_now() - live->begun) / 1000;
  int size = snprintf(line, sizeof line,
                      "live %6.1f s: %" PRIu64 " of %" PRIu64 " lines", seconds,
                      scores[LINES].covered, scores[LINES].count);
  if (scores[MCDC].count)
    size += snprintf(line + size, sizeof line - (size_t)size,
                     ", %" PRIu64 " MC/DC left",
                     scores[MCDC].count - scores[MCDC].covered);
  snprintf(line + size, sizeof line - (size_t)size, ";%s", places);
  if (strlen(line) > WIDTH - 1)
    memcpy(line + WIDTH - 4, "...", 4);
  printf("%s\n", line);
  fflush(stdout);
}

/* An editor never sees a half of the file. The report writes the file of this
 * name at the end, so this one is no output of the run. */
static int write_lcov(const char *name, const struct exported *exported) {
  char new[4200];
  if ((size_t)snprintf(new, sizeof new, "%s.new", name) >= sizeof new)
    return report(name, "its name is too long; give a shorter one");
  FILE *stream = os_fopen(new, "w");
  const char *error =
      stream ? lcov_write(exported, 0, NULL, stream) : os_error(errno);
  bool failed = !stream || ferror(stream) != 0;
  if ((stream && fclose(stream)) || failed || error || !os_replace(new, name)) {
    error = error ? error : os_error(errno);
    os_remove(new);
    return report(name, "cannot be written: %s; free the disk", error);
  }
  return 0;
}

/* Whether as much is covered as before. */
static bool same_scores(const struct exported *a, const struct exported *b) {
  return memcmp(a->summary.total.scores, b->summary.total.scores,
                sizeof a->summary.total.scores) == 0;
}

int live_show(struct live *live, const struct inputs *inputs,
              const struct visit *visit) {
  struct live now = {.lcov = live->lcov, .begun = live->begun};
  char places[PLACES_MOST];
  int status = make(&now.exported, inputs, visit);
  const char *error =
      status ? NULL : lcov_make(&now.lines, &now.exported, 0);
  if (error)
    status = report(inputs->subjects[0].name, "%s", error);
  if (!now.begun)
    now.begun = session_now();
  bool changed = !status && (list_new(&live->lines, &now.lines, places) ||
                             !live->begun ||
                             !same_scores(&live->exported, &now.exported));
  if (changed)
    show(&now, &now.exported, places);
  if (changed && live->lcov)
    status = write_lcov(live->lcov, &now.exported);
  live_free(live);
  *live = now;
  return status;
}

void live_free(struct live *live) {
  lcov_free(&live->lines);
  exported_free(&live->exported);
}
