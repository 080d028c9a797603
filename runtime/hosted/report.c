/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What went wrong, as one line on standard error. In one call of writev, so
 * that lines of several processes do not mix; without stdio, whose buffers
 * are the program's, and may be locked by whom it has just forked.
 */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hosted.h"

static struct iovec text(const char *string) {
  struct iovec piece = {(void *)(uintptr_t)string, strlen(string)};
  return piece;
}

void bareprof_hosted_report(const char *file, const char *what,
                            const char *then) {
  const struct iovec pieces[] = {text("bareprof: "), text(file), text(": "),
                                 text(what),         text("; "), text(then),
                                 text("\n")};
  /* If nobody can be told, nobody can be told that either. */
  if (writev(STDERR_FILENO, pieces, sizeof pieces / sizeof *pieces) < 0)
    return;
}

#define ANOTHER_COMPILER \
  "compile all of the program with the compiler that the archive is for"
#define SECTIONS "link without a script that leaves profile sections out"

static const struct {
  int error;
  const char *what;
  const char *then;
} reasons[] = {
    {BAREPROF_E_VERSION, "the objects' raw version is not known here",
     ANOTHER_COMPILER},
    {BAREPROF_E_NO_COUNTERS, "there are records and no counters", SECTIONS},
    {BAREPROF_E_NO_NAMES, "there are records and no names", SECTIONS},
    {BAREPROF_E_ALIGN, "records or counters are not aligned", SECTIONS},
    {BAREPROF_E_MIXED, "there are objects of two compilers", ANOTHER_COMPILER},
    {BAREPROF_E_RECORD,
     "a record points outside the counters, or into those of another function",
     ANOTHER_COMPILER},
    {BAREPROF_E_VALUES, "nothing can write its values",
     "link all of the archive"},
    {BAREPROF_E_BUSY, "a signal came in the middle of a dump's end",
     "write it elsewhere"},
    {BAREPROF_E_NOT_PROFILE, "what is in it is no profile",
     "remove it, or give another name"},
    {BAREPROF_E_TRUNCATED, "the profile in it is cut off", "remove it"},
    {BAREPROF_E_OTHER_BUILD, "the profile in it is of another build",
     "remove it, or have %m in the name"},
    {BAREPROF_E_OTHER_LAYOUT, "the profile in it is of another program",
     "remove it, or have %m in the name"},
};

void bareprof_hosted_report_error(const char *file, int error,
                                  const char *then) {
  if (error > 0)
    bareprof_hosted_report(file, strerror(error), then);
  if (error >= 0)
    return;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].error == error) {
      bareprof_hosted_report(file, reasons[i].what, reasons[i].then);
      return;
    }
  bareprof_hosted_report(file, "the profile cannot be written",
                         "see bareprof_status()");
}
