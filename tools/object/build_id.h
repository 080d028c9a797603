/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Build ids, whole or cut. Compact dumps have only the first 8 bytes, zeros
 * behind a shorter one.
 */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include "../base/bytes.h"

enum { BUILD_ID_CUT = 8 };

/* Whether they are of one build. An id of 8 bytes may be one that was cut; no
 * id is that of no build. */
static inline bool build_id_same(struct bytes a, struct bytes b) {
  bool cut = a.size == BUILD_ID_CUT || b.size == BUILD_ID_CUT;
  size_t size = cut ? BUILD_ID_CUT : a.size;
  if (!a.size || !b.size || (!cut && a.size != b.size))
    return false;
  for (size_t i = 0; i < size; i++)
    if ((i < a.size ? a.data[i] : 0) != (i < b.size ? b.data[i] : 0))
      return false;
  return true;
}

#endif
