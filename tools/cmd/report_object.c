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

/* One ELF, with its instructions and their lines. */
struct elf_instructions {
  struct objectcode of;
  struct object_lines lines;
  uint32_t *files; /* for each of the ELF's files, its index in the model */
  size_t traces;
};

/* A trace file, and the index of the test that made it. */
struct object_trace {
  const char *name;
  size_t test;
};

struct object_report {
  struct report_arguments *arguments;
  struct elf_instructions *images;
  size_t count;
  struct object_trace *traces;
  size_t trace_count;
  struct object_model all, one; /* all: the model of all tests; one: the model
                                   of a single test */
  struct object_model *own;     /* the model of each ELF, if there are
                                   several */
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
  free(model->files);
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
  for (size_t i = 0; i < object->count; i++) {
    object_lines_free(&object->images[i].lines);
    objectcode_close(&object->images[i].of);
    free(object->images[i].files);
    if (object->own)
      free_model(&object->own[i]);
  }
  free_model(&object->all);
  free_model(&object->one);
  free(object->images);
  free(object->traces);
  free(object->own);
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
    const char *wrong = objectcode_add_move(&object->images[k].of, from, to);
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
    struct objectcode *of = &object->images[object->count++].of;
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
    error = objectcode_add_trace(&object->images[i].of, trace);
    if (error && error != objectcode_other)
      return error;
    fits |= !error;
    object->images[i].traces += !error;
  }
  return fits ? NULL : objectcode_other;
}

static const char *add_address_list(struct object_report *object,
                                    struct bytes list) {
  if (object->count > 1)
    return "a list of addresses does not name its ELF; pass exactly one ELF";
  object->images->traces++;
  return objectcode_add_pcs(&object->images->of, list, object->arguments->pcs,
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
  const struct objectcode **list =
      need_memory(calloc(object->count, sizeof *list));
  FILE *out = os_fopen(name, "w");
  for (size_t i = 0; i < object->count; i++)
    list[i] = &object->images[i].of;
  if (out)
    objectcode_write_plugin_list(list, object->count, out);
  free(list);
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
  for (size_t i = 0; i < object->count; i++) {
    const char *name = object->arguments->inputs.subjects[i].name;
    if (all && !object->images[i].traces)
      return report(name, "no trace counts the object code of this ELF; pass a "
                          "trace, use bareprof run --trace, or add --moved "
                          "FROM=TO for an ELF that ran elsewhere");
    objectcode_compute_outcomes(&object->images[i].of);
  }
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
  struct elf_instructions *images;
  size_t count;
  struct object_model *to;
  uint32_t *branches; /* the last branch number given on each line */
};

/* A function of one ELF. Functions with the same file and name become one in
 * the model. */
struct object_function_copy {
  const char *name;
  uint32_t file, image, number;
};

static const struct instruction_source_line *
get_instruction_lines(const struct elf_instructions *image) {
  return (const void *)image->lines.of.data;
}

static void number_source_files(struct model_builder *builder) {
  struct map known = {.limit = (size_t)1 << 28};
  struct object_model *to = builder->to;
  for (size_t k = 0; k < builder->count; k++) {
    struct elf_instructions *image = &builder->images[k];
    const char *const *paths = (const void *)image->lines.files.data;
    size_t count = image->lines.files.size / sizeof *paths;
    free(image->files);
    image->files = need_memory(calloc(count + 1, sizeof *image->files));
    for (size_t i = 0; i < count; i++) {
      uint64_t *number = need_memory(
          map_find_or_add(&known, md5_low64(paths[i], strlen(paths[i])), 0, 0));
      if (!*number) {
        LIST_ADD(to->files, to->file_count, paths[i]);
        *number = to->file_count;
      }
      image->files[i] = (uint32_t)*number - 1;
    }
  }
  map_free(&known);
}

ORDER_BY(by_line, struct object_source_line, x->file, x->line);

static void build_model_lines(struct model_builder *builder) {
  struct object_model *to = builder->to;
  for (size_t k = 0; k < builder->count; k++) {
    const struct elf_instructions *image = &builder->images[k];
    const struct object_line *list = (const void *)image->lines.list.data;
    size_t count = image->lines.list.size / sizeof *list;
    for (size_t i = 0; i < count; i++)
      LIST_ADD(to->lines, to->line_count,
               (struct object_source_line){image->files[list[i].file],
                                           list[i].line, list[i].count,
                                           list[i].instructions, list[i].ran});
  }
  struct object_source_line *list = to->lines;
  size_t kept = 0;
  sort_array(list, to->line_count, sizeof *list, by_line);
  for (size_t i = 0; i < to->line_count; i++) {
    struct object_source_line *last = &list[kept - (kept != 0)];
    if (kept && by_line(last, &list[i]) == 0) {
      last->count = add_saturated(last->count, list[i].count);
      last->instructions += list[i].instructions;
      last->ran += list[i].ran;
    } else
      list[kept++] = list[i];
  }
  to->line_count = kept;
  builder->branches = need_memory(calloc(kept + 1, sizeof *builder->branches));
}

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
    const struct elf_instructions *image = &builder->images[k];
    const struct instruction_source_line *places = get_instruction_lines(image);
    for (size_t i = 0; i < image->of.count; i++) {
      const struct object_instruction *one = &image->of.list[i];
      if (places[i].file == UINT32_MAX || (!one->symbol && !one->count))
        continue;
      LIST_ADD(to->instructions, to->instruction_count,
               (struct object_source_instruction){
                   .file = image->files[places[i].file],
                   .line = places[i].line,
                   .address = one->address,
                   .count = one->count,
                   .kind = name_instruction_kind(one),
                   .function = image->of.functions[one->symbol].name});
    }
  }
  sort_array(to->instructions, to->instruction_count, sizeof *to->instructions,
             by_address);
}

