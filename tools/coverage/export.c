/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Command lines of llvm-cov 13 to 22, and its output.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "../base/demangle.h"
#include "../base/error.h"
#include "export_names.h"
#include "json.h"
#include "../base/os.h"
#include "../base/source_name.h"
#include "../base/program.h"

enum { WARNINGS_MOST = 3, MCDC_FIRST = 18 };

void export_warnings(const char *program, const struct buffer *messages) {
  const char *name = os_base(program);
  char *at = (char *)messages->data;
  unsigned count = 0;
  for (char *line; at && (line = program_line(&at));)
    if (*line && count++ < WARNINGS_MOST)
      report(name, "%s", line);
  if (count > WARNINGS_MOST)
    report(name, "and %u lines more", count - WARNINGS_MOST);
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

/* Adds an option that leaves out exactly this file, whichever separators
 * llvm-cov has. */
static void leave_out(struct arguments *arguments, const char *file) {
  char pattern[4 * 4096], *to = pattern;
  for (; *file && to < pattern + sizeof pattern - 6; file++) {
    if (*file == '/' && os_is_separator('\\')) {
      strcpy(to, "[/\\]");
      to += strlen(to);
      continue;
    }
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

/* The program of a command line, its command, and its profile. */
struct beginning {
  const struct program *cov;
  const char *command;
  const char *profile; /* NULL: the group's */
};

static void begin(const struct coverage *coverage, const struct group *group,
                  struct beginning with, struct arguments *arguments) {
  const char *profile =
      with.profile ? with.profile : group_profile(coverage->inputs, group);
  char *path = export_file(coverage, profile, ".profdata");
  arguments_file(arguments, "", with.cov->path);
  arguments_add(arguments, "%s", with.command);
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

int export_run(const struct coverage *coverage, const struct group *group,
               const struct export_text *what, struct buffer *out) {
  struct arguments arguments = {0};
  struct buffer messages = {.limit = MESSAGES_LIMIT};
  out->limit = EXPORT_LIMIT;
  begin(coverage, group,
        (struct beginning){&group->cov, "export", what->profile}, &arguments);
  arguments_add(&arguments, "%s", what->option);
  int status = program_run(&arguments, out, &messages);
  arguments_free(&arguments);
  buffer_free(&messages);
  const char *error = status ? NULL : export_names(out);
  return error ? report("llvm-cov", "%s", error) : status;
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

/* data is an array: exports of more groups become its elements. Takes the
 * text. */
static int add_json(struct coverage *coverage, struct buffer *text) {
  struct buffer joined = {.limit = EXPORT_LIMIT};
  struct buffer *all = &coverage->json;
  if (!all->size) {
    *all = *text;
    *text = (struct buffer){0};
    return 0;
  }
  struct bytes before = export_data((struct bytes){all->data, all->size});
  struct bytes more = export_data((struct bytes){text->data, text->size});
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

/* The table needs no sources; the pages do. */
int export_missing(const struct coverage *coverage, const struct group *group,
                   unsigned count, const char *first) {
  size_t all = group->exported.summary.count;
  if (count)
    report(first, "not found, as %u of %zu sources; give %s", count, all,
           source_is_absolute(first)
               ? "--source-map FROM=TO"
               : "--root DIR, the folder that they were compiled in");
  return count && count >= all && !coverage->wishes->allow_missing;
}

static void begin_html(const struct coverage *coverage,
                       const struct group *group, struct arguments *arguments) {
  const struct wishes *wishes = coverage->wishes;
  char *html = folder_path(coverage->folder, group->html);
  begin(coverage, group, (struct beginning){&group->cov, "show", NULL},
        arguments);
  arguments_add(arguments, "-format=html");
  arguments_file(arguments, "-output-dir=", html ? html : "");
  arguments->failed |= !html;
  free(html);
  arguments_add(arguments, "-show-branches=count");
  if (group->exported.summary.total.scores[MCDC].count &&
      (group->cov.release >= MCDC_FIRST || !group->cov.release)) {
    arguments_add(arguments, "-show-mcdc");
    arguments_add(arguments, "-show-mcdc-summary");
  }
  char *demangler =
      wishes->no_demangle ? NULL : demangle_program(group->cov.release);
  if (demangler)
    arguments_file(arguments, "-Xdemangler=", demangler);
  free(demangler);
  for (size_t i = 0; i < wishes->map_count; i++) {
    const char *map = wishes->maps[i], *equal = strchr(map, '=');
    arguments_add(arguments, "-path-equivalence=%.*s,%s", (int)(equal - map),
                  map, equal + 1);
  }
}

/* ---- calls ---- */

static void begin_call(const struct coverage *coverage,
                       const struct export_call *call,
                       struct program_run *run) {
  const struct group *group = call->group;
  struct arguments *arguments = &run->arguments;
  run->out.limit = EXPORT_LIMIT;
  run->messages.limit = MESSAGES_LIMIT;
  run->keeps = call->kind != EXPORT_HTML;
  if (call->kind == EXPORT_HTML) {
    begin_html(coverage, group, arguments);
    return;
  }
  begin(coverage, group,
        (struct beginning){call->kind == EXPORT_VECTORS ? &group->vectors_cov
                                                        : &group->cov,
                           "export", NULL},
        arguments);
  if (call->kind == EXPORT_SUMMARY)
    arguments_add(arguments, "-summary-only");
  if (call->kind == EXPORT_LCOV)
    arguments_add(arguments, "-format=lcov");
  /* Functions have the expansions too. */
  if (call->kind == EXPORT_VECTORS ||
      (call->kind == EXPORT_JSON && !(coverage->wishes->json && group->final)))
    arguments_add(arguments, "-skip-expansions");
}

/* Every call prints the same warnings. */
static void warn_once(struct group *group, const struct program_run *run) {
  if (!group->warned)
    export_warnings(group->cov.path, &run->messages);
  group->warned = true;
}

static int take_json(struct coverage *coverage, const struct export_call *call,
                     struct program_run *run) {
  struct exported *exported = call->kind == EXPORT_VECTORS
                                  ? &call->group->vectors
                                  : &call->group->exported;
  exported_free(exported);
  const char *error =
      exported_read(exported, (struct bytes){run->out.data, run->out.size});
  if (error)
    return report("llvm-cov", "%s", error);
  if (call->kind == EXPORT_JSON && coverage->wishes->json && call->group->final)
    return add_json(coverage, &run->out);
  return 0;
}

static int take_lcov(struct coverage *coverage, struct program_run *run) {
  coverage->lcov.limit = EXPORT_LIMIT;
  const char *error =
      buffer_append(&coverage->lcov, run->out.data, run->out.size);
  return error ? report("llvm-cov", "%s", error) : 0;
}

static int take_html(const struct coverage *coverage,
                     const struct export_call *call, struct program_run *run) {
  const char *first = NULL;
  unsigned count = missing(&run->messages, &first);
  return export_missing(coverage, call->group, count, first);
}

static int take_call(struct coverage *coverage, const struct export_call *call,
                     struct program_run *run) {
  if (call->kind == EXPORT_JSON || call->kind == EXPORT_SUMMARY)
    warn_once(call->group, run);
  if (call->kind == EXPORT_HTML)
    return take_html(coverage, call, run);
  const char *error = export_names(&run->out);
  if (error)
    return report("llvm-cov", "%s", error);
  if (call->kind == EXPORT_LCOV)
    return take_lcov(coverage, run);
  return take_json(coverage, call, run);
}

/* llvm-cov has said why it failed. */
static void tell_age(const struct export_call *call,
                     const struct program_run *run) {
  const struct group *group = call->group;
  if (run->status && group->cov.release && group->cov.release < group->release)
    report("llvm-cov", "it is older than the compiler; leave --llvm out, or "
                       "give that of the compiler");
}

int export_all(struct coverage *coverage, const struct export_call *calls,
               size_t count) {
  struct program_run *runs = calloc(count + 1, sizeof *runs);
  if (!runs)
    return report_memory(NULL);
  for (size_t i = 0; i < count; i++)
    begin_call(coverage, &calls[i], &runs[i]);
  int status = programs_run(runs, count);
  for (size_t i = 0; i < count; i++) {
    if (status)
      tell_age(&calls[i], &runs[i]);
    else
      status = take_call(coverage, &calls[i], &runs[i]);
    buffer_free(&runs[i].out);
  }
  programs_free(runs, count);
  return status;
}
