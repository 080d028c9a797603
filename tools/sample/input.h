/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of the program counter, of any origin, folded: each pair of place
 * and callers once, with how often it was seen.
 *
 *     struct samples samples;
 *     samples_begin(&samples);
 *     const char *error = samples_read(&samples, bytes, SAMPLES_AUTO, &line);
 *     ... further files ...
 *     if (!error)
 *       error = samples_finish(&samples);
 *     ...
 *     samples_free(&samples);
 *
 * Memory is bounded by what is different in the files.
 */
#ifndef SAMPLE_INPUT_H
#define SAMPLE_INPUT_H

#include "../base/buffer.h"
#include "../base/bytes.h"
#include "map.h"

enum samples_form {
  SAMPLES_AUTO,
  SAMPLES_PLAIN,  /* PC [RA [CALLER...]] [xCOUNT], hexadecimal */
  SAMPLES_TARGET, /* bareprof_sampler.h, struct bareprof_samples */
  SAMPLES_PERF,   /* perf script */
  SAMPLES_FORMS
};

/* Callers beyond these are cut, on the side of main. */
enum { SAMPLES_DEPTH_MOST = 256 };

struct sample {
  uint64_t pc;
  uint64_t ra;    /* what the link register held; 0: not known */
  uint64_t count; /* 1 and more */
  uint32_t chain; /* number of the innermost caller in chains; 0: none */
};

/* A return address, and that of the caller's caller. */
struct sample_caller {
  uint64_t address;
  uint32_t outer; /* 0: none is known */
};

struct samples {
  struct sample *list; /* by pc, ra, chain, once finished */
  size_t count;
  const struct sample_caller *chains; /* from 1 on */
  uint64_t total;
  uint64_t lost; /* what the target says that it lost */
  /* Of use to input*.c only. */
  uint64_t offset; /* is subtracted from all addresses */
  struct sample_map folded, callers;
  struct buffer caller_memory;
};

void samples_begin(struct samples *samples);

/* Adds a file's. NULL, or what is wrong, and then *line is where, or 0. */
const char *samples_read(struct samples *samples, struct bytes file,
                         enum samples_form form, size_t *line);

/* Makes list. NULL, or what is wrong. */
const char *samples_finish(struct samples *samples);

void samples_free(struct samples *samples);

/* ---- for the readers ---- */

/* stack: innermost first, stack[0] is the program counter. Addresses of 0 end
 * it. NULL, or what is wrong. */
struct sample_taken {
  uint64_t stack[SAMPLES_DEPTH_MOST + 1];
  size_t depth;
  uint64_t ra, count;
};
const char *samples_add(struct samples *samples,
                        const struct sample_taken *taken);

const char *samples_read_plain(struct samples *samples, struct bytes file,
                               size_t *line);
const char *samples_read_perf(struct samples *samples, struct bytes file,
                              size_t *line);
const char *samples_read_target(struct samples *samples, struct bytes file);

/* Whether text looks like perf script's. */
bool samples_is_perf(struct bytes file);

/* Cuts the first line off *file, without its end; false: there is none. */
bool samples_line(struct bytes *file, struct bytes *line);

/* Cuts off a word up to the next blank; false: there is none. */
bool samples_word(struct bytes *line, struct bytes *word);

/* The whole word is one hexadecimal number, 0x before it or not. */
bool samples_hex(struct bytes word, uint64_t *value);

#endif
