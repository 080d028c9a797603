/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Command lines of llvm-cov 13 to 22, and its output.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "../base/demangle.h"
#include "../base/error.h"
#include "json.h"
#include "../base/program.h"

enum { WARNINGS_MOST = 3, MCDC_FIRST = 18 };

void export_warnings(const char *program, const struct buffer *messages) {
  const char *slash = strrchr(program, '/');
  char *at = (char *)messages->data;
  unsigned count = 0;
  for (char *line; at && (line = program_line(&at));)
    if (*line && count++ < WARNINGS_MOST)
      report(slash ? slash + 1 : program, "%s", line);
  if (count > WARNINGS_MOST)
    report(slash ? slash + 1 : program, "and %u lines more",
           count - WARNINGS_MOST);
}

const char *group_profile(const struct inputs *inputs,
                          const struct group *group) {
  static char name[256];
  const char *stem = inputs->subjects[group->members[0]].stem;
  if (group->count == 1)
    return stem;
  snprintf(name, sizeof name, "%s.and-others", stem);
  return name;
}

/* Adds an option that leaves out exactly this file. */
static void leave_out(struct arguments *arguments, const char *file) {
  char pattern[2 * 4096], *to = pattern;
  for (; *file && to < pattern + sizeof pattern - 3; file++) {
    if (strchr("\\^$.|?*+()[]{}", *file))
      *to++ = '\\';
    *to++ = *file;
  }
  *to = 0;
  arguments_add(arguments, "-ignore-filename-regex=^%s$", pattern);
}

char *export_file(const struct coverage *coverage, const char *stem,
                  const char *extension) {
  char name[300];
  snprintf(name, sizeof name, "%s%s", stem, extension);
  return folder_path(coverage->folder, name);
}

int export_merge(const struct coverage *coverage, const struct group *group,
                 const struct stems *stems) {
  struct arguments arguments = {0};
  struct buffer messages = {.limit = MESSAGES_LIMIT};
  arguments_file(&arguments, "", group->profdata.path);
  arguments_add(&arguments, "merge");
  for (size_t i = 0; i < stems->count; i++) {
    char *raw = export_file(coverage, stems->list[i], ".profraw");
    arguments_file(&arguments, "", raw ? raw : "");
    arguments.failed |= !raw;
    free(raw);
  }
  char *indexed = export_file(coverage, stems->to, ".profdata");
  arguments_add(&arguments, "-o");
  arguments_file(&arguments, "", indexed ? indexed : "");
  arguments.failed |= !indexed;
  free(indexed);
  int status = program_run(&arguments, NULL, &messages);
  if (!status && stems->warns)
    export_warnings(group->profdata.path, &messages);
  arguments_free(&arguments);
  buffer_free(&messages);
  return status;
}

/* The beginning of each command line. profile: the indexed one's stem. */
static void begin(const struct coverage *coverage, const struct group *group,
                  const char *profile, const char *command,
                  struct arguments *arguments) {
  char *path = export_file(coverage, profile, ".profdata");
  arguments_file(arguments, "", group->cov.path);
  arguments_add(arguments, "%s", command);
  arguments_file(arguments, "-instr-profile=", path ? path : "");
  arguments->failed |= !path;
  free(path);
  for (size_t i = 0; i < group->count; i++) {
    const struct subject *subject =
        &coverage->inputs->subjects[group->members[i]];
    for (size_t k = 0; k < subject->dropped_count; k++)
      leave_out(arguments, subject->dropped[k]);
    arguments_file(arguments, i ? "-object=" : "",
                   subject->cut     ? subject->cut
                   : subject->named ? subject->named
                                    : subject->name);
  }
}

int export_lines(const struct coverage *coverage, const struct group *group,
                 const char *profile, struct buffer *out) {
  struct arguments arguments = {0};
  struct buffer messages = {.limit = MESSAGES_LIMIT};
  out->limit = EXPORT_LIMIT;
  begin(coverage, group, profile, "export", &arguments);
  arguments_add(&arguments, "-format=lcov");
  int status = program_run(&arguments, out, &messages);
  arguments_free(&arguments);
  buffer_free(&messages);
  return status;
}

int export_run(const struct coverage *coverage, const struct group *group,
               const char *option, struct buffer *out) {
  struct arguments arguments = {0};
  struct buffer messages = {.limit = MESSAGES_LIMIT};
  out->limit = EXPORT_LIMIT;
  begin(coverage, group, group_profile(coverage->inputs, group), "export",
        &arguments);
  if (option)
    arguments_add(&arguments, "%s", option);
  int status = program_run(&arguments, out, &messages);
  /* Every call prints the same warnings. */
  if (!status && !group->warned && option &&
      strcmp(option, "-summary-only") == 0)
    export_warnings(group->cov.path, &messages);
  arguments_free(&arguments);
  buffer_free(&messages);
  return status;
}

