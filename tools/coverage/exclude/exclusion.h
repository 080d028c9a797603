/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an exclusion takes out of a report.
 */
#ifndef BAREPROF_TOOLS_EXCLUSION_H
#define BAREPROF_TOOLS_EXCLUSION_H

#include <stdint.h>

enum exclusion_kind {
  EXCLUDED_LINES,
  EXCLUDED_BRANCHES, /* of the lines, and their decisions; the lines stay */
  EXCLUDED_FUNCTION, /* that begins on one of the lines */
  EXCLUDED_DECISION  /* of MC/DC; its lines and branches stay */
};

/* Lines of a source, the last one included. */
struct line_span {
  uint32_t first, last;
};

#endif
