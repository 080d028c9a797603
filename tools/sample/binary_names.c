/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names are referred to by number: those of functions, of the callers in their
 * contexts, of targets, of what is inlined.
 */
#include <stdlib.h>
#include <string.h>

#include "binary_inside.h"
#include "frames.h"

static const char *add(struct binary_names *names, const char *at,
                       size_t size) {
  struct binary_name name = {at, size};
  return buffer_append(&names->names, &name, sizeof name);
}

/* Of one function, as deep as functions are inlined: PROBE_DEPTH_MOST. */
static const char *gather(struct binary_names *names,
                          const struct sampled_function *function) {
  struct sampled_frame frame;
  const char *error = NULL;
  for (sampled_frames(&frame, function); !error && sampled_next_frame(&frame);)
    error = add(names, frame.name, frame.size);
  for (const struct sampled_line *line = function->lines; line && !error;
       line = line->next)
    for (const struct sampled_target *to = line->targets; to && !error;
         to = to->next)
      error = add(names, to->name, strlen(to->name));
  for (const struct sampled_function *inlined = function->inlined;
       inlined && !error; inlined = inlined->next)
    error = gather(names, inlined);
  return error;
}

static int compare_names(const void *left, const void *right) {
  const struct binary_name *a = left, *b = right;
  int order = memcmp(a->at, b->at, a->size < b->size ? a->size : b->size);
  return order ? order : (a->size > b->size) - (a->size < b->size);
}

static bool is_unique(const struct binary_name *name) {
  static const char mark[] = ".__uniq.";
  for (size_t i = 0; i + sizeof mark - 1 <= name->size; i++)
    if (memcmp(name->at + i, mark, sizeof mark - 1) == 0)
      return true;
  return false;
}

static void settle(struct binary_names *names) {
  struct binary_name *list = (void *)names->names.data;
  size_t count = names->names.size / sizeof *list;
  if (count)
    qsort(list, count, sizeof *list, compare_names);
  for (size_t i = 0; i < count; i++) {
    if (i && compare_names(&list[names->name_count - 1], &list[i]) == 0)
      continue;
    list[names->name_count++] = list[i];
    names->unique = names->unique || is_unique(&list[i]);
  }
}

static int compare_contexts(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  return sampled_compare(*a, *b);
}

static const char *sort_contexts(struct binary_names *names,
                                 const struct sampled *profile) {
  names->contexts =
      calloc(profile->function_count, sizeof(struct sampled_function *));
  if (!names->contexts)
    return "not enough memory; free some";
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    names->contexts[names->context_count++] = function;
  qsort(names->contexts, names->context_count,
        sizeof(struct sampled_function *), compare_contexts);
  return NULL;
}

const char *binary_names_gather(struct binary_names *names,
                                const struct sampled *profile) {
  const char *error = NULL;
  *names = (struct binary_names){.names = {.limit = (size_t)1 << 31}};
  for (const struct sampled_function *function = profile->functions;
       function && !error; function = function->next)
    error = gather(names, function);
  settle(names);
  if (!error && profile->functions && profile->functions->context)
    error = sort_contexts(names, profile);
  return error;
}

void binary_names_free(struct binary_names *names) {
  buffer_free(&names->names);
  free(names->contexts);
  names->contexts = NULL;
}

size_t binary_name(const struct binary_names *names, const char *at,
                   size_t size) {
  const struct binary_name wanted = {at, size}, *found;
  const struct binary_name *list = (const void *)names->names.data;
  found =
      bsearch(&wanted, list, names->name_count, sizeof *list, compare_names);
  return found ? (size_t)(found - list) : 0;
}

size_t binary_function(const struct binary_names *names,
                       const struct sampled_function *function) {
  if (!names->contexts)
    return binary_name(names, function->name, strlen(function->name));
  const struct sampled_function **found =
      bsearch(&function, names->contexts, names->context_count, sizeof *found,
              compare_contexts);
  return found ? (size_t)(found - names->contexts) : 0;
}
