/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Moves counters and bitmaps to a RAM address that the program chooses at boot.
 * The file is not in the archive: `make lib` puts it next to the archive as
 * bareprof-relocate.o, to name on the link line. The file's bareprof_running,
 * which is in RAM, replaces the definition in image_sections.c. Until the
 * program calls bareprof_relocate, all pieces of this image are empty.
 *
 * Counters and bitmaps keep their distance from each other, so that one number
 * says how far both have moved.
 */
#include "bareprof_options.h"

#include "../image.h"
#include "../image_sections.h"
#include "../weak_hooks.h"

/* Instrumented code adds these variables to the link addresses of its counters
 * and bitmaps. Instrumented objects define these variables, always with 64
 * bits. */
#define BIAS extern __attribute__((weak, visibility("hidden"))) int64_t
BIAS __llvm_profile_counter_bias, __llvm_profile_bitmap_bias;

static const struct bareprof_image linked = BAREPROF_LINKED_IMAGE;

/* Declares bareprof_running without const, because a compiler may drop writes
 * to a const object. */
extern struct bareprof_image moved_image __asm__("bareprof_running");
struct bareprof_image moved_image = {.version = &__llvm_profile_raw_version};

/* find_linked_counts_begin and find_linked_counts_end return the link addresses
 * where counters and bitmaps begin and end, as multiples of 8. If the linker
 * script is not bareprof.ld, bitmaps may be before the counters. */
static uintptr_t find_linked_counts_begin(void) {
  uintptr_t begin = bareprof_begin_address(&linked.counters);
  uintptr_t bitmap = bareprof_begin_address(&linked.bitmap);
  if (bareprof_span_size(&linked.bitmap) && bitmap < begin)
    begin = bitmap;
  return begin & ~(uintptr_t)7;
}

static uintptr_t find_linked_counts_end(void) {
  uintptr_t end = bareprof_end_address(&linked.counters);
  uintptr_t bitmap = bareprof_end_address(&linked.bitmap);
  if (bareprof_span_size(&linked.bitmap) && bitmap > end)
    end = bitmap;
  return (end + 7) & ~(uintptr_t)7;
}

size_t bareprof_relocate_size(void) {
  /* The program may have a guard, a boot word, and a note of two pointers. */
  size_t words = hook_boot_number || hook_retain_boot ? 2 : 1;
  size_t note = &hook_note ? 2 * sizeof(void *) : 0;
  return find_linked_counts_end() - find_linked_counts_begin() +
         words * sizeof *linked.guard + note;
}

static void move_span(struct bareprof_span *span, uintptr_t distance) {
  span->begin = (const unsigned char *)((uintptr_t)span->begin + distance);
  span->end = (const unsigned char *)((uintptr_t)span->end + distance);
}

int bareprof_relocate(void *ram, size_t size) {
  uintptr_t distance = (uintptr_t)ram - find_linked_counts_begin();
  bool bitmap = bareprof_span_size(&linked.bitmap) != 0;
  moved_image = linked;
  if (!&__llvm_profile_counter_bias || (bitmap && !&__llvm_profile_bitmap_bias))
    return BAREPROF_E_NOT_MOVABLE;
  if (!ram || (uintptr_t)ram % 8 || size < bareprof_relocate_size())
    return BAREPROF_E_NO_ROOM;
  moved_image.moved = distance;
  move_span(&moved_image.counters, distance);
  move_span(&moved_image.bitmap, distance);
  if (moved_image.guard)
    moved_image.guard = (uint64_t *)(find_linked_counts_end() + distance);
  __llvm_profile_counter_bias = (intptr_t)distance;
  if (&__llvm_profile_bitmap_bias)
    __llvm_profile_bitmap_bias = (intptr_t)distance;
  bareprof_init();
  return 0;
}
