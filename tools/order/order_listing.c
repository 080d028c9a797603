/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file turns the names of functions into symbols and sections for linkers,
 * and adds the traces in files as runs.
 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/os.h"
#include "../mip/mip_file.h"
#include "../mip/mip_model.h"
#include "../profile/profile_merge.h"
#include "../profile/indexed.h"

/* ---- symbols ---- */

static const char *strip_file_name(const char *name) {
  size_t size = strlen(name);
  const char *at = translate_find_separator(name, size, ';');
  if (!at)
    at = translate_find_separator(name, size, ':');
  return at ? at + 1 : name;
}

/* Returns whether a symbol can be a line of lld's list or a pattern in a linker
 * script, also if a comment contains the line. */
static bool is_listable_symbol(const char *symbol) {
  bool right = *symbol && *symbol != '#';
  for (; *symbol && right; symbol++)
    right = (unsigned char)*symbol > ' ' && *symbol != 0x7F &&
            strncmp(symbol, "*/", 2) != 0;
  return right;
}

static int compare_symbols(const void *a, const void *b) {
  const struct listed_symbol *one = a, *two = b;
  int order = strcmp(one->symbol, two->symbol);
  return order ? order : (one->place > two->place) - (one->place < two->place);
}

ORDER_BY(compare_places, struct listed_symbol, x->place);

/* ---- the image ---- */

enum { SYMBOL_FUNCTION = 2 };

/* Removes symbols that are missing in the image, and marks symbols that the
 * image has twice. */
static const char *keep_image_symbols(struct runs *runs,
                                      struct order_listing *listing,
                                      const struct elf *elf) {
  size_t count = 0, kept = 0;
  const char **names = need_memory(arena_allocate(
      &runs->arena, ((size_t)elf->symbol_count + 1) * sizeof *names));
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.section && symbol.type == SYMBOL_FUNCTION)
      names[count++] = symbol.name;
  }
  sort_array(names, count, sizeof *names, compare_texts);
  for (size_t i = 0; i < listing->count; i++) {
    struct listed_symbol *listed = &listing->list[i];
    const char **found =
        bsearch(&listed->symbol, names, count, sizeof *names, compare_texts);
    if (!found)
      continue;
    listed->ambiguous |=
        (found > names && !strcmp(found[-1], listed->symbol)) ||
        (found + 1 < names + count && !strcmp(found[1], listed->symbol));
    listing->list[kept++] = *listed;
  }
  listing->count = kept;
  return !count ? "the ELF has no function symbols; pass the ELF that ran, "
                  "unstripped"
         : kept ? NULL
                : "the ELF has none of these functions; pass the ELF of this "
                  "program";
}

/* ---- the list ---- */

/* Keeps each symbol once, at its first position. Marks the repeated ones as
 * ambiguous. */
static void merge_equal_symbols(struct order_listing *listing) {
  struct listed_symbol *list = listing->list;
  size_t kept = 0;
  qsort(list, listing->count, sizeof *list, compare_symbols);
  for (size_t i = 0; i < listing->count; i++)
    if (kept && !strcmp(list[kept - 1].symbol, list[i].symbol))
      list[kept - 1].ambiguous = true;
    else
      list[kept++] = list[i];
  listing->count = kept;
  qsort(list, kept, sizeof *list, compare_places);
}

const char *order_list_symbols(struct order_listing *listing, struct runs *runs,
                               const uint32_t *order, const struct elf *elf) {
  size_t count = runs->function_count;
  *listing = (struct order_listing){
      .list = need_memory(arena_allocate(
          &runs->arena, (count + 1) * sizeof(struct listed_symbol))),
      .runs = runs->count};
  for (uint32_t i = 0; i < count; i++) {
    const char *symbol = strip_file_name(runs->functions[order[i]].name);
    if (is_listable_symbol(symbol))
      listing->list[listing->count++] =
          (struct listed_symbol){symbol, i, false};
    else
      listing->unfit++;
  }
  merge_equal_symbols(listing);
  const char *error = elf ? keep_image_symbols(runs, listing, elf) : NULL;
  for (size_t i = 0; i < listing->count; i++)
    listing->ambiguous += listing->list[i].ambiguous;
  return error;
}

void order_print_lld(FILE *stream, const struct order_listing *listing) {
  fprintf(stream,
          "# Functions: %zu, first called first. Different runs: %zu.\n"
          "# ld.lld --symbol-ordering-file=FILE --no-warn-symbol-ordering\n"
          "# The code must be compiled with -ffunction-sections.\n",
          listing->count, listing->runs);
  for (size_t i = 0; i < listing->count; i++) {
    if (listing->list[i].ambiguous)
      fputs("# The next is the name of several functions.\n", stream);
    print_printable(stream, listing->list[i].symbol);
    fputc('\n', stream);
  }
}

/* ---- GNU ld ---- */

/* Prints a name as a pattern for a section. Wildcards and the quote become `?`,
 * because nothing else can match them. */
static void print_section_pattern(FILE *stream, const char *prefix,
                                  const char *name) {
  const char *quote = name_can_be_unquoted(name) ? "" : "\"";
  fprintf(stream, "%s%s", quote, prefix);
  for (; *name; name++)
    fputc(strchr("*?[]\\\"", *name) ? '?' : *name, stream);
  fputs(quote, stream);
}

void order_print_gnu(FILE *stream, const struct order_listing *listing) {
  static const char *const prefixes[] = {".text.", ".text.hot.",
                                         ".text.startup.", ".text.unlikely."};
  fprintf(stream,
          "/* Functions: %zu, first called first. Different runs: %zu.\n"
          " * INCLUDE this inside of the output section, before *(.text*).\n"
          " * The code must be compiled with -ffunction-sections. */\n",
          listing->count, listing->runs);
  for (size_t i = 0; i < listing->count; i++) {
    fputs("*(", stream);
    for (size_t j = 0; j < sizeof prefixes / sizeof *prefixes; j++) {
      fputs(j ? " " : "", stream);
      print_section_pattern(stream, prefixes[j], listing->list[i].symbol);
    }
    fputs(listing->list[i].ambiguous ? ") /* several functions */\n" : ")\n",
          stream);
  }
}

