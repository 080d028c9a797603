/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts and sorts the records once, for all sections that are wanted.
 * shown_profile.h describes the result.
 */
#include "shown_profile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../base/os.h"

bool show_wants_functions(const struct show_settings *settings) {
  return settings->all_functions || settings->counts || settings->bitmaps ||
         settings->values || settings->hot || settings->name ||
         settings->limited;
}

bool show_wants_section(const struct show_settings *settings) {
  return show_wants_functions(settings) || settings->covered ||
         settings->cutoffs || settings->traces || settings->ids ||
         settings->hottest;
}

static const char *pseudo_count_name(const struct record_counts *counts) {
  if (!counts_are_pseudo(counts->counters, counts->counter_count))
    return NULL;
  return counts->counters[0] == UINT64_MAX ? "hot" : "warm";
}

uint64_t shown_part_hot_threshold(const struct profile_part *part) {
  const struct summary_cutoff *cutoff = part->summary.cutoffs;
  while (cutoff->cutoff < 990000)
    cutoff++;
  return cutoff->least;
}

/* Returns the largest counter, or the pseudo count if the record has one. */
static uint64_t find_largest_count(const struct record_counts *counts) {
  uint64_t most = 0;
  if (pseudo_count_name(counts))
    return counts->counters[0];
  for (uint32_t i = 0; i < counts->counter_count; i++)
    most = counts->counters[i] > most ? counts->counters[i] : most;
  return most;
}

static bool is_record_in_part(const struct record_counts *counts,
                              const struct profile_part *part) {
  return part->records == SUMMARY_ALL
             ? !part->context_sensitive
             : !(counts->hash & PROFILE_CS_HASH) == !part->context_sensitive;
}

const struct record_counts *
shown_row_find_counts(const struct shown_profile *shown,
                      const struct shown_row *row) {
  return row->counts ? row->counts
                     : indexed_windows_load_record(shown->windows, row->name,
                                                   row->hash);
}

struct bytes shown_find_name(const struct shown_profile *shown,
                             uint64_t reference) {
  struct bytes found = {NULL, 0};
  if (shown->windows)
    found = indexed_windows_find_name(shown->windows, reference);
  const char *name =
      found.data ? NULL : references_find_name(&shown->names, reference);
  return name ? bytes_of_text(name) : found;
}

/* Returns whether a record has the details that the user wants. Without another
 * list, --values and --bitmap show only records that have values or bitmaps. */
static bool has_wanted_details(const struct record_counts *counts,
                               const struct show_settings *settings) {
  bool values = false;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    values |= counts->more->site_count[kind] != 0;
  return (settings->values && values) ||
         (settings->bitmaps && counts->more->bitmap_size != 0);
}

static bool is_name_wanted(const struct shown_row *row,
                           const struct show_settings *settings) {
  size_t size = settings->name ? strlen(settings->name) : 0;
  for (size_t at = 0; size && at + size <= row->name.size; at++)
    if (!memcmp(row->name.data + at, settings->name, size))
      return true;
  return !size;
}

bool shown_row_is_wanted(const struct shown_profile *shown,
                         const struct shown_row *row,
                         const struct profile_part *part,
                         const struct show_settings *settings) {
  if (!is_name_wanted(row, settings))
    return false;
  if (settings->hot &&
      (row->pseudo || row->most < shown_part_hot_threshold(part) || !row->most))
    return false;
  if (settings->limited && (row->pseudo || row->most < settings->least ||
                            row->most >= settings->below))
    return false;
  return settings->all_functions || settings->counts || settings->name ||
         settings->hot || settings->limited ||
         has_wanted_details(shown_row_find_counts(shown, row), settings);
}

const struct profile_part *
shown_part_find_next(const struct shown_profile *shown,
                     const struct show_settings *settings, int *i) {
  while (++*i < 2) {
    const struct profile_part *part = &shown->parts[*i];
    bool other = shown->parts[!*i].row_count != 0;
    if (settings->context_sensitive    ? *i == 1
        : show_wants_section(settings) ? *i == 0
                                       : part->row_count || (*i == 0 && !other))
      return part;
  }
  return NULL;
}

/* ---- texts ---- */

const struct counting_mode show_modes[SHOW_MODES] = {
    {PROFILE_FRONT_END, "front_end", "front end (-fprofile-instr-generate)"},
    {PROFILE_IR, "ir", "IR (-fprofile-generate)"},
    {PROFILE_CS, "context_sensitive", "context sensitive"},
    {PROFILE_ENTRY_FIRST, "entry_first", "entry counted first"},
    {PROFILE_BYTES, "single_byte", "a byte each: whether it ran"},
    {PROFILE_ENTRY_ONLY, "entry_only", "function entries only"},
    {PROFILE_TEMPORAL, "temporal", "order of first calls"},
    {PROFILE_LOOP_ENTRIES, "loop_entries", "loop entries"},
    {PROFILE_CORRELATED, "correlated", "records from the ELF"}};

