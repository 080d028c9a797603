/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the probes, descriptors and symbols of an ELF into struct probes. The
 * functions at the top search in it.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "probe_inside.h"

/* ==== Searching struct probes by address and by GUID. */

size_t probes_index_from(const struct probes *probes, uint64_t address) {
  return search_from(probes->list, probes->count, address, address);
}

const struct probe *probes_first_in_symbol(const struct probes *probes,
                                           const struct probe_symbol *symbol) {
  size_t i = probes_index_from(probes, symbol->address);
  return i < probes->count &&
                 probes->list[i].address - symbol->address < symbol->size
             ? &probes->list[i]
             : NULL;
}

uint64_t probe_outermost_guid(const struct probe *probe) {
  uint64_t guid = probe->guid;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    guid = at->guid;
  return guid;
}

const char *probe_type_name(unsigned type) {
  static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
  return type < sizeof names / sizeof *names ? names[type] : "Unknown";
}

const struct probe_function *probes_find_function(const struct probes *probes,
                                                  uint64_t guid) {
  size_t low =
      search_from(probes->functions, probes->function_count, guid, guid);
  return low < probes->function_count && probes->functions[low].guid == guid
             ? &probes->functions[low]
             : NULL;
}

const struct probe_function *probes_find_described(const struct probes *probes,
                                                   uint64_t guid) {
  const struct probe_function *function = probes_find_function(probes, guid);
  const struct probe_name *name =
      function ? NULL : probe_find_names(probes, guid);
  const char *part = name ? strstr(name->name, ".cold") : NULL;
  if (!part)
    return function;
  return probes_find_function(
      probes, md5_low64(name->name, (size_t)(part - name->name)));
}

uint64_t probes_owner_guid(const struct probes *probes,
                           const struct probe_symbol *symbol) {
  const struct probe *first = probes_find_function(probes, symbol->guid)
                                  ? NULL
                                  : probes_first_in_symbol(probes, symbol);
  return first ? probes->records[first->record].guid : symbol->guid;
}

const char *probes_function_name(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_find_function(probes, guid);
  if (function)
    return function->name;
  const struct probe_name *name = probe_find_names(probes, guid);
  return name ? name->name : NULL;
}

struct probe_name *probe_find_names(const struct probes *probes,
                                    uint64_t guid) {
  size_t low = search_from(probes->names, probes->name_count, guid, guid);
  return low < probes->name_count && probes->names[low].guid == guid
             ? probes->names + low
             : NULL;
}

const struct probe_symbol *probes_find_symbol(const struct probes *probes,
                                              uint64_t address) {
  size_t behind =
      search_behind(probes->symbols, probes->symbol_count, address, address);
  const struct probe_symbol *symbol = probes->symbols + behind;
  return behind && address - symbol[-1].address < symbol[-1].size ? symbol - 1
                                                                  : NULL;
}

const struct probe_symbol *probes_find_only_symbol(const struct probes *probes,
                                                   uint64_t guid) {
  const struct probe_name *name = probe_find_names(probes, guid);
  return name && name->count == 1 ? probes_find_symbol(probes, name->address)
                                  : NULL;
}

/* ==== The section .pseudo_probe has a record for each function with code:
 *   GUID; number of probes; number of inlined functions; probes; inlined
 * An inlined function is a call site and again such a record. A probe is:
 *   index; a byte: type, attributes, and whether a difference follows;
 *   address, difference, or GUID of a sentinel; discriminator
 * Each difference counts from the previous probe, also across inlined
 * functions. The first one counts from the symbol that the record, or its
 * sentinel, names. */

static const char cut[] = "the section .pseudo_probe is damaged, truncated, or "
                          "has another encoding; link again, or use --encoding";

enum { SENTINEL = 2, HAS_DISCRIMINATOR = 4, IS_DIFFERENCE = 0x80 };

/* A record or inlined function that is being read. */
struct body_level {
  uint64_t guid;
  const struct probe_frame *frame;
  uint64_t probes, inlined; /* how many are still to come */
};

