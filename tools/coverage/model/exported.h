/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model of a coverage: each file with its scores and segments; each
 * function with its regions, branches and MC/DC decisions. evaluate.c makes it;
 * exported.c reads it from an earlier report, or an export of llvm-cov 13 to
 * 22: those have decisions from 18 on, the vectors that ran from 22 on.
 *
 * Lists of one kind are one array. A file or a function has a range of it.
 */
#ifndef BAREPROF_TOOLS_EXPORTED_H
#define BAREPROF_TOOLS_EXPORTED_H

#include <stdbool.h>
#include <stdio.h>

#include "../../base/json.h"
#include "../../base/storage.h"

/* ---- scores.c ----
 *
 * Coverage of each file and in total, as llvm-cov exports it. The table of
 * `llvm-cov report` has the same numbers. exported.h reads it.
 */

enum metric { FUNCTIONS, LINES, REGIONS, BRANCHES, MCDC, METRICS };

/* The users' names of the metrics; and as titles. */
extern const char *metric_names[METRICS], *metric_titles[METRICS];

/* Object code has instructions in the place of regions. */
void metrics_of_object_code(void);

struct score {
  uint64_t count, covered;
};

struct file_row {
  char *name; /* of the source file */
  struct score scores[METRICS];
  bool added; /* `--sources` has added it; no ELF has measured it. */
};

struct scores_summary {
  struct file_row *rows;
  size_t count;
  struct file_row total; /* without a name */
};

/* Reads the scores of a file, or in total. */
void summary_scores(struct json *json, struct score scores[METRICS]);

/* Copies all rows. */
void summary_copy(struct scores_summary *to, const struct scores_summary *from);
void summary_free(struct scores_summary *summary);

/* Prints counts that are not 0 in words: "1 function, 2 branches". Returns
 * whether there was any. */
bool metrics_put(FILE *stream, const uint64_t counts[METRICS]);

/* Whether the row has nothing to cover. */
bool row_empty(const struct file_row *row);

/* Of several instantiations, the best counts. */
static inline void score_best(struct score *to, const struct score *from) {
  to->count = from->count > to->count ? from->count : to->count;
  to->covered = from->covered > to->covered ? from->covered : to->covered;
}

/* Adds the coverage of another row. */
void row_add(struct file_row *row, const struct file_row *other);

/* From `begin` on, `count` elements of one of the arrays. */
struct slice {
  uint32_t begin, count;
};

/* Where something is; the end is after its last character. */
struct source_span {
  uint32_t line, column, end_line, end_column;
};

#define NO_SITE UINT32_MAX
enum { NESTED_MOST = 256 /* macros within each other */ };

/* A place as a number, in the order of the source. */
static inline uint64_t place_number(uint32_t line, uint32_t column) {
  return (uint64_t)line << 32 | column;
}

static inline bool span_holds(const struct source_span *outer,
                              const struct source_span *inner) {
  return place_number(outer->line, outer->column) <=
             place_number(inner->line, inner->column) &&
         place_number(inner->end_line, inner->end_column) <=
             place_number(outer->end_line, outer->end_column);
}

/* ---- not_known.c ----
 *
 * Why a number is not known: it cannot be. Its count is 0 then, and it counts
 * as not covered.
 */

enum cause {
  CAUSE_NONE,     /* The number is known. */
  CAUSE_NEGATIVE, /* a difference of counters is below 0 */
  CAUSE_LOST,     /* clang gives a condition the function's counter */
  CAUSE_HIDDEN,   /* A decision has operators that its mapping lacks. */
  CAUSE_CONTRARY, /* A vector has a side that never was. */
  CAUSE_NEGATED,  /* clang measures a decision with a negated part wrongly. */
  CAUSE_EMPTY,    /* The mapping lacks conditions of a decision: it has none. */
  CAUSE_MACRO,    /* Macros may hide such a part. */
  CAUSE_CONSTEXPR, /* A jump in an `if constexpr` hides the counter. */
  CAUSE_MAPPING,   /* The function's mapping is damaged. */
  CAUSE_FLOW,      /* A branch's outcomes do not follow from counts. */
  CAUSE_TWINS,     /* Its counts may be of another file's function. */
  CAUSES
};

/* The same in words, for the user. */
extern const char *const cause_texts[CAUSES];

/* ---- object code ----
 *
 * What the debug information and a trace say of the sources of an ELF that was
 * not built for coverage. file: number in files.
 */

struct object_source_line {
  uint32_t file, line;
  uint64_t count;
  uint32_t instructions, ran;
};

struct object_source_branch {
  uint32_t file, line;
  uint32_t number; /* in its line, from 1 */
  uint64_t address, counts[2]; /* it goes to its target, falls through */
  bool known;                  /* the counts */
};

