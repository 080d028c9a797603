/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decoding functions when they are needed.
 */
#include "listed.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/compare.h"

/* So often at most is it gone through a function whose jumps lead back. */
enum { PASSES = 16 };

/* Marks an instruction that no path has reached yet. */
enum { UNREACHED = LINK_LIVES + 1 };

/* A function with its instructions. */
struct code_piece {
  const struct probe_symbol *symbol;
  struct listed_function *function;
  struct listed *list;
  size_t count;
};

void listing_begin(struct listing *listing, const struct probes *probes,
                   const struct code *code) {
  *listing = (struct listing){.probes = probes,
                              .code = code,
                              .list = {.limit = (size_t)1 << 31},
                              .jumps = {.limit = (size_t)1 << 30}};
}

void listing_free(struct listing *listing) {
  free(listing->functions);
  buffer_free(&listing->list);
  buffer_free(&listing->jumps);
}

/* ---- decoding ---- */

/* The number of the first at an address or behind it. */
static size_t number_from(const struct code_piece *piece, uint64_t address) {
  return search_from(piece->list, piece->count, address, address);
}

static struct listed *exactly_at(const struct code_piece *piece,
                                 uint64_t address) {
  size_t i = number_from(piece, address);
  return i < piece->count && piece->list[i].address == address ? &piece->list[i]
                                                               : NULL;
}

/* Marks where blocks begin, besides behind branches. */
static void find_leaders(const struct code_piece *piece) {
  const struct probe_symbol *symbol = piece->symbol;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed *one = &piece->list[i], *target;
    if (one->branch && one->direct &&
        one->target - symbol->address < symbol->size &&
        (target = exactly_at(piece, one->target)))
      target->leader = true;
  }
}

static const char *decode_one(struct listing *listing,
                              const struct probe_symbol *symbol,
                              const struct code_walk *walk, bool leader) {
  const struct instruction *now = &walk->instruction;
  const struct listed one = {.address = walk->address,
                             .target = now->target,
                             .length = (uint8_t)now->length,
                             .link = (uint8_t)now->link,
                             .live = UNREACHED,
                             .call = now->kind == INSTRUCTION_CALL,
                             .branch = now->kind == INSTRUCTION_BRANCH,
                             .direct = now->direct,
                             .returns = now->returns,
                             .ends = now->ends,
                             .leader = leader};
  const char *error = buffer_add(&listing->list, &one, sizeof one);
  if (error || now->kind != INSTRUCTION_BRANCH)
    return error;
  struct instruction jump = *now;
  code_join(listing->code, &jump, walk->address);
  const struct listed_exit exit = {walk->address, walk->at, jump.target};
  return jump.direct && jump.target - symbol->address >= symbol->size
             ? buffer_append(&listing->jumps, &exit, sizeof exit)
             : NULL;
}

static const char *decode_function(struct listing *listing,
                                   const struct probe_symbol *symbol,
                                   struct listed_function *to) {
  struct code_walk walk;
  const char *error = NULL;
  bool leader = true;
  to->first = listing->list.size / sizeof(struct listed);
  to->jumps = listing->jumps.size / sizeof(struct listed_exit);
  for (code_walk(&walk, listing->code, symbol->address,
                 symbol->address + symbol->size);
       !error && code_next(&walk); to->count++) {
    error = decode_one(listing, symbol, &walk, leader);
    leader = walk.instruction.kind == INSTRUCTION_BRANCH;
  }
  to->whole = walk.at >= walk.end;
  to->jump_count = listing->jumps.size / sizeof(struct listed_exit) - to->jumps;
  to->known = true;
  return !error && to->count >= UINT32_MAX
             ? "more code is sampled than there is memory for; give fewer "
               "samples"
             : error;
}

static bool take_function(struct listing *listing,
                          const struct probe_symbol *symbol,
                          struct code_piece *piece) {
  const struct probes *probes = listing->probes;
  if (!listing->functions)
    listing->functions =
        calloc(probes->symbol_count + 1, sizeof *listing->functions);
  if (!listing->functions)
    listing->error = out_of_memory;
  if (listing->error)
    return false;
  piece->symbol = symbol;
  piece->function = &listing->functions[symbol - probes->symbols];
  bool is_new = !piece->function->known;
  if (is_new)
    listing->error = decode_function(listing, symbol, piece->function);
  piece->list =
      (struct listed *)(void *)listing->list.data + piece->function->first;
  piece->count = piece->function->count;
  if (is_new && !listing->error)
    find_leaders(piece);
  return !listing->error;
}

