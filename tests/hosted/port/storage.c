/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_values of a hosted module without a line of BAREPROF_VALUES; it is
 * writable. room.c makes it as large as the module needs.
 */
#include "values.h"
#include "hosted.h"

static struct bareprof_values_state state;
/* Until then there is one slot, and it is never free. */
static struct bareprof_value_slot no_slot = {.owner = BAREPROF_VALUE_FROZEN};

struct bareprof_values bareprof_hosted_storage = {
    .slots = &no_slot, .state = &state, .homes = 1, .ways = 1};

extern const struct bareprof_values bareprof_values
    __attribute__((alias("bareprof_hosted_storage")));
