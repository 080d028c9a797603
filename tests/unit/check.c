/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lines that tests/run counts.
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

static char label[160], where[160], why[400];
static unsigned long count;

void check_begin(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(label, sizeof label, format, arguments);
  va_end(arguments);
  where[0] = why[0] = 0;
  count = 0;
}

void check_where(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(where, sizeof where, format, arguments);
  va_end(arguments);
}

void check_end(void) {
  if (count == 0)
    snprintf(why, sizeof why, "nothing was checked");
  if (why[0])
    printf("not ok unit %s: %s\n", label, why);
  else
    printf("ok unit %s\n", label);
  fflush(stdout);
}

bool expect_at(const char *what, int line, uint64_t expected, uint64_t got) {
  count++;
  if (expected != got && !why[0])
    snprintf(why, sizeof why, "%s%sline %d: %s: expected %#llx, got %#llx",
             where, where[0] ? ", " : "", line, what,
             (unsigned long long)expected, (unsigned long long)got);
  return expected == got;
}
