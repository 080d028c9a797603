/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the tool says that something is wrong: one line on standard error,
 *   bareprof: FILE: what is wrong; what to do
 * The parsers of this folder do not print. They return NULL, or a string
 * that says `what is wrong; what to do` and is never freed; the caller, who
 * knows the file's name, hands it to report.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>
#include <stdio.h>

/* Prints the line; what goes beyond 1,000 bytes is cut off. file is as the
 * user gave it ("-" appears as `standard input`), or NULL for none. Returns
 * 1, the exit status of bad input: `return report(...)`. */
int report(const char *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Colours, for a terminal alone: none where the stream is another file, where
 * NO_COLOR is set and not empty, and where TERM is dumb. Returns what to print
 * before; PAINT_END goes behind. */
enum paint { PAINT_END, PAINT_RED, PAINT_YELLOW, PAINT_GREEN };
const char *paint(FILE *stream, enum paint colour);

/* What every function says that has no memory left; report_memory prints it.
 * base/arena.h says where memory comes from. */
extern const char out_of_memory[];
int report_memory(const char *file);

/* A name, such as a symbol's, as a part of a line of output: control
 * characters, which could begin another line, as \xNN. */
void put_printable(FILE *stream, const char *name);

/* The same for the character at `at` of a text. Returns how many characters it
 * put to `to`. */
size_t printable_byte(char to[5], const char *text, const char *at);

/* Copies text from a file into to, which holds room bytes and ends in a zero:
 * control characters, which a terminal would obey, as \xNN; UTF-8 as it is.
 * What does not fit is left out. Returns to. */
char *printable(char *to, size_t room, const char *text);

#endif
