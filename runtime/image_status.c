/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks the running image.
 */
#include "image.h"

int bareprof_status(void) { return bareprof_status_image(&bareprof_running); }
