/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile of this build, written by another process, made to look as if
 * this one had written it. Position-independent programs are loaded anywhere,
 * and raw profiles have addresses in them: of the names, the functions, the
 * vtables, and in the value data. bareprof_merge, made for targets, wants all
 * of them equal. The build id is replaced too if it is as long: a build whose
 * records are the same has the same counters.
 *
 * A profile that is not of this build is left alone, or spoilt in a way that
 * still does not make it one; merge finds out. It is a copy.
 */
#include "../writer.h"
#include "hosted.h"

enum { PREFIX_MAX = 512 };

/* What begins a profile of ours: header and build id. Behind it: records. */
struct prefix {
  struct bareprof_dump dump;
  size_t size;
  unsigned char bytes[PREFIX_MAX];
};

static bool find_prefix(struct prefix *prefix) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  struct bareprof_memory memory = {prefix->bytes, NULL};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  prefix->dump = (struct bareprof_dump){.image = image, .sink = &sink};
  if (bareprof_check(&prefix->dump))
    return false;
  prefix->size = bareprof_counters_offset(&prefix->dump) -
                 bareprof_span_size(&image->records);
  if (prefix->size > sizeof prefix->bytes)
    return false;
  /* The records do not fit any more, which ends it. */
  memory.end = prefix->bytes + prefix->size;
  bareprof_put_profile(&prefix->dump);
  return memory.next == memory.end;
}

static uint64_t load(const unsigned char *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

/* Where a field stands in the header, which has those before it. */
static size_t field_at(const struct bareprof_layout *layout, unsigned field) {
  /* Fields 0 and 1 are in any version; bit 0 is a flag. */
  uint32_t before = (layout->fields | 3) & ((UINT32_C(1) << field) - 1);
  size_t at = 0;
  for (; before; before &= before - 1)
    at += 8;
  return at;
}

/* What a header says where something is: an address, or a distance. */
static uint64_t header_address(const struct prefix *ours,
                               const unsigned char *header, unsigned field) {
  const struct bareprof_layout *layout = ours->dump.layout;
  return layout->fields >> field & 1 ? load(header + field_at(layout, field))
                                     : 0;
}

/* Whether two headers say the same, but for these. */
static bool is_same_header(const struct prefix *ours,
                           const unsigned char *theirs) {
  const uint32_t addresses = UINT32_C(1) << BAREPROF_NAMES_DELTA |
                             UINT32_C(1) << BAREPROF_COUNTERS_DELTA |
                             UINT32_C(1) << BAREPROF_BITMAP_DELTA;
  uint32_t fields = (ours->dump.layout->fields | 3) & ~addresses;
  for (unsigned field = 0; field < BAREPROF_FIELDS; field++) {
    size_t at = field_at(ours->dump.layout, field);
    if (fields >> field & 1 && load(ours->bytes + at) != load(theirs + at))
      return false;
  }
  return true;
}

/* Which counters a record has: their place behind the first one. Version 7
 * has addresses, the others distances from the record, as the header has it
 * for the first record. */
static uint64_t place(const struct prefix *ours, const unsigned char *header,
                      const unsigned char *record, size_t number) {
  const struct bareprof_layout *layout = ours->dump.layout;
  uint64_t place =
      load(record + 16) - header_address(ours, header, BAREPROF_COUNTERS_DELTA);
  return layout->fields & BAREPROF_ABSOLUTE
             ? place
             : place + number * layout->record_size;
}

/* All pointers of a record, between its hashes and its counts, if they say
 * the same in the end. Of bitmaps it is enough that there are as many: they
 * follow the counters' order. */
static void settle_records(const struct prefix *ours, unsigned char *theirs) {
  const struct bareprof_layout *layout = ours->dump.layout;
  const unsigned char *header = theirs - ours->size;
  const unsigned char *record = bareprof_hosted_image.records.begin;
  for (size_t i = 0; i < ours->dump.record_count; i++) {
    if (place(ours, header, theirs, i) == place(ours, ours->bytes, record, i))
      __builtin_memcpy(theirs + 16, record + 16, layout->counts_at - 16u);
    record += layout->record_size;
    theirs += layout->record_size;
  }
}

static void settle_vtables(unsigned char *theirs) {
  const struct bareprof_span *vtables = &bareprof_hosted_image.vtables;
  size_t size = bareprof_vtable_size(&bareprof_hosted_image);
  for (const unsigned char *at = vtables->begin; at < vtables->end;
       at += size, theirs += size)
    __builtin_memcpy(theirs + 8, at + 8, sizeof(void *));
}

/* The values of one kind, behind its head; returns where the next begins. */
static unsigned char *settle_kind(unsigned char *at, unsigned char *end,
                                  uint64_t slide) {
  uint32_t head[2]; /* kind, sites */
  __builtin_memcpy(head, at, sizeof head);
  size_t values = 0;
  if (head[1] > (size_t)(end - at) - 8)
    return end;
  for (uint32_t site = 0; site < head[1]; site++)
    values += at[8 + site];
  at += 8 + head[1] + bareprof_padding(head[1]);
  for (; values && end - at >= 16; values--, at += 16) {
    uint64_t value = load(at) + slide;
    /* Kind 1 is sizes. What another module has is anywhere. */
    if (head[0] != 1 && bareprof_hosted_is_here((uintptr_t)value))
      __builtin_memcpy(at, &value, sizeof value);
  }
  return at;
}

/* Entry after entry, of which each says how long it is. */
static void settle_values(unsigned char *at, unsigned char *end,
                          uint64_t slide) {
  while (end - at >= 8) {
    uint32_t size;
    __builtin_memcpy(&size, at, sizeof size);
    if (size < 8 || size > (size_t)(end - at))
      return;
    unsigned char *entry_end = at + size;
    for (at += 8; at < entry_end && entry_end - at >= 8;)
      at = settle_kind(at, entry_end, slide);
    at = entry_end;
  }
}

static size_t padded(const struct bareprof_span *span) {
  size_t size = bareprof_span_size(span);
  return size + bareprof_padding(size);
}

void bareprof_hosted_settle(unsigned char *profile, size_t size) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  struct prefix ours;
  if (!find_prefix(&ours))
    return;
  size_t vtables = bareprof_counters_offset(&ours.dump) +
                   bareprof_span_size(&image->counters) +
                   bareprof_counters_padding(image, ours.dump.layout) +
                   padded(&image->bitmap) + padded(&image->names);
  size_t values =
      vtables + padded(&image->vtables) + padded(&image->vtable_names);
  if (size < values || !is_same_header(&ours, profile))
    return;
  uint64_t slide = header_address(&ours, ours.bytes, BAREPROF_NAMES_DELTA) -
                   header_address(&ours, profile, BAREPROF_NAMES_DELTA);
  settle_records(&ours, profile + ours.size);
  settle_vtables(profile + vtables);
  if (slide && ours.dump.sites)
    settle_values(profile + values, profile + size, slide);
  __builtin_memcpy(profile, ours.bytes, ours.size);
}
