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

#include "code_labels.h"
#include "snapshot.h"

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

#define TRACED_STRANGE                                                        \
  "decisions went on in it that had not begun: tasks are switched by a "      \
  "function that is not known, or 4096 decisions are open; name it by "       \
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

#endif
