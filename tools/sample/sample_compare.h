/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two builds of one program, function by function: what probes made slower or
 * larger.
 */
#ifndef SAMPLE_SAMPLE_COMPARE_H
#define SAMPLE_SAMPLE_COMPARE_H

#include <stdio.h>

#include "input.h"
#include "sample_program.h"

struct against {
  struct program *program;
  const struct samples *samples; /* NULL: there are none */
};

/* Writes the functions of builds[0], which has samples, that have more samples
 * or more bytes than in builds[1]; if that has no samples, those that have
 * another number of bytes. The most samples more, or the most samples, come
 * first. What is inlined counts for the function in the source, if both have
 * debug information. Returns NULL or the error. */
const char *samples_put_against(FILE *stream, const struct against builds[2]);

#endif
