/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What happens when a signal ends the program: files that are not whole are
 * removed, the console gets one line if an input broke.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

/* From now on SIGINT, SIGTERM and SIGHUP remove the files below before they
 * end the program, and a closed pipe is an error of write, not a signal. For
 * main, before anything else. Signals that are ignored stay so. */
void interrupt_catch(void);

/* The path is of a file that a signal must remove; it must live until it is
 * kept. More than 16 at a time are not remembered. */
void interrupt_remove(const char *path);
void interrupt_keep(const char *path);

/* Delays those signals, for work that a handler cannot undo, such as a folder
 * with files. Calls nest. The last interrupt_resume ends the program if a
 * signal came meanwhile. */
void interrupt_delay(void);
void interrupt_resume(void);

/* Whether a signal is waiting for interrupt_resume. */
bool interrupt_waits(void);

/* Bytes in memory are those of a mapped file: if the file becomes shorter, and
 * they are read, the program ends with an error that names it. */
void interrupt_map(const void *bytes, size_t size, const char *name);
void interrupt_unmap(const void *bytes);

#endif
