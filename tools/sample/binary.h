/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile in LLVM's extensible binary form, version 103: the very bytes that
 * llvm-profdata merge --sample --extbinary makes of its text (19 to 22; those
 * of 14 differ in the order of the last section, which means nothing).
 */
#ifndef SAMPLE_BINARY_H
#define SAMPLE_BINARY_H

#include "../base/buffer.h"
#include "sampled.h"

/* Adds the file to out. The profile is finished; all functions have contexts,
 * or none has. NULL, or what is wrong. */
const char *sampled_put_binary(struct buffer *out,
                               const struct sampled *profile);

#endif
