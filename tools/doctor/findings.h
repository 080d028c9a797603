/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A finding of the doctor has a stable code, a severity, and a sentence `fault;
 * fix`. Each code occurs at most once. doctor_run_checks() makes the findings
 * from an ELF, and doctor_show.c prints the findings.
 */
#ifndef DOCTOR_FINDINGS_H
#define DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/error.h"
#include "image_info.h"

/* An error means that there will be no profile or no report, or that the
 * firmware misbehaves. A warning means that something is lost, or costs memory
 * without a use. */
enum severity { ERROR, WARNING, NOTE };

/* The number, identifier and name of each finding. A number is never used again
 * for another finding. Each ten numbers belong to one subject. */
#define FINDINGS(X)                                 \
  X(1, UNREADABLE, "unreadable")                    \
  X(2, NOT_LINKED, "not-linked")                    \
  X(3, POSITION, "position-independent")            \
  X(10, NOT_INSTRUMENTED, "not-instrumented")       \
  X(11, ALL_COLLECTED, "all-collected")             \
  X(12, COUNTERS_MISSING, "counters-missing")       \
  X(13, RECORDS_MISSING, "records-missing")         \
  X(14, NAMES_MISSING, "names-missing")             \
  X(15, SECTION_TWICE, "section-twice")             \
  X(16, CONTENTS_LOST, "contents-lost")             \
  X(17, DEBUG_CORRELATED, "debug-correlated")       \
  X(18, HALF_CORRELATED, "half-correlated")         \
  X(19, MCDC_LOST, "mcdc-lost")                     \
  X(20, COUNTERS_LOADED, "counters-loaded")         \
  X(21, COUNTERS_NOT_IN_RAM, "counters-not-in-ram") \
  X(22, COUNTERS_OVERLAP, "counters-overlap")       \
  X(23, HEAP, "heap-over-counters")                 \
  X(24, BOUNDS_MISSING, "bounds-missing")           \
  X(25, BOUNDS_WRONG, "bounds-wrong")               \
  X(26, MISALIGNED, "misaligned")                   \
  X(27, FRAGMENT_MISSING, "fragment-missing")       \
  X(28, LEAN_BOUNDS, "lean-bounds")                 \
  X(29, RECORDS_NOT_FLASHED, "records-not-flashed") \
  X(30, RECORDS_UNUSED, "records-unused")           \
  X(31, WRITER_REFUSES, "writer-refuses")           \
  X(32, HALF_LEAN, "half-lean")                     \
  X(33, RECORDS_DEAD, "records-without-code")       \
  X(34, CONSTRUCTORS, "constructors-kept")          \
  X(35, STACK_SMALL, "stack-small")                 \
  X(36, PLACED_ORPHAN, "counters-orphan")           \
  X(37, PLACED_NOT_CLEARED, "counters-not-cleared") \
  X(38, PLACED_SENT, "counters-not-sent")           \
  X(40, RECORDS_MIXED, "records-mixed")             \
  X(41, COMPILERS, "several-compilers")             \
  X(42, VERSION_WORD, "version-word")               \
  X(43, VERSION_UNKNOWN, "version-unknown")         \
  X(50, VALUES_CORRELATED, "values-correlated")     \
  X(51, VALUES_NO_WRITER, "values-no-writer")       \
  X(52, VALUES_NO_STORAGE, "values-no-storage")     \
  X(53, VALUES_UNUSED, "values-unused")             \
  X(54, VALUES_STUBS, "values-stubs")               \
  X(55, VALUES_FEW, "values-few-slots")             \
  X(60, NO_SYMBOLS, "no-symbols")                   \
  X(61, NO_COVERAGE_MAP, "no-coverage-map")         \
  X(62, COVERAGE_MAP_LOADED, "coverage-map-loaded") \
  X(63, NAMES_EMPTY, "names-empty")                 \
  X(64, NAMES_INCOMPLETE, "names-incomplete")       \
  X(65, NO_BUILD_ID, "no-build-id")                 \
  X(66, BUILD_ID_ELSEWHERE, "build-id-elsewhere")   \
  X(67, BUILD_ID_FIRST, "build-id-first")           \
  X(68, VECTORS, "vectors-not-first")               \
  X(69, ARM_STATE, "arm-state")                     \
  X(70, NO_RUNTIME, "no-runtime")                   \
  X(71, OTHER_RUNTIME, "other-runtime")             \
  X(72, NO_INIT, "no-init")                         \
  X(73, PREINIT_NOT_WALKED, "preinit-not-walked")   \
  X(74, INIT_BY_HAND, "init-by-hand")               \
  X(75, NO_SENDER, "no-sender")                     \
  X(76, UNDEFINED, "undefined-symbol")              \
  X(77, NOT_ATOMIC, "not-atomic")                   \
  X(78, NAKED, "naked-function")                    \
  X(80, SAMPLING, "sampling")                       \
  X(81, COUNTER_BIAS, "counter-bias")               \
  X(82, ORDER_FILE, "order-file")                   \
  X(83, COUNTERS_MODULO, "counters-modulo")         \
  X(84, COUNTERS_LOOSE, "counters-loose")           \
  X(85, COUNTERS_UNKNOWN, "counters-unknown")       \
  X(86, COUNTERS_MIXED, "counters-mixed")           \
  X(90, MIP_ROOM, "mip-no-room")                    \
  X(91, MIP_NO_INIT, "mip-no-init")                 \
  X(92, MIP_NO_HASH, "mip-no-hash")                 \
  X(93, MIP_LOADED, "mip-loaded")                   \
  X(94, MIP_NO_BOUNDS, "mip-no-bounds")             \
  X(95, PROBES, "probes-misplaced")                 \
  X(96, SAMPLER_IDLE, "sampler-idle")               \
  X(97, MIP_NO_NOPS, "mip-no-nops")                 \
  X(100, INIT_MEASURED, "init-measured")            \
  X(101, INIT_TWICE, "init-twice")                  \
  X(102, NO_SEGMENT, "no-segment")                  \
  X(103, INIT_LATE, "init-late")                    \
  X(104, BUILD_ID_FIXED, "build-id-fixed")          \
  X(105, COUNTED_EARLY, "counted-before-clearing")