struct probe_decoder {
  struct probes *probes;
  const struct probe_layout *layout;
  const unsigned char *begin, *at, *end;
  struct body_level levels[PROBE_DEPTH_MOST + 1];
  unsigned depth;
  struct probe_record record;
  uint64_t address; /* of the last probe */
  uint64_t before;  /* of the last probe in the previous record */
  bool addressed;   /* the previous record has addresses */
  uint64_t mask;    /* the bits of an address */
  bool settled;     /* the record's encoding and place are known */
};

static size_t count_bytes_left(const struct probe_decoder *d) {
  return (size_t)(d->end - d->at);
}

static bool is_rfc(const struct probe_decoder *d) {
  return d->layout->encoding >= PROBE_RFC;
}

/* ==== The place of a record, which depends on its encoding. */

/* Returns the size of an address: 4 or 8 bytes. If a 32-bit machine's address
 * takes 8 bytes, four of them are 0. If it takes 4, these four are the next
 * probe's index or a call site, which are not 0. */
static unsigned address_size(const struct probe_decoder *d) {
  if (d->layout->encoding == PROBE_ABSOLUTE4)
    return 4;
  if (d->layout->encoding != PROBE_AUTO || d->layout->pointer == 8)
    return 8;
  if (count_bytes_left(d) < 8)
    return 4;
  uint64_t all = load64(d->at, d->layout->big);
  if (all >> 32)
    return 4;
  /* On a big-endian machine, the first four bytes may also be a 4-byte address
   * of 0, for code that was dropped. Then the next probe's index follows. */
  return d->layout->big && all >> 24 && !probes_find_symbol(d->probes, all) ? 4
                                                                            : 8;
}

static bool is_code_address(const struct probes *probes, uint64_t address) {
  return probes->symbol_count ? probes_find_symbol(probes, address) != NULL
                              : address != 0;
}

/* Places the record at its symbol. If several symbols have the name (unique
 * names for internal functions prevent this), the records take them in order,
 * because linkers leave records in the order of the code. */