/* The instructions of the symbol that an address is in; false: there are
 * none. */
static bool piece_at(struct listing *listing, uint64_t address,
                     struct code_piece *piece) {
  const struct probe_symbol *symbol = listing->last;
  if (!symbol || address - symbol->address >= symbol->size)
    symbol = probes_symbol(listing->probes, address);
  if (!symbol || !take_function(listing, symbol, piece))
    return false;
  listing->last = symbol;
  return piece->count != 0;
}

/* ---- looking up ---- */

const struct listed *listing_of(struct listing *listing,
                                const struct probe_symbol *symbol,
                                const struct listed_function **function) {
  struct code_piece piece;
  if (!take_function(listing, symbol, &piece))
    return NULL;
  *function = piece.function;
  return piece.list;
}

const struct listed *listing_at(struct listing *listing, uint64_t address) {
  struct code_piece piece;
  return piece_at(listing, address, &piece) ? exactly_at(&piece, address)
                                            : NULL;
}

const struct listed *listing_from(struct listing *listing, uint64_t address) {
  struct code_piece piece;
  if (!piece_at(listing, address, &piece))
    return NULL;
  size_t i = number_from(&piece, address);
  if (i < piece.count)
    return &piece.list[i];
  return listing_at(listing, piece.symbol->address + piece.symbol->size);
}

/* ---- the link register ---- */

static void meet_state(struct listed *one, uint8_t state, bool *changed) {
  if (!one || state >= one->live)
    return;
  one->live = state;
  *changed = true;
}

/* Returns the state behind an instruction. */
static uint8_t state_behind(const struct listed *one) {
  if (one->call)
    return LINK_LOST;
  return one->link == LINK_SAVED && one->live == LINK_LIVES ? LINK_MAY_LIVE
                                                            : one->live;
}

/* Once through it. *jumped: the least state at a jump by a register so far,
 * which may go to any block that nothing else leads to: those are in `reached`
 * from then on. */
static bool flow_once(const struct code_piece *piece, uint8_t *jumped,
                      unsigned char *reached) {
  struct listed *list = piece->list;
  bool changed = false;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed *now = &list[i];
    if (now->live == UNREACHED && *jumped != UNREACHED && i && now[-1].ends)
      reached[i] = 1;
    if (reached[i])
      meet_state(now, *jumped, &changed);
    uint8_t after = state_behind(now);
    if (now->live == UNREACHED)
      continue;
    if (now->branch && !now->direct && !now->returns && after < *jumped) {
      *jumped = after;
      changed = true;
    }
    if (now->branch && now->direct)
      meet_state(exactly_at(piece, now->target), after, &changed);
    if (i + 1 < piece->count && (!now->ends || now->call))
      meet_state(&now[1], after, &changed);
  }
  return changed;
}

/* false: no memory, or its jumps lead back too often. */
static bool flows(const struct code_piece *piece) {
  unsigned char *reached = calloc(piece->count, 1);
  uint8_t jumped = UNREACHED;
  bool changes = reached != NULL;
  piece->list[0].live = LINK_LIVES;
  for (unsigned pass = 0; pass < PASSES && changes; pass++)
    changes = flow_once(piece, &jumped, reached);
  free(reached);
  return reached && !changes;
}

/* A restored link register is valid up to the end of the block. */
static void find_links(const struct code_piece *piece) {
  bool known = flows(piece), restored = false;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed *one = &piece->list[i];
    if (!known || (!restored && one->live == UNREACHED))
      one->live = LINK_LOST;
    else if (restored)
      one->live = LINK_LIVES;
    if (one->link != LINK_LEFT)
      restored = one->link == LINK_RESTORED;
    if (one->call || one->branch)
      restored = false;
  }
  piece->function->linked = true;
}

enum link_state listing_link(struct listing *listing, uint64_t pc) {
  struct code_piece piece;
  if (!piece_at(listing, pc, &piece))
    return LINK_LOST;
  if (!piece.function->linked)
    find_links(&piece);
  size_t i = number_from(&piece, pc + 1);
  return i && pc - piece.list[i - 1].address < piece.list[i - 1].length
             ? (enum link_state)piece.list[i - 1].live
             : LINK_LOST;
}

const struct listed_exit *listing_exit(const struct listing *listing,
                                       size_t number) {
  return (const struct listed_exit *)(const void *)listing->jumps.data + number;
}
