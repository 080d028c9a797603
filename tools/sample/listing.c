/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes functions when they are first needed, finds the places where the link
 * register is valid, and searches for jumps between functions. */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "listing.h"

/* The most passes that the data-flow analysis makes over a function. */
enum { PASSES = 16 };

/* The state of an instruction that no path has reached yet. */
enum { UNREACHED = LINK_LIVES + 1 };

/* A symbol, and its decoded instructions. */
struct decoded_symbol {
  const struct code_symbol *symbol;
  struct listed_function *function;
  struct listed_instruction *list;
  size_t count;
};

void listing_begin(struct listing *listing, const struct probes *probes,
                   const struct elf_code *code) {
  *listing = (struct listing){.probes = probes, .code = code};
}

void listing_free(struct listing *listing) {
  free(listing->functions);
  free(listing->list);
  free(listing->jumps);
}

/* ---- decoding ---- */

/* Returns the index of the first instruction at or after an address. */
static size_t find_instruction_index(const struct decoded_symbol *piece,
                                     uint64_t address) {
  return search_from(piece->list, piece->count, address, address);
}

static struct listed_instruction *
find_instruction_at(const struct decoded_symbol *piece, uint64_t address) {
  size_t i = find_instruction_index(piece, address);
  return i < piece->count && piece->list[i].address == address ? &piece->list[i]
                                                               : NULL;
}

/* Marks the targets of branches as the beginnings of blocks. decode_function
 * has marked the instructions after branches. */
static void mark_branch_targets(const struct decoded_symbol *piece) {
  const struct code_symbol *symbol = piece->symbol;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed_instruction *one = &piece->list[i], *target;
    if (one->branch && one->direct &&
        one->target - symbol->address < symbol->size &&
        (target = find_instruction_at(piece, one->target)))
      target->leader = true;
  }
}

static void append_instruction_and_jump(struct listing *listing,
                                        const struct code_symbol *symbol,
                                        const struct code_walk *walk,
                                        bool leader) {
  const struct instruction *now = &walk->instruction;
  LIST_ADD(
      listing->list, listing->count,
      (struct listed_instruction){.address = walk->address,
                                  .target = now->target,
                                  .length = (uint8_t)now->length,
                                  .link = (uint8_t)now->link,
                                  .live = UNREACHED,
                                  .call = now->kind == INSTRUCTION_CALL,
                                  .branch = now->kind == INSTRUCTION_BRANCH,
                                  .direct = now->direct,
                                  .returns = now->returns,
                                  .ends = now->ends,
                                  .leader = leader});
  struct instruction jump = *now;
  if (now->kind == INSTRUCTION_BRANCH)
    code_complete_target(listing->code, &jump, walk->address);
  if (now->kind == INSTRUCTION_BRANCH && jump.direct &&
      jump.target - symbol->address >= symbol->size)
    LIST_ADD(listing->jumps, listing->jump_count,
             (struct exit_jump){walk->address, walk->at, jump.target});
}

static void decode_function(struct listing *listing,
                            const struct code_symbol *symbol,
                            struct listed_function *to) {
  struct code_walk walk;
  bool leader = true;
  to->first = listing->count;
  to->jumps = listing->jump_count;
  code_walk_begin(&walk, listing->code, symbol->address,
                  symbol->address + symbol->size);
  for (; code_walk_next(&walk); to->count++) {
    append_instruction_and_jump(listing, symbol, &walk, leader);
    leader = walk.instruction.kind == INSTRUCTION_BRANCH;
  }
  to->whole = walk.at >= walk.end;
  to->jump_count = listing->jump_count - to->jumps;
  to->known = true;
}

static struct decoded_symbol
find_or_decode_symbol(struct listing *listing,
                      const struct code_symbol *symbol) {
  const struct probes *probes = listing->probes;
  if (!listing->functions)
    listing->functions = need_memory(
        calloc(probes->symbol_count + 1, sizeof *listing->functions));
  struct listed_function *function =
      &listing->functions[symbol - probes->symbols];
  bool is_new = !function->known;
  if (is_new)
    decode_function(listing, symbol, function);
  const struct decoded_symbol piece = {
      symbol, function, listing->list + function->first, function->count};
  if (is_new)
    mark_branch_targets(&piece);
  return piece;
}

/* Finds the instructions of the symbol that contains an address. Returns false
 * if the symbol lacks instructions. */
