/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements catch.h. Calls of catch_error may be nested.
 */
#include "catch.h"

#include <setjmp.h>
#include <stddef.h>

static jmp_buf *catcher;
static const char *raised;

const char *catch_error(void (*act)(void *context), void *context) {
  jmp_buf here, *outer = catcher;
  if (setjmp(here)) {
    catcher = outer;
    return raised;
  }
  catcher = &here;
  act(context);
  catcher = outer;
  return NULL;
}

void raise_error(const char *error) {
  raised = error;
  longjmp(*catcher, 1);
}