static void place_at_symbol(struct probe_decoder *d, uint64_t guid) {
  struct probe_name *names = probe_find_names(d->probes, guid);
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

static void set_encoding(struct probe_decoder *d, unsigned encoding) {
  d->settled = true;
  d->record.encoding = (uint8_t)encoding;
}

/* Whether the record continues from the previous one. Until clang 15,
 * differences continue through all functions of a code section, and only the
 * first function begins with an address. */
static bool continues_previous(const struct probe_decoder *d, uint64_t step) {
  if (!d->addressed)
    return false;
  const struct probe_symbol *on =
      probes_find_symbol(d->probes, (d->before + step) & d->mask);
  const struct probe_name *names = probe_find_names(d->probes, d->record.guid);
  return !names || (on && on->guid == d->record.guid) ||
         !probes_find_symbol(d->probes, names->address + step);
}

/* Sets the address that the first difference of a record counts from. */
static void place_by_difference(struct probe_decoder *d, uint64_t step) {
  bool old = d->layout->encoding == PROBE_ABSOLUTE8 ||
             d->layout->encoding == PROBE_ABSOLUTE4;
  if (old || is_rfc(d) ||
      (d->layout->encoding == PROBE_AUTO && continues_previous(d, step))) {
    d->address = d->before;
    d->record.address = (d->address + step) & d->mask;
    set_encoding(d, is_rfc(d) || old          ? d->layout->encoding
                    : d->layout->pointer == 8 ? PROBE_ABSOLUTE8
                                              : PROBE_ABSOLUTE4);
    if (!is_code_address(d->probes, d->record.address))
      d->record.placed = PROBE_NO_CODE;
    return;
  }
  place_at_symbol(d, d->record.guid);
  set_encoding(d, PROBE_DELTA);
}

/* ==== The content of a record. */

static bool parse_uint32(struct probe_decoder *d, uint32_t *value) {
  uint64_t wide;
  if (!read_uleb128(&d->at, d->end, &wide) || wide > UINT32_MAX)
    return false;
  *value = (uint32_t)wide;
  return true;
}

static bool parse_fixed(struct probe_decoder *d, unsigned size,
                        uint64_t *value) {
  if (count_bytes_left(d) < size)
    return false;
  *value = load_number(d->at, size, d->layout->big);
  d->at += size;
  return true;
}

/* ---- probes ---- */

/* Reads a sentinel, which comes first in its record. */
static bool parse_sentinel(struct probe_decoder *d) {
  if (!parse_fixed(d, 8, &d->record.fragment))
    return false;
  place_at_symbol(d, d->record.fragment);
  set_encoding(d, PROBE_DELTA);
  return true;
}

static bool parse_address(struct probe_decoder *d) {
  unsigned size = address_size(d);
  if (!parse_fixed(d, size, &d->address))
    return false;
  d->address &= d->mask;
  if (d->settled)
    return true;
  set_encoding(d, is_rfc(d)   ? d->layout->encoding
                  : size == 8 ? PROBE_ABSOLUTE8
                              : PROBE_ABSOLUTE4);
  d->record.address = d->address;
  if (!is_code_address(d->probes, d->address))
    d->record.placed = PROBE_NO_CODE;
  return true;
}

static bool parse_difference(struct probe_decoder *d) {
  uint64_t step;
  if (is_rfc(d)) {
    if (!read_uleb128(&d->at, d->end, &step))
      return false;
  } else {
    int64_t signed_step;
    if (!read_sleb128(&d->at, d->end, &signed_step))
      return false;
    step = (uint64_t)signed_step;
  }
  if (!d->settled)
    place_by_difference(d, step);
  d->address = (d->address + step) & d->mask;
  return true;
}

static const char *add_probe(struct probe_decoder *d,
                             const struct probe *probe) {
  struct probes *probes = d->probes;
  struct buffer *buffer = d->record.placed >= PROBE_NO_SYMBOL
                              ? &probes->lost_memory
                              : &probes->list_memory;
  d->record.count++;
  return buffer_append(buffer, probe, sizeof *probe);
}

static const char *parse_probe(struct probe_decoder *d,
                               const struct body_level *level) {
  struct probe probe = {.guid = level->guid,
                        .frame = level->frame,
                        .record = (uint32_t)d->probes->record_count};
  if (!parse_uint32(d, &probe.index) || d->at == d->end)
    return cut;
  unsigned bits = *d->at++;
  probe.type = bits & 15;
  probe.attributes = bits >> 4 & 7;
  if (!(bits & IS_DIFFERENCE) && probe.attributes & SENTINEL &&
      probe.index == 0 && !is_rfc(d))
    return !d->settled && parse_sentinel(d) ? NULL : cut;
  if (!(bits & IS_DIFFERENCE ? parse_difference(d) : parse_address(d)))
    return cut;
  if (!is_rfc(d) && probe.attributes & HAS_DISCRIMINATOR &&
      !parse_uint32(d, &probe.discriminator))
    return cut;
  if (probe.attributes & SENTINEL)
    probe.flags |= PROBE_DANGLING;
  if (!(bits & IS_DIFFERENCE))
    probe.flags |= PROBE_ADDRESSED;
  probe.address = d->address;
  return add_probe(d, &probe);
}

/* ---- records and inlined functions ---- */

static const char *begin_body(struct probe_decoder *d, uint64_t guid,
                              const struct probe_frame *frame) {
  struct body_level *level = &d->levels[d->depth];
  if (d->depth++ > PROBE_DEPTH_MOST - 1)
    return "the probes are inlined more than 1,000 deep, so they are damaged; "
           "link again";
  level->guid = guid;
  level->frame = frame;
  /* A probe has at least 3 bytes, an inlined function at least 11. */
  if (!read_uleb128(&d->at, d->end, &level->probes) ||
      !read_uleb128(&d->at, d->end, &level->inlined) ||
      level->probes > count_bytes_left(d) / 3 ||
      level->inlined > count_bytes_left(d) / 11)
    return cut;
  return NULL;
}

/* Reads the call site. In RFC encodings the GUID may come twice; the second one
 * belongs to the body. */
static bool parse_call_site(struct probe_decoder *d, uint64_t *guid,
                            struct probe_frame *frame) {
  uint64_t again;
  if (!is_rfc(d))
    return parse_uint32(d, &frame->site) && parse_fixed(d, 8, guid);
  if (!parse_fixed(d, 8, guid) || !parse_uint32(d, &frame->site) ||
      (d->layout->encoding == PROBE_RFC_LINES &&
       !parse_uint32(d, &frame->discriminator)))
    return false;
  if (count_bytes_left(d) >= 8 && load64(d->at, d->layout->big) == *guid)
    parse_fixed(d, 8, &again);
  return true;
}

static const char *parse_inlined(struct probe_decoder *d,
                                 const struct body_level *level) {
  struct probe_frame *frame = arena_allocate(&d->probes->arena, sizeof *frame);
  uint64_t guid;
  if (!frame)
    return out_of_memory;
  *frame = (struct probe_frame){.parent = level->frame, .guid = level->guid};
  return parse_call_site(d, &guid, frame) ? begin_body(d, guid, frame) : cut;
}

static const char *parse_record(struct probe_decoder *d) {
  d->record = (struct probe_record){.offset = (uint64_t)(d->at - d->begin)};
  d->settled = false;
  d->depth = 0;
  d->address = 0;
  if (!parse_fixed(d, 8, &d->record.guid))
    return cut;
  const char *error = begin_body(d, d->record.guid, NULL);
  while (!error && d->depth) {
    struct body_level *level = &d->levels[d->depth - 1];
    if (level->probes) {
      level->probes--;
      error = parse_probe(d, level);
    } else if (level->inlined) {
      level->inlined--;
      error = parse_inlined(d, level);
    } else
      d->depth--;
  }
  /* The record has no probes. */
  if (!d->settled) {
    place_at_symbol(d, d->record.guid);
    set_encoding(d, is_rfc(d) ? d->layout->encoding : PROBE_DELTA);
  } else {
    d->addressed = d->record.encoding != PROBE_DELTA;
    d->before = d->address;
  }
  return error;
}

/* ==== Sorting probes by address. The probes of a record are adjacent, and
 * linkers leave most records in the order of the code, so only records that
 * overlap are sorted together. */

/* Adjacent records: the index after their last probe, and the lowest and
 * highest address. */
struct address_span {
  size_t end;
  uint64_t least, most;
};

/* Stable merge sort of the runs that are already in order, so linear if all is.
 * other: space for `count` probes. */
static void merge_sort_probes(struct probe *list, struct probe *other,
                              size_t count) {
  struct probe *from = list, *to = other;
  for (bool again = count > 1; again;) {
    again = false;
    for (size_t i = 0; i < count;) {
      size_t a = i + 1, b, out = i, left = i;
      while (a < count && from[a - 1].address <= from[a].address)
        a++;
      size_t right = a;
      for (b = a + (a < count); b < count; b++)
        if (from[b - 1].address > from[b].address)
          break;
      while (left < a || right < b)
        to[out++] = right >= b || (left < a &&
                                   from[left].address <= from[right].address)
                        ? from[left++]
                        : from[right++];
      again |= i || b < count;
      i = b;
    }
    struct probe *swap = from;
    from = to;
    to = swap;
  }
  if (from != list)
    memcpy(list, from, count * sizeof *list);
}

/* Makes a piece for each record that has probes. Returns how many. */
static size_t find_record_spans(const struct probe *list, size_t count,
                                struct address_span *pieces) {
  size_t number = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t address = list[i].address;
    if (i == 0 || list[i].record != list[i - 1].record)
      pieces[number++] = (struct address_span){0, address, address};
    struct address_span *piece = &pieces[number - 1];
    piece->end = i + 1;
    piece->least = address < piece->least ? address : piece->least;
    piece->most = address > piece->most ? address : piece->most;
  }
  return number;
}

