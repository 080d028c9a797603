/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes evidence.json, and the output files that the user wants, one
 * after the other. Only Cobertura's XML may need several files. The code for
 * each format is in its own file.
 */
#include "out.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text.h"
#include "../../object/digest.h"
#include "../baseline/baseline.h"
#include "../exclude/exclude.h"
#include "../mcdc/mcdc.h"
#include "../tests/tests.h"
#include "../whole/expected.h"
#include "bareprof.h"
#include "fold/fold.h"

/* ==== This part writes evidence.json, which lists the command, ELFs, logs,
 * sources and exclusions of a report. evidence.json contains neither a time nor
 * the name of a machine, so the same inputs give the same bytes. json_export.c
 * also writes this text. */

enum { ID_MOST = 64 /* limit of a build id in bytes */ };

/* Writes the name, the SHA-256 and the size of a file as members, without the
 * brackets of the JSON object. */
static void print_file_digest(FILE *stream, const char *name,
                              struct bytes bytes) {
  unsigned char digest[SHA256_SIZE];
  char shown[SHA256_TEXT];
  sha256(digest, bytes.data, bytes.size);
  json_printf(stream, "\"file\":%s,\"sha256\":%s,\"size\":%zu", name,
              format_hex(shown, digest, sizeof digest), bytes.size);
}

/* Begins an element of a list on a new line. */
static void print_element_begin(FILE *stream, size_t number) {
  fputs(number ? ",\n{" : "\n{", stream);
}

/* ---- lists ---- */

static void print_sources(FILE *stream, const struct input_elf *subject) {
  static const char *const states[] = {[SOURCE_SAME] = "same",
                                       [SOURCE_CHANGED] = "changed",
                                       [SOURCE_UNKNOWN] = "no MD5",
                                       [SOURCE_MISSING] = "not found"};
  char shown[SHA256_TEXT];
  fputs(",\"sources\":[", stream);
  for (size_t i = 0; i < subject->summary.count; i++) {
    const struct input_source *source = &subject->sources[i];
    print_element_begin(stream, i);
    json_printf(stream, "\"file\":%s,\"compiled_as\":%s,\"since_build\":%s",
                source->here, subject->summary.rows[i].name,
                states[source->state]);
    if (source->state != SOURCE_MISSING)
      json_printf(stream, ",\"sha256\":%s",
                  format_hex(shown, source->sha256, sizeof source->sha256));
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void print_elfs(FILE *stream, const struct inputs *inputs) {
  fputs("\"elfs\":[", stream);
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    struct bytes build_id = subject->build_id;
    char id[2 * ID_MOST + 1];
    print_element_begin(stream, i);
    print_file_digest(stream, subject->name, subject->file.bytes);
    json_printf(stream,
                ",\"build_id\":%s,\"clang\":%u,\"boots\":%zu,\"dumps\":%zu",
                format_hex(id, build_id.data,
                           build_id.size < ID_MOST ? build_id.size : ID_MOST),
                subject->release, subject->boots, subject->dumps);
    if (input_dropped_count(subject))
      json_printf(stream, ",\"dropped\":%zu", input_dropped_count(subject));
    if (subject->saturated)
      json_printf(stream, ",\"at_least_from\":%" PRIu32, BAREPROF_FOLD_LEAST);
    print_sources(stream, subject);
    fputc('}', stream);
  }
  fputs("],\n", stream);
}

static void print_input_files(FILE *stream, const struct inputs *inputs) {
  fputs("\"logs\":[", stream);
  for (size_t i = 0; i < inputs->given.count; i++) {
    const struct file *file = &inputs->given.list[i].file;
    print_element_begin(stream, i);
    print_file_digest(stream, file->name, file->bytes);
    fputc('}', stream);
  }
  fputs("],\n", stream);
}

static void print_unmeasured_decisions(FILE *stream,
                                       const struct buffer *list) {
  fputs("\"not_measured\":[", stream);
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured_decision *one = &unmeasured_list(list)[i];
    print_element_begin(stream, i);
    json_printf(stream, "\"compiled_as\":%s,\"line\":%u,\"column\":%u}",
                one->file, one->begin.line, one->begin.column);
  }
  fputs("],\n", stream);
}

