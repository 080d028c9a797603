/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns samples of the program counter into rates of probes: the samples of a
 * piece of code that runs as one, divided by its instructions.
 */
#ifndef SAMPLE_ATTRIBUTE_H
#define SAMPLE_ATTRIBUTE_H

#include "input.h"
#include "listed.h"

/* What the piece is: */
enum attribution {
  ATTRIBUTION_REGION, /* from a probe to the next, or the symbol's end */
  ATTRIBUTION_FIRST,  /* the instruction that the probe stands before */
  ATTRIBUTION_BLOCK   /* from a branch or the target of one to the next */
};

/* The rates of one program, and statistics of its samples. */
struct rates {
  double *probes;       /* for each of probes.list, samples per instruction;
                         below 0: the function has no samples */
  size_t probe_count;   /* of functions that have samples */
  size_t symbols;       /* that have samples and probes */
  uint64_t used;        /* samples there */
  uint64_t unprobed;    /* in code without probes */
  uint64_t nowhere;     /* in no symbol's code */
  uint64_t unreadable;  /* in functions that could not be decoded whole, and
                           are left out */
  uint64_t coarse;      /* among used, in such functions, whose regions have
                           lengths in bytes */
  uint64_t astray;      /* among used, where no instruction begins */
  uint64_t at_leaders;  /* among used, at the first instruction of a block,
                           or behind a call */
  double leaders_share; /* how many of used would be there if samples spread
                           evenly over each block */
};

/* Returns NULL or the error. The caller calls rates_free in both cases. */
const char *rates_find(struct rates *rates, struct program *program,
                       const struct samples *samples,
                       enum attribution attribution);
void rates_free(struct rates *rates);

/* The same for samples in one symbol, with rates that rates_find has made.
 * Holds the rates of one symbol only; call rates_forget before the next. */
const char *rates_find_again(struct rates *rates, struct program *program,
                             const struct samples *samples,
                             enum attribution attribution);
void rates_forget(struct rates *rates, size_t first, size_t last);

/* An instruction of a symbol with samples, for code with lines and without
 * probes. rates_each passes them in order. */
struct rates_instruction {
  uint64_t address;
  unsigned length;
  double rate;
  const struct probe_symbol *symbol;
};
struct rates_taker {
  const char *(*take)(void *context, const struct rates_instruction *one);
  void *context;
  enum attribution attribution; /* not of a region */
};
const char *rates_each(struct rates *rates, struct program *program,
                       const struct samples *samples,
                       const struct rates_taker *taker);

/* Whether the samples were taken only where blocks begin: QEMU without
 * -icount takes interrupts only there. Such samples do not depend on a
 * block's length. */
bool rates_locked(const struct rates *rates);

#endif
