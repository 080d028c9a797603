/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a line profile. The rate of an instruction is added to the source line
 * from which the instruction was compiled, in the function that was inlined. */
#include "sampled.h"

#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "build.h"

struct line_profile_builder {
  struct sampled_profile *profile;
  struct sampled_program *program;
  struct line_profile_statistics *found; /* NULL: the caller wants no
                                            statistics */
};

/* ---- discriminators ---- */

/* Decodes the first of the three numbers that LLVM stores in a discriminator:
 * the block within the line, the number of copies that one execution runs, and
 * the copy. Each number takes 1 bit (for 0), 7 or 14 bits. */
static uint32_t decode_base_discriminator(uint32_t discriminator) {
  if (discriminator & 1)
    return 0;
  discriminator >>= 1;
  return discriminator & 0x20
             ? (discriminator >> 1 & 0xFE0) | (discriminator & 0x1F)
             : discriminator & 0x1F;
}

static uint32_t decode_copy_count(uint32_t discriminator) {
  unsigned width = discriminator & 1 ? 1 : discriminator & 0x40 ? 14 : 7;
  uint32_t number = decode_base_discriminator(discriminator >> width);
  return number ? number : 1;
}

/* ---- source locations ---- */

/* Returns a name without the suffixes of ThinLTO (.llvm.) and of partial
 * inlining (.part.). */
static const char *strip_suffixes(struct sampled_profile *profile,
                                  const char *name) {
  const char *end = strstr(name, ".llvm.");
  const char *part = strstr(name, ".part.");
  if (!end || (part && part < end))
    end = part;
  return end ? need_memory(
                   arena_copy(&profile->arena, name, (size_t)(end - name)))
             : name;
}

static struct sampled_site frame_site(const struct dwarf_frame *frame) {
  return (struct sampled_site){(frame->line - frame->declared) & 0xFFFF,
                               decode_base_discriminator(frame->discriminator)};
}

/* Returns the name that the profile has for a frame's function. */
static const char *frame_name(struct sampled_profile *profile,
                              const char *symbol,
                              const struct dwarf_frame *frame, bool outermost) {
  return strip_suffixes(profile,
                        *frame->name || !outermost ? frame->name : symbol);
}

/* Returns whether a symbol is cold code that was split off a function. Jumps to
 * this code are not calls of the function. */
static bool is_cold_part(const char *symbol, const char *function) {
  return strstr(symbol, ".cold") && !strstr(function, ".cold");
}

void line_location_make_from_frames(struct sampled_profile *profile,
                                    const struct line_frames *frames,
                                    double span, struct line_location *place) {
  size_t depth = frames->depth;
  *place = (struct line_location){0};
  if (!depth || frames->list[depth - 1].inlined)
    return;
  for (size_t i = depth; i-- > 0;) {
    const struct dwarf_frame *frame = &frames->list[i];
    const char *name =
        frame_name(profile, frames->symbol, frame, i + 1 == depth);
    struct sampled_function *function =
        place->inner ? sampled_find_or_make_inlined(profile, place->inner,
                                                    place->site, name)
                     : sampled_find_or_make_function(profile, NULL, name);
    if (!place->outer)
      place->outer = function;
    place->inner = function;
    place->site = frame_site(frame);
    function->spanned = true;
    function->span += span;
  }
  place->discriminator = frames->list[0].discriminator;
}

/* Returns the location of an address in the profile, and adds `span` to the
 * functions at this location. `inner` is NULL if the line is not known. */
static struct line_location
locate_and_add_span(const struct line_profile_builder *of, uint64_t address,
                    double span) {
  struct line_frames frames;
  struct line_location place = {0};
  const struct code_symbol *symbol =
      probes_find_symbol(&of->program->probes, address);
  if (!symbol)
    return place;
  frames.symbol = symbol->name;
  frames.depth = dwarf_find_frames(&of->program->scopes, &of->program->lines,
                                   address, frames.list);
  if (of->found && frames.depth && !frames.list[frames.depth - 1].inlined &&
      !frames.list[frames.depth - 1].declared)
    of->found->undeclared++;
  line_location_make_from_frames(of->profile, &frames, span, &place);
  return place;
}

/* ---- rates ---- */

