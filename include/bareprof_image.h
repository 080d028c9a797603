/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image describes the sections that a profile is made of. Most programs need
 * only the running image, which the functions of bareprof.h use. A boot loader
 * may fill a struct bareprof_image for the application that it has just run,
 * and a test may fill one from arrays.
 */
#ifndef BAREPROF_IMAGE_H
#define BAREPROF_IMAGE_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* The pieces of an image, in the order in which a profile has them. */
enum bareprof_piece {
  BAREPROF_PIECE_RECORDS,
  BAREPROF_PIECE_COUNTERS,
  BAREPROF_PIECE_BITMAP,
  BAREPROF_PIECE_NAMES,
  BAREPROF_PIECE_VTABLES,
  BAREPROF_PIECE_VTABLE_NAMES,
  BAREPROF_SPANS /* the number of pieces */
};

struct bareprof_values;

#ifdef BAREPROF_FOREIGN
/* The host tool has images of other machines, and structs of its own. */
#include "image_host.h"
#else

/* A piece of an image: the bytes from begin up to, not including, end. Both are
 * NULL if the linker script does not bound the piece. The runtime writes to
 * counters and bitmap only. */
struct bareprof_span {
  const unsigned char *begin;
  const unsigned char *end;
};

/* All parts of a raw profile. The struct and the bytes it points to are yours,
 * and must not change during a call, except counters, bitmap and guard word. */
struct bareprof_image {
  /* The raw version in bits 0 to 30, the variant bits (mode of
   * instrumentation) in bits 32 to 63, as in __llvm_profile_raw_version. Bit
   * 31 is bareprof's own: counters have 4 bytes. Never NULL. */
  const uint64_t *version;
  /* bareprof_init fills this word, aligned to 8, as proof that the counters
   * were initialised. If guard is NULL, nothing is proven. The lower 32 bits
   * depend on the address where the counters end, so RAM of another build with
   * the same layout passes the check. Functions that send write the upper 32
   * bits, the numbers of boot and dumps. In an image with a guard, counters and
   * bitmap must begin at multiples of 8 and own the bytes up to the next
   * multiple, as bareprof.ld places them, because reset writes whole words.
   * Without a guard, reset writes only within the bounds. */
  uint64_t *guard;
  __extension__ union {
    __extension__ struct {
      struct bareprof_span records;      /* __llvm_prf_data, aligned to 8     */
      struct bareprof_span counters;     /* __llvm_prf_cnts, aligned to 8, or
                                            to 1 where a counter is a byte;
                                            __llvm_prf_cnt4, aligned to 4     */
      struct bareprof_span bitmap;       /* __llvm_prf_bits, MC/DC            */
      struct bareprof_span names;        /* __llvm_prf_names                  */
      struct bareprof_span vtables;      /* __llvm_prf_vtab, raw 10 and on    */
      struct bareprof_span vtable_names; /* __llvm_prf_vns, raw 10 and on     */
    };
    struct bareprof_span pieces[BAREPROF_SPANS];
  };
  struct bareprof_span build_id;        /* the note, aligned to 4; or empty  */
  const struct bareprof_values *values; /* of bareprof_values.h; or NULL     */
  uintptr_t moved; /* address of counters and bitmap, minus the linked one: a
                      multiple of 8, 0 without bareprof_relocate             */
};

#endif

/* The running image, as the linker placed it. It is a constant in ROM; with
 * bareprof_relocate (bareprof_options.h) it is in RAM. */
extern const struct bareprof_image bareprof_running;

/* These are the functions of bareprof.h for any image, which must not be NULL,
 * and must have the pointer width and byte order of this code. The code of the
 * image itself initialises its counters and sets its guard. An image of another
 * raw version than the archive's gives E_VERSION, except with the archive of
 * `make lib LLVM=any`. If the image's code calls bareprof_fold, link it here,
 * too, or counts are wrong. bareprof_merge_image of an image that does not run:
 * a profile with values gives E_VALUES, and the image's later timestamps may be
 * too low. */
int bareprof_status_image(const struct bareprof_image *image);
int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink);
void bareprof_reset_image(const struct bareprof_image *image);
int bareprof_merge_image(const struct bareprof_image *image,
                         const void *profile, size_t size);

BAREPROF_END_C
#endif
