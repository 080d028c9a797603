/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The section .pseudo_probe: a record for each function that has code,
 *   GUID; number of probes; number of inlined functions; probes; inlined
 * of which the inlined ones are a call site and again such a record. A probe:
 *   index; a byte: type, attributes, and whether a difference follows;
 *   address, difference, or GUID of a sentinel; discriminator
 * Differences run on through the inlined functions. They begin where the
 * symbol is that the record, or its sentinel, names.
 */
#include "decode.h"

#include <stdlib.h>

static const char no_memory[] = "not enough memory; free some";
static const char cut[] =
    "its section .pseudo_probe is damaged or cut, or of another encoding; "
    "link it again, or give --encoding";

enum { SENTINEL = 2, HAS_DISCRIMINATOR = 4, IS_DIFFERENCE = 0x80 };

static bool small(struct decoder *d, uint32_t *value) {
  uint64_t wide;
  if (!read_uleb128(&d->at, d->end, &wide) || wide > UINT32_MAX)
    return false;
  *value = (uint32_t)wide;
  return true;
}

static bool fixed(struct decoder *d, unsigned size, uint64_t *value) {
  if (probe_left(d) < size)
    return false;
  *value = load_number(d->at, size, d->layout->big);
  d->at += size;
  return true;
}

/* ---- probes ---- */

/* The first of a record, if there is one. */
static bool sentinel(struct decoder *d) {
  if (!fixed(d, 8, &d->record.fragment))
    return false;
  probe_begin_at(d, d->record.fragment);
  probe_settle(d, PROBE_DELTA);
  return true;
}

static bool absolute(struct decoder *d) {
  unsigned size = probe_address_size(d);
  if (!fixed(d, size, &d->address))
    return false;
  d->address &= d->mask;
  if (d->settled)
    return true;
  probe_settle(d, probe_is_rfc(d) ? d->layout->encoding
                  : size == 8     ? PROBE_ABSOLUTE8
                                  : PROBE_ABSOLUTE4);
  d->record.address = d->address;
  if (!probe_is_code(d->probes, d->address))
    d->record.placed = PROBE_NO_CODE;
  return true;
}

static bool difference(struct decoder *d) {
  uint64_t step;
  if (probe_is_rfc(d)) {
    if (!read_uleb128(&d->at, d->end, &step))
      return false;
  } else {
    int64_t signed_step;
    if (!read_sleb128(&d->at, d->end, &signed_step))
      return false;
    step = (uint64_t)signed_step;
  }
  if (!d->settled)
    probe_begin_with(d, step);
  d->address = (d->address + step) & d->mask;
  return true;
}

static const char *add(struct decoder *d, const struct probe *probe) {
  struct probes *probes = d->probes;
  struct buffer *buffer = d->record.placed >= PROBE_NO_SYMBOL
                              ? &probes->lost_memory
                              : &probes->list_memory;
  d->record.count++;
  return buffer_append(buffer, probe, sizeof *probe);
}

static const char *read_probe(struct decoder *d, const struct level *level) {
  struct probe probe = {.guid = level->guid,
                        .frame = level->frame,
                        .record = (uint32_t)d->probes->record_count};
  if (!small(d, &probe.index) || d->at == d->end)
    return cut;
  unsigned bits = *d->at++;
  probe.type = bits & 15;
  probe.attributes = bits >> 4 & 7;
  if (!(bits & IS_DIFFERENCE) && probe.attributes & SENTINEL &&
      probe.index == 0 && !probe_is_rfc(d))
    return !d->settled && sentinel(d) ? NULL : cut;
  if (!(bits & IS_DIFFERENCE ? difference(d) : absolute(d)))
    return cut;
  if (!probe_is_rfc(d) && probe.attributes & HAS_DISCRIMINATOR &&
      !small(d, &probe.discriminator))
    return cut;
  if (probe.attributes & SENTINEL)
    probe.flags |= PROBE_DANGLING;
  if (!(bits & IS_DIFFERENCE))
    probe.flags |= PROBE_ADDRESSED;
  probe.address = d->address;
  return add(d, &probe);
}

/* ---- bodies ---- */

static const char *begin_body(struct decoder *d, uint64_t guid,
                              const struct probe_frame *frame) {
  struct level *level = &d->levels[d->depth];
  if (d->depth++ > PROBE_DEPTH_MOST - 1)
    return "its probes are inlined more than 1,000 deep, as no compiler does; "
           "link it again";
  level->guid = guid;
  level->frame = frame;
  /* The least that each takes. */
  if (!read_uleb128(&d->at, d->end, &level->probes) ||
      !read_uleb128(&d->at, d->end, &level->inlined) ||
      level->probes > probe_left(d) / 3 || level->inlined > probe_left(d) / 11)
    return cut;
  return NULL;
}

/* The GUID may come again, with the body. */
static bool read_site(struct decoder *d, uint64_t *guid,
                      struct probe_frame *frame) {
  uint64_t again;
  if (!probe_is_rfc(d))
    return small(d, &frame->site) && fixed(d, 8, guid);
  if (!fixed(d, 8, guid) || !small(d, &frame->site) ||
      (d->layout->encoding == PROBE_RFC_LINES &&
       !small(d, &frame->discriminator)))
    return false;
  if (probe_left(d) >= 8 && load64(d->at, d->layout->big) == *guid)
    fixed(d, 8, &again);
  return true;
}

