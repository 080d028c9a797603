/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny sender as BINARY, for 8-byte counters.
 */
#define TINY_SHIFT 3
#define TINY_SEND bareprof_tiny_send
#include "tiny_send.h"
