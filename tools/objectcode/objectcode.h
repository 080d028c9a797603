/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of an ELF that was not built for coverage: which of its instructions
 * ran, and which outcomes its conditional branches had, according to a trace.
 * cmd/trace.c and cmd/report_object.c show the result.
 *
 *     struct objectcode of;
 *     const char *error = objectcode_open(&of, elf);
 *     objectcode_write_plugin_list(&of, 1, out);        for the QEMU plugin
 *     error = objectcode_add_trace(&of, trace);  a trace of the plugin, or more
 *     objectcode_compute_outcomes(&of);
 *     error = object_lines_add_elf(&lines, &of);  if `of` is in lines.elfs
 *     object_lines_compute_counts(&lines, NULL);
 *     ...
 *     objectcode_close(&of);
 */
#ifndef BAREPROF_TOOLS_OBJECTCODE_H
#define BAREPROF_TOOLS_OBJECTCODE_H

#include <stdio.h>

#include "../base/map.h"
#include "../base/storage.h"
#include "../code/code.h"
#include "../image/trace_counts.h"
#include "../object/dwarf.h"
#include "../probe/probe.h"

/* The outcomes of a conditional branch, as indexes: the branch falls through,
 * or goes to its target. */
enum { FALLS_THROUGH, GOES, BRANCH_WAYS };

enum { MOVES_MOST = 8 };

#define NO_LINE_FILE UINT32_MAX

/* An instruction, with how often it ran. */
struct object_instruction {
  uint64_t address, target; /* target: of a branch or call; 0 if not known */
  uint64_t count;
  uint64_t outcomes[BRANCH_WAYS]; /* counts; only for conditional branches */
  uint32_t symbol;                /* index in probes.symbols plus 1; 0: none */
  /* The source line, once object_lines_add_elf has read it. NO_LINE_FILE: the
   * line is not known. */
  uint32_t file, line;
  uint8_t length; /* bytes */
  bool conditional, predicated, branch, call, indirect, synchronizes;
  bool known;                 /* the counts of the outcomes are known */
  bool watched, outcome_lost; /* the plugin counts outcomes; one is unknown */
  bool inlined; /* the code was inlined into the function that contains it */
};

/* Numbers of instructions, of a function or of all code. */
struct instruction_sums {
  size_t count, ran;              /* instructions; those that ran */
  size_t branches, both, unknown; /* conditional branches; branches that went
                                     both ways; branches with unknown
                                     outcomes */
  size_t predicated; /* predicated instructions that are not branches */
  size_t outcomes;   /* branch outcomes that occurred */
};

/* The code of a symbol. In the list of functions, element 0 has the code
 * outside of all symbols. */
struct object_function {
  const char *name;
  size_t first, count;          /* instructions in objectcode.list */
  struct instruction_sums sums; /* objectcode_compute_outcomes sets them */
  uint32_t owner; /* the function that this is a part of; else itself */
  bool jumps;     /* the function jumps through a register */
  bool refused;   /* The outcomes contradict the counts. */
};

/* All code of an ELF, and which of it ran. */
struct objectcode {
  const struct elf *elf;
  struct elf_code code;
  struct probes probes;
  struct object_instruction *list; /* sorted by address */
  size_t count;
  struct object_function *functions;
  size_t function_count;
  struct instruction_sums total;
  uint64_t outside; /* number of addresses outside of its code that ran */
  uint64_t varied;  /* number of addresses whose code changed during the run */
  bool in_order;    /* A list was in execution order, so it has all outcomes. */
  /* Counts only say whether code ran: they are 0 or 1. */
  bool counts_are_0_or_1;
  bool counts; /* The counts of a complete run are known. */
  /* The ELF is for Arm and lacks mapping symbols, so that code and literals
   * look the same. list then has only instructions that ran. */
  bool lacks_marks;
  bool several; /* There are more ELFs: code outside may belong to them. */
  /* Code that ran at another address than it has in the ELF. */
  struct moved_code {
    uint64_t from, to, size;
  } moves[MOVES_MOST];
  size_t move_count;
  /* The distance from the addresses of position-independent code to where it
   * ran, found by equal bytes; 0: none was needed. */
  uint64_t shift;
  size_t traces; /* number of traces whose counts were added */
  /* Debug information, which object_lines_add_elf reads: */
  struct dwarf dwarf;
  struct dwarf_lines rows;
  struct dwarf_scopes scopes;
};

/* Returns whether an instruction counts. Vector tables are between code, and
 * lack a function symbol. */
static inline bool
object_instruction_counts(const struct object_instruction *one) {
  return one->symbol || one->count;
}

/* Returns whether the outcomes of a conditional branch are known. They are
 * known for a branch that never ran: none occurred. */
static inline bool
objectcode_knows_outcomes(const struct objectcode *of,
                          const struct object_instruction *one) {
  return !one->count || (one->known && !of->functions[one->symbol].refused);
}

