/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#ifndef BAREPROF_TOOLS_CODE_LABELS_H
#define BAREPROF_TOOLS_CODE_LABELS_H

#include "../object/elf.h"

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

#endif
