/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files in this folder share this state and these functions while they make
 * a model. evaluate.c begins the evaluation of each ELF.
 */
#ifndef BAREPROF_TOOLS_EVALUATION_H
#define BAREPROF_TOOLS_EVALUATION_H

#include <stdlib.h>

#include "../../object/mapping.h"
#include "evaluate.h"

/* NO_FILE stands for a missing file. evaluation.seen uses the two other
 * constants in place of an ELF's number. */
#define NO_FILE UINT32_MAX
#define ALL_INSTANCES UINT64_MAX
#define DOUBTED (UINT64_MAX - 1)

/* The bits of a value with the key DOUBTED: the counts may belong to a function
 * of another file, and such a function lacks a mapping. */
enum { TWINS_COUNT = 1, TWINS_NAMED = 2 };

/* A source has fewer lines than LINES_MOST. LINE_END is a column after the end
 * of any line. */
enum { LINES_MOST = 1 << 22, LINE_END = 1 << 24 };

/* The position of a function. */
struct function_position {
  uint64_t begin; /* functions with the same position are instantiations */
  uint32_t row;   /* number of the file name */
  uint32_t function;
};

/* A stretch of source text with one count. A stretch ends where the next
 * stretch begins. */
struct counted_stretch {
  uint64_t place;
  uint64_t begin; /* position where the region of the stretch begins */
  uint64_t count;
  bool counted, gap;
  bool entry;          /* The region begins at this stretch. */
  bool macro;          /* The stretch is the name of a macro. */
  bool empty;          /* an empty region, which counts only at its position */
  bool dropped;        /* A macro does not use this argument. */
  unsigned char cause; /* enum cause */
};

/* The count of a token or line. No profile has a count above 2^56, but the sum
 * over a template's instantiations may be higher. */
struct token_count {
  uint64_t count;
  bool counted, argument; /* argument: in the argument of a macro */
  bool dropped;           /* in an argument that the macro does not use */
  unsigned char cause;    /* enum cause */
};

/* The true counts of a source text (truth.c), for each token, or for each line
 * if the source is missing. */
struct true_counts {
  const struct source_tokens *tokens; /* tokens; NULL if the source is
                                         missing */
  struct buffer stretches;            /* list of struct counted_stretch, of one
                                  variant */
  struct buffer counts;               /* list of struct token_count */
  size_t first;                       /* index of the token, or the line, that
                                  counts[0] belongs to */
  struct buffer all;                  /* counts of the whole source */
  size_t all_first;
  uint32_t row; /* the source */
  /* With code_only, a sorted list of struct branch_line. These lines count even
   * if they lack tokens, as in a macro's definition. */
  struct buffer branch_lines;
};

struct branch_line {
  uint64_t place; /* row << 32 | line */
};

struct evaluation {
  struct model *out;
  const struct evaluation_input *from; /* the current ELF */
  uint32_t instance;                   /* number of that ELF */
  bool has_bits;  /* The profile has executed MC/DC vectors. */
  bool saturated; /* Counts of an ELF are lower bounds, and so are the sums of
                     several ELFs. */
  const struct evaluation_options *options;
  struct mapping mapping;
  struct map names; /* map from (reference, index, ELF) to the number of a
                         file name, plus 1 */
  /* A set of functions, by name and digest: for each ELF, for all ELFs
   * together, and for functions whose counts are doubtful. */
  struct map seen;
  struct map used;    /* set of the functions that some object uses */
  struct profile sum; /* sum of the counts of all ELFs */
  size_t elfs;        /* number of ELFs with counts */
  const char *error;
  /* The next fields belong to the current function. */
  struct function_counts counted;
  uint32_t cause;       /* the reason (enum cause) if all numbers of the
                           function are unknown */
  struct buffer values; /* list of struct expression_value */
  struct buffer stack;
  struct buffer sites;  /* for each file of the function, the index + 1 of the
                           region that leads to it */
  struct buffer leads;  /* for each file, the counter of its first region */
  struct buffer owners; /* for each region, the decision that owns it */
  /* Scratch memory, as `stack`: a call may overwrite these buffers. */
  struct buffer scratch, segments, active, merged[2];
  /* The excluded lines of source lines_of, which was requested last. */
  const struct line_span *lines;
  size_t line_count;
  uint32_t lines_of;
  uint64_t steps;      /* number of steps that remain; the limit protects
                          against damaged mappings */
  struct buffer holes; /* list of struct variant_hole */
  struct buffer lost;  /* list of struct lost_gap, of the current function */
  struct true_counts truth;
};

