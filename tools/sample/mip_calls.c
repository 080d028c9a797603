/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a line profile from the calls that `bareprof mip` has counted. Counted
 * calls show only the counts of blocks that contain calls. From these counts
 * clang decides which calls to inline and which code is cold. A function
 * without calls gets no line, because with only one line the function's loops
 * would seem never to run.
 */
#include <stdlib.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../mip/mip_view.h"
#include "listing.h"
#include "sampled.h"

/* ---- calls that were never made ----
 *
 * The MIP profile has only calls that were made. The other calls on a line are
 * found in the code: every direct call of a function that is in the profile.
 * Discriminators cannot distinguish the calls on a line, because each compiler
 * numbers discriminators differently.
 */

#define LOOP UINT64_MAX

/* A call or a loop on a line. */
struct line_call {
  uint64_t line;    /* number of the line; the upper half is the function's
                       number, from 1 on */
  uint64_t returns; /* the return address; LOOP means a loop instead of a
                       call */
  uint64_t count;
};

ORDER_BY(compare_line_calls, struct line_call, x->line, x->returns);

struct function_start {
  uint64_t address;
};
ORDER_BY(compare_starts, struct function_start, x->address);

/* The calls on lines. After list_lines_of_several_counts, the list has one call
 * for each line that no single count fits. In a line profile, a count is valid
 * for all code of its line. A single count is wrong if a line has a loop, or
 * several calls that were made different numbers of times. */
struct line_call_list {
  const struct mip_locator *places;
  struct line_call *calls;
  struct function_start *starts; /* beginnings of the functions, by ascending
                                    address */
  size_t count, start_count;
};

static uint64_t make_line_key(const struct line_call_list *list,
                              const struct mip_function *function,
                              const struct dwarf_frame *frame) {
  size_t number = (size_t)(function - list->places->profile->functions) + 1;
  return (uint64_t)number << 32 | frame->line;
}

static void append_line_call(struct line_call_list *list,
                             const struct mip_function *function,
                             const struct dwarf_frame *frame, uint64_t returns,
                             uint64_t count) {
  LIST_ADD(list->calls, list->count,
           (struct line_call){make_line_key(list, function, frame), returns,
                              count});
}

static size_t find_frames_at_address(const struct line_call_list *list,
                                     uint64_t address,
                                     struct dwarf_frame frames[DWARF_FRAMES]) {
  return dwarf_find_frames(&list->places->scopes, &list->places->lines,
                           address, frames);
}

static void append_edge_calls(struct line_call_list *list) {
  const struct mip_profile *profile = list->places->profile;
  struct dwarf_frame frames[DWARF_FRAMES];
  for (size_t i = 0; i < profile->edge_count; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    const struct mip_function *caller =
        mip_find_caller(list->places, edge->from);
    uint64_t call = mip_address(list->places, mip_call_address(edge->from));
    if (caller && find_frames_at_address(list, call, frames))
      append_line_call(list, caller, frames,
                       mip_address(list->places, edge->from), edge->count);
  }
}

static bool is_function_start(const struct line_call_list *list,
                              uint64_t address) {
  size_t at = search_from(list->starts, list->start_count, address, address);
  return at < list->start_count && list->starts[at].address == address;
}

/* Adds an instruction to the list if it calls a function of the profile, or if
 * it is the jump back of a loop that begins on the same line. */
static void append_call_or_loop(struct line_call_list *list,
                                const struct mip_function *function,
                                const struct code_walk *walk) {
  const struct instruction *at = &walk->instruction;
  struct dwarf_frame frames[DWARF_FRAMES], top[DWARF_FRAMES];
  bool call = at->kind == INSTRUCTION_CALL;
  if (!at->direct || at->kind == INSTRUCTION_PLAIN ||
      (call ? !is_function_start(list, at->target)
            : at->target > walk->address || at->target < walk->begin))
    return;
  size_t depth = find_frames_at_address(list, walk->address, frames);
  if (call && depth)
    append_line_call(list, function, frames, walk->at, 0);
  else if (depth && find_frames_at_address(list, at->target, top) == depth &&
           top->line == frames->line)
    append_line_call(list, function, frames, LOOP, 0);
}

static void append_code_calls(struct line_call_list *list) {
  const struct mip_profile *profile = list->places->profile;
  struct elf_code code;
  struct code_walk walk;
  bool known = !code_open(&code, &list->places->elf);
  for (size_t i = 0; known && i < profile->function_count; i++) {
    const struct mip_function *function = &profile->functions[i];
    uint64_t begin = mip_address(list->places, function->address);
    code_walk_begin(&walk, &code, begin, begin + function->size);
    while (code_walk_next(&walk)) {
      code_complete_target(&code, &walk.instruction, walk.address);
      append_call_or_loop(list, function, &walk);
    }
  }
  code_close(&code);
}

/* Returns whether no single count fits the calls of one line. The calls are
 * sorted by return address. */
static bool has_several_counts(const struct line_call *calls, size_t count) {
  uint64_t least = UINT64_MAX, most = 0;
  for (size_t i = 0, next; i < count; i = next) {
    uint64_t sum = 0;
    for (next = i; next < count && calls[next].returns == calls[i].returns;)
      sum += calls[next++].count;
    if (calls[i].returns == LOOP)
      return true;
    least = sum < least ? sum : least;
    most = sum > most ? sum : most;
  }
  return most - least > most / 4; /* counts of samples differ by chance */
}

/* Finds the lines that no single count fits. The caller frees the lists.
 * `places` must live as long as `list`. */
