/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the common parts of the files for trace points; only they include
 * this header. trace_ir.c changes the IR, trace_assembly.c the assembly.
 */
#ifndef CC_TRACE_POINTS_H
#define CC_TRACE_POINTS_H

#include "../image/trace_counts.h"
#include "byte_counters.h"

/* A trace point: its kind and its function. */
struct trace_point {
  struct text_part name; /* the name of the function, without @__profn_ and
                            quotes */
  enum linked_point_kind kind;
  uint64_t value; /* for a counter, its offset in bytes; for a decision, the
                     number that is added, or the decision's first bit */
  size_t slot; /* the number of the variable in the function, for decisions */
};

/* The ways in which a line of a function's body changes a decision. */
enum decision_step_kind { STEP_NONE, STEP_BEGINS, STEP_ADDS, STEP_ENDS };
struct decision_step {
  enum decision_step_kind kind;
  size_t slot;
  bool within; /* the decision may be open in this line, for STEP_ADDS */
};

/* A function's body, with a step for each line. */
struct body_with_steps {
  struct cfg cfg;
  struct decision_step *steps;
  bool leaves; /* the function may return while a decision is open */
};

/* ---- trace_assembly.c ---- */

/* Sets `within` in all steps, and `leaves`. `context` is a struct
 * body_with_steps. Raises an error if the control-flow graph has an unexpected
 * form. */
void trace_mark_open_decisions(void *context);

/* The names of trace points' labels begin with this text. The number of the
 * point in the list follows. */
#define TRACE_POINT_PREFIX ".Lbareprof."

#endif
