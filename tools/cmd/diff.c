/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof diff: what changed between two runs or builds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/text.h"
#include "commands.h"
#include "../compare/comparison.h"
#include "../show/shown.h"

enum { USUALLY = 20 };

struct arguments {
  struct compare_arguments common;
  size_t most;
  bool limited;
};

static const struct {
  const char *title, *key;
} words[CHANGES] = {{"code changed", "code_changed"},
                    {"only in A", "only_a"},
                    {"only in B", "only_b"},
                    {"now covered", "now_covered"},
                    {"no longer covered", "no_longer_covered"},
                    {"counts changed", "counts_changed"},
                    {"the same", "same"}};

static size_t most_of(const struct arguments *arguments, size_t usually) {
  if (!arguments->limited)
    return usually;
  return arguments->most ? arguments->most : SIZE_MAX;
}

/* ---- text ---- */

/* The table of one kind. */
struct diff_table {
  const struct changed *rows;
  size_t count;
  int entry, sum; /* columns that numbers take */
  int only;       /* the side that has the functions; SIDES: both */
};

static int wider(int width, uint64_t number) {
  int digits = (int)digits_of(number);
  return digits > width ? digits : width;
}

static struct diff_table table_of(const struct changed *rows, size_t count) {
  struct diff_table table = {rows, count, 8, 8, SIDES};
  for (size_t i = 0; i < count; i++)
    for (int side = 0; side < SIDES; side++) {
      table.entry = wider(table.entry, rows[i].sides[side].entry);
      table.sum = wider(table.sum, rows[i].sides[side].sum);
    }
  if (count && rows->change == CHANGE_ONLY_A)
    table.only = SIDE_A;
  if (count && rows->change == CHANGE_ONLY_B)
    table.only = SIDE_B;
  return table;
}

static void put_titles(FILE *stream, const struct diff_table *table) {
  if (table->only == SIDES)
    fprintf(stream, "%*s %*s %6s  %*s %*s %6s  function\n", table->entry,
            "entry, A", table->entry, "B", "B/A", table->sum, "sum, A",
            table->sum, "B", "B/A");
  else
    fprintf(stream, "%*s %*s  function\n", table->entry, "entry", table->sum,
            "sum");
}

/* Prints both counts, and B's count relative to A's. */
static void put_both(FILE *stream, int width, uint64_t a, uint64_t b) {
  double ratio = a ? (double)b / (double)a : 0;
  fprintf(stream, "%*" PRIu64 " %*" PRIu64, width, a, width, b);
  if (!a || ratio >= 1e6)
    fprintf(stream, " %6s  ", a ? ">1e6" : "-");
  else
    fprintf(stream, " %6.*f  ", ratio < 10 ? 3 : ratio < 1000 ? 1 : 0, ratio);
}

static void put_row(FILE *stream, const struct diff_table *table,
                    const struct changed *changed) {
  const struct amount *a = &changed->sides[SIDE_A];
  const struct amount *b = &changed->sides[SIDE_B];
  if (table->only == SIDES) {
    put_both(stream, table->entry, a->entry, b->entry);
    put_both(stream, table->sum, a->sum, b->sum);
  } else {
    const struct amount *only = &changed->sides[table->only];
    fprintf(stream, "%*" PRIu64 " %*" PRIu64 "  ", table->entry, only->entry,
            table->sum, only->sum);
  }
  put_printable(stream, changed->name);
  if (changed->ambiguous)
    fprintf(stream, " (hash %" PRIu64 ")",
            table->only == SIDE_B ? b->hash : a->hash);
  if (a->bits != b->bits && table->only == SIDES)
    fprintf(stream, ", MC/DC bits %" PRIu64 " -> %" PRIu64, a->bits, b->bits);
  fputc('\n', stream);
}

/* Prints rows of a kind, of which there are so many. */
static void put_kind(FILE *stream, const struct buffer *list, size_t count) {
  const struct changed *rows = (const void *)list->data;
  struct diff_table table = table_of(rows, list->size / sizeof *rows);
  fprintf(stream, "\n%s: %zu\n", words[rows->change].title, count);
  put_titles(stream, &table);
  for (size_t i = 0; i < table.count; i++)
    put_row(stream, &table, &rows[i]);
  if (count > table.count)
    fprintf(stream, "... and %zu more; --top %zu shows them\n",
            count - table.count, count);
}

static void put_text(FILE *stream, const struct changes *changes,
                     const struct arguments *arguments) {
  for (int i = 0; i < SIDES; i++) {
    const struct totals *totals = &changes->totals[i];
    fprintf(stream, "%c  ", "AB"[i]);
    put_printable(stream, arguments->common.names[i]);
    fprintf(stream,
            "\n   functions: %" PRIu64 ", ran: %" PRIu64
            ", sum of counts: %" PRIu64 "\n",
            totals->functions, totals->ran, totals->sum);
  }
  fputc('\n', stream);
  for (int i = 0; i < CHANGES; i++)
    fprintf(stream, "%12zu  %s\n", changes->counts[i], words[i].title);
  for (size_t i = 0; i < CHANGE_NONE; i++)
    if (changes->counts[i])
      put_kind(stream, &changes->lists[i], changes->counts[i]);
}

