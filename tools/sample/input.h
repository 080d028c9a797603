/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of the program counter, of any origin, folded: each pair of place and
 * callers once, with a count.
 *
 *     struct samples samples;
 *     samples_begin(&samples);
 *     samples.elf = &elf;
 *     const char *error = samples_read(&samples, bytes, SAMPLES_AUTO, &line);
 *     ... further files ...
 *     if (!error)
 *       error = samples_finish(&samples);
 *     ...
 *     samples_free(&samples);
 *
 * A file may also hold only the code that ran between branches: see
 * branches/flow.h.
 *
 * Memory is bounded by the number of different samples in the files.
 */
#ifndef SAMPLE_INPUT_H
#define SAMPLE_INPUT_H

#include "../base/storage.h"
#include "../object/elf.h"
#include "branches/flow.h"

enum samples_form {
  SAMPLES_AUTO,
  SAMPLES_PLAIN,  /* PC [RA [CALLER...]] [xCOUNT], hexadecimal */
  SAMPLES_TARGET, /* bareprof_sampler.h, struct bareprof_samples */
  SAMPLES_RANGES, /* llvm-profgen --unsymbolized-profile */
  SAMPLES_FORMS
};

/* Callers beyond these are cut on main's side. */
enum { SAMPLES_DEPTH_MOST = 256 };

struct sample {
  uint64_t pc;
  uint64_t ra;    /* the link register's value; 0: not known */
  uint64_t count; /* 1 and more */
  uint32_t chain; /* number of the innermost caller in chains; 0: none */
};

/* Samples, each different one once. Begin with {.limit = N}: the fold keeps at
 * most N different samples, and as many again that are not folded yet. */
struct sample_fold {
  struct sample *list; /* by pc, ra, chain, once finished; NULL: none */
  size_t count, room, limit;
};

/* A return address, and the entry of the caller's caller. */
struct sample_caller {
  uint64_t address;
  uint32_t outer; /* 0: none is known */
};

struct samples {
  struct sample *list; /* by pc, ra, chain, once finished */
  size_t count;
  const struct sample_caller *chains; /* from 1 on */
  uint64_t total;
  uint64_t lost;   /* losses that the target reports */
  uint32_t period; /* of the last file that names one; 0: unknown */
  struct flow flow; /* executed code that the files list directly */
  /* Set by the caller before the first file. */
  uint64_t offset;       /* is subtracted from all addresses */
  bool has_offset;       /* default for SAMPLES_RANGES: the start of code */
  const struct elf *elf; /* whose samples they are; or NULL */
  /* Only for input_text.c. */
  struct sample_fold folded;
  struct map callers;
  struct buffer caller_memory;
  /* The callers of the last sample, the outermost first, and their numbers:
   * most samples have the same outer callers. */
  struct sample_outer {
    uint64_t address;
    uint32_t chain;
  } outer[SAMPLES_DEPTH_MOST];
  size_t outer_count;
};

void samples_begin(struct samples *samples);

/* Adds a file's samples. Returns NULL, or the error and its line in *line (or
 * 0). */
const char *samples_read(struct samples *samples, struct bytes file,
                         enum samples_form form, size_t *line);

/* The form of a file that begins so, which SAMPLES_AUTO stands for. */
enum samples_form samples_form_of(struct bytes first);

/* The same for text that comes piece by piece, each of whole lines:
 *
 *     struct samples_text *text = samples_text_begin(&samples, form, first);
 *     while (!error && ...)
 *       error = samples_text_add(text, lines, &line);
 *     if (!error)
 *       error = samples_text_end(text, &line);
 *     free(text);
 *
 * first: how the text begins; it is not added. NULL: no memory. form is not
 * SAMPLES_AUTO or SAMPLES_TARGET. *line: of the error. */
struct samples_text;
struct samples_text *samples_text_begin(struct samples *samples,
                                        enum samples_form form,
                                        struct bytes first);
const char *samples_text_add(struct samples_text *text, struct bytes lines,
                             size_t *line);
const char *samples_text_end(struct samples_text *text, size_t *line);

/* Makes list. Returns NULL or the error. */
const char *samples_finish(struct samples *samples);

void samples_free(struct samples *samples);

/* ---- for the readers ---- */

/* stack: innermost first, stack[0] is the program counter. Addresses of 0 end
 * it. Returns NULL or the error. */
struct sample_taken {
  uint64_t stack[SAMPLES_DEPTH_MOST + 1];
  size_t depth;
  uint64_t ra, count;
};

const char *samples_read_target(struct samples *samples, struct bytes file);

/* A form of text; state has size bytes, which are zero before begin. line gets
 * one without its end. Each returns NULL or the error. */
struct samples_text_form {
  size_t size;
  void (*begin)(void *state, struct samples *samples, struct bytes first);
  const char *(*line)(void *state, struct bytes line);
  const char *(*end)(void *state);
};
extern const struct samples_text_form samples_plain, samples_ranges;

/* Cuts the first line off *file, without its end; false: there is none. */
bool samples_line(struct bytes *file, struct bytes *line);

static inline bool samples_blank(unsigned char c) {
  return c == ' ' || c == '\t';
}

/* Cuts off a word up to the next blank; false: there is none. */
bool samples_word(struct bytes *line, struct bytes *word);

/* The value of a hexadecimal digit, plus 1; 0 for any other byte. Unlike
 * comparisons, a table does not depend on the digits that came before. */
extern const unsigned char samples_digits[256];

/* Reads a word that is one hexadecimal number, with or without 0x. */
bool samples_hex(struct bytes word, uint64_t *value);

/* Reads a decimal number of up to 15 digits. */
bool samples_decimal(struct bytes word, uint64_t *value);

/* Reads two hexadecimal numbers with a separator between them. *rest is the
 * text behind: it begins with `behind`, or is empty if `behind` is 0. */
bool samples_pair(struct bytes word, const char *between, char behind,
                  uint64_t pair[2], struct bytes *rest);

#endif
