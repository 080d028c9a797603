/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file builds the report's folder next to its final name, so that a rename
 * completes the report. Until then, an existing report stays as it is.
 */
#include "coverage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/program.h"
#include "../base/os.h"
#include "../base/file.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "inputs/paths.h"

#define MARKER ".bareprof-report"

static char *join_path(const char *folder, const char *between,
                       const char *name) {
  size_t size = strlen(folder) + strlen(between) + strlen(name) + 1;
  char *path = malloc(size);
  if (path)
    snprintf(path, size, "%s%s%s", folder, between, name);
  return path;
}

char *folder_file_path(const struct report_folder *folder, const char *name) {
  return need_memory(join_path(folder->temporary, "/", name));
}

static bool stop_at_entry(void *context, const char *path, bool is_folder) {
  (void)context;
  (void)path;
  (void)is_folder;
  return false;
}

/* Returns whether a report may have the name `target`: the name is free, or an
 * empty folder or an older report has it. */
static bool is_folder_replaceable(const char *target) {
  char *path = join_path(target, "/", MARKER);
  bool ours = path && os_exists(path);
  free(path);
  return ours || !os_exists(target) ||
         os_list_folder(target, stop_at_entry, NULL);
}

static void exit_if_folder_failed(const struct report_folder *folder,
                                  bool failed, const char *what) {
  if (failed)
    exit_if_failed(report(folder->name,
                          "the report cannot be %s: %s; check the path, the "
                          "permissions and the disk space",
                          what, os_error_text(errno)));
}

static FILE *open_marker_file(const struct report_folder *folder,
                              const char *mode) {
  char *path = folder_file_path(folder, MARKER);
  FILE *stream = os_fopen(path, mode);
  free(path);
  exit_if_folder_failed(folder, !stream, "written");
  return stream;
}

static void write_marker_file(const struct report_folder *folder) {
  FILE *stream = open_marker_file(folder, "w");
  fputs("A report of bareprof. The next one replaces these files:\n", stream);
  exit_if_folder_failed(folder, fclose(stream), "written");
}

/* ---- files that no report wrote ----
 *
 * The marker file lists the files that a report wrote. When a new report
 * replaces the folder, all other files move to the new folder.
 */

enum { MARK_LIMIT = 1 << 28 };

struct report_folder_walk {
  const char *from, *to;
  struct map known; /* set of hashes of the names that the report wrote */
  FILE *list;
  bool failed;
};

static bool print_entry_names(void *context, const char *path, bool is_folder) {
  const struct report_folder_walk *moving = context;
  fprintf(moving->list, "%s\n", path + strlen(moving->from) + 1);
  return !is_folder || os_list_folder(path, print_entry_names, context);
}

static bool move_unlisted_file(void *context, const char *path,
                               bool is_folder) {
  struct report_folder_walk *moving = context;
  const char *name = path + strlen(moving->from) + 1;
  if (map_find(&moving->known, md5_low64(name, strlen(name)), 0, 0)) {
    if (is_folder)
      os_list_folder(path, move_unlisted_file, context);
    return !moving->failed;
  }
  char *to = join_path(moving->to, "/", name);
  if (!to || os_exists(to) || !os_rename(path, to))
    moving->failed = report(path, "this file is not from a report, and the new "
                                  "report would delete it; move the file away");
  free(to);
  return !moving->failed;
}

/* Moves the files that no report wrote from the old folder to the new one. The
 * marker file of an older bareprof does not list files; then all files are
 * treated as files of the report. */
static int move_unlisted_files(const char *from, const char *to) {
  struct report_folder_walk moving = {
      from, to, {.limit = MARK_LIMIT}, NULL, false};
  char *path = need_memory(join_path(from, "/", MARKER));
  struct file mark;
  struct bytes line;
  bool found = false;
  int status = file_read_if_exists(&mark, path, MARK_LIMIT, &found);
  struct bytes left = found ? mark.bytes : (struct bytes){NULL, 0};
  while (!status && bytes_next_line(&left, &line))
    moving.failed |=
        !map_find_or_add(&moving.known, md5_low64(line.data, line.size), 0, 0);
  if (moving.known.count > 1 && !moving.failed)
    os_list_folder(from, move_unlisted_file, &moving);
  map_free(&moving.known);
  if (found && !status)
    file_close(&mark);
  free(path);
  return status || moving.failed;
}

static void write_file_list(const struct report_folder *folder) {
  struct report_folder_walk moving = {.from = folder->temporary};
  moving.list = open_marker_file(folder, "a");
  os_list_folder(folder->temporary, print_entry_names, &moving);
  exit_if_folder_failed(folder, fclose(moving.list), "written");
}

