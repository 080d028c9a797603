/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prepares the output of `bareprof show`: the records of a profile, hottest
 * first, and their totals. Compilers and this tool keep context-sensitive
 * records in a separate part, because the other records already contain their
 * counts. show_text.c and show_json.c print the result.
 */
#ifndef BAREPROF_TOOLS_SHOWN_PROFILE_H
#define BAREPROF_TOOLS_SHOWN_PROFILE_H

#include "../base/text.h"
#include "../profile/profile_merge.h"
#include "../profile/indexed.h"

/* The user's choice of sections and functions. */
struct show_settings {
  const char *file;
  bool all_functions, counts, bitmaps, values; /* the sections to show, each of
                                                  which lists functions */
  bool covered, cutoffs, traces, ids;
  bool context_sensitive; /* show the context-sensitive part instead of the
                             regular one */
  bool json;
  uint64_t hottest;      /* the number of hottest functions to list; 0: none
                            were requested */
  bool hot;              /* list functions that compilers treat as hot */
  const char *name;      /* list functions whose name contains this text; or
                            NULL */
  bool limited;          /* list only functions whose largest count is in a
                            range */
  uint64_t least, below; /* the range: at least `least` and less than `below` */
};

/* show_wants_functions returns whether a list of functions is wanted, and
 * show_wants_section whether any section is wanted. */
bool show_wants_functions(const struct show_settings *settings);
bool show_wants_section(const struct show_settings *settings);

/* The row of one record. A function has a record for each hash. */
struct shown_row {
  struct bytes name;
  const struct record_counts *counts; /* the counts of the record; NULL: call
                                         shown_row_find_counts */
  const char *pseudo; /* "hot" or "warm" if the record has this mark, a
                                  pseudo count, instead of counts; otherwise
                                  NULL */
  uint64_t hash;
  uint64_t most;   /* the largest count, or the pseudo count */
  uint64_t first;  /* the first count, or 0 */
  uint32_t hashes; /* the number of records with this name in this part */
  uint32_t counters;
};

/* The totals of all value profiling sites of one kind. */
struct site_totals {
  uint64_t sites, with_values, values;
  uint64_t *of_size; /* the number of sites for each number of values, up to
                        ranking.most */
};

/* A part of the profile: the regular or the context-sensitive records. */
struct profile_part {
  bool context_sensitive;
  enum summary_part records; /* the records of the profile that belong to the
                                part */
  struct shown_row *rows;    /* the rows; only the hottest rows, if no others
                                are shown */
  struct keyed_item *order;  /* the numbers of the rows, hottest first. Rows of
                               equal heat are sorted by name, then hash. NULL:
                               the rows are in this order */
  size_t listed;             /* the number of rows in `rows` */
  /* the rows of functions that ran and whose name matches, sorted by name,
   * one row for each function; NULL: not wanted */
  struct keyed_item *covered;
  size_t covered_count;
  size_t row_count;                /* the number of all records */
  struct profile_summary summary;  /* the summary of all records without pseudo
                                      counts */
  bool total_cut;                  /* the total was larger than 2^64 */
  uint64_t counters, counters_run; /* the number of all counters, and of
                                      counters above 0 */
  uint64_t bitmap_bytes, bitmaps;  /* the bytes of all bitmaps; the number of
                                      records with a bitmap */
  uint64_t names, names_run; /* the number of functions, and of functions with a
                                count above 0 */
  uint64_t pseudo;           /* the number of records with pseudo counts */
  uint64_t suspicious;       /* the number of records with implausible counts */
  struct site_totals sites[VALUE_KINDS];
};

/* Returns row i in the order of heat; row 0 is the hottest. */
static inline const struct shown_row *
shown_part_row(const struct profile_part *part, size_t i) {
  return &part->rows[part->order ? part->order[i].item : i];
}

/* Prefetches the rows that follow row i, because rows, names and counts are
 * scattered in memory. If a row lacks counts in memory, they follow its name in
 * the file. */
PREFETCHES void shown_part_prefetch(const struct profile_part *part, size_t i) {
  if (i + 2 * FUNCTIONS_AHEAD < part->listed)
    __builtin_prefetch(shown_part_row(part, i + 2 * FUNCTIONS_AHEAD));
  if (i + FUNCTIONS_AHEAD >= part->listed)
    return;
  const struct shown_row *row = shown_part_row(part, i + FUNCTIONS_AHEAD);
  for (int at = -24; at < 192; at += 64)
    __builtin_prefetch(row->name.data + at);
  if (!row->counts)
    return;
  __builtin_prefetch(row->counts);
  row = shown_part_row(part, i + FUNCTIONS_AHEAD / 2);
  __builtin_prefetch(row->counts->counters);
}

/* A profile that is ready to be shown. */
struct shown_profile {
  const struct profile *profile;
  struct profile_file_kind file;
  /* the windows from which functions are read; NULL: functions are read from
   * the profile */
  struct indexed_window_reader *windows;
  struct reference_names names;
  struct value_ranking ranking;
  struct profile_part parts[2]; /* the parts; parts[1] has the context-sensitive
                                   records */
};

/* The number of functions that an overview lists. */
enum { HOTTEST = 10 };

/* Reads the complete profile, and finds the rows that the settings ask for.
 * *merge must outlive *shown. Returns false if the windows cannot show this
 * profile, which never happens without windows. Call shown_free in any case. */
bool shown_fill_parts(struct shown_profile *shown, struct profile_merge *merge,
                      const struct show_settings *settings);
void shown_free(struct shown_profile *shown);