const char *shown_format_name(const struct profile_file_kind *file) {
  static const char *const names[] = {"raw", "indexed", "text"};
  return names[file->format];
}

void show_print_hex(struct text_stream *to, struct bytes id) {
  for (size_t i = 0; i < id.size; i++)
    text_printf(to, "%02x", id.data[i]);
}

/* ---- totals ---- */

static void allocate_site_totals(const struct shown_profile *shown,
                                 struct profile_part *part) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    part->sites[kind].of_size = need_memory(calloc(
        (size_t)shown->ranking.most + 1, sizeof *part->sites[kind].of_size));
}

static void add_site_totals(struct profile_part *part,
                            const struct record_counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct site_totals *totals = &part->sites[kind];
    totals->sites += counts->more->site_count[kind];
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      uint32_t count = counts->more->sites[kind][i].count;
      totals->with_values += count != 0;
      totals->values += count;
      totals->of_size[count]++;
    }
  }
}

static void add_record_totals(struct profile_part *part,
                              const struct shown_row *row,
                              const struct record_counts *counts,
                              uint64_t *sum) {
  part->bitmap_bytes += counts->more->bitmap_size;
  part->bitmaps += counts->more->bitmap_size != 0;
  add_site_totals(part, counts);
  if (row->pseudo) {
    part->pseudo++;
    return;
  }
  part->counters += counts->counter_count;
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    part->counters_run += counts->counters[i] != 0;
    part->total_cut |= *sum + counts->counters[i] < *sum;
    *sum += counts->counters[i];
  }
  part->suspicious += shown_row_is_suspicious(row);
}

/* ---- adding records ---- */

/* A part of the profile, while records are added to it. */
struct part_totals_builder {
  struct profile_part *part;
  struct summary_builder *summing;
  bool summed;             /* the totals or the summary are wanted */
  bool failed;             /* windows cannot show this profile */
  bool ran;                /* a record of the current function ran */
  size_t most;             /* the number of rows to list; 0: all rows */
  size_t begin, end, room; /* begin, end: the current function's rows in
                              part->rows, after the space for all listed rows;
                              room: the number of allocated rows */
  uint64_t sum; /* the sum of all counters, modulo 2^64 */
};

ORDER_BY(compare_hashes, struct shown_row, x->hash);

/* The largest number of hottest functions for which a short sorted list is
 * kept. For more functions, sorting all rows is faster. */
enum { FEW = 64 };

/* Returns whether rows other than the hottest rows may be shown. */
static bool wants_all_rows(const struct show_settings *settings) {
  return settings->json || show_wants_functions(settings) ||
         settings->covered || settings->hottest > FEW;
}

/* Returns whether totals are shown, or are needed to choose the functions to
 * show. */
static bool wants_totals(const struct show_settings *settings) {
  return settings->json || settings->hot || settings->cutoffs ||
         settings->values || !show_wants_section(settings);
}

static size_t choose_hottest_count(const struct show_settings *settings) {
  return settings->hottest ? (size_t)settings->hottest : (size_t)HOTTEST;
}

static int compare_row_heat(const void *left, const void *right) {
  const struct shown_row *a = left, *b = right;
  if (a->most != b->most)
    return a->most > b->most ? -1 : 1;
  int order =
      compare_bytes(a->name.data, a->name.size, b->name.data, b->name.size);
  return order ? order : compare_numbers(a->hash, b->hash);
}

static void reserve_rows(struct part_totals_builder *totalling, size_t more) {
  struct shown_row **rows = &totalling->part->rows;
  size_t room = totalling->room + more;
  struct shown_row *list = need_memory(realloc(*rows, room * sizeof *list));
  *rows = os_use_large_pages(list, room * sizeof *list);
  totalling->room = room;
}

/* Adds a record to the totals and to the rows of its function. If `lasting` is
 * true, the counts stay valid. */
static void add_record_row(struct part_totals_builder *totalling,
                           const struct bytes *name,
                           const struct record_counts *counts, bool lasting) {
  struct profile_part *part = totalling->part;
  if (totalling->end == totalling->room)
    reserve_rows(totalling, totalling->room);
  struct shown_row *row = &part->rows[totalling->end++];
  *row = (struct shown_row){.name = *name,
                            .counts = lasting ? counts : NULL,
                            .pseudo = pseudo_count_name(counts),
                            .hash = counts->hash,
                            .most = find_largest_count(counts),
                            .first =
                                counts->counter_count ? counts->counters[0] : 0,
                            .counters = counts->counter_count};
  totalling->ran = totalling->ran || row->most;
  part->row_count++;
  if (totalling->summed)
    add_record_totals(part, row, counts, &totalling->sum);
}

