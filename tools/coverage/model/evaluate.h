/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage of ELFs from their coverage mapping and their counts, as
 * `llvm-cov export` computes it; docs/report.md says where both differ.
 *
 *   counters -> counts of regions, branches, conditions   evaluate.c
 *   bitmap   -> vectors, covered conditions               decisions.c
 *   regions  -> segments of a source                      segments.c
 *   all      -> scores of sources                         scores.c
 *
 * Time and memory are bounded by the sizes of the ELFs.
 */
#ifndef BAREPROF_TOOLS_EVALUATE_H
#define BAREPROF_TOOLS_EVALUATE_H

#include "../../object/mapping.h"
#include "../../object/names.h"
#include "../../profile/model.h"
#include "../exclude/exclusion.h"
#include "exported.h"

/* What does not count. Each function may be NULL. */
struct evaluate_mask {
  void *context;
  /* Whether the report has a source. */
  bool (*keeps)(void *context, const char *name);
  /* Sets the kind of regions of the function at hand to REGION_EXCLUDED, or
   * mapping->region_count to 0: all are. Conditions of a decision that is
   * excluded become REGION_BRANCH. names: of its files. Returns NULL or the
   * error. */
  const char *(*apply)(void *context, struct mapping *mapping,
                       const char *const *names);
  /* The lines of a source that do not count, ascending and apart. */
  const struct line_span *(*lines)(void *context, const char *name,
                                   size_t *count);
};

/* An ELF and what was counted in it. */
struct evaluated {
  const struct elf *elf;
  const struct names *names;     /* of its functions, also of unused ones */
  const struct profile *profile; /* of this ELF alone, or NULL */
  bool bitmaps_18; /* clang 18 numbered the vectors: raw version 9 */
};

/* Functions of several ELFs that have the same name, hash, files and regions
 * are one: their counts add up. Other functions at one place are
 * instantiations, as those of a template. An ELF without a profile is left out.
 * Returns NULL or the error. The caller frees *exported in both cases, and need
 * not initialise it before. mask: NULL for none. */
const char *evaluate(struct exported *exported, const struct evaluated *list,
                     size_t count, const struct evaluate_mask *mask);

/* The names of an ELF's functions, also of unused ones. Returns NULL or the
 * error. The caller frees *names in both cases. */
const char *evaluate_names(const struct elf *elf, struct names *names);

#endif
