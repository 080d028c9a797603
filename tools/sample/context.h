/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A context-sensitive profile: of each function, what it does where it is
 * called by that way, "[main:3 @ foo:2 @ bar]". The way is the callers that
 * the stack of a sample tells, each with what it was inlined into. It ends, on
 * the side of main, where it is not known which call that was: in code without
 * probes, at a tail call, at an interrupt. What repeats itself (recursion)
 * is there once.
 */
#ifndef SAMPLE_CONTEXT_H
#define SAMPLE_CONTEXT_H

#include "build.h"
#include "program.h"

/* NULL, or what is wrong. rates are those of all samples, and are lost. */
const char *context_build(struct building *building, struct program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution);

#endif
