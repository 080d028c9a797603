/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tiny sender that writes BINARY frames, for 4-byte counters.
 */
#define TINY_SHIFT 2
#define TINY_SEND bareprof_tiny_send_packed
#include "tiny_send.h"
