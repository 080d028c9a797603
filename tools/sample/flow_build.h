/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From ranges and branches to a profile: whom calls call, and contexts.
 */
#ifndef SAMPLE_FLOW_BUILD_H
#define SAMPLE_FLOW_BUILD_H

#include "build.h"
#include "listing.h"
#include "program.h"
#include "targets.h"

struct flow_building {
  struct building *building;
  struct program *program;
  struct listing *listing;
  const struct flow *flow;
  enum attribution attribution;
  bool calls_probed; /* the image has probes of calls, as on x86: what has none
                        is then no call of the source any more */
  struct map names;  /* of functions without probes, by address: the
                              symbol's number, plus 1 */
};

/* The caller has set what is above calls_probed. NULL, or what is wrong; in
 * both cases the caller calls flow_building_free. */
const char *flow_building(struct flow_building *of);
void flow_building_free(struct flow_building *of);

/* Which call of the source an instruction is; false: not known. */
bool flow_place(const struct flow_building *of, uint64_t from,
                struct call_place *place);

/* The function that begins at an address; NULL: none does. */
const char *flow_callee(const struct flow_building *of, uint64_t to);

/* Parts of functions of which other parts have rates, as cold code that lies
 * elsewhere: they were not run. NULL, or what is wrong. */
const char *flow_zeros(const struct flow_building *of, struct rates *rates);

/* Without contexts: after build_probes. NULL, or what is wrong. */
const char *flow_targets(const struct flow_building *of);

/* A call ran as often as its targets were called: of the functions of a
 * finished profile, whose totals stay. */
void flow_raise_calls(struct sampled *profile);

/* All, in contexts. rates are as rates_find made them, and are lost. NULL, or
 * what is wrong. */
const char *flow_contexts(const struct flow_building *of, struct rates *rates);

#endif
