/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the model share. Only they include this.
 */
#ifndef BAREPROF_TOOLS_MODEL_MODEL_INSIDE_H
#define BAREPROF_TOOLS_MODEL_MODEL_INSIDE_H

#include <stdlib.h>

#include "../../base/map.h"
#include "../../base/storage.h"
#include "../../object/mapping.h"
#include "../../object/names.h"
#include "../../profile/model.h"
#include "../exclude/exclude.h"
#include "../inputs/paths.h"
#include "exported.h"
#include "tokens.h"

/* ---- evaluate.c ----
 *
 * The coverage of ELFs from their coverage mapping and their counts, as
 * `llvm-cov export` computes it; docs/get-started/reading-a-report.md says
 * where both differ.
 *
 *   counters -> counts of regions, branches, conditions   evaluate.c
 *   bitmap   -> vectors, covered conditions               decisions.c
 *   regions  -> regions after an `if constexpr`           constexpr.c
 *   regions  -> less after calls that were active         active.c
 *   regions  -> forms of a text                           forms.c
 *   regions  -> segments of a source                      segments.c
 *   segments -> what ran, by the tokens of the source     truth.c, tokens.c
 *   all      -> scores of sources                         scores.c
 *
 * Time and memory are bounded by the sizes of the ELFs.
 */

/* What does not count, and the sources. Each pointer may be NULL. */
struct evaluate_mask {
  struct token_store *tokens;
  bool code_only; /* A line without a token does not count. */
  const struct active_call *active;
  size_t active_count;
  const struct filter *filter; /* sources that the report has; NULL: all */
  /* For the filter, and to judge what only the sources tell; NULL: do not. */
  const struct paths *paths;
  struct exclusions *excluded;
};

/* A function that no mapping has: the lines that have code, ascending. */
struct absent_function {
  const char *name, *file;
  const uint32_t *lines;
  size_t count;
};

/* An ELF and what was counted in it; or what no ELF has, which comes last and
 * is as of one more ELF: functions of an object, or one without a mapping. */
struct evaluated {
  const struct elf *elf;
  const struct names *names;     /* of its functions, also of unused ones */
  const struct profile *profile; /* of this ELF alone, or NULL */
  bool bitmaps_18;  /* clang 18 numbered the vectors: raw version 9 */
  bool least;       /* counts lack something: a difference may not have run */
  bool as_llvm_cov; /* numbers that cannot be are as llvm-cov has them */
  /* Of an object: the functions that count, by name and its number. */
  const struct map *only;
  uint64_t number;
  const struct absent_function *absent; /* instead of an ELF */
};

/* Functions of several ELFs that have the same name, hash, files and regions
 * are one: their counts add up. Other functions at one place are
 * instantiations, as those of a template. An ELF without a profile is left out.
 * Returns NULL or the error. The caller frees *exported in both cases, and need
 * not initialise it before. mask: NULL for none. */
const char *evaluate(struct exported *exported, const struct evaluated *list,
                     size_t count, const struct evaluate_mask *mask);

/* A source while sources are sorted. */
struct source_named {
  const char *name;
  uint32_t number;
  bool left_out; /* The report does not have it. */
};

/* Sorts sources by name, those of the report first. Returns how many these
 * are. */
size_t sources_sort(struct source_named *list, size_t count,
                    const struct evaluate_mask *mask);

/* ---- object_model.c ----
 *
 * Object code instead of a coverage mapping: its lines, functions and branch
 * instructions. Instructions take the place of regions.
 */

/* Of one ELF. As evaluate. */
const char *object_model_evaluate(struct exported *exported,
                                  const struct object_model *from,
                                  const struct evaluate_mask *mask);

/* The names of an ELF's functions, also of unused ones. Returns NULL or the
 * error. The caller frees *names in both cases. */
const char *evaluate_names(const struct elf *elf, struct names *names);

/* Numbers that no file, and no ELF, has. */
#define NO_FILE UINT32_MAX
#define ALL_INSTANCES UINT64_MAX
#define DOUBTED (UINT64_MAX - 1)

/* What was counted in a function. */
struct counted {
  const uint64_t *counters; /* NULL: the profile does not have it: all 0 */
  const unsigned char *bitmap;
  uint32_t counter_count, bitmap_size;
  uint32_t merged; /* as of struct counts */
};

/* Where a function is, in the order of the export's functions. */
struct fact {
  uint32_t row;          /* the number of its file's name, or NO_FILE */
  uint32_t line, column; /* where it begins; functions that do so are one */
  uint32_t function;
};

/* What counts from a place on. */
struct stretch {
  uint64_t place;
  uint64_t begin; /* of its region */
  uint64_t count;
  bool counted, gap;
  bool entry; /* The region begins here. */
  bool macro; /* It is the name of a macro. */
  bool empty; /* The region ends here, too: it counts at this place alone. */
  unsigned char cause; /* enum cause */
};

/* Of a token, or a line. No profile has a count above 2^56, but the sum over a
 * template's forms may be. */
struct truth_count {
  uint64_t count;
  bool counted;
  unsigned char cause; /* enum cause */
};

