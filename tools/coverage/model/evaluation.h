/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The state and functions that the files in this folder share while they make a
 * model. evaluate.c begins the evaluation of each ELF.
 */
#ifndef BAREPROF_TOOLS_EVALUATION_H
#define BAREPROF_TOOLS_EVALUATION_H

#include <stdlib.h>

#include "../../object/mapping.h"
#include "evaluate.h"

/* A source while sources are sorted. */
struct sorted_source {
  const char *name;
  uint32_t number;
  bool left_out; /* The report does not have the source. */
};

/* Sorts sources by name, the sources of the report first. Returns how many the
 * report has. */
size_t sources_sort(struct sorted_source *list, size_t count,
                    const struct evaluation_options *mask);

/* Makes the rows of a model of object code. */
void object_model_make_rows(struct model *exported,
                            const struct evaluation_options *mask);

/* NO_FILE means no file. evaluation.seen uses the two other constants in place
 * of an ELF's number. */
#define NO_FILE UINT32_MAX
#define ALL_INSTANCES UINT64_MAX
#define DOUBTED (UINT64_MAX - 1)

/* The counts of a function. */
struct function_counts {
  const uint64_t *counters; /* NULL: not in the profile, so all are 0 */
  const unsigned char *bitmap;
  uint32_t counter_count, bitmap_size;
  uint32_t merged; /* see struct record_counts */
};

/* The position of a function. */
struct function_position {
  uint32_t row;          /* number of the file name, or NO_FILE */
  uint32_t line, column; /* where it begins; functions with the same position
                            are instantiations */
  uint32_t function;
};

/* A stretch of source text and its count. A stretch ends where the next one
 * begins. */
struct counted_stretch {
  uint64_t place;
  uint64_t begin; /* beginning of the region */
  uint64_t count;
  bool counted, gap;
  bool entry;          /* The region begins here. */
  bool macro;          /* The stretch is a macro's name. */
  bool empty;          /* An empty region, which counts only at its place. */
  unsigned char cause; /* enum cause */
};

/* The count of a token or line. No profile has a count above 2^56, but the sum
 * over a template's instantiations may be higher. */
struct token_count {
  uint64_t count;
  bool counted;
  unsigned char cause; /* enum cause */
};

/* The true counts of a text (truth.c): of its tokens, or of its lines if the
 * source is not there. */
struct true_counts {
  const struct source_tokens *tokens; /* NULL: the source is missing */
  struct buffer stretches;     /* struct counted_stretch, of one form */
  struct buffer counts;        /* struct token_count */
  size_t first;                /* index of the token, or line, of counts[0] */
  struct buffer all;           /* the counts of the whole source */
  size_t all_first;
};

struct evaluation {
  struct model *out;
  const struct evaluation_input *from; /* the current ELF */
  uint32_t instance;                 /* number of that ELF */
  bool has_bits; /* The profile has executed MC/DC vectors. */
  const struct evaluation_options *options;
  struct mapping mapping;
  struct map names;   /* (reference, index, ELF) to the number of a file name +
                         1 */
  struct map seen;    /* functions by name and digest: in each ELF, in all ELFs,
                         and DOUBTED ones */
  struct map used;    /* functions that some object uses */
  struct profile sum; /* the counts of all ELFs, added up */
  size_t elfs;        /* number of ELFs with counts */
  const char *error;
  /* The next fields belong to the current function. */
  struct function_counts counted;
  uint32_t cause;       /* enum cause, if no number of the function is known */
  struct buffer values; /* struct expression_value, for each expression */
  struct buffer stack;
  struct buffer sites;  /* for each file: index + 1 of the region that leads to
                           it */
  struct buffer leads;  /* for each file: the counter of its first region */
  struct buffer owners; /* for each region: its decision */
  struct buffer scratch, segments, active, merged[2];
  /* The excluded lines of source number lines_of, which was requested last. */
  const struct line_span *lines;
  size_t line_count;
  uint32_t lines_of;
  uint64_t steps;      /* steps that remain; a damaged mapping must not take
                          forever */
  struct buffer holes; /* struct variant_hole */
  struct true_counts truth;
};

