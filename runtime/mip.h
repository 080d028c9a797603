/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the struct and the functions that the files of Machine IR Profile
 * share. Sleds, the first instructions of functions, and the helpers in
 * arch/mip_*.S count in the raw section. mip.c fills and writes the section,
 * mip_send.c sends it. mip_edges.c, which writes the calls by call site, is
 * linked only with BAREPROF_MIP_EDGES or BAREPROF_MIP_SAMPLED.
 */
#ifndef BAREPROF_RUNTIME_MIP_H
#define BAREPROF_RUNTIME_MIP_H

#include "bareprof_mip.h"

enum {
  BAREPROF_MIP_HEADER = 24,
  BAREPROF_MIP_MAGIC = 0x50494DFB,
  BAREPROF_MIP_VERSION = 8,
  BAREPROF_MIP_RAW = 1, /* file types */
  BAREPROF_MIP_RET = 4
};

/* mip_sections.c defines this struct: the bounds of the raw section, and
 * pointers to optional parts. A pointer is NULL if its part is not linked. */
struct bareprof_mip {
  unsigned char *begin, *end;
  const volatile struct bareprof_mip_unit *unit;
  const volatile struct bareprof_mip_unit
      *built; /* takes precedence over unit */
  uint32_t *time;
  const struct bareprof_mip_edges *edges;
  const struct bareprof_mip_room *room;
};
extern const struct bareprof_mip bareprof_mip;

/* mip.c: returns 0 if the raw section can be sent, or the error. */
int bareprof_mip_check(void);

/* The second word of a header is two 16-bit numbers in the target's byte order.
 * The host learns the byte order from the magic. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BAREPROF_MIP_FILE(type) (BAREPROF_MIP_VERSION << 16 | (type))
#else
#define BAREPROF_MIP_FILE(type) (BAREPROF_MIP_VERSION | (type) << 16)
#endif

/* mip.c: fills the header of a raw section, which has six words: magic; version
 * and file type; profile type; module hash; hash of the build id; size of the
 * header. */
void bareprof_mip_fill_header(uint32_t header[BAREPROF_MIP_HEADER / 4]);

#endif
