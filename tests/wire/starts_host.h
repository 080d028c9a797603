/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a log as `bareprof receive` and `bareprof report` do. Calls `accept`
 * for each profile that the command would accept, with the names and records of
 * the profile. Returns whether the exit status would be 0.
 */
#ifndef STARTS_HOST_H
#define STARTS_HOST_H

#include "snapshot.h"

typedef void host_accept(const struct snapshot *snapshot);

/* Calls `told` for each dump about which receive says that a later dump
 * contains its counts. */
bool host_receive(struct bytes log, host_accept *accept, host_accept *told);
bool host_report(struct bytes log, host_accept *accept);

#endif
