/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The number that llvm-profdata knows a function of a profile by.
 */
#ifndef SAMPLE_CONTEXT_HASH_H
#define SAMPLE_CONTEXT_HASH_H

#include "sampled.h"

/* Of LLVM 19 to 22: of a function without a context the MD5 of its name; with
 * one, a mix of the names and sites of all frames. LLVM promises nothing about
 * that mix. false: no memory. */
bool context_hash(const struct sampled_function *function, uint64_t *hash);

#endif
