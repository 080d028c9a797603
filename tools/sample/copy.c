/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of one profile added to another one, also with the new names of
 * files.
 */
#include "sampled.h"

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

const char *sampled_copy_function(struct sampled_copy *copy,
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
