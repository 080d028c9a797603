/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors as lines on standard error. They begin as compiler-rt's do: scripts
 * look for these words. Each line is one call of writev, so that lines of
 * several processes do not mix. No stdio: its buffers are the program's, and a
 * process that has just forked may have locked them.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hosted.h"

enum { PIECES_MAX = 8 };

static struct iovec text(const char *string) {
  struct iovec piece = {(void *)(uintptr_t)string, strlen(string)};
  return piece;
}

void bareprof_hosted_report(const char *kind, ...) {
  struct iovec pieces[PIECES_MAX + 4] = {text("LLVM Profile "), text(kind),
                                         text(": ")};
  int count = 3;
  va_list rest;
  va_start(rest, kind);
  for (const char *piece; (piece = va_arg(rest, const char *)) != NULL;)
    if (count < PIECES_MAX + 3)
      pieces[count++] = text(piece);
  va_end(rest);
  pieces[count++] = text("\n");
  /* If the line cannot be written, neither can a line about that. */
  if (writev(STDERR_FILENO, pieces, count) < 0)
    return;
}

#define ANOTHER_COMPILER \
  "; compile all of the program with the compiler that the archive is for"
#define SECTIONS "; link without a script that leaves profile sections out"
#define NOT_WRITTEN "the profile is not written: "
#define UNLIKE                     \
  "Unable to merge profile data: " \
  "source profile file is not compatible: "
#define INVALID "Invalid profile data to merge: "
#define REMOVE "; remove it"
#define REMOVE_OR_NAME "; remove it, or have %m in the name"

/* then: what to do; for errors of a file that is merged into it stands in a
 * second line, behind the file's name. */
static const struct {
  int error;
  const char *kind;
  const char *what;
  const char *then;
  bool of_file;
} reasons[] = {
    {BAREPROF_E_VERSION, "Error",
     "Runtime and instrumentation version mismatch: "
     "the objects' raw version is not known here",
     ANOTHER_COMPILER, false},
    {BAREPROF_E_NO_COUNTERS, "Error",
     NOT_WRITTEN "there are records and no counters", SECTIONS, false},
    {BAREPROF_E_NO_NAMES, "Error", NOT_WRITTEN "there are records and no names",
     SECTIONS, false},
    {BAREPROF_E_ALIGN, "Error",
     NOT_WRITTEN "records or counters are not aligned", SECTIONS, false},
    {BAREPROF_E_MIXED, "Error",
     NOT_WRITTEN "there are objects of two compilers", ANOTHER_COMPILER, false},
    {BAREPROF_E_RECORD, "Error",
     NOT_WRITTEN "a record points into the counters of another function",
     ANOTHER_COMPILER, false},
    {BAREPROF_E_VALUES, "Error", NOT_WRITTEN "nothing can write its values",
     "; link all of the archive", false},
    {BAREPROF_E_BUSY, "Error",
     NOT_WRITTEN "a signal came in the middle of a dump's end",
     "; write it elsewhere", false},
    {BAREPROF_E_NOT_PROFILE, "Warning", UNLIKE "it is no profile",
     "; remove it, or give another name", true},
    {BAREPROF_E_TRUNCATED, "Warning", UNLIKE "it is cut off", REMOVE, true},
    {BAREPROF_E_OTHER_BUILD, "Warning", UNLIKE "it is of another build",
     REMOVE_OR_NAME, true},
    {BAREPROF_E_OTHER_LAYOUT, "Warning", UNLIKE "it is of another program",
     REMOVE_OR_NAME, true},
    {BAREPROF_HOSTED_DAMAGED, "Error",
     INVALID "its records or values are damaged", REMOVE, true},
    {BAREPROF_HOSTED_TEMPORAL, "Error",
     "Temporal profiles do not support profile merging at runtime.",
     "; have %p in the name, and merge the files with llvm-profdata", true},
};

void bareprof_hosted_report_error(const char *file, int error) {
  if (error > 0)
    bareprof_hosted_report("Error", "Failed to write file \"", file,
                           "\": ", strerror(error), "; give another name",
                           NULL);
  for (size_t i = 0; error && i < sizeof reasons / sizeof *reasons; i++) {
    if (reasons[i].error != error)
      continue;
    const char *then = reasons[i].then;
    bareprof_hosted_report(reasons[i].kind, reasons[i].what,
                           reasons[i].of_file ? NULL : then, NULL);
    if (reasons[i].of_file)
      bareprof_hosted_report("Error", "Profile Merging of file ", file,
                             " failed: ", strerror(EEXIST), then, NULL);
  }
}
