/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns rates of probes into a profile.
 */
#ifndef SAMPLE_BUILD_H
#define SAMPLE_BUILD_H

#include "../mip/mip_view.h"
#include "attribute.h"
#include "listed.h"
#include "sampled.h"

struct building {
  struct sampled *profile;
  const struct probes *probes;
  struct map frames; /* a frame's functions in profile, by a way's number, or
                        of all ways (0) */
  size_t unnamed;    /* probes whose function has no descriptor */
  size_t doubted;    /* probes of functions whose place is a guess */
};

void build_begin(struct building *building, struct sampled *profile,
                 const struct probes *probes);
void build_free(struct building *building);

/* Adds each probe of a function with samples. Probes without samples get 0.
 * Returns NULL or the error. */
const char *build_probes(struct building *building, const struct rates *rates);

/* ---- calls ---- */

/* A call in the source, from the outermost function whose code has the call, to
 * the function that the call was inlined from. */
struct call_frame {
  const struct probe_function *function;
  uint32_t probe; /* of its call */
  uint32_t discriminator;
};
struct call_place {
  struct call_frame frames[DWARF_FRAMES];
  size_t depth; /* 1 and more */
  bool probed;  /* The call has a probe, and so a count already. */
};

/* Finds the call that returns to an address. false: unknown. */
bool call_place_find(const struct program *program, uint64_t call,
                     uint64_t returns, struct call_place *place);

/* Returns the profile's line of a call. NULL: no memory. */
struct sampled_line *call_line(struct building *building,
                               const struct call_place *place);

/* Adds a target with a count to a line. Also adds the count to the line, unless
 * a probe counts the line. line may be NULL. Returns NULL or the error. */
const char *call_target(struct building *building, struct sampled_line *line,
                        const char *name, double count, bool counted);

/* ---- ways ---- */

/* The calls of the source that lead to a function, the outermost first. */
enum { WAY_MOST = 512 };

struct call_path {
  struct call_frame frames[WAY_MOST];
  size_t depth;
  bool probed; /* the innermost one's call has a probe */
};

/* Adds an innermost frame. Beyond WAY_MOST frames the outermost are cut. If the
 * call is unknown (0), all outer frames are cut. */
void way_push(struct call_path *way, const struct call_frame *frame);
/* The same for all frames of a call. */
void way_push_all(struct call_path *way, const struct call_place *place);

/* Removes repetitions (recursion). */
void way_compress(struct call_path *way);

/* The function as it is called from the first depth frames. NULL: no
 * memory. */
struct sampled_function *way_function(struct building *building,
                                      const struct call_path *way, size_t depth,
                                      const struct probe_function *is);

/* Adds a target with a count to the last call of the way, if there is one. Also
 * adds the count to the call, unless a probe counts the call. Returns NULL or
 * the error. */
const char *way_call(struct building *building, const struct call_path *way,
                     const char *name, double count, bool counted);

/* Adds count to a probe of the function that is called by that way. The calls
 * that the probe's code was inlined from belong to the way, too. number is the
 * way's number, from 1 on, for the lookup of functions. Returns NULL or the
 * error. */
const char *way_count(struct building *building, const struct call_path *way,
                      uint64_t number, const struct probe *probe, double count);

/* The function that way_count has counted a probe for, or NULL. */
struct sampled_function *way_counted(const struct building *building,
                                     uint64_t number,
                                     const struct probe *probe);

/* ---- contexts ---- */

/* Makes a context-sensitive profile: the counts of each function for each way
 * to it, "[main:3 @ foo:2 @ bar]". The way consists of the callers on a
 * sample's stack, each with the functions that it was inlined into. Tail calls
 * are added where only one way of jumps leads there. On main's side the way
 * ends where the call is unknown: in code without probes, at a tail call by a
 * register or of several ways, at an interrupt. Repetitions (recursion) occur
 * once. Returns NULL or the error. rates are those of all samples, and are
 * destroyed. */
const char *context_build(struct building *building, struct program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution);

/* ---- build.c ----
 *
 * Finds call targets from samples: distributes the entries of a function over
 * the places that its samples return to. On x86 a probe identifies the call in
 * the source. On other machines, the discriminator that clang -g1 gives the
 * call's line does.
 */

struct targets_found {
  size_t pairs;     /* of call and callee */
  size_t unknown;   /* among these, calls that cannot be identified */
  size_t jumped;    /* further pairs, of a callee that another callee jumps
                       to */
  uint64_t refused; /* samples with a stale return address: behind no call,
                       or behind a call of another function */
};

/* A call seen in samples, with its share of all calls of its callee. */
struct targets_pair {
  const struct probe_symbol *callee;
  uint64_t call, returns;
  double share;
  bool jumped; /* not called there: another callee jumped to it */
};

/* Calls take for each pair. Returns NULL or the error, also take's. */
const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context);

/* Returns NULL or the error. */
const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates, struct targets_found *found);

/* ---- the calls at a sample ---- */

struct stack {
  size_t depth;                            /* 1 and more */
  uint64_t frames[SAMPLES_DEPTH_MOST + 2]; /* the program counter, then return
                                            addresses, the innermost first */
  bool called; /* frames[1] is the return address of the innermost function */
};

/* Reads the stack of a sample. The link register counts only where listing_link
 * says so. */
void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample);

/* ---- calls.c ----
 *
 * A profile for clang of counted calls: MIP's edges, by the lines of the call
 * sites.
 */

struct calls_found {
  size_t unknown; /* call sites whose line is not known */
  size_t unclear; /* left out: their line has no one count, see below */
};

/* With every_line, lines without calls have the count of their function's
 * calls, as if there were no branch and no loop: for gcc, which takes a line
 * without a count for one that never runs.
 * Adds each function of the profile: its calls are its head count, 0 if it was
 * never called; its call sites are lines with targets. places must have an ELF
 * with lines, and live as long as profile. Returns NULL or the error. */
const char *calls_profile(struct sampled *profile,
                          const struct mip_places *places, bool every_line,
                          struct calls_found *found);

/* ---- calls never made ---- */

/* Which lines have one count that a call can tell. A count of calls stands for
 * all code of its line. That is wrong where a line has several calls that were
 * made unlike often, or a loop: clang would take the one for the other. */
struct clear {
  const struct mip_places *places;
  struct buffer calls;  /* struct clear_call; in the end of unclear lines */
  struct buffer starts; /* of functions, ascending addresses */
};

#endif
