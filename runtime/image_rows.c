/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All raw versions, for the host tool and for archives that serve objects of
 * any compiler.
 */
#include "image_row.h"

#ifdef BAREPROF_ALL_ROWS

#define ROWS(p)                                                                \
  BAREPROF_ROW_7(p), BAREPROF_ROW_8(p), BAREPROF_ROW_9(p), BAREPROF_ROW_10(p), \
      BAREPROF_ROW_11(p)

enum { VERSIONS = BAREPROF_RAW_VERSION_LAST - BAREPROF_RAW_VERSION_FIRST + 1 };
#ifdef BAREPROF_FOREIGN
static const struct bareprof_layout layouts[] = {ROWS(4), ROWS(8)};
#else
static const struct bareprof_layout layouts[] = {ROWS(sizeof(void *))};
#endif

const struct bareprof_layout *
bareprof_layout_find(const struct bareprof_image *image) {
  uint32_t row = (uint32_t)*image->version - BAREPROF_RAW_VERSION_FIRST;
  if (row >= VERSIONS)
    return NULL;
#ifdef BAREPROF_FOREIGN
  row += image->pointer_size == 8 ? VERSIONS : 0;
#endif
  return &layouts[row];
}

#endif
