/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One file after the other. Only Cobertura's may be several.
 */
#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/os.h"
#include "formats.h"

enum { MEGABYTE = 1000000 };

bool outputs_need_lcov(const struct outputs *outputs) {
  return outputs->cobertura || outputs->sonar;
}

int outputs_refuse(const struct outputs *outputs) {
  const char *const names[] = {outputs->lcov,      outputs->json,
                               outputs->cobertura, outputs->sonar,
                               outputs->markdown,  outputs->callgrind};
  return same_refuses_any(names, sizeof names / sizeof *names);
}

/* ---- forms ---- */

static const char *put_lcov(const struct measured *measured, FILE *stream) {
  if (!measured->tests)
    return lcov_write(&measured->coverage->exported,
                      measured->coverage->release, NULL, stream);
  fwrite(measured->tests->lcov, 1, measured->tests->lcov_size, stream);
  return NULL;
}

static const char *put_json(const struct measured *measured, FILE *stream) {
  const struct json_export as = {.release = measured->coverage->release,
                                 .expansions = measured->expansions,
                                 .more = measured->evidence};
  return json_export(&measured->coverage->exported, &as, stream);
}

static const char *put_sonar(const struct measured *measured, FILE *stream) {
  sonar_write(measured->lcov, measured->paths, stream);
  return NULL;
}

static const char *put_markdown(const struct measured *measured, FILE *stream) {
  markdown_write(measured->coverage, measured->paths, stream);
  if (measured->against)
    against_markdown(measured->against, measured->paths, stream);
  return NULL;
}

static const char *put_callgrind(const struct measured *measured,
                                 FILE *stream) {
  return callgrind_lines_write(measured->coverage, measured->paths, stream);
}

/* Writes a file, unless the user asks for none. */
static int write_file(const char *name, const struct measured *measured,
                      const char *(*put)(const struct measured *measured,
                                         FILE *stream)) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  const char *error = put(measured, output.stream);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(name, "%s", error);
}

/* ---- Cobertura ---- */

/* The name of a part: c.xml, c-2.xml, c-3.xml. The caller frees it. */
static char *part_name(const char *name, unsigned number) {
  const char *base = os_base(name), *dot = strrchr(base, '.');
  size_t stem = dot && dot > base ? (size_t)(dot - name) : strlen(name);
  size_t room = strlen(name) + 16;
  char *part = malloc(room);
  if (part && number == 1)
    memcpy(part, name, strlen(name) + 1);
  else if (part)
    snprintf(part, room, "%.*s-%u%s", (int)stem, name, number, name + stem);
  return part;
}

static int write_part(const char *name, const struct lcov *part,
                      const struct paths *paths) {
  struct output output;
  if (output_open(&output, name))
    return 1;
  cobertura_write(part, paths, output.stream);
  return output_commit(&output);
}

static int write_cobertura(const struct outputs *outputs,
                           const struct measured *measured) {
  const struct lcov *lcov = measured->lcov;
  size_t limit = (size_t)outputs->cobertura_limit * MEGABYTE, at = 0;
  int status = 0;
  if (!outputs->cobertura)
    return 0;
  for (unsigned number = 1; (number == 1 || at < lcov->count) && !status;
       number++) {
    size_t end =
        limit ? cobertura_part(lcov, at, limit, measured->paths) : lcov->count;
    struct lcov part = *lcov;
    part.entries += at;
    part.count = end - at;
    char *name = part_name(outputs->cobertura, number);
    status = name ? write_part(name, &part, measured->paths)
                  : report_memory(outputs->cobertura);
    free(name);
    at = end;
  }
  return status;
}

int outputs_write(const struct outputs *outputs,
                  const struct measured *measured) {
  return write_file(outputs->lcov, measured, put_lcov) |
         write_file(outputs->json, measured, put_json) |
         write_cobertura(outputs, measured) |
         write_file(outputs->sonar, measured, put_sonar) |
         write_file(outputs->markdown, measured, put_markdown) |
         write_file(outputs->callgrind, measured, put_callgrind);
}
