/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The storage as a user defines it, in C and C++, and a program without any
 * (NONE). Has instrumented code (work.c). Exit status: 0, or what is wrong.
 */
#include "bareprof_values.h"

#ifdef __cplusplus
extern "C" {
#endif
void work(void);
#ifdef __cplusplus
}
#endif

#ifndef NONE
BAREPROF_VALUES(1, 1);
#endif

static uint64_t record;
static void (*volatile hook)(uint64_t, void *,
                             uint32_t) = __llvm_profile_instrument_target;

static int ignore(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  return 0;
}

int main(void) {
  const struct bareprof_sink sink = {ignore, &record};
  bareprof_init();
  for (int i = 0; i < 3; i++)
    hook(7, &record, 9);
#ifndef NONE
  const struct bareprof_value_slot *slot = &bareprof_values.slots[0];
  if (slot->value != 7 || slot->count != 3 || slot->site != 9)
    return 1;
#endif
  work();
  /* Sites without storage are no error: the profile has no values. */
  if (bareprof_status() || bareprof_size() < 100)
    return 2;
  return bareprof_write(&sink) ? 3 : 0;
}