/* ---- the folder ---- */

static void make_parent_folders(char *name) {
  for (char *at = name + 1; *name && *at; at++)
    if (os_is_separator(*at)) {
      char kept = *at;
      *at = 0;
      if (!os_exists(name))
        (void)os_make_folder(name);
      *at = kept;
    }
}

/* The folder that exit removes; or NULL. */
static struct report_folder *unfinished;

static void abandon_unfinished_folder(void) {
  if (unfinished)
    folder_abandon(unfinished);
}

void folder_begin(struct report_folder *folder, const char *name) {
  *folder = (struct report_folder){.name = name, .held = -1};
  interrupt_delay_signals();
  unfinished = folder;
  atexit(abandon_unfinished_folder);
  folder->target = os_real_path(name);
  if (!folder->target)
    folder->target = need_memory(os_is_absolute(name) || *name == '.'
                                     ? strdup(name)
                                     : join_path(".", "/", name));
  size_t size = strlen(folder->target);
  while (size > 1 && os_is_separator(folder->target[size - 1]))
    folder->target[--size] = 0;
  if (!is_folder_replaceable(folder->target)) {
    struct os_file_info facts;
    bool file = os_stat(folder->target, &facts) && facts.kind != OS_FOLDER;
    exit_if_failed(
        report(name, file ? "this is a file; pass a folder to -o"
                          : "the folder exists and is not a report; use "
                            "another -o, or remove the folder"));
  }
  make_parent_folders(folder->target);
  os_remove_unfinished(folder->target);
  char *made = need_memory(join_path(folder->target, "", OS_UNFINISHED));
  exit_if_folder_failed(folder, !os_make_shared_folder(made, &folder->held),
                        "made");
  folder->temporary = made;
  write_marker_file(folder);
}

void folder_refuse_input_inside(const struct report_folder *folder,
                                const char *file) {
  char *real = os_real_path(file), *target = os_real_path(folder->target);
  if (real && target && paths_find_part_below(real, target, strlen(target)))
    exit_if_failed(report(file,
                          "the file is inside %s, which the report replaces; "
                          "use another -o",
                          folder->name));
  free(real);
  free(target);
}

static bool is_reserved_name(const char *name) {
  static const char *const names[] = {"html", "evidence.json", "tests.json",
                                      "console.log", MARKER};
  size_t size = 0;
  while (name[size] && !os_is_separator(name[size]))
    size++;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && os_are_same_name(names[i], name, size))
      return true;
  const char *dot = strrchr(name, '.');
  return !*name || (dot && (strcmp(dot, ".profraw") == 0 ||
                            strcmp(dot, ".profdata") == 0));
}

void folder_refuse_output(const struct report_folder *folder,
                          const char *output) {
  bool refused = false;
  for (size_t i = 1; *output && output[i - 1] && !refused; i++) {
    if (output[i] && !os_is_separator(output[i]))
      continue;
    char *around = need_memory(strdup(output));
    around[i] = 0;
    if (file_names_same_file(around, folder->target)) {
      while (os_is_separator(output[i]))
        i++;
      refused = is_reserved_name(output + i);
    }
    free(around);
  }
  if (refused)
    exit_if_failed(report(output,
                          "the report in %s has a file with this name; use "
                          "another name",
                          folder->name));
}

void folder_commit(struct report_folder *folder) {
  char *old = need_memory(join_path(folder->temporary, "", OS_REPLACED));
  bool there = os_exists(folder->target);
  write_file_list(folder);
  if (there && move_unlisted_files(folder->target, folder->temporary)) {
    (void)move_unlisted_files(folder->temporary, folder->target);
    exit_if_failed(1);
  }
  bool wrong = there && !os_rename(folder->target, old);
  if (!wrong && !os_rename(folder->temporary, folder->target)) {
    int error = errno;
    wrong = true;
    if (there)
      (void)(os_rename(old, folder->target) &&
             move_unlisted_files(folder->temporary, folder->target));
    errno = error;
  }
  if (!wrong && there)
    os_remove_folder(old);
  exit_if_folder_failed(folder, wrong, "put in its place");
  free(folder->temporary);
  folder->temporary = NULL;
  free(old);
  folder_abandon(folder);
}

void folder_abandon(struct report_folder *folder) {
  unfinished = NULL;
  if (folder->temporary)
    os_remove_folder(folder->temporary);
  os_unlock_folder(folder->held);
  free(folder->temporary);
  free(folder->target);
  folder->temporary = folder->target = NULL;
  interrupt_resume_signals();
}
