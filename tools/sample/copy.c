/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of one profile added to another one, also with the new names of
 * files.
 */
#include "sampled.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/error.h"
#include "../profile/gather.h"

/* ---- names ---- */

/* Appends a name, which is new if its file has another name now. */
static const char *put_name(struct sampled_copy *copy, const char *name,
                            size_t size) {
  const struct bytes whole = {(const unsigned char *)name, size};
  const char *end = local_separator(name, size, ';');
  end = end ? end : local_separator(name, size, ':');
  return renames_put(copy->renames, whole, end ? (size_t)(end - name) : 0,
                     &copy->text);
}

/* The text so far, which lives as long as the new profile; or NULL. */
static const char *keep_text(struct sampled_copy *copy, const char *error) {
  return error ? NULL
               : arena_copy(&copy->to->arena, copy->text.data, copy->text.size);
}

/* NULL: no memory. */
static const char *new_name(struct sampled_copy *copy, const char *name) {
  copy->text.size = 0;
  return copy->renames ? keep_text(copy, put_name(copy, name, strlen(name)))
                       : name;
}

/* The same for all names in a context. */
static const char *new_context(struct sampled_copy *copy, const char *context) {
  const struct sampled_function last = {.name = "", .context = context};
  const char *error = NULL, *from = context;
  struct sampled_frame frame;
  copy->text.size = 0;
  if (!copy->renames || !context)
    return context;
  for (sampled_frames(&frame, &last);
       sampled_next_frame(&frame) && frame.function && !error;) {
    error = buffer_append(&copy->text, from, (size_t)(frame.name - from));
    if (!error)
      error = put_name(copy, frame.name, frame.size);
    from = frame.name + frame.size;
  }
  if (!error)
    error = buffer_append(&copy->text, from, strlen(from));
  return keep_text(copy, error);
}

/* ---- functions ---- */

static const char *add_line(struct sampled_copy *copy,
                            struct sampled_function *function,
                            const struct sampled_line *from) {
  struct sampled_line *line = sampled_line(copy->to, function, from->site);
  if (!line)
    return out_of_memory;
  line->weight += (double)from->count;
  for (const struct sampled_target *target = from->targets; target;
       target = target->next) {
    const char *name = new_name(copy, target->name);
    struct sampled_target *made =
        name ? sampled_target(copy->to, line, name) : NULL;
    if (!made)
      return out_of_memory;
    made->weight += (double)target->count;
  }
  return NULL;
}

/* As deep as functions are inlined, PROBE_DEPTH_MOST. */
static const char *add_body(struct sampled_copy *copy,
                            struct sampled_function *function,
                            const struct sampled_function *from) {
  const char *error = NULL;
  function->hash = from->hash;
  function->hashed = from->hashed;
  function->head += (double)from->head_count;
  function->span += (double)from->total;
  function->spanned = true;
  for (const struct sampled_line *line = from->lines; line && !error;
       line = line->next)
    error = add_line(copy, function, line);
  for (const struct sampled_function *inlined = from->inlined;
       inlined && !error; inlined = inlined->next) {
    const char *name = new_name(copy, inlined->name);
    struct sampled_function *into =
        name ? sampled_inlined(copy->to, function, inlined->site, name) : NULL;
    if (into)
      into->attributes = inlined->attributes;
    error = into ? add_body(copy, into, inlined) : out_of_memory;
  }
  return error;
}

/* Adds a function of a finished profile, and what is inlined into it, as one of
 * this context, without its attributes. *made: what it was added to. Returns
 * NULL or the error. */
static const char *sampled_copy_function(struct sampled_copy *copy,
                                         const struct sampled_function *from,
                                         const char *context,
                                         struct sampled_function **made) {
  const char *name = new_name(copy, from->name);
  const char *of = new_context(copy, context);
  *made = NULL;
  if (name && (of || !context))
    *made = sampled_function(copy->to, of, name);
  return *made ? add_body(copy, *made, from) : out_of_memory;
}

/* ---- the profile ---- */

