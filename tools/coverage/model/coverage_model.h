/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A coverage model has each file with its scores and segments, and each
 * function with its regions, branches and MC/DC decisions. evaluate.c makes a
 * model from ELFs and profiles; coverage_model.c reads a model from an earlier
 * report or from an export of llvm-cov 13 to 23, which has decisions from 18 on
 * and executed vectors from 22 on. The writers in out/ and the pages (view.h)
 * read the model.
 *
 * All elements of one kind are in one array of the model. Each file or function
 * has a range of that array.
 */
#ifndef BAREPROF_TOOLS_COVERAGE_MODEL_H
#define BAREPROF_TOOLS_COVERAGE_MODEL_H

#include <stdbool.h>
#include <stdio.h>

#include "../../base/json.h"
#include "../../base/storage.h"

/* ---- scores.c ----
 *
 * This file computes the coverage of each file and in total, as llvm-cov
 * exports it. The table of `llvm-cov report` has the same numbers.
 * coverage_model.c reads the scores from JSON.
 */

enum metric { FUNCTIONS, LINES, REGIONS, BRANCHES, MCDC, METRICS };

/* The names of the metrics in options and JSON, and their titles in tables. */
extern const char *metric_names[METRICS], *metric_titles[METRICS];

/* Changes the name of the metric REGIONS to "instructions", for object code. */
void metrics_use_instructions(void);

struct score {
  uint64_t count, covered;
};

struct file_row {
  char *name; /* the source file's name */
  struct score scores[METRICS];
  bool added; /* added by the option --sources; in no ELF */
};

struct scores_summary {
  struct file_row *rows;
  size_t count;
  struct file_row total; /* sum of all rows; its name is NULL */
};

/* Reads the scores of a file or of the total from a JSON object. Sets
 * json->failed after an error. */
void summary_parse_scores(struct json_reader *json,
                          struct score scores[METRICS]);

/* Copies all rows into `to`, which the caller frees. */
void summary_copy(struct scores_summary *to, const struct scores_summary *from);
void summary_free(struct scores_summary *summary);

/* Prints each count that is not 0 in words, such as "1 function, 2 branches".
 * Returns whether there was such a count. */
bool metrics_print_counts(FILE *stream, const uint64_t counts[METRICS]);

/* Returns whether the row has nothing to cover. */
bool row_is_empty(const struct file_row *row);

/* Raises a score to the larger values of two instantiations. */
static inline void score_raise(struct score *to, const struct score *from) {
  to->count = from->count > to->count ? from->count : to->count;
  to->covered = from->covered > to->covered ? from->covered : to->covered;
}

/* Adds an element to a score if `counts` is set. The element is covered if
 * `ran` is not 0. */
static inline void score_add(struct score *score, bool counts, uint64_t ran) {
  score->count += counts;
  score->covered += counts && ran;
}

/* Adds the scores of another row to a row. */
void row_add_scores(struct file_row *row, const struct file_row *other);

/* A range of one of the model's arrays. */
struct slice {
  uint32_t begin, count;
};

/* A range of source text. The end is the position after the last character. */
struct source_span {
  uint32_t line, column, end_line, end_column;
};

#define NO_SITE UINT32_MAX
enum { NESTED_MOST = 256 /* macros within each other */ };

/* Returns a position as one number, which ascends in the order of the text. */
static inline uint64_t place_number(uint32_t line, uint32_t column) {
  return (uint64_t)line << 32 | column;
}

static inline uint64_t span_begin(const struct source_span *span) {
  return place_number(span->line, span->column);
}

static inline uint64_t span_end(const struct source_span *span) {
  return place_number(span->end_line, span->end_column);
}

static inline bool span_contains(const struct source_span *outer,
                                 const struct source_span *inner) {
  return span_begin(outer) <= span_begin(inner) &&
         span_end(inner) <= span_end(outer);
}

/* ---- view.c: causes ----
 *
 * The reasons why a number is not known: the profile and the mapping contradict
 * each other, or lack information. An element without a known number has the
 * count 0 and is not covered.
 *
 * The order matters: with a cause from CAUSE_CONSTEXPR to CAUSE_THROWN, a part
 * of a line may still show that the line ran (truth.c). From CAUSE_MAPPING on,
 * the cause of a region is for the whole function (view.c).
 */