/* A range where a form of a text lacks a count. */
struct variant_hole {
  uint32_t row, instance;
  struct model_region region;
};

/* evaluation_begin initialises the lists, each of which grows to `limit` bytes
 * at most; evaluation_end frees them. */
void evaluation_begin(struct evaluation *evaluation, size_t limit);
void evaluation_end(struct evaluation *evaluation);

/* Clears a buffer and returns space in it for `count` zero elements. The buffer
 * does not have a limit, so the size of the mapping or model must bound
 * count. */
void *evaluation_reserve(struct buffer *buffer, size_t count, size_t size);
/* Appends an element, or sets the error. */
void evaluation_append(struct evaluation *evaluation, struct buffer *list,
                       const void *element, size_t size);

static inline struct source_span region_span(const struct region *region) {
  return (struct source_span){region->begin.line, region->begin.column,
                              region->end.line, region->end.column};
}

static inline bool region_is_branch(const struct region *region) {
  return region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
}

/* Returns the outcomes of a branch that cannot occur. */
static inline unsigned region_constant_outcomes(const struct region *branch) {
  return (branch->counter == COUNTER_ZERO ? TRUE_SIDE : 0u) |
         (branch->other == COUNTER_ZERO ? FALSE_SIDE : 0u);
}

/* Whether to evaluate the current function: from->only contains the function or
 * is NULL. */
static inline bool
evaluation_uses_function(const struct evaluation *evaluation) {
  const struct evaluation_input *from = evaluation->from;
  return !from->only || map_find(from->only, evaluation->mapping.name,
                                 from->number, 0) != NULL;
}

/* Uses up some of the steps. Returns false if too few remain, and sets the
 * error. */
bool evaluation_use_steps(struct evaluation *evaluation, uint64_t steps);

/* Fills sites and leads for the current function. */
void sites_find_expansions(struct evaluation *evaluation);
/* Returns the file that defines the function, or NO_FILE. */
uint32_t sites_main_file(const struct evaluation *evaluation);
/* Returns the region that leads to a file of the function, or NULL. */
const struct region *
evaluation_find_expansion(const struct evaluation *evaluation, uint32_t file);

/* counts_compute_values computes all expressions of the current function.
 * Returns false if its counts do not fit. Then counts_value returns the value
 * of a counter modulo 2^64. */
bool counts_compute_values(struct evaluation *evaluation);
uint64_t counts_value(const struct evaluation *evaluation, uint64_t counter);
/* Returns the value of a counter. A negative value becomes 0 and sets
 * *cause. */
uint64_t counts_value_or_cause(const struct evaluation *evaluation,
                               uint64_t counter, uint32_t *cause);

/* Returns enum cause: why the counts of a branch are not known. */
uint32_t counts_branch_cause(const struct evaluation *evaluation,
                             const struct region *branch);

/* Reads the records of an ELF before they are evaluated. If an object contains
 * a function without using it, the function counts only if no object uses it.
 * If there are several ELFs, the counts of equal functions are added up. */
void sums_add_elf(struct evaluation *evaluation);
/* Sets the counts of the current function. Returns false if the function has
 * been evaluated before or cannot be. */
bool sums_set_counts(struct evaluation *evaluation);

/* Returns the counts of a function in an ELF's profile; counters is NULL if the
 * profile lacks the function. *other: the profile has the function only with
 * another hash. */
struct function_counts sums_find_counts(const struct evaluation_input *from,
                                        uint64_t name, uint64_t hash,
                                        bool *other);
/* Returns a digest of the current function. Equal functions in several ELFs
 * have the same digest. */
uint64_t sums_function_digest(struct evaluation *evaluation);

