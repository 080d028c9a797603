/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of an ELF that was not built for coverage: which of its instructions
 * ran, and which outcomes its conditional branches had, by a trace.
 *
 *     struct objectcode of;
 *     const char *error = objectcode_open(&of, elf);
 *     objectcode_list(&of, out);                for QEMU's plugin
 *     error = objectcode_trace(&of, trace);     what the plugin wrote, and more
 *     error = objectcode_settle(&of);
 *     error = object_lines_read(&lines, &of);
 *     ...
 *     objectcode_close(&of);
 */
#ifndef BAREPROF_TOOLS_OBJECTCODE_H
#define BAREPROF_TOOLS_OBJECTCODE_H

#include <stdio.h>

#include "../base/storage.h"
#include "../code/code.h"
#include "../image/traced.h"
#include "../object/dwarf.h"
#include "../probe/probe.h"

/* The outcomes of a branch. */
enum { FALLS_THROUGH, GOES, BRANCH_WAYS };

struct object_instruction {
  uint64_t address, target; /* target: 0 if it is not known */
  uint64_t count;
  uint64_t outcomes[BRANCH_WAYS]; /* of a conditional one */
  uint32_t symbol;                /* number in probes.symbols, and 1; 0: none */
  uint8_t length;
  bool conditional, predicated, branch, call, ends, indirect;
  bool known[BRANCH_WAYS]; /* the outcomes */
  bool watched, cut;       /* a run left before an outcome */
};

/* A symbol's code. The first one has what no symbol has. */
struct object_function {
  const char *name;
  uint64_t entered;
  size_t first, count;            /* of its instructions */
  size_t ran;                     /* of them */
  size_t branches, both, unknown; /* both ways; outcomes are not known */
  size_t predicated; /* not branches: whether they acted is not known */
  size_t outcomes;   /* of branches, that were */
  size_t functions;  /* of a total; its `entered` are functions */
  uint32_t owner;    /* of a part that was split off: its function */
  uint32_t part;     /* the next one that was split off it; 0: none */
  bool refused;      /* its outcomes contradict its counts */
};

struct objectcode {
  const struct elf *elf;
  struct code code;
  struct probes probes;
  struct buffer memory;
  struct object_instruction *list; /* ascending */
  size_t count;
  struct object_function *functions;
  size_t function_count;
  uint64_t outside; /* addresses outside of the ELF that ran */
  uint64_t varied;  /* that ran with several contents */
  bool flows;       /* A list had an order: it says all outcomes. */
  bool sets;        /* Counts are 1 for any. */
  bool counts;      /* The counts of a whole run are known. */
  bool least;       /* What ran may be more. */
  /* An ELF of Arm without mapping symbols, which tell code from literals: the
   * list has only what ran. */
  bool blind;
  bool several;     /* Code outside of the ELF may be another ELF's. */
  /* Where code ran that is elsewhere in the ELF. */
  struct object_move {
    uint64_t from, to, size;
  } moves[8];
  size_t move_count;
};

/* Decodes all code, and finds the branches whose outcomes do not follow from
 * counts. Returns NULL or the error. The caller calls objectcode_close in both
 * cases. elf must live as long. */
const char *objectcode_open(struct objectcode *of, const struct elf *elf);
void objectcode_close(struct objectcode *of);

#define OBJECTCODE_BLIND                                                   \
  "its mapping symbols ($t, $x, $d), which tell code from data, are gone; "  \
  "give the ELF as linked, before strip"

/* Adds an instruction that ran to a blind list. Returns NULL or the error. */
const char *objectcode_add(struct objectcode *of, uint64_t address,
                           uint64_t length, uint64_t count);

/* The number of the instruction at an address, or SIZE_MAX. */
size_t objectcode_at(const struct objectcode *of, uint64_t address);

/* Says that the code from `from` on ran at `to`, where the ELF has no other
 * code. Returns NULL or the error. */
const char *objectcode_move(struct objectcode *of, uint64_t from, uint64_t to);

/* The address in the ELF of code that ran at an address. */
uint64_t objectcode_moved(const struct objectcode *of, uint64_t address);

