/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the losses. The terminal and Markdown show only the first
 * places; JSON has all of them. The file also adds the failed checks, which
 * out/result.c reports.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/text.h"
#include "baseline.h"
#include "../out/out.h"

enum { PLACES_SHOWN = 40, GONE_SHOWN = 10 };

static double row_percent(const struct file_row *row, unsigned metric) {
  return table_percent(&row->scores[metric]);
}

/* ---- places ---- */

/* Returns the line of a loss in this report. If the function is gone, returns
 * its line in the earlier report. */
static uint32_t loss_line(const struct baseline_loss *loss) {
  return loss->line ? loss->line : loss->was;
}

/* Adds up the losses on adjacent lines, from index `i` on. Returns the index
 * after the last of these losses. */
static size_t sum_neighbour_losses(const struct baseline *against, size_t i,
                                   uint64_t counts[METRICS]) {
  const struct baseline_loss *last = &against->lost[i];
  memset(counts, 0, METRICS * sizeof *counts);
  for (; i < against->lost_count; i++) {
    const struct baseline_loss *loss = &against->lost[i];
    if (strcmp(loss->file, last->file) != 0 ||
        loss_line(loss) - loss_line(last) > 1)
      break;
    counts[loss->metric]++;
    last = loss;
  }
  return i;
}

enum { PLACE_ROOM = 1100 };

/* Writes FILE:LINE or FILE:FIRST-LAST into PLACE_ROOM bytes. */
static char *format_loss_place(char *to, const struct baseline_loss *first,
                               const struct baseline_loss *last,
                               const struct source_maps *paths) {
  char shown[1000], end[20] = "";
  if (loss_line(last) != loss_line(first))
    snprintf(end, sizeof end, "-%" PRIu32, loss_line(last));
  snprintf(
      to, PLACE_ROOM, "%s:%" PRIu32 "%s",
      make_printable(shown, sizeof shown, paths_shown_name(paths, first->file)),
      loss_line(first), end);
  return to;
}

/* Calls `put` for the first places with losses. Returns the number of all
 * places. */
static size_t print_loss_places(const struct baseline *against,
                                const struct source_maps *paths, FILE *stream,
                                void (*put)(FILE *stream, const char *place,
                                            const uint64_t counts[METRICS])) {
  size_t places = 0;
  for (size_t i = 0; i < against->lost_count; places++) {
    uint64_t counts[METRICS];
    char text[PLACE_ROOM];
    const struct baseline_loss *first = &against->lost[i];
    i = sum_neighbour_losses(against, i, counts);
    if (places < PLACES_SHOWN)
      put(stream, format_loss_place(text, first, &against->lost[i - 1], paths),
          counts);
  }
  return places;
}

/* ---- on the terminal ---- */

static void print_loss_line(FILE *stream, const char *text,
                            const uint64_t counts[METRICS]) {
  fprintf(stream, "  %s: ", text);
  metrics_print_counts(stream, counts);
  fputc('\n', stream);
}

static void print_uncompared_functions(const struct baseline *against,
                                       FILE *stream) {
  if (against->gone_count)
    fprintf(stream, "Gone, and not compared: %zu function%s that ran\n",
            against->gone_count, against->gone_count == 1 ? "" : "s");
  if (!against->changed)
    return;
  fprintf(stream, "Changed, and not compared: in %zu function%s ",
          against->changed, against->changed == 1 ? "" : "s");
  metrics_print_counts(stream, against->changed_counts);
  fputs(" that were covered\n", stream);
}

static void print_totals(const struct baseline *against) {
  for (unsigned i = 0; i < METRICS; i++)
    if (against->then.total.scores[i].count ||
        against->now.total.scores[i].count)
      printf("  %-9s  %6.2f -> %6.2f %%\n",
             i == MCDC ? "MC/DC" : metric_names[i],
             row_percent(&against->then.total, i),
             row_percent(&against->now.total, i));
}

void baseline_print(const struct baseline *against,
                    const struct source_maps *paths) {
  char shown[1000], text[PLACE_ROOM];
  printf("\nAgainst %s:\n",
         make_printable(shown, sizeof shown, against->file.name));
  print_totals(against);
  fputs("Covered then, but not now: ", stdout);
  if (!metrics_print_counts(stdout, against->counts))
    fputs("nothing", stdout);
  putchar('\n');
  size_t places = print_loss_places(against, paths, stdout, print_loss_line);
  if (places > PLACES_SHOWN)
    printf("  and at %zu more places; see --json for all of them\n",
           places - PLACES_SHOWN);
  print_uncompared_functions(against, stdout);
  for (size_t i = 0; i < against->gone_count && i < GONE_SHOWN; i++)
    printf("  %s %s\n",
           format_loss_place(text, &against->gone[i], &against->gone[i], paths),
           make_printable(shown, sizeof shown, against->gone[i].name));
  if (against->gone_count > GONE_SHOWN)
    printf("  and %zu more\n", against->gone_count - GONE_SHOWN);
}

/* ---- Markdown ---- */

