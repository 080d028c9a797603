/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counting and sorting, once for all that may be asked for.
 */
#include "shown.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../base/text.h"

bool wish_functions(const struct show_settings *settings) {
  return settings->all_functions || settings->counts || settings->bitmaps ||
         settings->values || settings->hot || settings->name ||
         settings->limited;
}

bool wish_any(const struct show_settings *settings) {
  return wish_functions(settings) || settings->covered || settings->cutoffs ||
         settings->traces || settings->ids || settings->hottest;
}

static const char *pseudo_name(const struct counts *counts) {
  if (!counts_pseudo(counts->counters, counts->counter_count))
    return NULL;
  return counts->counters[0] == UINT64_MAX ? "hot" : "warm";
}

uint64_t part_hot(const struct show_section *part) {
  const struct summary_cutoff *cutoff = part->summary.cutoffs;
  while (cutoff->cutoff < 990000)
    cutoff++;
  return cutoff->least;
}

/* A pseudo count is one. */
static uint64_t most_of(const struct counts *counts) {
  uint64_t most = 0;
  if (pseudo_name(counts))
    return counts->counters[0];
  for (uint32_t i = 0; i < counts->counter_count; i++)
    most = counts->counters[i] > most ? counts->counters[i] : most;
  return most;
}

static bool in_part(const struct counts *counts,
                    const struct show_section *part) {
  return part->records == SUMMARY_ALL
             ? !part->context_sensitive
             : !(counts->hash & PROFILE_CS_HASH) == !part->context_sensitive;
}

bool function_ran(const struct function_entry *function,
                  const struct show_section *part) {
  for (const struct counts *at = function->counts; at; at = at->next)
    if (in_part(at, part) && most_of(at))
      return true;
  return false;
}

/* A list that was not asked for by itself has what was. */
static bool has_wished(const struct counts *counts,
                       const struct show_settings *settings) {
  bool values = false;
  if (settings->all_functions || settings->counts || settings->name ||
      settings->hot || settings->limited)
    return true;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    values |= counts->more->site_count[kind] != 0;
  return (settings->values && values) ||
         (settings->bitmaps && counts->more->bitmap_size != 0);
}

bool name_wished(const struct function_entry *function,
                 const struct show_settings *settings) {
  return !settings->name || strstr(function->name, settings->name);
}

bool row_wished(const struct shown_row *row, const struct show_section *part,
                const struct show_settings *settings) {
  if (!name_wished(row->function, settings))
    return false;
  if (settings->hot &&
      (row->pseudo || row->most < part_hot(part) || !row->most))
    return false;
  if (settings->limited && (row->pseudo || row->most < settings->least ||
                            row->most >= settings->below))
    return false;
  return has_wished(row->counts, settings);
}

const struct show_section *part_next(const struct shown *shown,
                                     const struct show_settings *settings,
                                     int *i) {
  while (++*i < 2) {
    const struct show_section *part = &shown->parts[*i];
    bool other = shown->parts[!*i].row_count != 0;
    if (settings->context_sensitive ? *i == 1
        : wish_any(settings)        ? *i == 0
                                    : part->row_count || (*i == 0 && !other))
      return part;
  }
  return NULL;
}

/* ---- texts ---- */

const struct mode show_modes[SHOW_MODES] = {
    {PROFILE_FRONT_END, "front_end", "front end (-fprofile-instr-generate)"},
    {PROFILE_IR, "ir", "IR (-fprofile-generate)"},
    {PROFILE_CS, "context_sensitive", "context sensitive"},
    {PROFILE_ENTRY_FIRST, "entry_first", "entry counted first"},
    {PROFILE_BYTES, "single_byte", "a byte each: whether it ran"},
    {PROFILE_ENTRY_ONLY, "entry_only", "function entries only"},
    {PROFILE_TEMPORAL, "temporal", "order of first calls"},
    {PROFILE_LOOP_ENTRIES, "loop_entries", "loop entries"},
    {PROFILE_CORRELATED, "correlated", "records from the ELF"}};

