/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files for trace points (`labels`) share; only they include this.
 * trace_ir.c changes the IR, trace_assembly.c the assembly.
 */
#ifndef CC_TRACE_POINTS_H
#define CC_TRACE_POINTS_H

#include "../image/trace_counts.h"
#include "steps.h"

/* A trace point: its kind and its function. */
struct trace_point {
  size_t name, name_size; /* of the function, in labels->names, without
                             @__profn_ and quotes */
  enum linked_point_kind kind;
  uint64_t value;
  size_t slot; /* of a decision: the number of its variable in the function */
};

/* What a line of a function's body does to a decision. */
enum decision_step_kind { STEP_NONE, STEP_BEGINS, STEP_ADDS, STEP_ENDS };
struct decision_step {
  enum decision_step_kind kind;
  size_t slot;
  bool within; /* for STEP_ADDS: the decision may be open here */
};

/* trace_assembly.c: sets `within` in all steps, one for each line. *leaves: the
 * function may return while a decision is open. Returns NULL or the error: the
 * control-flow graph has an unexpected form. */
struct text_part;
const char *trace_mark_open(struct decision_step *steps,
                            const struct text_part *lines, size_t count,
                            bool *leaves);

/* The names of labels begin with this; the number in the list follows. */
#define TRACE_POINT_PREFIX ".Lbareprof."

#endif
