/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports of object code: adds the counts of traces to the ELFs, and finds the
 * lines of their instructions. coverage/model/object_model.c makes a model of
 * both.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../objectcode/objectcode.h"
#include "report.h"

enum { FILE_LIMIT = 1 << 30 };

struct object_report {
  struct report_arguments *arguments;
  struct objectcode *images; /* one for each ELF */
  size_t count;
  struct object_lines lines;
  struct input_files traces;
  size_t *trace_tests; /* index of the test that made each trace */
};

bool report_object_lacks_mapping(const char *name) {
  struct file file;
  struct elf elf;
  struct elf_section mapping;
  if (!inputs_is_elf(name) || file_map(&file, name, FILE_LIMIT))
    return false;
  bool is = !elf_open(&elf, file.bytes) && elf.type != ELF_REL &&
            !elf_find_section(&elf, "__llvm_covmap", &mapping);
  file_close(&file);
  return is;
}

int report_object_begin(struct report_arguments *arguments, const char *name) {
  const struct coverage_limits *limits = &arguments->limits;
  const char *wrong = NULL;
  if (arguments->console.command && !arguments->trace)
    wrong = "add --trace, which counts object code";
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
  arguments->object = need_memory(calloc(1, sizeof *arguments->object));
  arguments->object->arguments = arguments;
  metrics_use_instructions();
  return 0;
}

void report_object_free(struct report_arguments *arguments) {
  struct object_report *object = arguments->object;
  if (!object)
    return;
  for (size_t i = 0; i < object->count; i++)
    objectcode_close(&object->images[i]);
  object_lines_free(&object->lines);
  free(object->images);
  free(object->traces.list);
  free(object->trace_tests);
  free(object);
  arguments->object = NULL;
}

/* ---- counts ---- */

/* Applies one --moved FROM=TO, numbers as in C, to the ELFs that have the code:
 * at least one. */
static const char *move_elf_code(struct object_report *object,
                                 const char *text) {
  const char *error = NULL;
  bool fits = false;
  char *end, *last;
  uint64_t from = strtoull(text, &end, 0);
  uint64_t to = *end == '=' ? strtoull(end + 1, &last, 0) : 0;
  if (*end != '=' || end == text || last == end + 1 || *last)
    return "--moved must be FROM=TO, addresses such as 0x100";
  for (size_t k = 0; k < object->count; k++) {
    const char *wrong = objectcode_add_move(&object->images[k], from, to);
    fits |= !wrong;
    error = wrong ? wrong : error;
  }
  return fits ? NULL : error;
}

