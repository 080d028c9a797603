/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Keeps a note in RAM that nothing initialises. The note says why the boot
 * before this one ended. A program that calls a function of this file links the
 * file. retain.c checks whether the contents of this RAM are valid.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../shared.h"

/* `check` is the name's address XOR the guard's value, which depends on the
 * build. So random contents pass with a chance of 1 in 2^32, and only if
 * retain.c's seal, which proves that counts are from this build, is valid. */
struct reboot_note {
  const char *name;
  uintptr_t check;
};

/* Reserves the RAM after the boot word. Code computes the note's address from
 * the guard's address, because bareprof_relocate moves both. */
extern struct reboot_note bareprof_note;
struct reboot_note bareprof_note
    __attribute__((section(".bareprof_note"), used));

/* Returns the note's address, or NULL in an image without counters. */
static volatile struct reboot_note *find_note(void) {
  uint64_t *guard = bareprof_running.guard;
  return guard ? (void *)(guard + 2) : NULL;
}

/* Returns the word that proves a note: see struct reboot_note. */
static uintptr_t compute_note_check(const char *name) {
  return (uintptr_t)name ^ bareprof_expected_guard_half(&bareprof_running);
}

/* Stores the note as whole 64-bit words, because a partial write to RAM with
 * ECC may fault (shared.h). */
static void store_note(volatile struct reboot_note *note, const char *name,
                       uintptr_t check) {
#if UINTPTR_MAX > UINT32_MAX
  note->name = name;
  note->check = check;
#else
  fill_word((uintptr_t)note, (uintptr_t)name, check, 1);
#endif
}

void bareprof_note_reboot(const char *name) {
  volatile struct reboot_note *note = find_note();
  if (note)
    store_note(note, name, compute_note_check(name));
}

/* The note is read only if the seal (see above) is valid, because a read of RAM
 * with ECC that was never written may fault. */
const char *bareprof_reboot_name(const char *otherwise) {
  volatile struct reboot_note *note = find_note();
  const char *name = NULL;
  if (!note)
    return NULL;
  if (bareprof_retained()) {
    name = note->name;
    if (note->check != compute_note_check(name))
      name = otherwise;
  }
  store_note(note, NULL, 0);
  return name;
}
