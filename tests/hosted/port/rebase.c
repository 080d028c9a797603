/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Gives this process's profile the addresses of another one.
 * Position-independent programs are loaded anywhere, and raw profiles contain
 * addresses: of the names, the functions, the vtables, and in the value data. A
 * pool keeps those of the process that began it, so that its pieces fit
 * together at any moment while they are replaced.
 */
#include "profraw_write.h"
#include "hosted.h"

static uint64_t load(const unsigned char *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static bool has(unsigned field) {
  const struct bareprof_layout *layout =
      bareprof_layout_find(&bareprof_hosted_image);
  /* Fields 0 and 1 are in any version; bit 0 is a flag. */
  return (layout->fields | 3) >> field & 1;
}

/* Where a field stands in the header, which has those before it. */
static size_t field_at(unsigned field) {
  size_t at = 0;
  while (field--)
    at += has(field) ? 8 : 0;
  return at;
}

uint64_t bareprof_hosted_field(const unsigned char *header, unsigned field) {
  return has(field) ? load(header + field_at(field)) : 0;
}

static void copy_field(unsigned char *to, const unsigned char *from,
                       unsigned field) {
  if (has(field))
    __builtin_memcpy(to + field_at(field), from + field_at(field), 8);
}

/* The values of one kind, behind its head; returns where the next begins. */
static unsigned char *move_kind(unsigned char *at, uint64_t slide) {
  uint32_t head[2]; /* kind, sites */
  __builtin_memcpy(head, at, sizeof head);
  size_t values = 0;
  for (uint32_t site = 0; site < head[1]; site++)
    values += at[8 + site];
  at += 8 + head[1] + bareprof_padding(head[1]);
  for (; values; values--, at += 16) {
    uint64_t value = load(at);
    /* Kind 1 is sizes. What another module has is anywhere. */
    if (head[0] == 1 || !bareprof_hosted_is_here((uintptr_t)value))
      continue;
    value -= slide;
    __builtin_memcpy(at, &value, sizeof value);
  }
  return at;
}

/* Entry after entry, of which each says how long it is. */
static void move_values(unsigned char *at, unsigned char *end, uint64_t slide) {
  while (end - at >= 8) {
    uint32_t size;
    __builtin_memcpy(&size, at, sizeof size);
    unsigned char *entry_end = at + size;
    for (at += 8; at < entry_end;)
      at = move_kind(at, slide);
  }
}

static bool is_same_shape(const unsigned char *ours,
                          const unsigned char *theirs) {
  static const unsigned char fields[] = {
      BAREPROF_MAGIC,
      BAREPROF_VERSION_WORD,
      BAREPROF_BINARY_IDS_SIZE,
      BAREPROF_NUM_DATA,
      BAREPROF_NUM_COUNTERS,
      BAREPROF_PADDING_AFTER_COUNTERS,
      BAREPROF_NUM_BITMAP_BYTES,
      BAREPROF_NAMES_SIZE,
      BAREPROF_NUM_VTABLES,
      BAREPROF_VTABLE_NAMES_SIZE,
  };
  for (size_t i = 0; i < sizeof fields; i++)
    if (bareprof_hosted_field(ours, fields[i]) !=
        bareprof_hosted_field(theirs, fields[i]))
      return false;
  return true;
}

size_t bareprof_hosted_keep_addresses(const struct bareprof_hosted_bytes *ours,
                                      const unsigned char *theirs) {
  struct bareprof_hosted_pieces pieces;
  const struct bareprof_layout *layout =
      bareprof_layout_find(&bareprof_hosted_image);
  if (!is_same_shape(ours->at, theirs) ||
      bareprof_hosted_find_pieces(&pieces, ours->at, ours->size))
    return 0;
  uint64_t slide = bareprof_hosted_field(ours->at, BAREPROF_NAMES_DELTA) -
                   bareprof_hosted_field(theirs, BAREPROF_NAMES_DELTA);
  copy_field(ours->at, theirs, BAREPROF_COUNTERS_DELTA);
  copy_field(ours->at, theirs, BAREPROF_BITMAP_DELTA);
  copy_field(ours->at, theirs, BAREPROF_NAMES_DELTA);
  /* Pointers lie between a record's hashes and its counts. */
  for (size_t at = pieces.records; at < pieces.counters;
       at += layout->record_size)
    __builtin_memcpy(ours->at + at + 16, theirs + at + 16,
                     layout->counts_at - 16u);
  size_t vtable = bareprof_vtable_size(&bareprof_hosted_image);
  for (size_t at = pieces.vtables; at < pieces.vtable_names; at += vtable)
    __builtin_memcpy(ours->at + at + 8, theirs + at + 8, sizeof(void *));
  if (slide)
    move_values(ours->at + pieces.values, ours->at + ours->size, slide);
  return pieces.values;
}
