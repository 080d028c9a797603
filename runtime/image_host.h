/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the image structs of the host tool. The host reads images of another
 * machine, so a piece is in a buffer of the host and also has an address on
 * that machine. bareprof_image.h includes this header instead of the target's
 * structs, and documents the fields.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_HOST_H
#define BAREPROF_RUNTIME_IMAGE_HOST_H

struct bareprof_span {
  const unsigned char *begin;
  const unsigned char *end;
  uint64_t address; /* address of `begin` in the image */
};

struct bareprof_image {
  const uint64_t *version;
  uint64_t *guard;
  __extension__ union {
    __extension__ struct {
      struct bareprof_span records;
      struct bareprof_span counters;
      struct bareprof_span bitmap;
      struct bareprof_span names;
      struct bareprof_span vtables;
      struct bareprof_span vtable_names;
    };
    struct bareprof_span pieces[BAREPROF_SPANS];
  };
  struct bareprof_span build_id;
  const struct bareprof_values *values;
  uint8_t pointer_size; /* bytes of a pointer in the image: 4 or 8 */
  uint8_t big_endian;   /* byte order of the image: 0 little, 1 big */
};

/* A slot of the table of values must hold a pointer of any machine. */
typedef uint64_t bareprof_value_word;
typedef uint32_t bareprof_value_half;

#endif
