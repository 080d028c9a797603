/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file prints the results of a report, and checks the limits of its
 * scores. Failed checks cause exit status 1. table.c prints the tables.
 */
#include "out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/text.h"
#include "../inputs/source.h"
#include "../mcdc/mcdc.h"
#include "../model/view.h"

/* ---- checks ----
 *
 * Messages show the failed checks to people, and JSON shows them to programs.
 */

enum { TEXT_MOST = 1000 };

void checks_add_failed(struct failed_checks *checks,
                       const struct report_check *check, const char *format,
                       ...) {
  char text[TEXT_MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  struct failed_check one = {.check = *check};
  one.check.about = NULL;
  one.about = need_memory(strdup(check->about ? check->about : check->name));
  one.text = need_memory(strdup(text));
  LIST_ADD(checks->list, checks->count, one);
}

int checks_report(struct failed_checks *checks) {
  for (size_t i = 0; i < checks->count; i++) {
    struct failed_check *one = &checks->list[i];
    if (!one->reported)
      report(one->about, "%s", one->text);
    one->reported = true;
  }
  return checks->count != 0;
}

/* Formats a number as JSON. A number below 0 becomes null. */
static const char *format_json_number(char shown[40], double number) {
  snprintf(shown, 40, number < 0 ? "null" : "%.15g", number);
  return shown;
}

void checks_print_json(const struct failed_checks *checks, FILE *stream) {
  fputc('[', stream);
  for (size_t i = 0; i < checks->count; i++) {
    const struct failed_check *one = &checks->list[i];
    char wanted[40], got[40];
    fprintf(stream, "%s\n{\"check\":\"%s\",\"wanted\":%s,\"got\":%s",
            i ? "," : "", one->check.name,
            format_json_number(wanted, one->check.wanted),
            format_json_number(got, one->check.got));
    json_printf(stream, ",\"about\":%s,\"text\":%s}", one->about, one->text);
  }
  fputc(']', stream);
}

void checks_free(struct failed_checks *checks) {
  for (size_t i = 0; i < checks->count; i++) {
    free(checks->list[i].about);
    free(checks->list[i].text);
  }
  free(checks->list);
  *checks = (struct failed_checks){0};
}

/* ---- tables ---- */

enum { UNMEASURED_SHOWN = 20 };

const char saturated_note[] =
    "Counts from 2^31 on mean \"at least\": 4-byte counters stop there.";

/* Prints one line for each ELF that ran. */
static void print_elfs(const struct inputs *inputs) {
  char shown[1000];
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    if (inputs->object) {
      printf("Object code of %s\n",
             make_printable(shown, sizeof shown, subject->name));
      source_print_changed(subject);
      continue;
    }
    printf("%s:", make_printable(shown, sizeof shown, subject->name));
    if (subject->release)
      printf(" clang %u,", subject->release);
    printf(" %zu boot%s, %zu dump%s\n", subject->boots,
           subject->boots == 1 ? "" : "s", subject->dumps,
           subject->dumps == 1 ? "" : "s");
    if (subject->merged_dumps)
      printf("  Boots not told apart: %zu dump%s count%s as part of another "
             "one.\n  For right counts, number the boots: BAREPROF_BOOT or "
             "-u bareprof_boot_number.\n",
             subject->merged_dumps, subject->merged_dumps == 1 ? "" : "s",
             subject->merged_dumps == 1 ? "s" : "");
    if (subject->saturated)
      printf("  %s\n", saturated_note);
    if (input_dropped_count(subject))
      printf("  Dropped by the linker, and counted as never run: %zu "
             "function%s\n",
             input_dropped_count(subject),
             input_dropped_count(subject) == 1 ? "" : "s");
    source_print_changed(subject);
  }
}

void result_print_tables(const struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const struct scores_summary *summary = &coverage->exported.summary;
  bool several = inputs->count > 1;
  struct table_layout table;
  table_set_layout(&table, &summary, 1, several ? 2 : 0);
  for (size_t i = 0; several && i < inputs->count; i++)
    table_widen_for_name(&table, inputs->subjects[i].name);
  print_elfs(inputs);
  putchar('\n');
  table_print_head(&table);
  table_print_rule(&table);
  for (size_t i = 0; several && i < inputs->count; i++)
    table_print_row(&table, 0, inputs->subjects[i].name,
                    &inputs->subjects[i].summary.total);
  table_print_files(&table, summary);
  table_print_rule(&table);
  table_print_row(&table, 0, "total", &summary->total);
}

/* ---- functions ---- */

