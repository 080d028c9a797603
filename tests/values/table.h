/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the programs of this tier ask of the table of values, from outside:
 * that it is one, and how often a value is in it. They make up records: the
 * hooks take the address of one for a name.
 */
#ifndef TABLE_H
#define TABLE_H

#include "values.h"

extern uint64_t records[8];

/* By address: the compiler drops a plain call of the hook. */
extern void (*volatile table_hook)(uint64_t, void *, uint32_t);

static inline void see(unsigned record, uint32_t site, uint64_t value) {
  table_hook(value, &records[record], site);
}

/* Without a slot in it. */
void table_clear(void);

/* How much is wrong: slots that are neither free nor a record's, such that
 * are not in the window of their site, those that say what another one says.
 */
unsigned table_faults(void);

/* All counts of a value; of all values together. */
uint64_t table_count(unsigned record, uint32_t site, uint64_t value);
uint64_t table_sum(void);
unsigned table_used(void); /* slots */

#endif