/* Finishes a function's rows. Call it after the last record of each function.
 */
static void sort_and_list_function_rows(struct part_totals_builder *totalling) {
  struct profile_part *part = totalling->part;
  size_t most = totalling->most, count = totalling->end - totalling->begin;
  struct shown_row *rows = part->rows + totalling->begin;
  if (count > 1)
    sort_array(rows, count, sizeof *rows, compare_hashes);
  for (size_t i = 0; i < count; i++) {
    rows[i].hashes = (uint32_t)count;
    if (most && !rows[i].pseudo)
      part->listed = topn_insert(part->rows, part->listed, sizeof *rows,
                                 &rows[i], most, compare_row_heat);
  }
  if (most)
    totalling->end = most;
  else
    part->listed = totalling->begin = totalling->end;
  part->names += count != 0;
  part->names_run += totalling->ran;
  totalling->ran = false;
}

static void add_function_rows(struct part_totals_builder *totalling,
                              const struct profile *profile) {
  for (size_t i = 0; i < profile->function_count && !totalling->failed; i++) {
    const struct function_entry *function = profile->arrived[i];
    const struct bytes name = {(const unsigned char *)function->name,
                               function->name_size};
    profile_prefetch_walk(profile, i);
    if (totalling->summed)
      summary_builder_add(totalling->summing, function);
    for (const struct record_counts *at = function->counts; at; at = at->next)
      if (is_record_in_part(at, totalling->part))
        add_record_row(totalling, &name, at, true);
    sort_and_list_function_rows(totalling);
  }
}

/* Adds a record of a file that is read in windows (indexed.h). Sets `failed` at
 * a context-sensitive record, because windows show only one part. */
static void add_window_record(void *context, const struct bytes *name,
                              const struct record_counts *counts) {
  struct part_totals_builder *totalling = context;
  const struct function_entry function = {
      .counts = (struct record_counts *)(uintptr_t)counts};
  if (totalling->end != totalling->begin &&
      totalling->part->rows[totalling->begin].name.data != name->data)
    sort_and_list_function_rows(totalling);
  if (totalling->summed)
    summary_builder_add(totalling->summing, &function);
  if (!is_record_in_part(counts, totalling->part))
    totalling->failed = true;
  if (!totalling->failed)
    add_record_row(totalling, name, counts, false);
}

/* ---- orders ---- */

/* Sorts the rows with these numbers by name. Rows with the same name keep their
 * order. */
static void sort_rows_by_name(const struct shown_row *rows,
                              struct keyed_item *keyed,
                              struct keyed_item *spare, size_t count) {
  struct function_entry *names =
      need_memory(malloc((count + 1) * sizeof *names));
  for (size_t i = 0; i < count; i++) {
    const struct shown_row *row = &rows[keyed[i].item];
    names[i] = (struct function_entry){.name = (const char *)row->name.data,
                                       .name_size = (uint32_t)row->name.size,
                                       .number = (uint32_t)keyed[i].item};
    keyed[i].item = (uintptr_t)&names[i];
  }
  names_sort_partly(keyed, spare, count, NULL);
  for (size_t i = 0; i < count; i++)
    keyed[i].item =
        ((const struct function_entry *)(uintptr_t)keyed[i].item)->number;
  free(names);
}

static void sort_rows_by_heat(struct profile_part *part) {
  size_t count = part->listed;
  size_t size = (2 * count + 1) * sizeof(struct keyed_item);
  struct keyed_item *keyed =
      os_use_large_pages(need_memory(malloc(size)), size);
  part->order = keyed;
  for (size_t i = 0; i < count; i++)
    keyed[i] = (struct keyed_item){~part->rows[i].most, i};
  keyed_sort(keyed, keyed + count, count);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first; end < count && keyed[end].key == keyed[first].key; end++)
      shown_part_prefetch(part, end);
    if (end - first > 1)
      sort_rows_by_name(part->rows, keyed + first, keyed + count, end - first);
  }
}

static void list_covered_rows(struct profile_part *part,
                              const struct show_settings *settings) {
  struct keyed_item *keyed =
      need_memory(malloc((2 * part->listed + 1) * sizeof *keyed));
  const unsigned char *last = NULL;
  part->covered = keyed;
  for (size_t i = 0; i < part->listed; i++) {
    const struct shown_row *row = &part->rows[i];
    if (!row->most || row->name.data == last || !is_name_wanted(row, settings))
      continue;
    last = row->name.data;
    keyed[part->covered_count++].item = i;
  }
  sort_rows_by_name(part->rows, keyed, keyed + part->covered_count,
                    part->covered_count);
}

