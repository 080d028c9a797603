/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tiny sender that writes BINARY frames, for byte counters.
 */
#define TINY_SHIFT 0
#define TINY_SEND bareprof_tiny_send_flags
#include "tiny_send.h"
