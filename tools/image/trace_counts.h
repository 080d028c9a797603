/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads traces, which say how often an image's trace points ran. `run --trace`
 * gets a trace from QEMU through trace/qemu_plugin.c. The other traces come
 * from boards: see board_trace.c. join_dump.c combines the result with the
 * image. A trace is a text; each line has a word and hexadecimal numbers:
 *
 *   bareprof-trace 1    the first line
 *   build ID            the build id of the image
 *   c ADDRESS COUNT     the code at the address ran COUNT times
 *   b BIT               a bit of a decision's bitmap: 8 times the byte's
 *                       address plus the bit's number in the byte
 *   lost COUNT          outcomes of decisions that are unknown, because a task
 *                       switch or a jump out of the function came in between
 *   strange COUNT       steps of decisions that had not begun, although no
 *                       outcome was lost
 *   end CRC             the last line: CRC-32 of all bytes before
 *
 * The list of trace points that the tracer reads starts with bareprof-labels 1
 * and the build; then comes a line for each trace point, by ascending address,
 * and `end`:
 *
 *   c ADDRESS           a counter of the code counts
 *   d ADDRESS KEY       a decision begins
 *   a ADDRESS KEY N     N is added to the index of the decision
 *   e ADDRESS KEY BIT   a decision ends: the bit BIT + index is set
 *   s ADDRESS           tasks are switched
 */
#ifndef BAREPROF_TOOLS_TRACE_COUNTS_H
#define BAREPROF_TOOLS_TRACE_COUNTS_H

#include <stdio.h>

#include "../object/elf.h"
#include "snapshot.h"

/* ---- linked_points.c ----
 *
 * Reads the trace points of images compiled with `bareprof cc
 * --counters=trace`. Counters and bitmaps have addresses in section
 * .bareprof.counts, which is not on the target. Section .bareprof.labels has an
 * entry for each trace point. An entry consists of two addresses (of the code;
 * of the function's first counter or its bitmap) and two 32-bit words, in the
 * target's byte order: the first word has the kind in its top 4 bits and a
 * value in the other bits, the second word is the decision's number in its
 * function.
 *
 *   kind     address  value              when the code at the address runs
 *   COUNTER  counter  offset in bytes    the counter at that offset counts
 *   BEGINS   bitmap   0                  a decision begins, with index 0
 *   ADDS     bitmap   clang's addend     the addend is added to the index
 *   ENDS     bitmap   the first bit      a decision ends: bit + index is set
 *
 * A function in which a decision may be left before its end has two more kinds
 * of entries: BEGINS at its entry with the number LABEL_FRAME, and ENDS at each
 * return with the value LABEL_NO_BIT. Both kinds end the decisions that are
 * still open, so that a step inside the function never counts for a decision of
 * a caller.
 */

#define LABELS_SECTION ".bareprof.labels"
#define LABELS_COUNTS ".bareprof.counts"

/* The section with the addresses of all functions that have trace points.
 * Linkers keep this section when they drop functions. If lld's --icf merges
 * equal functions, only one function keeps its trace points, and this list
 * reveals the other functions. */
#define LABELS_BODIES ".bareprof.bodies"

enum linked_point_kind {
  LABEL_COUNTER,
  LABEL_BEGINS,
  LABEL_ADDS,
  LABEL_ENDS,
  LABEL_SWITCHES /* a function that switches tasks or jumps out of other
                    functions, where open decisions end; not in the section */
};

enum { LABEL_KIND_SHIFT = 28, LABEL_VALUE_MOST = (1 << 28) - 1 };
enum { LABEL_FRAME = 0xFFFF, LABEL_NO_BIT = LABEL_VALUE_MOST };

/* A trace point whose code is linked. */
struct linked_trace_point {
  uint64_t code;   /* address of the code, without the Thumb bit */
  uint64_t target; /* address of a counter or of a bitmap; 0 for
                      LABEL_SWITCHES */
  uint32_t value, decision;
  enum linked_point_kind kind;
  size_t number; /* index of the entry in the section */
};

struct linked_trace_points {
  /* the trace points, sorted by address of the code; those at one address
   * stay in their order */
  struct linked_trace_point *list;
  size_t count;
  uint64_t counts_address, size; /* address and size of the section with
                                    counters and bitmaps */
};

/* Returns whether the image has trace points. */
bool linked_points_present(const struct elf *elf);

/* Reads the trace points. Also finds the functions that switch tasks: functions
 * of known systems, and functions that the list `switches` names. The list ends
 * with NULL; switches may be NULL. Returns NULL or the error. The caller calls
 * linked_points_free in both cases. */
const char *linked_points_read(struct linked_trace_points *labels,
                               const struct elf *elf,
                               const char *const *switches);

/* Returns the index of the first trace point at or after an address, or the
 * number of trace points if there is none. */
size_t linked_points_find_from_address(const struct linked_trace_points *labels,
                                       uint64_t code);

/* Returns whether an instruction may be at an address. Also returns true if the
 * ELF has only extracted parts of an image, without code to check. */
bool linked_points_is_code(const struct elf *elf, uint64_t address);

void linked_points_free(struct linked_trace_points *labels);

/* ---- trace_counts.c: the traces of the QEMU plugin ---- */

enum { TRACE_NUMBERS = 4 };

/* A line of a trace: a word and hexadecimal numbers. Missing numbers are 0. */
struct trace_line {
  struct bytes word;
  uint64_t values[TRACE_NUMBERS];
  unsigned count;
  bool varies; /* for the caller: the next line is about the same address, and
                  says that its bytes changed */
};

