/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a line profile: gives the rates of instructions to the lines of the
 * functions that the instructions were inlined from.
 */
#include "sampled.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "build.h"
#include "../base/error.h"

struct line_builder {
  struct sampled_profile *profile;
  struct sampled_program *program;
  struct line_statistics *found; /* NULL: no statistics are wanted */
};

/* ---- discriminators ---- */

/* Decodes the first of LLVM's three numbers in a discriminator, each in 1 bit
 * (for 0), 7 or 14 bits: the block within the line, the number of copies that
 * one execution runs, and the copy. */
static uint32_t decode_first_number(uint32_t discriminator) {
  if (discriminator & 1)
    return 0;
  discriminator >>= 1;
  return discriminator & 0x20
             ? (discriminator >> 1 & 0xFE0) | (discriminator & 0x1F)
             : discriminator & 0x1F;
}

static uint32_t decode_copies(uint32_t discriminator) {
  unsigned width = discriminator & 1 ? 1 : discriminator & 0x40 ? 14 : 7;
  uint32_t number = decode_first_number(discriminator >> width);
  return number ? number : 1;
}

/* ---- source locations ---- */

/* Returns a name without the suffixes of ThinLTO (.llvm.) and of partial
 * inlining (.part.). NULL: no memory. */
static const char *strip_suffixes(struct sampled_profile *profile,
                                  const char *name) {
  const char *end = strstr(name, ".llvm.");
  const char *part = strstr(name, ".part.");
  if (!end || (part && part < end))
    end = part;
  return end ? arena_copy(&profile->arena, name, (size_t)(end - name)) : name;
}

static struct sampled_site frame_site(const struct dwarf_frame *frame) {
  return (struct sampled_site){(frame->line - frame->declared) & 0xFFFF,
                               decode_first_number(frame->discriminator)};
}

/* Returns a frame's function as the profile names it. NULL: no memory. */
static const char *frame_name(struct sampled_profile *profile,
                              const char *symbol,
                              const struct dwarf_frame *frame, bool outermost) {
  const char *name = frame->name;
  if (!*name && outermost)
    name = symbol;
  return strip_suffixes(profile, name);
}

const char *line_location_find(struct sampled_profile *profile,
                               const struct line_frames *frames, double span,
                               struct line_location *place) {
  size_t depth = frames->depth;
  *place = (struct line_location){0};
  if (!depth || frames->list[depth - 1].inlined)
    return NULL;
  for (size_t i = depth; i-- > 0;) {
    const struct dwarf_frame *frame = &frames->list[i];
    const char *name =
        frame_name(profile, frames->symbol, frame, i + 1 == depth);
    struct sampled_function *function =
        !name ? NULL
        : place->inner
            ? sampled_inlined(profile, place->inner, place->site, name)
            : sampled_function(profile, NULL, name);
    if (!function)
      return out_of_memory;
    if (!place->outer)
      place->outer = function;
    place->inner = function;
    place->site = frame_site(frame);
    function->spanned = true;
    function->span += span;
  }
  place->discriminator = frames->list[0].discriminator;
  return NULL;
}

/* Finds the source location of an address in the profile, and adds span to its
 * functions. place->inner becomes NULL if the line is not known. */
static const char *find_location(const struct line_builder *of,
                                 uint64_t address, double span,
                                 struct line_location *place) {
  struct line_frames frames;
  const struct probe_symbol *symbol =
      probes_find_symbol(&of->program->probes, address);
  *place = (struct line_location){0};
  if (!symbol)
    return NULL;
  frames.symbol = symbol->name;
  frames.depth = dwarf_find_frames(&of->program->scopes, &of->program->lines,
                                   address, frames.list);
  if (of->found && frames.depth && !frames.list[frames.depth - 1].inlined &&
      !frames.list[frames.depth - 1].declared)
    of->found->undeclared++;
  return line_location_find(of->profile, &frames, span, place);
}

/* ---- rates ---- */

