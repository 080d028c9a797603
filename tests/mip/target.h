/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of target.sh's programs: the functions of sleds.S, and the
 * offsets of their raw bytes after the header.
 */
#ifndef TARGET_H
#define TARGET_H

#include "bareprof_mip.h"

void plain(void);
void cover_address(void), cover_index(void), cover_far(void);
void count_address(void), count_index(void), count_far(void);
void edge_address(void), edge_index(void), last(void);
void shared_address(void), shared_index(void), shared_edge(void);
void step_address(void), step_index(void);
void count_inline(void), sample_inline(void);
void call_1(void), call_2(void), call_3(void), call_4(void);

enum {
  COVER_ADDRESS = 0,
  COVER_INDEX = 1,
  COVER_FAR = 0x1234,
  COUNT_ADDRESS = 8,
  COUNT_INDEX = 16,
  COUNT_FAR = 0x321 * 8,
  EDGE_ADDRESS = 24,
  EDGE_INDEX = 32,
  SHARED_ADDRESS = 40,
  SHARED_INDEX = 48,
  SHARED_EDGE = 56,
  LAST = 64,
  STEP_ADDRESS = 80,
  STEP_INDEX = 96,
  COUNT_INLINE = 112,
  SAMPLE_INLINE = 120,
  ROOM = 0x321 * 8 + 8
};

extern unsigned char bareprof_mip_room[];

static inline volatile uint32_t *raw_words(unsigned offset) {
  return (volatile uint32_t *)(void *)(bareprof_mip_room + 24 + offset);
}

#endif