static bool find_decoded_symbol(struct listing *listing, uint64_t address,
                                struct decoded_symbol *piece) {
  const struct code_symbol *symbol = listing->last;
  if (!symbol || address - symbol->address >= symbol->size)
    symbol = probes_find_symbol(listing->probes, address);
  if (!symbol)
    return false;
  *piece = find_or_decode_symbol(listing, symbol);
  listing->last = symbol;
  return piece->count != 0;
}

/* ---- looking up ---- */

const struct listed_instruction *
listing_get_instructions(struct listing *listing,
                         const struct code_symbol *symbol,
                         const struct listed_function **function) {
  const struct decoded_symbol piece = find_or_decode_symbol(listing, symbol);
  *function = piece.function;
  return piece.list;
}

const struct listed_instruction *listing_find_at(struct listing *listing,
                                                 uint64_t address) {
  struct decoded_symbol piece;
  return find_decoded_symbol(listing, address, &piece)
             ? find_instruction_at(&piece, address)
             : NULL;
}

const struct listed_instruction *
listing_find_at_or_after(struct listing *listing, uint64_t address) {
  struct decoded_symbol piece;
  if (!find_decoded_symbol(listing, address, &piece))
    return NULL;
  size_t i = find_instruction_index(&piece, address);
  if (i < piece.count)
    return &piece.list[i];
  return listing_find_at(listing, piece.symbol->address + piece.symbol->size);
}

/* ---- the link register ---- */

static void lower_link_state(struct listed_instruction *one, uint8_t state,
                             bool *changed) {
  if (!one || state >= one->live)
    return;
  one->live = state;
  *changed = true;
}

static uint8_t link_register_state_after(const struct listed_instruction *one) {
  if (one->call)
    return LINK_LOST;
  return one->link == LINK_SAVED && one->live == LINK_LIVES ? LINK_MAY_LIVE
                                                            : one->live;
}

/* Makes one pass over a function. *jumped is the lowest state so far at a jump
 * through a register. Such a jump may go to any block to which nothing else
 * leads; `reached` marks these blocks. Returns whether a state changed. */
static bool propagate_link_register_states(const struct decoded_symbol *piece,
                                           uint8_t *jumped,
                                           unsigned char *reached) {
  struct listed_instruction *list = piece->list;
  bool changed = false;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed_instruction *now = &list[i];
    if (now->live == UNREACHED && *jumped != UNREACHED && i && now[-1].ends)
      reached[i] = 1;
    if (reached[i])
      lower_link_state(now, *jumped, &changed);
    uint8_t after = link_register_state_after(now);
    if (now->live == UNREACHED)
      continue;
    if (now->branch && !now->direct && !now->returns && after < *jumped) {
      *jumped = after;
      changed = true;
    }
    if (now->branch && now->direct)
      lower_link_state(find_instruction_at(piece, now->target), after,
                       &changed);
    if (i + 1 < piece->count && (!now->ends || now->call))
      lower_link_state(&now[1], after, &changed);
  }
  return changed;
}

/* Finds the states at all instructions. Returns false if states still change
 * after PASSES passes. */
static bool solve_link_states(const struct decoded_symbol *piece) {
  unsigned char *reached = need_memory(calloc(piece->count, 1));
  uint8_t jumped = UNREACHED;
  bool changes = true;
  piece->list[0].live = LINK_LIVES;
  for (unsigned pass = 0; pass < PASSES && changes; pass++)
    changes = propagate_link_register_states(piece, &jumped, reached);
  free(reached);
  return !changes;
}

/* Sets `live` of all instructions. After a restore, the link register is valid
 * up to the end of the block. */
