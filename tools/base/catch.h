/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors that end a parser, however deep the code is that finds them. Between
 * catch_error and raise_error nothing is freed: all memory has to belong to a
 * struct of catch_error's caller.
 */
#ifndef BASE_CATCH_H
#define BASE_CATCH_H

/* Calls a function. Returns the error that it raised, or NULL. */
const char *catch_error(void (*act)(void *context), void *context);

/* Ends the last call of catch_error, which returns this error. */
_Noreturn void raise_error(const char *error);

/* Raises the error unless it is NULL. */
static inline void raise_if_error(const char *error) {
  if (error)
    raise_error(error);
}

#endif
