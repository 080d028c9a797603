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
#include "../exported.h"

/* What is left out of the model: changes the regions of the function at hand,
 * or sets mapping->region_count to 0 for none of it. Regions stay in the order
 * of their files. Returns NULL or the error. */
struct evaluate_mask {
  const char *(*apply)(void *context, struct mapping *mapping);
  void *context;
};

/* An ELF and what was counted in it. */
struct evaluated {
  const struct elf *elf;
  const struct names *names;     /* of its functions, also of unused ones */
  const struct profile *profile; /* of this ELF alone */
  bool bitmaps_18; /* clang 18 numbered the vectors: raw version 9 */
};

/* Functions of several ELFs that have the same name, hash, files and regions
 * are one: their counts add up. Other functions at one place are
 * instantiations, as those of a template. Returns NULL or the error. The caller
 * frees *exported in both cases, and need not initialise it before. mask: NULL
 * for none. */
const char *evaluate(struct exported *exported, const struct evaluated *list,
                     size_t count, const struct evaluate_mask *mask);

#endif
