/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Why the boot before this one ended, in RAM that nothing initialises. Linked
 * by a call.
 */
#include "bareprof_retain.h"

#include "../image.h"

/* check is the name's address XOR a word of this build. Random contents pass
 * once in 2^32, and the seal comes before. */
struct note {
  const char *name;
  uintptr_t check;
};

extern volatile struct note bareprof_note;
volatile struct note bareprof_note
    __attribute__((section(".bareprof_note"), used));

static uintptr_t checked(const char *name) {
  return (uintptr_t)name ^ bareprof_guard_word(&bareprof_running);
}

void bareprof_note_reset(const char *name) {
  bareprof_note.name = name;
  bareprof_note.check = checked(name);
}

/* Not read before the seal is seen: ECC may fault on what was never written. */
const char *bareprof_reset_name(const char *otherwise) {
  const char *name = NULL;
  if (bareprof_retained()) {
    name = bareprof_note.name;
    if (bareprof_note.check != checked(name))
      name = otherwise;
  }
  bareprof_note.check = 0;
  return name;
}