/* ---- JSON ---- */

/* Returns the content of the export's array `data`. */
static struct bytes export_data(struct bytes text) {
  struct json json = json_begin(text);
  struct bytes data = {NULL, 0};
  char key[JSON_KEY];
  json_open(&json, '{');
  while (json_more(&json, '}')) {
    json_key(&json, key);
    struct bytes value = json_skip(&json);
    if (strcmp(key, "data") == 0)
      data = value;
  }
  return data;
}

/* data is an array: exports of more groups become its elements. */
int export_json(struct coverage *coverage, const struct group *group) {
  struct buffer text = {.limit = EXPORT_LIMIT};
  struct buffer joined = {.limit = EXPORT_LIMIT};
  struct buffer *all = &coverage->json;
  if (export_run(coverage, group, NULL, &text)) {
    buffer_free(&text);
    return 1;
  }
  if (!all->size) {
    *all = text;
    return 0;
  }
  struct bytes before = export_data((struct bytes){all->data, all->size});
  struct bytes more = export_data((struct bytes){text.data, text.size});
  const char *error = NULL;
  if (before.size < 3 || more.size < 3)
    error = "its exports cannot be combined; report the ELFs separately";
  size_t head = error ? 0 : (size_t)(before.data - all->data) + before.size - 1;
  if (!error)
    error = buffer_append(&joined, all->data, head);
  if (!error)
    error = buffer_append(&joined, ",", 1);
  if (!error)
    error = buffer_append(&joined, more.data + 1, more.size - 2);
  if (!error)
    error = buffer_append(&joined, all->data + head, all->size - head);
  buffer_free(&text);
  buffer_free(all);
  *all = joined;
  return error ? report("llvm-cov", "%s", error) : 0;
}

/* ---- HTML ---- */

/* Counts missing sources, and finds the first one in messages. */
static unsigned missing(struct buffer *messages, const char **first) {
  static const char begin[] = "error: ", end[] = ": No such file or directory";
  char *at = (char *)messages->data;
  unsigned count = 0;
  for (char *line; at && (line = program_line(&at));) {
    char *name = strstr(line, begin), *why = strstr(line, end);
    if (!name || !why || why < name)
      continue;
    *why = 0;
    if (count++ == 0)
      *first = name + strlen(begin);
  }
  return count;
}

/* The table needs no sources; the HTML does. */
static int tell_missing(const struct coverage *coverage,
                        const struct group *group, struct buffer *messages) {
  const char *first = NULL;
  unsigned count = missing(messages, &first);
  if (count)
    report(first, "not found, as %u of %zu sources; give --source-map FROM=TO",
           count, group->summary.count);
  return count && count >= group->summary.count &&
         !coverage->wishes->allow_missing;
}

int export_html(const struct coverage *coverage, const struct group *group) {
  const struct wishes *wishes = coverage->wishes;
  struct arguments arguments = {0};
  struct buffer messages = {.limit = MESSAGES_LIMIT};
  char *html = folder_path(coverage->folder, group->html);
  begin(coverage, group, group_profile(coverage->inputs, group), "show",
        &arguments);
  arguments_add(&arguments, "-format=html");
  arguments_file(&arguments, "-output-dir=", html ? html : "");
  arguments.failed |= !html;
  free(html);
  arguments_add(&arguments, "-show-branches=count");
  if (group->summary.total.scores[MCDC].count &&
      (group->cov.release >= MCDC_FIRST || !group->cov.release)) {
    arguments_add(&arguments, "-show-mcdc");
    arguments_add(&arguments, "-show-mcdc-summary");
  }
  char *demangler =
      wishes->no_demangle ? NULL : demangle_program(group->cov.release);
  if (demangler)
    arguments_file(&arguments, "-Xdemangler=", demangler);
  free(demangler);
  for (size_t i = 0; i < wishes->map_count; i++) {
    const char *map = wishes->maps[i], *equal = strchr(map, '=');
    arguments_add(&arguments, "-path-equivalence=%.*s,%s", (int)(equal - map),
                  map, equal + 1);
  }
  int status = program_run(&arguments, NULL, &messages);
  if (!status)
    status = tell_missing(coverage, group, &messages);
  arguments_free(&arguments);
  buffer_free(&messages);
  return status;
}