/* Joins pieces that overlap. Returns how many are left. */
static size_t join_spans(struct address_span *pieces, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct address_span piece = pieces[i];
    while (kept && pieces[kept - 1].most > piece.least) {
      const struct address_span *before = &pieces[--kept];
      piece.least = before->least < piece.least ? before->least : piece.least;
      piece.most = before->most > piece.most ? before->most : piece.most;
    }
    pieces[kept++] = piece;
  }
  return kept;
}

/* Sorts probes by address; probes with one address keep their order. The probes
 * of each record must be adjacent. false: out of memory. */
static bool sort_probes(struct probe *list, size_t count, size_t records) {
  struct address_span *pieces = calloc(records + 1, sizeof *pieces);
  struct probe *other = malloc((count + 1) * sizeof *other);
  bool done = pieces && other;
  if (done) {
    size_t number = join_spans(pieces, find_record_spans(list, count, pieces));
    for (size_t i = 0, begin = 0; i < number; begin = pieces[i++].end)
      merge_sort_probes(list + begin, other, pieces[i].end - begin);
  }
  free(pieces);
  free(other);
  return done;
}

/* ==== Places that are known only after the last record. */

/* If several symbols have a record's name, the places are certain only if there
 * are as many records as symbols. Otherwise guesses the last symbol. */