int report_object_open(struct report_arguments *arguments) {
  const struct inputs *inputs = &arguments->inputs;
  struct object_report *object = arguments->object;
  const char *error = NULL;
  if (object->images)
    return 0;
  object->images = need_memory(calloc(inputs->count, sizeof *object->images));
  for (size_t k = 0; k < inputs->count; k++) {
    struct objectcode *of = &object->images[object->count++];
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

static const char *add_code_trace(struct object_report *object,
                                  struct bytes trace) {
  const char *error = NULL;
  bool fits = false;
  for (size_t i = 0; i < object->count; i++) {
    error = objectcode_add_trace(&object->images[i], trace);
    if (error && error != objectcode_other)
      return error;
    fits |= !error;
  }
  return fits ? NULL : objectcode_other;
}

static const char *add_address_list(struct object_report *object,
                                    struct bytes list) {
  if (object->count > 1)
    return "a list of addresses does not name its ELF; pass exactly one ELF";
  return objectcode_add_pcs(object->images, list, object->arguments->pcs,
                            &object->arguments->how);
}

static int add_trace_file(struct object_report *object, const char *name) {
  struct file file;
  if (file_map(&file, name, FILE_LIMIT))
    return 1;
  bool is = objectcode_is_trace(file.bytes);
  const char *error = is ? add_code_trace(object, file.bytes)
                      : object->arguments->lists
                          ? add_address_list(object, file.bytes)
                          : "this is not an instruction trace; pass a trace of "
                            "QEMU's plugin with bareprof trace --list "
                            "--object-code, or a list of addresses with --pcs";
  file_close(&file);
  if (error && error == objectcode_other && object->count == 1)
    name = object->arguments->inputs.subjects->name;
  return error ? report(name, "%s", error) : 0;
}

void report_object_write_list(const struct report_arguments *arguments,
                              FILE *out) {
  objectcode_write_plugin_list(arguments->object->images,
                               arguments->object->count, out);
}

/* Copies the trace into the report's folder, so that a later report can combine
 * this run with others. */
static int copy_trace_to_folder(const char *trace,
                                const struct report_folder *report_in) {
  struct file file;
  char *path = need_memory(folder_file_path(report_in, "objectcode.trace"));
  int status = file_map(&file, trace, FILE_LIMIT);
  if (!status) {
    status = output_write_bytes(path, file.bytes);
    file_close(&file);
  }
  free(path);
  return status;
}

int report_object_add_run(struct report_arguments *arguments,
                          const char *trace,
                          const struct report_folder *report_in) {
  return add_trace_file(arguments->object, trace) ||
         copy_trace_to_folder(trace, report_in);
}

/* Finds the test of each trace from the file's name, as for logs. */
static void assign_trace_tests(struct object_report *object) {
  const struct input_files *traces = &object->traces;
  struct tests *tests = &object->arguments->tests;
  for (size_t i = 0; i < traces->count; i++) {
    char *name = input_files_test_name(traces, traces->list[i].file.name);
    const struct test *test = tests_add_trace_test(tests, name);
    need_memory((void *)(uintptr_t)test);
    object->trace_tests[i] = (size_t)(test - tests->list);
    free(name);
  }
}

/* Adds the traces of one test. If the test is NULL, adds the traces of all
 * tests except the tests that failed. */
static int add_trace_files(struct object_report *object, const size_t *test) {
  const struct tests *tests = &object->arguments->tests;
  int status = 0;
  for (size_t i = 0; i < object->traces.count && !status; i++) {
    size_t own = object->trace_tests[i];
    if (test ? own == *test : !tests->wanted || !tests->list[own].failed)
      status = add_trace_file(object, object->traces.list[i].file.name);
  }
  return status;
}

/* Finishes the counts. If `all` is set, each ELF needs a trace. A single test
 * need not run every ELF. */
static int compute_outcomes_or_report(struct object_report *object, bool all) {
  size_t ran = 0;
  for (size_t i = 0; i < object->count; i++) {
    const char *name = object->arguments->inputs.subjects[i].name;
    if (all && !object->images[i].traces)
      return report(name, "no trace counts the object code of this ELF; pass a "
                          "trace, use bareprof run --trace, or add --moved "
                          "FROM=TO for an ELF that ran elsewhere");
    objectcode_compute_outcomes(&object->images[i]);
    ran += object->images[i].total.ran;
  }
  if (all && !ran)
    return report(object->arguments->inputs.subjects->name,
                  "none of its code ran; pass the ELF that ran, linked for "
                  "this board");
  return 0;
}

int report_object_read_traces(struct report_arguments *arguments, char **names,
                              size_t count) {
  struct object_report *object = arguments->object;
  if (report_object_open(arguments))
    return 1;
  for (size_t i = 0; i < count; i++)
    if (!inputs_is_elf(names[i]))
      LIST_ADD(object->traces.list, object->traces.count,
               (struct input_file){.file.name = names[i]});
  object->trace_tests =
      need_memory(calloc(count + 1, sizeof *object->trace_tests));
  if (arguments->tests.wanted)
    assign_trace_tests(object);
  return add_trace_files(object, NULL) ||
         compute_outcomes_or_report(object, true);
}

/* ---- tests ---- */

/* Counts again what one test ran, or what all tests ran. */
static int reread_traces(void *context, const size_t *test) {
  struct object_report *object = context;
  for (size_t i = 0; i < object->count; i++)
    objectcode_clear_counts(&object->images[i]);
  return add_trace_files(object, test) ||
         compute_outcomes_or_report(object, !test);
}

/* ---- the list of instructions ---- */

/* Writes objectcode.tsv; objectcode-2.tsv and so on for further ELFs. */
static int write_instruction_table(const struct object_report *object,
                                   size_t which,
                                   const struct report_folder *folder) {
  char name[40] = "objectcode.tsv";
  if (which)
    snprintf(name, sizeof name, "objectcode-%zu.tsv", which + 1);
  char *path = folder_file_path(folder, name);
  FILE *out = path ? os_fopen(path, "w") : NULL;
  if (out)
    object_print_instructions(out, &object->images[which], &object->lines);
  int status = file_close_written(out, path, CHECK_DISK);
  free(path);
  return status;
}

static int print_code_without_lines(struct report_arguments *arguments,
                                    bool *told) {
  const struct input_elf *subject = arguments->inputs.subjects;
  const struct objectcode *of = arguments->object->images;
  const struct instruction_sums *total = &of->total;
  struct score functions = {0, 0};
  const struct coverage_limits *limits = &arguments->limits;
  bool limited = limits->least[LINES] >= 0;
  for (unsigned i = 0; i < METRICS && of->lacks_marks; i++)
    limited |= limits->least[i] >= 0;
  if (limited || outputs_are_wanted(&arguments->outputs) || arguments->diff ||
      arguments->against_name || arguments->tests.wanted ||
      arguments->object->count > 1)
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
  *told = true;
  if (of->lacks_marks) {
    printf("Object code of %s: what ran. What never ran is not known, as its "
           "mapping symbols are gone.\n\n",
           subject->name);
    object_print_executed_ranges(stdout, of);
    return flush_standard_output();
  }
  printf("Object code of %s, which has no lines:\n\n", subject->name);
  object_print_functions(stdout, of);
  object_print_summary(stdout, of, NULL);
  for (unsigned i = 0; i < METRICS; i++)
    limits_add_failed_score(metric_names[i], &scores[i], limits->least[i],
                            &arguments->checks);
  return flush_standard_output();
}

int report_object_find_lines(struct report_arguments *arguments,
                              const struct report_folder *folder, bool *told) {
  struct object_report *object = arguments->object;
  int status = 0;
  for (size_t i = 0; i < object->count; i++) {
    struct input_elf *subject = &arguments->inputs.subjects[i];
    const char *error =
        object->images[i].lacks_marks
            ? NULL
            : object_lines_add_elf(&object->lines, &object->images[i]);
    if (error)
      return report(subject->name, "%s", error);
    subject->object = &object->images[i];
  }
  if (!object->lines.file_count)
    return print_code_without_lines(arguments, told);
  arguments->inputs.object = &object->lines;
  for (size_t i = 0; i < object->count && !status; i++)
    status = write_instruction_table(object, i, folder);
  arguments->tests.count_test = reread_traces;
  arguments->tests.context = object;
  return status;
}

void report_object_print_notes(const struct report_arguments *arguments) {
  struct object_report *object = arguments->object;
  char shown[1000];
  for (size_t i = 0; object && i < object->count; i++) {
    putchar('\n');
    if (object->count > 1)
      printf("%s\n", make_printable(shown, sizeof shown,
                                    arguments->inputs.subjects[i].name));
    object_lines_compute_counts(&object->lines, &object->images[i]);
    object_print_summary(stdout, &object->images[i], &object->lines);
  }
}
