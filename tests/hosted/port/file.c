/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the profile to its file, with compiler-rt's functions. A file is
 * emptied once, when the first module of the first process begins. After that,
 * profiles are appended: shared libraries and forked children add their own,
 * and tools read all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "weak_hooks.h"
#include "hosted.h"
#include "names.h"

/* Records may have sites without any code left that fills them. */
BAREPROF_LINKS(bareprof_hosted_write_values);

/* Set once files have been begun; children inherit it. compiler-rt's modules
 * in the same process look at it too. */
#define BEGUN "__LLVM_PROFILE_RT_INIT_ONCE"

/* Its name in messages. */
#define OBJECT "the file object"

/* In the place of a file of ours. */
static FILE *object;
static bool object_is_pool;

/* Makes the folders and empties the file: if this run ends early, no profile of
 * an earlier run remains. Pools are kept. */
static void begin_file(void) {
  char name[PATH_MAX];
  if (getenv(BEGUN) || bareprof_hosted_name(name, sizeof name))
    return;
  setenv(BEGUN, BEGUN, 1);
  __llvm_profile_recursive_mkdir(name);
  if (bareprof_hosted_is_pool())
    return;
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  /* Whether it can be written is said when it is. */
  if (file >= 0)
    close(file);
}

static void begin(void) {
  begin_file();
  if (bareprof_hosted_is_continuous())
    bareprof_hosted_go_continuous();
}

void __llvm_profile_initialize_file(void) {
  if (bareprof_hosted_choose_name())
    begin();
}

void __llvm_profile_set_filename(const char *name) {
  if (!bareprof_hosted_is_continuous() && bareprof_hosted_set_name(name))
    begin();
}

static void write_last(void) { __llvm_profile_write_file(); }

int __llvm_profile_register_write_file_atexit(void) {
  static bool registered;
  if (registered)
    return 0;
  registered = true;
  return atexit(write_last);
}

void __llvm_profile_initialize(void) {
  __llvm_profile_initialize_file();
  if (!bareprof_hosted_is_continuous())
    __llvm_profile_register_write_file_atexit();
}

int __llvm_profile_set_file_object(FILE *file, int merge) {
  char number[16];
  if (!bareprof_hosted_is_continuous()) {
    object = file;
    object_is_pool = merge != 0;
    return 0;
  }
  if (merge && fflush(file) == 0 &&
      bareprof_hosted_lock(fileno(file), true) == 0) {
    int error = bareprof_hosted_map(fileno(file), OBJECT, true);
    bareprof_hosted_lock(fileno(file), false);
    return error != 0;
  }
  snprintf(number, sizeof number, "%d", fileno(file));
  bareprof_hosted_report("Warning",
                         "__llvm_profile_set_file_object(fd=", number,
                         ") not supported in continuous sync mode when "
                         "merging is disabled; take a name without %c",
                         NULL);
  return 1;
}

/* The stream's own position follows what is written below it. */
static int write_object(void) {
  int file = fileno(object);
  fflush(object);
  int error;
  if (object_is_pool || bareprof_hosted_is_pool()) {
    bareprof_hosted_lock(file, true);
    error = bareprof_hosted_put_pool(file);
    bareprof_hosted_lock(file, false);
  } else {
    error = bareprof_hosted_put_file(file);
  }
  fseek(object, 0, SEEK_END);
  return error;
}

static int write_name(char *name) {
  bool pool = bareprof_hosted_is_pool();
  int file = pool ? bareprof_hosted_open_pool(name)
                  : open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0)
    return errno;
  int error =
      pool ? bareprof_hosted_put_pool(file) : bareprof_hosted_put_file(file);
  if (close(file) < 0 && !error)
    error = errno;
  return error;
}

/* A child that its parent's end would kill is not killed in the middle of
 * the file. */
static int write_undisturbed(void) {
  char name[PATH_MAX] = OBJECT;
  int signal = 0;
  int error = object ? 0 : bareprof_hosted_name(name, sizeof name);
  if (error) {
    bareprof_hosted_report("Error", "Failed to write file : ",
                           error == ENOENT ? "Filename not set"
                                           : strerror(error),
                           "; give another one in LLVM_PROFILE_FILE", NULL);
    return -1;
  }
  bool held = prctl(PR_GET_PDEATHSIG, &signal) == 0 && signal == SIGKILL &&
              prctl(PR_SET_PDEATHSIG, 0) == 0;
  error = object ? write_object() : write_name(name);
  if (held)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  bareprof_hosted_report_error(name, error);
  return error ? -1 : 0;
}

int __llvm_profile_write_file(void) {
  if (!bareprof_hosted_dumped && !bareprof_hosted_is_continuous())
    return write_undisturbed();
  bareprof_hosted_report("Note",
                         "Profile data not written to file: already written; "
                         "call __llvm_profile_reset_counters() to begin anew",
                         NULL);
  return 0;
}

int __llvm_profile_dump(void) {
  if (!object_is_pool && !bareprof_hosted_is_pool())
    bareprof_hosted_report(
        "Warning",
        "Later invocation of __llvm_profile_dump can lead to clobbering of "
        "previously dumped profile data: have %m in the name, or change the "
        "name before",
        NULL);
  int result = __llvm_profile_write_file();
  bareprof_hosted_dumped = true;
  return result;
}

const char *__llvm_profile_get_filename(void) {
  char name[PATH_MAX];
  char *copy = NULL;
  if (bareprof_hosted_name(name, sizeof name) == 0 &&
      (copy = strdup(name)) == NULL)
    bareprof_hosted_report("Error", "Failed to allocate memory", NULL);
  return copy ? copy : "";
}

const char *__llvm_profile_get_path_prefix(void) {
  static char folder[PATH_MAX];
  if (bareprof_hosted_name(folder, sizeof folder))
    return "";
  char *end = folder;
  for (char *at = folder; *at; at++)
    if (*at == '/')
      end = at + 1;
  *end = 0;
  return folder;
}