static void guess_places(struct probes *probes, struct probe_record *records,
                         uint64_t *shifts) {
  for (size_t i = 0; i < probes->record_count; i++) {
    struct probe_record *record = &records[i];
    if (record->encoding != PROBE_DELTA || record->placed != PROBE_PLACED)
      continue;
    const struct probe_name *names = probe_find_names(
        probes, record->fragment ? record->fragment : record->guid);
    if (!names || names->count < 2 || names->taken == names->count)
      continue;
    uint64_t address = names[names->last].address;
    shifts[i] = address - record->address;
    record->address = address;
    record->placed = PROBE_GUESSED;
  }
}

/* Marks the record if this probe is outside all code. *last: the symbol of the
 * previous probe, or NULL; most probes are in the same one. */
static void check_probe_bounds(const struct probes *probes,
                               struct probe_record *record,
                               const struct probe *probe,
                               const struct probe_symbol **last) {
  if (record->placed != PROBE_PLACED || !probes->symbol_count)
    return;
  if (!*last || probe->address - (*last)->address >= (*last)->size)
    *last = probes_find_symbol(probes, probe->address);
  if (!*last)
    record->placed = PROBE_DISAGREEING;
}

/* Places the records that need a guess, and sorts the probes. */
static const char *place_probes(struct probes *probes, unsigned pointer) {
  struct probe *list = (struct probe *)probes->list_memory.data;
  struct probe_record *records =
      (struct probe_record *)probes->record_memory.data;
  uint64_t mask = pointer == 8 ? UINT64_MAX : UINT32_MAX;
  probes->count = probes->list_memory.size / sizeof *list;
  probes->lost_count = probes->lost_memory.size / sizeof *list;
  probes->list = list;
  probes->lost = (const struct probe *)probes->lost_memory.data;
  probes->records = records;
  uint64_t *shifts = calloc(probes->record_count + 1, sizeof *shifts);
  const struct probe_symbol *last = NULL;
  if (!shifts)
    return out_of_memory;
  guess_places(probes, records, shifts);
  for (size_t i = 0; i < probes->count; i++) {
    struct probe_record *record = &records[list[i].record];
    list[i].address = (list[i].address + shifts[list[i].record]) & mask;
    if (record->placed == PROBE_GUESSED)
      list[i].flags |= PROBE_TWINS;
    check_probe_bounds(probes, record, &list[i], &last);
  }
  free(shifts);
  return sort_probes(list, probes->count, probes->record_count) ? NULL
                                                                : out_of_memory;
}

/* ==== Reading all records. */

static const char *read_records(struct probes *probes, struct bytes section,
                                const struct probe_layout *layout) {
  struct probe_decoder *d = calloc(1, sizeof *d);
  const char *error = NULL;
  if (!d)
    return out_of_memory;
  d->probes = probes;
  d->layout = layout;
  d->begin = d->at = section.data;
  d->end = section.data + section.size;
  d->mask = layout->pointer == 8 ? UINT64_MAX : UINT32_MAX;
  while (!error && d->at != d->end) {
    error = parse_record(d);
    if (!error)
      error = buffer_append_bytes(&probes->record_memory, &d->record,
                                  sizeof d->record);
    probes->record_count++;
  }
  free(d);
  return error ? error : place_probes(probes, layout->pointer);
}

