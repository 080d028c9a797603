/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports of object code: adds the counts of traces to the ELFs, and finds the
 * lines of their instructions. coverage/model/object_model.c makes a model of
 * both. The list of instructions, notes, and the functions of an ELF without
 * lines are not in the model: this file prints them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/os.h"
#include "report.h"

enum { FILE_LIMIT = 1 << 30 };

int report_object_begin(struct report_arguments *arguments, const char *name) {
  const struct coverage_limits *limits = &arguments->limits;
  const char *wrong = NULL;
  if (arguments->console.command && !arguments->trace)
    wrong = "without --trace, a run does not count object code; add --trace, "
            "or pass the trace of a board to bareprof report";
  else if (arguments->tests.wanted &&
           (arguments->console.command || arguments->tests.has_pattern ||
            arguments->tests.resets))
    wrong = "for object code a test is a trace: pass the objectcode.trace of "
            "each run to report --tests";
  else if ((arguments->how.whole && arguments->pcs != PCS_MTB) ||
           (arguments->how.least && arguments->pcs < PCS_MTB))
    wrong = "--position needs --pcs=mtb, --least needs --pcs=mtb or etm";
  else if (arguments->tests.before_reset)
    wrong =
        "a trace of object code does not show resets; remove --before-reset";
  else if ((limits->least[REGIONS] >= 0 && !limits->instructions) ||
           limits->least[MCDC] >= 0)
    wrong = "object code has no regions and no MC/DC; use functions, lines, "
            "instructions or branches in --fail-under";
  if (wrong)
    return report(name, "%s", wrong);
  metrics_use_instructions();
  return 0;
}

/* ---- counts ---- */

/* Applies one --moved FROM=TO to the ELFs that have the code. At least one ELF
 * must have the code. FROM and TO are numbers as in C. */
static const char *move_elf_code(const struct object_lines *object,
                                 const char *text) {
  bool fits = false;
  char *end, *last;
  uint64_t from = strtoull(text, &end, 0);
  uint64_t to = *end == '=' ? strtoull(end + 1, &last, 0) : 0;
  if (*end != '=' || end == text || last == end + 1 || *last)
    return "--moved must be FROM=TO, addresses such as 0x100";
  for (size_t k = 0; k < object->elf_count; k++)
    fits |= objectcode_add_move(&object->elfs[k], from, to);
  return fits ? NULL : "--moved FROM=TO: no ELF has code at or after FROM";
}

int report_object_open(struct report_arguments *arguments) {
  const struct inputs *inputs = &arguments->inputs;
  struct object_lines *object = &arguments->object;
  const char *error = NULL;
  object->elfs = need_memory(calloc(inputs->count, sizeof *object->elfs));
  object->elf_count = inputs->count;
  for (size_t k = 0; k < inputs->count; k++) {
    struct objectcode *of = &object->elfs[k];
    error = objectcode_open(of, &inputs->subjects[k].elf);
    if (!error && of->lacks_marks && inputs->count > 1)
      error = OBJECTCODE_BLIND;
    if (error)
      return report(inputs->subjects[k].name, "%s", error);
    of->several = inputs->count > 1;
  }
  for (size_t i = 0; i < arguments->moved_count && !error; i++)
    error = move_elf_code(object, arguments->moved[i]);
  return error ? report(inputs->subjects->name, "%s", error) : 0;
}

static const char *add_code_trace(struct object_lines *object,
                                  struct bytes trace) {
  const char *error = NULL;
  bool fits = false;
  for (size_t i = 0; i < object->elf_count; i++) {
    error = objectcode_add_trace(&object->elfs[i], trace);
    if (error && error != objectcode_other)
      return error;
    fits |= !error;
  }
  return fits ? NULL : objectcode_other;
}

static int add_trace_file(struct report_arguments *arguments,
                          const struct file *file) {
  struct object_lines *object = &arguments->object;
  const char *error, *name = file->name;
  if (objectcode_is_trace(file->bytes))
    error = add_code_trace(object, file->bytes);
  else if (!arguments->lists)
    error = "this is not an instruction trace; pass the objectcode.trace of "
            "bareprof run --trace, the output of bareprof's QEMU plugin, or "
            "a list of addresses with --pcs";
  else if (object->elf_count > 1)
    error = "a list of addresses does not name its ELF; pass exactly one ELF";
  else
    error = objectcode_add_pcs(object->elfs, file->bytes, arguments->pcs,
                               &arguments->how);
  if (error == objectcode_other && object->elf_count == 1)
    name = arguments->inputs.subjects->name;
  return error ? report(name, "%s", error) : 0;
}

