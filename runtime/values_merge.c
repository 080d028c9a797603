/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds the value data of a raw profile to the table of values. values_write.c
 * describes the format. The data is read twice: first to check that it is
 * complete and fits the records, then to add the values. profraw_merge.c calls
 * bareprof_values_merge.
 */
#include "image_layout.h"
#include "weak_hooks.h"
#include "values.h"

/* the kind whose values are sizes, not addresses */
enum { SIZES = 1 };

/* The position in the value data of a profile. The data has an entry for each
 * record with value sites. */
struct value_reader {
  const struct bareprof_profile *profile;
  const unsigned char *at;
  const unsigned char *end; /* the end of the data; within a record's entry,
                               the end of that entry */
  void *record;
  uint32_t site;
  const struct bareprof_slide *moved;
  bool adding;
  bool found; /* whether the data has any value */
};

static size_t count_bytes_left(const struct value_reader *reader) {
  return (size_t)(reader->end - reader->at);
}

/* Loads a number. The profile's buffer may begin at any address. */
static uint32_t load32(const unsigned char *at) {
  uint32_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static uintptr_t translate_address(const struct bareprof_slide *moved,
                                   uintptr_t value) {
  uintptr_t here = value + moved->slide;
  return here >= moved->begin && here < moved->end ? here : value;
}

/* Calls the hook with the value, and adds the rest of the value's count to the
 * slot that the hook returns. If the hook drops the value, add_value calls the
 * hook again, up to the value's count or 64 times, so that a frequent value is
 * likely to get a slot. */
static void add_value(const struct value_reader *reader, unsigned kind) {
  uint64_t pair[2]; /* value, count */
  struct bareprof_value_slot *slot = NULL;
  __builtin_memcpy(pair, reader->at, sizeof pair);
  if (reader->moved && kind != SIZES)
    pair[0] = translate_address(reader->moved, (uintptr_t)pair[0]);
  for (unsigned chances = 64; !slot && chances && pair[1]; chances--) {
    slot = bareprof_values_count_value(pair[0], reader->record, reader->site);
    pair[1]--;
  }
  if (slot && slot->count < UINTPTR_MAX / 2) {
    uint64_t room = UINTPTR_MAX / 2 - slot->count;
    bareprof_value_add(slot, (uintptr_t)(pair[1] < room ? pair[1] : room));
  }
}

/* Reads the data of one kind of values: the number of the kind, the number of
 * sites, how many values each site has, and the values. */
static int check_or_add_value_kind(struct value_reader *reader, unsigned kind,
                                   uint32_t sites) {
  size_t head = 8 + sites + bareprof_padding(sites);
  if (count_bytes_left(reader) < head)
    return BAREPROF_E_TRUNCATED;
  if (load32(reader->at) != kind || load32(reader->at + 4) != sites)
    return BAREPROF_E_OTHER_BUILD;
  const unsigned char *values = reader->at + 8;
  reader->at += head;
  for (; sites; sites--, values++, reader->site++)
    for (unsigned i = *values; i; i--, reader->at += 16) {
      reader->found = true;
      if (count_bytes_left(reader) < 16)
        return BAREPROF_E_TRUNCATED;
      if (reader->adding)
        add_value(reader, kind);
    }
  return 0;
}

/* Reads the entry of a record: its size, the number of kinds, and the kinds. If
 * `moved` is set, the profile is a file into which several processes of
 * compiler-rt's tests merge. In such a file an entry may lack kinds, and may
 * have more bytes after its kinds. */
static int check_or_add_record_values(struct value_reader *reader,
                                      const uint16_t *sites) {
  if (count_bytes_left(reader) < 8)
    return BAREPROF_E_TRUNCATED;
  uint32_t size = load32(reader->at);
  uint32_t kinds = load32(reader->at + 4);
  if (size < 8 || size > count_bytes_left(reader))
    return BAREPROF_E_TRUNCATED;
  reader->end = reader->at + size;
  reader->at += 8;
  reader->site = 0;
  bool none = reader->moved && kinds == 0;
  for (unsigned kind = 0;
       !none && kind < bareprof_layout_of(reader->profile)->kinds; kind++) {
    if (sites[kind] == 0)
      continue;
    int error = check_or_add_value_kind(reader, kind, sites[kind]);
    if (error)
      return error;
    kinds--;
  }
  if (reader->moved)
    reader->at = reader->end;
  return kinds || reader->at != reader->end ? BAREPROF_E_OTHER_BUILD : 0;
}

/* Reads the entry of each record that has value sites. */
static int check_or_add_value_data(struct value_reader *reader) {
  const struct bareprof_layout *layout = bareprof_layout_of(reader->profile);
  const unsigned char *record = reader->profile->image->records.begin;
  const unsigned char *end = reader->end;
  for (size_t i = reader->profile->record_count; i;
       i--, record += layout->record_size) {
    uint16_t sites[3] = {0}, any = 0;
    for (unsigned kind = 0; kind < layout->kinds; kind++)
      any |= sites[kind] = bareprof_load16(
          reader->profile->image, record + layout->counts_at + 4 + 2 * kind);
    if (any == 0)
      continue;
    reader->record = (void *)(uintptr_t)record;
    reader->end = end;
    int error = check_or_add_record_values(reader, sites);
    if (error)
      return error;
  }
  return 0;
}

int bareprof_values_merge(const struct bareprof_profile *profile,
                          const unsigned char *data, size_t size,
                          const struct bareprof_slide *moved) {
  struct value_reader reader = {
      .profile = profile, .at = data, .end = data + size, .moved = moved};
  int error = check_or_add_value_data(&reader);
  /* The hooks write only to slots of the running image. */
  if (!error && reader.found && profile->image->values != &hook_values)
    error = BAREPROF_E_VALUES;
  if (error || !&hook_values || !reader.found)
    return error;
  reader.at = data;
  reader.end = data + size;
  reader.adding = true;
  return check_or_add_value_data(&reader);
}
