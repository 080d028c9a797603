/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module makes a model from ELFs and their counts, or from object code.
 */
#ifndef BAREPROF_TOOLS_EVALUATE_H
#define BAREPROF_TOOLS_EVALUATE_H

#include "../../base/map.h"
#include "../../object/names.h"
#include "../../profile/model.h"
#include "../exclude/exclude.h"
#include "../inputs/paths.h"
#include "coverage_model.h"
#include "tokens.h"

/* ---- evaluate.c ----
 *
 * This file computes the coverage of ELFs from their coverage mapping and
 * counts, like `llvm-cov export`; docs/explanation/differences.md lists the
 * differences. These files take part:
 *
 *   counters -> counts of regions, branches, conditions   evaluate.c
 *   bitmap   -> vectors, covered conditions               decisions.c
 *   regions  -> regions after an `if constexpr`           constexpr.c
 *   regions  -> unknown counts in and after a `try`       tries.c
 *   regions  -> lower counts after active calls           active_counts.c
 *   regions  -> numbered variants of each text            scores.c
 *   regions  -> segments of a source                      segments.c
 *   segments -> true counts, from the source's tokens     truth.c, tokens.c
 *   all      -> scores of sources                         scores.c
 *
 * The sizes of the ELFs limit time and memory.
 */

/* The user's options and exclusions, and the sources. Each pointer may be
 * NULL. */
struct evaluation_options {
  struct token_store *tokens;
  bool code_only;   /* Lines without a token that runs do not count. */
  bool as_llvm_cov; /* The numbers are llvm-cov's, even where they are wrong. */
  const struct active_call *active;
  size_t active_count;
  /* selects the sources of the report; NULL: all */
  const struct source_filter *filter;
  /* The names of sources for the filter and for negated_mark_and_clear, which
   * reads sources. If this is NULL, both are skipped. */
  const struct source_maps *paths;
  struct exclusions *excluded;
  struct object_lines *object; /* the lines of object code, which replace the
                                  ELFs; may be NULL */
  const struct objectcode *only; /* the only ELF of `object` that counts; NULL:
                                    all ELFs */
};

/* A function that the mapping lacks. `lines` has the function's lines with
 * code, ascending. */
struct absent_function {
  const char *name, *file;
  const uint32_t *lines;
  size_t count;
};

/* A part of the evaluation: an ELF and its counts, or functions that no ELF
 * contains. The latter come from an object file or lack a mapping; they follow
 * the ELFs in the list and are evaluated like one more ELF. */
struct evaluation_input {
  const struct elf *elf;
  const struct name_table *names; /* names of all functions, also unused ones */
  const struct profile *profile;  /* the profile of this ELF, or NULL */
  bool least; /* The counts are lower bounds, so all differences become 0. */
  bool saturated; /* Counts from BAREPROF_FOLD_LEAST on are lower bounds. */
  /* Only for an object file: the functions to evaluate. A key is the function's
   * name and `number`. */
  const struct map *only;
  uint64_t number;
  const struct absent_function *absent; /* functions to use instead of an ELF */
};

/* Makes the model of the ELFs. If several ELFs have a function with the same
 * name, hash, files and regions, the model has one function with the sum of the
 * counts. Other functions at the same position are instantiations, as of a
 * template. An ELF without a profile is left out. Returns NULL or the error.
 * The caller frees *exported in both cases and need not initialise it. `mask`
 * may be NULL. */
const char *evaluate_elfs(struct model *exported,
                          const struct evaluation_input *list, size_t count,
                          const struct evaluation_options *mask);

/* Removes the code that `mask` excludes from a model, and makes the rows:
 * segments and scores. Also works for a model that was made without exclusions.
 * Returns NULL or the error. */
const char *evaluate_make_rows(struct model *exported,
                               const struct evaluation_options *mask);

/* ---- scores.c ---- */

/* The counts of a function. */
struct function_counts {
  const uint64_t *counters; /* NULL if the profile lacks the function: all
                               counts are 0 */
  const unsigned char *bitmap;
  uint32_t counter_count, bitmap_size;
  uint32_t merged; /* see struct record_counts */
};

/* Returns the counts of a function in an ELF's profile. The result's `counters`
 * is NULL if the profile lacks the function. Sets *other if the profile has the
 * function only with another hash. */
struct function_counts sums_find_counts(const struct profile *profile,
                                        uint64_t name, uint64_t hash,
                                        bool *other);

/* Adds the counts `counted` to `sum`, under the name of the function in `from`
 * and the hash `key`. */
void sums_add_counts(struct profile *sum, const struct profile *from,
                     uint64_t function, uint64_t key,
                     const struct function_counts *counted);

/* ---- object_model.c ----
 *
 * This file makes a model from object code instead of a coverage mapping. The
 * model has lines, functions and branch instructions, and counts instructions
 * instead of regions.
 */

/* Makes the model of mask->object, with its present counts. Returns NULL or the
 * error. */
const char *object_model_evaluate(struct model *exported,
                                  const struct evaluation_options *mask);

/* ---- evaluate.c: names ---- */

/* Reads the names of an ELF's functions, including unused ones. Returns NULL or
 * the error. The caller frees *names in both cases. */
const char *evaluation_read_function_names(const struct elf *elf,
                                           struct name_table *names);

#endif
