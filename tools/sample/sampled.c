/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fills a sample profile (sampled.h), finishes it, writes it as text, renames
 * files in it, and merges cold contexts.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/text.h"
#include "../object/digest.h"
#include "../profile/profile_merge.h"
#include "sampled.h"

enum { ENTRIES_MOST = 1 << 26 };

void sampled_begin(struct sampled_profile *profile) {
  *profile = (struct sampled_profile){.arena = {.limit = (size_t)4 << 30},
                                      .names = {.limit = ENTRIES_MOST},
                                      .places = {.limit = ENTRIES_MOST}};
}

void sampled_free(struct sampled_profile *profile) {
  arena_free(&profile->arena);
  map_free(&profile->names);
  map_free(&profile->places);
}

/* ---- adding ---- */

/* Finds or makes an element of `within`. The element has `size` bytes, and is a
 * line if name is NULL, otherwise an inlined function or a call target. *is_new
 * becomes true if the element was made. */
static void *find_or_make_element(struct sampled_profile *profile,
                                    const void *within,
                                    struct sampled_site site, const char *name,
                                    size_t size, bool *is_new) {
  uint64_t *found = need_memory(
      map_find_or_add(&profile->places, (uint64_t)(uintptr_t)within,
                      (uint64_t)site.line << 32 | site.discriminator,
                      name ? md5_low64(name, strlen(name)) | 1 : 0));
  *is_new = !*found;
  if (*is_new)
    *found =
        (uint64_t)(uintptr_t)need_memory(arena_allocate(&profile->arena, size));
  return (void *)(uintptr_t)*found;
}

struct sampled_function *
sampled_find_or_make_function(struct sampled_profile *profile,
                              const char *context, const char *name) {
  uint64_t *found = need_memory(map_find_or_add(
      &profile->names, md5_low64(name, strlen(name)),
      context ? md5_low64(context, strlen(context)) : 0, context ? 1 : 0));
  if (*found)
    return (void *)(uintptr_t)*found;
  struct sampled_function *made =
      need_memory(arena_allocate(&profile->arena, sizeof *made));
  *found = (uint64_t)(uintptr_t)made;
  made->name = name;
  made->context = context ? need_copy(&profile->arena, context) : NULL;
  made->next = profile->functions;
  profile->functions = made;
  profile->function_count++;
  return made;
}

struct sampled_function *
sampled_find_or_make_inlined(struct sampled_profile *profile,
                             struct sampled_function *into,
                             struct sampled_site site, const char *name) {
  bool is_new;
  struct sampled_function *made =
      find_or_make_element(profile, into, site, name, sizeof *made, &is_new);
  if (!is_new)
    return made;
  made->name = name;
  made->site = site;
  made->next = into->inlined;
  into->inlined = made;
  into->inlined_count++;
  return made;
}

static void prepend_line(struct sampled_function *function,
                         struct sampled_line *line, struct sampled_site site) {
  line->site = site;
  line->next = function->lines;
  function->lines = line;
  function->line_count++;
}

struct sampled_line *
sampled_find_or_make_line(struct sampled_profile *profile,
                          struct sampled_function *function,
                          struct sampled_site site) {
  bool is_new;
  struct sampled_line *made = find_or_make_element(
      profile, function, site, NULL, sizeof *made, &is_new);
  if (is_new)
    prepend_line(function, made, site);
  return made;
}

void sampled_add_line(struct sampled_profile *profile,
                      struct sampled_function *function,
                      struct sampled_site site, double weight) {
  struct sampled_line *made =
      need_memory(arena_allocate(&profile->arena, sizeof *made));
  prepend_line(function, made, site);
  made->weight = weight;
}

void sampled_add_target(struct sampled_profile *profile,
                        struct sampled_line *line, const char *name,
                        double weight) {
  bool is_new;
  struct sampled_target *made = find_or_make_element(
      profile, line, (struct sampled_site){0, 0}, name, sizeof *made, &is_new);
  made->weight += weight;
  if (!is_new)
    return;
  made->name = name;
  made->next = line->targets;
  line->targets = made;
  line->target_count++;
}

/* ==== Reads the frames of a context. A context stays text, and is only parsed
 * when its frames are needed. */

/* Reads a context frame by frame: "main:3", "foo:2.1", and at the end the
 * function itself.
 *
 *     struct context_frame_cursor frame;
 *     for (begin_context_frames(&frame, function); parse_next_frame(&frame);)
 *       ... frame.name, frame.size, frame.site ...
 */
