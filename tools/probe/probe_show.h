/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Output about probes.
 */
#ifndef PROBE_PROBE_SHOW_H
#define PROBE_PROBE_SHOW_H

#include <stdio.h>

#include "../base/bytes.h"
#include "probe.h"

/* Functions as they lie in the code, with their probes, as text or JSON. */
void probes_show(FILE *stream, const struct probes *probes);
void probes_show_json(FILE *stream, const struct probes *probes);

/* The name of a function, or its GUID, which fills room. Owned by probes or
 * written to room. */
enum { PROBE_NAME_ROOM = 32 };
const char *probe_name_shown(const struct probes *probes, uint64_t guid,
                             char room[PROBE_NAME_ROOM]);

/* How far a disassembly is annotated. Begins with zeros. */
struct probe_annotated {
  size_t inserted; /* probes */
  size_t between;  /* probes inside an instruction, which are above no line */
  /* Of the last instruction, if any: */
  bool any;
  uint64_t last;                     /* its address */
  size_t next;                       /* the first probe behind it */
  const struct probe_symbol *symbol; /* that it is in, or NULL */
};

/* Copies a disassembly of llvm-objdump or GNU objdump, and prints the probes
 * before each instruction above it, in the words of llvm-profgen. It may come
 * in pieces of whole lines. */
void probes_annotate(FILE *stream, const struct probes *probes,
                     struct bytes lines, struct probe_annotated *so_far);

/* Prints one line for each fault of this ELF's probes, with what to do. Returns
 * the number of lines. */
unsigned probes_check(FILE *stream, const struct probes *probes,
                      const struct elf *elf);

/* How often, and the GUID of the first. */
struct probe_seen {
  size_t count;
  uint64_t guid;
};

struct probe_misplaced {
  struct probe_seen
      relaxed;              /* functions that a linker shortened before a probe,
                                with probes that count from one another
                                (RISC-V) */
  struct probe_seen inside; /* probes inside of an instruction */
  struct probe_seen outside; /* probes outside of their record's symbol */
};

/* Checks probes against the code. Instructions are checked if their length is
 * known: RISC-V; AArch64 and Arm have a fixed length. */
void probe_misplaced_find(struct probe_misplaced *misplaced,
                          const struct probes *probes, const struct elf *elf);

#endif
