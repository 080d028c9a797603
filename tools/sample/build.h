/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns rates of probes (sample_rates.h) into a profile in memory (sampled.h),
 * with call targets and contexts. The next file is make.c, which writes the
 * profile. */
#ifndef SAMPLE_BUILD_H
#define SAMPLE_BUILD_H

#include "sample_rates.h"
#include "listing.h"
#include "sampled.h"

struct samples_settings;

/* A profile that is being built from the probes of one program. */
struct profile_builder {
  struct sampled_profile *profile;
  const struct probes *probes;
  /* The functions of `profile`. The key is the inline frame, the GUID and the
   * number of the call path, which is 0 without contexts. */
  struct map frames;
  size_t unnamed; /* number of probes whose function lacks a descriptor */
  size_t doubted; /* number of probes of functions whose address is a
                        guess */
};

void builder_begin(struct profile_builder *building,
                   struct sampled_profile *profile,
                   const struct probes *probes);
void builder_free(struct profile_builder *building);

/* Adds all probes of the functions that have samples. A probe without samples
 * gets a count of 0. */
void builder_add_probes(struct profile_builder *building,
                        const struct rates *rates);

/* ---- calls ---- */

/* A call site in the source: a function, and a call's probe in the function. */
struct probed_call_site {
  const struct probe_function *function;
  uint32_t probe; /* index of the call's probe in function */
  uint32_t discriminator;
};

/* A call instruction's location in the source. `frames` begins with the
 * function whose code contains the instruction, and ends with the function from
 * which the call was inlined. */
struct call_location {
  struct probed_call_site frames[DWARF_FRAMES];
  size_t depth; /* number of frames, at least 1 */
  bool probed;  /* the call has a probe, so the profile already has its count */
};

/* Finds the source location of the instruction at `call`, which returns to the
 * address `returns`. Returns false if the location is unknown. */
bool call_location_find(const struct sampled_program *program, uint64_t call,
                        uint64_t returns, struct call_location *place);

/* Returns the profile's line for a call, and adds the line if it is missing. */
struct sampled_line *
builder_find_or_make_call_line(struct profile_builder *building,
                               const struct call_location *place);

/* Adds a call target with a count to a line. Also adds the count to the line,
 * unless `counted` says that a probe counts the line. */
void builder_add_target(struct profile_builder *building,
                        struct sampled_line *line, const char *name,
                        double count, bool counted);

/* ---- call paths ---- */

enum { CALL_PATH_MOST = 512 };

/* The calls in the source that lead to a function, outermost first. */
struct call_path {
  struct probed_call_site frames[CALL_PATH_MOST];
  size_t depth;
  bool probed; /* the innermost call has a probe */
};

/* Adds a frame as the innermost one. If the path has CALL_PATH_MOST frames
 * already, removes repeats, or the outer half of the frames. If the call of the
 * frame is unknown (probe is 0), removes all frames, and adds none. */
void call_path_push(struct call_path *path,
                    const struct probed_call_site *frame);

/* Adds all frames of a call to a path, outermost first. */
void call_path_push_frames(struct call_path *path,
                           const struct call_location *place);

/* Removes repeated sequences of frames, which come from recursion. */
void call_path_drop_repeats(struct call_path *path);

/* Returns the function `is` of the profile in the context of the path's first
 * `depth` frames. Adds the function if the profile does not have it. */
struct sampled_function *
call_path_find_or_make_function(struct profile_builder *building,
                                const struct call_path *path, size_t depth,
                                const struct probe_function *is);

/* Adds a target with a count to the innermost call of the path, if the path has
 * a call. Also adds the count to the call itself, unless `counted` is true,
 * which means that a probe counts the call. */
void call_path_add_target(struct profile_builder *building,
                          const struct call_path *path, const char *name,
                          double count, bool counted);

/* Adds `count` to a probe of the function to which the path leads. If the
 * probe's code was inlined, the calls that it was inlined through extend the
 * path. `number`, at least 1, identifies the path. */
void call_path_add_probe_count(struct profile_builder *building,
                               const struct call_path *base, uint64_t number,
                               const struct probe *probe, double count);

