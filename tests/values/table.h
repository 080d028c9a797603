/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the table of values from outside of the runtime: whether it is
 * consistent, and the count of each value. The records here have no contents,
 * because the hooks use only the address of a record.
 */
#ifndef TABLE_H
#define TABLE_H

#include "values.h"

extern uint64_t records[8];

/* The hook as a pointer, because the compiler drops direct calls of the hook.
 */
extern void (*volatile table_hook)(uint64_t, void *, uint32_t);

static inline void see(unsigned record, uint32_t site, uint64_t value) {
  table_hook(value, &records[record], site);
}

/* Makes all slots free. */
void table_clear(void);

/* Returns the number of faults: slots of no record, slots outside of the window
 * of their site, pairs of slots for the same value; and 1 if a dump is in
 * progress. */
unsigned table_faults(void);

/* table_count returns the count of a value, table_sum the sum of all counts. */
uint64_t table_count(unsigned record, uint32_t site, uint64_t value);
uint64_t table_sum(void);
unsigned table_used(void); /* returns how many slots have a value */

#endif