enum finding_code {
#define CODE(number, identifier, name) identifier = number,
  FINDINGS(CODE)
#undef CODE
};

#define FINDINGS_MOST 64

/* The largest size of a finding's text in bytes. */
enum { FINDING_ROOM = 1000 };

struct finding {
  enum finding_code code;
  enum severity severity;
  /* The text may contain control characters from names in the file. */
  char text[FINDING_ROOM];
};

/* Initialise with {.count = 0}. */
struct findings {
  size_t count;
  struct finding list[FINDINGS_MOST];
};

/* Adds a finding, unless its code is already present or `findings` is NULL. So
 * if several checks use a code, the first one decides the text. */
void findings_add(struct findings *findings, enum severity severity,
                  enum finding_code code, const char *format, ...)
    PRINTS_AS(4, 5);

bool findings_have_code(const struct findings *findings,
                        enum finding_code code);

size_t findings_count_severity(const struct findings *findings,
                               enum severity severity);

/* Sorts the findings by severity, errors first, then by code. */
void findings_sort(struct findings *findings);

const char *finding_name(enum finding_code code);
const char *severity_name(enum severity severity);

/* ---- checks.c ----
 *
 * The examination consists of checks, with a function for each subject. A check
 * reads the facts and adds findings, but does not print. checks.c calls the
 * checks, which are in the other files.
 */

/* Runs all checks of an ELF: collects the facts from the ELF, and makes the
 * sorted findings. The caller frees the facts. */
void doctor_run_checks(const struct elf *elf, struct image_info *facts,
                       struct findings *findings);

/* Runs all checks of an ELF, and prints the findings, except notes, on standard
 * error. */
void doctor_check_and_report(const char *name, const struct elf *elf);

/* ---- sections.c ---- */

/* Checks the bytes at which the board starts. This check also applies to images
 * without counters. */
void check_build_id_at_start(const struct image_info *facts,
                             struct findings *to);

/* Returns whether the image has a section of counters. Only then the checks
 * apply that checks.c calls after check_sections. */
bool check_sections(const struct image_info *facts, struct findings *to);
void check_section_places(const struct image_info *facts, struct findings *to);
void check_section_bounds(const struct image_info *facts, struct findings *to);

/* Returns whether a section of constants is in RAM while the code is not. A
 * flashed board then lacks the constants. */
bool is_constant_section_in_ram(const struct image_info *facts,
                                const struct elf_section *section);

/* ---- init_call.c ---- */

/* Visits the functions that start-up code may call before .bss is cleared,
 * starting with the entry point. Calls `lost` with each function. If `lost`
 * returns true, the counts of the function may have been cleared, and its
 * callees are visited, too. The argument `certain` says that the place where
 * the caller clears .bss is known. */
typedef bool early_visitor(void *context, const char *name, bool certain);
void doctor_walk_early_code(const struct elf *elf, early_visitor *lost,
                            void *context);
void check_early_code(const struct image_info *facts, struct findings *to);
void check_init_calls(const struct image_info *facts, struct findings *to);

/* Returns the name of a measured function that one of certain functions calls,
 * or NULL. `begins` returns whether a function is one of these. */
const char *find_measured_callee(const struct image_info *facts,
                                 bool (*begins)(const struct image_info *facts,
                                                const char *name));

/* ---- doctor_machine.c ---- */

/* Finds the vector table of a Cortex-M. Returns false if no table has a known
 * name or a known place. */
bool doctor_find_vector_table(const struct elf *elf, uint64_t *address);
void check_cortex_m_start(const struct image_info *facts, struct findings *to);
void check_value_profiling(const struct image_info *facts, struct findings *to);
void check_parts_for_host(const struct image_info *facts, struct findings *to);
void check_stack_room(const struct image_info *facts, struct findings *to);

/* ---- records.c ---- */

void check_mip(const struct image_info *facts, struct findings *to);
void check_sampling(const struct image_info *facts, struct findings *to);
void check_records_version(const struct image_info *facts, struct findings *to);

/* ---- heap.c ---- */

void check_heap(const struct image_info *facts, struct findings *to);

/* ---- doctor_functions.c ---- */

void check_naked_functions(const struct image_info *facts, struct findings *to);
void check_measured_functions(const struct image_info *facts,
                              struct findings *to);

/* ---- doctor_show.c ----
 *
 * This file prints the findings as text for people and as JSON for programs.
 */

/* Prints text of 80 columns: the image on one line, the findings, the costs. */
void doctor_print_text(FILE *stream, const char *file,
                       const struct image_info *facts,
                       const struct findings *findings);

/* Prints a JSON object, which the caller puts into an array. Unknown fields are
 * left out. `facts` is NULL for a file that could not be read. */
void doctor_print_json(FILE *stream, const char *file,
                       const struct image_info *facts,
                       const struct findings *findings);

#endif
