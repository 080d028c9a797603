/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sample profile in memory, as clang's -fprofile-sample-use takes it:
 * functions with the counts of their probes (or lines), their call targets, and
 * the functions inlined into them. Counts are summed as weights, and become
 * whole numbers at the end.
 *
 *     struct sampled profile;
 *     sampled_begin(&profile);
 *     function = sampled_function(&profile, "", "main", hash);
 *     ...
 *     const char *error = sampled_finish(&profile, 1000);
 *     if (!error)
 *       sampled_put_text(stream, &profile);
 *     sampled_free(&profile);
 */
#ifndef SAMPLE_SAMPLED_H
#define SAMPLE_SAMPLED_H

#include <stdbool.h>
#include <stdio.h>

#include "../base/storage.h"
#include "../profile/gather.h"
#include "attribute.h"

/* The index of a probe, or a line relative to its function's first line; and
 * the discriminator of several sites in one line. */
struct sampled_site {
  uint32_t line, discriminator;
};

struct sampled_target {
  const char *name;
  double weight;
  uint64_t count;
  struct sampled_target *next;
};

struct sampled_line {
  struct sampled_site site;
  double weight;
  uint64_t count;
  struct sampled_target *targets; /* by falling count, then name */
  uint32_t target_count;
  struct sampled_line *next;
};

struct sampled_function {
  const char *name;
  const char *context; /* "main:3 @ foo:2 @ bar"; NULL: in any */
  uint64_t hash;
  bool hashed;
  uint32_t attributes;
  struct sampled_site site; /* the call site if inlined */
  double head;              /* entries, if not inlined */
  double span;              /* the total, unless it is the sum of all lines: */
  bool spanned;
  uint64_t head_count, total;
  struct sampled_line *lines; /* by site */
  uint32_t line_count;
  struct sampled_function *inlined; /* by site, then name */
  uint32_t inlined_count;
  struct sampled_function *next;
};

struct sampled {
  struct sampled_function *functions; /* by falling total, then name */
  uint32_t function_count;
  struct arena arena;
  struct map names, places; /* of use to sampled.c only */
};

void sampled_begin(struct sampled *profile);
void sampled_free(struct sampled *profile);

/* These functions return the existing element, or make it. NULL: no memory.
 * Names and contexts must live as long as profile, or be of sampled_text.
 * context may be NULL. */
struct sampled_function *sampled_function(struct sampled *profile,
                                          const char *context,
                                          const char *name);
struct sampled_function *sampled_inlined(struct sampled *profile,
                                         struct sampled_function *into,
                                         struct sampled_site site,
                                         const char *name);
struct sampled_line *sampled_line(struct sampled *profile,
                                  struct sampled_function *function,
                                  struct sampled_site site);
struct sampled_target *sampled_target(struct sampled *profile,
                                      struct sampled_line *line,
                                      const char *name);

/* Adds to a line without a lookup, which is faster. Lines of one site are
 * joined when the profile is finished; until then sampled_line does not find
 * the new line. false: no memory. */
bool sampled_add(struct sampled *profile, struct sampled_function *function,
                 struct sampled_site site, double weight);

/* Multiplies all weights, rounds them, adds up totals, and sorts. Functions
 * with only zeros stay. Returns NULL or the error. */
const char *sampled_finish(struct sampled *profile, double scale);

/* The text form, as llvm-profdata merge --sample --text writes it. */
void sampled_put_text(FILE *stream, const struct sampled *profile);

/* ---- the way to a function ---- */

/* Frame by frame: "main:3", "foo:2.1", and in the end the function itself.
 *
 *     struct sampled_frame frame;
 *     for (sampled_frames(&frame, function); sampled_next_frame(&frame);)
 *       ... frame.name, frame.size, frame.site ...
 */
struct sampled_frame {
  const char *name; /* size bytes, without a zero behind */
  size_t size;
  struct sampled_site site; /* of the call; of the function itself {0, 0} */
  /* Only for sampled.c. */
  const struct sampled_function *function; /* NULL: it was the last */
  const char *rest;                        /* of the context */
};

/* ---- copies ---- */

struct sampled_copy {
  struct sampled *to;
  struct renames *renames; /* of files; NULL: names stay */
  struct buffer text;      /* has a limit if there are renames */
};

/* Gives a finished profile the new names of files. Functions that become the
 * same are added up. Returns NULL or the error. */
const char *sampled_rename(struct sampled *profile, struct renames *renames);

/* ---- cold contexts ---- */

/* Cold contexts make a profile large and say little. Cold contexts of a
 * function with the same last frames are merged. */
struct cold_settings {
  bool merge;     /* otherwise all contexts stay */
  bool trim;      /* drop contexts that are still cold after merging */
  bool has_below; /* otherwise cold_threshold decides */
  uint64_t below; /* a total below this is cold */
  unsigned depth; /* frames that stay, including the function's own; at least
                     1 */
};

/* Adds a finished profile to an empty one, and finishes the latter. Totals are
 * the same, except trimmed contexts. Returns NULL or the error. */
const char *cold_merge(struct sampled *to, const struct sampled *from,
                       const struct cold_settings *settings);

/* The same for all contexts, cold or not: one per function is left. *to need
 * not be initialised before; the caller frees it in any case. */
const char *sampled_flatten(struct sampled *to, const struct sampled *from);

/* What gcc -fauto-profile reads, without contexts. Adds the file to out. The
 * profile is finished. Returns NULL or the error. */
const char *sampled_put_gcc(struct buffer *out, const struct sampled *profile);

/* ---- sample_lines.c ----
 *
 * A profile of lines, for programs without probes: a line has the highest rate
 * of its instructions, and a function's total is its executed bytes.
 * llvm-profgen does the same.
 */

struct lines_found {
  size_t unknown;    /* instructions without a known line */
  size_t undeclared; /* instructions of functions whose first line is unknown */
};

/* ---- places in the source, by debug information ---- */

struct line_frames {
  struct dwarf_frame list[DWARF_FRAMES]; /* of dwarf_frames */
  size_t depth;
  const char *symbol; /* the name of the function's code */
};

struct line_place {
  struct sampled_function *outer, *inner; /* whose code it is, and whose line */
  struct sampled_site site;
  uint32_t discriminator;
};

/* Finds, or makes, the functions of these frames, and adds span to their
 * totals. *place: inner is NULL if its line is not known. Returns NULL or the
 * error. */
const char *line_place_find(struct sampled *profile,
                            const struct line_frames *frames, double span,
                            struct line_place *place);

/* Adds a call target, which must live as long as profile. Returns NULL or the
 * error. */
const char *line_place_call(struct sampled *profile,
                            const struct line_place *call, const char *name,
                            double weight);

/* Raises each line to the count of its calls. Lines of inlined functions stay,
 * as in llvm-profgen. */
void lines_raise_calls(struct sampled *profile);

/* ---- samples ---- */

/* All lines of each function that has samples. Returns NULL or the error. rates
 * need not be freed. */
const char *lines_rates(struct sampled *profile, struct program *program,
                        const struct samples *samples,
                        enum attribution attribution, struct rates *rates,
                        struct lines_found *found);

/* Adds call targets by return addresses; call it after lines_rates. */
const char *lines_targets(struct sampled *profile, struct program *program,
                          const struct samples *samples);

/* The same from branches, if lines_rates got all code between the branches: a
 * function's entries are then the branches to its begin. */
const char *lines_jumps(struct sampled *profile, struct program *program,
                        const struct flow *flow);

#endif
