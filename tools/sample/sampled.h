/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes a sample profile in memory, for clang's -fprofile-sample-use. A
 * profile has functions with the counts of their probes (or lines), their call
 * targets, and the functions inlined into them. While counts are added up, they
 * are fractions, which are called weights; sampled_scale_and_sort rounds the
 * weights to whole numbers. build.h and the line functions below fill a
 * profile.
 *
 *     struct sampled_profile profile;
 *     sampled_begin(&profile);
 *     function = sampled_find_or_make_function(&profile, NULL, "main");
 *     ...
 *     sampled_scale_and_sort(&profile, 1000);
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

/* A function that a line calls, with the count of the calls. */
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
  struct sampled_target *targets; /* the targets, by falling count, then name */
  uint32_t target_count;
  struct sampled_line *next;
};

/* A function, or a copy of a function that was inlined at a site. */
struct sampled_function {
  const char *name;
  const char *context; /* callers of the function, such as "main:3 @ foo:2";
                          NULL: all contexts */
  uint64_t hash;
  bool hashed;
  uint32_t attributes;
  struct sampled_site site; /* the call site, if the function is an inlined
                               copy */
  double head;              /* number of entries, if the function is not an
                               inlined copy */
  double span;              /* the total, if `spanned` is true; otherwise the
                               total is the sum of all lines */
  bool spanned;
  uint64_t head_count, total;
  struct sampled_line *lines; /* the lines, by site */
  uint32_t line_count;
  struct sampled_function *inlined; /* inlined copies of functions, by site,
                                       then name */
  uint32_t inlined_count;
  struct sampled_function *next;
};

struct sampled_profile {
  struct sampled_function *functions; /* the functions, by falling total, then
                                         name */
  uint32_t function_count;
  struct arena arena;
  struct map names, places; /* only sampled.c uses these two */
};

void sampled_begin(struct sampled_profile *profile);
void sampled_free(struct sampled_profile *profile);

/* These functions return the existing function or line, or make a new one.
 * Names must live as long as profile. A context is copied, and may be NULL. */
struct sampled_function *
sampled_find_or_make_function(struct sampled_profile *profile,
                              const char *context, const char *name);
struct sampled_function *
sampled_find_or_make_inlined(struct sampled_profile *profile,
                             struct sampled_function *into,
                             struct sampled_site site, const char *name);
struct sampled_line *
sampled_find_or_make_line(struct sampled_profile *profile,
                          struct sampled_function *function,
                          struct sampled_site site);

/* Adds a weight to a call target of a line. name must live as long as profile.
 */
void sampled_add_target(struct sampled_profile *profile,
                        struct sampled_line *line, const char *name,
                        double weight);

/* Adds a line without a search for an existing line of the site, which is
 * faster. sampled_scale_and_sort joins the lines of one site. Until then
 * sampled_find_or_make_line does not find the new line. */
void sampled_add_line(struct sampled_profile *profile,
                      struct sampled_function *function,
                      struct sampled_site site, double weight);

/* Finishes a profile: multiplies all weights with `scale`, rounds the weights,
 * computes the totals, and sorts. Functions whose counts are all 0 stay. */
void sampled_scale_and_sort(struct sampled_profile *profile, double scale);

/* Writes a finished profile as text, in the format of llvm-profdata merge
 * --sample --text. */
void sampled_print_text(FILE *stream, const struct sampled_profile *profile);

/* Renames the files in the function names of a finished profile. If functions
 * get the same name, their counts are added up. */
void sampled_rename_files(struct sampled_profile *profile,
                          struct file_renames *renames);

/* ---- cold contexts ---- */

/* The user's choice for cold contexts, which make a profile large and
 * contribute little. Merging joins the cold contexts of a function that have
 * the same last frames. */
struct cold_context_settings {
  bool merge;     /* merge cold contexts; if false, all contexts stay */
  bool trim;      /* drop the contexts that are still cold after merging */
  bool has_below; /* the user chose `below`; if not, compute_cold_threshold sets
                     this limit */
  uint64_t below; /* a context is cold if its total is below this number */
  unsigned depth; /* number of frames that stay, at least 1; the function itself
                     is one of these */
};

