/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Renames functions in a profile. Builds a second profile from the first, name
 * by name, since adding merges functions that become the same. Does so only if
 * a name changes.
 */
#include "profile_merge.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"

struct renamed_reference {
  uint64_t from, to; /* references */
};

struct name_translation {
  struct profile *from, to;
  char old, new;           /* 0: keep separators */
  struct file_renames *renames; /* or NULL */
  struct buffer renamed;        /* struct renamed_reference, sorted by from */
  struct buffer name;
  const struct addition_handler *events;
};

/* Names of Objective-C methods, `-[Class first:second:]`, contain colons, and
 * so may names of files: `C:\file.c`. */
const char *translate_find_separator(const char *name, size_t name_size,
                                     char separator) {
  const char *found = NULL;
  for (size_t i = 0; i < name_size; i++) {
    if ((name[i] == '-' || name[i] == '+') && i + 1 < name_size &&
        name[i + 1] == '[' && (i == 0 || &name[i - 1] == found))
      break;
    if (name[i] == separator)
      found = &name[i];
  }
  return found && found != name && found + 1 != name + name_size ? found : NULL;
}

/* Returns the end of the file's name in a local name; or NULL. */
static const char *find_file_end(const struct name_translation *translation,
                                 const char *name, size_t size) {
  if (!translation->renames)
    return translate_find_separator(name, size, translation->old);
  const char *end = translation->from->flags & PROFILE_IR
                        ? translate_find_separator(name, size, ';')
                        : NULL;
  return end ? end : translate_find_separator(name, size, ':');
}

/* Sets *name to the new name, in translation->name; or leaves it unchanged. */
static const char *translate_name(struct name_translation *translation,
                                  const char **name, size_t *size) {
  const struct bytes old = {(const unsigned char *)*name, *size};
  const char *at = find_file_end(translation, *name, *size);
  size_t file_size = at ? (size_t)(at - *name) : 0;
  struct buffer *text = &translation->name;
  text->size = 0;
  if (!at && !translation->renames)
    return NULL;
  const char *error =
      translation->renames
          ? renames_append_name(translation->renames, old, file_size, text)
          : buffer_append_bytes(text, *name, *size);
  if (error)
    return error;
  if (translation->new)
    text->data[file_size] = (unsigned char)translation->new;
  if (text->size == *size && memcmp(text->data, *name, *size) == 0)
    return NULL;
  *name = (const char *)text->data;
  *size = text->size;
  return NULL;
}

/* ---- references ---- */

ORDER_BY(compare_renamed, struct renamed_reference, x->from);

static uint64_t translate_reference(const struct name_translation *translation,
                                    uint64_t reference) {
  const struct buffer *list = &translation->renamed;
  const struct renamed_reference wanted = {reference, 0};
  const struct renamed_reference *found =
      bsearch(&wanted, list->data, list->size / sizeof wanted, sizeof wanted,
              compare_renamed);
  return found ? found->to : reference;
}

/* Adds up values that have become the same function. */
static void merge_equal_values(struct value_site *site) {
  uint32_t kept = 0;
  bool cut;
  site_sort(site);
  for (uint32_t i = 0; i < site->count; i++) {
    struct profiled_value *last = &site->values[kept - (kept != 0)];
    if (kept && last->value && last->value == site->values[i].value)
      last->count = count_add_limited(last->count, site->values[i].count, &cut);
    else
      site->values[kept++] = site->values[i];
  }
  site->count = kept;
}

/* Updates the values in the old profile, which is not used afterwards. Merged
 * sites stay sorted. */
static void translate_values(const struct name_translation *translation,
                             const struct record_counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0;
         kind != VALUE_MEMOPS && i < counts->more->site_count[kind]; i++) {
      struct value_site *site = &counts->more->sites[kind][i];
      for (uint32_t j = 0; j < site->count; j++)
        site->values[j].value =
            translate_reference(translation, site->values[j].value);
      if (counts->merged)
        merge_equal_values(site);
    }
}
/* ---- the second profile ---- */

/* Records a name that changes. */
static const char *collect_renamed(struct name_translation *translation,
                                   const char *name, size_t size) {
  const char *renamed = name;
  size_t renamed_size = size;
  const char *error = translate_name(translation, &renamed, &renamed_size);
  if (error || renamed == name)
    return error;
  const struct renamed_reference both = {md5_low64(name, size),
                                         md5_low64(renamed, renamed_size)};
  return buffer_append_bytes(&translation->renamed, &both, sizeof both);
}

