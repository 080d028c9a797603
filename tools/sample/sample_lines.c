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

struct lining {
  struct sampled *profile;
  struct program *program;
  struct lines_found *found; /* NULL: no statistics are wanted */
};

/* ---- discriminators ---- */

/* Decodes the first of LLVM's three numbers in a discriminator, each in 1 bit
 * (for 0), 7 or 14 bits: the block within the line, the number of copies that
 * one execution runs, and the copy. */
static uint32_t first_number(uint32_t discriminator) {
  if (discriminator & 1)
    return 0;
  discriminator >>= 1;
  return discriminator & 0x20
             ? (discriminator >> 1 & 0xFE0) | (discriminator & 0x1F)
             : discriminator & 0x1F;
}

static uint32_t copies_of(uint32_t discriminator) {
  unsigned width = discriminator & 1 ? 1 : discriminator & 0x40 ? 14 : 7;
  uint32_t number = first_number(discriminator >> width);
  return number ? number : 1;
}

/* ---- source locations ---- */

/* Returns a name without the suffixes of ThinLTO (.llvm.) and of partial
 * inlining (.part.). NULL: no memory. */
static const char *named_plain(struct sampled *profile, const char *name) {
  const char *end = strstr(name, ".llvm.");
  const char *part = strstr(name, ".part.");
  if (!end || (part && part < end))
    end = part;
  return end ? arena_copy(&profile->arena, name, (size_t)(end - name)) : name;
}

static struct sampled_site site_of(const struct dwarf_frame *frame) {
  return (struct sampled_site){(frame->line - frame->declared) & 0xFFFF,
                               first_number(frame->discriminator)};
}

/* Returns a frame's function as the profile names it. NULL: no memory. */
static const char *name_of(struct sampled *profile, const char *symbol,
                           const struct dwarf_frame *frame, bool outermost) {
  const char *name = frame->name;
  if (!*name && outermost)
    name = symbol;
  return named_plain(profile, name);
}

const char *line_place_find(struct sampled *profile,
                            const struct line_frames *frames, double span,
                            struct line_place *place) {
  size_t depth = frames->depth;
  *place = (struct line_place){0};
  if (!depth || frames->list[depth - 1].inlined)
    return NULL;
  for (size_t i = depth; i-- > 0;) {
    const struct dwarf_frame *frame = &frames->list[i];
    const char *name = name_of(profile, frames->symbol, frame, i + 1 == depth);
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
    place->site = site_of(frame);
    function->spanned = true;
    function->span += span;
  }
  place->discriminator = frames->list[0].discriminator;
  return NULL;
}

/* Finds the source location of an address in the profile, and adds span to its
 * functions. place->inner becomes NULL if the line is not known. */
static const char *find_place(const struct lining *of, uint64_t address,
                              double span, struct line_place *place) {
  struct line_frames frames;
  const struct probe_symbol *symbol =
      probes_symbol(&of->program->probes, address);
  *place = (struct line_place){0};
  if (!symbol)
    return NULL;
  frames.symbol = symbol->name;
  frames.depth = dwarf_frames(&of->program->scopes, &of->program->lines,
                              address, frames.list);
  if (of->found && frames.depth && !frames.list[frames.depth - 1].inlined &&
      !frames.list[frames.depth - 1].declared)
    of->found->undeclared++;
  return line_place_find(of->profile, &frames, span, place);
}

/* ---- rates ---- */

static const char *take_instruction(void *context,
                                    const struct rates_instruction *one) {
  const struct lining *of = context;
  struct line_place place;
  const char *error =
      find_place(of, one->address, one->rate * one->length, &place);
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
  double rate = one->rate * copies_of(place.discriminator);
  if (line->weight < rate)
    line->weight = rate;
  return NULL;
}

const char *lines_rates(struct sampled *profile, struct program *program,
                        const struct samples *samples,
                        enum attribution attribution, struct rates *rates,
                        struct lines_found *found) {
  struct lining of = {profile, program, found};
  const struct rates_taker taker = {take_instruction, &of, attribution};
  return rates_each(rates, program, samples, &taker);
}

/* ---- targets ---- */

const char *line_place_call(struct sampled *profile,
                            const struct line_place *call, const char *name,
                            double weight) {
  struct sampled_line *line = sampled_line(profile, call->inner, call->site);
  struct sampled_target *target =
      line ? sampled_target(profile, line, name) : NULL;
  if (!target)
    return out_of_memory;
  target->weight += weight;
  return NULL;
}

static const char *take_pair(void *context, const struct targets_pair *pair) {
  const struct lining *of = context;
  struct line_place callee, call;
  if (pair->jumped)
    return NULL;
  const char *error = find_place(of, pair->callee->address, 0, &callee);
  if (!error && callee.outer)
    error = find_place(of, pair->call, 0, &call);
  if (error || !callee.outer || !call.inner)
    return error;
  return line_place_call(of->profile, &call, callee.outer->name,
                         callee.outer->head * pair->share);
}

void lines_raise_calls(struct sampled *profile) {
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

const char *lines_targets(struct sampled *profile, struct program *program,
                          const struct samples *samples) {
  struct lining of = {profile, program, NULL};
  struct targets_found found;
  const char *error = targets_each(program, samples, &found, take_pair, &of);
  if (!error)
    lines_raise_calls(profile);
  return error;
}

/* ---- branches ---- */

/* Finds the function that begins at an address, or sets *callee to NULL. */
static const char *find_callee(const struct lining *of, uint64_t to,
                               struct sampled_function **callee) {
  struct dwarf_frame frames[DWARF_FRAMES];
  const struct probe_symbol *symbol = probes_symbol(&of->program->probes, to);
  size_t depth =
      symbol && symbol->address == to
          ? dwarf_frames(&of->program->scopes, &of->program->lines, to, frames)
          : 0;
  *callee = NULL;
  if (!depth || frames[depth - 1].inlined)
    return NULL;
  const char *name =
      name_of(of->profile, symbol->name, &frames[depth - 1], true);
  *callee = name ? sampled_function(of->profile, NULL, name) : NULL;
  return *callee ? NULL : out_of_memory;
}

static const char *take_jump(const struct lining *of,
                             const struct flow_entry *jump) {
  struct sampled_function *callee;
  struct line_place call = {0};
  const char *error = find_callee(of, jump->end, &callee);
  if (error || !callee)
    return error;
  callee->head += (double)jump->count;
  if (jump->begin != FLOW_OUTSIDE)
    error = find_place(of, jump->begin, 0, &call);
  if (error || !call.inner)
    return error;
  return line_place_call(of->profile, &call, callee->name, (double)jump->count);
}

const char *lines_jumps(struct sampled *profile, struct program *program,
                        const struct flow *flow) {
  struct lining of = {profile, program, NULL};
  struct flow_entry *jumps;
  size_t count;
  const char *error = flow_sorted(&flow->jumps, &jumps, &count);
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    function->head = 0;
  for (size_t i = 0; i < count && !error; i++)
    error = take_jump(&of, &jumps[i]);
  free(jumps);
  if (!error)
    lines_raise_calls(profile);
  return error;
}
