/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The shared part of Machine IR Profile on the target. mip.c fills and writes
 * the raw section; mip_edges.c is linked with BAREPROF_MIP_EDGES only,
 * mip_send.c with the wire. Sleds and the helpers in
 * arch/mip_*.S write to the raw section.
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

/* mip_sections.c: the raw section, and the program's parts for it; NULL if not
 * linked. */
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

/* mip.c: 0, or the reason why the raw section cannot be sent. */
int bareprof_mip_check(void);

/* The second word: two numbers of 16 bits, in the target's byte order, as all
 * is: the magic tells which that is. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BAREPROF_MIP_FILE(type) (BAREPROF_MIP_VERSION << 16 | (type))
#else
#define BAREPROF_MIP_FILE(type) (BAREPROF_MIP_VERSION | (type) << 16)
#endif

/* mip.c: magic; version and file type, of a raw section; profile type; module
 * hash; the build id's hash; the header's size. */
void bareprof_mip_header(uint32_t header[BAREPROF_MIP_HEADER / 4]);

#endif