/* Returns whether two functions that begin on the same line of a file are one
 * function, which is in several units or has several instantiations, whose
 * mangled names (_Z, _R) differ. If one macro defines two functions of C, their
 * names differ. */
static bool is_same_function(const struct place *a, const struct place *b) {
  const char *x = view_name_without_file(a->name),
             *y = view_name_without_file(b->name);
  return a->column == b->column &&
         (strcmp(x, y) == 0 || (*x == '_' && *y == '_'));
}

/* If `form` is NULL, returns whether any instantiation of a function ran, else
 * whether this instantiation ran. The entries of the function are between
 * `from` and `end`. */
static bool has_instance_run(const struct place *from, const struct place *end,
                             const struct place *form) {
  for (const struct place *one = from; one < end; one++)
    if (one->hits[0] && (!form || one->number == form->number) &&
        is_same_function(one, from))
      return true;
  return false;
}

/* Prints a function if the function or one of its instantiations never ran. The
 * entries from `first` to `end` are all functions of the line. The first entry
 * of a function represents all of its entries. */
static void
print_function_if_uncovered(const struct place *first, const struct place *end,
                            const struct place *at, const char *file,
                            const struct output_contents *of, size_t *count) {
  char shown[1000], name[1000];
  for (const struct place *one = first; one < at; one++)
    if (is_same_function(one, at))
      return;
  bool ran = has_instance_run(at, end, NULL), lacks = !ran;
  const struct place *form = at;
  for (; !lacks && form < end; form += !lacks)
    lacks = !form->hits[0] && is_same_function(form, at) &&
            !has_instance_run(at, end, form);
  if (!lacks)
    return;
  if (!(*count)++)
    puts("Functions that never ran:");
  bool dropped = inputs_is_function_dropped(of->coverage->inputs, form->name);
  printf("  %s:%u %s%s\n",
         make_printable(shown, sizeof shown, paths_shown_name(of->paths, file)),
         at->line,
         make_printable(name, sizeof name, view_name_without_file(form->name)),
         dropped ? ", dropped by the linker"
         : ran   ? ", as other macros or constants make it"
                 : "");
}

void result_print_uncovered_functions(const struct output_contents *measured) {
  const struct places *places = measured->places;
  size_t count = 0;
  for (size_t i = 0; i < places->file_count; i++) {
    const struct place_file *file = &places->files[i];
    const struct place *last = places->list + file->end;
    for (const struct place *at = places->list + file->begin, *end;
         at < last && at->metric == FUNCTIONS; at = end) {
      for (end = at + 1;
           end < last && end->metric == FUNCTIONS && end->line == at->line;)
        end++;
      for (const struct place *one = at; one < end; one++)
        print_function_if_uncovered(at, end, one, file->name, measured, &count);
    }
  }
  puts(count ? "" : "Every function ran.\n");
}

/* ---- decisions ---- */

/* The compiler may give static functions in two files the same name. The linker
 * then keeps the mapping of only one of these functions. */
static void
print_unmapped_functions(const struct left_out_functions *unmapped) {
  char shown[300];
  if (unmapped->count)
    printf("\nFunctions in the profile that no coverage mapping describes, "
           "without lines: %zu\n",
           unmapped->count);
  for (size_t i = 0; i < unmapped->count && i < LEFT_OUT_NAMES; i++)
    printf("  %s\n", make_printable(shown, sizeof shown, unmapped->names[i]));
  if (unmapped->count > LEFT_OUT_NAMES)
    printf("  and %zu more\n", unmapped->count - LEFT_OUT_NAMES);
}

void result_print_unmeasured_code(const struct coverage *coverage,
                                  const struct source_maps *paths) {
  print_unmapped_functions(&coverage->exported.unmapped);
  size_t count = unmeasured_count(&coverage->unmeasured);
  for (size_t i = 0; i < count && i < UNMEASURED_SHOWN; i++) {
    const struct unmeasured_decision *one =
        &unmeasured_list(&coverage->unmeasured)[i];
    char shown[1000];
    if (i == 0)
      puts("\nDecisions not measured by MC/DC:");
    printf(
        "  %s:%u:%u\n",
        make_printable(shown, sizeof shown, paths_shown_name(paths, one->file)),
        one->begin.line, one->begin.column);
  }
  if (count > UNMEASURED_SHOWN)
    printf("  and %zu more, in evidence.json\n", count - UNMEASURED_SHOWN);
}

/* ---- unknown numbers ---- */

/* Prints the numbers of one metric that are not known for one reason. `end` is
 * the index after the last of these numbers. */
