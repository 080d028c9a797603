/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the coverage of bareprof live. The screen has 80 columns and at most
 * 24 lines. Two escape sequences draw the screen over the previous one: cursor
 * up by some lines, and clear to the end of the line.
 */
#include "live.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/os.h"
#include "../coverage/out/out.h"
#include "../wire/session.h"

/* Columns of the screen, of a file's name and of its bar; numbers of files and
 * polls on the screen. */
enum { WIDTH = 80, NAME = 28, CELLS = 20, FILES = 12, NEWS = 5 };

double live_elapsed_seconds(const struct live_session *live) {
  return (double)(session_get_time() - live->begun) / 1000;
}

/* ---- changes between two states ---- */

/* Returns the index of a file in the earlier state, which is usually the guess.
 * Returns the number of files of the earlier state if the file is new. */
static size_t find_row_of_file(const struct scores_summary *before,
                               const char *name, size_t guess) {
  if (guess < before->count && !strcmp(before->rows[guess].name, name))
    return guess;
  size_t i = 0;
  while (i < before->count && strcmp(before->rows[i].name, name) != 0)
    i++;
  return i;
}

/* Appends FILE:FIRST-LAST to the text if it fits. Returns the text's new
 * length. */
static size_t append_line_range(struct live_new_lines *news, size_t used,
                                const struct scores_summary *summary,
                                const char *file, uint32_t first,
                                uint32_t last) {
  char name[60], *text = news->places + used;
  make_printable(name, sizeof name, os_base_name(file));
  int size =
      snprintf(text, LIVE_PLACES - used, first == last ? " %s:%u" : " %s:%u-%u",
               name, first, last);
  if (used + (size_t)size >= LIVE_PLACES || news->link_count == LIVE_LINKS) {
    *text = 0;
    return used;
  }
  news->links[news->link_count++] = (struct live_place_link){
      used + (size_t)size, find_row_of_file(summary, file, 0), first};
  return used + (size_t)size;
}

/* Lists new lines, as many as the text has room for. All files and lines of the
 * earlier state are also in the present one, in the same order. Returns whether
 * any line is new. */
static bool list_new_lines(const struct places *before,
                           const struct live_coverage *state,
                           struct live_new_lines *news) {
  const struct places *now = &state->places;
  size_t used = 0, was = 0, at;
  for (size_t i = 0; i < now->file_count; i++) {
    const struct place_file *file = &now->files[i];
    bool known = was < before->file_count &&
                 !strcmp(before->files[was].name, file->name);
    size_t then_end = known ? before->files[was].end : 0;
    uint32_t first = 0, last = 0;
    at = known ? before->files[was++].begin : 0;
    for (size_t k = file->begin; k < file->end; k++) {
      const struct place *one = &now->list[k];
      if (one->metric != LINES)
        continue;
      while (at < then_end && before->list[at].metric != LINES)
        at++;
      bool there = at < then_end && before->list[at].line == one->line;
      bool ran = there && before->list[at++].hits[0];
      bool fresh = one->hits[0] && !ran;
      if (!fresh && first)
        used = append_line_range(news, used, &state->exported.summary,
                                 file->name, first, last);
      first = !fresh ? 0 : first ? first : one->line;
      last = one->line;
    }
    if (first)
      used = append_line_range(news, used, &state->exported.summary, file->name,
                               first, last);
  }
  return used;
}

static bool has_more_coverage(const struct file_row *now,
                              const struct file_row *before) {
  bool more = false;
  for (unsigned i = 0; i < METRICS; i++)
    more |= now->scores[i].covered > (before ? before->scores[i].covered : 0);
  return more;
}