static const char *collect_names(struct name_translation *translation) {
  const struct profile *from = translation->from;
  const char *const *vtables = (const void *)from->vtables.data;
  const char *error = NULL;
  bool may = translation->old == ':' ? from->has_colons : from->has_semicolons;
  may = may || translation->renames;
  for (size_t i = 0; may && i < from->bucket_count; i++)
    for (const struct function_entry *entry = from->buckets[i]; entry && !error;
         entry = entry->next)
      error = collect_renamed(translation, entry->name, entry->name_size);
  for (size_t i = 0; i < from->vtables.size / sizeof *vtables && !error; i++) {
    error = collect_renamed(translation, vtables[i], strlen(vtables[i]));
  }
  struct buffer *renamed = &translation->renamed;
  if (renamed->size)
    qsort(renamed->data, renamed->size / sizeof(struct renamed_reference),
          sizeof(struct renamed_reference), compare_renamed);
  return error;
}

static const char *add_counts(struct name_translation *translation,
                              const struct function_entry *function,
                              const struct record_counts *counts) {
  struct profile *to = &translation->to;
  struct counts_addition addition = profile_make_addition(function, counts);
  struct record_counts *there = NULL;
  const char *error =
      translate_name(translation, &addition.name, &addition.name_size);
  if (error)
    return error;
  translate_values(translation, counts);
  to->source = counts->source;
  enum addition_result result = profile_add_counts(to, &addition, &there);
  if (result == REFUSED_MEMORY)
    return out_of_memory;
  there->merged = there->merged || counts->merged;
  profile_report_event(translation->events, result, there, &addition);
  return NULL;
}

static const char *add_functions(struct name_translation *translation,
                                 struct function_entry *const *list) {
  const char *error = NULL;
  for (size_t i = 0; i < translation->from->function_count; i++)
    for (const struct record_counts *counts = list[i]->counts; counts && !error;
         counts = counts->next) {
      error = add_counts(translation, list[i], counts);
    }
  return error;
}

/* Adds everything except functions. */
static const char *add_other_parts(struct name_translation *translation) {
  struct profile *from = translation->from, *to = &translation->to;
  const char *const *vtables = (const void *)from->vtables.data;
  const char *error = NULL;
  for (size_t i = 0; i < from->vtables.size / sizeof *vtables && !error; i++) {
    const char *name = vtables[i];
    size_t size = strlen(name);
    error = translate_name(translation, &name, &size);
    if (!error && !profile_add_vtable(to, name, size))
      error = out_of_memory;
  }
  return error || profile_add_ids_memprof(to, from) ? error : out_of_memory;
}

/* The hashes of traces change with the references. */
static const char *translate_traces(struct name_translation *translation) {
  struct profile *from = translation->from, *to = &translation->to;
  for (size_t i = 0; i < from->trace_count; i++) {
    struct temporal_trace *trace = &from->traces[i];
    for (size_t j = 0; j < trace->count; j++)
      trace->functions[j] =
          translate_reference(translation, trace->functions[j]);
    if (!profile_add_trace(to, trace))
      return out_of_memory;
  }
  if (from->trace_stream > from->trace_count)
    profile_add_dropped_runs(to, from->trace_stream - from->trace_count);
  return NULL;
}

static const char *translate_profile(struct name_translation *translation) {
  const char *error = collect_names(translation);
  if (error || !translation->renamed.size)
    return error;
  struct function_entry **list = profile_sorted_functions(translation->from);
  error = list ? add_functions(translation, list) : out_of_memory;
  if (!error)
    error = add_other_parts(translation);
  if (!error)
    error = translate_traces(translation);
  free(list);
  return error;
}

/* Replaces the profile. The caller has set the names and events in translation.
 */
static const char *replace_profile(struct name_translation *translation,
                                   struct profile *profile) {
  translation->from = profile;
  translation->renamed.limit = translation->name.limit = SIZE_MAX / 2;
  profile_new(&translation->to, profile->arena.limit);
  translation->to.flags = profile->flags;
  translation->to.bitmaps = profile->bitmaps;
  const char *error = translate_profile(translation);
  if (!error && translation->renamed.size) {
    uint32_t source = profile->source;
    profile_free(profile);
    *profile = translation->to;
    profile->source = source;
  } else {
    profile_free(&translation->to);
  }
  buffer_free(&translation->renamed);
  buffer_free(&translation->name);
  return error;
}

const char *translate_local_names(struct profile *profile, char separator,
                                  const struct addition_handler *events) {
  struct name_translation translation = {
      .old = separator == ';' ? ':' : ';', .new = separator, .events = events};
  return profile->flags & PROFILE_IR ? replace_profile(&translation, profile)
                                     : NULL;
}

const char *translate_file_names(struct profile *profile,
                                 struct file_renames *renames,
                                 const struct addition_handler *events) {
  struct name_translation translation = {.renames = renames, .events = events};
  return renames->count ? replace_profile(&translation, profile) : NULL;
}