struct context_frame_cursor {
  const char *name; /* the name, `size` bytes without a zero at the end */
  size_t size;
  struct sampled_site site; /* site of the call; {0, 0} for the function
                               itself */
  const struct sampled_function *function; /* NULL if no frames are left */
  const char *rest;                        /* the unread rest of the context */
};

static void begin_context_frames(struct context_frame_cursor *frame,
                                 const struct sampled_function *function) {
  *frame = (struct context_frame_cursor){.function = function,
                                         .rest = function->context};
}

/* Does not check the number, because the tool itself has made the context. */
static uint32_t read_digits(const char **at, const char *end) {
  uint32_t value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
    value = value * 10 + (uint32_t)(**at - '0');
  return value;
}

/* Parses NAME:LINE[.DISCRIMINATOR], which ends at `end`. */
static void parse_context_frame(struct context_frame_cursor *frame,
                                const char *at, const char *end) {
  const char *colon = end;
  while (colon > at && *colon != ':')
    colon--;
  frame->name = at;
  frame->size = (size_t)((colon > at ? colon : end) - at);
  if (colon++ == at)
    return;
  frame->site.line = read_digits(&colon, end);
  if (colon < end && *colon++ == '.')
    frame->site.discriminator = read_digits(&colon, end);
}

/* Moves to the next frame. Returns false if no frames are left. */
static bool parse_next_frame(struct context_frame_cursor *frame) {
  const char *at = frame->rest;
  frame->site = (struct sampled_site){0, 0};
  if (!frame->function)
    return false;
  if (at && *at) {
    const char *end = strstr(at, " @ ");
    frame->rest = end ? end + 3 : NULL;
    parse_context_frame(frame, at, end ? end : at + strlen(at));
    return true;
  }
  frame->name = frame->function->name;
  frame->size = strlen(frame->name);
  frame->function = NULL;
  return true;
}

static int compare_sites(struct sampled_site a, struct sampled_site b) {
  if (a.line != b.line)
    return a.line < b.line ? -1 : 1;
  return a.discriminator < b.discriminator ? -1
                                           : a.discriminator > b.discriminator;
}

static int compare_frames(const struct context_frame_cursor *a,
                          const struct context_frame_cursor *b) {
  size_t size = a->size < b->size ? a->size : b->size;
  int order = memcmp(a->name, b->name, size);
  if (order)
    return order;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return compare_sites(a->site, b->site);
}

/* Compares contexts in the order of LLVM. The first frame that differs decides:
 * first its name, then its site. A context comes before longer contexts that
 * begin with it. Functions without contexts are ordered by name. */
static int compare_contexts(const struct sampled_function *a,
                            const struct sampled_function *b) {
  struct context_frame_cursor of_a, of_b;
  begin_context_frames(&of_a, a);
  begin_context_frames(&of_b, b);
  for (;;) {
    bool more_a = parse_next_frame(&of_a), more_b = parse_next_frame(&of_b);
    if (!more_a || !more_b)
      return more_a - more_b;
    int order = compare_frames(&of_a, &of_b);
    if (order)
      return order;
  }
}

/* ---- sorting ---- */

static int compare_lines(const void *left, const void *right) {
  const struct sampled_line *const *a = left, *const *b = right;
  return compare_sites((*a)->site, (*b)->site);
}

static int compare_inlined_functions(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  int order = compare_sites((*a)->site, (*b)->site);
  return order ? order : strcmp((*a)->name, (*b)->name);
}

static int compare_targets(const void *left, const void *right) {
  const struct sampled_target *const *a = left, *const *b = right;
  if ((*a)->count != (*b)->count)
    return (*a)->count > (*b)->count ? -1 : 1;
  return strcmp((*a)->name, (*b)->name);
}

static int compare_totals(const void *left, const void *right) {
  const struct sampled_function *const *a = left, *const *b = right;
  if ((*a)->total != (*b)->total)
    return (*a)->total > (*b)->total ? -1 : 1;
  return compare_contexts(*a, *b);
}

/* Sorts a linked list. `next` is the offset of the link in an element. */
static void sort_linked_list(void **first, size_t count, size_t next,
                             int (*compare)(const void *, const void *)) {
  void **all = need_memory(malloc((count + 1) * sizeof *all));
  size_t at = 0;
  for (char *one = *first; one && at < count; at++) {
    all[at] = one;
    memcpy(&one, one + next, sizeof one);
  }
  all[at] = NULL;
  /* New elements come first, so a list that grew in order is reversed. */
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
}

