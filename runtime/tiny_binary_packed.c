/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny sender as BINARY, for 4-byte counters.
 */
#define TINY_SHIFT 2
#define TINY_SEND bareprof_tiny_send_packed
#include "tiny_send.h"
