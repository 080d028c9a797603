/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The tiny sender that writes TEXT frames (base64).
 */
#define TINY_TEXT
#define TINY_SEND bareprof_tiny_send_text
#include "tiny_send.h"