/* What the tokens of a text count; without tokens, its lines. */
struct truth {
  const struct tokens *tokens; /* or NULL */
  struct buffer stretches;     /* struct stretch: of the form at hand */
  struct buffer counts;        /* struct truth_count */
  size_t first;                /* the token, or line, that counts begin with */
  struct buffer all;           /* the same of the whole source */
  size_t all_first;
};

struct evaluation {
  struct exported *out;
  const struct evaluated *from; /* the ELF at hand, */
  uint32_t instance;            /* its number */
  bool has_bits;                /* Its counts have a vector. */
  const struct evaluate_mask *mask;
  struct mapping mapping;
  struct map names;   /* (ELF and reference, index) to a file name's number */
  struct map seen;    /* functions by name and digest, in each ELF and in all;
                         DOUBTED: others count with them */
  struct map used;    /* names of functions that some object uses */
  struct profile sum; /* of several ELFs */
  struct buffer facts;
  size_t elfs; /* with counts */
  const char *error;
  /* Of the function at hand. */
  struct counted counted;
  uint32_t cause;       /* why nothing of it is known: enum cause */
  struct buffer values; /* struct value_of: of each expression */
  struct buffer stack;
  struct buffer sites;  /* of each file, the number of the region + 1 that
                           leads to it */
  struct buffer leads;  /* of each file, the counter of what is in it */
  struct buffer owners; /* of each region, the number of its decision + 1 */
  struct buffer scratch, segments, active, merged[2];
  /* Excluded lines of the source that was asked for last, by its number. */
  const struct line_span *lines;
  size_t line_count;
  uint32_t lines_of;
  uint64_t steps;      /* left: what no real program needs is refused */
  struct buffer holes; /* struct form_hole */
  struct truth truth;
};

/* A place where the text of a form is not counted. */
struct form_hole {
  uint32_t row, instance;
  struct exported_region region;
};

/* Room for count elements of a size in a buffer, as zeros; NULL: evaluation
 * has an error. */
void *evaluation_room(struct evaluation *evaluation, struct buffer *buffer,
                      size_t count, size_t size);
/* Adds an element, or sets the error. */
void evaluation_put(struct evaluation *evaluation, struct buffer *list,
                    const void *element, size_t size);

/* Whether the function at hand counts. */
static inline bool evaluation_wants(const struct evaluation *evaluation) {
  const struct evaluated *from = evaluation->from;
  return !from->only || map_find(from->only, evaluation->mapping.name,
                                 from->number, 0) != NULL;
}

/* Takes steps; false: there are too many, which is the error. */
bool evaluation_step(struct evaluation *evaluation, uint64_t steps);

/* Finds what leads to each file, and the count of each expansion. false: an
 * error. */
bool sites_find(struct evaluation *evaluation);
/* The file that the function is defined in, or NO_FILE. */
uint32_t sites_main(const struct evaluation *evaluation);
/* The region that leads to a file of the function, or NULL. */
const struct region *evaluation_site(const struct evaluation *evaluation,
                                     uint32_t file);

/* Computes all expressions of the function at hand; false: it has others than
 * its counts, or an error. Then the value of a counter, modulo 2^64. */
bool counts_settle(struct evaluation *evaluation);
uint64_t counts_value(const struct evaluation *evaluation, uint64_t counter);
/* The value of a counter. One that cannot be is 0, and sets *cause. */
uint64_t counts_of(const struct evaluation *evaluation, uint64_t counter,
                   uint32_t *cause);

/* Why the counts of a branch are not known: enum cause. */
uint32_t branch_doubt(const struct evaluation *evaluation,
                      const struct region *branch);

/* Reads the records of an ELF once before they are evaluated: functions that
 * an object has and does not use count only if no object uses them; of several
 * ELFs, counts of one function add up. */
void sums_read(struct evaluation *evaluation);
/* Whether the function at hand comes for the first time; sets what was counted
 * in it, if the profile has that. */
bool sums_take(struct evaluation *evaluation);

/* What an ELF's profile has of a function, whose counters are NULL if there is
 * nothing. *other: there is a function of another hash. */
struct counted sums_find(const struct evaluated *from, uint64_t name,
                         uint64_t hash, bool *other);
/* The same of what is one function in all ELFs. */
uint64_t sums_digest(struct evaluation *evaluation);

/* ---- twins.c ----
 *
 * Notes functions of the ELF at hand whose counts may be of another file's
 * function. After the first pass of sums_read, before the mapping's records.
 */
void twins_find(struct evaluation *evaluation);

/* Of functions in the profile of the ELF at hand, those in no mapping. */
void sums_unmapped(struct evaluation *evaluation);
static inline void left_out_add(struct left_out *list, const char *name) {
  if (list->count < LEFT_OUT_NAMES)
    list->names[list->count] = name;
  list->count++;
}

/* The number of the name of a file of the function at hand. */
uint32_t names_number(struct evaluation *evaluation, uint32_t file);

/* Adds the decisions of the function at hand; those in its main file count. */
void decisions_add(struct evaluation *evaluation, uint32_t main,
                   struct score *score);

