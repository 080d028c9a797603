/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Resets the running image.
 */
#include "image.h"

void bareprof_reset(void) { bareprof_reset_image(&bareprof_running); }
