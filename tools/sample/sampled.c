/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adding to a profile, and finishing it.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "frames.h"

static const char no_memory[] = "not enough memory; free some";

enum { ENTRIES_MOST = 1 << 26 };

void sampled_begin(struct sampled *profile) {
  *profile = (struct sampled){.arena = {.limit = (size_t)4 << 30},
                              .names = {.limit = ENTRIES_MOST},
                              .places = {.limit = ENTRIES_MOST}};
}

void sampled_free(struct sampled *profile) {
  arena_free(&profile->arena);
  map_free(&profile->names);
  map_free(&profile->places);
}

/* ---- adding ---- */

/* What tells a place in a function from others there: lines have no name. */
static uint64_t *place(struct sampled *profile, const void *within,
                       struct sampled_site site, const char *name) {
  return map_at(&profile->places, (uint64_t)(uintptr_t)within,
                (uint64_t)site.line << 32 | site.discriminator,
                name ? md5_low64(name, strlen(name)) | 1 : 0);
}

/* What a place of a map refers to, made if there was nothing; NULL: out of
 * memory. */
static void *there_or_new(struct sampled *profile, uint64_t *found, size_t size,
                          bool *is_new) {
  *is_new = false;
  if (!found || *found)
    return found ? (void *)(uintptr_t)*found : NULL;
  void *made = arena_take(&profile->arena, size);
  *is_new = made != NULL;
  *found = (uint64_t)(uintptr_t)made;
  return made;
}

struct sampled_function *sampled_function(struct sampled *profile,
                                          const char *context,
                                          const char *name) {
  uint64_t *found = map_at(&profile->names, md5_low64(name, strlen(name)),
                           context ? md5_low64(context, strlen(context)) : 0,
                           context ? 1 : 0);
  bool is_new;
  struct sampled_function *made =
      there_or_new(profile, found, sizeof *made, &is_new);
  if (!is_new)
    return made;
  made->name = name;
  made->context =
      context ? arena_copy(&profile->arena, context, strlen(context)) : NULL;
  if (context && !made->context)
    return NULL;
  made->next = profile->functions;
  profile->functions = made;
  profile->function_count++;
  return made;
}

struct sampled_function *sampled_inlined(struct sampled *profile,
                                         struct sampled_function *into,
                                         struct sampled_site site,
                                         const char *name) {
  uint64_t *found = place(profile, into, site, name);
  bool is_new;
  struct sampled_function *made =
      there_or_new(profile, found, sizeof *made, &is_new);
  if (!is_new)
    return made;
  made->name = name;
  made->site = site;
  made->next = into->inlined;
  into->inlined = made;
  into->inlined_count++;
  return made;
}

struct sampled_line *sampled_line(struct sampled *profile,
                                  struct sampled_function *function,
                                  struct sampled_site site) {
  uint64_t *found = place(profile, function, site, NULL);
  bool is_new;
  struct sampled_line *made =
      there_or_new(profile, found, sizeof *made, &is_new);
  if (!is_new)
    return made;
  made->site = site;
  made->next = function->lines;
  function->lines = made;
  function->line_count++;
  return made;
}

bool sampled_add(struct sampled *profile, struct sampled_function *function,
                 struct sampled_site site, double weight) {
  struct sampled_line *made = arena_take(&profile->arena, sizeof *made);
  if (!made)
    return false;
  made->site = site;
  made->weight = weight;
  made->next = function->lines;
  function->lines = made;
  function->line_count++;
  return true;
}

struct sampled_target *sampled_target(struct sampled *profile,
                                      struct sampled_line *line,
                                      const char *name) {
  uint64_t *found = place(profile, line, (struct sampled_site){0, 0}, name);
  bool is_new;
  struct sampled_target *made =
      there_or_new(profile, found, sizeof *made, &is_new);
  if (!is_new)
    return made;
  made->name = name;
  made->next = line->targets;
  line->targets = made;
  line->target_count++;
  return made;
}

/* ---- sorting ---- */

static int by_line(const void *left, const void *right) {
  const struct sampled_line *const *a = left, *const *b = right;
  return sampled_compare_sites((*a)->site, (*b)->site);
}