static void print_unknown_numbers(const struct coverage *coverage,
                                  const struct source_maps *paths,
                                  const struct unknown_number *first,
                                  const struct unknown_number *end) {
  uint64_t counts[METRICS] = {0};
  char shown[1000];
  counts[first->metric] = (uint64_t)(end - first);
  printf("  ");
  if (first->metric == MCDC)
    printf("MC/DC of %zu decision%s", (size_t)(end - first),
           end - first == 1 ? "" : "s");
  else
    metrics_print_counts(stdout, counts);
  printf(": %s\n", cause_texts[first->cause]);
  for (const struct unknown_number *at = first; at != end; at++) {
    if (at - first == UNMEASURED_SHOWN) {
      printf("    and %zu more, in evidence.json\n", (size_t)(end - at));
      return;
    }
    const char *name =
        paths_shown_name(paths, coverage->exported.names[at->name]);
    printf("    %s:%u", make_printable(shown, sizeof shown, name), at->line);
    if (at->column)
      printf(":%u", at->column);
    if (at->function)
      printf(" %s", make_printable(shown, sizeof shown,
                                   view_name_without_file(at->function)));
    putchar('\n');
  }
}

void result_print_unknown_numbers(const struct coverage *coverage,
                                  const struct source_maps *paths) {
  const struct unknown_number *at = (const void *)coverage->not_known.data;
  const struct unknown_number *end = at + coverage->not_known.size / sizeof *at;
  if (at != end)
    puts("\nNot known, and so not covered:");
  for (const struct unknown_number *next; at != end; at = next) {
    next = at;
    while (next != end && next->cause == at->cause &&
           next->metric == at->metric)
      next++;
    print_unknown_numbers(coverage, paths, at, next);
  }
}

/* ---- differences from llvm-cov ---- */

void result_print_llvm_differences(const struct coverage *coverage) {
  const struct buffer *list = &coverage->not_known;
  const struct unknown_number *all = (const void *)list->data;
  uint64_t counts[METRICS] = {[LINES] = coverage->exported.differs.size /
                                        sizeof(struct llvm_cov_difference)};
  if (coverage->exported.as_llvm_cov)
    return;
  for (size_t i = 0; i < list->size / sizeof *all; i++)
    counts[BRANCHES] += all[i].metric == BRANCHES;
  if (counts[LINES] || counts[BRANCHES]) {
    fputs("\nOther counts than llvm-cov's: ", stdout);
    metrics_print_counts(stdout, counts);
    puts("; --as-llvm-cov gives its numbers.");
  }
  size_t missing = 0; /* number of sources that are missing or have changed */
  for (size_t i = 0; i < coverage->exported.summary.count; i++)
    missing += !token_store_get(coverage->tokens, coverage->exported.names[i]);
  if (missing)
    printf(
        "\nWithout the text of %zu source%s, a line on which code of an "
        "earlier line ends\nmay show the count of that line.\n",
        missing, missing == 1 ? "" : "s");
}

/* Prints the functions that were active, the innermost first. */
static void print_active_calls(FILE *stream,
                               const struct active_calls *active) {
  const struct active_call *list = (const void *)active->calls.data;
  size_t count = active->calls.size / sizeof *list, width = 0;
  char shown[80];
  /* main is left out if no other function was active, or if main itself called
   * bareprof. */
  if (count && !active->halted && !strcmp(list[count - 1].name, "main"))
    count -= count == 1 || elf_is_runtime_name(list[count - 2].name);
  for (size_t i = 0; i < count; i++) {
    if (elf_is_runtime_name(list[i].name))
      continue;
    make_printable(shown, sizeof shown, list[i].name);
    if (!width)
      width =
          (size_t)fprintf(stream, "\nActive when counts were read: %s", shown);
    else if (width + strlen(shown) < 76)
      width += (size_t)fprintf(stream, ", %s", shown);
    else
      width = (size_t)fprintf(stream, ",\n  %s", shown) - 2;
  }
  if (width)
    fprintf(stream, ".\nThe code after these calls %s run.\n",
            active->unsure ? "may not have" : "did not");
}

/* Prints `before`, `name` and `after`, which say that calls are not known. */
static void print_doubt(FILE *stream, const char *before, const char *name,
                        const char *after) {
  char shown[80];
  fprintf(stream,
          "\n%s%s%s; lines after\nthe calls that led there may show as run "
          "though they never ran.\n",
          before, make_printable(shown, sizeof shown, name), after);
}

