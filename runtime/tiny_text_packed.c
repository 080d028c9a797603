/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For counters of 4 bytes, `--counters=32-packed`.
 */
#define TINY_SHIFT 2
#define TINY_SEND bareprof_tiny_send_text_packed
#include "tiny_text.h"
