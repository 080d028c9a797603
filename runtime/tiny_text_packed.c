/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tiny sender that writes TEXT frames (base64), for 4-byte counters.
 */
#define TINY_TEXT
#define TINY_SHIFT 2
#define TINY_SEND bareprof_tiny_send_text_packed
#include "tiny_send.h"
