/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Renames files in the names of static functions, and renames the functions of
 * a profile. */
#include "profile_merge.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "../object/names.h"

/* ==== Renames files. The number N of -funique-internal-linkage-names is the
 * MD5 of the file's name, so the number can be changed if the file's name is
 * known. */

enum { DIGITS_ROOM = 40 }; /* 2^128 has 39 digits */

struct file_md5_digits {
  char from[DIGITS_ROOM], to[DIGITS_ROOM];
};

/* ---- files ---- */

/* Returns the part of a file's name after FROM, or NULL if the name does not
 * begin with FROM. */
static const char *match_rename_rule(const char *file, size_t size,
                                     const char *rule) {
  size_t from = strcspn(rule, "=");
  if (from > size || memcmp(file, rule, from) != 0)
    return NULL;
  /* A folder without a file is not the name of a file. */
  bool folder = rule[from - 1] == '/' && from < size;
  return folder || from == size ? file + from : NULL;
}

static void append_renamed_file(const struct file_renames *renames,
                                const char *file, size_t size,
                                struct buffer *out) {
  const char *rest = NULL;
  for (size_t i = 0; i < renames->count && !rest; i++) {
    const char *to = strchr(renames->list[i], '=') + 1;
    rest = match_rename_rule(file, size, renames->list[i]);
    if (rest)
      need_append(out, to, strlen(to));
  }
  rest = rest ? rest : file;
  need_append(out, rest, (size_t)(file + size - rest));
}

/* ---- numbers ---- */

/* Formats the MD5 of a file's name as one decimal number, as clang does. */
static void format_md5_digits(char digits[DIGITS_ROOM], const void *file,
                              size_t size) {
  unsigned char sum[16];
  char text[DIGITS_ROOM] = "";
  size_t at = sizeof text - 1;
  bool more = true;
  md5(sum, file, size);
  while (more) {
    unsigned rest = 0;
    more = false;
    for (size_t i = 0; i < sizeof sum; i++) {
      rest = rest << 8 | sum[i];
      sum[i] = (unsigned char)(rest / 10);
      rest %= 10;
      more = more || sum[i];
    }
    text[--at] = (char)('0' + rest);
  }
  memcpy(digits, text + at, sizeof text - at);
}

/* Computes the numbers for a file's old name and for its new name. */
static struct file_md5_digits
compute_md5_digits(const struct file_renames *renames, const char *file,
                   size_t size) {
  struct file_md5_digits number;
  struct buffer name = {.limit = SIZE_MAX / 2};
  append_renamed_file(renames, file, size, &name);
  format_md5_digits(number.from, file, size);
  format_md5_digits(number.to, name.data, name.size);
  buffer_free(&name);
  return number;
}

static void add_file_md5_digits(struct file_renames *renames, const char *file,
                                size_t size) {
  const struct file_md5_digits number = compute_md5_digits(renames, file, size);
  if (strcmp(number.from, number.to) != 0)
    LIST_ADD(renames->numbers, renames->number_count, number);
}

static bool equals_number(const char *number, struct bytes digits) {
  return strlen(number) == digits.size &&
         memcmp(number, digits.data, digits.size) == 0;
}

/* Appends the number of the file's new name, or `digits` if no known file has
 * this number. */
static void append_renamed_number(const struct file_renames *renames,
                                  struct bytes digits, struct bytes file,
                                  struct buffer *to) {
  const struct file_md5_digits own =
      compute_md5_digits(renames, (const char *)file.data, file.size);
  const char *found = equals_number(own.from, digits) ? own.to : NULL;
  for (size_t i = 0; i < renames->number_count && !found; i++)
    if (equals_number(renames->numbers[i].from, digits))
      found = renames->numbers[i].to;
  if (found)
    need_append(to, found, strlen(found));
  else
    need_append(to, digits.data, digits.size);
}

/* ---- names ---- */

void renames_append_name(struct file_renames *renames, struct bytes name,
                         size_t file_size, struct buffer *to) {
  size_t begin = to->size;
  const struct bytes file = {name.data, file_size};
  struct bytes rest = {name.data + file_size, name.size - file_size};
  struct bytes digits = names_uniq_digits(rest);
  append_renamed_file(renames, (const char *)file.data, file.size, to);
  if (digits.size) {
    need_append(to, rest.data, (size_t)(digits.data - rest.data));
    append_renamed_number(renames, digits, file, to);
    rest.data = digits.data + digits.size;
    rest.size = (size_t)(name.data + name.size - rest.data);
  }
  need_append(to, rest.data, rest.size);
  if (compare_bytes(to->data + begin, to->size - begin, name.data, name.size) !=
      0)
    renames->used = true;
}

