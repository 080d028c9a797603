/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes a sample profile in memory, for clang's -fprofile-sample-use. A
 * profile has functions with the counts of their probes (or lines), their call
 * targets, and the functions inlined into them. Counts are added up as weights,
 * which sampled_finish rounds to whole numbers. build.h and the line functions
 * below fill a profile.
 *
 *     struct sampled_profile profile;
 *     sampled_begin(&profile);
 *     function = sampled_get_function(&profile, NULL, "main");
 *     ...
 *     sampled_finish(&profile, 1000);
 *     sampled_print_text(stream, &profile);
 *     sampled_free(&profile);
 */
#ifndef SAMPLE_SAMPLED_H
#define SAMPLE_SAMPLED_H

#include <stdbool.h>
#include <stdio.h>

#include "../base/storage.h"
#include "../profile/profile_merge.h"
#include "sample_rates.h"

/* A place in a function: the index of a probe, or a line relative to the
 * function's first line. The discriminator distinguishes sites on one line. */
struct sampled_site {
  uint32_t line, discriminator;
};

/* A function that a line calls. */
struct sampled_target {
  const char *name;
  double weight;
  uint64_t count;
  struct sampled_target *next;
};

/* The counts of one site. */
struct sampled_line {
  struct sampled_site site;
  double weight;
  uint64_t count;
  struct sampled_target *targets; /* by falling count, then name */
  uint32_t target_count;
  struct sampled_line *next;
};

/* A function, or its copy that was inlined at a site. */
struct sampled_function {
  const char *name;
  const char *context; /* callers, "main:3 @ foo:2"; NULL: all contexts */
  uint64_t hash;
  bool hashed;
  uint32_t attributes;
  struct sampled_site site; /* the call site if inlined */
  double head;              /* entries, if not inlined */
  double span;              /* the total, if spanned; otherwise the total is the
                               sum of all lines */
  bool spanned;
  uint64_t head_count, total;
  struct sampled_line *lines; /* by site */
  uint32_t line_count;
  struct sampled_function *inlined; /* by site, then name */
  uint32_t inlined_count;
  struct sampled_function *next;
};

struct sampled_profile {
  struct sampled_function *functions; /* by falling total, then name */
  uint32_t function_count;
  struct arena arena;
  struct map names, places; /* only for sampled.c */
};

void sampled_begin(struct sampled_profile *profile);
void sampled_free(struct sampled_profile *profile);

/* These functions return the existing element, or make it. Names must live as
 * long as profile; a context is copied, and may be NULL. */
struct sampled_function *sampled_get_function(struct sampled_profile *profile,
                                              const char *context,
                                              const char *name);
struct sampled_function *sampled_get_inlined(struct sampled_profile *profile,
                                             struct sampled_function *into,
                                             struct sampled_site site,
                                             const char *name);
struct sampled_line *sampled_get_line(struct sampled_profile *profile,
                                      struct sampled_function *function,
                                      struct sampled_site site);

/* Adds a weight to a call target of the line. name must live as long as
 * profile. */
void sampled_add_target(struct sampled_profile *profile,
                        struct sampled_line *line, const char *name,
                        double weight);

/* Adds a line without looking for an existing one, which is faster.
 * sampled_finish joins the lines of one site; until then sampled_get_line does
 * not find the new line. */
void sampled_add_line(struct sampled_profile *profile,
                      struct sampled_function *function,
                      struct sampled_site site, double weight);

/* Multiplies all weights, rounds them, adds up totals, and sorts. Functions
 * with only zeros stay. */
void sampled_finish(struct sampled_profile *profile, double scale);

/* Writes a finished profile as text, in the form of llvm-profdata merge
 * --sample --text. */
void sampled_print_text(FILE *stream, const struct sampled_profile *profile);

/* Renames the files in the function names of a finished profile. Functions that
 * get the same name are added up. */
void sampled_rename_files(struct sampled_profile *profile,
                          struct file_renames *renames);

/* ---- cold contexts ---- */

/* The user's choice for cold contexts, which make a profile large and
 * contribute little. Merging joins the cold contexts of a function that have
 * the same last frames. */
