/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Labels in the place of counters: an address for each place where clang would
 * count, and no instruction. A trace says how often each address ran; see
 * ../image/code_labels.h, which reads the section that this writes.
 *
 * Three rewritings of one module: of what clang's front end made, where calls
 * of intrinsics become labels, and one increment a function stays, so that
 * clang still makes its records; of what clang lowered, where that increment
 * goes; of the assembly, where a label gets its room: an instruction of its own
 * block behind it, or a nop.
 *
 * The text of a label counts as one instruction, so the code generator leaves
 * that room in the reach of its branches.
 */
#ifndef CC_LABELS_H
#define CC_LABELS_H

#include <stdio.h>

#include "../base/buffer.h"
#include "../base/bytes.h"

/* Begins as labels_none; the same for all three. */
struct labels {
  struct buffer list;  /* struct label */
  struct buffer names; /* of functions */
  bool wide;           /* the target's addresses have 8 bytes */
  size_t nops;
};
extern const struct labels labels_none;

/* Each returns NULL or the error, and ignores errors of out. */
const char *labels_module(struct labels *labels, struct bytes module,
                          FILE *out);
const char *labels_lowered(struct bytes module, FILE *out);
const char *labels_assembly(struct labels *labels, struct bytes assembly,
                            FILE *out);

void labels_free(struct labels *labels);

#endif
