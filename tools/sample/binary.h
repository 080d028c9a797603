/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile in LLVM's extensible binary form, version 103, as llvm-profdata
 * merge --sample --extbinary writes it. Only the order of the last section,
 * the checksums, is ours: there it is that of a hash table.
 */
#ifndef SAMPLE_BINARY_H
#define SAMPLE_BINARY_H

#include "../base/buffer.h"
#include "sampled.h"

/* Adds the file to out. The profile is finished, and of probes without
 * contexts. NULL, or what is wrong. */
const char *sampled_put_binary(struct buffer *out,
                               const struct sampled *profile);

#endif