/* Removes the first line from a text and parses the line. Returns false if the
 * line does not have a word and hexadecimal numbers. */
bool trace_pop_and_parse_line(struct bytes *left, struct trace_line *line);
bool trace_line_equals_word(const struct trace_line *line, const char *word);

/* Removes the first two lines of a trace, and the last line, which has the CRC
 * of everything before. `build` gets the build id as text. Returns NULL or the
 * error, also for another first line than `first`. */
const char *trace_remove_frame(struct bytes *file, const char *first,
                               struct bytes *build);

/* Error messages: the trace is incomplete, or the trace has another version. */
extern const char trace_broken[], trace_unknown[];

bool trace_file_has_magic(struct bytes file);

/* Removes the frame of a trace of trace points, and reads the build id into the
 * header. Returns NULL or the error. */
const char *trace_parse_build_id(struct dump_header *header,
                                 struct bytes *file);

struct trace_counts {
  unsigned char *counts; /* the bytes of section .bareprof.counts; the caller
                            frees this memory */
  uint64_t address, size;
  uint64_t lost; /* number of unknown outcomes of decisions */
};

/* Reads the trace points, and allocates zeroed memory for their counts. Returns
 * NULL or the error. The caller frees trace->counts and labels in both cases.
 */
const char *trace_counts_read_and_allocate(struct trace_counts *trace,
                                           struct linked_trace_points *labels,
                                           const struct elf *elf,
                                           const char *const *switches);

/* Returns a number that identifies a decision in the image. */
static inline uint64_t
trace_decision_key(const struct linked_trace_point *label) {
  return label->target << 16 ^ label->decision;
}

#define TRACED_STRANGE                                                      \
  "the trace continues a decision that had not begun: an unknown function " \
  "switches tasks, or 4096 decisions are open; pass the function that "     \
  "switches tasks to --switch, or compile without MC/DC"

/* Reads a trace, and fills memory as the counters on a target would. Returns
 * NULL or the error: the trace is incomplete, or from another build. The caller
 * frees trace->counts in both cases. */
const char *trace_counts_read(struct trace_counts *trace, const struct elf *elf,
                              struct bytes file);

/* Writes the list of trace points to `out`. `switches` is as for
 * linked_points_read. The caller checks `out`. Returns NULL or the error. */
const char *trace_write_point_list(const struct elf *elf,
                                   const char *const *switches, FILE *out);

/* ---- board_trace.c ----
 *
 * Counts trace points from the branches that an Arm Micro Trace Buffer (MTB)
 * records. A branch is two 32-bit words in the core's byte order: its source
 * and its target. If bit 0 of the source is set, the branch is an exception's
 * entry or return, and the source is an address that did not run (the return
 * address or EXC_RETURN). If bit 0 of the target is set, tracing began before
 * this branch. The format is described in the CoreSight MTB-M0+ Technical
 * Reference Manual, 2.3.1.
 *
 * Code between the target of a branch and the source of the next branch ran
 * once. The trace does not show code before the first branch and after the last
 * branch.
 *
 * The other input is a list of code ranges in the order in which they ran, as
 * OpenCSD's trc_pkt_lister prints them for an ETM or PTM stream. The word after
 * OCSD_GEN_TRC_ELEM_ tells whether a line matters:
 *
 *   INSTR_RANGE(exec range=0xFIRST:[0xEND] ...)   ran; END is excluded
 *   TRACE_ON(...)         tracing begins; a second one: something was lost
 *   NO_SYNC, ADDR_NACC, ADDR_UNKNOWN, I_RANGE_NOPATH   something was lost
 *   EO_TRACE(...)         the end
 */

/* The user's options for a board's trace. */
struct trace_options {
  const char *const *switches; /* as for linked_points_read */
  /* The file is the whole trace buffer. `position` is the register
   * MTB_POSITION: the offset of the next branch, modulo the buffer's size. Bit
   * 2 of `position` means that the buffer wrapped. */
  bool whole;
  uint64_t position;
  /* The trace may lack branches. The counts are then unreliable, but code with
   * a non-zero counter has run, and the outcome of each MC/DC bit that is set
   * has occurred. */
  bool least;
};

/* Reads a board's trace, and fills memory as the counters on a target would.
 * Returns NULL or the error: the trace lost something, or does not belong to
 * this image. The caller frees traced->counts in both cases. */
typedef const char *trace_reader(struct trace_counts *traced,
                                 const struct elf *elf,
                                 const struct trace_options *how,
                                 struct bytes file);
trace_reader board_trace_read_mtb, board_trace_read_ranges;

/* Receives the code that ran, from address `first` up to address `end`, in the
 * order of execution. `next` is the address of the code that ran afterwards,
 * TRACE_TAKEN for the target of the last branch, or 0 if this address is
 * unknown. Returns NULL or the error. */
#define TRACE_TAKEN UINT64_MAX
typedef const char *trace_visit_range(void *context, uint64_t first,
                                      uint64_t end, uint64_t next);

/* Passes the code ranges of a trace to a function; the image does not need
 * trace points. The trace is a buffer of MTB branches, or a list by OpenCSD.
 * Returns NULL or the error. */
const char *board_trace_visit_ranges(const struct elf *elf,
                                     const struct trace_options *how,
                                     bool listed, struct bytes file,
                                     trace_visit_range *ran, void *context);

#endif