struct cold_settings {
  bool merge;     /* otherwise all contexts stay */
  bool trim;      /* drop contexts that are still cold after merging */
  bool has_below; /* otherwise compute_cold_threshold sets the limit */
  uint64_t below; /* a context with a total below this is cold */
  unsigned depth; /* number of frames that stay, including the function's own;
                     at least 1 */
};

/* Copies a finished profile to an empty profile, which is then finished too.
 * The sum of all totals stays, except for trimmed contexts. */
void sampled_merge_cold(struct sampled_profile *to,
                        const struct sampled_profile *from,
                        const struct cold_settings *settings);

/* Copies a finished profile with all contexts of a function merged into one.
 * *to need not be initialised; the caller frees it. */
void sampled_flatten(struct sampled_profile *to,
                     const struct sampled_profile *from);

/* Writes a finished profile in the form that gcc -fauto-profile reads, which
 * has no contexts. */
void sampled_print_gcc(FILE *stream, const struct sampled_profile *profile);

/* ---- mip_calls.c ----
 *
 * Makes a line profile from calls that `bareprof mip` has counted: the count of
 * each call site goes to the line of the call.
 */

struct mip_locator;

/* Call sites that are not in the profile. */
struct mip_calls_statistics {
  size_t unknown; /* their line is not known */
  /* no single count fits their line; see struct unclear_line_list */
  size_t unclear;
};

/* Adds each function of the MIP profile. The number of its calls becomes its
 * head count, and its call sites become lines with targets. With every_line,
 * lines without calls get the count of their function's calls, as if there were
 * no branch or loop; gcc takes a line without a count for one that never runs.
 * places must have an ELF with lines, and live as long as profile. */
void mip_calls_build_profile(struct sampled_profile *profile,
                             const struct mip_locator *places, bool every_line,
                             struct mip_calls_statistics *found);

/* ---- sample_lines.c ----
 *
 * A line profile, for programs without probes. As in llvm-profgen, a line gets
 * the highest rate of its instructions, and a function's total is the sum of
 * rate times length over its instructions.
 */

/* Instructions that the profile could not use fully. */
struct line_statistics {
  size_t unknown;    /* instructions without a known line */
  size_t undeclared; /* instructions of functions whose first line is unknown */
};

/* ---- source locations from debug information ---- */

/* The source location of an instruction, with the calls through which it was
 * inlined. */
struct line_frames {
  struct dwarf_frame list[DWARF_FRAMES]; /* set by dwarf_find_frames */
  size_t depth;
  const char *symbol; /* name of the symbol that contains the instruction */
};

/* The same location in the profile. */
struct line_location {
  struct sampled_function *outer, *inner; /* the functions that contain the
                                             code, and the line */
  struct sampled_site site;
  uint32_t discriminator;
};

/* Finds or makes the functions of these frames in the profile, and adds span to
 * their totals. place->inner becomes NULL if the line is not known. */
void line_location_add_frames(struct sampled_profile *profile,
                              const struct line_frames *frames, double span,
                              struct line_location *place);

/* Adds a call target to a line. name must live as long as profile. */
void line_location_add_target(struct sampled_profile *profile,
                              const struct line_location *call,
                              const char *name, double weight);

/* Raises the weight of each line to the sum of its call targets. Lines of
 * inlined functions stay, as in llvm-profgen. */
void lines_raise_weights(struct sampled_profile *profile);

/* ---- samples ---- */

/* Adds all lines of each function that has samples. *rates gets the statistics,
 * and need not be freed. */
void lines_add_rates(struct sampled_profile *profile,
                     struct sampled_program *program,
                     const struct samples *samples,
                     enum attribution attribution, struct rates *rates,
                     struct line_statistics *found);

/* Adds call targets, found through return addresses, after lines_add_rates. */
void lines_add_targets(struct sampled_profile *profile,
                       struct sampled_program *program,
                       const struct samples *samples);

/* Adds call targets from branches, after lines_add_rates got the ranges between
 * the branches. Each branch to a function's first instruction counts as an
 * entry of the function. */
void lines_add_jumps(struct sampled_profile *profile,
                     struct sampled_program *program,
                     const struct branch_flow *flow);

#endif
