/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the probes, descriptors and symbols of an ELF into struct
 * probes. The functions at the top search in this struct.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/catch.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "probe_inside.h"

/* ==== Searching struct probes by address and by GUID. */

size_t probes_index_from(const struct probes *probes, uint64_t address) {
  return search_from(probes->list, probes->count, address, address);
}

const struct probe *probes_first_in_symbol(const struct probes *probes,
                                           const struct code_symbol *symbol) {
  size_t i = probes_index_from(probes, symbol->address);
  return i < probes->count &&
                 probes->list[i].address - symbol->address < symbol->size
             ? &probes->list[i]
             : NULL;
}

uint64_t probe_outermost_guid(const struct probe *probe) {
  uint64_t guid = probe->guid;
  for (const struct probe_inlining *at = probe->inlining; at; at = at->parent)
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

const struct probe_function *
probes_find_function_or_parent(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_find_function(probes, guid);
  const struct symbol_by_guid *name =
      function ? NULL : probe_find_guid_symbols(probes, guid);
  const char *part = name ? strstr(name->name, ".cold") : NULL;
  if (!part)
    return function;
  return probes_find_function(
      probes, md5_low64(name->name, (size_t)(part - name->name)));
}

uint64_t probes_guid_of_symbol(const struct probes *probes,
                               const struct code_symbol *symbol) {
  const struct probe *first = probes_find_function(probes, symbol->guid)
                                  ? NULL
                                  : probes_first_in_symbol(probes, symbol);
  return first ? probes->records[first->record].guid : symbol->guid;
}

const char *probes_function_name(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_find_function(probes, guid);
  if (function)
    return function->name;
  const struct symbol_by_guid *name = probe_find_guid_symbols(probes, guid);
  return name ? name->name : NULL;
}

struct symbol_by_guid *probe_find_guid_symbols(const struct probes *probes,
                                               uint64_t guid) {
  size_t low = search_from(probes->names, probes->name_count, guid, guid);
  return low < probes->name_count && probes->names[low].guid == guid
             ? probes->names + low
             : NULL;
}

const struct code_symbol *probes_find_symbol(const struct probes *probes,
                                             uint64_t address) {
  size_t behind =
      search_after(probes->symbols, probes->symbol_count, address, address);
  const struct code_symbol *symbol = probes->symbols + behind;
  return behind && address - symbol[-1].address < symbol[-1].size ? symbol - 1
                                                                  : NULL;
}

const struct code_symbol *
probes_find_part_owner(const struct probes *probes,
                       const struct code_symbol *symbol) {
  const char *cold = strstr(symbol->name, ".cold");
  uint64_t guid = cold ? md5_low64(symbol->name, (size_t)(cold - symbol->name))
                       : symbol->guid;
  const struct symbol_by_guid *name = probe_find_guid_symbols(probes, guid);
  /* The function begins at the last symbol of this name up to the part. */
  if (name && !cold)
    name += search_after(name, name->count, address, symbol->address) - 1;
  return name ? probes_find_symbol(probes, name->address) : NULL;
}

const struct code_symbol *probes_find_unique_symbol(const struct probes *probes,
                                                    uint64_t guid) {
  const struct symbol_by_guid *name = probe_find_guid_symbols(probes, guid);
  return name && name->count == 1 ? probes_find_symbol(probes, name->address)
                                  : NULL;
}

/* ==== The section .pseudo_probe has a record for each function with code:
 *   GUID; number of probes; number of inlined functions; probes; inlined
 * An inlined function is a call site and then such a record. A probe is:
 *   index; a byte: type, attributes, and whether a difference follows;
 *   address, difference, or GUID of a sentinel; discriminator
 * Each difference counts from the previous probe, also across inlined
 * functions. The first one counts from the symbol that the record or its
 * sentinel names. */

static const char cut[] = "the section .pseudo_probe is damaged, truncated, or "
                          "has another encoding; link again, or use --encoding";

enum { SENTINEL = 2, HAS_DISCRIMINATOR = 4, IS_DIFFERENCE = 0x80 };

/* A record, or an inlined function, that is being read. */
struct body_level {
  uint64_t guid;
  const struct probe_inlining *frame;
  uint64_t probes, inlined; /* numbers of probes and of inlined functions that
                               still have to be read */
};

struct probe_decoder {
  struct probes *probes;
  const struct probe_layout *layout;
  const unsigned char *at, *end;
  struct body_level levels[PROBE_DEPTH_MOST + 1];
  unsigned depth;
  struct probe_record record;
  uint64_t address; /* address of the previous probe */
  /* address of the last probe in the previous record */
  uint64_t previous_address;
  bool addressed;      /* The previous record contains addresses. */
  uint64_t mask;       /* mask for the bits of an address */
  bool encoding_known; /* The encoding and the place of the record are known. */
};

/* The state of the reader, and the memory to free after an error. */
struct probe_file_reader {
  struct probes *probes;
  const struct elf *elf;
  unsigned encoding;
  struct numbered_function *functions;
  struct probe_decoder *decoder;
  unsigned char *memory[2]; /* contents of both sections */
};

static size_t count_bytes_left(const struct probe_decoder *d) {
  return (size_t)(d->end - d->at);
}

static bool is_rfc_encoding(const struct probe_decoder *d) {
  return d->layout->encoding >= PROBE_RFC;
}

/* ==== This part finds the place of a record, which depends on the encoding. */

/* Returns the size of an address: 4 or 8 bytes. If an address of a 32-bit
 * machine takes 8 bytes, four of these bytes are 0. If the address takes 4
 * bytes, the next four bytes are the index of a probe or a call site, which are
 * not 0. */
static unsigned guess_address_size(const struct probe_decoder *d) {
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
   * of 0, for code that was dropped. Then the index of the next probe
   * follows. */
  return d->layout->big && all >> 24 && !probes_find_symbol(d->probes, all) ? 4
                                                                            : 8;
}

static bool is_code_address(const struct probes *probes, uint64_t address) {
  return probes->symbol_count ? probes_find_symbol(probes, address) != NULL
                              : address != 0;
}

/* Places a record at its symbol. If several symbols have the name (unique names
 * for internal functions prevent this), the records get the symbols in order,
 * because linkers keep records in the order of the code. */
static void locate_record_at_symbol(struct probe_decoder *d, uint64_t guid) {
  struct symbol_by_guid *names = probe_find_guid_symbols(d->probes, guid);
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

static void set_record_encoding(struct probe_decoder *d, unsigned encoding) {
  d->encoding_known = true;
  d->record.encoding = (uint8_t)encoding;
}

/* Returns whether the record continues from the previous record. Until clang
 * 15, differences continue through all functions of a code section, and only
 * the first function begins with an address. */
static bool continues_previous_record(const struct probe_decoder *d,
                                      uint64_t step) {
  if (!d->addressed)
    return false;
  const struct code_symbol *on =
      probes_find_symbol(d->probes, (d->previous_address + step) & d->mask);
  const struct symbol_by_guid *names =
      probe_find_guid_symbols(d->probes, d->record.guid);
  return !names || (on && on->guid == d->record.guid) ||
         !probes_find_symbol(d->probes, names->address + step);
}

/* Sets the address from which the first difference of a record counts. */
static void locate_record_by_difference(struct probe_decoder *d,
                                        uint64_t step) {
  bool old = d->layout->encoding == PROBE_ABSOLUTE8 ||
             d->layout->encoding == PROBE_ABSOLUTE4;
  if (old || is_rfc_encoding(d) ||
      (d->layout->encoding == PROBE_AUTO &&
       continues_previous_record(d, step))) {
    d->address = d->previous_address;
    d->record.address = (d->address + step) & d->mask;
    set_record_encoding(d, is_rfc_encoding(d) || old ? d->layout->encoding
                           : d->layout->pointer == 8 ? PROBE_ABSOLUTE8
                                                     : PROBE_ABSOLUTE4);
    if (!is_code_address(d->probes, d->record.address))
      d->record.placed = PROBE_NO_CODE;
    return;
  }
  locate_record_at_symbol(d, d->record.guid);
  set_record_encoding(d, PROBE_DELTA);
}

/* ==== This part reads the contents of a record. */

static uint64_t parse_uleb128(struct probe_decoder *d) {
  uint64_t value;
  if (!read_uleb128(&d->at, d->end, &value))
    raise_error(cut);
  return value;
}

static uint32_t parse_uleb128_32(struct probe_decoder *d) {
  uint64_t value = parse_uleb128(d);
  if (value > UINT32_MAX)
    raise_error(cut);
  return (uint32_t)value;
}

static uint64_t parse_fixed_number(struct probe_decoder *d, unsigned size) {
  if (count_bytes_left(d) < size)
    raise_error(cut);
  d->at += size;
  return load_number(d->at - size, size, d->layout->big);
}

/* ---- probes ---- */

static void parse_address(struct probe_decoder *d) {
  unsigned size = guess_address_size(d);
  d->address = parse_fixed_number(d, size) & d->mask;
  if (d->encoding_known)
    return;
  set_record_encoding(d, is_rfc_encoding(d) ? d->layout->encoding
                         : size == 8        ? PROBE_ABSOLUTE8
                                            : PROBE_ABSOLUTE4);
  d->record.address = d->address;
  if (!is_code_address(d->probes, d->address))
    d->record.placed = PROBE_NO_CODE;
}

static void parse_address_difference(struct probe_decoder *d) {
  int64_t step;
  if (is_rfc_encoding(d))
    step = (int64_t)parse_uleb128(d);
  else if (!read_sleb128(&d->at, d->end, &step))
    raise_error(cut);
  if (!d->encoding_known)
    locate_record_by_difference(d, (uint64_t)step);
  d->address = (d->address + (uint64_t)step) & d->mask;
}

static void parse_probe(struct probe_decoder *d,
                        const struct body_level *level) {
  struct probes *probes = d->probes;
  struct probe probe = {.guid = level->guid,
                        .inlining = level->frame,
                        .record = (uint32_t)probes->record_count,
                        .index = parse_uleb128_32(d)};
  unsigned bits = (unsigned)parse_fixed_number(d, 1);
  probe.type = bits & 15;
  probe.attributes = bits >> 4 & 7;
  if (!(bits & IS_DIFFERENCE) && probe.attributes & SENTINEL &&
      probe.index == 0 && !is_rfc_encoding(d)) {
    /* A sentinel must be the first probe of its record. */
    if (d->encoding_known)
      raise_error(cut);
    d->record.fragment = parse_fixed_number(d, 8);
    locate_record_at_symbol(d, d->record.fragment);
    set_record_encoding(d, PROBE_DELTA);
    return;
  }
  if (bits & IS_DIFFERENCE)
    parse_address_difference(d);
  else
    parse_address(d);
  if (!is_rfc_encoding(d) && probe.attributes & HAS_DISCRIMINATOR)
    probe.discriminator = parse_uleb128_32(d);
  if (probe.attributes & SENTINEL)
    probe.flags |= PROBE_DANGLING;
  if (!(bits & IS_DIFFERENCE))
    probe.flags |= PROBE_ADDRESSED;
  probe.address = d->address;
  d->record.count++;
  raise_if_error(buffer_append(d->record.placed >= PROBE_NO_SYMBOL
                                   ? &probes->lost_memory
                                   : &probes->list_memory,
                               &probe, sizeof probe));
}

/* ---- records and inlined functions ---- */

static void parse_body_head(struct probe_decoder *d, uint64_t guid,
                            const struct probe_inlining *frame) {
  struct body_level *level = &d->levels[d->depth];
  if (d->depth++ > PROBE_DEPTH_MOST - 1)
    raise_error("the probes are inlined more than 1,000 levels deep, so the "
                "probes are damaged; link again");
  *level = (struct body_level){guid, frame, parse_uleb128(d), 0};
  level->inlined = parse_uleb128(d);
  /* A probe takes at least 3 bytes, an inlined function at least 11 bytes. */
  if (level->probes > count_bytes_left(d) / 3 ||
      level->inlined > count_bytes_left(d) / 11)
    raise_error(cut);
}

/* Reads a call site and the function that was inlined there. In RFC encodings,
 * the GUID may occur twice; the second one belongs to the body. */
static void parse_inlined_function(struct probe_decoder *d,
                                   const struct body_level *level) {
  struct probe_inlining *frame =
      need_memory(arena_allocate(&d->probes->arena, sizeof *frame));
  uint64_t guid = 0;
  *frame = (struct probe_inlining){.parent = level->frame, .guid = level->guid};
  if (is_rfc_encoding(d))
    guid = parse_fixed_number(d, 8);
  frame->site = parse_uleb128_32(d);
  if (d->layout->encoding == PROBE_RFC_LINES)
    frame->discriminator = parse_uleb128_32(d);
  if (!is_rfc_encoding(d) ||
      (count_bytes_left(d) >= 8 && load64(d->at, d->layout->big) == guid))
    guid = parse_fixed_number(d, 8);
  parse_body_head(d, guid, frame);
}

static void parse_record(struct probe_decoder *d) {
  d->record = (struct probe_record){.guid = parse_fixed_number(d, 8)};
  d->encoding_known = false;
  d->depth = 0;
  d->address = 0;
  parse_body_head(d, d->record.guid, NULL);
  while (d->depth) {
    struct body_level *level = &d->levels[d->depth - 1];
    if (level->probes) {
      level->probes--;
      parse_probe(d, level);
    } else if (level->inlined) {
      level->inlined--;
      parse_inlined_function(d, level);
    } else
      d->depth--;
  }
  /* The record does not contain probes. */
  if (!d->encoding_known) {
    locate_record_at_symbol(d, d->record.guid);
    set_record_encoding(d,
                        is_rfc_encoding(d) ? d->layout->encoding : PROBE_DELTA);
  } else {
    d->addressed = d->record.encoding != PROBE_DELTA;
    d->previous_address = d->address;
  }
}

/* ==== This part places records whose places are known only at the end. */

/* If several symbols have the name of a record, the places are certain only if
 * there are as many records as symbols. Otherwise, this function guesses that
 * the record is at the last symbol. */
static void guess_record_places(struct probes *probes,
                                struct probe_record *records,
                                uint64_t *shifts) {
  for (size_t i = 0; i < probes->record_count; i++) {
    struct probe_record *record = &records[i];
    if (record->encoding != PROBE_DELTA || record->placed != PROBE_PLACED)
      continue;
    const struct symbol_by_guid *names = probe_find_guid_symbols(
        probes, record->fragment ? record->fragment : record->guid);
    if (!names || names->count < 2 || names->taken == names->count)
      continue;
    uint64_t address = names[names->last].address;
    shifts[i] = address - record->address;
    record->address = address;
    record->placed = PROBE_GUESSED;
  }
}

/* Marks the record if this probe is outside all code. *last is the symbol of
 * the previous probe, or NULL; most probes are in the same symbol as the
 * previous probe. */
static void mark_misplaced_record(const struct probes *probes,
                                  struct probe_record *record,
                                  const struct probe *probe,
                                  const struct code_symbol **last) {
  if (record->placed != PROBE_PLACED || !probes->symbol_count)
    return;
  if (!*last || probe->address - (*last)->address >= (*last)->size)
    *last = probes_find_symbol(probes, probe->address);
  if (!*last)
    record->placed = PROBE_DISAGREEING;
}

struct probe_sort_key {
  uint64_t address;
  size_t number;
};

ORDER_BY(compare_orders, struct probe_sort_key, x->address, x->number);

/* Sorts probes by address. Probes with the same address keep their order. */
static void sort_probes(struct probe *list, size_t count) {
  size_t sorted = 1;
  while (sorted < count && list[sorted - 1].address <= list[sorted].address)
    sorted++;
  if (sorted >= count)
    return;
  struct probe_sort_key *order = need_memory(malloc(count * sizeof *order));
  struct probe *copy = need_memory(malloc(count * sizeof *copy));
  memcpy(copy, list, count * sizeof *copy);
  for (size_t i = 0; i < count; i++)
    order[i] = (struct probe_sort_key){list[i].address, i};
  qsort(order, count, sizeof *order, compare_orders);
  for (size_t i = 0; i < count; i++)
    list[i] = copy[order[i].number];
  free(order);
  free(copy);
}

/* Places the records that need a guess, and sorts all probes. */
static void locate_and_sort_probes(struct probes *probes, uint64_t mask) {
  struct probe *list = (struct probe *)probes->list_memory.data;
  struct probe_record *records =
      (struct probe_record *)probes->record_memory.data;
  probes->count = probes->list_memory.size / sizeof *list;
  probes->lost_count = probes->lost_memory.size / sizeof *list;
  probes->list = list;
  probes->lost = (const struct probe *)probes->lost_memory.data;
  probes->records = records;
  uint64_t *shifts =
      need_memory(calloc(probes->record_count + 1, sizeof *shifts));
  const struct code_symbol *last = NULL;
  guess_record_places(probes, records, shifts);
  for (size_t i = 0; i < probes->count; i++) {
    struct probe_record *record = &records[list[i].record];
    list[i].address = (list[i].address + shifts[list[i].record]) & mask;
    if (record->placed == PROBE_GUESSED)
      list[i].flags |= PROBE_TWINS;
    mark_misplaced_record(probes, record, &list[i], &last);
  }
  free(shifts);
  sort_probes(list, probes->count);
}

/* ==== A function's descriptor has a GUID, a hash, ULEB128 length and a
 * name. */

/* A descriptor with its number, which keeps equal GUIDs in the order of the
 * file. The address of a name does not show this order, because names are in an
 * arena that grows. */
struct numbered_function {
  struct probe_function function;
  size_t number;
};

ORDER_BY(compare_functions, struct numbered_function, x->function.guid,
         x->number);

static struct probe_function parse_descriptor(struct probes *probes,
                                              struct bytes *rest, bool big) {
  const unsigned char *end = rest->data + rest->size, *at = rest->data + 16;
  uint64_t size;
  if (rest->size < 17 || !read_uleb128(&at, end, &size) ||
      size > (size_t)(end - at))
    raise_error(
        "the section .pseudo_probe_desc is damaged or truncated; link again");
  const struct probe_function function = {
      load64(rest->data, big), load64(rest->data + 8, big),
      need_memory(arena_copy(&probes->arena, at, (size_t)size)), false};
  *rest = (struct bytes){at + size, (size_t)(end - at - size)};
  return function;
}

/* Keeps the first descriptor of each GUID, as linkers do with COMDATs. */
static void keep_first_descriptors(struct probes *probes,
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

static void read_descriptors(struct probe_file_reader *reader,
                             struct bytes rest) {
  struct probes *probes = reader->probes;
  size_t count = 0;
  while (rest.size) {
    const struct numbered_function one = {
        parse_descriptor(probes, &rest, reader->elf->big), count};
    LIST_ADD(reader->functions, count, one);
  }
  probes->functions = need_memory(
      arena_allocate(&probes->arena, (count + 1) * sizeof *probes->functions));
  sort_array(reader->functions, count, sizeof *reader->functions,
             compare_functions);
  keep_first_descriptors(probes, reader->functions, count);
}

/* ==== This part reads the symbols of code. */

enum { TYPE_NONE = 0, TYPE_INDIRECT = 10 };

/* A symbol that may be chosen for its address. */
struct symbol_candidate {
  struct code_symbol symbol;
  uint64_t section_end;
  uint32_t rank; /* among symbols at one address, the lowest rank is chosen */
};

struct symbol_reader {
  struct probes *probes;
  const struct elf *elf;
  struct symbol_candidate *candidates;
  size_t count;
  struct elf_section section; /* section of the previous symbol */
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
  if (!(reading->section.flags & ELF_CODE))
    return false;
  /* Assembly may omit the type. Labels inside functions (.L) and mapping
   * symbols ($t, $d) are not functions. */
  return symbol->type == ELF_FUNCTION || symbol->type == TYPE_INDIRECT ||
         (symbol->type == TYPE_NONE && symbol->name[0] != '.' &&
          symbol->name[0] != '$');
}

static void add_symbol_candidate(struct symbol_reader *reading,
                                 uint32_t number) {
  struct elf_symbol symbol = elf_symbol(reading->elf, number);
  if (!is_code_symbol(reading, &symbol))
    return;
  bool thumb = reading->elf->machine == ELF_ARM && symbol.value & 1;
  uint64_t address = symbol.value - thumb;
  uint64_t guid = md5_low64(symbol.name, strlen(symbol.name));
  reading->probes->names[reading->probes->name_count++] =
      (struct symbol_by_guid){.guid = guid,
                              .address = address,
                              .name = symbol.name,
                              .number = number};
  reading->candidates[reading->count++] = (struct symbol_candidate){
      {address, symbol.size, guid, symbol.name},
      reading->section.address + reading->section.size,
      /* A symbol with a descriptor is preferred, then a symbol with a size,
       * then with a type, then with global binding. */
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
  if (a->symbol.size != b->symbol.size)
    return a->symbol.size > b->symbol.size ? -1 : 1;
  return strcmp(a->symbol.name, b->symbol.name);
}

ORDER_BY(compare_names, struct symbol_by_guid, x->guid, x->address, x->number);

static uint64_t symbol_end(const struct code_symbol *symbol) {
  return symbol->address + symbol->size;
}

/* Pops the symbols that end at or before an address, the innermost first. If
 * the symbol around a popped one ends later, adds the code in between as a part
 * of the outer symbol. Returns the new depth of the stack. */
static size_t close_ended_symbols(struct probes *probes,
                                  const struct symbol_candidate *stack,
                                  size_t depth, uint64_t until) {
  struct code_symbol *to = (struct code_symbol *)probes->symbols;
  while (depth && symbol_end(&stack[depth - 1].symbol) <= until && --depth) {
    struct code_symbol part = stack[depth - 1].symbol;
    uint64_t begin = symbol_end(&to[probes->symbol_count - 1]);
    if (begin < until && begin < symbol_end(&part)) {
      part.size = symbol_end(&part) - begin;
      part.address = begin;
      to[probes->symbol_count++] = part;
    }
  }
  return depth;
}

/* Chooses one symbol for each address. A label without a size that is inside a
 * function with a size is not chosen. The stack of symbols that have not ended
 * overwrites the start of the list, which has already been read. */
static void choose_address_symbols(struct probes *probes,
                                   struct symbol_candidate *from, size_t count,
                                   bool parts) {
  struct code_symbol *to = (struct code_symbol *)probes->symbols;
  uint64_t end = 0;
  size_t depth = 0;
  for (size_t i = 0; i < count; i++) {
    struct code_symbol symbol = from[i].symbol;
    if (probes->symbol_count &&
        (symbol.address == to[probes->symbol_count - 1].address ||
         (!symbol.size && symbol.address < end)))
      continue;
    if (symbol.size > UINT64_MAX - symbol.address)
      symbol.size = UINT64_MAX - symbol.address;
    depth = close_ended_symbols(probes, from, depth, symbol.address);
    if (symbol.size && (!parts || symbol_end(&symbol) > end))
      end = symbol_end(&symbol);
    if (symbol.size && parts)
      from[depth++].symbol = symbol;
    else if (!symbol.size && from[i].section_end > symbol.address)
      symbol.size = from[i].section_end - symbol.address;
    to[probes->symbol_count++] = symbol;
  }
  close_ended_symbols(probes, from, depth, UINT64_MAX);
  for (size_t i = 1; i < probes->symbol_count; i++)
    if (to[i].address - to[i - 1].address < to[i - 1].size)
      to[i - 1].size = to[i].address - to[i - 1].address;
}

/* Sorts the names, keeps one name for each pair of GUID and address, and counts
 * the names of each GUID. */
static void sort_and_count_names(struct probes *probes) {
  struct symbol_by_guid *names = probes->names;
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

static const char *read_symbols(struct probes *probes, const struct elf *elf,
                                bool parts) {
  struct symbol_reader reading = {.probes = probes, .elf = elf};
  size_t room = (size_t)elf->symbol_count + 1;
  if (elf->symbol_count > UINT32_MAX)
    return "the ELF has more symbols than bareprof accepts; link again";
  probes->no_symtab = elf->symbol_count == 0;
  reading.candidates = need_memory(calloc(room, sizeof *reading.candidates));
  probes->names =
      need_memory(arena_allocate(&probes->arena, room * sizeof *probes->names));
  /* Each symbol has at most one part. */
  probes->symbols = need_memory(arena_allocate(
      &probes->arena, room * (1 + parts) * sizeof *probes->symbols));
  for (uint32_t i = 0; i < elf->symbol_count; i++)
    add_symbol_candidate(&reading, i);
  qsort(reading.candidates, reading.count, sizeof *reading.candidates,
        compare_candidates);
  choose_address_symbols(probes, reading.candidates, reading.count, parts);
  free(reading.candidates);
  sort_and_count_names(probes);
  return NULL;
}

/* ==== This part reads the ELF. */

static struct bytes load_section(struct probe_file_reader *reader,
                                 const struct elf_section *section,
                                 unsigned char **memory) {
  struct probes *probes = reader->probes;
  struct bytes contents;
  probes->bytes += section->size;
  if (section->flags & ELF_ALLOC)
    probes->loaded += section->size;
  raise_if_error(elf_read_contents(reader->elf, section, PROBE_SECTION_MOST,
                                   &contents, memory));
  return contents;
}

/* Sets has_code of each function. All other code treats the functions as const.
 */
static void mark_functions_with_code(const struct probes *probes) {
  struct probe_function *functions = (struct probe_function *)probes->functions;
  for (size_t i = 0; i < probes->function_count; i++)
    functions[i].has_code = probe_find_guid_symbols(probes, functions[i].guid);
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    const struct probe_function *function =
        probes_find_function(probes, record->guid);
    if (function && record->placed != PROBE_NO_SYMBOL &&
        record->placed != PROBE_NO_CODE)
      functions[function - probes->functions].has_code = true;
  }
}

static void read_probes(void *context) {
  struct probe_file_reader *reader = context;
  struct probes *probes = reader->probes;
  const struct elf *elf = reader->elf;
  const struct probe_layout layout = {reader->encoding, elf->wide ? 8 : 4,
                                      elf->big};
  struct elf_section section, descriptors;
  struct bytes functions = {NULL, 0};
  if (elf->type == ELF_REL)
    raise_error(ELF_NOT_LINKED);
  if (!elf_find_section(elf, ".pseudo_probe", &section) || !section.size)
    raise_error("no pseudo probes found; compile with "
                "-fpseudo-probe-for-profiling, keep the section .pseudo_probe "
                "when linking, and pass the ELF that ran, unstripped");
  if (elf_find_section(elf, ".pseudo_probe_desc", &descriptors))
    functions = load_section(reader, &descriptors, &reader->memory[0]);
  read_descriptors(reader, functions);
  raise_if_error(read_symbols(probes, elf, false));
  struct bytes contents = load_section(reader, &section, &reader->memory[1]);
  struct probe_decoder *d = reader->decoder =
      need_memory(calloc(1, sizeof *reader->decoder));
  d->probes = probes;
  d->layout = &layout;
  d->at = contents.data;
  d->end = contents.data + contents.size;
  d->mask = layout.pointer == 8 ? UINT64_MAX : UINT32_MAX;
  for (; d->at != d->end; probes->record_count++) {
    parse_record(d);
    raise_if_error(
        buffer_append(&probes->record_memory, &d->record, sizeof d->record));
  }
  locate_and_sort_probes(probes, d->mask);
  mark_functions_with_code(probes);
  if (probes->no_symtab && !probes->count)
    raise_error("the symbol table, which locates the probes, is missing; pass "
                "the ELF before `strip` (`strip -g` keeps the symbols)");
}

const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding) {
  struct probe_file_reader reader = {
      .probes = probes, .elf = elf, .encoding = encoding};
  const size_t most = PROBE_COUNT_MOST * sizeof(struct probe);
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30},
                            .list_memory = {.limit = most},
                            .lost_memory = {.limit = most},
                            .record_memory = {.limit = most}};
  const char *error = catch_error(read_probes, &reader);
  free(reader.functions);
  free(reader.decoder);
  free(reader.memory[0]);
  free(reader.memory[1]);
  return error;
}

const char *probes_read_symbols(struct probes *probes, const struct elf *elf,
                                bool parts) {
  *probes = (struct probes){.arena = {.limit = (size_t)4 << 30}};
  return read_symbols(probes, elf, parts);
}

void probes_free(struct probes *probes) {
  arena_free(&probes->arena);
  buffer_free(&probes->list_memory);
  buffer_free(&probes->lost_memory);
  buffer_free(&probes->record_memory);
}