/* ---- traces ----
 *
 * This part reads profiles one at a time. Local names get the separator of
 * clang 18 and later, so that a function has the same name whichever release
 * compiled it.
 */

/* The state while the traces of a profile are read. */
struct trace_adder {
  struct runs *runs;
  const struct profile *profile;
  struct reference_names names;
  uint32_t *numbers; /* for each function of the profile, its number in `runs`;
                        0 if unknown */
  struct lost_traces *lost;
};

static void add_traced_call(struct trace_adder *adding, uint64_t reference) {
  const struct function_entry *entry =
      profile_find_function(adding->profile, reference);
  if (entry) {
    uint32_t *number = &adding->numbers[entry->number];
    if (!*number)
      *number = runs_find_or_add_function(adding->runs, entry->name,
                                          entry->name_size, entry->reference);
    runs_add_call_by_number(adding->runs, *number);
    return;
  }
  const char *name = references_find_name(&adding->names, reference);
  adding->lost->nameless += !name;
  if (name)
    runs_add_call(adding->runs, name, strlen(name));
}

static void add_trace_as_run(struct trace_adder *adding,
                             const struct temporal_trace *trace) {
  runs_begin_run(adding->runs, trace->weight);
  for (size_t i = 0; i < trace->count; i++) {
    if (i + FUNCTIONS_AHEAD < trace->count)
      profile_prefetch_bucket(adding->profile,
                              trace->functions[i + FUNCTIONS_AHEAD]);
    add_traced_call(adding, trace->functions[i]);
  }
}

static void add_profile_traces(struct runs *runs, struct profile *profile,
                               struct lost_traces *lost) {
  translate_name_separators(profile, ';', NULL);
  if (profile->trace_count == 0)
    return;
  struct trace_adder adding = {.runs = runs, .profile = profile, .lost = lost};
  adding.numbers =
      need_memory(calloc(profile->function_count + 1, sizeof *adding.numbers));
  references_init(&adding.names, profile, false);
  for (size_t i = 0; i < profile->trace_count; i++)
    add_trace_as_run(&adding, &profile->traces[i]);
  references_free(&adding.names);
  free(adding.numbers);
}

static int add_profile_file(struct runs *runs, struct profile_merge *merge,
                            uint32_t source, uint64_t weight,
                            struct lost_traces *lost) {
  if (profile_merge_add_file(merge, source, weight))
    return 1;
  struct profile *profile = &merge->profile;
  uint64_t covered = 0;
  /* merge joins equal traces. Their weights then say how many runs they cover,
   * unless the user gave weights to merge. */
  for (size_t i = 0; i < profile->trace_count; i++) {
    uint64_t times = profile->traces[i].weight / weight;
    covered = add_saturated(covered, times ? times : 1);
  }
  if (profile->run_count > covered && lost->files++ == 0) {
    lost->file = merge->files[source];
    lost->has = covered;
    lost->ran = profile->run_count;
  }
  add_profile_traces(runs, profile, lost);
  return 0;
}

/* ---- .mip files, whose order of first calls is one run ---- */

static const char *add_mip_profile(struct runs *runs,
                                   const struct mip_profile *profile,
                                   uint64_t weight) {
  uint32_t times = 0;
  size_t count;
  const struct mip_function **list;
  const char *error = mip_list_by_call_rank(profile, &list, &count);
  for (size_t i = 0; i < count; i++)
    if (times < list[i]->runs)
      times = list[i]->runs;
  bool cut;
  if (!error)
    runs_begin_run(runs, count_multiply_limited(weight, times, &cut));
  for (size_t i = 0; i < count; i++)
    runs_add_call(runs, list[i]->name, strlen(list[i]->name));
  free(list);
  return error;
}

/* Adds a .mip file as one run, whose weight is the number of merged raw files.
 * Returns 0, or prints an error and returns 1. Returns -1 without any effect if
 * the file is not a MIP file. */
static int add_file_if_mip(struct runs *runs, const char *name,
                           uint64_t weight) {
  struct mip_header header;
  struct mip_profile profile = {0};
  struct os_file_info facts;
  struct file file;
  /* A pipe can be read only once, so other readers would get nothing. */
  if (!os_stat(name, &facts) || facts.kind != OS_FILE)
    return -1;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  bool is_mip = !mip_header_parse(&header, file.bytes);
  const char *error = is_mip ? mip_parse_file(&profile, file.bytes) : NULL;
  if (is_mip && !error)
    error = add_mip_profile(runs, &profile, weight);
  mip_profile_free(&profile);
  file_close(&file);
  return error ? report(name, "%s", error) : is_mip ? 0 : -1;
}

/* ---- all files ---- */

int order_add_traces(struct runs *runs, const struct merge_inputs *sources,
                     const struct elf *elf, struct lost_traces *lost) {
  int status = 0;
  for (size_t i = 0; i < sources->count && status <= 0; i++) {
    struct profile_merge merge;
    status = add_file_if_mip(runs, sources->names[i], sources->weights[i]);
    if (status >= 0)
      continue;
    profile_merge_init(&merge, sources->names);
    merge.elf = elf;
    merge.only = merge.profile.lost_on_error = true;
    status =
        add_profile_file(runs, &merge, (uint32_t)i, sources->weights[i], lost);
    profile_merge_free(&merge);
  }
  return status;
}