void renames_warn_unused(const struct file_renames *renames, const char *file) {
  if (renames->count && !renames->used)
    warn(file, "--rename matched no name; write FROM as the path that the "
               "compiler got");
}

const char *renames_add_rule(void *context, const char *rule) {
  struct file_renames *renames = context;
  const char *equal = strchr(rule, '=');
  if (!equal || equal == rule || (!equal[1] && equal[-1] != '/'))
    return "expected FROM=TO after --rename, two files or two folders; write / "
           "at the end of a folder";
  if (renames->count == RENAMES_MOST)
    return "too many --rename";
  renames->list[renames->count++] = rule;
  add_file_md5_digits(renames, rule, (size_t)(equal - rule));
  return NULL;
}

void renames_add_sources(struct file_renames *renames,
                         const struct dwarf *dwarf) {
  for (size_t i = 0; renames->count && i < dwarf->unit_count; i++) {
    const char *file = dwarf_unit_source(dwarf, i);
    add_file_md5_digits(renames, file, strlen(file));
  }
}

void renames_free(struct file_renames *renames) { free(renames->numbers); }

/* ==== Renames functions. Builds a second profile from the first, name by name,
 * because the addition merges functions that get the same name. The profile is
 * replaced only if a name changes. */

struct renamed_reference {
  uint64_t from, to; /* references to the old name and to the new name */
};

struct name_translator {
  struct profile *from, to;
  char old, new;                     /* the separators; 0: keep separators */
  struct file_renames *renames;      /* the rules, or NULL */
  struct renamed_reference *renamed; /* the renamed functions, sorted by
                                        `from` */
  size_t renamed_count;
  struct buffer name;
  const struct addition_handler *events;
};

/* Finds the last separator in a name. Names of Objective-C methods, `-[Class
 * first:second:]`, contain colons, and names of files may, too: `C:\file.c`. */
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

/* Returns a pointer to the end of the file's name in a local name, or NULL. */
static const char *find_file_name_end(const struct name_translator *translation,
                                      const char *name, size_t size) {
  if (!translation->renames)
    return translate_find_separator(name, size, translation->old);
  const char *end = translation->from->flags & PROFILE_IR
                        ? translate_find_separator(name, size, ';')
                        : NULL;
  return end ? end : translate_find_separator(name, size, ':');
}

/* Sets *name to the new name, which is in translation->name. Leaves *name
 * unchanged if the name does not change. */
static void translate_name(struct name_translator *translation,
                           const char **name, size_t *size) {
  const struct bytes old = {(const unsigned char *)*name, *size};
  const char *at = find_file_name_end(translation, *name, *size);
  size_t file_size = at ? (size_t)(at - *name) : 0;
  struct buffer *text = &translation->name;
  text->size = 0;
  if (!at && !translation->renames)
    return;
  if (translation->renames)
    renames_append_name(translation->renames, old, file_size, text);
  else
    need_append(text, *name, *size);
  if (translation->new)
    text->data[file_size] = (unsigned char)translation->new;
  if (text->size == *size && memcmp(text->data, *name, *size) == 0)
    return;
  *name = (const char *)text->data;
  *size = text->size;
}

/* ---- references ---- */

ORDER_BY(compare_renamed, struct renamed_reference, x->from);

static uint64_t translate_reference(const struct name_translator *translation,
                                    uint64_t reference) {
  const struct renamed_reference wanted = {reference, 0};
  const struct renamed_reference *found =
      bsearch(&wanted, translation->renamed, translation->renamed_count,
              sizeof wanted, compare_renamed);
  return found ? found->to : reference;
}