/* The file stays mapped: each test counts it again, and evidence.json has its
 * SHA-256. */
static int map_trace_file(struct input_files *traces, const char *name) {
  struct input_file added = {0};
  if (file_map(&added.file, name, FILE_LIMIT))
    return 1;
  LIST_ADD(traces->list, traces->count, added);
  return 0;
}

int report_object_add_run(struct report_arguments *arguments,
                          const char *trace,
                          const struct report_folder *report_in) {
  struct input_files *traces = &arguments->inputs.given;
  struct input_file run = {0};
  if (file_read(&run.file, trace, FILE_LIMIT))
    return 1;
  run.file.name = "objectcode.trace";
  LIST_ADD(traces->list, traces->count, run);
  char *path = need_memory(folder_file_path(report_in, run.file.name));
  int status = output_write_bytes(path, run.file.bytes);
  free(path);
  return status;
}

/* Maps the traces among the names. Finds the test of each trace from the
 * file's name, as for logs. */
static int map_traces(struct report_arguments *arguments, char **names,
                      size_t count) {
  struct input_files *traces = &arguments->inputs.given;
  struct tests *tests = &arguments->tests;
  for (size_t i = 0; i < count; i++)
    if (!inputs_is_elf(names[i]) && map_trace_file(traces, names[i]))
      return 1;
  for (size_t i = 0; i < traces->count && tests->wanted; i++) {
    char *name = input_files_test_name(traces, traces->list[i].file.name);
    traces->list[i].test = (uint32_t)tests_add_trace_test(tests, name);
    free(name);
  }
  return 0;
}

/* Adds the traces of one test. If the test is NULL, adds the traces of all
 * tests except the tests that failed, and each ELF needs a trace. A single test
 * need not run every ELF. */
static int count_traces(void *context, const size_t *test) {
  struct report_arguments *arguments = context;
  const struct tests *tests = &arguments->tests;
  const struct inputs *inputs = &arguments->inputs;
  size_t ran = 0;
  for (size_t i = 0; i < inputs->given.count; i++) {
    const struct input_file *one = &inputs->given.list[i];
    if ((test ? one->test == *test
              : !tests->wanted || !tests->list[one->test].failed) &&
        add_trace_file(arguments, &one->file))
      return 1;
  }
  for (size_t i = 0; i < inputs->count; i++) {
    struct objectcode *of = &arguments->object.elfs[i];
    if (!test && !of->traces)
      return report(inputs->subjects[i].name,
                    "no trace counts the object code of this ELF; pass a "
                    "trace, use bareprof run --trace, or add --moved FROM=TO "
                    "for an ELF that ran elsewhere");
    objectcode_compute_outcomes(of);
    ran += of->total.ran;
  }
  if (!test && !ran)
    return report(inputs->subjects->name,
                  "none of its code ran; pass the ELF that ran, linked for "
                  "this board");
  return 0;
}

/* Counts again what one test ran, or what all tests ran. */
static int recount_traces(void *context, const size_t *test) {
  struct report_arguments *arguments = context;
  for (size_t i = 0; i < arguments->object.elf_count; i++)
    objectcode_clear_counts(&arguments->object.elfs[i]);
  return count_traces(arguments, test);
}

/* ---- the list of instructions ---- */

static void print_instruction(FILE *out, const struct objectcode *of,
                              const struct object_instruction *one,
                              const char *const *files) {
  const struct object_function *function = &of->functions[one->symbol];
  char shown[1000] = "", file[4200] = "";
  if (one->symbol)
    make_printable(shown, sizeof shown, function->name);
  if (one->file != NO_LINE_FILE)
    make_printable(file, sizeof file, files[one->file]);
  fprintf(out, "%" PRIx64 "\t%u\t%" PRIu64, one->address, one->length,
          one->count);
  if (one->conditional && one->known && !function->refused)
    fprintf(out, "\t%" PRIu64 "\t%" PRIu64, one->outcomes[GOES],
            one->outcomes[FALLS_THROUGH]);
  else
    fputs(one->conditional && one->count ? "\t?\t?" : "\t\t", out);
  fprintf(out, "\t%s\t%" PRIu32 "\t%s\n", shown, one->line, file);
}