static void note_touched_files(struct live_session *live,
                               const struct scores_summary *now) {
  const struct scores_summary *before = &live->state.exported.summary;
  double *touched = need_memory(calloc(now->count + 1, sizeof *touched));
  double time = live_elapsed_seconds(live);
  for (size_t i = 0; i < now->count; i++) {
    size_t was = find_row_of_file(before, now->rows[i].name, i);
    bool known = was < before->count;
    touched[i] = known ? live->touched[was] : -1;
    if (has_more_coverage(&now->rows[i], known ? &before->rows[was] : NULL))
      touched[i] = time;
  }
  free(live->touched);
  live->touched = touched;
}

bool live_note_changes(struct live_session *live,
                       const struct live_coverage *now) {
  struct live_new_lines news = {.link_count = 0};
  const struct live_coverage *before = &live->state;
  bool first = !before->exported.summary.count;
  /* Rows have changed, so links of earlier news would lead to other files. */
  for (size_t i = 0; i < live->news_count; i++)
    if (before->exported.summary.count != now->exported.summary.count)
      live->news[i].link_count = 0;
  live->fresh = list_new_lines(&before->places, now, &news);
  if (live->fresh) {
    news.seconds = live_elapsed_seconds(live);
    memmove(&live->news[1], live->news, (LIVE_NEWS - 1) * sizeof *live->news);
    live->news[0] = news;
    live->news_count += live->news_count < LIVE_NEWS;
  } else if (!first && live->shown == live->boots &&
             !memcmp(before->exported.summary.total.scores,
                     now->exported.summary.total.scores,
                     sizeof before->exported.summary.total.scores))
    return false;
  live->shown = live->boots;
  note_touched_files(live, &now->exported.summary);
  return true;
}

/* ---- the order of files ---- */

static uint64_t count_missing_lines(const struct live_file *file) {
  const struct score *lines = &file->row->scores[LINES];
  return lines->count - lines->covered;
}

static int compare_live_files(const void *left, const void *right) {
  const struct live_file *a = left, *b = right;
  if (a->touched > b->touched || a->touched < b->touched)
    return a->touched > b->touched ? -1 : 1;
  if (count_missing_lines(a) != count_missing_lines(b))
    return count_missing_lines(a) > count_missing_lines(b) ? -1 : 1;
  return strcmp(a->row->name, b->row->name);
}

struct live_file *live_list_files(const struct live_session *live,
                                  size_t *count) {
  const struct scores_summary *summary = &live->state.exported.summary;
  struct live_file *files =
      need_memory(calloc(summary->count + 1, sizeof *files));
  size_t folder = table_common_folder(&summary, 1);
  *count = 0;
  for (size_t i = 0; i < summary->count; i++) {
    const struct file_row *row = &summary->rows[i];
    if (!row_is_empty(row))
      files[(*count)++] =
          (struct live_file){table_short_name(folder, row->name), row,
                             live->touched[i]};
  }
  qsort(files, *count, sizeof *files, compare_live_files);
  return files;
}

/* ---- rows of text ---- */

/* A row of the output, which is cut to the width of the screen. */
struct live_row {
  char text[2 * LIVE_PLACES];
  int used;
};

static void PRINTS_AS(2, 3)
    append_to_row(struct live_row *row, const char *format, ...) {
  va_list values;
  va_start(values, format);
  row->used += vsnprintf(row->text + row->used,
                         sizeof row->text - (size_t)row->used, format, values);
  va_end(values);
}

static void append_total_scores(struct live_row *row,
                                const struct file_row *total) {
  const struct score *scores = total->scores;
  append_to_row(row, "%" PRIu64 " of %" PRIu64 " lines", scores[LINES].covered,
                scores[LINES].count);
  if (scores[MCDC].count)
    append_to_row(row, ", %" PRIu64 " MC/DC left",
                  scores[MCDC].count - scores[MCDC].covered);
}

static bool is_continuation_byte(char c) { return (c & 0xC0) == 0x80; }

static char *skip_characters(char *text, size_t count) {
  for (; *text && (count || is_continuation_byte(*text)); text++)
    count -= count && !is_continuation_byte(text[1]);
  return text;
}

