/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A record of a function (__llvm_prf_data), of any raw version, machine and
 * byte order. Only this file knows the places of the fields, from the rows of
 * runtime/image_layout.c, compiled with BAREPROF_FOREIGN.
 */
#ifndef PROFILE_RECORD_H
#define PROFILE_RECORD_H

#include "../base/bytes.h"
#include "image_layout.h"

enum { RECORD_KINDS = 3 };

/* The form of records. */
struct record_form {
  const struct bareprof_layout *layout;
  unsigned pointer; /* bytes: 4 or 8 */
  bool big;
  bool absolute; /* pointers are addresses, not distances from the record */
};

struct record {
  uint64_t name, hash;
  uint64_t counters, bitmap; /* addresses, of `pointer` bytes */
  bool has_bitmap;           /* the pointer is not 0 */
  uint64_t function, values; /* addresses, as they are */
  uint32_t counter_count, bitmap_size;
  uint16_t sites[RECORD_KINDS];
};

/* Returns the form of records of a version word. layout NULL: the version is
 * unknown. */
static inline struct record_form record_form(uint64_t version, bool wide,
                                             bool big) {
  const struct bareprof_image image = {.version = &version,
                                       .pointer_size = wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  return (struct record_form){layout, image.pointer_size, big,
                              layout && layout->fields & BAREPROF_ABSOLUTE};
}

/* Cuts an address to the machine's pointer size. */
static inline uint64_t record_narrow(const struct record_form *form,
                                     uint64_t address) {
  return form->pointer == 4 ? (uint32_t)address : address;
}

/* The last three pointers of a record, before NumCounters, are BitmapPtr (in
 * versions that have one), FunctionPointer, Values. address: the record's
 * address; or its offset, if the pointers are distances from the first
 * record. */
static inline void record_read(const struct record_form *form,
                               const unsigned char *at, uint64_t address,
                               struct record *to) {
  const struct bareprof_layout *layout = form->layout;
  const unsigned char *counts = at + layout->counts_at;
  unsigned pointer = form->pointer;
  uint64_t base = form->absolute ? 0 : address;
  *to = (struct record){
      .name = load64(at, form->big),
      .hash = load64(at + 8, form->big),
      .counters = load_number(at + 16, pointer, form->big) + base,
      .function = load_number(counts - 2 * pointer, pointer, form->big),
      .values = load_number(counts - pointer, pointer, form->big),
      .counter_count = load32(counts, form->big)};
  to->counters = record_narrow(form, to->counters);
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    to->sites[kind] = load16(counts + 4 + 2 * kind, form->big);
  if (layout->bitmap_at) {
    uint64_t bitmap = load_number(counts - 3 * pointer, pointer, form->big);
    to->has_bitmap = bitmap != 0;
    to->bitmap = record_narrow(form, bitmap + base);
    to->bitmap_size = load32(at + layout->bitmap_at, form->big);
  }
}

/* Writes a record. Fields that the version lacks are lost. The bytes between
 * fields stay. */
static inline void record_write(const struct record_form *form,
                                unsigned char *at, uint64_t address,
                                const struct record *from) {
  const struct bareprof_layout *layout = form->layout;
  unsigned char *counts = at + layout->counts_at;
  unsigned pointer = form->pointer;
  uint64_t base = form->absolute ? 0 : address;
  store64(at, from->name, form->big);
  store64(at + 8, from->hash, form->big);
  store_number(at + 16, from->counters - base, pointer, form->big);
  store_number(counts - 2 * pointer, from->function, pointer, form->big);
  store_number(counts - pointer, from->values, pointer, form->big);
  store32(counts, from->counter_count, form->big);
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    store16(counts + 4 + 2 * kind, from->sites[kind], form->big);
  if (layout->bitmap_at) {
    store_number(counts - 3 * pointer,
                 from->has_bitmap ? from->bitmap - base : 0, pointer,
                 form->big);
    store32(at + layout->bitmap_at, from->bitmap_size, form->big);
  }
}

#endif