/* Writes objectcode.tsv; objectcode-2.tsv and so on for further ELFs. Each
 * instruction that has a function or ran gets a row. */
static int write_instruction_table(const struct object_lines *object,
                                   size_t which,
                                   const struct report_folder *folder) {
  const struct objectcode *of = &object->elfs[which];
  char name[40] = "objectcode.tsv";
  if (which)
    snprintf(name, sizeof name, "objectcode-%zu.tsv", which + 1);
  char *path = folder_file_path(folder, name);
  FILE *out = path ? os_fopen(path, "w") : NULL;
  if (out)
    fputs("address\tlength\tcount\tgoes\tfalls\tfunction\tline\tfile\n", out);
  for (size_t i = 0; out && i < of->count; i++)
    if (object_instruction_counts(&of->list[i]))
      print_instruction(out, of, &of->list[i], object->files);
  int status = file_close_written(out, path, CHECK_DISK);
  free(path);
  return status;
}

/* ---- tables and notes ---- */

/* Returns a percentage. Only a complete part prints as 100.0. */
static double compute_percent(size_t part, size_t all) {
  double percent = all ? 100.0 * (double)part / (double)all : 100;
  return part < all && percent > 99.9 ? 99.9 : percent;
}

static void print_symbol_row(const char *name,
                             const struct instruction_sums *row) {
  char shown[1000];
  printf("%-30.30s %6zu %6zu %6.1f%% %6zu %6zu %6.1f%%\n",
         make_printable(shown, sizeof shown, name), row->count, row->ran,
         compute_percent(row->ran, row->count), row->branches, row->both,
         compute_percent(row->both, row->branches));
}

/* Prints the table of an ELF without lines. */
static void print_functions(const struct objectcode *of) {
  printf("%-30s %6s %6s %7s %6s %6s %7s\n", "Function", "Instr.", "Ran", "",
         "Branch", "Both", "");
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].sums.count)
      print_symbol_row(of->functions[i].name, &of->functions[i].sums);
  print_symbol_row("TOTAL", &of->total);
  puts("\nInstr., Ran: instructions, and those that ran. Branch, Both: branch "
       "instructions\nwith a condition, and those that went both ways.");
}

/* Prints the address ranges that ran, for an ELF without mapping symbols. The
 * list of such an ELF has only the instructions that ran. */
static void print_executed_ranges(const struct objectcode *of) {
  for (size_t i = 0; i < of->count;) {
    size_t first = i;
    uint64_t end = of->list[i].address;
    for (; i < of->count && of->list[i].address <= end; i++)
      end = of->list[i].address + of->list[i].length;
    printf("  0x%08" PRIx64 "-0x%08" PRIx64 " %6zu instruction%s\n",
           of->list[first].address, end - 1, i - first,
           i - first == 1 ? "" : "s");
  }
  printf("Instructions that ran: %zu.\n", of->count);
}

/* Prints totals, and which numbers are unknown. `lines` has the lines of only
 * this ELF, or is NULL. `least` says that more code may have run than the input
 * shows. */
static void print_summary(const struct objectcode *of,
                          const struct object_lines *lines, bool least) {
  const struct instruction_sums *total = &of->total;
  size_t classes[3] = {0};
  printf("All code: %zu of %zu instructions ran (%.1f%%); %zu of %zu branch "
         "instructions with a condition went both ways.\n",
         total->ran, total->count, compute_percent(total->ran, total->count),
         total->both, total->branches);
  for (size_t i = 0; lines && i < lines->count; i++)
    classes[lines->list[i].class]++;
  if (lines)
    printf("Lines of the debug information: %zu. Lines in whose code no "
           "statement begins: %zu. Lines without code of their own: "
           "%zu.\n",
           lines->count, classes[LINE_PIECES], classes[LINE_PLACE]);
  if (of->counts_are_0_or_1)
    printf("The list only says what ran%s: counts are 1.\n",
           least ? ", and may be incomplete" : "");
  if (total->unknown)
    printf("Branch instructions whose outcomes are not known: %zu.\n",
           total->unknown);
  char shown[1000];
  for (size_t i = 0; i < of->function_count; i++)
    if (of->functions[i].refused && of->functions[i].sums.branches)
      printf("%s: the outcomes of its branches contradict its counts, so they "
             "are not known.\n",
             make_printable(shown, sizeof shown, of->functions[i].name));
  if (total->predicated)
    printf("Conditional instructions that may have had no effect: %zu.\n",
           total->predicated);
  if (of->shift)
    printf("The code of 0x%" PRIx64 " ran at 0x%" PRIx64 ", as its bytes show. "
           "Run again with --moved 0x%" PRIx64 "=0x%" PRIx64 " to count the "
           "outcomes that do not follow from the counts.\n",
           of->list->address, of->list->address + of->shift, of->list->address,
           of->list->address + of->shift);
  if (of->outside)
    printf("Addresses outside of the ELF's code where code ran: %" PRIu64 ".\n",
           of->outside);
  if (of->varied)
    printf("Addresses whose code changed while it ran (overlays, or "
           "self-modified code): %" PRIu64 ".\n",
           of->varied);
}

