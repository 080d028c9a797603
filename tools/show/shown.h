/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The content of `bareprof show` before it becomes text or JSON: records with
 * the hottest first, and their sums. Context-sensitive records are a separate
 * part, as for compilers, because other records have the same counts already.
 */
#ifndef BAREPROF_TOOLS_SHOW_SHOWN_H
#define BAREPROF_TOOLS_SHOW_SHOWN_H

#include "../base/text.h"
#include "../profile/gather.h"
#include "../profile/indexed.h"

/* The user's settings. */
struct show_settings {
  const char *file;
  bool all_functions, counts, bitmaps, values; /* a list of functions */
  bool covered, cutoffs, traces, ids;
  bool context_sensitive; /* the one part, not the other */
  bool json;
  uint64_t hottest;      /* number of hottest functions; 0: not requested */
  bool hot;              /* list functions that compilers treat as hot, */
  const char *name;      /* or whose name has this in it, or NULL, */
  bool limited;          /* or whose largest count is */
  uint64_t least, below; /* from the one up to, without it, the other */
};

/* Whether it is the list of functions, or any section at all. */
bool wish_functions(const struct show_settings *settings);
bool wish_any(const struct show_settings *settings);

/* A record, hash by hash of a function. */
struct shown_row {
  struct bytes name;
  const struct counts *counts; /* or NULL: see row_counts */
  const char *pseudo;          /* "hot", "warm": a pseudo count; else NULL */
  uint64_t hash;
  uint64_t most;   /* its largest count, or the pseudo count */
  uint64_t first;  /* its first count, or 0 */
  uint32_t hashes; /* records of its name, in this part */
  uint32_t counters;
};

struct site_totals {
  uint64_t sites, with_values, values;
  uint64_t *of_size; /* sites with that many values, up to ranking.most */
};

struct show_section {
  bool context_sensitive;
  enum summary_part records; /* which */
  struct shown_row *rows;    /* if only a few are shown, these alone */
  struct keyed *order;   /* items are numbers of rows, hottest first; of equal
                             ones by name, then hash. NULL: rows have it. */
  size_t listed;         /* in rows */
  struct keyed *covered; /* rows of functions that ran and have a name as it
                             was asked for, one each, by name; if it was */
  size_t covered_count;
  size_t row_count;                /* all records */
  struct counts_summary summary;   /* without records that have pseudo counts */
  bool total_cut;                  /* its total went beyond 2^64 */
  uint64_t counters, counters_run; /* all; those not 0 */
  uint64_t bitmap_bytes, bitmaps;  /* all; records with some */
  uint64_t names, names_run; /* functions; those with a count that is not 0 */
  uint64_t pseudo;           /* records with pseudo counts */
  uint64_t suspicious;       /* records with counts beyond reason */
  struct site_totals sites[VALUE_KINDS];
};

/* Row number i, hottest first. */
static inline const struct shown_row *part_row(const struct show_section *part,
                                               size_t i) {
  return &part->rows[part->order ? part->order[i].item : i];
}

/* Prefetches rows behind that, and what they are of: they lie anywhere. Without
 * counts in memory, these follow the name in the file. */
PREFETCHES void part_ahead(const struct show_section *part, size_t i) {
  if (i + 2 * FUNCTIONS_AHEAD < part->listed)
    __builtin_prefetch(part_row(part, i + 2 * FUNCTIONS_AHEAD));
  if (i + FUNCTIONS_AHEAD >= part->listed)
    return;
  const struct shown_row *row = part_row(part, i + FUNCTIONS_AHEAD);
  for (int at = -24; at < 192; at += 64)
    __builtin_prefetch(row->name.data + at);
  if (!row->counts)
    return;
  __builtin_prefetch(row->counts);
  row = part_row(part, i + FUNCTIONS_AHEAD / 2);
  __builtin_prefetch(row->counts->counters);
}

struct shown {
  const struct profile *profile;
  struct profile_file file;
  struct windows *windows; /* where the functions are, or NULL */
  struct references names;
  struct ranking ranking;
  struct show_section parts[2]; /* context-sensitive records in the second */
};

/* The number of functions of an overview. */
enum { HOTTEST = 10 };

/* Reads the whole profile, which must live as long, and finds what the settings
 * ask for. false: out of memory, or the windows are wrong; free shown
 * anyway. */
bool shown_new(struct shown *shown, struct gather *gather,
               const struct show_settings *settings);
void shown_free(struct shown *shown);