/* ---- pc_lists.c ----
 *
 * Lists of addresses from elsewhere: of instructions in the order of their
 * execution, of the first instructions of blocks in that order, of instructions
 * with counts, of instructions that ran; blocks that ran (drcov); and what a
 * board's trace buffer has (MTB), or its ETM (by OpenCSD).
 */

enum pc_form {
  PCS_ORDER,
  PCS_BLOCKS,
  PCS_COUNT,
  PCS_SET,
  PCS_DRCOV,
  PCS_MTB,
  PCS_ETM
};
extern const char *const pc_forms[]; /* their names; NULL ends them */

/* Adds what a list says. how: of MTB and ETM. Returns NULL or the error. */
const char *objectcode_pcs(struct objectcode *of, struct bytes file,
                           enum pc_form form, const struct trace_how *how);

/* ---- counted_code.c ---- */

/* The list for the plugin, of ELFs that run together. Ignores errors of out. */
void objectcode_list(const struct objectcode *const *list, size_t count,
                     FILE *out);

/* Whether a file begins as a trace of instructions. */
bool objectcode_is_trace(struct bytes file);

/* Adds the counts of a trace. Returns NULL or the error: the trace is not
 * whole, or other code ran than the ELF has (objectcode_other); then nothing
 * was added. */
const char *objectcode_trace(struct objectcode *of, struct bytes file);
extern const char objectcode_other[];

/* Sets all counts to 0, for another run. */
void objectcode_clear(struct objectcode *of);

/* Finds outcomes, and adds up functions, after the last trace. Returns NULL or
 * the error. */
const char *objectcode_settle(struct objectcode *of);

/* ---- conservation.c ----
 *
 * The outcomes that follow from counts: what enters an instruction adds up to
 * its count, and so does what leaves a branch. An equation with one unknown
 * gives it. Without counts it says which outcomes those are.
 */

/* Returns NULL or the error. Outcomes that are known already stay. */
const char *conservation_solve(struct objectcode *of);

/* ---- object_lines.c ----
 *
 * Lines by debug information. A line ran if the code at one of its statements
 * ran. Its count: for each copy (a function, and the calls through which it was
 * inlined) the most of its instructions, added up.
 */

enum line_class {
  LINE_CODED,  /* it has code, and a statement begins there */
  LINE_PIECES, /* it has code only in which no statement begins */
  LINE_PLACE   /* it has no code of its own: the place of its statement ran */
};

struct object_line {
  uint32_t file; /* number in files */
  uint32_t line;
  uint64_t count;
  uint32_t instructions, ran;
  uint8_t class; /* enum line_class */
};

struct object_lines {
  struct dwarf dwarf;
  struct dwarf_lines rows;
  struct dwarf_scopes scopes;
  struct buffer list;  /* struct object_line, by file and line */
  struct buffer files; /* const char * */
  struct buffer of;    /* struct line_of: the line of each instruction */
  struct buffer parts; /* of lines; only for object_lines.c */
};

/* file: UINT32_MAX: it has no line. */
struct line_of {
  uint32_t file, line;
  bool inlined; /* into the function that has the instruction */
};

/* Returns NULL or the error. The caller calls object_lines_free in both cases.
 */
const char *object_lines_read(struct object_lines *lines,
                              const struct objectcode *of);
void object_lines_free(struct object_lines *lines);

/* Makes the list again, by other counts of the same ELF. Returns NULL or the
 * error. */
const char *object_lines_count(struct object_lines *lines,
                               const struct objectcode *of);

/* ---- object_table.c ---- */

/* Prints the functions, for an ELF without lines. */
void object_table(FILE *out, const struct objectcode *of);

/* Prints the code that ran of a blind list. */
void object_ranges(FILE *out, const struct objectcode *of);

/* Prints totals, and what is not known. lines: or NULL. */
void object_notes(FILE *out, const struct objectcode *of,
                  const struct object_lines *lines);

/* Writes a line for each instruction that has a function or ran. */
void object_list(FILE *out, const struct objectcode *of,
                 const struct object_lines *lines);

/* The totals over all functions. */
struct object_function object_total(const struct objectcode *of);

#endif