/* Copies a finished profile to an empty profile and merges cold contexts. The
 * copy is finished, too. The sum of all totals stays, unless contexts are
 * trimmed. */
void sampled_merge_cold_contexts(struct sampled_profile *to,
                                 const struct sampled_profile *from,
                                 const struct cold_context_settings *settings);

/* ---- gcc_profile.c ---- */

/* Writes a finished profile in the format that gcc -fauto-profile reads. This
 * format lacks contexts. */
void sampled_print_gcc(FILE *stream, const struct sampled_profile *profile);

/* ---- mip_calls.c ----
 *
 * Makes a line profile from calls that `bareprof mip` has counted. The count of
 * each call site becomes a count of the call's line. */

struct mip_locator;

/* The numbers of call sites that are not in the profile. */
struct mip_calls_statistics {
  size_t unknown; /* the line of these call sites is not known */
  /* No single count fits the line of these call sites. See struct
   * line_call_list. */
  size_t unclear;
};

/* Adds each function of the MIP profile. The number of its calls becomes its
 * head count, and its call sites become lines with targets. If every_line is
 * true, lines without calls get the number of calls of their function, as if
 * the function had neither branch nor loop. For gcc, a line without a count is
 * a line that never runs. places must have an ELF with lines, and live as long
 * as profile. */
void mip_calls_build_profile(struct sampled_profile *profile,
                             const struct mip_locator *places, bool every_line,
                             struct mip_calls_statistics *found);

/* ---- sample_lines.c ----
 *
 * Makes a line profile, for programs without probes. As in llvm-profgen, a line
 * gets the highest rate of its instructions, and a function's total is the sum
 * of rate times length over its instructions.
 */

/* The numbers of instructions that the profile could not use fully. */
struct line_profile_statistics {
  size_t unknown;    /* number of instructions without a known line */
  size_t undeclared; /* number of instructions in functions whose first line is
                        unknown */
};

/* ---- source locations from debug information ---- */

/* The source location of an instruction, with the calls that were inlined. */
struct line_frames {
  struct dwarf_frame list[DWARF_FRAMES]; /* the frames, which dwarf_find_frames
                                            sets */
  size_t depth;
  const char *symbol; /* name of the symbol that contains the instruction */
};

/* The location of an instruction in the profile. */
struct line_location {
  struct sampled_function *outer, *inner; /* the function that contains the
                                             code, and the function that
                                             contains the line */
  struct sampled_site site;
  uint32_t discriminator;
};

/* Finds or makes the functions of these frames in the profile, and adds `span`
 * to their totals. place->inner becomes NULL if the line is not known. */
void line_location_make_from_frames(struct sampled_profile *profile,
                                    const struct line_frames *frames,
                                    double span, struct line_location *place);

/* Adds a call target to the line of a call. name must live as long as profile.
 */
void line_location_add_target(struct sampled_profile *profile,
                              const struct line_location *call,
                              const char *name, double weight);

/* Raises the weight of each line to the sum of the weights of the line's call
 * targets. Lines of inlined functions do not change, as in llvm-profgen. */
void lines_raise_weights(struct sampled_profile *profile);

/* ---- samples ---- */

/* Adds the rates of all lines in functions that have samples. *rates gets the
 * statistics, and need not be freed. */
void lines_add_rates(struct sampled_profile *profile,
                     struct sampled_program *program,
                     const struct samples *samples,
                     enum attribution attribution, struct rates *rates,
                     struct line_profile_statistics *found);

/* Adds call targets, which are found through return addresses. Call
 * lines_add_rates before. */
void lines_add_targets(struct sampled_profile *profile,
                       struct sampled_program *program,
                       const struct samples *samples);

/* Adds call targets from branches. Before, lines_add_rates must have received
 * the ranges between the branches. Each branch to a function's first
 * instruction counts as an entry of the function. */
void lines_add_branch_targets(struct sampled_profile *profile,
                              struct sampled_program *program,
                              const struct branch_flow *flow);

#endif
