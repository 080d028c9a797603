/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module makes the table of places of a model: everything in its sources
 * that can be covered. The formats for other tools, `--diff`, exclusions,
 * `--uncovered` and `live` read the table. Each place occurs once, however many
 * functions and ELFs contain it.
 *
 * The pages and `--against` read the view (view.h) instead, which has branches
 * for each function, and at each use of a macro.
 */
#ifndef BAREPROF_TOOLS_PLACES_H
#define BAREPROF_TOOLS_PLACES_H

#include "coverage_model.h"

/* A function, a line, or a branch. A branch in a macro has the line where the
 * macro is used. A table may have millions of places. */
struct place {
  const char *name; /* name of a function; NULL in other places */
  /* The count; of a branch, the numbers of true and of false outcomes. */
  uint64_t hits[2];
  uint32_t line, column; /* only functions have a column */
  /* Number of a branch in its line, from 0; for a function, the number of its
   * instantiation. */
  uint32_t number;
  unsigned char constant; /* of a branch, the outcomes that cannot occur */
  unsigned char metric;   /* enum metric: FUNCTIONS, LINES or BRANCHES */
};

/* The places of a source, from index `begin` up to `end`. */
struct place_file {
  const char *name;
  size_t begin, end;
};

struct places {
  /* Each file has its functions first, then its lines; the branches of a line
   * follow the line. */
  struct place *list;
  size_t count;
  struct place_file *files; /* sorted by folder and name */
  size_t file_count;
};

/* ---- view.c ---- */

/* Makes the table of a model, which must live as long as the table. `release`
 * is the llvm-cov release whose way of listing branches is used; 0 means the
 * latest. The caller frees *places, and need not initialise it before. */
void places_make(struct places *places, const struct model *exported,
                 unsigned release);
void places_free(struct places *places);

/* Returns whether a place has an outcome that can occur: of a branch on a side,
 * of any other place on side 0. */
static inline bool place_has_outcome(const struct place *place, unsigned side) {
  return side <= (place->metric == BRANCHES) && !(place->constant >> side & 1);
}

/* Adds the outcomes of a place to a score. */
static inline void place_add_to_score(const struct place *place,
                                      struct score *score) {
  for (unsigned side = 0; side < 2; side++)
    score_add(score, place_has_outcome(place, side), place->hits[side]);
}

/* Adds the branches that follow the first place of a line to a score. Returns
 * the place after them. */
static inline const struct place *
place_add_branches_to_score(const struct place *line, const struct place *end,
                            struct score *score) {
  const struct place *at = line + 1;
  for (; at != end && at->metric == BRANCHES && at->line == line->line; at++)
    place_add_to_score(at, score);
  return at;
}

/* places_folder_size returns the length of the folder in a file's name, without
 * the slash. The two other functions compare the folders of two files, and
 * order two files by folder, then name. */
size_t places_folder_size(const char *file);
bool places_is_same_folder(const char *a, const char *b);
int places_compare_files(const char *a, const char *b);

/* ---- view.c: the functions of a source ---- */

/* The first release of llvm-cov that adds up the branches of instantiations and
 * also lists a macro's branches where the macro is defined. */
enum { UNITED_FIRST = 20 };

/* The functions that use each source, for places_add_source. */
struct file_index {
  const struct model *exported;
  unsigned release;
  uint32_t *begin; /* the index in `functions` where the functions of each file
                      name begin, and the end of the list */
  uint32_t *functions;
  struct buffer branches, paths; /* the branches of the source that was added
                                    last */
};

/* Prepares the lists. The caller calls file_index_free. */
void file_index_make(struct file_index *files, const struct model *exported,
                     unsigned release);
void file_index_free(struct file_index *files);

/* Returns whether the text of a branch is in this source itself, rather than
 * only a use of its macro. */
bool file_index_owns_branch(const struct file_index *files,
                            const struct model_function *function,
                            const struct model_branch *branch, size_t row);

/* Adds the places of a source. If `unite` is set, functions are sorted by line
 * and name, and each occurs once; else they are in the order of the model. */
void places_add_source(struct places *places, struct file_index *files,
                       size_t row, bool unite);

#endif
