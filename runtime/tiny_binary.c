/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For counters of 8 bytes.
 */
#define TINY_SHIFT 3
#define TINY_SEND bareprof_tiny_send
#include "tiny_binary.h"