/* Decodes all code, and finds the branches whose outcomes cannot be computed
 * from counts. Returns NULL or the error. The caller calls objectcode_close in
 * both cases; the ELF must live as long as *of. */
const char *objectcode_open(struct objectcode *of, const struct elf *elf);
void objectcode_close(struct objectcode *of);

#define OBJECTCODE_BLIND                                                  \
  "the mapping symbols ($t, $x, $d), which separate code from data, are " \
  "missing; pass the ELF that ran, unstripped"

/* Returns the index of the instruction at an address, or SIZE_MAX. */
size_t objectcode_find_index(const struct objectcode *of, uint64_t address);

/* Declares that the code from `from` on ran at `to`, as --moved says; at most
 * MOVES_MOST times. Addresses at which the ELF has code of its own are not
 * affected. Returns false if the ELF lacks code at or after `from`. */
bool objectcode_add_move(struct objectcode *of, uint64_t from, uint64_t to);

/* Returns the address in the ELF of code that ran at an address. */
uint64_t objectcode_elf_address(const struct objectcode *of, uint64_t address);

/* Writes the list for the QEMU plugin: the code and the watched branches of
 * ELFs that run together. Ignores errors of out. */
void objectcode_write_plugin_list(const struct objectcode *list, size_t count,
                                  FILE *out);

/* Returns whether a file begins like an instruction trace from the plugin. */
bool objectcode_is_trace(struct bytes file);

/* Adds the counts of a trace. Returns NULL, or the error and adds nothing:
 * the trace is not complete, or other code ran than the ELF has
 * (objectcode_other). */
const char *objectcode_add_trace(struct objectcode *of, struct bytes file);
extern const char objectcode_other[];

/* Sets all counts to 0, for another run. */
void objectcode_clear_counts(struct objectcode *of);

/* Computes outcomes and the sums of functions. Call it after the last trace. */
void objectcode_compute_outcomes(struct objectcode *of);

/* ---- pc_lists.c ----
 *
 * Lists of executed addresses from other tools.
 */

enum pc_list_form {
  PCS_ORDER, /* instructions in execution order */
  PCS_COUNT, /* instructions with counts */
  PCS_SET,   /* instructions that ran */
  PCS_DRCOV, /* blocks that ran, from DynamoRIO's drcov */
  PCS_MTB,   /* the trace buffer of a board */
  PCS_ETM    /* ETM, decoded by OpenCSD */
};
extern const char *const pc_forms[]; /* names of the forms, then NULL */

/* Adds the counts of a list of addresses. `how` has the options for a board's
 * trace. Returns NULL or the error, after which the counts are not usable. */
const char *objectcode_add_pcs(struct objectcode *of, struct bytes file,
                               enum pc_list_form form,
                               const struct trace_options *how);

/* ---- object_lines.c ----
 *
 * Coverage of source lines, from debug information. A line ran if the code at
 * one of its statements ran. Each copy of a line (in a function, or inlined
 * through certain calls) counts as often as its most frequent instruction. The
 * count of the line is the sum over its copies.
 */

enum line_class {
  LINE_CODED,  /* the line has code, in which a statement begins */
  LINE_PIECES, /* the line has code, but only parts of statements */
  LINE_PLACE   /* the line lacks code; its statement's address was counted */
};

/* The coverage of one line. */
struct object_line {
  uint32_t file; /* index in object_lines.files */
  uint32_t line;
  uint64_t count;
  uint32_t instructions, ran; /* number of all instructions of the line, and of
                                 those that ran */
  uint8_t class;              /* enum line_class */
};

/* An instruction of a line, or the instruction where its statement begins. */
struct line_instruction {
  uint32_t file, line;
  size_t copy; /* number of the copy, from 1 on; 0 for a statement */
  const struct objectcode *of;
  size_t number; /* index of the instruction */
};

/* ELFs that run together, and their lines. All members are zero at first. */
struct object_lines {
  struct objectcode *elfs;
  const char **files;
  struct line_instruction *parts; /* sorted by file, line and address */
  struct object_line *list;       /* sorted by file and line */
  size_t elf_count, file_count, part_count, count;
  /* Only object_lines.c uses the other members. */
  struct map paths, copies; /* numbers of paths and of copies, by hash */
};

/* Adds the lines of one of lines->elfs; none if it runs alone and lacks debug
 * information. Returns NULL or the error. */
const char *object_lines_add_elf(struct object_lines *lines,
                                 struct objectcode *of);

/* Frees the lines, and closes the ELFs. */
void object_lines_free(struct object_lines *lines);

/* Makes `list` from the counts of all ELFs, or of only one ELF. */
void object_lines_compute_counts(struct object_lines *lines,
                                 const struct objectcode *only);

#endif
