/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How bytes of MIP's raw section can change as code runs. Everything is in this
 * header, because only snapshot.c and raw_write.c need it.
 */
#ifndef BAREPROF_TOOLS_MIPFORM_H
#define BAREPROF_TOOLS_MIPFORM_H

#include "../base/bytes.h"

/* The form of the raw bytes behind the header. If there are blocks among the
 * counts, only the map distinguishes them. */
enum mip_form {
  MIP_FORM_BYTES,
  MIP_FORM_COUNTS,
  MIP_FORM_MIXED,
  MIP_FORM_EDGES
};

/* Returns the form by the header of the raw section, in the target's byte
 * order. MIXED if the header is unknown, that is, all zeros. */
static inline enum mip_form mip_form_of(const unsigned char *header, bool big) {
  enum { BLOCKS = 2, COUNTED = 4 | 8 };
  uint32_t type = load32(header + 8, big);
  if (type && !(type & COUNTED))
    return MIP_FORM_BYTES;
  return !type || (type & BLOCKS) ? MIP_FORM_MIXED : MIP_FORM_COUNTS;
}

/* Whether a byte, or a word, can go from `then` to `now`. All ones: never. */
static inline bool mip_byte_grew(unsigned then, unsigned now) {
  return then == 0xFF || now != 0xFF;
}

/* which: 0 is the first word behind the header, or of the table of edges.
 * The table has the lost calls, and then callee, call site and count of each
 * edge. */
static inline bool mip_word_grew(enum mip_form form, uint32_t which,
                                 uint32_t then, uint32_t now) {
  if (form == MIP_FORM_EDGES)
    return which % 3 == 0 ? now >= then : then == 0 || now == then;
  return then == UINT32_MAX ||
         (now != UINT32_MAX && (form != MIP_FORM_COUNTS || now >= then));
}

#endif
