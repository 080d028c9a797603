/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns samples of the program counter into rates. A rate is the number of
 * samples in a piece of code, divided by the number of the piece's
 * instructions. The rate is proportional to how often the piece ran. The
 * samples come from input.h, and build.h makes a profile from the rates of
 * probes.
 */
#ifndef BAREPROF_TOOLS_SAMPLE_RATES_H
#define BAREPROF_TOOLS_SAMPLE_RATES_H

#include "input.h"
#include "listing.h"

/* The pieces of code for which a rate is computed. */
enum attribution {
  ATTRIBUTION_REGION, /* the code from a probe to the next probe, or to the
                         symbol's end */
  ATTRIBUTION_FIRST,  /* the instruction after the probe */
  ATTRIBUTION_BLOCK   /* the basic block that contains the probe */
};

/* The rates of the probes of one program, and statistics of the samples. */
struct rates {
  /* For each element of probes.list, the number of samples per instruction. A
   * number below 0 means that the function lacks samples. */
  double *probes;
  size_t probe_count; /* number of probes in functions that have samples */
  size_t symbols;     /* number of symbols that have samples and probes */
  uint64_t used;      /* number of samples in these symbols */
  uint64_t unprobed;  /* number of samples in code without probes */
  uint64_t nowhere;   /* number of samples outside of all symbols */
  /* The number of samples that were left out, because their functions could not
   * be decoded completely. */
  uint64_t unreadable;
  /* Part of `used`: samples in functions that could not be decoded completely,
   * counted with region lengths in bytes. */
  uint64_t coarse;
  uint64_t astray;      /* part of `used`: samples at a PC where no instruction
                           begins */
  uint64_t at_leaders;  /* part of `used`: samples at the first instruction of a
                           block, or after a call */
  double leaders_share; /* the value of `at_leaders` to expect if samples were
                           spread evenly over each block */
};

/* Computes the rates of all probes of a program. The caller calls rates_free.
 */
void rates_compute(struct rates *rates, struct sampled_program *program,
                   const struct samples *samples, enum attribution attribution);
void rates_free(struct rates *rates);

/* Computes the rates of one symbol's probes from other samples, which must all
 * be in that symbol. rates_compute must have made *rates. Before each call,
 * call rates_reset for the probes from `first` up to `last`. */
void rates_set_from_samples(struct rates *rates,
                            struct sampled_program *program,
                            const struct samples *samples,
                            enum attribution attribution);
void rates_reset(struct rates *rates, size_t first, size_t last);

/* An instruction in a symbol that has samples. */
struct rated_instruction {
  uint64_t address;
  unsigned length; /* length of the instruction in bytes */
  double rate;
  const struct code_symbol *symbol;
};

/* A callback that receives instructions with rates. */
struct rated_instruction_visitor {
  void (*take)(void *context, const struct rated_instruction *one);
  void *context;
  enum attribution attribution; /* must not be ATTRIBUTION_REGION, which needs
                                   probes */
};

/* Computes rates for code that has debug lines but no probes. Calls `take` for
 * each instruction, by ascending address. */
void rates_compute_instructions(struct rates *rates,
                                struct sampled_program *program,
                                const struct samples *samples,
                                const struct rated_instruction_visitor *taker);

/* Returns whether nearly all samples are where blocks begin. QEMU without
 * -icount takes interrupts only at these places, so the number of samples does
 * not grow with the length of a block. */
bool rates_samples_are_at_leaders(const struct rates *rates);

#endif
