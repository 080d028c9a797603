/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raises errors that end a parser, however deep the code is that finds them.
 * Between catch_error and raise_error nothing is freed: all memory has to
 * belong to a struct of catch_error's caller. Only one thread may use them.
 */
#ifndef BASE_CATCH_H
#define BASE_CATCH_H

/* Calls `act`. Returns the error that the function raised, or NULL. */
const char *catch_error(void (*act)(void *context), void *context);

/* Ends the latest call of catch_error, which then returns this error. */
_Noreturn void raise_error(const char *error);

/* Raises the error unless it is NULL. */
static inline void raise_if_error(const char *error) {
  if (error)
    raise_error(error);
}

#endif
