/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A log through the host's side, as the two commands take it. Each profile
 * that they would accept is handed out, with the names and records of its
 * own; the answer is whether the exit status would be 0.
 */
#ifndef STARTS_HOST_H
#define STARTS_HOST_H

#include "snapshot.h"

typedef void host_accept(const struct snapshot *snapshot);

/* told: gets the dumps of which it says that a later one has their counts. */
bool host_receive(struct bytes log, host_accept *accept, host_accept *told);
bool host_report(struct bytes log, host_accept *accept);

#endif