/* Fills a part with its rows and totals. Returns false if windows cannot show
 * this profile. */
static bool fill_profile_part(struct profile_part *part,
                              struct shown_profile *shown,
                              const struct show_settings *settings) {
  const struct profile *profile = shown->profile;
  bool split = profile->flags & PROFILE_IR, all = wants_all_rows(settings);
  part->records = !split                    ? SUMMARY_ALL
                  : part->context_sensitive ? SUMMARY_CS
                                            : SUMMARY_REGULAR;
  struct part_totals_builder totals = {
      .part = part,
      .summing = summary_builder_new(part->records),
      .summed = wants_totals(settings),
      .most = all ? 0 : choose_hottest_count(settings)};
  totals.begin = totals.end = totals.most;
  size_t room =
      shown->windows ? shown->windows->expected : profile->record_count;
  bool done = true;
  allocate_site_totals(shown, part);
  reserve_rows(&totals, 2 * FEW + (all ? room : 0));
  if (shown->windows && !part->context_sensitive) {
    done = indexed_windows_visit_and_check(shown->windows, all,
                                           add_window_record, &totals);
    sort_and_list_function_rows(&totals);
  } else if (!shown->windows &&
             (!part->context_sensitive || (split && profile->has_cs))) {
    add_function_rows(&totals, profile);
  }
  summary_builder_finish_and_free(totals.summing, &part->summary);
  done = done && !totals.failed;
  if (done && settings->covered)
    list_covered_rows(part, settings);
  if (done && all)
    sort_rows_by_heat(part);
  return done;
}

/* ---- the parts of a profile ---- */

bool shown_fill_parts(struct shown_profile *shown, struct profile_merge *merge,
                      const struct show_settings *settings) {
  struct profile *profile = &merge->profile;
  struct indexed_window_reader *windows = merge->windows;
  *shown = (struct shown_profile){
      .profile = profile, .file = merge->last, .windows = windows};
  shown->parts[1].context_sensitive = true;
  if (windows)
    profile->most_values = SITE_VALUES_MOST;
  references_init(&shown->names, profile, false);
  ranking_init(&shown->ranking, profile);
  bool done = fill_profile_part(&shown->parts[0], shown, settings) &&
              fill_profile_part(&shown->parts[1], shown, settings);
  if (windows && windows->profile.has_bitmaps) {
    profile->has_bitmaps = true;
    profile->bitmaps = windows->bitmaps;
  }
  return done;
}

void shown_free(struct shown_profile *shown) {
  for (unsigned i = 0; i < 2; i++) {
    free(shown->parts[i].rows);
    free(shown->parts[i].order);
    free(shown->parts[i].covered);
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
      free(shown->parts[i].sites[kind].of_size);
  }
  ranking_free(&shown->ranking);
  references_free(&shown->names);
}

/* ---- lines ----
 *
 * Prints words in lines. A word that does not fit in the line starts a new
 * line.
 */

enum { COLUMNS = 80 };

struct wrapped_line show_line_begin(struct text_stream *to, int begin,
                                    const char *label) {
  int size = (int)strlen(label);
  text_put_bytes(to, label, (size_t)size);
  text_put_blanks(to, (size_t)(begin > size ? begin - size : 0));
  return (struct wrapped_line){to, begin, begin};
}

/* Prints a blank or a new line before the next word, which has this size. */
static void print_break_or_blank(struct wrapped_line *line, int size) {
  if (line->column > line->begin && line->column + 1 + size > COLUMNS) {
    text_put_char(line->to, '\n');
    text_put_blanks(line->to, (size_t)line->begin);
    line->column = line->begin;
  } else if (line->column > line->begin) {
    text_put_char(line->to, ' ');
    line->column++;
  }
  line->column += size;
}

void show_line_print_word(struct wrapped_line *line, const char *format, ...) {
  char word[64];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  print_break_or_blank(line, size);
  text_put_string(line->to, word);
}

void show_line_print_number(struct wrapped_line *line, uint64_t number) {
  size_t digits = count_digits(number);
  int column = line->column + 1 + (int)digits;
  bool blank = line->column > line->begin && column <= COLUMNS;
  if (blank)
    line->column = column;
  else
    print_break_or_blank(line, (int)digits);
  text_put_digits(line->to, number, digits, blank);
}

void show_line_end(struct wrapped_line *line) { text_put_char(line->to, '\n'); }
