/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny sender that writes BINARY frames.
 */
#define TINY_SEND bareprof_tiny_send
#include "tiny_send.h"
