/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reports errors. An error is one line on standard error:
 *   bareprof: FILE: fault; remedy
 * Parsers do not print. A parser returns NULL or a string that says `fault;
 * remedy`, which nobody frees. The caller knows the file's name and passes the
 * string to report.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>
#include <stdio.h>

/* ---- compiler checks for functions with a format like printf's ---- */

/* PRINTS_STYLE is the compiler's name for formats of C11's printf. Some
 * compilers do not call them printf. */
#ifndef PRINTS_STYLE
#define PRINTS_STYLE printf
#endif

/* format_at and values_at are the positions of the format and of the first
 * value among a function's parameters, counted from 1. */
#define PRINTS_AS(format_at, values_at) \
  __attribute__((format(PRINTS_STYLE, format_at, values_at)))

/* Prints the error line, at most 1,000 bytes of it. file is the name as the
 * user gave it ("-" is printed as `standard input`), or NULL. Returns 1, the
 * exit status for bad input: `return report(...)`. */
int report(const char *file, const char *format, ...) PRINTS_AS(2, 3);

/* Prints a warning like report prints an error, for a fault that does not fail
 * the command. On a terminal `bareprof:` is yellow, with report it is red. */
void warn(const char *file, const char *format, ...) PRINTS_AS(2, 3);

/* Colours are printed on terminals only, unless --color says otherwise. By
 * default no text is coloured if the stream is not a terminal, if NO_COLOR is
 * set and not empty, or if TERM is dumb. Returns the text to print before the
 * coloured text; print PAINT_END after it. */
enum paint_colour { PAINT_END, PAINT_RED, PAINT_YELLOW, PAINT_GREEN };
const char *paint_code(FILE *stream, enum paint_colour colour);
enum paint_mode { PAINT_AUTO, PAINT_ALWAYS, PAINT_NEVER };
void paint_set_mode(enum paint_mode chosen);

/* Shows on a terminal, in one line, how many of `all` steps are done. The line
 * appears after two seconds. Call it with done 0 first; the line disappears
 * once done equals `all`. */
void show_progress(size_t done, size_t all, const char *what);

/* Every function that runs out of memory returns this error;
 * report_out_of_memory prints it. arena.h says which allocator to use. */
extern const char out_of_memory[];
int report_out_of_memory(const char *file);

/* Prints a text from a file, such as a name, as part of a line of output.
 * Characters that would start a new line, that a terminal would obey or that
 * are invisible become \xNN, \uNNNN or \UNNNNNNNN, and so do bytes that are not
 * UTF-8. */
void print_printable(FILE *stream, const char *text);

/* Writes the printable text and a zero to `to`, which holds `room` bytes. Text
 * that does not fit is left out. Returns to. */
char *make_printable(char *to, size_t room, const char *text);

/* Writes one character of a text in its printable form; `left` bytes of the
 * text remain at `at`. Returns the bytes written; *taken becomes the bytes
 * read. */
enum { PRINTABLE_ROOM = 11 };
size_t write_printable_character(char to[PRINTABLE_ROOM], const char *at,
                                 size_t left, size_t *taken);

#endif