/* Returns the index of a line in the model, which must contain it. */
static size_t find_model_line(const struct object_model *to, uint32_t file,
                              uint32_t line) {
  const struct object_source_line *list = to->lines;
  size_t count = to->line_count;
  size_t i = search_from(list, count, file, file);
  size_t end = search_from(list, count, file, (uint64_t)file + 1);
  return i + search_from(&list[i], end - i, line, line);
}

static void append_branch(struct model_builder *builder,
                          const struct elf_instructions *image, size_t number) {
  const struct object_instruction *one = &image->of.list[number];
  const struct instruction_source_line *place =
      &get_instruction_lines(image)[number];
  if (!one->conditional || place->file == UINT32_MAX)
    return;
  uint32_t file = image->files[place->file];
  const struct object_source_branch made = {
      .file = file,
      .line = place->line,
      .number =
          ++builder->branches[find_model_line(builder->to, file, place->line)],
      .address = one->address,
      .counts = {one->outcomes[GOES], one->outcomes[FALLS_THROUGH]},
      .known = !one->count ||
               (one->known && !image->of.functions[one->symbol].refused)};
  LIST_ADD(builder->to->branches, builder->to->branch_count, made);
}

/* Adds a part of a function. Lines that were inlined from other functions do
 * not count as lines of the function. */
static void add_function_part(struct model_builder *builder,
                              const struct elf_instructions *image,
                              struct object_source_function *made,
                              const struct object_function *part) {
  const struct instruction_source_line *places = get_instruction_lines(image);
  made->instructions += (uint32_t)part->count;
  made->ran += (uint32_t)part->ran;
  for (size_t i = part->first; i < part->first + part->count; i++) {
    uint32_t line = places[i].line;
    append_branch(builder, image, i);
    if (places[i].file == UINT32_MAX || places[i].inlined || !line ||
        image->files[places[i].file] != made->file)
      continue;
    made->line = !made->line || line < made->line ? line : made->line;
    made->last = line > made->last ? line : made->last;
  }
}

/* Adds one ELF's copy of a function, including the parts that were split off.
 */
