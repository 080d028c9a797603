/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tiny sender that writes BINARY frames, for 8-byte counters.
 */
#define TINY_SHIFT 3
#define TINY_SEND bareprof_tiny_send
#include "tiny_send.h"
