/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order in which llvm-profdata writes the checksums of functions. It means
 * nothing to readers, and is what a hash table of the C++ library has made of
 * the order of the text; here that table is built again, for the same bytes.
 */
#ifndef SAMPLE_BINARY_ORDER_H
#define SAMPLE_BINARY_ORDER_H

#include "sampled.h"

/* The functions of a finished profile, function_count of them, in a list that
 * the caller frees. NULL: no memory. */
const struct sampled_function **binary_order(const struct sampled *profile);

#endif