enum cause {
  CAUSE_NONE,      /* The number is known. */
  CAUSE_NEGATIVE,  /* A difference of counters is negative. */
  CAUSE_LOST,      /* clang counts a condition with the function's counter. */
  CAUSE_HIDDEN,    /* The mapping lacks operators of a decision. */
  CAUSE_CONTRARY,  /* A vector contains an outcome that never occurred. */
  CAUSE_NEGATED,   /* clang measures the decision wrongly, because a part of the
                      decision is negated. */
  CAUSE_EMPTY,     /* The mapping lacks the conditions of a decision. */
  CAUSE_MACRO,     /* A macro may hide a negation. */
  CAUSE_CONSTEXPR, /* A jump in `if constexpr`, or one that clang does not
                      know, hides a counter. */
  CAUSE_ACTIVE,    /* A call before the code may not have returned. */
  CAUSE_ARGUMENT,  /* Code of a macro's argument may not have run. */
  CAUSE_THROWN,    /* An exception may have left the `try` before the code. */
  CAUSE_MAPPING,   /* The function's mapping is damaged. */
  CAUSE_FLOW,      /* The counts of object code do not determine a branch's
                      outcomes. */
  CAUSE_TWINS,     /* The counts may belong to a function of another file. */
  CAUSES
};

/* The causes as text for the user. */
extern const char *const cause_texts[CAUSES];

/* A line, branch, function or MC/DC decision whose number is not known. */
struct unknown_number {
  uint32_t name;         /* number of the source's name, as in model_files */
  uint32_t line, column; /* position; for a line, the column is 0 */
  uint32_t metric, cause;
  const char *function; /* name of a function; NULL for other metrics */
};

/* A line for which llvm-cov has another count. */
struct llvm_cov_difference {
  uint32_t row, line;
  uint64_t count; /* the count that llvm-cov shows */
};

/* A segment: the code from its position to the next one ran `count` times. As
 * in llvm-cov, `counted` says that the code has a count, `entry` that a region
 * begins here, and `gap` that the region is a gap. */
struct segment {
  uint32_t line, column;
  uint64_t count;
  bool counted, entry, gap;
  unsigned char cause; /* enum cause */
};

/* The kinds of regions, as llvm-cov numbers them. */
enum model_kind {
  MODEL_CODE,
  MODEL_EXPANSION,
  MODEL_SKIPPED,
  MODEL_GAP,
  MODEL_BRANCH,
  MODEL_DECISION,
  MODEL_CONDITION /* a branch that is also a condition of a decision */
};

/* A region of a function. `file` is the index of a file of the function. Each
 * expansion of a macro has a file for itself, and a region of kind
 * MODEL_EXPANSION leads to that file. */
struct model_region {
  struct source_span span;
  uint64_t count;
  uint32_t file, expanded;
  uint32_t kind;
  uint32_t cause : 6; /* enum cause */
  uint32_t added : 1; /* The mapping lacks the region, and no segment has it. */
  uint32_t again : 1; /* An earlier region has the same position. */
  uint32_t
      excluded : 1;   /* excluded by the user; mask_drop_excluded removes it */
  uint32_t variant : 23; /* number of the text's variant, only in models of
                            evaluate.c: see scores.c */
};

enum { TRUE_SIDE = 1, FALSE_SIDE = 2 }; /* the outcomes of a branch */

struct model_branch {
  struct source_span span;
  uint64_t counts[2]; /* times that the condition was true, and false */
  uint32_t file, kind;
  uint32_t constant; /* the outcomes that cannot occur, as bits */
  uint32_t cause;    /* enum cause */
  uint64_t address;  /* address of the instruction; 0: source branch */
  bool excluded;     /* see struct model_region */
};

/* The value of a condition in a vector. */
enum condition_value { VALUE_FALSE, VALUE_TRUE, VALUE_NONE };

/* An MC/DC decision. `conditions` says for each condition whether an
 * independence pair shows it. `vectors` is the number of vectors that ran. For
 * each vector, the array `values` has the values of the conditions and then the
 * result. */