/* ---- JSON ---- */

static void put_json_sides(FILE *stream, const struct changes *changes,
                           const struct arguments *arguments) {
  for (int i = 0; i < SIDES; i++) {
    const struct totals *totals = &changes->totals[i];
    fprintf(stream, "%s:{\"file\":", i ? ",\"b\"" : "{\"a\"");
    json_put_string(stream, arguments->common.names[i]);
    fprintf(stream,
            ",\"functions\":%" PRIu64 ",\"ran\":%" PRIu64 ",\"sum\":%" PRIu64
            "}",
            totals->functions, totals->ran, totals->sum);
  }
}

static void put_json_row(FILE *stream, const struct changed *changed) {
  static const char *const sides[] = {"a", "b"};
  fputs("{\"name\":", stream);
  json_put_string(stream, changed->name);
  fprintf(stream, ",\"change\":\"%s\"", words[changed->change].key);
  for (int i = 0; i < SIDES; i++) {
    const struct amount *amount = &changed->sides[i];
    if (changed->change == (i ? CHANGE_ONLY_A : CHANGE_ONLY_B))
      continue;
    fprintf(stream,
            ",\"%s\":{\"hash\":\"%" PRIu64 "\",\"entry\":%" PRIu64
            ",\"sum\":%" PRIu64 ",\"mcdc_bits\":%" PRIu64 "}",
            sides[i], amount->hash, amount->entry, amount->sum, amount->bits);
  }
  fputc('}', stream);
}

static void put_json(FILE *stream, const struct changes *changes,
                     const struct arguments *arguments) {
  bool first = true;
  put_json_sides(stream, changes, arguments);
  fputs(",\"summary\":{", stream);
  for (int i = 0; i < CHANGES; i++)
    fprintf(stream, "%s\"%s\":%zu", i ? "," : "", words[i].key,
            changes->counts[i]);
  fputs("},\"functions\":[", stream);
  for (size_t i = 0; i < CHANGE_NONE; i++) {
    const struct changed *list = (const void *)changes->lists[i].data;
    for (size_t j = 0; j < changes->lists[i].size / sizeof *list; j++) {
      fputs(first ? "\n" : ",\n", stream);
      put_json_row(stream, &list[j]);
      first = false;
    }
  }
  fputs("]}\n", stream);
}

/* ---- the command ---- */

static int write_out(const struct changes *changes,
                     const struct arguments *arguments) {
  struct output output;
  if (output_open(&output, arguments->common.out))
    return 1;
  (arguments->common.json ? put_json : put_text)(output.stream, changes,
                                                 arguments);
  return output_commit(&output);
}

static int compare(const void *context, struct record_pair *pair) {
  const struct arguments *arguments = context;
  struct changes changes;
  int status;
  size_t most = most_of(arguments, arguments->common.json ? SIZE_MAX : USUALLY);
  bool found = changes_find(&changes, pair, arguments->common.function, most);
  if (changes.no_bitmaps)
    report(
        arguments->common.names[SIDE_B],
        "MC/DC bitmaps of A and B are not compared, as those of LLVM 18 have "
        "another form, and text does not say whose it has; compare profiles "
        "of one LLVM");
  if (found)
    status = write_out(&changes, arguments);
  else
    status = pair->wrong ? 0 : report_memory(NULL);
  changes_free(&changes);
  return status;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.limited = false};
  return compare_run(command, argv, argc, &arguments.common, compare);
}

static const struct option_row options[] = {
    {.name = "top",
     .value = "N",
     .help = "show at most N of each kind, 0: all (default: 20, in JSON all)",
     OPTION(struct arguments, most),
     .given = offsetof(struct arguments, limited)},
    {.name = "function",
     .value = "TEXT",
     .help = "only functions with TEXT in their names",
     OPTION(struct arguments, common.function)},
    COMPARE_ROWS,
    {0}};

const struct command command_diff = {
    .name = "diff",
    .summary = "show what changed between two runs or builds",
    .examples = "bareprof diff before.profdata after.profdata\n"
                "bareprof diff before.profdata after.profdata --top 0",
    .usage = "A B [options]",
    .about = "Shows what changed from profile A to B, of two runs or two "
             "builds: functions in one profile only; functions whose code "
             "changed (another hash); functions that run in one profile only; "
             "and functions whose counts differ, largest difference first. The "
             "entry count is the first counter. Values are not compared, see "
             "bareprof overlap. Exit status 0, whether or not A and B differ.",
    .options = options,
    .least = SIDES,
    .most = SIDES,
    .files = "two profiles, A and B",
    .run = run};
