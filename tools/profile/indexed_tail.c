/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What follows the functions in an indexed profile, each where the header
 * says: a memory profile, carried along (version 8 and later); build ids (9);
 * names of vtables (12); traces (10).
 */
#include <stdlib.h>
#include <string.h>

#include "../base/bytes.h"
#include "indexed_inside.h"
#include "memprof_move.h"

static uint64_t up_to_8(uint64_t size) { return (size + 7) / 8 * 8; }

/* ---- build ids ---- */

static const struct bytes *ids_of(const struct profile *profile,
                                  size_t *count) {
  *count = profile->ids.size / sizeof(struct bytes);
  return (const struct bytes *)(const void *)profile->ids.data;
}

static uint64_t ids_size(const struct profile *profile) {
  size_t count;
  const struct bytes *ids = ids_of(profile, &count);
  uint64_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += 8 + up_to_8(ids[i].size);
  return size;
}

static void write_ids(const struct profile *profile, struct emit *emit) {
  size_t count;
  const struct bytes *ids = ids_of(profile, &count);
  emit64(emit, ids_size(profile));
  for (size_t i = 0; i < count; i++) {
    emit64(emit, ids[i].size);
    emit_bytes(emit, ids[i].data, ids[i].size);
    emit_pad(emit, ids[i].size);
  }
}

/* ---- names of vtables ---- */

static bool collect_vtables(struct tail *tail) {
  size_t count = 0;
  if (tail->options->vtable_names)
    count = tail->profile->vtables.size / sizeof *tail->vtables;
  tail->vtables = malloc((count + 1) * sizeof *tail->vtables);
  if (!tail->vtables)
    return false;
  if (count)
    memcpy(tail->vtables, tail->profile->vtables.data,
           count * sizeof *tail->vtables);
  tail->vtable_count = vtables_sort(tail->vtables, count);
  return true;
}

/* The names, and 0x01 between them. */
static uint64_t vtables_text(const struct tail *tail) {
  uint64_t size = tail->vtable_count ? tail->vtable_count - 1 : 0;
  for (size_t i = 0; i < tail->vtable_count; i++)
    size += strlen(tail->vtables[i]);
  return size;
}

static unsigned leb_size(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7)
    size++;
  return size;
}

/* The text behind its size, and the size when compressed: 0, it is not. */
static uint64_t vtables_size(const struct tail *tail) {
  uint64_t text = vtables_text(tail);
  return tail->vtable_count ? leb_size(text) + 1 + text : 0;
}

static void write_vtables(const struct tail *tail, struct emit *emit) {
  uint64_t left = vtables_text(tail);
  emit64(emit, vtables_size(tail));
  if (!tail->vtable_count)
    return;
  for (; left >= 0x80; left >>= 7)
    emit_number(emit, left | 0x80, 1);
  emit_number(emit, left, 1);
  emit_number(emit, 0, 1);
  for (size_t i = 0; i < tail->vtable_count; i++) {
    if (i)
      emit_number(emit, 1, 1);
    emit_text(emit, tail->vtables[i]);
  }
  emit_pad(emit, vtables_size(tail));
}

/* ---- traces ---- */

static void write_traces(const struct profile *profile, struct emit *emit) {
  emit64(emit, profile->trace_count);
  emit64(emit, profile->trace_stream);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct trace *trace = &profile->traces[i];
    emit64(emit, trace->weight);
    emit64(emit, trace->count);
    for (size_t j = 0; j < trace->count; j++)
      emit64(emit, trace->functions[j]);
  }
}

/* ---- all of it ---- */

const char *tail_new(struct tail *tail, const struct profile *profile,
                     const struct indexed_options *options, uint64_t at) {
  unsigned version = options->version;
  *tail = (struct tail){.options = options, .profile = profile};
  if (!collect_vtables(tail))
    return "not enough memory; free some";
  if (profile->memprof.size) {
    tail->memprof_at = at;
    at += profile->memprof.size;
  }
  if (version >= 9) {
    tail->ids_at = at;
    at += 8 + ids_size(profile);
  }
  if (version >= 12) {
    tail->vtables_at = at;
    at += 8 + up_to_8(vtables_size(tail));
  }
  if (version >= 10 && profile->flags & PROFILE_TEMPORAL)
    tail->traces_at = at;
  return NULL;
}

void tail_free(struct tail *tail) { free(tail->vtables); }

static const char *write_memprof(const struct tail *tail, struct emit *emit) {
  const struct profile *profile = tail->profile;
  unsigned char *copy = malloc(profile->memprof.size);
  if (!copy)
    return "not enough memory; free some";
  memcpy(copy, profile->memprof.data, profile->memprof.size);
  const struct memprof_place place = {profile->memprof_version,
                                      profile->memprof_at, tail->memprof_at};
  const char *error = memprof_move(copy, profile->memprof.size, &place);
  emit_bytes(emit, copy, profile->memprof.size);
  free(copy);
  return error;
}

const char *tail_write(const struct tail *tail, struct emit *emit) {
  const char *error = NULL;
  if (tail->memprof_at)
    error = write_memprof(tail, emit);
  if (tail->ids_at)
    write_ids(tail->profile, emit);
  if (tail->vtables_at)
    write_vtables(tail, emit);
  if (tail->traces_at)
    write_traces(tail->profile, emit);
  return error;
}
