/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The examination: checks by subject, each of which looks at the facts and
 * adds what it finds. None prints.
 */
#ifndef DOCTOR_EXAMINE_H
#define DOCTOR_EXAMINE_H

#include "facts.h"
#include "findings.h"

/* The whole examination: facts from the ELF, sorted findings from the facts.
 * The caller frees the facts. */
void examine(const struct elf *elf, struct facts *facts,
             struct findings *findings);

/* Checks that need no counters: the bytes where the board starts. */
void check_first(const struct facts *facts, struct findings *to);

void check_cortex_m(const struct facts *facts, struct findings *to);

/* Profiles without counters. */
void check_mip(const struct facts *facts, struct findings *to);
void check_samples(const struct facts *facts, struct findings *to);

/* The parts of the examination. The others apply only if check_sections returns
 * true: there are counters in the right place. */
void check_placed(const struct facts *facts, struct findings *to);
bool check_sections(const struct facts *facts, struct findings *to);
void check_places(const struct facts *facts, struct findings *to);
void check_heap(const struct facts *facts, struct findings *to);
void check_bounds(const struct facts *facts, struct findings *to);
void check_records(const struct facts *facts, struct findings *to);
void check_values(const struct facts *facts, struct findings *to);
void check_naked(const struct facts *facts, struct findings *to);
void check_functions(const struct facts *facts, struct findings *to);
void check_host(const struct facts *facts, struct findings *to);
void check_stack(const struct facts *facts, struct findings *to);
void check_widths(const struct facts *facts, struct findings *to);
void check_runtime(const struct facts *facts, struct findings *to);
void check_init(const struct facts *facts, struct findings *to);

/* Whether a section of constants is in RAM while the code is not: no loader
 * puts it there. */
bool is_stranded(const struct facts *facts, const struct elf_section *section);

#endif