static void list_lines_of_several_counts(struct line_call_list *list,
                                         const struct mip_locator *places) {
  *list = (struct line_call_list){.places = places};
  const struct mip_profile *profile = places->profile;
  for (size_t i = 0; i < profile->function_count; i++)
    LIST_ADD(list->starts, list->start_count,
             (struct function_start){
                 mip_address(places, profile->functions[i].address)});
  sort_array(list->starts, list->start_count, sizeof *list->starts,
             compare_starts);
  append_edge_calls(list);
  append_code_calls(list);
  struct line_call *calls = list->calls;
  size_t count = list->count;
  sort_array(calls, count, sizeof *calls, compare_line_calls);
  list->count = 0;
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && calls[next].line == calls[i].line;)
      next++;
    if (has_several_counts(calls + i, next - i))
      calls[list->count++] = calls[i];
  }
}

/* Returns whether one count fits the line of a call site. `frame` is the call's
 * innermost frame. */
static bool is_line_of_one_count(const struct line_call_list *list,
                                 const struct mip_edge *edge,
                                 const struct dwarf_frame *frame) {
  const struct mip_function *caller =
      mip_find_caller(list->places, edge->from);
  if (!caller)
    return true;
  uint64_t line = make_line_key(list, caller, frame);
  size_t at = search_from(list->calls, list->count, line, line);
  return at == list->count || list->calls[at].line != line;
}

/* ---- the profile ---- */

struct mip_calls_builder {
  struct sampled_profile *profile;
  const struct mip_locator *places;
  struct mip_calls_statistics *found;
  const struct line_call_list *mixed; /* the lines that no single count fits */
  struct sampled_function **functions; /* functions in the new profile, by
                                          number in the MIP profile; or NULL */
};

/* Adds a function. The search for it uses its address range, because in gcc's
 * debug information a function begins after the nops at its entry. Copies, such
 * as copies for constant arguments, share one function of the profile. */
static void add_function_with_calls(const struct mip_calls_builder *of,
                                    uint32_t number) {
  const struct mip_function *function = &of->places->profile->functions[number];
  uint64_t begin = mip_address(of->places, function->address);
  const struct dwarf_span span = {begin, begin + function->size};
  double calls = (double)mip_run_count(of->places->profile, function);
  struct line_frames frames = {.depth = 1, .symbol = function->name};
  struct line_location place;
  if (!dwarf_find_function(&of->places->scopes, &of->places->lines, span,
                           frames.list))
    return;
  line_location_make_from_frames(of->profile, &frames, calls, &place);
  if (!place.outer)
    return;
  place.outer->head += calls;
  of->functions[number] = place.outer;
}

static void add_edge_target(const struct mip_calls_builder *of,
                            const struct mip_edge *edge) {
  const struct sampled_function *callee = of->functions[edge->callee];
  struct line_frames frames = {.symbol = ""};
  struct line_location call;
  frames.depth = dwarf_find_frames(
      &of->places->scopes, &of->places->lines,
      mip_address(of->places, mip_call_address(edge->from)), frames.list);
  if (frames.depth && !is_line_of_one_count(of->mixed, edge, frames.list)) {
    of->found->unclear++;
    return;
  }
  line_location_make_from_frames(of->profile, &frames, (double)edge->count,
                                 &call);
  if (callee && call.inner && *call.outer->name)
    line_location_add_target(of->profile, &call, callee->name,
                             (double)edge->count);
  else
    of->found->unknown++;
}

/* Adds the lines of a function that lack calls. The count of these lines is the
 * number of the function's calls. */
static void add_lines_without_calls(const struct mip_calls_builder *of,
                                    uint32_t number) {
  const struct mip_function *function = &of->places->profile->functions[number];
  uint64_t begin = mip_address(of->places, function->address);
  uint64_t end = begin + function->size;
  struct line_frames frames = {.symbol = function->name};
  struct line_location place;
  const struct dwarf_row *row =
      of->functions[number]
          ? dwarf_lines_first_row_in_span(&of->places->lines,
                                          (struct dwarf_span){begin, end})
          : NULL;
  for (; row && row->address < end && !(row->flags & DWARF_END); row++) {
    frames.depth = dwarf_find_frames(&of->places->scopes, &of->places->lines,
                                     row->address, frames.list);
    line_location_make_from_frames(of->profile, &frames, 0, &place);
    if (!place.inner)
      continue;
    struct sampled_line *line =
        sampled_find_or_make_line(of->profile, place.inner, place.site);
    if (!line->targets)
      line->weight = place.outer->head;
  }
}

void mip_calls_build_profile(struct sampled_profile *profile,
                             const struct mip_locator *places, bool every_line,
                             struct mip_calls_statistics *found) {
  const struct mip_profile *mip = places->profile;
  struct line_call_list mixed;
  struct mip_calls_builder of = {profile, places, found, &mixed, NULL};
  list_lines_of_several_counts(&mixed, places);
  *found = (struct mip_calls_statistics){0};
  of.functions =
      need_memory(calloc(mip->function_count + 1, sizeof *of.functions));
  for (uint32_t i = 0; i < mip->function_count; i++)
    add_function_with_calls(&of, i);
  for (size_t i = 0; i < mip->edge_count; i++)
    add_edge_target(&of, &mip->edges[i]);
  for (uint32_t i = 0; every_line && i < mip->function_count; i++)
    add_lines_without_calls(&of, i);
  free(of.functions);
  free(mixed.calls);
  free(mixed.starts);
  lines_raise_weights(profile);
}