/* Adds what clang lacks after an `if constexpr` to the export's regions of one
 * file of the current function, which begin at `out`. The mapping has these
 * regions from `first` to `end`. */
void constexpr_repair(struct evaluation *evaluation, size_t first, size_t end,
                      size_t out);

/* Adds regions that count less to the export's, and takes from its branches,
 * where a call was active when the counts were read. Call it when the regions
 * of the function's own file are there, and before those of the next file. */
void active_take(struct evaluation *evaluation,
                 struct exported_function *function);

/* Numbers the forms of texts in their regions, and finds their holes. */
void forms_find(struct evaluation *evaluation);

/* Adds the segments of a source's regions, whose order it changes, to a list;
 * and makes the list of stretches, if what ran is asked for. */
void segments_build(struct evaluation *evaluation,
                    struct exported_region *regions, size_t count,
                    struct buffer *list, uint32_t name);
/* Adds the segments of two lists of one source in two forms: what counts in one
 * of them counts, and counts add up. */
void segments_merge(struct evaluation *evaluation, const struct buffer *left,
                    const struct buffer *right, struct buffer *list);
/* Moves the list's segments from `begin` on, in bytes, to room that is valid
 * until the next use of evaluation->active, so that the caller can write the
 * list again. Returns NULL if there are none, or after an error. */
const struct segment *segments_take(struct evaluation *evaluation,
                                    struct buffer *list, size_t begin,
                                    size_t *count);
/* Takes the excluded lines of a source out of the list's segments from `begin`
 * on, in bytes. name: the source's number. */
void segments_mask(struct evaluation *evaluation, struct buffer *list,
                   size_t begin, uint32_t name);

/* A line's number, as llvm-cov makes it of segments. wrapped: the last one
 * before the line, or NULL. */
struct line_count segments_line(const struct segment *from,
                                const struct segment *to,
                                const struct segment *wrapped);

/* Begins to count what is between two places of a source. */
void truth_begin(struct evaluation *evaluation, uint32_t name, uint64_t begin,
                 uint64_t end);
/* Adds a form: the stretches that segments_build has made. */
void truth_add(struct evaluation *evaluation);
/* A lambda without a record never ran: nobody calls it. facts: the functions
 * of the source at hand, by their places. Keeps its counts. */
void truth_hide(struct evaluation *evaluation, const struct fact *facts,
                size_t count);
/* Of one function: what is in lambdas and other functions inside it counts as
 * in the source. */
void truth_inside(struct evaluation *evaluation, const struct fact *facts,
                  size_t count, const struct fact *own);
/* Changes segments from `begin` on, in bytes, until llvm-cov's rule makes what
 * ran of them. row: notes what llvm-cov has in its lines; NO_FILE: does not. */
void truth_apply(struct evaluation *evaluation, struct buffer *list,
                 size_t begin, uint32_t row);

/* Makes the rows. */
void scores_rows(struct evaluation *evaluation);

/* ---- expansions ----
 *
 * Where the macros and included files of a function are used: its regions are
 * in numbered files, of which each but the first is an expansion's.
 */

enum { EXPANSION_NONE = -1 };

/* Whether a region is inside another one of the same file. */
static inline bool region_holds(const struct region *outer,
                                const struct region *inner) {
  return place_order(outer->begin) <= place_order(inner->begin) &&
         place_order(inner->end) <= place_order(outer->end);
}

/* For each file of the function at hand the number of the region that leads to
 * it, or EXPANSION_NONE. The caller frees the list. NULL: out of memory. */
static inline int64_t *expansions_find(const struct mapping *mapping) {
  int64_t *sites = malloc((mapping->file_count + 1) * sizeof *sites);
  for (size_t i = 0; sites && i < mapping->file_count; i++)
    sites[i] = EXPANSION_NONE;
  for (size_t i = 0; sites && i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      sites[region->expanded] = (int64_t)i;
  }
  return sites;
}

/* The region that leads to a file. NULL: none does. */
static inline const struct region *expansion_of(const struct mapping *mapping,
                                                const int64_t *sites,
                                                uint32_t file) {
  return sites[file] == EXPANSION_NONE ? NULL : &mapping->regions[sites[file]];
}

/* The region, or the expansion that it comes from, in a file. NULL: it is
 * elsewhere. */
static inline const struct region *expansion_in(const struct mapping *mapping,
                                                const int64_t *sites,
                                                const struct region *inner,
                                                uint32_t file) {
  for (unsigned i = 0; inner && i < NESTED_MOST; i++) {
    if (inner->file == file)
      return inner;
    inner = expansion_of(mapping, sites, inner->file);
  }
  return NULL;
}

/* Whether a region, or the expansion that it comes from, is inside another. */
static inline bool expansion_inside(const struct mapping *mapping,
                                    const int64_t *sites,
                                    const struct region *inner,
                                    const struct region *outer) {
  const struct region *here = expansion_in(mapping, sites, inner, outer->file);
  return here && region_holds(outer, here);
}

#endif