/* ==== The descriptors of functions: GUID, hash, ULEB128 length, name. */

static const char functions_cut[] =
    "the section .pseudo_probe_desc is damaged or truncated; link again";

/* number keeps equal GUIDs in the order of the file. The address of name
 * cannot, because names are in an arena that grows. */
struct numbered_function {
  struct probe_function function;
  size_t number;
};

ORDER_BY(compare_functions, struct numbered_function, x->function.guid,
         x->number);

static bool parse_descriptor(struct bytes *rest, bool big,
                             struct probe_function *function,
                             struct bytes *name) {
  const unsigned char *end = rest->data + rest->size;
  uint64_t size;
  if (rest->size < 17)
    return false;
  const unsigned char *at = rest->data + 16;
  if (!read_uleb128(&at, end, &size) || size > (size_t)(end - at))
    return false;
  *function = (struct probe_function){load64(rest->data, big),
                                      load64(rest->data + 8, big), NULL, false};
  *name = (struct bytes){at, (size_t)size};
  *rest = (struct bytes){at + size, (size_t)(end - at - size)};
  return true;
}

static const char *parse_descriptors(struct probes *probes, struct bytes rest,
                                     bool big, struct numbered_function *list) {
  struct bytes name;
  for (size_t i = 0; rest.size; i++) {
    struct probe_function *function = &list[i].function;
    if (!parse_descriptor(&rest, big, function, &name))
      return functions_cut;
    list[i].number = i;
    function->name = arena_copy(&probes->arena, name.data, name.size);
    if (!function->name)
      return out_of_memory;
  }
  return NULL;
}

/* Keeps the first descriptor of each GUID, as linkers do with COMDATs. */
static void keep_first_functions(struct probes *probes,
                                 const struct numbered_function *list,
                                 size_t count) {
  struct probe_function *to = (struct probe_function *)probes->functions;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && to[kept - 1].guid == list[i].function.guid)
      probes->repeated += to[kept - 1].hash != list[i].function.hash;
    else
      to[kept++] = list[i].function;
  }
  probes->function_count = kept;
}

static const char *read_descriptors(struct probes *probes, struct bytes section,
                                    bool big) {
  struct bytes rest = section, name;
  struct probe_function function;
  size_t count = 0;
  for (; rest.size; count++)
    if (!parse_descriptor(&rest, big, &function, &name))
      return functions_cut;
  struct numbered_function *list = calloc(count + 1, sizeof *list);
  probes->functions =
      arena_allocate(&probes->arena, (count + 1) * sizeof *probes->functions);
  const char *error = list && probes->functions
                          ? parse_descriptors(probes, section, big, list)
                          : out_of_memory;
  if (!error) {
    qsort(list, count, sizeof *list, compare_functions);
    keep_first_functions(probes, list, count);
  }
  free(list);
  return error;
}

/* ==== Symbols of code. */

enum { SECTION_EXECUTES = 4, MACHINE_ARM = 40 };
enum { TYPE_NONE = 0, TYPE_FUNCTION = 2, TYPE_INDIRECT = 10 };

/* A symbol, before one is chosen for each address. */
struct symbol_candidate {
  struct probe_symbol symbol;
  uint64_t section_end;
  uint32_t rank; /* the lowest is chosen */
};

struct symbol_reader {
  struct probes *probes;
  const struct elf *elf;
  struct symbol_candidate *candidates;
  size_t count;
  struct elf_section section; /* of the last symbol */
  uint32_t section_number;
};

static bool is_code_symbol(struct symbol_reader *reading,
                           const struct elf_symbol *symbol) {
  if (symbol->section == 0 || symbol->section >= reading->elf->section_count ||
      !symbol->name[0])
    return false;
  if (symbol->section != reading->section_number) {
    reading->section = elf_section(reading->elf, symbol->section);
    reading->section_number = symbol->section;
  }
  if (!(reading->section.flags & SECTION_EXECUTES))
    return false;
  /* Assembly may omit the type. Labels inside functions (.L) and mapping
   * symbols ($t, $d) are not functions. */
  return symbol->type == TYPE_FUNCTION || symbol->type == TYPE_INDIRECT ||
         (symbol->type == TYPE_NONE && symbol->name[0] != '.' &&
          symbol->name[0] != '$');
}