struct object_source_function {
  const char *name;
  uint32_t file, line, last; /* from this line to that one */
  uint64_t count;            /* calls */
  uint32_t instructions, ran;
  struct slice branches;
};

struct object_model {
  const char *const *files;
  const struct object_source_line *lines; /* by file and line */
  const struct object_source_function *functions;
  const struct object_source_branch *branches;
  size_t file_count, line_count, function_count;
};

/* A line, a branch, the MC/DC of a decision or a function. */
struct not_known {
  uint32_t name;         /* of its source, as of exported_files */
  uint32_t line, column; /* column: 0 of a line */
  uint32_t metric, cause;
  const char *function; /* its name, of a function; else NULL */
};

/* A line that llvm-cov counts otherwise. */
struct line_differs {
  uint32_t row, line;
  uint64_t count; /* llvm-cov's */
};

/* Up to the next segment, the code ran so often. */
struct segment {
  uint32_t line, column;
  uint64_t count;
  bool counted, entry, gap;
  unsigned char cause; /* enum cause */
};

/* The kinds of regions, as llvm-cov numbers them. */
enum exported_kind {
  EXPORTED_CODE,
  EXPORTED_EXPANSION,
  EXPORTED_SKIPPED,
  EXPORTED_GAP,
  EXPORTED_BRANCH,
  EXPORTED_DECISION,
  EXPORTED_CONDITION /* a branch that is a condition of a decision */
};

/* file: number in the function's files. Each expansion of a macro is a file
 * of its own, to which a region of kind EXPORTED_EXPANSION leads. */
struct exported_region {
  struct source_span span;
  uint64_t count;
  uint32_t file, expanded;
  uint32_t kind;
  uint32_t cause : 6; /* enum cause */
  uint32_t added : 1; /* The mapping lacks it: it is in no segment. */
  uint32_t again : 1; /* The function has another one at its place. */
  uint32_t form : 24; /* of the model only: forms of a text are counted apart */
};

enum { TRUE_SIDE = 1, FALSE_SIDE = 2 }; /* of a branch */

struct exported_branch {
  struct source_span span;
  uint64_t counts[2]; /* how often it was true, and false */
  uint32_t file, kind;
  uint32_t constant; /* sides that cannot be */
  uint32_t cause;    /* enum cause */
  uint64_t address;  /* of a branch instruction; 0: it is of the source */
};

/* The value of a condition in a vector. */
enum exported_value { VALUE_FALSE, VALUE_TRUE, VALUE_NONE };

/* conditions: for each, whether it is covered; vectors: those that ran. The
 * vectors' values follow each other in `values`: of each vector one for each
 * condition, and the result. */
struct exported_decision {
  struct source_span span;
  uint32_t file;
  struct slice conditions, values;
  uint32_t vectors;
  uint32_t cause; /* enum cause: it has no vectors then */
};

/* A condition of a decision, next to the byte that says whether it is covered.
 * next: the condition after it if it is false, and true, by the number in
 * exported_condition.number; -1: the decision is decided. */
struct exported_condition {
  struct source_span span;
  uint32_t file;     /* as of a region */
  uint32_t constant; /* as of a branch */
  int16_t number, next[2];
};

/* A call that was active when counts were read. */
struct active_call {
  const char *name; /* the function that calls, as the linker has it */
  const char *file; /* of the call, as the debug information has it */
  uint32_t line, column;
  uint32_t times; /* in how many of the dumps that add up */
  bool called;    /* false: it is the place where the core was halted */
};

struct exported_function {
  const char *name;
  uint64_t count;
  struct slice files, regions, branches, decisions;
  /* Of the model only. */
  uint64_t hash;
  uint32_t main;     /* the number in files of the file that it is defined in */
  uint32_t instance; /* of its ELF, by number, or the first of several */
  struct score scores[METRICS]; /* its own, of lines in its main file */
};

/* Functions that the model lacks, and the names of the first ones. */
enum { LEFT_OUT_NAMES = 10 };
struct left_out {
  size_t count;
  const char *names[LEFT_OUT_NAMES]; /* of a profile */
};

struct exported {
  /* The rows are the files of the report. */
  struct scores_summary summary;
  struct slice *segments; /* of each row; NULL without rows */
  /* Names of files: first those of the rows, then what functions name too. */
  const char **names;
  size_t name_count;
  bool has_vectors; /* The llvm-cov writes vectors, if there are any. */
  bool has_functions;
  struct buffer segment_list, functions, files, regions, branches, decisions,
      conditions, values;
  uint32_t *sites; /* in step with files: the number of the region in its
                      function that leads there, or NO_SITE */
  /* Of the model only. */
  struct buffer atoms; /* exported_condition, in step with conditions */
  struct score *instantiations; /* of functions in each row, and in total */
  struct left_out mismatched;   /* functions whose counts are of another form */
  struct left_out unmapped;     /* counted, and in no mapping */
  struct buffer differs;        /* struct line_differs, by row and line */
  bool as_llvm_cov; /* Numbers that cannot be are as llvm-cov has them. */
  /* Only for exported.c. */
  struct arena texts;
  struct map numbers;
};

