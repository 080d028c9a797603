/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of sources in llvm-cov's output, which has `\` on Windows.
 */
#ifndef BAREPROF_TOOLS_EXPORT_NAMES_H
#define BAREPROF_TOOLS_EXPORT_NAMES_H

#include "../base/buffer.h"

/* Gives all names in an export, JSON or lcov, their form (source_name.h).
 * Returns NULL or the error. */
const char *export_names(struct buffer *text);

#endif