static void add_symbol(struct symbol_reader *reading, uint32_t number) {
  struct elf_symbol symbol = elf_symbol(reading->elf, number);
  if (!is_code_symbol(reading, &symbol))
    return;
  bool thumb = reading->elf->machine == MACHINE_ARM && symbol.value & 1;
  uint64_t address = symbol.value - thumb;
  uint64_t guid = md5_low64(symbol.name, strlen(symbol.name));
  reading->probes->names[reading->probes->name_count++] = (struct probe_name){
      .guid = guid, .address = address, .name = symbol.name, .number = number};
  reading->candidates[reading->count++] = (struct symbol_candidate){
      {address, symbol.size, guid, symbol.name},
      reading->section.address + reading->section.size,
      /* Prefers a symbol with a descriptor, then a size, then a type, then
       * global binding. */
      (probes_find_function(reading->probes, guid) ? 0 : 8) +
          (symbol.size ? 0 : 4) + (symbol.type == TYPE_NONE ? 2 : 0) +
          (symbol.binding ? 0 : 1)};
}

static int compare_candidates(const void *left, const void *right) {
  const struct symbol_candidate *a = left, *b = right;
  if (a->symbol.address != b->symbol.address)
    return a->symbol.address < b->symbol.address ? -1 : 1;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  return strcmp(a->symbol.name, b->symbol.name);
}

ORDER_BY(compare_names, struct probe_name, x->guid, x->address, x->number);

/* Chooses one symbol for each address. A label without a size inside a function
 * that has a size is not chosen. */
static void choose_symbols(struct probes *probes, struct symbol_candidate *from,
                           size_t count) {
  struct probe_symbol *to = (struct probe_symbol *)probes->symbols;
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    struct probe_symbol symbol = from[i].symbol;
    if (probes->symbol_count &&
        (symbol.address == to[probes->symbol_count - 1].address ||
         (!symbol.size && symbol.address < end)))
      continue;
    if (symbol.size > UINT64_MAX - symbol.address)
      symbol.size = UINT64_MAX - symbol.address;
    if (symbol.size)
      end = symbol.address + symbol.size;
    else if (from[i].section_end > symbol.address)
      symbol.size = from[i].section_end - symbol.address;
    to[probes->symbol_count++] = symbol;
  }
  for (size_t i = 1; i < probes->symbol_count; i++)
    if (to[i].address - to[i - 1].address < to[i - 1].size)
      to[i - 1].size = to[i].address - to[i - 1].address;
}

/* Sorts the names, keeps one for each GUID and address, and counts. */
static void sort_names(struct probes *probes) {
  struct probe_name *names = probes->names;
  size_t kept = 0;
  qsort(names, probes->name_count, sizeof *names, compare_names);
  for (size_t i = 0; i < probes->name_count; i++) {
    if (kept && names[kept - 1].guid == names[i].guid &&
        names[kept - 1].address == names[i].address)
      kept--;
    names[kept++] = names[i];
  }
  probes->name_count = kept;
  for (size_t first = 0, i = 0; i < kept; i++) {
    if (names[i].guid != names[first].guid)
      first = i;
    names[first].count = (uint32_t)(i - first + 1);
    if (names[first + names[first].last].number < names[i].number)
      names[first].last = (uint32_t)(i - first);
  }
}