static void print_unknown_numbers(FILE *stream,
                                  const struct coverage *coverage) {
  const struct buffer *list = &coverage->not_known;
  const struct unknown_number *all = (const void *)list->data;
  fputs("\"not_known\":[", stream);
  for (size_t i = 0; i < list->size / sizeof *all; i++) {
    const struct unknown_number *one = &all[i];
    print_element_begin(stream, i);
    json_printf(stream, "\"compiled_as\":%s,\"line\":%u,",
                coverage->exported.names[one->name], one->line);
    if (one->column)
      json_printf(stream, "\"column\":%u,", one->column);
    json_printf(stream, "\"of\":%s,\"cause\":%s,", metric_names[one->metric],
                cause_texts[one->cause]);
    fputs("\"known\":false}", stream);
  }
  fputs("],\n", stream);
}

static void print_differing_lines(FILE *stream, const struct model *exported) {
  const struct llvm_cov_difference *all = (const void *)exported->differs.data;
  fputs("\"differs_from_llvm_cov\":[", stream);
  for (size_t i = 0; i < exported->differs.size / sizeof *all; i++) {
    print_element_begin(stream, i);
    json_printf(stream, "\"compiled_as\":%s,\"line\":%u,\"llvm_cov\":%ju}",
                exported->names[all[i].row], all[i].line, all[i].count);
  }
  fputs("],\n", stream);
}

/* ---- exclusions ---- */

/* Writes the lines that an exclusion excludes, source by source. */
static void print_excluded_lines(FILE *stream, const struct exclusions *set,
                                 size_t exclusion) {
  size_t count = 0;
  fputs(",\"places\":[", stream);
  for (size_t i = 0; i < set->source_count; i++) {
    const struct excluded_source *source = &set->sources[i];
    for (size_t k = 0; k < source->range_count; k++) {
      const struct excluded_range *range = &source->ranges[k];
      if (range->exclusion != exclusion || range->kind == EXCLUDED_FUNCTION)
        continue;
      fputs(count++ ? ",{" : "{", stream);
      json_printf(stream, "\"compiled_as\":%s,\"first\":%u,\"last\":%u",
                  source->name, range->first,
                  source->lines && source->lines < range->last ? source->lines
                                                               : range->last);
      if (range->column)
        json_printf(stream, ",\"column\":%u", range->column);
      fputc('}', stream);
    }
  }
  fputc(']', stream);
}

static void print_exclusion_members(FILE *stream, const struct exclusions *set,
                                    size_t number) {
  static const char *const kinds[] = {[EXCLUDED_LINES] = "lines",
                                      [EXCLUDED_BRANCHES] = "branches",
                                      [EXCLUDED_FUNCTION] = "function",
                                      [EXCLUDED_DECISION] = "decision"};
  const struct exclusion *one = &set->list[number];
  json_printf(stream,
              "\"file\":%s,\"line\":%u,\"marker\":%s,\"excludes\":%s,"
              "\"reason\":%s,\"by\":%s",
              one->file, one->line, one->path ? "" : one->name,
              kinds[one->kind], one->reason, one->by);
  fputs(one->stale ? ",\"stale\":true" : ",\"stale\":false", stream);
  if (one->ran_line)
    json_printf(stream, ",\"ran\":{\"file\":%s,\"line\":%u}", one->ran_file,
                one->ran_line);
  print_excluded_lines(stream, set, number);
}