struct model_decision {
  struct source_span span;
  uint32_t file;
  struct slice conditions, values;
  uint32_t vectors;
  uint32_t cause; /* enum cause; if it is not 0, the vectors are missing */
  bool excluded;  /* see struct model_region */
};

/* A condition of a decision; the array `conditions` has its coverage. `next`
 * has the numbers of the conditions that follow if this condition is false or
 * true; -1 means that the decision ends. */
struct model_condition {
  struct source_span span;
  uint32_t file;     /* see struct model_region */
  uint32_t constant; /* see struct model_branch */
  int16_t number, next[2];
};

/* A call that was active when the counts were read. */
struct active_call {
  const char *name; /* linker name of the calling function */
  const char *file; /* source file of the call, as debug information has it */
  uint32_t line, column;
  uint32_t elf;   /* number of the ELF, as in struct model_function */
  uint32_t times; /* number of added dumps in which the call was active */
  bool called;    /* false: the position where the core was halted */
  bool unsure; /* Each time that the call was reached, it may have been active
                     when counts were read, or have returned. */
};

struct model_function {
  const char *name;
  uint64_t count;
  struct slice files, regions, branches, decisions;
  /* Only models of evaluate.c have the next fields. */
  uint64_t hash;
  uint32_t main;     /* index of the file that defines the function, among the
                        function's files */
  uint32_t instance; /* number of the first ELF with the function */
  bool excluded;     /* see struct model_region */
  /* The scores of the function. LINES covers only the main file. A model of
   * object code has only instructions. */
  struct score scores[METRICS];
  /* The scores of the function together with the other instantiations at its
   * position, as the file's row counts them. */
  struct score counted[METRICS];
};

/* The number of functions that the model lacks, and the first names. */
enum { LEFT_OUT_NAMES = 10 };
struct left_out_functions {
  size_t count;
  uint32_t instance; /* number of the ELF with the first one */
  const char *names[LEFT_OUT_NAMES]; /* names, which the profile owns */
};

struct model {
  /* One row for each file of the report. */
  struct scores_summary summary;
  struct slice *segments; /* range of each row's segments; NULL without rows */
  /* The file names. The names of the rows come first, then names that only
   * functions use. */
  const char **names;
  size_t name_count;
  bool has_vectors; /* The export's llvm-cov also exports vectors. */
  bool has_functions;
  struct buffer segment_list, functions, files, regions, branches, decisions,
      conditions, values;
  uint32_t *sites; /* parallel to `files`: for each file of a function, the
                      index of the region that leads to the file, or NO_SITE */
  /* Only models of evaluate.c have the next fields. */
  size_t elfs;                  /* number of ELFs with counts */
  size_t failed; /* after an error of evaluate_elfs, the index of the input */
  struct buffer atoms;          /* list of struct model_condition, parallel to
                                   `conditions` */
  struct score *instantiations; /* scores of functions for each row and in
                                   total, where each instantiation counts */
  struct left_out_functions
      mismatched;                     /* functions whose counts do not fit their
                                   mapping */
  struct left_out_functions unmapped; /* functions with counts but without a
                                   mapping */
  struct buffer
      differs;      /* list of struct llvm_cov_difference, sorted by row and
                            line */
  bool as_llvm_cov; /* The numbers are llvm-cov's even where they are wrong. */
  /* Only coverage_model.c uses the next fields. */
  struct arena texts;
  struct map numbers;
};

/* ---- coverage_model.c ---- */

/* Parses a JSON text, which is one element of the array `data` of an export.
 * Returns NULL or the error. The caller frees *exported in both cases and need
 * not initialise it. */
const char *model_parse(struct model *exported, struct bytes text);

/* Initialises an empty model. `limit` is the limit of each list in bytes. */
void model_init(struct model *exported, size_t limit);
void model_free(struct model *exported);

/* Fills exported->sites. Call this after functions were added or removed. */
void model_set_sites(struct model *exported);

/* Replaces a position in a macro with the position of the macro's use, also if
 * macros are nested. `path` receives the regions of the expansions, the
 * outermost first. Returns the number of expansions. */
