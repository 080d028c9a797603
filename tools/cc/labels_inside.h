/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of labels share. Only they include this.
 */
#ifndef CC_LABELS_INSIDE_H
#define CC_LABELS_INSIDE_H

#include "../image/code_labels.h"
#include "labels.h"

struct label {
  size_t name, name_size; /* of the function, in labels->names: without
                             @__profn_ and quotes */
  enum label_kind kind;
  uint64_t value;
  size_t slot; /* of a decision: the number of its variable in the function */
};

/* What the name of a label begins with; its number in the list follows. */
#define LABEL_PREFIX ".Lbareprof."

#endif