static void print_exclusions(FILE *stream, const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  struct file_row total;
  excluded_compute_total(coverage, &total);
  fputs("\"exclusions\":{", stream);
  if (set->name) {
    fputs("\"of\":{", stream);
    print_file_digest(stream, set->name, set->file.bytes);
    fputs("},\n", stream);
  }
  fputs("\"list\":[", stream);
  for (size_t i = 0; i < set->count; i++) {
    print_element_begin(stream, i);
    print_exclusion_members(stream, set, i);
    fputc('}', stream);
  }
  fputs("],\n\"excluded\":{", stream);
  for (unsigned i = 0; i < METRICS; i++)
    json_printf(stream, "%s:%ju,", metric_names[i], total.scores[i].count);
  json_printf(stream, "\"not_measured\":%zu}}}\n",
              coverage->unmeasured_excluded);
}

/* ---- evidence.json ---- */

static void print_evidence(FILE *stream, const struct output_contents *data) {
  const struct coverage *coverage = data->coverage;
  fprintf(stream, "{\"version\":\"%d.%d.%d\",\n", BAREPROF_VERSION >> 16,
          BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
  fputs("\"command\":[\"bareprof\"", stream);
  for (char *const *word = data->words; *word; word++)
    json_printf(stream, ",%s", *word);
  fputs("],\n", stream);
  fputs("\"failures\":", stream);
  checks_print_json(data->checks, stream);
  fputs(",\n", stream);
  if (data->against) {
    fputs("\"against\":{", stream);
    print_file_digest(stream, data->against->file.name,
                      data->against->file.bytes);
    fputs(",\n", stream);
    baseline_print_json(data->against, stream);
    fputs("},\n", stream);
  }
  print_elfs(stream, coverage->inputs);
  print_input_files(stream, coverage->inputs);
  print_unmeasured_decisions(stream, &coverage->unmeasured);
  print_unknown_numbers(stream, coverage);
  print_differing_lines(stream, &coverage->exported);
  expected_print_json(coverage, stream);
  print_exclusions(stream, coverage);
}

static void write_evidence_file(const struct coverage *coverage,
                                const char *text) {
  char *path = coverage_file_path(coverage, "evidence", ".json");
  FILE *stream = os_fopen(path, "w");
  if (stream)
    fputs(text, stream);
  exit_if_failed(file_close_written(stream, path, CHECK_DISK));
  free(path);
}

void evidence_write(struct output_contents *data) {
  size_t size = 0;
  FILE *stream = need_memory(os_open_memory_stream(&data->evidence, &size));
  print_evidence(stream, data);
  if (!os_close_memory_stream(stream, &data->evidence, &size))
    need_memory(NULL);
  write_evidence_file(data->coverage, data->evidence);
  /* The JSON output contains the text as an element on one line. */
  for (char *at = data->evidence; *at; at++)
    if (*at == '\n')
      *at = at[1] ? ' ' : 0;
}

/* ==== This part writes the outputs, each with the FIELD_print_output of its
 * row in OUTPUT_FORMATS. For most formats this function is here, and calls a
 * writer in another file, which also serves other callers. */

enum { MEGABYTE = 1000000 };

static const struct output_format {
  size_t
      name; /* offset of the output file's name in struct output_file_names */
  bool reads_places;
  output_printer *put;
} formats[] = {
#define FORMAT(field, list, option, about)                 \
  {offsetof(struct output_file_names, field), (list) != 0, \
   field##_print_output},
    OUTPUT_FORMATS(FORMAT)};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *get_output_name(const struct output_file_names *outputs,
                                   size_t format) {
  const char *name;
  memcpy(&name, (const char *)outputs + formats[format].name, sizeof name);
  return name;
}

bool outputs_are_wanted(const struct output_file_names *outputs) {
  bool wanted = false;
  for (size_t i = 0; i < FORMATS; i++)
    wanted |= get_output_name(outputs, i) != NULL;
  return wanted;
}

bool outputs_need_places(const struct output_file_names *outputs) {
  bool need = false;
  for (size_t i = 0; i < FORMATS; i++)
    need |= formats[i].reads_places && get_output_name(outputs, i);
  return need;
}

void outputs_check_names(const struct output_file_names *outputs,
                         const struct report_folder *folder) {
  const char *names[FORMATS];
  for (size_t i = 0; i < FORMATS; i++) {
    names[i] = get_output_name(outputs, i);
    if (names[i])
      folder_refuse_output(folder, names[i]);
  }
  exit_if_failed(output_report_bad_names(names, FORMATS));
}

/* ---- formats ---- */

void lcov_print_output(const struct output_contents *measured, FILE *stream) {
  if (measured->tests)
    fwrite(measured->tests->lcov, 1, measured->tests->lcov_size, stream);
  else
    lcov_print_tracefile(&measured->coverage->exported,
                         measured->coverage->release, NULL, stream);
}

void json_print_output(const struct output_contents *measured, FILE *stream) {
  const struct json_export_options as = {.release = measured->coverage->release,
                                         .expansions = measured->expansions,
                                         .more = measured->evidence};
  json_export(&measured->coverage->exported, &as, stream);
}

void markdown_print_output(const struct output_contents *measured,
                           FILE *stream) {
  markdown_print_table(measured->coverage, measured->paths, stream);
  if (measured->against)
    baseline_print_markdown(measured->against, measured->paths, stream);
}

void cobertura_print_output(const struct output_contents *measured,
                            FILE *stream) {
  cobertura_print_xml(measured->places, measured->paths, stream);
}

/* Writes a file, unless its name is NULL. */
static int write_output(const char *name,
                        const struct output_contents *measured,
                        output_printer *put) {
  struct output_file output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  put(measured, output.stream);
  return output_commit(&output);
}

/* ---- Cobertura ---- */

/* Returns the name of a part, such as c.xml, c-2.xml or c-3.xml. The caller
 * frees the name. */
static char *make_part_name(const char *name, unsigned number) {
  const char *base = os_base_name(name), *dot = strrchr(base, '.');
  size_t stem = dot && dot > base ? (size_t)(dot - name) : strlen(name);
  size_t room = strlen(name) + 16;
  char *part = need_memory(malloc(room));
  if (number == 1)
    memcpy(part, name, strlen(name) + 1);
  else
    snprintf(part, room, "%.*s-%u%s", (int)stem, name, number, name + stem);
  return part;
}

/* Removes a part of an earlier run. Returns false if there is none. */
static bool remove_part(const char *name, unsigned number) {
  char *part = make_part_name(name, number);
  bool removed = os_remove(part);
  free(part);
  return removed;
}

/* Also removes the parts of an earlier run with more parts, because CI servers
 * read all parts. */
static int write_cobertura_parts(const struct output_file_names *outputs,
                                 const struct output_contents *measured) {
  struct places left = *measured->places, part;
  size_t limit = (size_t)outputs->cobertura_limit * MEGABYTE;
  unsigned number = 1;
  int status = 0;
  for (; (number == 1 || left.file_count) && !status; number++) {
    struct output_contents contents = *measured;
    contents.places = &part;
    part = left;
    part.file_count =
        cobertura_count_files_of_part(&left, limit, measured->paths);
    left.files += part.file_count;
    left.file_count -= part.file_count;
    char *name = make_part_name(outputs->cobertura, number);
    status = write_output(name, &contents, cobertura_print_output);
    free(name);
  }
  while (!status && remove_part(outputs->cobertura, number))
    number++;
  return status;
}

int outputs_write(const struct output_file_names *outputs,
                  const struct output_contents *measured) {
  int status = 0;
  for (size_t i = 0; i < FORMATS; i++)
    if (outputs->cobertura && outputs->cobertura_limit &&
        formats[i].put == cobertura_print_output)
      status |= write_cobertura_parts(outputs, measured);
    else
      status |=
          write_output(get_output_name(outputs, i), measured, formats[i].put);
  return status;
}