const char *sampled_rename(struct sampled *profile, struct renames *renames) {
  struct sampled to;
  struct sampled_copy copy = {&to, renames, {.limit = SIZE_MAX / 2}};
  struct sampled_function *made;
  const char *error = NULL;
  if (!renames->count)
    return NULL;
  sampled_begin(&to);
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next) {
    error = sampled_copy_function(&copy, function, function->context, &made);
    if (!error)
      made->attributes = function->attributes;
  }
  if (!error)
    error = sampled_finish(&to, 1);
  buffer_free(&copy.text);
  sampled_free(profile);
  *profile = to;
  return error;
}

/* ---- cold contexts ----
 *
 * Merging and trimming cold contexts, as llvm-profgen does it.
 */

/* ---- the threshold ---- */

ORDER_BY(counts_falling, uint64_t, ~*x);

static size_t line_sum(const struct sampled *profile) {
  size_t sum = 0;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    sum += function->line_count;
  return sum;
}

/* Finds LLVM's threshold of hot counts: the smallest count needed for 99 % of
 * the sum of all counts. Counts of all contexts of a function are taken
 * together. profile is finished. Returns NULL or the error. */
static const char *cold_threshold(const struct sampled *profile,
                                  uint64_t *below) {
  struct sampled together;
  double sum = 0, so_far = 0;
  size_t count = 0;
  *below = 0;
  const char *error = sampled_flatten(&together, profile);
  uint64_t *counts = calloc(line_sum(&together) + 1, sizeof *counts);
  if (!counts)
    error = out_of_memory;
  for (struct sampled_function *function = together.functions;
       function && !error; function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      counts[count++] = line->count;
      sum += (double)line->count;
    }
  if (!error)
    qsort(counts, count, sizeof *counts, counts_falling);
  for (size_t i = 0; i < count && so_far < 0.99 * sum; i++) {
    so_far += (double)counts[i];
    *below = counts[i];
  }
  free(counts);
  sampled_free(&together);
  return error;
}

/* ---- merging ---- */

/* The last frames of a context, which does not have the function's own. */
static const char *last_frames(const char *context, unsigned depth) {
  const char *at = context + strlen(context);
  if (depth <= 1)
    return at;
  for (unsigned left = depth - 1; at > context; at--)
    if (strncmp(at, " @ ", 3) == 0 && --left == 0)
      return at + 3;
  return context;
}

/* Contexts of a merged function differ in inlining, so it has no attributes. */
static const char *add_function(struct sampled *to,
                                const struct sampled_function *from, bool cold,
                                unsigned depth) {
  struct sampled_copy copy = {.to = to};
  struct sampled_function *made;
  const char *error = sampled_copy_function(
      &copy, from, cold ? last_frames(from->context, depth) : from->context,
      &made);
  if (!error && !cold)
    made->attributes = from->attributes;
  return error;
}

/* Nothing that is not cold is below, with what was added to it or without. */
static void trim_cold(struct sampled *profile, uint64_t below) {
  struct sampled_function **at = &profile->functions;
  while (*at)
    if ((*at)->total < below) {
      *at = (*at)->next;
      profile->function_count--;
    } else {
      at = &(*at)->next;
    }
}

const char *cold_merge(struct sampled *to, const struct sampled *from,
                       const struct cold_settings *settings) {
  uint64_t below = settings->below;
  const char *error = settings->has_below ? NULL : cold_threshold(from, &below);
  for (const struct sampled_function *function = from->functions;
       function && !error; function = function->next)
    error = add_function(to, function,
                         settings->merge && function->context &&
                             function->total < below,
                         settings->depth);
  if (!error)
    error = sampled_finish(to, 1);
  if (!error && settings->trim)
    trim_cold(to, below);
  return error;
}

const char *sampled_flatten(struct sampled *to, const struct sampled *from) {
  const struct cold_settings all = {
      .has_below = true, .merge = true, .below = UINT64_MAX, .depth = 1};
  sampled_begin(to);
  return cold_merge(to, from, &all);
}