#define SORT(first, count, type, compare)                                 \
  sort_linked_list((void **)&(first), count, offsetof(struct type, next), \
                   compare)

/* ---- finishing ---- */

static uint64_t round_count(double weight, double scale) {
  double value = weight * scale + 0.5;
  return value < 0 ? 0 : value > 9e18 ? (uint64_t)9e18 : (uint64_t)value;
}

static void append_targets(struct sampled_line *to, struct sampled_line *from) {
  struct sampled_target **end = &to->targets;
  while (*end)
    end = &(*end)->next;
  *end = from->targets;
  to->target_count += from->target_count;
}

/* Joins the lines of one site, which are neighbours after the sort. Only the
 * line of sampled_find_or_make_line has targets, so no target occurs twice. */
static void join_equal_lines(struct sampled_function *function) {
  struct sampled_line *line = function->lines, *next;
  while (line && (next = line->next)) {
    if (compare_sites(line->site, next->site)) {
      line = next;
      continue;
    }
    line->weight += next->weight;
    line->next = next->next;
    append_targets(line, next);
    function->line_count--;
  }
}

static void sort_and_round_lines(struct sampled_function *function,
                                 double scale) {
  SORT(function->lines, function->line_count, sampled_line, compare_lines);
  join_equal_lines(function);
  for (struct sampled_line *line = function->lines; line; line = line->next) {
    line->count = round_count(line->weight, scale);
    function->total += line->count;
    for (struct sampled_target *to = line->targets; to; to = to->next)
      to->count = round_count(to->weight, scale);
    if (line->targets)
      SORT(line->targets, line->target_count, sampled_target, compare_targets);
  }
}

/* Finishes a function. Recurses as deep as functions are inlined, at most
 * PROBE_DEPTH_MOST. */
static void round_and_sort_function(struct sampled_function *function,
                                    double scale) {
  function->total = 0;
  function->head_count = round_count(function->head, scale);
  sort_and_round_lines(function, scale);
  SORT(function->inlined, function->inlined_count, sampled_function,
       compare_inlined_functions);
  for (struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    round_and_sort_function(inlined, scale);
    function->total += inlined->total;
  }
  if (function->spanned)
    function->total = round_count(function->span, scale);
}

void sampled_scale_and_sort(struct sampled_profile *profile, double scale) {
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    round_and_sort_function(function, scale);
  SORT(profile->functions, profile->function_count, sampled_function,
       compare_totals);
}

/* ==== Writes a profile as text. Each level of inlining is indented by one
 * blank. */

static void print_sampled_site(struct text_stream *to, unsigned depth,
                               struct sampled_site site) {
  text_put_blanks(to, depth);
  text_put_decimal(to, site.line, 0);
  if (site.discriminator) {
    text_put_char(to, '.');
    text_put_decimal(to, site.discriminator, 0);
  }
  text_put_string(to, ": ");
}

/* Writes a name, a colon and a count. */
static void print_name_and_count(struct text_stream *to, const char *name,
                                 uint64_t count) {
  text_put_printable_name(to, bytes_of_text(name));
  text_put_char(to, ':');
  text_put_decimal(to, count, 0);
}

static void print_sampled_line(struct text_stream *to,
                               const struct sampled_line *line,
                               unsigned depth) {
  print_sampled_site(to, depth, line->site);
  text_put_decimal(to, line->count, 0);
  for (const struct sampled_target *at = line->targets; at; at = at->next) {
    text_put_char(to, ' ');
    print_name_and_count(to, at->name, at->count);
  }
  text_put_char(to, '\n');
}

static void print_function_metadata(struct text_stream *to,
                                    const struct sampled_function *function,
                                    unsigned depth) {
  if (function->hashed) {
    text_put_blanks(to, depth);
    text_put_number_line(to, "!CFGChecksum: ", function->hash);
  }
  if (function->attributes) {
    text_put_blanks(to, depth);
    text_put_number_line(to, "!Attributes: ", function->attributes);
  }
}

/* Writes the lines of a function. Recurses as deep as functions are inlined, at
 * most PROBE_DEPTH_MOST. */