static const char *add_instruction_rate(void *context,
                                        const struct rated_instruction *one) {
  const struct line_builder *of = context;
  struct line_location place;
  const char *error =
      find_location(of, one->address, one->rate * one->length, &place);
  if (error)
    return error;
  if (!place.inner) {
    of->found->unknown++;
    return NULL;
  }
  if (one->address == one->symbol->address)
    place.outer->head += one->rate;
  struct sampled_line *line =
      sampled_line(of->profile, place.inner, place.site);
  if (!line)
    return out_of_memory;
  double rate = one->rate * decode_copies(place.discriminator);
  if (line->weight < rate)
    line->weight = rate;
  return NULL;
}

const char *lines_add_rates(struct sampled_profile *profile,
                            struct sampled_program *program,
                            const struct samples *samples,
                            enum attribution attribution, struct rates *rates,
                            struct line_statistics *found) {
  struct line_builder of = {profile, program, found};
  const struct rated_instruction_visitor taker = {add_instruction_rate, &of,
                                                  attribution};
  return rates_visit_instructions(rates, program, samples, &taker);
}

/* ---- targets ---- */

const char *line_location_add_call(struct sampled_profile *profile,
                                   const struct line_location *call,
                                   const char *name, double weight) {
  struct sampled_line *line = sampled_line(profile, call->inner, call->site);
  struct sampled_target *target =
      line ? sampled_target(profile, line, name) : NULL;
  if (!target)
    return out_of_memory;
  target->weight += weight;
  return NULL;
}

static const char *add_pair_target(void *context,
                                   const struct target_pair *pair) {
  const struct line_builder *of = context;
  struct line_location callee, call;
  if (pair->jumped)
    return NULL;
  const char *error = find_location(of, pair->callee->address, 0, &callee);
  if (!error && callee.outer)
    error = find_location(of, pair->call, 0, &call);
  if (error || !callee.outer || !call.inner)
    return error;
  return line_location_add_call(of->profile, &call, callee.outer->name,
                                callee.outer->head * pair->share);
}

void lines_raise_calls(struct sampled_profile *profile) {
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

const char *lines_add_targets(struct sampled_profile *profile,
                              struct sampled_program *program,
                              const struct samples *samples) {
  struct line_builder of = {profile, program, NULL};
  struct target_statistics found;
  const char *error =
      targets_visit_pairs(program, samples, &found, add_pair_target, &of);
  if (!error)
    lines_raise_calls(profile);
  return error;
}

/* ---- branches ---- */

/* Finds the function that begins at an address, or sets *callee to NULL. */
static const char *find_callee(const struct line_builder *of, uint64_t to,
                               struct sampled_function **callee) {
  struct dwarf_frame frames[DWARF_FRAMES];
  const struct probe_symbol *symbol =
      probes_find_symbol(&of->program->probes, to);
  size_t depth = symbol && symbol->address == to
                     ? dwarf_find_frames(&of->program->scopes,
                                         &of->program->lines, to, frames)
                     : 0;
  *callee = NULL;
  if (!depth || frames[depth - 1].inlined)
    return NULL;
  const char *name =
      frame_name(of->profile, symbol->name, &frames[depth - 1], true);
  *callee = name ? sampled_function(of->profile, NULL, name) : NULL;
  return *callee ? NULL : out_of_memory;
}

static const char *add_jump_target(const struct line_builder *of,
                                   const struct flow_entry *jump) {
  struct sampled_function *callee;
  struct line_location call = {0};
  const char *error = find_callee(of, jump->end, &callee);
  if (error || !callee)
    return error;
  callee->head += (double)jump->count;
  if (jump->begin != FLOW_OUTSIDE)
    error = find_location(of, jump->begin, 0, &call);
  if (error || !call.inner)
    return error;
  return line_location_add_call(of->profile, &call, callee->name,
                                (double)jump->count);
}

const char *lines_add_jumps(struct sampled_profile *profile,
                            struct sampled_program *program,
                            const struct branch_flow *flow) {
  struct line_builder of = {profile, program, NULL};
  struct flow_entry *jumps;
  size_t count;
  const char *error = flow_list_sorted(&flow->jumps, &jumps, &count);
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    function->head = 0;
  for (size_t i = 0; i < count && !error; i++)
    error = add_jump_target(&of, &jumps[i]);
  free(jumps);
  if (!error)
    lines_raise_calls(profile);
  return error;
}
