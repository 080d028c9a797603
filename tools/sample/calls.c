/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls have no counts of blocks. But clang infers those of blocks with calls,
 * and decides by them what is inlined and what is cold. A function without
 * calls gets no line: with one it would seem to have loops that never run.
 */
#include "build.h"

#include <stdlib.h>

#include "../base/error.h"
#include "sampled.h"

struct calling {
  struct sampled *profile;
  const struct mip_places *places;
  struct calls_found *found;
  const struct clear *clear;
  struct sampled_function **functions; /* in profile, by number; or NULL */
};

/* By its code: gcc's debug information has a function begin behind the nops at
 * its entry. Of functions that come from one, such as copies for constants,
 * there is one in the profile. */
static const char *add_function(const struct calling *of, uint32_t number) {
  const struct mip_function *function = &of->places->profile->functions[number];
  uint64_t begin = mip_address(of->places, function->address);
  const struct dwarf_span span = {begin, begin + function->size};
  double calls = (double)mip_count(of->places->profile, function);
  struct line_frames frames = {.depth = 1, .symbol = function->name};
  struct line_place place;
  if (!dwarf_function(&of->places->scopes, &of->places->lines, span,
                      frames.list))
    return NULL;
  const char *error = line_place_find(of->profile, &frames, calls, &place);
  if (error || !place.outer)
    return error;
  place.outer->head += calls;
  of->functions[number] = place.outer;
  return NULL;
}

static const char *add_edge(const struct calling *of,
                            const struct mip_edge *edge) {
  const struct sampled_function *callee = of->functions[edge->callee];
  struct line_frames frames = {.symbol = ""};
  struct line_place call;
  frames.depth = dwarf_frames(&of->places->scopes, &of->places->lines,
                              mip_address(of->places, mip_call_of(edge->from)),
                              frames.list);
  if (frames.depth && !clear_is(of->clear, edge, frames.list)) {
    of->found->unclear++;
    return NULL;
  }
  const char *error =
      line_place_find(of->profile, &frames, (double)edge->count, &call);
  if (error)
    return error;
  if (!callee || !call.inner || !*call.outer->name) {
    of->found->unknown++;
    return NULL;
  }
  return line_place_call(of->profile, &call, callee->name, (double)edge->count);
}

/* Lines of a function's code, as the function that they are of was called. */
static const char *add_lines(const struct calling *of, uint32_t number) {
  const struct mip_function *function = &of->places->profile->functions[number];
  uint64_t begin = mip_address(of->places, function->address);
  uint64_t end = begin + function->size;
  struct line_frames frames = {.symbol = function->name};
  struct line_place place;
  const char *error = NULL;
  const struct dwarf_row *row =
      of->functions[number]
          ? dwarf_lines_in(&of->places->lines, (struct dwarf_span){begin, end})
          : NULL;
  for (; row && row->address < end && !(row->flags & DWARF_END) && !error;
       row++) {
    frames.depth = dwarf_frames(&of->places->scopes, &of->places->lines,
                                row->address, frames.list);
    error = line_place_find(of->profile, &frames, 0, &place);
    if (error || !place.inner)
      continue;
    struct sampled_line *line =
        sampled_line(of->profile, place.inner, place.site);
    if (!line)
      return out_of_memory;
    if (!line->targets)
      line->weight = place.outer->head;
  }
  return error;
}

const char *calls_profile(struct sampled *profile,
                          const struct mip_places *places, bool every_line,
                          struct calls_found *found) {
  const struct mip_profile *mip = places->profile;
  struct clear clear;
  struct calling of = {profile, places, found, &clear, NULL};
  const char *error = clear_begin(&clear, places);
  *found = (struct calls_found){0};
  of.functions = calloc(mip->function_count + 1, sizeof *of.functions);
  if (!of.functions)
    error = out_of_memory;
  for (uint32_t i = 0; i < mip->function_count && !error; i++)
    error = add_function(&of, i);
  for (size_t i = 0; i < mip->edge_count && !error; i++)
    error = add_edge(&of, &mip->edges[i]);
  for (uint32_t i = 0; every_line && i < mip->function_count && !error; i++)
    error = add_lines(&of, i);
  free(of.functions);
  clear_free(&clear);
  if (!error)
    lines_raise_calls(profile);
  return error;
}