static void print_row(struct live_session *live, struct live_row *row) {
  if (table_measure_text(row->text) > WIDTH - 1)
    strcpy(skip_characters(row->text, WIDTH - 4), "...");
  printf("%s%s\n", row->text, live->screen ? "\033[K" : "");
  live->drawn += live->screen;
}

static void print_state_line(struct live_session *live) {
  struct live_row row = {.used = 0};
  append_to_row(&row, "live %6.1f s: ", live_elapsed_seconds(live));
  append_total_scores(&row, &live->state.exported.summary.total);
  if (live->boots > 1)
    append_to_row(&row, ", boot %zu", live->boots);
  if (live->fresh)
    append_to_row(&row, ";%s", live->news->places);
  print_row(live, &row);
}

/* ---- the screen ---- */

static void draw_screen_head(struct live_session *live) {
  struct live_row row = {.used = 0};
  const struct file_row *total = &live->state.exported.summary.total;
  const struct score *branches = &total->scores[BRANCHES];
  append_total_scores(&row, total);
  if (branches->count)
    append_to_row(&row, ", %" PRIu64 " of %" PRIu64 " branches",
                  branches->covered, branches->count);
  append_to_row(&row, "; %.0f s", live_elapsed_seconds(live));
  if (live->boots > 1)
    append_to_row(&row, ", boot %zu", live->boots);
  print_row(live, &row);
}

/* Prints a file's row. A long name loses its beginning, because its end says
 * more. */
static void draw_file_row(struct live_session *live,
                          const struct live_file *file) {
  struct live_row row = {.used = 0};
  char name[LIVE_PLACES], cells[CELLS + 1] = "....................";
  const struct score *scores = file->row->scores;
  make_printable(name, sizeof name, file->name);
  int size = table_measure_text(name);
  const char *end =
      size > NAME ? skip_characters(name, (size_t)(size - NAME)) : name;
  int blanks = size < NAME ? NAME - size : 0;
  double part = table_percent(&scores[LINES]);
  memset(cells, '#', (size_t)(part * CELLS / 100));
  bool fresh =
      file->touched >= 0 && live_elapsed_seconds(live) - file->touched < 3;
  append_to_row(&row, "%c %s%*s [%s] %5" PRIu64 "/%-5" PRIu64 " ",
                fresh ? '*' : ' ', end, blanks, "", cells,
                scores[LINES].covered, scores[LINES].count);
  if (scores[MCDC].count)
    append_to_row(&row, "%4" PRIu64 " MC/DC",
                  scores[MCDC].count - scores[MCDC].covered);
  print_row(live, &row);
}

static void draw_file_rows(struct live_session *live) {
  size_t count, i = 0;
  struct live_file *files = live_list_files(live, &count);
  struct live_row row = {.used = 0};
  for (; i < count && i < FILES; i++)
    draw_file_row(live, &files[i]);
  append_to_row(&row, "  and %zu more files", count - i);
  if (i < count)
    print_row(live, &row);
  free(files);
}

static void draw_screen(struct live_session *live) {
  struct live_row head = {"Ran for the first time:", 0};
  if (live->drawn)
    printf("\r\033[%uA", live->drawn);
  live->drawn = 0;
  draw_screen_head(live);
  draw_file_rows(live);
  if (live->news_count)
    print_row(live, &head);
  for (size_t i = 0; i < live->news_count && i < NEWS; i++) {
    struct live_row row = {.used = 0};
    append_to_row(&row, "%6.1f s %s", live->news[i].seconds,
                  live->news[i].places);
    print_row(live, &row);
  }
}

void live_redraw_if_old(struct live_session *live) {
  enum { STALE = 2000 };
  if (live->drawn && session_get_time() - live->when >= STALE)
    live_print_state(live);
}

void live_print_state(struct live_session *live) {
  live->when = session_get_time();
  if (live->screen)
    draw_screen(live);
  else
    print_state_line(live);
  fflush(stdout);
}