static void print_function_body(struct text_stream *to,
                                const struct sampled_function *function,
                                unsigned depth) {
  for (const struct sampled_line *line = function->lines; line;
       line = line->next)
    print_sampled_line(to, line, depth);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    print_sampled_site(to, depth, inlined->site);
    print_name_and_count(to, inlined->name, inlined->total);
    text_put_char(to, '\n');
    print_function_body(to, inlined, depth + 1);
  }
  print_function_metadata(to, function, depth);
}

/* Writes [CONTEXT @ NAME]:TOTAL, or NAME:TOTAL without a context. */
static void print_function_head(struct text_stream *to,
                                const struct sampled_function *function) {
  if (function->context) {
    text_put_char(to, '[');
    text_put_printable_name(to, bytes_of_text(function->context));
    text_put_string(to, *function->context ? " @ " : "");
  }
  text_put_printable_name(to, bytes_of_text(function->name));
  print_name_and_count(to, function->context ? "]" : "", function->total);
}

void sampled_print_text(FILE *stream, const struct sampled_profile *profile) {
  struct text_stream text;
  text_begin(&text, stream);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    print_function_head(&text, function);
    text_put_number_line(&text, ":", function->head_count);
    print_function_body(&text, function, 1);
  }
  text_flush(&text);
}

/* ==== Copies functions to another profile, with new names of files. */

struct sampled_profile_copier {
  struct sampled_profile *to;
  struct file_renames *renames; /* rules for the names of files; NULL: keep the
                                   names */
  struct buffer text;           /* memory for a name; has a limit if there are
                                   renames */
};

/* ---- names ---- */

/* Appends the new name of a function. The name of a local function begins with
 * its file's name, which is replaced with the file's new name. */
static void append_renamed_function(struct sampled_profile_copier *copy,
                                    const char *name, size_t size) {
  const struct bytes whole = {(const unsigned char *)name, size};
  const char *end = translate_find_separator(name, size, ';');
  end = end ? end : translate_find_separator(name, size, ':');
  renames_append_name(copy->renames, whole, end ? (size_t)(end - name) : 0,
                      &copy->text);
}

/* Returns a copy of copy->text, which the new profile owns. */
static const char *copy_renamed_text(struct sampled_profile_copier *copy) {
  return need_memory(
      arena_copy(&copy->to->arena, copy->text.data, copy->text.size));
}

static const char *make_new_function_name(struct sampled_profile_copier *copy,
                                          const char *name) {
  copy->text.size = 0;
  if (!copy->renames)
    return name;
  append_renamed_function(copy, name, strlen(name));
  return copy_renamed_text(copy);
}

/* Returns a context with its functions' new names. context may be NULL. */
static const char *make_new_context(struct sampled_profile_copier *copy,
                                    const char *context) {
  const struct sampled_function last = {.name = "", .context = context};
  const char *from = context;
  struct context_frame_cursor frame;
  copy->text.size = 0;
  if (!copy->renames || !context)
    return context;
  for (begin_context_frames(&frame, &last);
       parse_next_frame(&frame) && frame.function;) {
    need_append(&copy->text, from, (size_t)(frame.name - from));
    append_renamed_function(copy, frame.name, frame.size);
    from = frame.name + frame.size;
  }
  need_append(&copy->text, from, strlen(from));
  return copy_renamed_text(copy);
}

/* ---- functions ---- */

static void copy_sampled_line(struct sampled_profile_copier *copy,
                              struct sampled_function *function,
                              const struct sampled_line *from) {
  struct sampled_line *line =
      sampled_find_or_make_line(copy->to, function, from->site);
  line->weight += (double)from->count;
  for (const struct sampled_target *target = from->targets; target;
       target = target->next)
    sampled_add_target(copy->to, line,
                       make_new_function_name(copy, target->name),
                       (double)target->count);
}

/* Adds the contents of `from` to a function. Recurses as deep as functions are
 * inlined, at most PROBE_DEPTH_MOST. */
static void add_function_contents(struct sampled_profile_copier *copy,
                                  struct sampled_function *function,
                                  const struct sampled_function *from) {
  function->hash = from->hash;
  function->hashed = from->hashed;
  function->head += (double)from->head_count;
  function->span += (double)from->total;
  function->spanned = true;
  for (const struct sampled_line *line = from->lines; line; line = line->next)
    copy_sampled_line(copy, function, line);
  for (const struct sampled_function *inlined = from->inlined; inlined;
       inlined = inlined->next) {
    struct sampled_function *into = sampled_find_or_make_inlined(
        copy->to, function, inlined->site,
        make_new_function_name(copy, inlined->name));
    into->attributes = inlined->attributes;
    add_function_contents(copy, into, inlined);
  }
}