/* Adds up the counts of values that now mean the same function. */
static void merge_equal_values(struct value_site *site) {
  uint32_t kept = 0;
  bool cut;
  site_sort_values(site);
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
static void translate_values(const struct name_translator *translation,
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

/* Stores the old and the new reference of a name that changes. */
static void collect_renamed_name(struct name_translator *translation,
                                 const char *name, size_t size) {
  const char *renamed = name;
  size_t renamed_size = size;
  translate_name(translation, &renamed, &renamed_size);
  if (renamed != name)
    LIST_ADD(translation->renamed, translation->renamed_count,
             (struct renamed_reference){md5_low64(name, size),
                                        md5_low64(renamed, renamed_size)});
}

static void collect_renamed_names(struct name_translator *translation) {
  const struct profile *from = translation->from;
  const char *const *vtables = (const void *)from->vtables.data;
  bool may = translation->old == ':' ? from->has_colons : from->has_semicolons;
  may = may || translation->renames;
  for (size_t i = 0; may && i < from->function_count; i++)
    collect_renamed_name(translation, from->arrived[i]->name,
                         from->arrived[i]->name_size);
  for (size_t i = 0; i < from->vtables.size / sizeof *vtables; i++)
    collect_renamed_name(translation, vtables[i], strlen(vtables[i]));
  sort_array(translation->renamed, translation->renamed_count,
             sizeof *translation->renamed, compare_renamed);
}

static void add_renamed_counts(struct name_translator *translation,
                               const struct function_entry *function,
                               const struct record_counts *counts) {
  struct profile *to = &translation->to;
  struct counts_addition addition = profile_make_addition(function, counts);
  struct record_counts *there = NULL;
  translate_name(translation, &addition.name, &addition.name_size);
  translate_values(translation, counts);
  to->source = counts->source;
  enum addition_result result = profile_add_counts(to, &addition, &there);
  if (result == REFUSED_MEMORY)
    need_memory(NULL);
  there->merged += counts->merged;
  profile_report_event(translation->events, result, there, &addition);
}

/* Adds all parts of the old profile except functions. The hashes of traces
 * change with the references. */
static void translate_nonfunction_parts(struct name_translator *translation) {
  struct profile *from = translation->from, *to = &translation->to;
  const char *const *vtables = (const void *)from->vtables.data;
  bool added = true;
  for (size_t i = 0; i < from->vtables.size / sizeof *vtables; i++) {
    const char *name = vtables[i];
    size_t size = strlen(name);
    translate_name(translation, &name, &size);
    added = added && profile_add_vtable(to, name, size);
  }
  added = added && profile_add_ids_and_memprof(to, from);
  for (size_t i = 0; i < from->trace_count; i++) {
    struct temporal_trace *trace = &from->traces[i];
    for (size_t j = 0; j < trace->count; j++)
      trace->functions[j] =
          translate_reference(translation, trace->functions[j]);
    added = added && profile_add_trace(to, trace);
  }
  if (!added)
    need_memory(NULL);
  if (from->run_count > from->trace_count)
    profile_add_runs_limit_traces(to, from->run_count - from->trace_count);
}

/* Replaces the profile if a name changes. The caller has set names and events
 * in *translation. */
static void translate_profile_names(struct name_translator *translation,
                                    struct profile *profile) {
  translation->from = profile;
  translation->name.limit = SIZE_MAX / 2;
  collect_renamed_names(translation);
  if (translation->renamed_count) {
    struct function_entry **list = profile_list_sorted_functions(profile);
    profile_init(&translation->to, profile->arena.limit);
    translation->to.flags = profile->flags;
    translation->to.bitmaps = profile->bitmaps;
    for (size_t i = 0; i < profile->function_count; i++)
      for (const struct record_counts *counts = list[i]->counts; counts;
           counts = counts->next)
        add_renamed_counts(translation, list[i], counts);
    translate_nonfunction_parts(translation);
    free(list);
    translation->to.source = profile->source;
    profile_free(profile);
    *profile = translation->to;
  }
  free(translation->renamed);
  buffer_free(&translation->name);
}

void translate_name_separators(struct profile *profile, char separator,
                               const struct addition_handler *events) {
  struct name_translator translation = {
      .old = separator == ';' ? ':' : ';', .new = separator, .events = events};
  if (profile->flags & PROFILE_IR)
    translate_profile_names(&translation, profile);
}

void translate_file_names(struct profile *profile, struct file_renames *renames,
                          const struct addition_handler *events) {
  struct name_translator translation = {.renames = renames, .events = events};
  if (renames->count)
    translate_profile_names(&translation, profile);
}