const char *format_name(const struct profile_file *file) {
  static const char *const names[] = {"raw", "indexed", "text"};
  return names[file->format];
}

void show_id(struct text *to, struct bytes id) {
  for (size_t i = 0; i < id.size; i++)
    text_print(to, "%02x", id.data[i]);
}

/* ---- totals ---- */

static bool section_sites(const struct shown *shown,
                          struct show_section *part) {
  bool done = true;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct site_totals *totals = &part->sites[kind];
    totals->of_size =
        calloc((size_t)shown->ranking.most + 1, sizeof *totals->of_size);
    done = done && totals->of_size;
  }
  return done;
}

static void add_sites(struct show_section *part, const struct counts *counts) {
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

static void add_row(struct show_section *part, const struct shown_row *row,
                    uint64_t *sum) {
  const struct counts *counts = row->counts;
  part->bitmap_bytes += counts->more->bitmap_size;
  part->bitmaps += counts->more->bitmap_size != 0;
  add_sites(part, counts);
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
  part->suspicious += row_suspicious(row);
}

/* ---- rows ---- */

/* A part that is being counted. */
struct totalling {
  struct show_section *part;
  struct summing *summing;
  bool summed; /* the summary is wanted */
  size_t most; /* rows that are listed; 0: all */
  uint64_t sum;
  struct arena *kept; /* for what is listed of windows; else NULL */
};

ORDER_BY(by_hash, struct shown_row, x->counts->hash);

/* The most functions that are worth finding without sorting all. */
enum { FEW = 64 };

/* Whether rows of any function may be shown, and not the hottest only. */
static bool wish_all(const struct show_settings *settings) {
  return settings->json || wish_functions(settings) || settings->covered ||
         settings->hottest > FEW;
}

/* References need the names of all. */
bool wish_windows(const struct show_settings *settings) {
  return !wish_all(settings) && !settings->traces;
}

/* Whether the summary is shown, or decides what is. */
static bool wish_summary(const struct show_settings *settings) {
  return settings->json || settings->hot || settings->cutoffs ||
         !wish_any(settings);
}

static size_t few_of(const struct show_settings *settings) {
  return settings->hottest ? (size_t)settings->hottest : (size_t)HOTTEST;
}

static int by_heat(const void *left, const void *right) {
  const struct shown_row *a = left, *b = right;
  if (a->most != b->most)
    return a->most > b->most ? -1 : 1;
  int order = compare_bytes(a->function->name, a->function->name_size,
                            b->function->name, b->function->name_size);
  return order ? order : compare_numbers(a->counts->hash, b->counts->hash);
}

/* Copies what a listed row shows of its window. */
static bool keep_row(struct arena *kept, struct shown_row *row) {
  struct function_entry *function = arena_take(kept, sizeof *function);
  struct counts *counts = arena_take(kept, sizeof *counts);
  const char *name =
      arena_copy(kept, row->function->name, row->function->name_size);
  char *counters =
      arena_copy(kept, row->counts->counters, row->counters * (size_t)8);
  if (!function || !counts || !name || !counters)
    return false;
  *function = (struct function_entry){.name = name,
                                      .name_size = row->function->name_size};
  *counts = (struct counts){.hash = row->counts->hash,
                            .counters = (uint64_t *)(void *)counters,
                            .counter_count = row->counters};
  row->function = function;
  row->counts = counts;
  return true;
}

/* Puts a row where it belongs among the hottest. */
static bool keep_hottest(struct totalling *totalling, struct shown_row row) {
  struct show_section *part = totalling->part;
  size_t most = totalling->most;
  if (row.pseudo ||
      (part->listed == most && by_heat(&row, &part->rows[most - 1]) > 0))
    return true;
  if (totalling->kept && !keep_row(totalling->kept, &row))
    return false;
  part->listed =
      few_insert(part->rows, part->listed, sizeof row, &row, most, by_heat);
  return true;
}

/* The number of a function's records that belong to the part. */
static uint32_t count_rows(const struct show_section *part,
                           const struct function_entry *function) {
  uint32_t count = 0;
  for (const struct counts *at = function->counts; at; at = at->next)
    count += in_part(at, part);
  return count;
}

/* Adds a function to the totals, and its records to the list. */
static bool add_function(struct totalling *totalling,
                         const struct function_entry *function) {
  struct show_section *part = totalling->part;
  struct shown_row *rows = part->rows + part->listed;
  uint32_t count = count_rows(part, function);
  bool ran = false, done = true;
  for (const struct counts *at = function->counts; at && done; at = at->next) {
    if (!in_part(at, part))
      continue;
    const struct shown_row row = {.function = function,
                                  .counts = at,
                                  .pseudo = pseudo_name(at),
                                  .most = most_of(at),
                                  .first =
                                      at->counter_count ? at->counters[0] : 0,
                                  .hashes = count,
                                  .counters = at->counter_count};
    ran = ran || row.most;
    part->row_count++;
    add_row(part, &row, &totalling->sum);
    if (totalling->most)
      done = keep_hottest(totalling, row);
    else
      part->rows[part->listed++] = row;
  }
  if (!totalling->most)
    sort(rows, count, sizeof *rows, by_hash);
  part->names += count != 0;
  part->names_run += ran;
  return done;
}

static bool add_functions(struct totalling *totalling,
                          struct functions_list functions) {
  bool done = true;
  for (size_t i = 0; i < functions.count && done; i++) {
    if (i + FUNCTIONS_AHEAD < functions.count)
      function_ahead(functions.list[i + FUNCTIONS_AHEAD]);
    if (i + FUNCTIONS_AHEAD / 2 < functions.count)
      function_behind(functions.list[i + FUNCTIONS_AHEAD / 2]);
    done = (!totalling->summed ||
            summing_add(totalling->summing, functions.list[i])) &&
           add_function(totalling, functions.list[i]);
  }
  return done;
}

/* Adds all functions of windows. Context-sensitive ones would be a second
 * part. */
static bool add_windows(struct totalling *totalling, struct shown *shown) {
  enum { WINDOW = 512 };
  struct windows *windows = shown->windows;
  const struct profile *profile = &windows->profile;
  bool done = true;
  for (size_t at = 0, end; at < windows->buckets && done; at = end) {
    end = at + WINDOW < windows->buckets ? at + WINDOW : windows->buckets;
    windows_read(windows, at, end, windows->buckets, NULL);
    const struct functions_list functions = {profile->arrived,
                                             profile->function_count};
    shown->functions.count += functions.count;
    done = windows_right(windows, end == windows->buckets) &&
           !(profile->flags & PROFILE_IR && profile->has_cs) &&
           add_functions(totalling, functions);
  }
  return done;
}

/* Puts the hottest first. Equal ones keep their order. */
static uint64_t key_of_row(const void *element) {
  return ~((const struct shown_row *)element)->most;
}

static bool part_new(struct show_section *part, struct shown *shown,
                     const struct show_settings *settings) {
  const struct profile *profile = shown->profile;
  struct functions_list functions = shown->functions;
  bool split = profile->flags & PROFILE_IR;
  size_t most = wish_all(settings) ? 0 : few_of(settings);
  part->records = !split                    ? SUMMARY_ALL
                  : part->context_sensitive ? SUMMARY_CS
                                            : SUMMARY_REGULAR;
  if (part->context_sensitive && !(split && profile->has_cs))
    functions.count = 0;
  size_t room = most ? most : functions.count ? profile->record_count : 0;
  struct totalling totalling = {.part = part,
                                .summing = summing_new(part->records),
                                .summed = wish_summary(settings),
                                .most = most};
  part->rows = malloc((room + 1) * sizeof *part->rows);
  bool done = totalling.summing && part->rows && section_sites(shown, part);
  if (done && shown->windows && !part->context_sensitive) {
    totalling.kept = &shown->kept;
    done = add_windows(&totalling, shown);
  } else if (done && !shown->windows) {
    done = add_functions(&totalling, functions);
  }
  done = done &&
         (!totalling.summed || summing_end(totalling.summing, &part->summary));
  summing_free(totalling.summing);
  return done && (most || key_sort(part->rows, part->listed, sizeof *part->rows,
                                   key_of_row));
}

/* ---- all ---- */

bool shown_new(struct shown *shown, struct gather *gather,
               const struct show_settings *settings) {
  *shown = (struct shown){.profile = &gather->profile,
                          .file = gather->last,
                          .windows = gather->windows,
                          .kept.limit = SIZE_MAX / 2};
  shown->parts[1].context_sensitive = true;
  const struct profile *profile = shown->profile;
  if (wish_all(settings)) {
    shown->functions = written_functions(profile, false);
    shown->sorted = shown->functions.list;
    if (!shown->sorted)
      return false;
  } else {
    shown->functions =
        (struct functions_list){profile->arrived, profile->function_count};
  }
  if (((settings->json && !wish_any(settings)) || settings->values ||
       settings->traces) &&
      !references_new(&shown->names, profile, false))
    return false;
  if (gather->windows)
    gather->profile.most_values = SITE_VALUES_MOST;
  bool done = ranking_new(&shown->ranking, profile) &&
              part_new(&shown->parts[0], shown, settings) &&
              part_new(&shown->parts[1], shown, settings);
  if (gather->windows && gather->windows->profile.has_bitmaps)
    gather->profile.bitmaps = gather->windows->bitmaps;
  return done;
}

void shown_free(struct shown *shown) {
  for (unsigned i = 0; i < 2; i++) {
    free(shown->parts[i].rows);
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
      free(shown->parts[i].sites[kind].of_size);
  }
  arena_free(&shown->kept);
  ranking_free(&shown->ranking);
  references_free(&shown->names);
  free((void *)shown->sorted);
}

/* ---- lines ----
 *
 * Words that do not fit any more begin a line.
 */

enum { COLUMNS = 80 };

static void put_blanks(struct text *to, int count) {
  while (count-- > 0)
    text_letter(to, ' ');
}

struct word_line line_begin(struct text *to, int begin, const char *label) {
  int size = (int)strlen(label);
  text_bytes(to, label, (size_t)size);
  put_blanks(to, begin - size);
  return (struct word_line){to, begin, begin};
}

/* What goes before a word of this size. */
static void make_room(struct word_line *line, int size) {
  if (line->column > line->begin && line->column + 1 + size > COLUMNS) {
    text_letter(line->to, '\n');
    put_blanks(line->to, line->begin);
    line->column = line->begin;
  } else if (line->column > line->begin) {
    text_letter(line->to, ' ');
    line->column++;
  }
  line->column += size;
}

void line_add(struct word_line *line, const char *format, ...) {
  char word[64];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  make_room(line, size);
  text_put(line->to, word);
}

void line_number(struct word_line *line, uint64_t number) {
  size_t digits = digits_of(number);
  make_room(line, (int)digits);
  text_digits(line->to, number, digits, 0);
}

void line_end(struct word_line *line) { text_letter(line->to, '\n'); }

/* Most names are shown as they are. */
void text_printable(struct text *to, const char *name, size_t size) {
  char one[PRINTABLE_ROOM];
  size_t left = size == SIZE_MAX ? strlen(name) : size;
  for (size_t taken; left; left -= taken, name += taken) {
    taken = utf8_plain(name, left);
    if (taken)
      text_bytes(to, name, taken);
    else
      text_bytes(to, one, printable_character(one, name, left, &taken));
  }
}