/* ---- twins.c ----
 *
 * Marks functions of the current ELF whose counts may belong to another file's
 * function. Call it after the first pass of sums_add_elf, with the mapping
 * rewound.
 */
void twins_mark_functions(struct evaluation *evaluation);

/* sums_list_unmapped_functions lists functions in the current ELF's profile
 * that all mappings lack. */
void sums_list_unmapped_functions(struct evaluation *evaluation);
static inline void left_out_append(struct left_out_functions *list,
                                   const char *name) {
  if (list->count < LEFT_OUT_NAMES)
    list->names[list->count] = name;
  list->count++;
}

/* Returns the number of the name of a file of the current function. */
uint32_t evaluation_file_number(struct evaluation *evaluation, uint32_t file);

/* Adds the decisions of the current function. */
void decisions_add_to_model(struct evaluation *evaluation);

/* Adds the region that clang omits after an `if constexpr` to the export's
 * regions of one file of the current function, which begin at `out`. `first` to
 * `end` are the same regions in the mapping. */
void constexpr_repair_regions(struct evaluation *evaluation, size_t first,
                              size_t end, size_t out);

/* Corrects counts after active calls: adds regions with lower counts to the
 * export and lowers its branches. Call it when the regions of the function's
 * own file have been added, and before functions of the next file. */
void active_counts_correct(struct evaluation *evaluation,
                           struct model_function *function);

/* Numbers the forms of each text in its regions, and finds their holes. */
void variants_number_texts(struct evaluation *evaluation);

/* Appends the segments of a source's regions to a list; changes the regions'
 * order. Also fills truth.stretches unless llvm-cov's numbers are wanted. */
void segments_build(struct evaluation *evaluation, struct model_region *regions,
                    size_t count, struct buffer *list, uint32_t name);
/* Merges the segments of one source in two forms. A position counts if one form
 * counts it; the counts of both forms add up. */
void segments_merge(struct evaluation *evaluation, const struct buffer *left,
                    const struct buffer *right, struct buffer *list);
/* Moves the list's segments from byte `begin` on to memory that is valid until
 * the next use of evaluation->active. The caller can then write the list again.
 * Returns NULL if the list lacks such segments, or after an error. */
const struct segment *segments_move_out(struct evaluation *evaluation,
                                        struct buffer *list, size_t begin,
                                        size_t *count);
/* Removes the excluded lines of a source from the list's segments from byte
 * `begin` on. name: number of the source. */
void segments_exclude_lines(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t name);

/* Returns a line's count by llvm-cov's rule. from, to: the segments in the
 * line. wrapped: the last segment before the line, or NULL. */
struct line_count segments_line_count(const struct segment *from,
                                      const struct segment *to,
                                      const struct segment *wrapped);

/* Begins to count the tokens between two positions of a source. */
void truth_begin_counts(struct evaluation *evaluation, uint32_t name,
                        uint64_t begin, uint64_t end);
/* Adds the stretches of one form, which segments_build has made. */
void truth_add_stretches(struct evaluation *evaluation);
/* Clears the counts of lambdas without a record, which never ran. facts: the
 * functions of the current source, by position. Keeps the source's counts for
 * truth_copy_inner_counts. */
void truth_clear_lambdas(struct evaluation *evaluation,
                         const struct function_position *facts, size_t count);
/* Copies the counts of the whole source to lambdas and other functions inside
 * the current function. */
void truth_copy_inner_counts(struct evaluation *evaluation,
                             const struct function_position *facts,
                             size_t count, const struct function_position *own);
/* Changes the segments from byte `begin` on so that llvm-cov's rule gives the
 * true line counts. Unless `row` is NO_FILE, also notes where llvm-cov's counts
 * of the row differ. */
void truth_correct_segments(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t row);

/* Makes the segments and scores of all sources. Returns NULL or the error. */
const char *scores_make_rows(struct model *exported,
                             const struct evaluation_options *mask);

#endif