/* A range of source text where one variant of the text lacks a count. */
struct variant_hole {
  uint32_t row, instance;
  struct model_region region;
};

/* ---- evaluate.c ---- */

/* evaluation_begin initialises the lists, none of which may exceed `limit`
 * bytes. evaluation_end frees the lists. */
void evaluation_begin(struct evaluation *evaluation, size_t limit);
void evaluation_end(struct evaluation *evaluation);

/* Clears a buffer and returns space in the buffer for `count` zeroed elements.
 * The buffer does not have a limit, so `count` must come from the size of a
 * mapping or model. */
void *evaluation_clear_and_reserve(struct buffer *buffer, size_t count,
                                   size_t size);
/* Appends an element, or sets the error. */
void evaluation_append(struct evaluation *evaluation, struct buffer *list,
                       const void *element, size_t size);

static inline struct source_span region_span(const struct region *region) {
  return (struct source_span){region->begin.line, region->begin.column,
                              region->end.line, region->end.column};
}

static inline uint64_t begin_of(const struct region *region) {
  return position_sort_key(region->begin);
}

static inline uint64_t end_of(const struct region *region) {
  return position_sort_key(region->end);
}

/* The regions of one file of the current function. */
struct file_regions {
  const struct region *list, *end;
};

struct file_regions
evaluation_find_regions(const struct evaluation *evaluation, uint32_t file);

/* Returns the innermost code region that contains a position, which may be the
 * region's begin, but not its end. If several regions have the same span,
 * returns the last one. Returns NULL if no region contains the position. */
const struct region *regions_find_code_around(struct file_regions regions,
                                              uint64_t place);

static inline bool region_is_branch(const struct region *region) {
  return region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
}

/* Returns the outcomes of a branch that cannot occur, as bits. */
static inline unsigned region_constant_outcomes(const struct region *branch) {
  return (branch->counter == COUNTER_ZERO ? TRUE_SIDE : 0u) |
         (branch->other == COUNTER_ZERO ? FALSE_SIDE : 0u);
}

/* Returns whether to evaluate the current function: from->only is NULL or
 * contains the function. */
static inline bool
evaluation_uses_function(const struct evaluation *evaluation) {
  const struct evaluation_input *from = evaluation->from;
  return !from->only || map_find(from->only, evaluation->mapping.name,
                                 from->number, 0) != NULL;
}

/* A counter of the mapping, and the true count, which the counter may lack. */
struct corrected_count {
  uint64_t counter, value;
  uint32_t cause; /* enum cause; if there is one, the value is 0 */
  bool dropped;   /* The preprocessor drops the code. */
};

/* Adds code between two positions to the model's regions, if the first position
 * is before the other one. The mapping lacks this code. Lines of dropped code
 * do not count. */
void evaluation_add_code(struct evaluation *evaluation, uint32_t file,
                         uint64_t begin, uint64_t end,
                         struct corrected_count count);

/* Subtracts steps from the remaining ones. Returns false and sets the error if
 * too few steps remain. */
bool evaluation_use_steps(struct evaluation *evaluation, uint64_t steps);

/* Returns the region that leads to a file of the function, or NULL. */
const struct region *
evaluation_find_expansion(const struct evaluation *evaluation, uint32_t file);

