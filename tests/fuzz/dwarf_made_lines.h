/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lines of dwarf_made.h, and the tables that its units share.
 */
#ifndef DWARF_MADE_LINES_H
#define DWARF_MADE_LINES_H

#include "dwarf_made.h"

/* ---- lines ---- */

static inline void put_opcode(struct made_dwarf *made) {
  unsigned opcode = take(made->input) % 16;
  if (opcode >= 13) {
    put(made, MADE_LINE, 13 + take(made->input) % 240, 1);
    return;
  }
  if (opcode == 0) {
    put(made, MADE_LINE, 0, 1);
    put(made, MADE_LINE, 2, 1);
    put(made, MADE_LINE, 4, 1);
    put(made, MADE_LINE, take(made->input) % 128, 1);
    return;
  }
  put(made, MADE_LINE, opcode, 1);
  if (opcode == 9)
    put(made, MADE_LINE, take(made->input), 2);
  else if ((opcode >= 2 && opcode <= 5) || opcode == 12)
    put(made, MADE_LINE, take(made->input) % 128, 1);
}

static inline void put_files(struct made_dwarf *made) {
  if (made->version < 5) {
    put_text(made, MADE_LINE, take(made->input) % 2 ? "sub" : "/sub");
    put_text(made, MADE_LINE, "");
    put_text(made, MADE_LINE, take(made->input) % 4 ? "a.c" : "/a.c");
    put(made, MADE_LINE, take(made->input) % 2, 1);
    put(made, MADE_LINE, 0, 2);
    put_text(made, MADE_LINE, "");
    return;
  }
  static const unsigned char directories[] = {1, 1, 0x08, 1};
  static const unsigned char files[] = {3, 1, 0x1F, 2, 0x0B, 5, 0x1E, 2};
  for (unsigned i = 0; i < sizeof directories; i++)
    put(made, MADE_LINE, directories[i], 1);
  put_text(made, MADE_LINE, "/dir");
  for (unsigned i = 0; i < sizeof files; i++)
    put(made, MADE_LINE, files[i], 1);
  for (unsigned i = 0; i < 2; i++) {
    put(made, MADE_LINE, made_string_at[DIR], made->offset);
    put(made, MADE_LINE, take(made->input) % 2, 1);
    put(made, MADE_LINE, 0, 8);
    put(made, MADE_LINE, 0, 8);
  }
}

static void put_sequence(struct made_dwarf *made, uint64_t address) {
  put(made, MADE_LINE, 0, 1);
  put(made, MADE_LINE, made->address + 1, 1);
  put(made, MADE_LINE, 2, 1);
  put(made, MADE_LINE, address, made->address);
  put(made, MADE_LINE, 1, 1);
  for (unsigned i = take(made->input) % 16; i; i--)
    put_opcode(made);
  /* advance the address by 48 bytes, end the sequence */
  put(made, MADE_LINE, 9, 1);
  put(made, MADE_LINE, 48, 2);
  for (unsigned i = 0; i < 3; i++)
    put(made, MADE_LINE, i > 0, 1);
}

static inline void put_lines(struct made_dwarf *made) {
  static const unsigned char rest[] = {1, 0xFB, 14, 13, 0, 1, 1, 1,
                                       1, 0,    0,  0,  1, 0, 0, 1};
  size_t length = begin_length(made, MADE_LINE);
  put(made, MADE_LINE, made->version, 2);
  if (made->version >= 5) {
    put(made, MADE_LINE, made->address, 1);
    put(made, MADE_LINE, 0, 1);
  }
  put(made, MADE_LINE, 0, made->offset);
  size_t header = made->sections[MADE_LINE].size;
  put(made, MADE_LINE, 1 + take(made->input) % 2, 1);
  if (made->version >= 4)
    put(made, MADE_LINE, 1 + take(made->input) % 2, 1);
  for (unsigned i = 0; i < sizeof rest; i++)
    put(made, MADE_LINE, rest[i], 1);
  put_files(made);
  end_length(made, MADE_LINE, header);
  put_sequence(made, made_addresses[BEGIN]);
  if (take(made->input) % 2)
    put_sequence(made, take(made->input) % 2 ? 0 : made_addresses[MIDDLE]);
  end_length(made, MADE_LINE, length);
}

/* ---- tables ---- */

static void put_pair(struct made_dwarf *made, unsigned section, uint64_t begin,
                     uint64_t end) {
  put(made, section, begin, made->address);
  put(made, section, end, made->address);
}

static inline void put_range_lists(struct made_dwarf *made) {
  put_pair(made, MADE_RANGES, UINT64_MAX, made_addresses[BEGIN]);
  put_pair(made, MADE_RANGES, 0, 0x10);
  put_pair(made, MADE_RANGES, 0x10, 0x30);
  put_pair(made, MADE_RANGES, 0, 0);
  size_t length = begin_length(made, MADE_RNGLISTS);
  put(made, MADE_RNGLISTS, 5, 2);
  put(made, MADE_RNGLISTS, made->address, 1);
  put(made, MADE_RNGLISTS, 0, 1);
  put(made, MADE_RNGLISTS, 1, 4);
  put(made, MADE_RNGLISTS, made->offset, made->offset);
  static const unsigned char indexed[] = {1,     BEGIN,  4, 0,     16, 2,
                                          BEGIN, MIDDLE, 3, BEGIN, 8,  5};
  for (unsigned i = 0; i < sizeof indexed; i++)
    put(made, MADE_RNGLISTS, indexed[i], 1);
  put(made, MADE_RNGLISTS, made_addresses[BEGIN], made->address);
  put(made, MADE_RNGLISTS, 6, 1);
  put_pair(made, MADE_RNGLISTS, 0x1020, 0x1030);
  put(made, MADE_RNGLISTS, 7, 1);
  put(made, MADE_RNGLISTS, 0x1030, made->address);
  put_uleb(made, MADE_RNGLISTS, 0x10);
  put(made, MADE_RNGLISTS, 0, 1);
  end_length(made, MADE_RNGLISTS, length);
}

static inline void put_tables(struct made_dwarf *made) {
  for (unsigned i = 0; i < sizeof made_strings; i++) {
    put(made, MADE_STR, (unsigned char)made_strings[i], 1);
    put(made, MADE_LINE_STR, (unsigned char)made_strings[i], 1);
  }
  size_t length = begin_length(made, MADE_STR_OFFSETS);
  put(made, MADE_STR_OFFSETS, 5, 2);
  put(made, MADE_STR_OFFSETS, 0, 2);
  for (unsigned i = 0; i <= DIR; i++)
    put(made, MADE_STR_OFFSETS, made_string_at[i], made->offset);
  end_length(made, MADE_STR_OFFSETS, length);
  length = begin_length(made, MADE_ADDR);
  put(made, MADE_ADDR, 5, 2);
  put(made, MADE_ADDR, made->address, 1);
  put(made, MADE_ADDR, 0, 1);
  for (unsigned i = 0; i < ADDRESSES; i++)
    put(made, MADE_ADDR, made_addresses[i], made->address);
  end_length(made, MADE_ADDR, length);
  put_range_lists(made);
}

#endif