/* Adds a function of a finished profile, with all functions that were inlined
 * into it, to the function of the same name in `context`. Returns this
 * function. Does not copy attributes. */
static struct sampled_function *
copy_function(struct sampled_profile_copier *copy,
              const struct sampled_function *from, const char *context) {
  const char *name = make_new_function_name(copy, from->name);
  struct sampled_function *made = sampled_find_or_make_function(
      copy->to, make_new_context(copy, context), name);
  add_function_contents(copy, made, from);
  return made;
}

/* ---- the profile ---- */

void sampled_rename_files(struct sampled_profile *profile,
                          struct file_renames *renames) {
  struct sampled_profile to;
  struct sampled_profile_copier copy = {&to, renames, {.limit = SIZE_MAX / 2}};
  if (!renames->count)
    return;
  sampled_begin(&to);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    copy_function(&copy, function, function->context)->attributes =
        function->attributes;
  sampled_scale_and_sort(&to, 1);
  buffer_free(&copy.text);
  sampled_free(profile);
  *profile = to;
}

/* ==== Merges and trims cold contexts as llvm-profgen does. */

/* ---- the threshold ---- */

ORDER_BY(compare_falling, uint64_t, ~*x);

static size_t count_lines(const struct sampled_profile *profile) {
  size_t sum = 0;
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next)
    sum += function->line_count;
  return sum;
}

/* Returns the total below which a context is cold. As in llvm-profgen, this is
 * LLVM's threshold of hot counts: if contexts are ignored, counts of at least
 * this number add up to 99 % of all counts. `profile` must be finished. */
static uint64_t compute_cold_threshold(const struct sampled_profile *profile) {
  const struct cold_context_settings all = {
      .has_below = true, .merge = true, .below = UINT64_MAX, .depth = 1};
  struct sampled_profile together;
  double sum = 0, so_far = 0;
  size_t count = 0;
  uint64_t below = 0;
  sampled_begin(&together);
  sampled_merge_cold_contexts(&together, profile, &all);
  uint64_t *counts =
      need_memory(calloc(count_lines(&together) + 1, sizeof *counts));
  for (struct sampled_function *function = together.functions; function;
       function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      counts[count++] = line->count;
      sum += (double)line->count;
    }
  qsort(counts, count, sizeof *counts, compare_falling);
  for (size_t i = 0; i < count && so_far < 0.99 * sum; i++) {
    so_far += (double)counts[i];
    below = counts[i];
  }
  free(counts);
  sampled_free(&together);
  return below;
}

/* ---- merging ---- */

/* Returns the text of the last depth - 1 frames of a context. The frame of the
 * function itself, which also counts, is not in the text. */
static const char *skip_to_last_frames(const char *context, unsigned depth) {
  const char *at = context + strlen(context);
  if (depth <= 1)
    return at;
  for (unsigned left = depth - 1; at > context; at--)
    if (strncmp(at, " @ ", 3) == 0 && --left == 0)
      return at + 3;
  return context;
}

/* Removes functions whose total is below the limit after merging. */
static void remove_cold_functions(struct sampled_profile *profile,
                                  uint64_t below) {
  struct sampled_function **at = &profile->functions;
  while (*at)
    if ((*at)->total < below) {
      *at = (*at)->next;
      profile->function_count--;
    } else {
      at = &(*at)->next;
    }
}

void sampled_merge_cold_contexts(struct sampled_profile *to,
                                 const struct sampled_profile *from,
                                 const struct cold_context_settings *settings) {
  const uint64_t below =
      settings->has_below ? settings->below : compute_cold_threshold(from);
  struct sampled_profile_copier copy = {.to = to};
  for (const struct sampled_function *function = from->functions; function;
       function = function->next) {
    bool cold = settings->merge && function->context && function->total < below;
    struct sampled_function *made = copy_function(
        &copy, function,
        cold ? skip_to_last_frames(function->context, settings->depth)
             : function->context);
    /* The merged contexts may differ, because only some were inlined. */
    if (!cold)
      made->attributes = function->attributes;
  }
  sampled_scale_and_sort(to, 1);
  if (settings->trim)
    remove_cold_functions(to, below);
}
