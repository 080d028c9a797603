/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files for trace points (`labels`) share; only they include this.
 * labels.c changes the IR, labels_room.c the assembly.
 */
#ifndef CC_LABELS_INSIDE_H
#define CC_LABELS_INSIDE_H

#include "../image/traced.h"
#include "modes.h"

/* A trace point: its kind and its function. */
struct label {
  size_t name, name_size; /* of the function, in labels->names, without
                             @__profn_ and quotes */
  enum label_kind kind;
  uint64_t value;
  size_t slot; /* of a decision: the number of its variable in the function */
};

/* What a line of a function's body does to a decision. */
enum label_step_kind { STEP_NONE, STEP_BEGINS, STEP_ADDS, STEP_ENDS };
struct label_step {
  enum label_step_kind kind;
  size_t slot;
  bool within; /* for STEP_ADDS: the decision may be open here */
};

/* labels_room.c: sets `within` in all steps, one for each line. *leaves: the
 * function may return while a decision is open. Returns NULL or the error: the
 * control-flow graph has an unexpected form. */
struct part;
const char *labels_open(struct label_step *steps, const struct part *lines,
                        size_t count, bool *leaves);

/* The names of labels begin with this; the number in the list follows. */
#define LABEL_PREFIX ".Lbareprof."

#endif
