/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports of object code: makes a model (struct object_model: files, lines,
 * functions, branches) from traces of instructions and the debug lines of the
 * ELFs. coverage/ makes the report from the model.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/os.h"
#include "../objectcode/objectcode.h"
#include "report.h"

enum { FILE_LIMIT = 1 << 30 };

/* A trace file, and the index of the test that made it. */
struct object_trace {
  const char *name;
  size_t test;
};

struct object_report {
  struct report_arguments *arguments;
  struct objectcode *images; /* one for each ELF */
  size_t count;
  struct object_lines lines;
  struct object_trace *traces;
  size_t trace_count;
  /* The models of each ELF, then of all ELFs, then of a single test. */
  struct object_model *models;
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

static void free_model(struct object_model *model) {
  free(model->lines);
  free(model->functions);
  free(model->branches);
  free(model->instructions);
  *model = (struct object_model){.file_count = 0};
}

void report_object_free(struct report_arguments *arguments) {
  struct object_report *object = arguments->object;
  if (!object)
    return;
  for (size_t i = 0; i < object->count; i++)
    objectcode_close(&object->images[i]);
  for (size_t i = 0; object->models && i < object->count + 2; i++)
    free_model(&object->models[i]);
  object_lines_free(&object->lines);
  free(object->images);
  free(object->traces);
  free(object->models);
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

static int open_elf_code(struct report_arguments *arguments) {
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

static int write_plugin_list(const struct object_report *object,
                             const char *name) {
  FILE *out = os_fopen(name, "w");
  if (out)
    objectcode_write_plugin_list(object->images, object->count, out);
  return file_close_written(out, name, SET_TMPDIR);
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

int report_object_run_trace(struct report_arguments *arguments,
                            const char *folder,
                            const struct report_folder *report_in) {
  char list[TRACE_NAME], trace[TRACE_NAME];
  struct object_report *object = arguments->object;
  snprintf(list, sizeof list, "%s/labels", folder);
  return open_elf_code(arguments) || write_plugin_list(object, list) ||
         trace_run_with_plugin(&arguments->console, &arguments->inputs, folder,
                               trace) ||
         add_trace_file(object, trace) ||
         copy_trace_to_folder(trace, report_in);
}

/* Finds the test of each trace from the file's name, as for logs. */
static void assign_trace_tests(struct object_report *object) {
  struct input_files given = {.count = object->trace_count};
  struct tests *tests = &object->arguments->tests;
  given.list = need_memory(calloc(given.count + 1, sizeof *given.list));
  for (size_t i = 0; i < given.count; i++)
    given.list[i].file.name = object->traces[i].name;
  for (size_t i = 0; i < given.count; i++) {
    char *name =
        need_memory(input_files_test_name(&given, object->traces[i].name));
    const struct test *test = tests_add_trace_test(tests, name);
    need_memory((void *)(uintptr_t)test);
    object->traces[i].test = (size_t)(test - tests->list);
    free(name);
  }
  free(given.list);
}

/* Adds the traces of one test. If the test is NULL, adds the traces of all
 * tests except the tests that failed. */
static int add_trace_files(struct object_report *object, const size_t *test) {
  const struct tests *tests = &object->arguments->tests;
  int status = 0;
  for (size_t i = 0; i < object->trace_count && !status; i++) {
    const struct object_trace *trace = &object->traces[i];
    if (test ? trace->test == *test
             : !tests->wanted || !tests->list[trace->test].failed)
      status = add_trace_file(object, trace->name);
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
    ran += object_sum_functions(&object->images[i]).ran;
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
  if (open_elf_code(arguments))
    return 1;
  object->traces = need_memory(calloc(count + 1, sizeof *object->traces));
  for (size_t i = 0; i < count; i++)
    if (!inputs_is_elf(names[i]))
      object->traces[object->trace_count++].name = names[i];
  if (arguments->tests.wanted)
    assign_trace_tests(object);
  return add_trace_files(object, NULL) ||
         compute_outcomes_or_report(object, true);
}

/* ---- the model ----
 *
 * ELFs may share source files, lines and functions. The model has each of them
 * once, and it ran if it ran in any ELF.
 */

struct model_builder {
  const struct objectcode *images;
  size_t count;
  struct object_model *to;
  struct map branches; /* the last branch number given on each line */
};

/* A function of one ELF, or a part that was split off. Those with the same file
 * and name become one in the model. */
struct object_function_copy {
  const char *name;
  uint32_t file, image, number;
};

static const char *name_instruction_kind(const struct object_instruction *one) {
  return one->conditional  ? "conditional branch"
         : one->predicated ? "predicated"
         : one->call       ? "call"
         : !one->branch    ? ""
         : one->target     ? "jump"
         : one->indirect   ? "indirect jump"
                           : "return";
}

ORDER_BY(by_address, struct object_source_instruction, x->file, x->line,
         x->address);

/* Lists the instructions of each line that has a row in the list of
 * instructions. */
static void build_model_instructions(struct model_builder *builder) {
  struct object_model *to = builder->to;
  for (size_t k = 0; k < builder->count; k++) {
    const struct objectcode *image = &builder->images[k];
    for (size_t i = 0; i < image->count; i++) {
      const struct object_instruction *one = &image->list[i];
      const struct instruction_source_line *place = &image->places[i];
      if (place->file != UINT32_MAX && (one->symbol || one->count))
        LIST_ADD(to->instructions, to->instruction_count,
                 (struct object_source_instruction){
                     place->file, place->line, one->address, one->count,
                     name_instruction_kind(one),
                     image->functions[one->symbol].name});
    }
  }
  sort_array(to->instructions, to->instruction_count, sizeof *to->instructions,
             by_address);
}

static void append_branch(struct model_builder *builder,
                          const struct objectcode *image, size_t number) {
  const struct object_instruction *one = &image->list[number];
  const struct instruction_source_line *place = &image->places[number];
  if (!one->conditional || place->file == UINT32_MAX)
    return;
  uint64_t *last = need_memory(
      map_find_or_add(&builder->branches, place->file, place->line, 0));
  uint32_t in_line = (uint32_t)++ * last;
  struct model_branch made = {
      .span = {place->line, in_line, place->line, in_line + 1},
      .file = place->file,
      .kind = MODEL_BRANCH,
      .address = one->address,
      .cause = CAUSE_FLOW};
  if (!one->count || (one->known && !image->functions[one->symbol].refused)) {
    made.cause = CAUSE_NONE;
    made.counts[0] = one->outcomes[GOES];
    made.counts[1] = one->outcomes[FALLS_THROUGH];
  }
  LIST_ADD(builder->to->branches, builder->to->branch_count, made);
}

/* Adds one ELF's copy of a function, or of a part. Lines that were inlined from
 * other functions do not count as lines of the function. */
static void add_function_copy(struct model_builder *builder,
                              struct object_source_function *made,
                              const struct object_function_copy *copy) {
  const struct objectcode *image = &builder->images[copy->image];
  const struct object_function *one = &image->functions[copy->number];
  if (one->owner == copy->number)
    made->count = add_saturated(made->count, one->entered);
  made->instructions += (uint32_t)one->count;
  made->ran += (uint32_t)one->ran;
  for (size_t i = one->first; i < one->first + one->count; i++) {
    const struct instruction_source_line *place = &image->places[i];
    uint32_t line = place->line;
    append_branch(builder, image, i);
    if (place->inlined || !line || place->file != made->file)
      continue;
    made->line = !made->line || line < made->line ? line : made->line;
    made->last = line > made->last ? line : made->last;
  }
}

static int compare_function_copies(const void *left, const void *right) {
  const struct object_function_copy *a = left, *b = right;
  int order = (a->file > b->file) - (a->file < b->file);
  order = order ? order : strcmp(a->name, b->name);
  order = order ? order : (a->image > b->image) - (a->image < b->image);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Lists the functions for the model, sorted. Functions without debug lines are
 * left out. The caller frees the list. */
static struct object_function_copy *
list_function_copies(const struct model_builder *builder, size_t *count) {
  struct object_function_copy *list = NULL;
  *count = 0;
  for (uint32_t k = 0; k < builder->count; k++) {
    const struct objectcode *image = &builder->images[k];
    for (uint32_t i = 1; i < image->function_count; i++) {
      const struct object_function *one = &image->functions[i];
      const struct object_function *own = &image->functions[one->owner];
      uint32_t file = image->places[own->first].file;
      if (one->count && own->count && file != UINT32_MAX)
        LIST_ADD(list, *count,
                 (struct object_function_copy){own->name, file, k, i});
    }
  }
  sort_array(list, *count, sizeof *list, compare_function_copies);
  return list;
}

static void build_model_functions(struct model_builder *builder) {
  struct object_model *to = builder->to;
  size_t count;
  struct object_function_copy *list = list_function_copies(builder, &count);
  for (size_t i = 0; i < count;) {
    const struct object_function_copy *first = &list[i];
    struct object_source_function made = {.name = first->name,
                                          .file = first->file,
                                          .branches.begin =
                                              (uint32_t)to->branch_count};
    for (; i < count && list[i].file == made.file &&
           strcmp(list[i].name, made.name) == 0;
         i++)
      add_function_copy(builder, &made, &list[i]);
    const struct objectcode *image = &builder->images[first->image];
    const struct object_function *one = &image->functions[first->number];
    if (!made.line)
      made.line = made.last =
          image->places[image->functions[one->owner].first].line;
    made.branches.count = (uint32_t)to->branch_count - made.branches.begin;
    LIST_ADD(to->functions, to->function_count, made);
  }
  free(list);
}

/* Builds the model of all ELFs, or of the ELF with a number. */
static const struct object_model *build_model(struct object_report *object,
                                              size_t number,
                                              struct object_model *to) {
  bool all = number == object->count;
  struct object_lines *lines = &object->lines;
  struct model_builder builder = {&object->images[all ? 0 : number],
                                  all ? object->count : 1,
                                  to,
                                  {.limit = (size_t)1 << 28}};
  free_model(to);
  object_lines_compute_counts(lines, all ? NULL : builder.images);
  to->files = lines->files;
  to->file_count = lines->file_count;
  for (size_t i = 0; i < lines->count; i++)
    LIST_ADD(to->lines, to->line_count,
             (struct object_source_line){
                 lines->list[i].file, lines->list[i].line, lines->list[i].count,
                 lines->list[i].instructions, lines->list[i].ran});
  build_model_functions(&builder);
  build_model_instructions(&builder);
  map_free(&builder.branches);
  return to;
}

static void build_models(struct object_report *object) {
  struct inputs *inputs = &object->arguments->inputs;
  size_t count = object->count;
  object->models = need_memory(calloc(count + 2, sizeof *object->models));
  inputs->object = build_model(object, count, &object->models[count]);
  for (size_t i = 0; i < count; i++)
    inputs->subjects[i].object =
        count == 1 ? inputs->object
                   : build_model(object, i, &object->models[i]);
}

/* ---- tests ---- */

/* Counts again what one test ran, or what all tests ran. */
static int reread_traces(struct object_report *object, const size_t *test) {
  for (size_t i = 0; i < object->count; i++)
    objectcode_clear_counts(&object->images[i]);
  return add_trace_files(object, test) ||
         compute_outcomes_or_report(object, !test);
}

/* Makes the model of a single test, after the report of all tests. */
static const struct object_model *build_test_model(void *context, size_t test) {
  struct object_report *object = context;
  return reread_traces(object, &test)
             ? NULL
             : build_model(object, object->count,
                           &object->models[object->count + 1]);
}

int report_object_reread_traces(struct report_arguments *arguments) {
  return reread_traces(arguments->object, NULL);
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
  const struct object_function total = object_sum_functions(of);
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
  const struct score scores[METRICS] = {
      [FUNCTIONS] = {total.functions, total.entered},
      [REGIONS] = {total.count, total.ran},
      [BRANCHES] = {2 * total.branches, total.outcomes}};
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

int report_object_make_models(struct report_arguments *arguments,
                              const struct report_folder *folder, bool *told) {
  struct object_report *object = arguments->object;
  struct tests *tests = &arguments->tests;
  int status = 0;
  for (size_t i = 0; i < object->count; i++) {
    const char *error =
        object->images[i].lacks_marks
            ? NULL
            : object_lines_add_elf(&object->lines, &object->images[i]);
    if (error)
      return report(arguments->inputs.subjects[i].name, "%s", error);
  }
  if (!object->lines.file_count)
    return print_code_without_lines(arguments, told);
  build_models(object);
  for (size_t i = 0; i < object->count && !status; i++)
    status = write_instruction_table(object, i, folder);
  if (tests->wanted) {
    tests->object = build_test_model;
    tests->context = object;
  }
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
