/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One file after the other. Only Cobertura's may be several.
 */
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "callgrind_lines.h"
#include "cobertura.h"
#include "markdown.h"
#include "sonar.h"

enum { MEGABYTE = 1000000 };

bool outputs_need_lcov(const struct outputs *outputs) {
  return outputs->lcov || outputs->cobertura || outputs->sonar;
}

int outputs_refuse(const struct outputs *outputs) {
  const char *const names[] = {outputs->lcov,      outputs->json,
                               outputs->cobertura, outputs->sonar,
                               outputs->markdown,  outputs->callgrind};
  return same_refuses_any(names, sizeof names / sizeof *names);
}

static int write_bytes(const char *name, const struct buffer *bytes) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  if (bytes->size)
    fwrite(bytes->data, 1, bytes->size, output.stream);
  return output_commit(&output);
}

static int write_sonar(const char *name, const struct measured *measured) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  sonar_write(measured->lcov, measured->paths, output.stream);
  return output_commit(&output);
}

static int write_markdown(const char *name, const struct measured *measured) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  markdown_write(measured->coverage, measured->paths, output.stream);
  if (measured->against)
    against_markdown(measured->against, measured->paths, output.stream);
  return output_commit(&output);
}

static int write_callgrind(const char *name, const struct measured *measured) {
  struct output output;
  if (!name)
    return 0;
  if (output_open(&output, name))
    return 1;
  if (!callgrind_lines_write(measured->coverage, measured->paths,
                             output.stream))
    return output_commit(&output);
  output_abandon(&output);
  return 1;
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
  return write_bytes(outputs->lcov, measured->tracefile) |
         write_bytes(outputs->json, &measured->coverage->json) |
         write_cobertura(outputs, measured) |
         write_sonar(outputs->sonar, measured) |
         write_markdown(outputs->markdown, measured) |
         write_callgrind(outputs->callgrind, measured);
}
