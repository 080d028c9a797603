/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the output files that the user wants, one after the other,
 * each with the FIELD_print_output of its row in OUTPUT_FORMATS. For most
 * formats this function is here, and calls a writer in another file, which also
 * serves other callers. Only Cobertura's XML may need several files.
 */
#include "out.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../baseline/baseline.h"
#include "../tests/tests.h"

enum { MEGABYTE = 1000000 };

static const struct output_format {
  size_t
      name; /* offset of the output file's name in struct output_file_names */
  bool reads_lcov;
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

bool outputs_need_lcov(const struct output_file_names *outputs) {
  bool need = false;
  for (size_t i = 0; i < FORMATS; i++)
    need |= formats[i].reads_lcov && get_output_name(outputs, i);
  return need;
}

int outputs_check_names(const struct output_file_names *outputs,
                        const struct report_folder *folder) {
  const char *names[FORMATS];
  int status = 0;
  for (size_t i = 0; i < FORMATS; i++) {
    names[i] = get_output_name(outputs, i);
    if (names[i] && !status)
      status = folder_refuse_output(folder, names[i]);
  }
  return status ? status : output_report_bad_names(names, FORMATS);
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
  cobertura_print_xml(measured->lcov, measured->paths, stream);
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

static int write_cobertura_parts(const struct output_file_names *outputs,
                                 const struct output_contents *measured) {
  const struct lcov_list *lcov = measured->lcov;
  size_t limit = (size_t)outputs->cobertura_limit * MEGABYTE, at = 0;
  int status = 0;
  for (unsigned number = 1; (number == 1 || at < lcov->count) && !status;
       number++) {
    struct output_contents part = *measured;
    struct lcov_list entries = *lcov;
    size_t end = cobertura_find_part_end(lcov, at, limit, measured->paths);
    entries.entries += at;
    entries.count = end - at;
    part.lcov = &entries;
    char *name = make_part_name(outputs->cobertura, number);
    status = write_output(name, &part, cobertura_print_output);
    free(name);
    at = end;
  }
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
