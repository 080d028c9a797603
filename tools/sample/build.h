/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From rates of probes to a profile.
 */
#ifndef SAMPLE_BUILD_H
#define SAMPLE_BUILD_H

#include "attribute.h"
#include "sampled.h"

struct building {
  struct sampled *profile;
  const struct probes *probes;
  struct map frames; /* where a frame's functions are in profile, of a way by
                        its number, or of all (0) */
  size_t unnamed;    /* probes whose function has no descriptor */
  size_t doubted;    /* probes of functions whose place is a guess */
};

void build_begin(struct building *building, struct sampled *profile,
                 const struct probes *probes);
void build_free(struct building *building);

/* Adds each probe of a function that has samples, those of none with 0. NULL,
 * or what is wrong. */
const char *build_probes(struct building *building, const struct rates *rates);

/* ---- calls ---- */

/* A call of the source, from the outermost function whose code it is in, to
 * the one that it was inlined from. */
struct call_frame {
  const struct probe_function *function;
  uint32_t probe; /* of its call */
  uint32_t discriminator;
};
struct call_place {
  struct call_frame frames[DWARF_FRAMES];
  size_t depth; /* 1 and more */
  bool probed;  /* it has a probe, and so a count already */
};

/* The one at an address, which returns there; false: not known. */
bool call_place_find(const struct program *program, uint64_t call,
                     uint64_t returns, struct call_place *place);

/* The line of the profile that a call has. NULL: no memory. */
struct sampled_line *call_line(struct building *building,
                               const struct call_place *place);

/* Adds a target to a line, so often; the line is counted too, unless a probe
 * counts it. line may be NULL. NULL, or what is wrong. */
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

/* Adds an innermost frame. Of more than WAY_MOST the outermost are cut; all
 * are where it is not known which call this is (0). */
void way_push(struct way *way, const struct call_frame *frame);
/* The same for all frames of a call. */
void way_push_all(struct way *way, const struct call_place *place);

/* What repeats itself (recursion) is there once. */
void way_compress(struct way *way);

/* The function as it is called from the first depth frames. NULL: no
 * memory. */
struct sampled_function *way_function(struct building *building,
                                      const struct way *way, size_t depth,
                                      const struct probe_function *is);

/* The last call of the way, if there is one, has a target, so often; and it is
 * counted itself, unless a probe of it is. NULL, or what is wrong. */
const char *way_call(struct building *building, const struct way *way,
                     const char *name, double count, bool counted);

/* Adds count to a probe of the function that is called by that way. The calls
 * that the probe's code was inlined from belong to the way, too. number is the
 * way's, from 1 on: functions are looked up by it. NULL, or what is wrong. */
const char *way_count(struct building *building, const struct way *way,
                      uint64_t number, const struct probe *probe, double count);

/* The function that way_count has counted a probe for, or NULL. */
struct sampled_function *way_counted(const struct building *building,
                                     uint64_t number,
                                     const struct probe *probe);

/* ---- contexts ---- */

/* A context-sensitive profile: of each function, what it does where it is
 * called by that way, "[main:3 @ foo:2 @ bar]". The way is the callers that
 * the stack of a sample tells, each with what it was inlined into. It ends, on
 * the side of main, where it is not known which call that was: in code without
 * probes, at a tail call, at an interrupt. What repeats itself (recursion)
 * is there once. NULL, or what is wrong. rates are those of all samples, and
 * are lost. */
const char *context_build(struct building *building, struct program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution);

#endif
