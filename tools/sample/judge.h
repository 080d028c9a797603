/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether samples are fit for a profile: a profile that is confidently wrong
 * is worse than none.
 */
#ifndef SAMPLE_JUDGE_H
#define SAMPLE_JUDGE_H

#include "attribute.h"
#include "make.h"
#include "targets.h"

/* 0; or 1 and it said why they are refused. --force lets pass what might be
 * meant. */
int judge_samples(const struct samples_wishes *wishes,
                  const struct program *program, const struct samples *samples,
                  const struct rates *rates);

/* Says what is strange in return addresses and calls. */
void judge_targets(const struct samples_wishes *wishes,
                   const struct program *program, const struct samples *samples,
                   const struct targets_found *found);

#endif