/* Returns the model's number for the name of a file of the current function.
 * Adds the name if the model lacks it, and sets evaluation->error if this
 * fails. */
uint32_t evaluation_find_or_add_file(struct evaluation *evaluation,
                                     uint32_t file);

/* Returns the tokens of a file of the current function. Returns NULL if the
 * source is missing, or if sources are not read. */
const struct source_tokens *
evaluation_find_tokens(struct evaluation *evaluation, uint32_t file);

/* Sorts the model's sources by name, but puts the sources of the report first,
 * and makes their rows. Do not call model_find_or_add_name afterwards. */
void evaluation_make_sorted_rows(struct model *out,
                                 const struct evaluation_options *mask);

/* Fills the lists `sites` and `leads` for the current function. */
void sites_fill_expansion_lists(struct evaluation *evaluation);

/* Returns the number of the file that defines the function, or NO_FILE. */
uint32_t sites_find_main_file(const struct evaluation *evaluation);

/* counts_compute_values computes all expressions of the current function, and
 * returns false if the profile does not fit them. After that,
 * evaluation_counter_value returns the value of a counter modulo 2^64. */
bool counts_compute_values(struct evaluation *evaluation);
uint64_t evaluation_counter_value(const struct evaluation *evaluation,
                                  uint64_t counter);
/* Returns the value of a counter. If the value is negative, returns 0 and sets
 * *cause, except in a model like llvm-cov's, which gets the value modulo 2^64.
 */
uint64_t counts_find_value_or_cause(const struct evaluation *evaluation,
                                    uint64_t counter, uint32_t *cause);

/* Returns the number of the first plain counter that a counter adds. */
uint64_t counts_find_first_counter(const struct evaluation *evaluation,
                                   uint64_t counter);

/* Returns why the counts of a branch are not known, as enum cause. */
uint32_t counts_find_branch_cause(const struct evaluation *evaluation,
                                  const struct region *branch);

/* ---- scores.c ---- */

/* Reads the function records of an ELF before its functions are evaluated. An
 * unused copy of a function counts only if no object uses the function. If
 * there are several ELFs, the counts of equal functions are added up. */
void sums_mark_used_and_add(struct evaluation *evaluation);
/* Finds the counts of the current function. Returns false if the function has
 * already been evaluated or cannot be evaluated. */
bool sums_set_counts_and_cause(struct evaluation *evaluation);

/* Returns whether the counts of the current function include an ELF's. */
bool sums_has_counts_of_elf(struct evaluation *evaluation, uint32_t elf);

/* Returns a digest of the current function. Equal functions in several ELFs
 * have the same digest. */
uint64_t sums_function_digest(struct evaluation *evaluation);

/* Lists the functions in the current ELF's profile that are missing from all
 * mappings. */
void sums_list_unmapped_functions(struct evaluation *evaluation);
static inline void left_out_append(struct left_out_functions *list,
                                   const char *name, uint32_t instance) {
  if (!list->count)
    list->instance = instance;
  if (list->count < LEFT_OUT_NAMES)
    list->names[list->count] = name;
  list->count++;
}

/* Makes the segments and scores of all sources. Returns NULL or the error. */
const char *scores_make_rows(struct model *exported,
                             const struct evaluation_options *mask);

/* ---- twins.c ----
 *
 * This file marks functions of the current ELF whose counts may belong to a
 * function of another file. Call twins_mark_doubted_functions after the first
 * pass of sums_mark_used_and_add, with the mapping rewound.
 */
void twins_mark_doubted_functions(struct evaluation *evaluation);

/* ---- decisions.c ---- */

/* Adds the decisions of the current function to the model. */
void decisions_add_to_model(struct evaluation *evaluation);

/* ---- constexpr.c ---- */

/* Finds the gaps after an `if constexpr` in the current function, whose counts
 * the mapping lacks. constexpr_find_count then returns the true count of a
 * counter of a region or branch. */