static void print_markdown_row(FILE *stream, const char *text,
                               const uint64_t counts[METRICS]) {
  fputs("| ", stream);
  markdown_print_text(stream, text);
  fputs(" | ", stream);
  metrics_print_counts(stream, counts);
  fputs(" |\n", stream);
}

void baseline_print_markdown(const struct baseline *against,
                             const struct source_maps *paths, FILE *stream) {
  fputs("\n### Against ", stream);
  markdown_print_text(stream, against->file.name);
  fputs("\n\n| | then | now |\n|---|---:|---:|\n", stream);
  for (unsigned i = 0; i < METRICS; i++)
    if (against->then.total.scores[i].count ||
        against->now.total.scores[i].count)
      fprintf(stream, "| %s | %.2f %% | %.2f %% |\n", metric_titles[i],
              row_percent(&against->then.total, i),
              row_percent(&against->now.total, i));
  if (against->lost_count) {
    fputs("\n| Covered then, but not now | ", stream);
    metrics_print_counts(stream, against->counts);
    fputs(" |\n|---|---|\n", stream);
  } else {
    fputs("\nNothing that was covered is lost.\n", stream);
  }
  size_t places = print_loss_places(against, paths, stream, print_markdown_row);
  if (places > PLACES_SHOWN)
    fprintf(stream, "\nand at %zu more places\n", places - PLACES_SHOWN);
  if (against->gone_count || against->changed)
    fputc('\n', stream);
  print_uncompared_functions(against, stream);
}

/* ---- JSON ---- */

static void print_json_counts(FILE *stream, const char *key,
                              const uint64_t counts[METRICS]) {
  json_printf(stream, ",\n%s:{", key);
  for (unsigned i = 0; i < METRICS; i++)
    json_printf(stream, i ? ",%s:%ju" : "%s:%ju", metric_names[i], counts[i]);
  fputc('}', stream);
}

static void print_json_losses(FILE *stream, const char *key,
                              const struct baseline_loss *list, size_t count) {
  json_printf(stream, ",\n%s:[", key);
  for (size_t i = 0; i < count; i++) {
    json_printf(stream, i ? ",\n{\"compiled_as\":%s" : "\n{\"compiled_as\":%s",
                list[i].file);
    if (list[i].line)
      json_printf(stream, ",\"line\":%u", list[i].line);
    json_printf(stream, ",\"line_then\":%u,\"function\":%s", list[i].was,
                list[i].name);
    if (list[i].line)
      json_printf(stream, ",\"of\":%s", metric_names[list[i].metric]);
    fputc('}', stream);
  }
  fputc(']', stream);
}

void baseline_print_json(const struct baseline *against, FILE *stream) {
  fputs("\"totals\":{", stream);
  for (unsigned i = 0; i < METRICS; i++) {
    const struct score *then = &against->then.total.scores[i];
    const struct score *now = &against->now.total.scores[i];
    fputs(i ? ",\n" : "", stream);
    json_printf(stream,
                "%s:{\"then\":{\"count\":%ju,\"covered\":%ju},"
                "\"now\":{\"count\":%ju,\"covered\":%ju}}",
                metric_names[i], then->count, then->covered, now->count,
                now->covered);
  }
  fputc('}', stream);
  print_json_counts(stream, "lost_counts", against->counts);
  print_json_losses(stream, "lost", against->lost, against->lost_count);
  print_json_losses(stream, "gone", against->gone, against->gone_count);
  fprintf(stream, ",\n\"changed_functions\":%zu", against->changed);
  print_json_counts(stream, "changed_counts", against->changed_counts);
}

/* ---- checks ---- */

static void add_failed_lost_check(const struct baseline *against,
                                  const struct source_maps *paths,
                                  struct failed_checks *checks) {
  const struct report_check check = {.name = "lost",
                                     .about = against->file.name,
                                     .got = (double)against->lost_count};
  char text[PLACE_ROOM];
  if (against->lost_count)
    checks_add_failed(
        checks, &check,
        "%zu of the covered functions, lines, branches and conditions %s not "
        "covered any more, such as %s; test %s again",
        against->lost_count, against->lost_count == 1 ? "is" : "are",
        format_loss_place(text, against->lost, against->lost, paths),
        against->lost_count == 1 ? "it" : "them");
}

void baseline_add_failed_checks(const struct baseline *against,
                                const struct source_maps *paths,
                                struct failed_checks *checks) {
  if (against->fail_lost)
    add_failed_lost_check(against, paths, checks);
  for (unsigned i = 0; i < METRICS && against->fail_lower; i++) {
    const struct score *then = &against->then.total.scores[i];
    const struct score *now = &against->now.total.scores[i];
    const struct report_check check = {.name = "lower",
                                       .about = metric_names[i],
                                       .wanted = table_percent(then),
                                       .got = table_percent(now)};
    bool lower = now->count ? (double)now->covered * (double)then->count <
                                  (double)then->covered * (double)now->count
                            : then->covered != 0;
    if (lower)
      checks_add_failed(
          checks, &check,
          "%.2f %% covered, less than %.2f %% in %.500s; add tests", check.got,
          check.wanted, against->file.name);
  }
}