static const char *read_symbols(struct probes *probes, const struct elf *elf) {
  struct symbol_reader reading = {.probes = probes, .elf = elf};
  size_t room = (size_t)elf->symbol_count + 1;
  probes->no_symtab = elf->symbol_count == 0;
  if (elf->symbol_count > UINT32_MAX)
    return "the ELF has more symbols than bareprof accepts; link again";
  reading.candidates = calloc(room, sizeof *reading.candidates);
  probes->names = arena_allocate(&probes->arena, room * sizeof *probes->names);
  probes->symbols =
      arena_allocate(&probes->arena, room * sizeof *probes->symbols);
  if (!reading.candidates || !probes->names || !probes->symbols) {
    free(reading.candidates);
    return out_of_memory;
  }
  for (uint32_t i = 0; i < elf->symbol_count; i++)
    add_symbol(&reading, i);
  qsort(reading.candidates, reading.count, sizeof *reading.candidates,
        compare_candidates);
  choose_symbols(probes, reading.candidates, reading.count);
  free(reading.candidates);
  sort_names(probes);
  return NULL;
}

/* ==== Reading the ELF. */

static const char *load_section(struct probes *probes, const struct elf *elf,
                                const struct elf_section *section,
                                struct bytes *contents,
                                unsigned char **memory) {
  probes->bytes += section->size;
  if (section->flags & ELF_ALLOC)
    probes->loaded += section->size;
  return elf_read_contents(elf, section, PROBE_SECTION_MOST, contents, memory);
}

static const char *read_descriptor_section(struct probes *probes,
                                           const struct elf *elf) {
  struct elf_section section;
  struct bytes contents = {NULL, 0};
  unsigned char *memory = NULL;
  const char *error = NULL;
  if (elf_find_section(elf, ".pseudo_probe_desc", &section))
    error = load_section(probes, elf, &section, &contents, &memory);
  if (!error)
    error = read_descriptors(probes, contents, elf->big);
  free(memory);
  return error;
}

static const char *read_probe_section(struct probes *probes,
                                      const struct elf *elf,
                                      const struct elf_section *section,
                                      unsigned encoding) {
  const struct probe_layout layout = {encoding, elf->wide ? 8 : 4, elf->big};
  struct bytes contents;
  unsigned char *memory;
  const char *error = load_section(probes, elf, section, &contents, &memory);
  if (!error)
    error = read_records(probes, contents, &layout);
  free(memory);
  return error;
}

static const char *find_strip_error(const struct probes *probes) {
  if (!probes->no_symtab || probes->count)
    return NULL;
  return "the symbol table is missing, which locates the probes; pass the ELF "
         "before `strip` (`strip -g` keeps the symbols)";
}

/* Sets has_code. The functions are const for all other files. */
static void mark_functions_with_code(const struct probes *probes) {
  struct probe_function *functions = (struct probe_function *)probes->functions;
  for (size_t i = 0; i < probes->function_count; i++)
    functions[i].has_code = probe_find_names(probes, functions[i].guid);
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    const struct probe_function *function =
        probes_find_function(probes, record->guid);
    if (function && record->placed != PROBE_NO_SYMBOL &&
        record->placed != PROBE_NO_CODE)
      functions[function - probes->functions].has_code = true;
  }
}

const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding) {
  struct elf_section section;
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  struct buffer *const buffers[] = {&probes->list_memory, &probes->lost_memory,
                                    &probes->record_memory};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    buffers[i]->limit = PROBE_COUNT_MOST * sizeof(struct probe);
  if (elf->type == ELF_REL)
    return ELF_NOT_LINKED;
  if (!elf_find_section(elf, ".pseudo_probe", &section) || !section.size)
    return "no pseudo probes found; compile with -fpseudo-probe-for-profiling, "
           "keep the section .pseudo_probe when linking, and pass the ELF that "
           "ran, unstripped";
  const char *error = read_descriptor_section(probes, elf);
  if (!error)
    error = read_symbols(probes, elf);
  if (!error)
    error = read_probe_section(probes, elf, &section, encoding);
  if (error)
    return error;
  mark_functions_with_code(probes);
  return find_strip_error(probes);
}

const char *probes_read_symbols(struct probes *probes, const struct elf *elf) {
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  return read_symbols(probes, elf);
}

void probes_free(struct probes *probes) {
  arena_free(&probes->arena);
  buffer_free(&probes->list_memory);
  buffer_free(&probes->lost_memory);
  buffer_free(&probes->record_memory);
}