static inline bool is_suspicious_count(uint64_t count) {
  return count > PROFILE_COUNT_REASON;
}
static inline bool shown_row_is_suspicious(const struct shown_row *row) {
  return !row->pseudo && is_suspicious_count(row->most);
}

/* Returns the counts of a row. If the counts come from windows, they are valid
 * until the next call. */
const struct record_counts *
shown_row_find_counts(const struct shown_profile *shown,
                      const struct shown_row *row);

/* Returns the name of a referenced function; data is NULL if the profile lacks
 * the name. */
struct bytes shown_find_name(const struct shown_profile *shown,
                             uint64_t reference);

/* Returns whether a row belongs to the list of functions that the settings ask
 * for. */
bool shown_row_is_wanted(const struct shown_profile *shown,
                         const struct shown_row *row,
                         const struct profile_part *part,
                         const struct show_settings *settings);

/* Returns the lowest count that compilers treat as hot: counters with at least
 * this count hold 99 % of the total. */
uint64_t shown_part_hot_threshold(const struct profile_part *part);

/* Returns the next part to show, or NULL at the end. *i is -1 at first. If no
 * section is wanted, each part that has records is shown. */
const struct profile_part *
shown_part_find_next(const struct shown_profile *shown,
                     const struct show_settings *settings, int *i);

/* Declares names that the text and the JSON output share. shown_format_name
 * returns the format of a file. A struct counting_mode describes one way to
 * count: its bit, its JSON name, and its name for people. */
const char *shown_format_name(const struct profile_file_kind *file);
struct counting_mode {
  unsigned flag;
  const char *name, *about;
};
enum { SHOW_MODES = 9 };
extern const struct counting_mode show_modes[SHOW_MODES]; /* the ways to count,
                                                            sorted by flag */

/* Prints bytes (a build id, a bitmap) in hexadecimal. */
void show_print_hex(struct text_stream *to, struct bytes id);

/* ---- show_text.c ---- */

/* Prints text for people. show_json.c prints JSON. */
void show_profile_text(FILE *stream, struct shown_profile *shown,
                       const struct show_settings *settings);

/* ---- show_json.c ----
 *
 * Writes the document of `bareprof show --json`, which is one object. Later
 * releases keep these keys and may add others. Counts are whole numbers up to
 * 2^64-1; a reader that uses doubles rounds them. Hashes are strings, because
 * they are not counts.
 *
 *   file               as the user gave it
 *   format             raw, indexed or text
 *   version            of the format; text has none
 *   bits, endian       of a raw file: 32 or 64; little or big
 *   mcdc_llvm          if there are MC/DC bitmaps: 18, or 19 for LLVM 19 and
 *                      later; 0: text does not say
 *   modes              array of front_end, ir, context_sensitive, entry_first,
 *                      loop_entries, single_byte, entry_only, temporal,
 *                      correlated
 *   regular            a part, see below
 *   context_sensitive  a part: what -fcs-profile-generate counted
 *   traces             {runs, list: [{weight, functions: [name or null]}]}
 *   build_ids          array of hex
 *   memory_profile     {version, bytes}, if there is one
 *
 * The document contains a part if the part has records or is the only one; --cs
 * chooses one part. The keys of a part are
 *
 *   functions, functions_run     number of names; names that ran
 *   records, pseudo, suspicious  number of records; records with pseudo counts;
 *                                records with implausible counts
 *   counters, counters_run       number of counters; counters above 0
 *   bitmap_bytes                 of MC/DC
 *   summary            without records that have pseudo counts, as compilers
 *                      see it: {records, counters, most_first, most_others,
 *                      most, total (modulo 2^64), hot, cutoffs: [{cutoff
 *                      (millionths), least, counters}]}; code is hot if its
 *                      count is at least `hot`
 *   sites              {call, memop, vtable}, each {sites, with_values,
 *                      values, histogram: [[values, sites]]}
 *   covered            array of the names that ran
 *   hottest            array of {name, hash, most}, largest first
 *   list               array of records, hottest first:
 *     name, hash       hash: 0x and 16 hex digits
 *     records          how many records have this name
 *     pseudo           hot or warm, and no counters; otherwise missing
 *     suspicious       true if a count is implausible; otherwise missing
 *     most             the largest counter
 *     counters         array
 *     bitmap           hex
 *     call, vtable     array of sites, each an array of {name (null: not in
 *                      this profile), count}, largest count first
 *     memop            array of sites, each an array of {size, count}
 *
 * If the user names sections, the document contains only these sections. Then
 * the records of a list have counters, bitmap or sites only with --counts,
 * --bitmap, --values.
 */

/* Prints the JSON document. The caller checks the stream for errors. */
void show_profile_json(FILE *stream, struct shown_profile *shown,
                       const struct show_settings *settings);

/* ---- shown_profile.c: lines ----
 *
 * Wraps words into lines of at most 80 columns.
 */

/* A line that starts with a label; words follow. If the words need more lines,
 * these start in the column of the first word. */
struct wrapped_line {
  struct text_stream *to;
  int begin, column;
};

/* Prints the label of a line. The first word starts in column `begin`. */
struct wrapped_line show_line_begin(struct text_stream *to, int begin,
                                    const char *label);
/* Print a word or number, after a blank or on a new line. show_line_end ends
 * the line. */
void show_line_print_word(struct wrapped_line *line, const char *format, ...)
    PRINTS_AS(2, 3);
void show_line_print_number(struct wrapped_line *line, uint64_t number);
void show_line_end(struct wrapped_line *line);

#endif
