/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is said of samples besides the profile.
 */
#ifndef SAMPLE_VIEWS_H
#define SAMPLE_VIEWS_H

#include <stdio.h>

#include "build.h"
#include "program.h"

/* OUTERMOST;...;INNERMOST COUNT, a line for each stack, as flame graphs are
 * made of. The frames are symbols. NULL, or what is wrong. */
const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples);

/* Symbols by falling number of samples. NULL, or what is wrong. */
const char *samples_put_top(FILE *stream, const struct program *program,
                            const struct samples *samples);

/* One line on standard error for each thing about the samples that makes the
 * profile less than it seems. */
void samples_report(const char *elf, const struct samples *samples,
                    const struct rates *rates, const struct building *building);
/* Of these, one that profiles of lines have as well. */
void samples_report_unreadable(const char *elf, const struct rates *rates);

#endif
