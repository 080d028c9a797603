/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a trace says of an image's labels. A text, a line a word and numbers in
 * base 16:
 *
 *   bareprof-trace 1    the first line
 *   build ID            the build id of the image
 *   c ADDRESS COUNT     the code at the address ran so often
 *   b BIT               the bit of a decision's vector: 8 times its byte's
 *                       address, and its number in the byte
 *   lost COUNT          outcomes of decisions that are not known, because tasks
 *                       were switched within, or code jumped out
 *   strange COUNT       steps of decisions that had not begun, though none was
 *                       lost
 *   end CRC             the last line; CRC-32 of all bytes before
 *
 * The list of labels that the tracer reads begins with bareprof-labels 1 and
 * the build; then comes a line a label, in the order of addresses, and `end':
 *
 *   c ADDRESS           to count
 *   d ADDRESS KEY       a decision begins
 *   a ADDRESS KEY N     its index grows
 *   e ADDRESS KEY BIT   it ends: the bit BIT + index is set
 *   s ADDRESS           tasks are switched
 */
#ifndef BAREPROF_TOOLS_TRACED_H
#define BAREPROF_TOOLS_TRACED_H

#include <stdio.h>

#include "../object/elf.h"
#include "snapshot.h"

/* ---- code_labels.c ----
 *
 * Images that `bareprof cc --counters=labels` made: counters and bitmaps have
 * addresses in a section that no target has (.bareprof.counts), and the section
 * .bareprof.labels says which code counts. An entry, in the target's byte
 * order: two addresses (of the code; of the function's first counter, or of its
 * bitmap) and two words of 32 bits: the kind in the top 4 bits of the first,
 * with a value; the decision's number in its function.
 *
 *   kind     address  value              when the code at the address runs
 *   COUNTER  counter  bytes behind it    that counter counts
 *   BEGINS   bitmap   0                  a decision begins, with index 0
 *   ADDS     bitmap   clang's addend     its index grows
 *   ENDS     bitmap   the first bit      bit + index is set
 *
 * A function in which a decision may be left before its end has two more: what
 * BEGINS at its entry with the number LABEL_FRAME, and ENDS at each return,
 * with the value LABEL_NO_BIT. What is still open then ends with them, and no
 * decision of a caller is found from within.
 */

#define LABELS_SECTION ".bareprof.labels"
#define LABELS_COUNTS ".bareprof.counts"

/* The addresses of all functions with labels, in a section that linkers do not
 * drop with them: lld's --icf makes one function of several that are alike, and
 * then only one has its labels. */
#define LABELS_BODIES ".bareprof.bodies"

enum label_kind {
  LABEL_COUNTER,
  LABEL_BEGINS,
  LABEL_ADDS,
  LABEL_ENDS,
  LABEL_SWITCHES /* none of the section: a function that switches tasks, or
                    jumps; decisions are cut there */
};

enum { LABEL_KIND_SHIFT = 28, LABEL_VALUE_MOST = (1 << 28) - 1 };
enum { LABEL_FRAME = 0xFFFF, LABEL_NO_BIT = LABEL_VALUE_MOST };

/* A label whose code is linked. */
struct code_label {
  uint64_t code;   /* without the mark of Thumb */
  uint64_t target; /* a counter; otherwise a bitmap; of a switch: 0 */
  uint32_t value, slot;
  enum label_kind kind;
  size_t number; /* in the section */
};

struct code_labels {
  struct code_label *list; /* by code; those of one address in their order */
  size_t count;
  uint64_t counts, size; /* the counters and bitmaps: address, bytes */
};

/* Whether the image has labels. */
bool code_labels_are(const struct elf *elf);

/* Reads the labels, and finds the functions that switch tasks: those of known
 * systems, and switches, up to NULL; or NULL. Returns NULL or the error. The
 * caller calls code_labels_free in both cases. */
const char *code_labels_read(struct code_labels *labels, const struct elf *elf,
                             const char *const *switches);

/* The first label that is not before an address; the count if there is none. */
size_t code_labels_from(const struct code_labels *labels, uint64_t code);

/* Whether an address may be that of an instruction: extracted parts of an image
 * have no code. */
bool code_labels_may(const struct elf *elf, uint64_t address);

void code_labels_free(struct code_labels *labels);

/* ---- lines of the traces that our plugin writes ---- */

enum { TRACE_NUMBERS = 4 };

/* A word, and numbers in base 16. Those that are not there are 0. */
struct trace_line {
  struct bytes word;
  uint64_t values[TRACE_NUMBERS];
  unsigned count;
};

/* Takes the first line off a text. false: the line has another form. */
bool trace_line_take(struct bytes *left, struct trace_line *line);
bool trace_line_is(const struct trace_line *line, const char *word);

/* Takes off the last line, which has the sum of all before. Returns NULL or the
 * error. */
const char *trace_check_end(struct bytes *file);

/* Errors of a trace: not whole; of another version. */
extern const char trace_broken[], trace_unknown[];

bool trace_is(struct bytes file);

/* Reads the build id into the header. Returns NULL or the error. */
const char *trace_header(struct header *header, struct bytes file);

struct traced {
  unsigned char *counts; /* the section's bytes; the caller frees them */
  uint64_t address, size;
  uint64_t lost;
};

/* Reads the labels, and makes memory of zeros for them. Returns NULL or the
 * error. The caller frees both in both cases. */
const char *traced_begin(struct traced *trace, struct code_labels *labels,
                         const struct elf *elf, const char *const *switches);

/* What tells decisions apart. */
static inline uint64_t traced_key(const struct code_label *label) {
  return label->target << 16 ^ label->slot;
}

#define TRACED_STRANGE                                                   \
  "decisions went on in it that had not begun: tasks are switched by a " \
  "function that is not known, or 4096 decisions are open; name it by "  \
  "--switch, or compile without MC/DC"

/* Makes the memory that a target's counters would have. Returns NULL or the
 * error: the trace is not whole, or of another build. The caller frees
 * trace->counts in both cases. */
const char *trace_read(struct traced *trace, const struct elf *elf,
                       struct bytes file);

/* Writes the list of labels. switches: as of code_labels_read. Ignores errors
 * of out. Returns NULL or the error. */
const char *trace_list(const struct elf *elf, const char *const *switches,
                       FILE *out);

/* ---- micro_trace.c ----
 *
 * Branches as a Micro Trace Buffer of Arm records them, to what code_labels.c
 * counts. A branch is two words of 32 bits, in the core's byte order: where it
 * came from and where it went to. Bit 0 of the first: it is an exception's
 * entry or return, and the source did not run (it is the address to return to,
 * or EXC_RETURN). Bit 0 of the second: tracing began before this branch.
 * Source of the format: CoreSight MTB-M0+ Technical Reference Manual, 2.3.1.
 *
 * Code between the target of a branch and the source of the next one ran once.
 * Code before the first branch and behind the last one is not in the trace.
 *
 * Or ranges of code that ran, in the order in which they ran, as OpenCSD's
 * trc_pkt_lister prints them of an ETM's or PTM's stream. Of its lines, these
 * matter, by their words behind OCSD_GEN_TRC_ELEM_:
 *
 *   INSTR_RANGE(exec range=0xFIRST:[0xEND] ...)   ran, END is behind it
 *   TRACE_ON(...)         tracing begins; a second time, something was lost
 *   NO_SYNC, ADDR_NACC, ADDR_UNKNOWN, I_RANGE_NOPATH   something is lost
 *   EO_TRACE(...)         the end
 */

/* The options that the user gives for a trace. */
struct trace_how {
  const char *const *switches; /* as of code_labels_read */
  /* The file is the whole buffer. MTB_POSITION: where the next branch goes,
   * modulo the buffer's size; bit 2: it wrapped. */
  bool whole;
  uint64_t position;
  /* Something may be lost: the result is no count, but each counter that is not
   * 0 has run, and each bit of MC/DC has been set. */
  bool least;
};

/* Make the memory that a target's counters would have. Return NULL or the
 * error: something was lost, or is not of this image. The caller frees
 * traced->counts in both cases. */
typedef const char *trace_reader(struct traced *traced, const struct elf *elf,
                                 const struct trace_how *how,
                                 struct bytes file);
trace_reader micro_trace_read, ranges_trace_read;

#endif