static void add_instruction_rate(void *context,
                                 const struct rated_instruction *one) {
  const struct line_profile_builder *of = context;
  const struct line_location place =
      locate_and_add_span(of, one->address, one->rate * one->length);
  if (!place.inner) {
    of->found->unknown++;
    return;
  }
  if (one->address == one->symbol->address &&
      !is_cold_part(one->symbol->name, place.outer->name))
    place.outer->head += one->rate;
  struct sampled_line *line =
      sampled_find_or_make_line(of->profile, place.inner, place.site);
  double rate = one->rate * decode_copy_count(place.discriminator);
  if (line->weight < rate)
    line->weight = rate;
}

void lines_add_rates(struct sampled_profile *profile,
                     struct sampled_program *program,
                     const struct samples *samples,
                     enum attribution attribution, struct rates *rates,
                     struct line_profile_statistics *found) {
  struct line_profile_builder of = {profile, program, found};
  const struct rated_instruction_visitor taker = {add_instruction_rate, &of,
                                                  attribution};
  rates_compute_instructions(rates, program, samples, &taker);
}

/* ---- targets ---- */

void line_location_add_target(struct sampled_profile *profile,
                              const struct line_location *call,
                              const char *name, double weight) {
  sampled_add_target(
      profile, sampled_find_or_make_line(profile, call->inner, call->site),
      name, weight);
}

static void add_target_of_call_pair(void *context,
                                    const struct call_callee_pair *pair) {
  const struct line_profile_builder *of = context;
  struct line_location callee, call;
  if (pair->jumped ||
      !(callee = locate_and_add_span(of, pair->callee->address, 0)).outer ||
      !(call = locate_and_add_span(of, pair->call, 0)).inner)
    return;
  line_location_add_target(of->profile, &call, callee.outer->name,
                           callee.outer->head * pair->share);
}

void lines_raise_weights(struct sampled_profile *profile) {
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      double sum = 0;
      for (const struct sampled_target *to = line->targets; to; to = to->next)
        sum += to->weight;
      if (line->weight < sum)
        line->weight = sum;
    }
}

void lines_add_targets(struct sampled_profile *profile,
                       struct sampled_program *program,
                       const struct samples *samples) {
  struct line_profile_builder of = {profile, program, NULL};
  struct target_statistics found;
  targets_for_each_pair(program, samples, &found, add_target_of_call_pair, &of);
  lines_raise_weights(profile);
}

/* ---- branches ---- */

/* Returns the function that begins at an address, or NULL. */
static struct sampled_function *
find_or_make_callee(const struct line_profile_builder *of, uint64_t to) {
  struct dwarf_frame frames[DWARF_FRAMES];
  const struct code_symbol *symbol =
      probes_find_symbol(&of->program->probes, to);
  size_t depth = symbol && symbol->address == to
                     ? dwarf_find_frames(&of->program->scopes,
                                         &of->program->lines, to, frames)
                     : 0;
  if (!depth || frames[depth - 1].inlined)
    return NULL;
  const char *name =
      frame_name(of->profile, symbol->name, &frames[depth - 1], true);
  return is_cold_part(symbol->name, name)
             ? NULL
             : sampled_find_or_make_function(of->profile, NULL, name);
}

static void add_branch_target(const struct line_profile_builder *of,
                              const struct flow_entry *jump) {
  struct sampled_function *callee = find_or_make_callee(of, jump->end);
  struct line_location call = {0};
  if (!callee)
    return;
  callee->head += (double)jump->count;
  if (jump->begin != FLOW_OUTSIDE)
    call = locate_and_add_span(of, jump->begin, 0);
  if (call.inner)
    line_location_add_target(of->profile, &call, callee->name,
                             (double)jump->count);
}

void lines_add_branch_targets(struct sampled_profile *profile,
                              struct sampled_program *program,
                              const struct branch_flow *flow) {
  struct line_profile_builder of = {profile, program, NULL};
  size_t count;
  struct flow_entry *jumps = flow_list_sorted_entries(&flow->jumps, &count);
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    function->head = 0;
  for (size_t i = 0; i < count; i++)
    add_branch_target(&of, &jumps[i]);
  free(jumps);
  lines_raise_weights(profile);
}
