/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The counts of an ELF in the memory of a target that a GDB server shows. Only
 * the ranges of counters and bitmaps are read, with what proves them: the guard
 * word, the build id, samples of the code. Functions return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_GDB_COUNTS_H
#define BAREPROF_TOOLS_GDB_COUNTS_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "gdb.h"

/* What a range of the target's memory has. A proof is the guard word, the build
 * id, or value slots. */
enum counts_kind { COUNTS_COUNTERS, COUNTS_BITMAP, COUNTS_PROOF };

struct counts_range {
  uint64_t address, size;
  enum counts_kind kind;
};

struct gdb_counts {
  const struct elf *elf;
  struct counts_range *ranges;
  size_t count;
  unsigned element;      /* bytes of a counter */
  uint64_t counters_end; /* of the last range of counters */
  uint64_t guard;        /* its address; 0: there is none */
  bool ones;             /* counters begin at 0xFF */
  bool proven;           /* the target was seen to run this ELF */
};

/* Finds the ranges. The caller calls counts_free in any case. */
const char *counts_find(struct gdb_counts *counts, const struct elf *elf);
void counts_free(struct gdb_counts *counts);

/* Gives counters, bitmaps and the guard word their initial value, as
 * bareprof_init does. */
const char *counts_init(const struct gdb_counts *counts, struct gdb *gdb);

/* Fills counters and bitmaps with 0xA5, which start-up code has to clear. */
const char *counts_poison(const struct gdb_counts *counts, struct gdb *gdb);

/* Reads the ranges into the image of a core, for join_file. Compares samples of
 * the code behind that: the target runs this ELF, and each answer was that to
 * its question. poisoned: a counter that nobody cleared is an error. */
const char *counts_take(struct gdb_counts *counts, struct gdb *gdb,
                        bool poisoned, struct buffer *core);

#endif