void result_print_active_calls(FILE *stream, const struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const char *by = NULL;
  /* The notes are about counters of clang's regions. */
  if (coverage->exported.as_llvm_cov || inputs->object)
    return;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct active_calls *active = &inputs->subjects[i].active;
    print_active_calls(stream, active);
    if (active->dumps)
      print_doubt(stream, "", active->dumps, " dumps");
    if (active->unknown)
      print_doubt(stream, "The callers of ",
                  *active->unknown ? active->unknown : "the halted code",
                  " are not known");
    if (active->anywhere)
      print_doubt(stream, "Where ", "counts", " were read is not known");
    if (active->kept)
      print_doubt(stream, "Resets keep ", "counts", ", and may come anywhere");
    by = by ? by : active->leaves;
  }
  if (by)
    fprintf(stream,
            "\nThe firmware has %s: where that leaves a function, lines\nafter "
            "the call may show as run though they never ran.\n",
            by);
}

/* ---- limits ---- */

/* Adds a failed check if some decisions are not measured, because such
 * decisions cannot reach a limit of MC/DC. */
static void add_failed_unmeasured_check(const struct coverage *coverage,
                                        struct failed_checks *checks) {
  size_t count = unmeasured_count(&coverage->unmeasured);
  const struct unmeasured_decision *first =
      unmeasured_list(&coverage->unmeasured);
  if (!count || coverage->settings->allow_unmeasured)
    return;
  const struct report_check check = {
      .name = "unmeasured", .about = metric_names[MCDC], .got = (double)count};
  checks_add_failed(
      checks, &check,
      "%zu decision%s not measured, first at %s:%u; rewrite the decision "
      "(explanation/mcdc), compile with -fcoverage-mcdc, or use "
      "--allow-unmeasured",
      count, count == 1 ? " is" : "s are", first->file, first->begin.line);
}

const char *limits_parse(void *context, const char *text) {
  static const char wrong[] =
      "--fail-under must be a list such as lines=80,mcdc=70.5, of functions, "
      "lines, regions, branches, mcdc, patch and, of object code, "
      "instructions, from 0 to 100";
  struct coverage_limits *limits = context;
  do {
    unsigned metric = 0;
    size_t size = strcspn(text, "=");
    while (metric < METRICS && (strlen(metric_names[metric]) != size ||
                                strncmp(text, metric_names[metric], size)))
      metric++;
    bool patch = size == 5 && strncmp(text, "patch", size) == 0;
    if (size == 12 && strncmp(text, "instructions", size) == 0) {
      metric = REGIONS;
      limits->instructions = true;
    }
    if ((metric == METRICS && !patch) || text[size] != '=')
      return wrong;
    char *end;
    text += size + 1;
    double least = strtod(text, &end);
    if (end == text || (*end && *end != ',') || !(least >= 0 && least <= 100))
      return wrong;
    *(patch ? &limits->patch : &limits->least[metric]) = least;
    text = *end ? end + 1 : end;
  } while (*text);
  return NULL;
}

/* Rounds a percentage that is below a limit so that the two are printed as
 * different numbers. */
static double round_below_limit(double percent, double least) {
  char text[32], limit[32];
  snprintf(text, sizeof text, "%.2f", percent);
  snprintf(limit, sizeof limit, "%.15g", least);
  return strtod(text, NULL) < strtod(limit, NULL) ? percent : percent - 0.005;
}

void limits_add_failed_score(const char *name, const struct score *score,
                             double least, struct failed_checks *checks) {
  double percent = table_percent(score);
  if (least < 0 || (score->count && 100.0 * (double)score->covered >=
                                        least * (double)score->count))
    return;
  const struct report_check check = {
      .name = name, .wanted = least, .got = score->count ? percent : -1};
  if (score->count)
    checks_add_failed(checks, &check,
                      "%.2f %% covered, below the limit of %.15g %%; add tests",
                      round_below_limit(percent, least), least);
  else
    checks_add_failed(
        checks, &check,
        "the report has nothing of this kind to cover, but the limit is "
        "%.15g %%; check the compiler flags",
        least);
}

void limits_add_failed_checks(const struct coverage_limits *limits,
                              const struct coverage *coverage,
                              struct failed_checks *checks) {
  const struct file_row *total = &coverage->exported.summary.total;
  if (limits->least[MCDC] >= 0)
    add_failed_unmeasured_check(coverage, checks);
  for (unsigned i = 0; i < METRICS; i++)
    limits_add_failed_score(metric_names[i], &total->scores[i],
                            limits->least[i], checks);
}