static void add_function_copy(struct model_builder *builder,
                              struct object_source_function *made,
                              const struct object_function_copy *copy) {
  const struct elf_instructions *image = &builder->images[copy->image];
  const struct object_function *functions = image->of.functions;
  const struct object_function *own = &functions[copy->number];
  made->count = add_saturated(made->count, own->entered);
  add_function_part(builder, image, made, own);
  for (uint32_t i = own->part; i; i = functions[i].part)
    add_function_part(builder, image, made, &functions[i]);
  if (!made->line)
    made->line = made->last = get_instruction_lines(image)[own->first].line;
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
    const struct elf_instructions *image = &builder->images[k];
    for (uint32_t i = 1; i < image->of.function_count; i++) {
      const struct object_function *one = &image->of.functions[i];
      uint32_t file = get_instruction_lines(image)[one->first].file;
      if (one->count && one->owner == i && file != UINT32_MAX)
        LIST_ADD(
            list, *count,
            (struct object_function_copy){one->name, image->files[file], k, i});
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
    struct object_source_function made = {.name = list[i].name,
                                          .file = list[i].file,
                                          .branches.begin =
                                              (uint32_t)to->branch_count};
    for (; i < count && list[i].file == made.file &&
           strcmp(list[i].name, made.name) == 0;
         i++)
      add_function_copy(builder, &made, &list[i]);
    made.branches.count = (uint32_t)to->branch_count - made.branches.begin;
    LIST_ADD(to->functions, to->function_count, made);
  }
  free(list);
}

static const struct object_model *build_model(struct elf_instructions *images,
                                              size_t count,
                                              struct object_model *to) {
  struct model_builder builder = {images, count, to, NULL};
  free_model(to);
  number_source_files(&builder);
  build_model_lines(&builder);
  build_model_functions(&builder);
  build_model_instructions(&builder);
  free(builder.branches);
  return to;
}

static void build_models(struct object_report *object) {
  struct inputs *inputs = &object->arguments->inputs;
  inputs->object = build_model(object->images, object->count, &object->all);
  object->own = need_memory(calloc(object->count, sizeof *object->own));
  for (size_t i = 0; i < object->count; i++)
    inputs->subjects[i].object =
        object->count == 1
            ? inputs->object
            : build_model(&object->images[i], 1, &object->own[i]);
}

/* ---- tests ---- */

/* Counts again what one test ran, or what all tests ran. */
static int reread_traces(struct object_report *object, const size_t *test) {
  for (size_t i = 0; i < object->count; i++)
    objectcode_clear_counts(&object->images[i].of);
  return add_trace_files(object, test) ||
         compute_outcomes_or_report(object, !test);
}

/* Makes the model of a single test, after the report of all tests. */
static const struct object_model *build_test_model(void *context, size_t test) {
  struct object_report *object = context;
  if (reread_traces(object, &test))
    return NULL;
  for (size_t i = 0; i < object->count; i++)
    object_lines_compute_counts(&object->images[i].lines,
                                &object->images[i].of);
  return build_model(object->images, object->count, &object->one);
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
  const struct elf_instructions *image = &object->images[which];
  char *path = folder_file_path(folder, name);
  FILE *out = path ? os_fopen(path, "w") : NULL;
  if (out)
    object_print_instructions(out, &image->of, &image->lines);
  int status = file_close_written(out, path, CHECK_DISK);
  free(path);
  return status;
}

static int print_code_without_lines(struct report_arguments *arguments,
                                    bool *told) {
  const struct input_elf *subject = arguments->inputs.subjects;
  const struct objectcode *of = &arguments->object->images->of;
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
  bool lines = false;
  for (size_t i = 0; i < object->count; i++) {
    struct elf_instructions *image = &object->images[i];
    const char *error = image->of.lacks_marks
                            ? NULL
                            : object_lines_read(&image->lines, &image->of);
    if (error)
      return report(arguments->inputs.subjects[i].name, "%s", error);
    lines |= image->lines.list.size != 0;
  }
  if (!lines)
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
  const struct object_report *object = arguments->object;
  char shown[1000];
  for (size_t i = 0; object && i < object->count; i++) {
    putchar('\n');
    if (object->count > 1)
      printf("%s\n", make_printable(shown, sizeof shown,
                                    arguments->inputs.subjects[i].name));
    object_print_summary(stdout, &object->images[i].of,
                         &object->images[i].lines);
  }
}