/* Returns the function to which call_path_add_probe_count has added this probe,
 * or NULL. */
struct sampled_function *
call_path_find_probe_function(const struct profile_builder *building,
                              uint64_t number, const struct probe *probe);

/* ---- contexts ---- */

/* Makes a context-sensitive profile: each function has counts for each call
 * path to it, such as "[main:3 @ foo:2 @ bar]". A path consists of the callers
 * on a sample's stack, and of the functions into which these callers were
 * inlined. A tail call is added if only one sequence of jumps leads to the
 * callee. If a call of the path is unknown, the path starts after the innermost
 * unknown call. A call is unknown if it is in code without probes, an ambiguous
 * tail call, a tail call through a register, or an interrupt. Repeated
 * sequences of frames (recursion) are removed. `rates` must come from
 * rates_compute; the call destroys them. */
void builder_add_contexts(struct profile_builder *building,
                          struct sampled_program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution);

/* ---- build.c ----
 *
 * Finds call targets from samples: distributes the entries of a function over
 * the calls that its samples return to. On x86 a probe identifies the call in
 * the source. On other machines, the line and discriminator of the call, which
 * clang -g1 writes, identify the call. */

/* Statistics of the call targets. */
struct target_statistics {
  size_t pairs;   /* number of pairs of call and callee */
  size_t unknown; /* number of these pairs whose call lacks a known source
                     location */
  size_t jumped;  /* number of further pairs, whose callee was reached through
                       a jump from another callee */
  /* The number of samples with a stale return address. Such an address is not
   * after a call, or is after a call of another function. */
  uint64_t refused;
};

/* A call that samples show, with its share of all calls of the callee. */
struct call_callee_pair {
  const struct code_symbol *callee;
  uint64_t call, returns;
  double share;
  bool jumped; /* the call calls another callee, which jumped to this callee */
};

typedef void target_visitor(void *context, const struct call_callee_pair *pair);

/* Calls `take` for each pair of call and callee. */
void targets_for_each_pair(struct sampled_program *program,
                           const struct samples *samples,
                           struct target_statistics *found,
                           target_visitor *take, void *context);

/* Adds all call targets to the profile. Call builder_add_probes before. */
void builder_add_targets(struct profile_builder *building,
                         struct sampled_program *program,
                         const struct samples *samples,
                         const struct rates *rates,
                         struct target_statistics *found);

/* ---- the calls at a sample ---- */

/* The call stack of one sample. */
struct sample_stack {
  size_t depth;                            /* number of frames, at least 1 */
  uint64_t frames[SAMPLES_DEPTH_MOST + 2]; /* the program counter, then return
                                            addresses, the innermost first */
  bool called; /* frames[1] is the return address of the innermost function */
};

/* Reads the stack of a sample. Uses the link register only where
 * listing_get_link_state says that it can hold the return address. */
void sample_stack_build(struct sample_stack *stack,
                        struct sampled_program *program,
                        const struct samples *samples,
                        const struct sample *sample);

/* ---- branches/branches.c ----
 *
 * Makes a profile from the ranges of code and the branches in a struct
 * branch_flow. */

/* Makes samples from ranges of code. Each instruction of a range counts as
 * often as the range ran. Contexts are ignored. *to need not be initialised;
 * the caller frees it with samples_free. */
void branches_expand_ranges(struct samples *to, struct listing *listing,
                            const struct flow_entry *ranges, size_t count);

/* Makes a profile with call targets, or with contexts. `rates` are the rates of
 * the samples that branches_expand_ranges makes from the flow's ranges; this
 * function destroys the rates. Returns NULL or the error. */
const char *branches_build_profile(const struct samples_settings *settings,
                                   struct sampled_program *program,
                                   const struct branch_flow *flow,
                                   struct profile_builder *building,
                                   struct rates *rates);

/* Raises the count of each line in a finished profile to the sum of the counts
 * of the line's call targets. Does not change totals. */
void branches_raise_line_counts(struct sampled_profile *profile);

#endif