uint32_t model_move_to_macro_use(const struct model *exported,
                                 const struct model_function *function,
                                 uint32_t *file, struct source_span *span,
                                 uint64_t path[NESTED_MOST]);

/* Sets *number to the index of a file name. Adds the name if it is new. Returns
 * false if memory runs out. */
bool model_find_or_add_name(struct model *exported, const char *name,
                            uint32_t *number);

/* Sets the beginnings of a function's ranges to the current ends of the arrays.
 * If `end` is set, sets the lengths of the ranges instead. */
void model_begin_or_end_ranges(const struct model *exported,
                               struct model_function *function, bool end);

/* These functions return a whole array of the model. */
#define MODEL_ARRAY(name, type, list)                              \
  static inline type *model_##name(const struct model *exported) { \
    return (type *)(void *)exported->list.data;                    \
  }
MODEL_ARRAY(segments, struct segment, segment_list)
MODEL_ARRAY(functions, struct model_function, functions)
MODEL_ARRAY(files, uint32_t, files) /* indexes in `names` */
MODEL_ARRAY(regions, struct model_region, regions)
MODEL_ARRAY(branches, struct model_branch, branches)
MODEL_ARRAY(decisions, struct model_decision, decisions)
MODEL_ARRAY(conditions, unsigned char, conditions)
MODEL_ARRAY(values, unsigned char, values)
MODEL_ARRAY(atoms, struct model_condition, atoms)
#undef MODEL_ARRAY

/* These functions return one range of a function. */
#define MODEL_OF(name, type)                                                 \
  static inline type *model_##name##_of(                                     \
      const struct model *exported, const struct model_function *function) { \
    return model_##name(exported) + function->name.begin;                    \
  }
MODEL_OF(files, uint32_t)
MODEL_OF(regions, struct model_region)
MODEL_OF(branches, struct model_branch)
MODEL_OF(decisions, struct model_decision)
#undef MODEL_OF

/* Returns whether a condition counts: no test can cover a constant. An earlier
 * report does not say which conditions are constant. */
static inline bool model_condition_counts(const struct model *exported,
                                          uint32_t condition) {
  return !exported->atoms.size || !model_atoms(exported)[condition].constant;
}

static inline size_t model_function_count(const struct model *exported) {
  return exported->functions.size / sizeof(struct model_function);
}

/* ---- segments.c ----
 *
 * This file computes from the segments how often each line of a file ran. The
 * rule is the same as in `llvm-cov export -format=lcov`.
 */

struct line_count {
  uint64_t count;
  uint32_t segments;    /* index of the first segment after the line */
  uint32_t missed : 24; /* number of lines from 1 to this one that have code and
                           never ran */
  uint32_t counted : 1; /* The line has code. */
  uint32_t cause : 7;   /* enum cause */
};

/* The lines of a file, numbered from 1: list[0] is empty. */
struct source_lines {
  struct line_count *list;
  uint32_t count; /* number of the last line with a segment, plus 1 */
  const struct segment *segments;
};

/* Returns the number of lines with code in a list of segments, and the number
 * of these lines that ran. */
struct score segments_score_lines(const struct segment *list, size_t count);

/* Checks that the segments are sorted and that memory suffices for their lines.
 * Returns NULL or the error. */
const char *segments_check_order(const struct model *exported);

/* Returns the lines of a row. The caller frees them with lines_free. */
struct source_lines lines_make(const struct model *exported, size_t row);
void lines_free(struct source_lines *lines);

/* Returns how many lines from `from` to `to` (inclusive) have code and never
 * ran. */
uint32_t lines_count_missed(const struct source_lines *lines, uint32_t from,
                            uint32_t to);

/* ---- scores.c ---- */

/* Makes rows for the first `count` names, without scores. */
void model_make_rows(struct model *out, size_t count);

/* ---- view.c: numbers that are not known ---- */

/* Appends all numbers of a model that are not known to a list of struct
 * unknown_number. The list is sorted by cause, metric and position; each
 * position occurs once. */
void unknown_numbers_append(const struct model *exported, struct buffer *list);

#endif