static void set_link_states(const struct decoded_symbol *piece) {
  bool known = solve_link_states(piece), restored = false;
  for (size_t i = 0; i < piece->count; i++) {
    struct listed_instruction *one = &piece->list[i];
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

enum link_state listing_get_link_state(struct listing *listing, uint64_t pc) {
  struct decoded_symbol piece;
  if (!find_decoded_symbol(listing, pc, &piece))
    return LINK_LOST;
  if (!piece.function->linked)
    set_link_states(&piece);
  size_t i = find_instruction_index(&piece, pc + 1);
  return i && pc - piece.list[i - 1].address < piece.list[i - 1].length
             ? (enum link_state)piece.list[i - 1].live
             : LINK_LOST;
}

/* ==== Finds jumps between functions. */

/* The most functions that a search may reach. If a search reaches more, its
 * result is that no path is known. */
enum { REACHED_MOST = 256 };
enum { VENEER_MOST = 32 }; /* largest size of a veneer in bytes */

/* A symbol, and the symbol of the function to which the symbol belongs. */
struct function_part {
  uint32_t function, symbol;
};

/* The hops that start in a function. */
struct function_hops {
  size_t first, count; /* range of the hops in jump_graph.hops */
  bool known, whole;   /* `known`: the range of hops is set; `whole`: the
                          function could be decoded */
};

void jumps_begin(struct jump_graph *jumps, struct listing *listing) {
  *jumps = (struct jump_graph){.listing = listing,
                               .path_hops = {.limit = (size_t)1 << 28},
                               .known = {.limit = (size_t)1 << 24},
                               .left = UINT64_C(1) << 28};
}

void jumps_free(struct jump_graph *jumps) {
  free(jumps->functions);
  free(jumps->parts);
  free(jumps->nodes);
  free(jumps->reached);
  free(jumps->list);
  free(jumps->hops);
  buffer_free(&jumps->path_hops);
  map_free(&jumps->known);
}

/* ==== Finds the function to which a symbol belongs. */

/* Returns the name of the function to which a veneer leads. Returns empty bytes
 * for other symbols. lld calls veneers __KINDThunk_NAME; GNU ld calls them
 * __NAME_veneer, __NAME_from_arm or __NAME_from_thumb. */
static struct bytes parse_veneer_name(const struct code_symbol *symbol) {
  static const char *const ends[] = {"_veneer", "_from_arm", "_from_thumb"};
  const char *name = symbol->name, *thunk = strstr(name, "Thunk_");
  const struct bytes none = {NULL, 0};
  if (strncmp(name, "__", 2) != 0 || symbol->size > VENEER_MOST)
    return none;
  if (thunk)
    return (struct bytes){(const void *)(thunk + 6), strlen(thunk + 6)};
  size_t size = strlen(name += 2);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (size > end && strcmp(name + size - end, ends[i]) == 0)
      return (struct bytes){(const void *)name, size - end};
  }
  return none;
}

/* Returns the function to which a symbol belongs. Returns the symbol itself if
 * that function's name is not unique. */
static uint32_t find_function_of_part(const struct probes *probes,
                                      uint32_t number) {
  const struct code_symbol *symbol = &probes->symbols[number];
  const char *cold = strstr(symbol->name, ".cold");
  struct bytes name = parse_veneer_name(symbol);
  if (cold && !probes_find_function(probes, symbol->guid))
    name = (struct bytes){(const void *)symbol->name,
                          (size_t)(cold - symbol->name)};
  const struct code_symbol *function =
      name.size
          ? probes_find_unique_symbol(probes, md5_low64(name.data, name.size))
          : NULL;
  return function ? (uint32_t)(function - probes->symbols) : number;
}

ORDER_BY(compare_parts, struct function_part, x->function, x->symbol);

static void build_function_tables(struct jump_graph *jumps) {
  const struct probes *probes = jumps->listing->probes;
  size_t count = probes->symbol_count;
  if (jumps->functions)
    return;
  jumps->functions = need_memory(calloc(count + 1, sizeof *jumps->functions));
  jumps->parts = need_memory(calloc(count + 1, sizeof *jumps->parts));
  jumps->nodes = need_memory(calloc(count + 1, sizeof *jumps->nodes));
  jumps->reached = need_memory(calloc(count + 1, sizeof *jumps->reached));
  for (uint32_t i = 0; i < count; i++) {
    jumps->functions[i] = find_function_of_part(probes, i);
    jumps->parts[i] = (struct function_part){jumps->functions[i], i};
  }
  sort_array(jumps->parts, count, sizeof *jumps->parts, compare_parts);
}

const struct code_symbol *jumps_get_function(struct jump_graph *jumps,
                                             const struct code_symbol *symbol) {
  const struct probes *probes = jumps->listing->probes;
  build_function_tables(jumps);
  return &probes->symbols[jumps->functions[symbol - probes->symbols]];
}

/* ==== Finds the jumps of a function. */

ORDER_BY(compare_jumps, struct function_jump, x->to, x->place);

/* Adds the jumps of one part of a function to other functions. */
static void add_exit_jumps(struct jump_graph *jumps, uint32_t function,
                           uint32_t part, bool *whole) {
  const struct probes *probes = jumps->listing->probes;
  const struct listed_function *listed;
  listing_get_instructions(jumps->listing, &probes->symbols[part], &listed);
  *whole = *whole && listed->whole;
  for (size_t i = 0; i < listed->jump_count; i++) {
    const struct exit_jump *exit = &jumps->listing->jumps[listed->jumps + i];
    const struct code_symbol *symbol = probes_find_symbol(probes, exit->to);
    uint32_t to =
        symbol ? jumps->functions[symbol - probes->symbols] : function;
    if (to != function)
      LIST_ADD(jumps->list, jumps->count,
               (struct function_jump){to, exit->place, exit->next});
  }
}

/* Makes hops. All jumps from a function to one other function are a hop.
 * `first` is the index of the function's first jump. */
static void append_jump_hops(struct jump_graph *jumps, uint32_t function,
                             size_t first) {
  for (size_t i = first, next; i < jumps->count; i = next) {
    for (next = i + 1;
         next < jumps->count && jumps->list[next].to == jumps->list[i].to;)
      next++;
    LIST_ADD(jumps->hops, jumps->hop_count,
             (struct jump_hop){&jumps->listing->probes->symbols[function], i,
                               next - i, jumps->list[i].to});
  }
}

/* Returns the hops of a function: its jumps to other functions, grouped by
 * their targets. The first call for a function finds these jumps. */
static const struct function_hops *get_function_hops(struct jump_graph *jumps,
                                                     uint32_t function) {
  struct function_hops *node = &jumps->nodes[function];
  const size_t count = jumps->listing->probes->symbol_count;
  const size_t first = jumps->count;
  if (node->known)
    return node;
  *node = (struct function_hops){jumps->hop_count, 0, true, true};
  for (size_t i = search_from(jumps->parts, count, function, function);
       i < count && jumps->parts[i].function == function; i++)
    add_exit_jumps(jumps, function, jumps->parts[i].symbol, &node->whole);
  if (jumps->count > first)
    qsort(jumps->list + first, jumps->count - first, sizeof *jumps->list,
          compare_jumps);
  append_jump_hops(jumps, function, first);
  node->count = jumps->hop_count - node->first;
  return node;
}

/* ==== Searches for paths of jumps. */

/* The functions that jumps reach from list[0]. jumps->reached holds the index
 * of each function in `list`, plus 1. */
struct reached_function_list {
  size_t count;
  bool whole; /* `list` has all functions that jumps reach */
  uint32_t list[REACHED_MOST];
  bool leads[REACHED_MOST]; /* for each function of `list`, whether jumps lead
                               from this function to the wanted function */
};

static void add_reached_function(struct jump_graph *jumps,
                                 struct reached_function_list *reached,
                                 uint32_t to) {
  if (jumps->reached[to])
    return;
  if (reached->count == REACHED_MOST) {
    reached->whole = false;
    return;
  }
  reached->list[reached->count++] = to;
  jumps->reached[to] = (uint32_t)reached->count;
}

/* Returns whether hop i belongs to the node and may still be followed. */
static bool spend_budget_for_hop(struct jump_graph *jumps,
                                 const struct function_hops *node, size_t i) {
  if (i >= node->first + node->count || !jumps->left)
    return false;
  jumps->left--;
  return true;
}

static void list_reached_functions(struct jump_graph *jumps,
                                   struct reached_function_list *reached,
                                   uint32_t from) {
  *reached = (struct reached_function_list){.whole = true};
  add_reached_function(jumps, reached, from);
  for (size_t at = 0; at < reached->count && reached->whole; at++) {
    const struct function_hops *node =
        get_function_hops(jumps, reached->list[at]);
    for (size_t i = node->first; spend_budget_for_hop(jumps, node, i); i++)
      add_reached_function(jumps, reached, jumps->hops[i].to);
    reached->whole = reached->whole && node->whole;
  }
}

static bool hop_leads_to_wanted(const struct jump_graph *jumps,
                                const struct reached_function_list *reached,
                                size_t hop) {
  return reached->leads[jumps->reached[jumps->hops[hop].to] - 1];
}

/* Marks the functions from which jumps lead to the wanted function. `wanted` is
 * the index of the wanted function in reached->list. */
static void mark_paths_to_wanted(struct jump_graph *jumps,
                                 struct reached_function_list *reached,
                                 size_t wanted) {
  bool changes = true;
  reached->leads[wanted] = true;
  while (changes) {
    changes = false;
    for (size_t i = reached->count; i-- > 0;) {
      const struct function_hops *node = &jumps->nodes[reached->list[i]];
      for (size_t k = node->first;
           !reached->leads[i] && spend_budget_for_hop(jumps, node, k); k++)
        if (hop_leads_to_wanted(jumps, reached, k))
          changes = reached->leads[i] = true;
    }
  }
}

/* Finds the only hop of a function that leads towards the wanted function.
 * Returns JUMPS_SEVERAL if several hops do. */
static enum jump_path_count
find_only_hop_to_wanted(struct jump_graph *jumps,
                        const struct reached_function_list *reached, size_t at,
                        struct jump_hop *hop) {
  const struct function_hops *node = &jumps->nodes[reached->list[at]];
  enum jump_path_count path_count = JUMPS_NONE;
  for (size_t i = node->first; spend_budget_for_hop(jumps, node, i); i++) {
    if (!hop_leads_to_wanted(jumps, reached, i))
      continue;
    if (path_count)
      return JUMPS_SEVERAL;
    path_count = JUMPS_ONE;
    *hop = jumps->hops[i];
  }
  return path_count;
}

/* Appends the path from reached->list[0] to the wanted function to
 * jumps->path_hops if it is the only path. The wanted function must not lead
 * back to itself. */
static enum jump_path_count
append_jump_path_if_only_one(struct jump_graph *jumps,
                             struct reached_function_list *reached,
                             size_t wanted) {
  struct jump_hop hops[JUMPS_MOST], back;
  size_t count = 0;
  mark_paths_to_wanted(jumps, reached, wanted);
  if (find_only_hop_to_wanted(jumps, reached, wanted, &back) != JUMPS_NONE)
    return JUMPS_SEVERAL;
  for (size_t at = 0; at != wanted; count++) {
    if (count == JUMPS_MOST ||
        find_only_hop_to_wanted(jumps, reached, at, &hops[count]) != JUMPS_ONE)
      return JUMPS_SEVERAL;
    at = jumps->reached[hops[count].to] - 1;
  }
  if (!jumps->left)
    return JUMPS_SEVERAL;
  need_append(&jumps->path_hops, hops, count * sizeof *hops);
  return JUMPS_ONE;
}

static enum jump_path_count search_jump_path(struct jump_graph *jumps,
                                             uint32_t from, uint32_t to) {
  struct reached_function_list reached;
  enum jump_path_count path_count = JUMPS_NONE;
  list_reached_functions(jumps, &reached, from);
  if (jumps->reached[to])
    path_count = !reached.whole || !jumps->left
               ? JUMPS_SEVERAL
               : append_jump_path_if_only_one(jumps, &reached,
                                              jumps->reached[to] - 1);
  for (size_t i = 0; i < reached.count; i++)
    jumps->reached[reached.list[i]] = 0;
  return path_count;
}

/* Unpacks an entry of jumps->known. From the highest bits on, the entry has
 * the index of the path's first hop, the number of hops, and enum
 * jump_path_count. */
static struct jump_path unpack_path(const struct jump_graph *jumps,
                                    uint64_t known) {
  return (struct jump_path){
      (enum jump_path_count)(known & 3), (size_t)(known >> 2 & 0x7F),
      (const struct jump_hop *)(const void *)jumps->path_hops.data +
          (known >> 9)};
}

struct jump_path jumps_find_path(struct jump_graph *jumps, uint64_t called,
                                 uint64_t to) {
  const struct probes *probes = jumps->listing->probes;
  const struct code_symbol *first = probes_find_symbol(probes, called);
  const struct code_symbol *last = probes_find_symbol(probes, to);
  const struct jump_path none = {JUMPS_NONE, 0, NULL};
  if (!first || first->address != called || !last)
    return none;
  build_function_tables(jumps);
  uint32_t from = jumps->functions[first - probes->symbols];
  uint32_t wanted = jumps->functions[last - probes->symbols];
  if (from == wanted)
    return (struct jump_path){JUMPS_ONE, 0, NULL};
  const uint64_t *known = map_find(&jumps->known, from, wanted, 1);
  if (known)
    return unpack_path(jumps, *known);
  size_t begin = jumps->path_hops.size / sizeof(struct jump_hop);
  uint64_t path_count = search_jump_path(jumps, from, wanted);
  uint64_t count = jumps->path_hops.size / sizeof(struct jump_hop) - begin;
  uint64_t *made = need_memory(map_find_or_add(&jumps->known, from, wanted, 1));
  *made = (uint64_t)begin << 9 | count << 2 | path_count;
  return unpack_path(jumps, *made);
}