static const char *read_inlined(struct decoder *d, const struct level *level) {
  struct probe_frame *frame = arena_take(&d->probes->arena, sizeof *frame);
  uint64_t guid;
  if (!frame)
    return no_memory;
  *frame = (struct probe_frame){.parent = level->frame, .guid = level->guid};
  return read_site(d, &guid, frame) ? begin_body(d, guid, frame) : cut;
}

static const char *read_record(struct decoder *d) {
  d->record = (struct probe_record){.offset = (uint64_t)(d->at - d->begin)};
  d->settled = false;
  d->depth = 0;
  d->address = 0;
  if (!fixed(d, 8, &d->record.guid))
    return cut;
  const char *error = begin_body(d, d->record.guid, NULL);
  while (!error && d->depth) {
    struct level *level = &d->levels[d->depth - 1];
    if (level->probes) {
      level->probes--;
      error = read_probe(d, level);
    } else if (level->inlined) {
      level->inlined--;
      error = read_inlined(d, level);
    } else
      d->depth--;
  }
  /* One without any probe. */
  if (!d->settled) {
    probe_begin_at(d, d->record.guid);
    probe_settle(d, probe_is_rfc(d) ? d->layout->encoding : PROBE_DELTA);
  } else {
    d->addressed = d->record.encoding != PROBE_DELTA;
    d->before = d->address;
  }
  return error;
}

const char *probe_records_read(struct probes *probes, struct bytes section,
                               const struct probe_layout *layout) {
  struct decoder *d = calloc(1, sizeof *d);
  const char *error = NULL;
  if (!d)
    return no_memory;
  d->probes = probes;
  d->layout = layout;
  d->begin = d->at = section.data;
  d->end = section.data + section.size;
  d->mask = layout->pointer == 8 ? UINT64_MAX : UINT32_MAX;
  while (!error && d->at != d->end) {
    error = read_record(d);
    if (!error)
      error =
          buffer_append(&probes->record_memory, &d->record, sizeof d->record);
    probes->record_count++;
  }
  free(d);
  return error;
}

/* ==== Where a record begins, which depends on its encoding. */

/* An address of a 32-bit machine in 8 bytes has zeros in four of them, where
 * otherwise the index of the next probe or a call site is, which is none. */
unsigned probe_address_size(const struct decoder *d) {
  if (d->layout->encoding == PROBE_ABSOLUTE4)
    return 4;
  if (d->layout->encoding != PROBE_AUTO || d->layout->pointer == 8)
    return 8;
  if (probe_left(d) < 8)
    return 4;
  uint64_t all = load64(d->at, d->layout->big);
  if (all >> 32)
    return 4;
  /* Or the first four are an address of 0, for code that is gone: the index
   * of the next probe comes then. */
  return d->layout->big && all >> 24 && !probes_symbol(d->probes, all) ? 4 : 8;
}

bool probe_is_code(const struct probes *probes, uint64_t address) {
  return probes->symbol_count ? probes_symbol(probes, address) != NULL
                              : address != 0;
}

/* Several symbols of one name, which unique names for what is internal
 * prevents: linkers leave records in the order of the code. */
void probe_begin_at(struct decoder *d, uint64_t guid) {
  struct probe_name *names = probe_names_find(d->probes, guid);
  if (!names) {
    d->record.placed = PROBE_NO_SYMBOL;
    d->address = 0;
    return;
  }
  uint32_t number =
      names->taken < names->count ? names->taken : names->count - 1;
  if (names->taken < UINT32_MAX)
    names->taken++;
  d->address = d->record.address = names[number].address;
}

void probe_settle(struct decoder *d, unsigned encoding) {
  d->settled = true;
  d->record.encoding = (uint8_t)encoding;
}

/* Until clang 15 the differences run on through the functions of one section
 * of code, and only the first of them begins with an address. */
static bool runs_on(const struct decoder *d, uint64_t step) {
  if (!d->addressed)
    return false;
  const struct probe_symbol *on =
      probes_symbol(d->probes, (d->before + step) & d->mask);
  const struct probe_name *names = probe_names_find(d->probes, d->record.guid);
  return !names || (on && on->guid == d->record.guid) ||
         !probes_symbol(d->probes, names->address + step);
}

/* What the first difference of a record counts from. */
void probe_begin_with(struct decoder *d, uint64_t step) {
  bool old = d->layout->encoding == PROBE_ABSOLUTE8 ||
             d->layout->encoding == PROBE_ABSOLUTE4;
  if (old || probe_is_rfc(d) ||
      (d->layout->encoding == PROBE_AUTO && runs_on(d, step))) {
    d->address = d->before;
    d->record.address = (d->address + step) & d->mask;
    probe_settle(d, probe_is_rfc(d) || old    ? d->layout->encoding
                    : d->layout->pointer == 8 ? PROBE_ABSOLUTE8
                                              : PROBE_ABSOLUTE4);
    if (!probe_is_code(d->probes, d->record.address))
      d->record.placed = PROBE_NO_CODE;
    return;
  }
  probe_begin_at(d, d->record.guid);
  probe_settle(d, PROBE_DELTA);
}