static int by_inlined(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  int order = sampled_compare_sites((*a)->site, (*b)->site);
  return order ? order : strcmp((*a)->name, (*b)->name);
}

static int by_target(const void *left, const void *right) {
  const struct sampled_target *const *a = left, *const *b = right;
  if ((*a)->count != (*b)->count)
    return (*a)->count > (*b)->count ? -1 : 1;
  return strcmp((*a)->name, (*b)->name);
}

static int by_total(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  if ((*a)->total != (*b)->total)
    return (*a)->total > (*b)->total ? -1 : 1;
  return sampled_compare(*a, *b);
}

/* Sorts a list whose elements have `next` at that offset. */
static bool sort_list(void **first, size_t count, size_t next,
                      int (*compare)(const void *, const void *)) {
  void **all = malloc((count + 1) * sizeof *all);
  size_t at = 0;
  if (!all)
    return false;
  for (char *one = *first; one && at < count; at++) {
    all[at] = one;
    memcpy(&one, one + next, sizeof one);
  }
  all[at] = NULL;
  /* What was added in order is in the reverse of it. */
  size_t falling = 1;
  while (falling < at && compare(&all[falling - 1], &all[falling]) > 0)
    falling++;
  if (falling < at)
    qsort(all, at, sizeof *all, compare);
  else
    for (size_t i = 0; i < at / 2; i++) {
      void *other = all[at - 1 - i];
      all[at - 1 - i] = all[i];
      all[i] = other;
    }
  for (size_t i = 0; i < at; i++)
    memcpy((char *)all[i] + next, &all[i + 1], sizeof *all);
  *first = all[0];
  free(all);
  return true;
}

#define SORT(first, count, type, compare) \
  sort_list((void **)&(first), count, offsetof(struct type, next), compare)

/* ---- finishing ---- */

static uint64_t rounded(double weight, double scale) {
  double value = weight * scale + 0.5;
  return value < 0 ? 0 : value > 9e18 ? (uint64_t)9e18 : (uint64_t)value;
}

static void add_targets(struct sampled_line *to, struct sampled_line *from) {
  struct sampled_target **end = &to->targets;
  while (*end)
    end = &(*end)->next;
  *end = from->targets;
  to->target_count += from->target_count;
}

/* Lines of one site are neighbours. Targets are only those of sampled_line's,
 * so that none is twice. */
static void join_lines(struct sampled_function *function) {
  struct sampled_line *line = function->lines, *next;
  while (line && (next = line->next)) {
    if (sampled_compare_sites(line->site, next->site)) {
      line = next;
      continue;
    }
    line->weight += next->weight;
    line->next = next->next;
    add_targets(line, next);
    function->line_count--;
  }
}

static bool finish_lines(struct sampled_function *function, double scale) {
  if (!SORT(function->lines, function->line_count, sampled_line, by_line))
    return false;
  join_lines(function);
  for (struct sampled_line *line = function->lines; line; line = line->next) {
    line->count = rounded(line->weight, scale);
    function->total += line->count;
    for (struct sampled_target *to = line->targets; to; to = to->next)
      to->count = rounded(to->weight, scale);
    if (line->targets &&
        !SORT(line->targets, line->target_count, sampled_target, by_target))
      return false;
  }
  return true;
}

/* As deep as functions are inlined, PROBE_DEPTH_MOST. */
static bool finish_function(struct sampled_function *function, double scale) {
  function->total = 0;
  function->head_count = rounded(function->head, scale);
  if (!finish_lines(function, scale) ||
      !SORT(function->inlined, function->inlined_count, sampled_function,
            by_inlined))
    return false;
  for (struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    if (!finish_function(inlined, scale))
      return false;
    function->total += inlined->total;
  }
  if (function->spanned)
    function->total = rounded(function->span, scale);
  return true;
}

const char *sampled_finish(struct sampled *profile, double scale) {
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    if (!finish_function(function, scale))
      return no_memory;
  return SORT(profile->functions, profile->function_count, sampled_function,
              by_total)
             ? NULL
             : no_memory;
}
