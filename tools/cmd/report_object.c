/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Object code to the model of a report: a trace of instructions, and debug
 * information.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../objectcode/objectcode.h"
#include "report.h"

enum { FILE_LIMIT = 1 << 30 };

struct object_report {
  struct objectcode of;
  struct object_lines lines;
  struct object_model model;
  struct buffer code_lines, functions, branches; /* of the model */
  size_t traces;
};

bool object_is(const char *name) {
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

int object_begin(struct report_arguments *arguments, const char *name) {
  const struct limits *limits = &arguments->limits;
  const char *wrong = NULL;
  if (arguments->console.command && !arguments->trace)
    wrong = "give --trace, which counts its object code";
  else if (arguments->tests.wanted)
    wrong = "a trace of object code names no tests; leave --tests and related "
            "options out";
  else if ((limits->least[REGIONS] >= 0 && !limits->instructions) ||
           limits->least[MCDC] >= 0)
    wrong = "object code has no regions and no MC/DC; --fail-under takes "
            "functions, lines, instructions and branches of it";
  if (wrong)
    return report(name, "%s", wrong);
  arguments->object = calloc(1, sizeof *arguments->object);
  if (!arguments->object)
    return report_memory(NULL);
  metrics_of_object_code();
  return 0;
}

void object_free(struct report_arguments *arguments) {
  struct object_report *object = arguments->object;
  if (!object)
    return;
  object_lines_free(&object->lines);
  objectcode_close(&object->of);
  buffer_free(&object->code_lines);
  buffer_free(&object->functions);
  buffer_free(&object->branches);
  free(object);
  arguments->object = NULL;
}

/* ---- counts ---- */

/* FROM=TO, numbers as C has them. */
static const char *move(struct objectcode *of, const char *text) {
  char *end, *last;
  uint64_t from = strtoull(text, &end, 0);
  uint64_t to = *end == '=' ? strtoull(end + 1, &last, 0) : 0;
  return *end != '=' || end == text || last == end + 1 || *last
             ? "--moved is FROM=TO, addresses such as 0x100"
             : objectcode_move(of, from, to);
}

static int open_code(struct report_arguments *arguments,
                     const struct subject *subject) {
  struct object_report *object = arguments->object;
  if (object->of.elf)
    return 0;
  const char *error = objectcode_open(&object->of, &subject->elf);
  for (size_t i = 0; i < arguments->moved_count && !error; i++)
    error = move(&object->of, arguments->moved[i]);
  return error ? report(subject->name, "%s", error) : 0;
}

static int take_file(struct report_arguments *arguments, const char *elf,
                     const char *name) {
  struct objectcode *of = &arguments->object->of;
  struct file file;
  if (file_map(&file, name, FILE_LIMIT))
    return 1;
  bool is = objectcode_is_trace(file.bytes);
  const char *error = is ? objectcode_trace(of, file.bytes)
                      : arguments->lists
                          ? objectcode_pcs(of, file.bytes, arguments->pcs)
                          : "it is no trace of instructions; give one that "
                            "QEMU's plugin wrote for bareprof trace --list "
                            "--object-code, or --pcs for a list of addresses";
  arguments->object->traces++;
  file_close(&file);
  return error ? report(is ? elf : name, "%s", error) : 0;
}

static int write_list(const struct objectcode *of, const char *name) {
  FILE *out = os_fopen(name, "w");
  if (out)
    objectcode_list(of, out);
  return run_close_list(out, name);
}

/* So that a later report may add this run to others. */
static int keep_trace(const char *trace, const struct folder *report_in) {
  struct file file;
  struct output output;
  char *path = folder_path(report_in, "objectcode.trace");
  int status = path ? file_map(&file, trace, FILE_LIMIT) : report_memory(NULL);
  if (!status) {
    status = output_open(&output, path);
    if (!status) {
      fwrite(file.bytes.data, 1, file.bytes.size, output.stream);
      status = output_commit(&output);
    }
    file_close(&file);
  }
  free(path);
  return status;
}

int object_run(struct report_arguments *arguments, const char *folder,
               const struct folder *report_in) {
  char list[TRACE_NAME], trace[TRACE_NAME];
  const struct inputs *inputs = &arguments->inputs;
  struct object_report *object = arguments->object;
  snprintf(list, sizeof list, "%s/labels", folder);
  return open_code(arguments, inputs->subjects) ||
         write_list(&object->of, list) ||
         run_plugin(&arguments->console, inputs, folder, trace) ||
         take_file(arguments, inputs->subjects->name, trace) ||
         keep_trace(trace, report_in);
}

int object_read(struct report_arguments *arguments, char **names,
                size_t count) {
  const struct inputs *inputs = &arguments->inputs;
  struct object_report *object = arguments->object;
  if (inputs->count != 1)
    return report(inputs->subjects[1].name,
                  "object code is reported of one ELF; report each by itself");
  int status = open_code(arguments, inputs->subjects);
  for (size_t i = 0; i < count && !status; i++)
    if (names[i] != inputs->subjects->name)
      status = take_file(arguments, inputs->subjects->name, names[i]);
  if (!status && !object->traces)
    status = report(inputs->subjects->name,
                    "no trace counts its object code; give one, or "
                    "bareprof run --trace");
  const char *error = status ? NULL : objectcode_settle(&object->of);
  return error ? report(inputs->subjects->name, "%s", error) : status;
}

/* ---- the model ---- */

static const char *add_line(struct object_report *object,
                            const struct object_line *line) {
  const struct object_source_line made = {line->file, line->line, line->count,
                                          line->instructions, line->ran};
  return buffer_add(&object->code_lines, &made, sizeof made);
}

/* The line of an instruction, which has one. */
static struct object_line *line_at(const struct object_report *object,
                                   const struct line_of *place) {
  struct object_line *list = (void *)object->lines.list.data;
  size_t count = object->lines.list.size / sizeof *list;
  size_t i = search_from(list, count, file, place->file);
  size_t end = search_from(list, count, file, (uint64_t)place->file + 1);
  return &list[i + search_from(&list[i], end - i, line, place->line)];
}

static const char *add_branch(struct object_report *object, size_t number) {
  const struct object_instruction *one = &object->of.list[number];
  const struct line_of *place =
      (const struct line_of *)(void *)object->lines.of.data + number;
  if (!one->conditional || place->file == UINT32_MAX)
    return NULL;
  const struct object_source_branch made = {
      .file = place->file,
      .line = place->line,
      .number = ++line_at(object, place)->branches,
      .address = one->address,
      .counts = {one->outcomes[GOES], one->outcomes[FALLS_THROUGH]},
      .known = !one->count || (one->known[GOES] &&
                               !object->of.functions[one->symbol].refused)};
  return buffer_add(&object->branches, &made, sizeof made);
}

/* Its lines are those that nothing inlined into it. */
static void find_lines(const struct object_report *object,
                       struct object_source_function *made, size_t first,
                       size_t end) {
  const struct line_of *places = (const void *)object->lines.of.data;
  for (size_t i = first; i < end; i++) {
    if (places[i].file != made->file || places[i].inlined || !places[i].line)
      continue;
    made->line = places[i].line < made->line ? places[i].line : made->line;
    made->last = places[i].line > made->last ? places[i].line : made->last;
  }
}

static const char *add_part(struct object_report *object,
                            struct object_source_function *made,
                            const struct object_function *part) {
  const char *error = NULL;
  made->instructions += (uint32_t)part->count;
  made->ran += (uint32_t)part->ran;
  find_lines(object, made, part->first, part->first + part->count);
  for (size_t i = 0; i < part->count && !error; i++)
    error = add_branch(object, part->first + i);
  return error;
}

/* A function with the parts that were split off it. Code without lines has no
 * place in the model. */
static const char *add_function(struct object_report *object, uint32_t number) {
  const struct objectcode *of = &object->of;
  const struct object_function *own = &of->functions[number];
  const struct line_of *place =
      (const struct line_of *)(void *)object->lines.of.data + own->first;
  struct object_source_function made = {
      .name = own->name,
      .file = place->file,
      .line = place->line,
      .last = place->line,
      .count = own->entered,
      .branches.begin = (uint32_t)(object->branches.size /
                                   sizeof(struct object_source_branch))};
  if (!own->count || own->owner != number || place->file == UINT32_MAX)
    return NULL;
  const char *error = add_part(object, &made, own);
  for (uint32_t i = own->part; i && !error; i = of->functions[i].part)
    error = add_part(object, &made, &of->functions[i]);
  made.branches.count =
      (uint32_t)(object->branches.size / sizeof(struct object_source_branch)) -
      made.branches.begin;
  return error ? error : buffer_add(&object->functions, &made, sizeof made);
}

static const char *make_model(struct object_report *object) {
  const struct object_lines *lines = &object->lines;
  const struct object_line *list = (const void *)lines->list.data;
  const size_t limit = (size_t)1 << 31;
  const char *error = NULL;
  object->code_lines.limit = object->functions.limit = limit;
  object->branches.limit = limit;
  for (size_t i = 0; i < lines->list.size / sizeof *list && !error; i++)
    error = add_line(object, &list[i]);
  for (uint32_t i = 1; i < object->of.function_count && !error; i++)
    error = add_function(object, i);
  object->model = (struct object_model){
      .files = (const void *)lines->files.data,
      .lines = (const void *)object->code_lines.data,
      .functions = (const void *)object->functions.data,
      .branches = (const void *)object->branches.data,
      .file_count = lines->files.size / sizeof(char *),
      .line_count = lines->list.size / sizeof *list,
      .function_count =
          object->functions.size / sizeof(struct object_source_function)};
  return error;
}

/* ---- what is written ---- */

static int write_instructions(const struct object_report *object,
                              const struct folder *folder) {
  char *path = folder_path(folder, "objectcode.tsv");
  FILE *out = path ? os_fopen(path, "w") : NULL;
  if (out)
    object_list(out, &object->of, &object->lines);
  bool failed = !out || ferror(out);
  failed |= out && fclose(out);
  int status =
      failed ? report(path, "cannot be written; check rights and disk") : 0;
  free(path);
  return status;
}

/* Without lines there is a table of functions alone. */
static int tell_functions(struct report_arguments *arguments, bool *told) {
  const struct outputs *outputs = &arguments->outputs;
  const struct subject *subject = arguments->inputs.subjects;
  const struct object_function total = object_total(&arguments->object->of);
  const struct limits *limits = &arguments->limits;
#define OUTPUT_WANTED(field, option, about) || outputs->field
  if (0 OUTPUT_FORMATS(OUTPUT_WANTED) || arguments->diff ||
      arguments->against_name || limits->least[LINES] >= 0)
    return report(subject->name, "it has no lines; compile with -g, and give "
                                 "the ELF before strip");
  const struct score scores[METRICS] = {
      [FUNCTIONS] = {total.functions, total.entered},
      [REGIONS] = {total.count, total.ran},
      [BRANCHES] = {2 * total.branches, total.outcomes}};
  *told = true;
  printf("Object code of %s, which has no lines:\n\n", subject->name);
  object_table(stdout, &arguments->object->of);
  object_notes(stdout, &arguments->object->of, NULL);
  for (unsigned i = 0; i < METRICS; i++)
    limit_check(metric_names[i], &scores[i], limits->least[i],
                &arguments->checks);
  return flush_standard_output();
}

int object_settle(struct report_arguments *arguments,
                  const struct folder *folder, bool *told) {
  struct object_report *object = arguments->object;
  struct subject *subject = arguments->inputs.subjects;
  const char *error = object_lines_read(&object->lines, &object->of);
  if (!error && object->lines.list.size)
    error = make_model(object);
  if (error)
    return report(subject->name, "%s", error);
  if (!object->lines.list.size)
    return tell_functions(arguments, told);
  subject->object = &object->model;
  return write_instructions(object, folder);
}

void object_tell(const struct report_arguments *arguments) {
  if (!arguments->object)
    return;
  putchar('\n');
  object_notes(stdout, &arguments->object->of, &arguments->object->lines);
}
