/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes small firmware from arrays: the sections that the target's compiler
 * would leave for a plan, and the bareprof_image that describes them. With
 * BAREPROF_FOREIGN for any target, otherwise for this machine.
 */
#ifndef COMPOSE_H
#define COMPOSE_H

#include <stdbool.h>

#include "bareprof_values.h"
#include "format.h"

#define FUNCTIONS 4

/* The mode bits of a version word. */
#define IR (UINT64_C(1) << 56)
#define BYTES (UINT64_C(1) << 60)
#define ENTRY_ONLY (UINT64_C(1) << 61)
#define TEMPORAL (UINT64_C(1) << 63)

/* Only a plan has this bit, no version word: the function's last counters are
 * bytes of MC/DC outcomes, in place of a bitmap. */
#define OUTCOMES (UINT64_C(1) << 32)

struct plan {
  const char *name;
  unsigned since; /* the first version that can have it */
  uint64_t mode;
  unsigned functions;
  struct {
    unsigned counters, bitmap;
    unsigned sites[3];
    unsigned hole; /* bytes that the linker left before its counters */
  } function[FUNCTIONS];
  unsigned build_id; /* bytes, 0: no note */
  unsigned vtables;
};

extern const struct plan plans[];
extern const unsigned plan_count;
/* These two plans have bitmaps, value sites, a build id, and vtables if the
 * version knows them. */
extern const struct plan everything;
extern const struct plan everything_bytes;

struct firmware {
  struct target target;
  uint64_t word;
  uint64_t guard;
  size_t record_at[FUNCTIONS + 1]; /* offsets of the records */
  size_t counters_at[FUNCTIONS + 1];
  size_t bitmap_at[FUNCTIONS + 1];
  /* Where the linker put the sections. */
  uint64_t records_address, counters_address, bitmap_address, names_address;
  struct bareprof_image image;
  unsigned char records[512] __attribute__((aligned(8)));
  unsigned char counters[512] __attribute__((aligned(8)));
  unsigned char bitmap[64] __attribute__((aligned(8)));
  unsigned char names[64];
  unsigned char vtables[64] __attribute__((aligned(8)));
  unsigned char vtable_names[32];
  struct bareprof_values values; /* 8 free slots */
  struct bareprof_values_state state;
  struct bareprof_value_slot slots[8];
  unsigned char build_id[64] __attribute__((aligned(4)));
};

/* Fills all members of *firmware. Its image points into *firmware, so do not
 * copy it. */
void compose(struct firmware *firmware, const struct target *target,
             const struct plan *plan);
/* Does the same, but record i is from a compiler of raw version versions[i]. */
void compose_mixed(struct firmware *firmware, const struct target *target,
                   const struct plan *plan, const unsigned *versions);

/* The machines that this build can describe, each with versions 7 to 11. */
extern const struct target machines[];
extern const unsigned machine_count;
extern const char *const flavour_name; /* native or foreign */

extern const char *const function_names[FUNCTIONS];
uint64_t function_hash(unsigned function);
/* Returns the count that compose gives a counter. */
uint64_t planned_count(const struct plan *plan, unsigned function,
                       unsigned counter);

static inline size_t size_of(const struct bareprof_span *span) {
  return (size_t)(span->end - span->begin);
}

/* A sink that keeps the bytes, and notes whether a call passed none. */
struct capture {
  unsigned char bytes[4096];
  size_t size;
  unsigned calls;
  bool null_or_empty;
};
int capture_write(void *capture, const void *bytes, size_t size);
/* Empties the capture, and writes the image's profile into it. Returns the
 * error of bareprof_write_image. */
int capture_image(struct capture *capture,
                  const struct bareprof_image *image);

#endif
