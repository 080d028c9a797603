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

/* ---- prints ----
 *
 * Functions that take a format as printf does, for the compiler's checks.
 */

/* The compiler's name for the formats of C11, where that is another one. */
#ifndef PRINTS_STYLE
#define PRINTS_STYLE printf
#endif

/* Which arguments are the format, and the first value. */
#define PRINTS_AS(format_at, values_at) \
  __attribute__((format(PRINTS_STYLE, format_at, values_at)))

/* Prints the line, cut off at 1,000 bytes. file is as the user gave it ("-"
 * appears as `standard input`), or NULL for none. Returns 1, the exit status of
 * bad input: `return report(...)`. */
int report(const char *file, const char *format, ...) PRINTS_AS(2, 3);

/* The same of what does not fail the command. On a terminal `bareprof:` is
 * yellow, and red of an error. */
void warn(const char *file, const char *format, ...) PRINTS_AS(2, 3);

/* Colours, on a terminal only, or as --color has them. There are no colours if
 * the stream is another file, if NO_COLOR is set and not empty, or if TERM is
 * dumb. Returns the text to print before the coloured text; print PAINT_END
 * after it. */
enum paint { PAINT_END, PAINT_RED, PAINT_YELLOW, PAINT_GREEN };
const char *paint(FILE *stream, enum paint colour);
enum paint_when { PAINT_AUTO, PAINT_ALWAYS, PAINT_NEVER };
void paint_choose(enum paint_when when);

/* Shows on a terminal how many of all are done, in one line, from the third
 * second on. done is 0 first; the line goes where done is all. */
void progress(size_t done, size_t all, const char *what);

/* The error of every function that runs out of memory; report_memory prints the
 * error. base/buffer.c says where memory comes from. */
extern const char out_of_memory[];
int report_memory(const char *file);

/* Prints a text that comes from a file, a name for example, as part of a line
 * of output. What could begin another line, what a terminal obeys or does not
 * show becomes \xNN, \uNNNN or \UNNNNNNNN; so do bytes that are no UTF-8. */
void put_printable(FILE *stream, const char *text);

/* The same into to, which holds room bytes, with a zero behind. Text that does
 * not fit is left out. Returns to. */
char *printable(char *to, size_t room, const char *text);

/* The same for one character of a text that has `left` bytes from `at` on.
 * Returns the bytes written, and in *taken those read. */
enum { PRINTABLE_ROOM = 11 };
size_t printable_character(char to[PRINTABLE_ROOM], const char *at, size_t left,
                           size_t *taken);

#endif
