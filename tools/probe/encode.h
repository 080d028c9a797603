/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sections of struct probes. What is written reads as it was, but that
 * inlined functions come by GUID and site, and the probes of each by address.
 */
#ifndef PROBE_ENCODE_H
#define PROBE_ENCODE_H

#include "inside.h"

/* Adds .pseudo_probe to a buffer. layout->encoding is for all records, or
 * PROBE_AUTO: each has its own. What an encoding cannot say is left out:
 * sentinels and discriminators but of PROBE_DELTA. NULL, or what is wrong. */
const char *probes_encode(const struct probes *probes,
                          const struct probe_layout *layout,
                          struct buffer *section);

/* Adds .pseudo_probe_desc. */
const char *probes_encode_functions(const struct probes *probes, bool big,
                                    struct buffer *section);

#endif