/* Reads an element of the array `data` of an export. Returns NULL or the error.
 * The caller frees *exported in both cases, and need not initialise it
 * before. */
const char *exported_read(struct exported *exported, struct bytes json);

/* Begins an export with nothing in it. limit: bytes of each list. */
void exported_begin(struct exported *exported, size_t limit);
void exported_free(struct exported *exported);

/* Makes rows of the first names, without scores; and once they have some, the
 * totals. */
void exported_rows(struct exported *exported, size_t count);
void exported_add_up(struct exported *exported);

/* Finds the sites, once the functions are there. */
void exported_settle(struct exported *exported);

/* Goes from a place of a function to where it is used: out of its file to the
 * expansion that leads there, and on. path: these expansions, the outermost
 * first. Returns how many there are. */
uint32_t exported_use(const struct exported *exported,
                      const struct exported_function *function, uint32_t *file,
                      struct source_span *span, uint64_t path[NESTED_MOST]);

/* The number of a file's name, which it gets if it has none; false: out of
 * memory. */
bool exported_number(struct exported *exported, const char *name,
                     uint32_t *number);

/* Where each list of a function begins, or how long it has become. */
void exported_mark(const struct exported *exported,
                   struct exported_function *function, bool end);

/* The arrays. */
#define EXPORTED_ARRAY(name, type, list)                                 \
  static inline type *exported_##name(const struct exported *exported) { \
    return (type *)(void *)exported->list.data;                          \
  }
EXPORTED_ARRAY(segments, struct segment, segment_list)
EXPORTED_ARRAY(functions, struct exported_function, functions)
EXPORTED_ARRAY(files, uint32_t, files) /* numbers of names */
EXPORTED_ARRAY(regions, struct exported_region, regions)
EXPORTED_ARRAY(branches, struct exported_branch, branches)
EXPORTED_ARRAY(decisions, struct exported_decision, decisions)
EXPORTED_ARRAY(conditions, unsigned char, conditions)
EXPORTED_ARRAY(values, unsigned char, values)
EXPORTED_ARRAY(atoms, struct exported_condition, atoms)
#undef EXPORTED_ARRAY

/* Those of a function. */
#define EXPORTED_OF(name, type)                              \
  static inline type *exported_##name##_of(                  \
      const struct exported *exported,                       \
      const struct exported_function *function) {            \
    return exported_##name(exported) + function->name.begin; \
  }
EXPORTED_OF(files, uint32_t)
EXPORTED_OF(regions, struct exported_region)
EXPORTED_OF(branches, struct exported_branch)
EXPORTED_OF(decisions, struct exported_decision)
#undef EXPORTED_OF

static inline size_t exported_function_count(const struct exported *exported) {
  return exported->functions.size / sizeof(struct exported_function);
}

/* ---- segments.c ----
 *
 * How often the lines of a file ran, from the segments of llvm-cov's export, by
 * the rule of `llvm-cov export -format=lcov`.
 */

struct line_count {
  uint64_t count;
  uint32_t segments;    /* after those of the line, in the file's list */
  uint32_t missed : 24; /* lines with code up to this one that never ran */
  uint32_t counted : 1; /* There is code. */
  uint32_t cause : 7;   /* enum cause */
};

/* Lines are numbered from 1: list[0] is empty. */
struct lines {
  struct line_count *list;
  uint32_t count; /* the last line with a segment, and 1 */
  const struct segment *segments;
};

/* Counts the lines of a list of segments, and those that ran. */
struct score lines_score(const struct segment *list, size_t count);

/* Whether segments are in order, and lines not more than there is memory for:
 * who makes an export checks that. Returns NULL or the error. */
const char *lines_check(const struct exported *exported);

/* The lines of a row. The caller frees them. */
struct lines lines_count(const struct exported *exported, size_t row);
void lines_free(struct lines *lines);

/* Adds all that is not known of a model's sources to a list of struct
 * not_known: by cause, metric and place, each place once. */
void not_known_list(const struct exported *exported, struct buffer *list);

/* Lines with code that never ran, from one to another, both included. */
uint32_t lines_missed(const struct lines *lines, uint32_t from, uint32_t to);

#endif
