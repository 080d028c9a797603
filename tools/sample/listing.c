/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decoding symbols when they are needed.
 */
#include "listing.h"

#include "../base/search.h"

enum { SYMBOLS_MOST = 1 << 24 };

/* Ranges over more symbols than these are damaged. */
enum { SYMBOLS_CROSSED = 8 };

struct piece {
  const struct probe_symbol *symbol;
  const struct listed *list;
  size_t count;
};

void listing_begin(struct listing *listing, const struct program *program) {
  *listing = (struct listing){.program = program,
                              .symbols = {.limit = SYMBOLS_MOST},
                              .list = {.limit = (size_t)1 << 31}};
}

void listing_free(struct listing *listing) {
  map_free(&listing->symbols);
  buffer_free(&listing->list);
}

/* From the last to the first. */
static void find_ends(struct listed *list, size_t count,
                      const unsigned char *ends) {
  uint32_t until = (uint32_t)count;
  for (size_t i = count; i-- > 0;) {
    if (ends[i])
      until = (uint32_t)i;
    list[i].until = until;
  }
}

static const char *decode(struct listing *listing,
                          const struct probe_symbol *symbol, uint64_t *place) {
  size_t first = listing->list.size / sizeof(struct listed), count = 0;
  struct buffer ends = {.limit = (size_t)1 << 31};
  struct code_walk walk;
  const char *error = NULL;
  for (code_walk(&walk, &listing->program->code, symbol->address,
                 symbol->address + symbol->size);
       !error && code_next(&walk); count++) {
    const struct instruction *now = &walk.instruction;
    const struct listed one = {.address = walk.address,
                               .length = (uint8_t)now->length,
                               .call = now->kind == INSTRUCTION_CALL,
                               .returns = now->returns,
                               .jump = now->ends && !now->returns &&
                                       now->kind != INSTRUCTION_CALL};
    unsigned char end = now->ends;
    error = buffer_append(&listing->list, &one, sizeof one);
    if (!error)
      error = buffer_append(&ends, &end, 1);
  }
  if (!error && (count >= UINT32_MAX || first >= UINT32_MAX))
    error = "more code is sampled than there is memory for; give fewer samples";
  if (!error)
    find_ends((struct listed *)(void *)listing->list.data + first, count,
              ends.data);
  buffer_free(&ends);
  *place = (uint64_t)first << 32 | count;
  return error;
}

/* Makes the symbol that an address is in the last one. */
static bool find_symbol(struct listing *listing, uint64_t address) {
  const struct probes *probes = &listing->program->probes;
  const struct probe_symbol *symbol = probes_symbol(probes, address);
  if (!symbol || listing->error)
    return false;
  uint64_t *place =
      map_at(&listing->symbols, (uint64_t)(symbol - probes->symbols), 0, 0);
  if (!place)
    listing->error = "not enough memory; free some";
  else if (!*place) {
    listing->error = decode(listing, symbol, place);
    *place += 1;
  }
  if (listing->error)
    return false;
  listing->last = symbol;
  listing->place = *place - 1;
  return true;
}

/* The instructions of the symbol that an address is in; false: there are
 * none. */
static bool piece_at(struct listing *listing, uint64_t address,
                     struct piece *piece) {
  const struct probe_symbol *last = listing->last;
  if ((!last || address - last->address >= last->size) &&
      !find_symbol(listing, address))
    return false;
  piece->symbol = listing->last;
  piece->list = (const struct listed *)(const void *)listing->list.data +
                (listing->place >> 32);
  piece->count = listing->place & UINT32_MAX;
  return piece->count != 0;
}

/* The number of the first at an address or behind it. */
static size_t number_from(const struct piece *piece, uint64_t address) {
  return search_key(piece->list, sizeof *piece->list, piece->count, address);
}

const struct listed *listing_at(struct listing *listing, uint64_t address) {
  struct piece piece;
  if (!piece_at(listing, address, &piece))
    return NULL;
  size_t i = number_from(&piece, address);
  return i < piece.count && piece.list[i].address == address ? &piece.list[i]
                                                             : NULL;
}

const struct listed *listing_from(struct listing *listing, uint64_t address) {
  struct piece piece;
  if (!piece_at(listing, address, &piece))
    return NULL;
  size_t i = number_from(&piece, address);
  if (i < piece.count)
    return &piece.list[i];
  return listing_at(listing, piece.symbol->address + piece.symbol->size);
}

const struct listed *listing_call_before(struct listing *listing,
                                         uint64_t address) {
  struct piece piece;
  if (!piece_at(listing, address - 1, &piece))
    return NULL;
  size_t i = number_from(&piece, address);
  return i && piece.list[i - 1].call ? &piece.list[i - 1] : NULL;
}

bool listing_runs(struct listing *listing, uint64_t begin, uint64_t end) {
  for (unsigned crossed = 0; begin <= end && crossed < SYMBOLS_CROSSED;
       crossed++) {
    struct piece piece;
    if (begin == end)
      return true;
    if (!piece_at(listing, begin, &piece))
      return false;
    size_t i = number_from(&piece, begin);
    if (i >= piece.count)
      return false;
    i = piece.list[i].until;
    if (i < piece.count)
      return piece.list[i].address >= end;
    begin = piece.symbol->address + piece.symbol->size;
  }
  return begin > end;
}

bool listing_frameless(struct listing *listing, uint64_t address) {
  struct piece piece;
  if (!piece_at(listing, address, &piece))
    return false;
  size_t i = number_from(&piece, address);
  if (i >= piece.count || piece.list[i].address != address)
    return false;
  return i < 2 || piece.list[i].returns ||
         (i + 1 < piece.count && piece.list[i + 1].returns);
}
