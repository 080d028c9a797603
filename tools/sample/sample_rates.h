/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns samples of the program counter into rates. A rate is the number of
 * samples in a piece of code per instruction of the piece. The rate is
 * proportional to how often the piece ran. input.h delivers the samples, and
 * build.h makes a profile of the rates of probes.
 */
#ifndef BAREPROF_TOOLS_SAMPLE_RATES_H
#define BAREPROF_TOOLS_SAMPLE_RATES_H

#include "input.h"
#include "listing.h"

/* The pieces of code for which a rate is computed. */
enum attribution {
  ATTRIBUTION_REGION, /* from a probe to the next, or the symbol's end */
  ATTRIBUTION_FIRST,  /* the instruction after the probe */
  ATTRIBUTION_BLOCK   /* a basic block */
};

/* The rates of one program, and statistics of its samples. */
struct rates {
  double *probes;       /* for each of probes.list, samples per instruction;
                         below 0: the function lacks samples */
  size_t probe_count;   /* probes in functions that have samples */
  size_t symbols;       /* symbols that have samples and probes */
  uint64_t used;        /* samples in these symbols */
  uint64_t unprobed;    /* samples in code without probes */
  uint64_t nowhere;     /* samples outside of all symbols */
  uint64_t unreadable;  /* samples left out, in functions that could not be
                           decoded completely */
  uint64_t coarse;      /* part of used: samples in such functions, counted
                           with region lengths in bytes */
  uint64_t astray;      /* part of used: no instruction begins at the PC */
  uint64_t at_leaders;  /* part of used: at the first instruction of a block,
                           or after a call */
  double leaders_share; /* expected value of `at_leaders` if samples were spread
                           evenly over each block */
};

/* Computes the rates of all probes. The caller calls rates_free. */
void rates_compute(struct rates *rates, struct sampled_program *program,
                   const struct samples *samples, enum attribution attribution);
void rates_free(struct rates *rates);

/* Computes the rates of one symbol's probes from other samples, which must all
 * be in that symbol. rates_compute must have made *rates. Before each call,
 * call rates_reset, which removes the older rates of the probes from `first` up
 * to `last`. */
void rates_compute_symbol(struct rates *rates, struct sampled_program *program,
                          const struct samples *samples,
                          enum attribution attribution);
void rates_reset(struct rates *rates, size_t first, size_t last);

/* An instruction of a symbol with samples. */
struct rated_instruction {
  uint64_t address;
  unsigned length; /* bytes */
  double rate;
  const struct probe_symbol *symbol;
};

/* A callback that receives instructions with rates. */
struct rated_instruction_visitor {
  void (*take)(void *context, const struct rated_instruction *one);
  void *context;
  enum attribution attribution; /* not ATTRIBUTION_REGION, which needs probes */
};

/* Computes rates for code with debug lines but without probes: calls `take` for
 * each instruction, by ascending address. */
void rates_compute_instructions(struct rates *rates,
                                struct sampled_program *program,
                                const struct samples *samples,
                                const struct rated_instruction_visitor *taker);

/* Whether nearly all samples are where blocks begin. QEMU without -icount takes
 * interrupts only there, and such samples do not grow with a block's length. */
bool rates_are_at_leaders(const struct rates *rates);

#endif