/* Whether a counter cannot be true. */
static inline bool count_suspicious(uint64_t count) {
  return count > PROFILE_COUNT_REASON;
}
static inline bool row_suspicious(const struct shown_row *row) {
  return !row->pseudo && count_suspicious(row->most);
}

/* The counts of a row; of windows, until the next call. */
const struct counts *row_counts(const struct shown *shown,
                                const struct shown_row *row);

/* The name of a reference; data NULL: it is not in the profile. */
struct bytes shown_name(const struct shown *shown, uint64_t reference);

/* Whether a row is among the functions that were asked for. */
bool row_wished(const struct shown *shown, const struct shown_row *row,
                const struct show_section *part,
                const struct show_settings *settings);

/* The lowest count that compilers treat as hot: 99 % of the total is counted in
 * places of this count or more. */
uint64_t part_hot(const struct show_section *part);

/* Whether the next part is to be shown: *i is -1 at first. JSON shows both if
 * no section was asked for. */
const struct show_section *part_next(const struct shown *shown,
                                     const struct show_settings *settings,
                                     int *i);

/* Text for people. JSON: show_json.c. */
void show_profile_text(FILE *stream, struct shown *shown,
                       const struct show_settings *settings);

/* Names that JSON has, too: of a kind of file; of a way to count (flag is one
 * bit) in a word, and in words for people. */
const char *format_name(const struct profile_file *file);
struct mode {
  unsigned flag;
  const char *name, *about;
};
enum { SHOW_MODES = 9 };
extern const struct mode show_modes[SHOW_MODES]; /* by ascending flag */

/* Build ids in hex, a line each. */
void show_id(struct text *to, struct bytes id);

/* ---- show_json.c ----
 *
 * The document of `bareprof show --json`, one object. Keys stay; others may
 * come. Counts are whole numbers up to 2^64-1; a reader that uses doubles
 * rounds them. Hashes are strings, because they are no counts.
 *
 *   file               as the user gave it
 *   format             raw, indexed or text
 *   version            of that format; not of text
 *   bits, endian       of a raw file: 32 or 64; little or big
 *   mcdc_llvm          if there are MC/DC bitmaps: 18, or 19 for that and later
 *                      ones; 0: text does not say
 *   modes              array of front_end, ir, context_sensitive, entry_first,
 *                      loop_entries, single_byte, entry_only, temporal,
 *                      correlated
 *   regular            a part, see below
 *   context_sensitive  a part: what -fcs-profile-generate counted
 *   traces             {runs, list: [{weight, functions: [name or null]}]}
 *   build_ids          array of hex
 *   memory_profile     {version, bytes}, if there is one
 *
 * A part is there if it has records or is the only one; --cs chooses one part.
 * A part has
 *
 *   functions, functions_run     number of names; those that ran
 *   records, pseudo, suspicious  number of records; those with pseudo counts;
 *                                those with counts beyond reason
 *   counters, counters_run       number of counters; those that are not 0
 *   bitmap_bytes                 of MC/DC
 *   summary            without records that have pseudo counts, as compilers
 *                      see it: {records, counters, most_first, most_others,
 *                      most, total (modulo 2^64), hot, cutoffs: [{cutoff
 *                      (millionths), least, counters}]}; code is hot from a
 *                      count of `hot` on
 *   sites              {call, memop, vtable}, each {sites, with_values,
 *                      values, histogram: [[values, sites]]}
 *   covered            array of the names that ran
 *   hottest            array of {name, hash, most}, largest first
 *   list               array of records, hottest first:
 *     name, hash       hash: 16 hex digits behind 0x
 *     records          how many records there are of that name
 *     pseudo           hot or warm, and no counters; or it is not there
 *     suspicious       true if a count is beyond reason; or it is not there
 *     most             the largest counter
 *     counters         array
 *     bitmap           hex
 *     call, vtable     array of sites, each an array of {name (null: not in
 *                      this profile), count}, largest count first
 *     memop            the same, of {size, count}
 *
 * If sections were asked for, only they are there: a list has counters, bitmap
 * or sites only with --counts, --bitmap, --values.
 */

void show_profile_json(FILE *stream, struct shown *shown,
                       const struct show_settings *settings);

/* ---- lines ----
 *
 * Lines of at most 80 columns.
 */

/* A list of words that goes on in the column where it began. */
struct word_line {
  struct text *to;
  int begin, column;
};

/* The line has this label so far, which ends in column begin. */
struct word_line line_begin(struct text *to, int begin, const char *label);
void line_add(struct word_line *line, const char *format, ...) PRINTS_AS(2, 3);
void line_number(struct word_line *line, uint64_t number);
void line_end(struct word_line *line);

#endif