/* Prints what an ELF without line numbers can show, in place of a report: the
 * functions, or the address ranges that ran. Rejects options that need lines.
 */
static int print_code_without_lines(struct report_arguments *arguments) {
  const struct input_elf *subject = arguments->inputs.subjects;
  const struct objectcode *of = arguments->object.elfs;
  const struct instruction_sums *total = &of->total;
  struct score functions = {0, 0};
  const struct coverage_limits *limits = &arguments->limits;
  bool limited = limits->least[LINES] >= 0;
  for (unsigned i = 0; i < METRICS && of->lacks_marks; i++)
    limited |= limits->least[i] >= 0;
  if (limited || outputs_are_wanted(&arguments->outputs) || arguments->diff ||
      arguments->against_name || arguments->tests.wanted ||
      arguments->object.elf_count > 1)
    return report(subject->name, "%s",
                  of->lacks_marks
                      ? OBJECTCODE_BLIND
                      : "the ELF has no line numbers; compile with -g, "
                        "and pass the ELF that ran, unstripped");
  for (size_t i = 1; i < of->function_count; i++) {
    const struct object_function *one = &of->functions[i];
    score_add(&functions, one->count && one->owner == i,
              one->count ? of->list[one->first].count : 0);
  }
  const struct score scores[METRICS] = {
      [FUNCTIONS] = functions,
      [REGIONS] = {total->count, total->ran},
      [BRANCHES] = {2 * total->branches, total->outcomes}};
  if (of->lacks_marks) {
    printf("Object code of %s: what ran. What never ran is not known, as its "
           "mapping symbols are gone.\n\n",
           subject->name);
    print_executed_ranges(of);
    return flush_standard_output();
  }
  printf("Object code of %s, which has no lines:\n\n", subject->name);
  print_functions(of);
  print_summary(of, NULL, arguments->how.least);
  for (unsigned i = 0; i < METRICS; i++)
    limits_add_failed_score(metric_names[i], &scores[i], limits->least[i],
                            &arguments->checks);
  return flush_standard_output();
}

static int find_lines(struct report_arguments *arguments,
                      const struct report_folder *folder) {
  struct object_lines *object = &arguments->object;
  int status = 0;
  for (size_t i = 0; i < object->elf_count; i++) {
    const char *error =
        object->elfs[i].lacks_marks
            ? NULL
            : object_lines_add_elf(object, &object->elfs[i]);
    if (error)
      return report(arguments->inputs.subjects[i].name, "%s", error);
  }
  if (!object->file_count)
    return print_code_without_lines(arguments);
  arguments->inputs.object = object;
  for (size_t i = 0; i < object->elf_count && !status; i++)
    status = write_instruction_table(object, i, folder);
  return status;
}

int report_object_read(struct report_arguments *arguments, char **names,
                       size_t count, const struct report_folder *folder) {
  arguments->tests.count_test = recount_traces;
  arguments->tests.context = arguments;
  return map_traces(arguments, names, count) || count_traces(arguments, NULL) ||
         find_lines(arguments, folder);
}

void report_object_print_notes(struct report_arguments *arguments) {
  struct object_lines *object = &arguments->object;
  char shown[1000];
  for (size_t i = 0; i < object->elf_count; i++) {
    putchar('\n');
    if (object->elf_count > 1)
      printf("%s\n", make_printable(shown, sizeof shown,
                                    arguments->inputs.subjects[i].name));
    object_lines_compute_counts(object, &object->elfs[i]);
    print_summary(&object->elfs[i], object, arguments->how.least);
  }
}
