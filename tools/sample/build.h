/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns rates of probes into a profile.
 */
#ifndef SAMPLE_BUILD_H
#define SAMPLE_BUILD_H

#include "attribute.h"
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

struct way {
  struct call_frame frames[WAY_MOST];
  size_t depth;
  bool probed; /* the innermost one's call has a probe */
};

/* Adds an innermost frame. Beyond WAY_MOST frames the outermost are cut. If the
 * call is unknown (0), all outer frames are cut. */
void way_push(struct way *way, const struct call_frame *frame);
/* The same for all frames of a call. */
void way_push_all(struct way *way, const struct call_place *place);

/* Removes repetitions (recursion). */
void way_compress(struct way *way);

/* The function as it is called from the first depth frames. NULL: no
 * memory. */
struct sampled_function *way_function(struct building *building,
                                      const struct way *way, size_t depth,
                                      const struct probe_function *is);

/* Adds a target with a count to the last call of the way, if there is one. Also
 * adds the count to the call, unless a probe counts the call. Returns NULL or
 * the error. */
const char *way_call(struct building *building, const struct way *way,
                     const char *name, double count, bool counted);

/* Adds count to a probe of the function that is called by that way. The calls
 * that the probe's code was inlined from belong to the way, too. number is the
 * way's number, from 1 on, for the lookup of functions. Returns NULL or the
 * error. */
const char *way_count(struct building *building, const struct way *way,
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

#endif
