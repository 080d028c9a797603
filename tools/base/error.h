/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the tool reports an error: one line on standard error,
 *   bareprof: FILE: what is wrong; what to do
 * The parsers of this folder do not print. They return NULL or a string that
 * says `what is wrong; what to do`. Nobody frees the string. The caller knows
 * the file's name and passes the string to report.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>
#include <stdio.h>

#include "prints.h"

/* Prints the line, cut off at 1,000 bytes. file is as the user gave it ("-"
 * appears as `standard input`), or NULL for none. Returns 1, the exit status of
 * bad input: `return report(...)`. */
int report(const char *file, const char *format, ...) PRINTS_AS(2, 3);

/* Colours, on a terminal only. There are no colours if the stream is another
 * file, if NO_COLOR is set and not empty, or if TERM is dumb. Returns the text
 * to print before the coloured text; print PAINT_END behind. */
enum paint { PAINT_END, PAINT_RED, PAINT_YELLOW, PAINT_GREEN };
const char *paint(FILE *stream, enum paint colour);

/* The error of every function that runs out of memory; report_memory prints the
 * error. base/arena.h says where memory comes from. */
extern const char out_of_memory[];
int report_memory(const char *file);

/* Prints a name (of a symbol, for example) as part of a line of output. Control
 * characters could begin another line, so the function prints them as \xNN. */
void put_printable(FILE *stream, const char *name);

/* The same for the character at `at` of a text. Returns the number of
 * characters written to `to`. */
size_t printable_byte(char to[5], const char *text, const char *at);

/* Copies text from a file into to, which holds room bytes, and ends the copy
 * with a zero. Control characters become \xNN, because a terminal would obey
 * them; UTF-8 stays. Text that does not fit is left out. Returns to. */
char *printable(char *to, size_t room, const char *text);

#endif