void constexpr_find_lost_gaps(struct evaluation *evaluation);
struct corrected_count constexpr_find_count(struct evaluation *evaluation,
                                            const struct region *region,
                                            uint64_t counter);
/* Adds the code after these gaps to the model's regions of one file of the
 * current function. `first` is the index of the file's first region. */
void constexpr_add_regions(struct evaluation *evaluation, size_t first);

/* ---- arguments.c ---- */

/* Adds the arguments of macros to the model's regions of one file of the
 * current function, if the macro evaluated them less or more often than it ran.
 * `first` and `end` are indices of the file's regions in the mapping. */
void arguments_add_regions(struct evaluation *evaluation, size_t first,
                           size_t end);

/* ---- tries.c ---- */

/* Marks the code of one file of the current function that an exception in a
 * `try` may have skipped, and the code after a `try` whose end clang did not
 * count. `first` and `end` are indices of the file's regions in the mapping.
 * `out` is the index of the first region of the file in the model. */
void tries_mark_unknown(struct evaluation *evaluation, size_t first, size_t end,
                        size_t out);

/* ---- active_counts.c ---- */

/* Corrects the counts after calls that were still active: adds regions with
 * lower counts to the model and lowers the counts of branches. Call this
 * function after the regions of the function's main file were added, and before
 * the functions of the next file. */
void active_counts_correct(struct evaluation *evaluation,
                           struct model_function *function);

/* ---- segments.c ---- */

/* Appends the segments of a source to a list. Changes the regions' order. Also
 * fills truth.stretches unless the user wants llvm-cov's numbers. */
void segments_build(struct evaluation *evaluation, struct model_region *regions,
                    size_t count, struct buffer *list, uint32_t name);
/* Merges the segments of two variants of one source. A position has code if it
 * has code in either variant; its count is the sum of both counts. */
void segments_merge(struct evaluation *evaluation, const struct buffer *left,
                    const struct buffer *right, struct buffer *list);
/* Moves the segments of the list that begin at byte `begin` to memory that is
 * valid until evaluation->active is used again. The caller can then write the
 * list again. Returns NULL after an error, or if no segment begins there. */
const struct segment *segments_move_out(struct evaluation *evaluation,
                                        struct buffer *list, size_t begin,
                                        size_t *count);
/* Removes the excluded lines of a source from the segments that begin at byte
 * `begin` of the list. `name` is the number of the source. */
void segments_exclude_lines(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t name);

/* Returns the count of a line by llvm-cov's rule. The segments from `from` to
 * `to` begin in the line; `wrapped` is the last one before it, or NULL. */
struct line_count segments_line_count(const struct segment *from,
                                      const struct segment *to,
                                      const struct segment *wrapped);

/* ---- truth.c ---- */

/* Begins the token counts between two positions of a source. */
void truth_begin_counts(struct evaluation *evaluation, uint32_t name,
                        uint64_t begin, uint64_t end);
/* Adds the stretches of one variant, which segments_build has made. */
void truth_add_stretches(struct evaluation *evaluation);
/* Clears the counts of lambdas without a record, because such lambdas never
 * ran. `positions` has the functions of the current source, sorted by position.
 * Keeps the counts of the source for truth_copy_inner_counts. */
void truth_clear_lambdas_and_save(struct evaluation *evaluation,
                                  const struct function_position *positions,
                                  size_t count);
/* Copies the source's counts to the lambdas and other functions that are inside
 * the current function. */
void truth_copy_inner_counts(struct evaluation *evaluation,
                             const struct function_position *positions,
                             size_t count, const struct function_position *own);
/* Changes the segments that begin at byte `begin` of the list so that
 * llvm-cov's rule gives the true counts of lines. If `row` is not NO_FILE, also
 * records the lines of this row for which llvm-cov has other counts. */
void truth_correct_segments(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t row);

/* ---- object_model.c ---- */

/* Makes the rows of a model of object code. */
void object_model_make_rows(struct model *out,
                            const struct evaluation_options *mask);

#endif
