/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranges to samples: each instruction of a range was seen as often as the
 * range ran.
 */
#ifndef SAMPLE_EXPAND_H
#define SAMPLE_EXPAND_H

#include "input.h"
#include "listing.h"

/* Makes samples of ranges, whatever their contexts. to need not be initialised
 * before; the caller frees it with samples_free in any case. NULL, or what is
 * wrong. */
const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count);

#endif
