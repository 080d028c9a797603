/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For counters of a byte: flags, single-byte coverage.
 */
#define TINY_SHIFT 0
#define TINY_SEND bareprof_tiny_send_flags
#include "tiny_binary.h"
