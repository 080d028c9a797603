/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads samples of the program counter from files of any supported format, and
 * folds the samples: equal samples become one sample with a count.
 * sample_rates.h turns the samples into rates.
 *
 *     struct samples samples;
 *     samples_begin(&samples);
 *     samples.elf = &elf;
 *     const char *error = samples_parse_target(&samples, bytes);  or as text
 *     ... further files ...
 *     if (!error)
 *       samples_sort_and_join(&samples);
 *     ...
 *     samples_free(&samples);
 *
 * A file may have ranges of executed code instead of samples: see
 * branches/flow.h.
 *
 * The memory grows with the number of different samples in the files.
 */
#ifndef SAMPLE_INPUT_H
#define SAMPLE_INPUT_H

#include "../base/storage.h"
#include "../object/elf.h"
#include "branches/flow.h"

enum samples_form {
  SAMPLES_AUTO,
  SAMPLES_PLAIN,  /* lines PC [RA [CALLER...]] [xCOUNT], hexadecimal */
  SAMPLES_TARGET, /* the target's format: bareprof_sampler.h, struct
                     bareprof_samples */
  SAMPLES_RANGES, /* output of llvm-profgen --unsymbolized-profile */
  SAMPLES_FORMS
};

/* The most callers on a stack. Further outer callers are cut. */
enum { SAMPLES_DEPTH_MOST = 256 };

/* All samples that were taken at one PC with the same callers. */
struct sample {
  uint64_t pc;
  uint64_t ra;    /* value of the link register; 0: not known */
  uint64_t count; /* number of samples, at least 1 */
  uint32_t chain; /* index of the innermost caller in `chains`; 0: no caller */
};

/* A list of samples that folds itself when it is full. Begin with {.limit = N}.
 * The list keeps at most N different samples, and N that are not yet folded. */
struct folded_sample_list {
  struct sample *list; /* the samples; after join_equal_samples, sorted by pc,
                          ra and chain; NULL: no samples */
  size_t count, room, limit;
};

/* A caller on a stack. Stacks with the same outer callers share these callers.
 */
struct sample_caller {
  uint64_t address; /* the return address of the call */
  uint32_t outer;   /* index of the caller's caller; 0: none is known */
};

/* The samples of all files. */
struct samples {
  struct sample *list; /* the samples, sorted by pc, ra and chain;
                          samples_sort_and_join sets this */
  size_t count;
  struct sample_caller *chains; /* the callers, from index 1 on */
  size_t chain_count;
  uint64_t total;          /* sum of the samples' counts */
  uint64_t lost;           /* number of samples that the target reports as
                              lost */
  struct branch_flow flow; /* the ranges and branches of SAMPLES_RANGES files */
  /* The caller sets these three members before the first file. */
  uint64_t offset;       /* number to subtract from all addresses */
  bool has_offset;       /* the caller has set `offset`; if not, SAMPLES_RANGES
                            uses the start of code */
  const struct elf *elf; /* the ELF that was sampled; or NULL */
  /* Only input_text.c uses the members below. */
  struct folded_sample_list folded;
  struct map callers;
  /* The callers of the last sample, outermost first. Most samples have the same
   * outer callers as the sample before, so this list saves searches. */
  struct cached_caller {
    uint64_t address;
    uint32_t chain;
  } outer[SAMPLES_DEPTH_MOST];
  size_t outer_count;
};

/* ---- input_text.c ---- */

void samples_begin(struct samples *samples);

/* Detects the format of a file from its first bytes, for SAMPLES_AUTO. Never
 * returns SAMPLES_AUTO. */
enum samples_form samples_detect_form(struct bytes first);

/* Finishes the input, and sets `list` and `count`. */
void samples_sort_and_join(struct samples *samples);

void samples_free(struct samples *samples);

/* Adds the samples of a SAMPLES_TARGET file. Returns NULL or the error. */
const char *samples_parse_target(struct samples *samples, struct bytes file);

/* ---- text ---- */

/* A sample as it was read from a file. */
struct parsed_sample {
  uint64_t stack[SAMPLES_DEPTH_MOST + 1]; /* the PC, then the return
                                             addresses, innermost first; a 0
                                             ends the stack */
  size_t depth;
  uint64_t ra, count; /* as in struct sample */
};

/* ---- branches/flow.c: a SAMPLES_RANGES file, line by line ---- */

struct ranges_reader {
  struct samples *samples;
  uint64_t left;    /* number of lines of the current kind that must follow */
  bool jumps;       /* the following lines are branches instead of ranges */
  bool number_next; /* the next line is the number of lines */
  uint32_t context; /* context of these lines: see branches/flow.h */
};

void ranges_reader_init(struct ranges_reader *of, struct samples *samples);

/* These functions return NULL or the error. */
const char *ranges_parse_line(struct ranges_reader *of, struct bytes line);
const char *ranges_check_end(const struct ranges_reader *of);

/* ---- input_text.c: text in pieces of complete lines ---- */

struct samples_text_reader {
  struct samples *samples;
  bool ranges;
  uint64_t offset; /* the value of samples->offset before this text, which may
                      change it */
  size_t line;     /* number of the last line */
  struct parsed_sample taken;
  struct ranges_reader reader;
};

/* Starts to read text. `form` must not be SAMPLES_AUTO or SAMPLES_TARGET.
 * samples_text_parse_lines and samples_text_end return NULL, or the error of
 * line text->line. */
void samples_text_begin(struct samples_text_reader *text,
                        struct samples *samples, enum samples_form form);
const char *samples_text_parse_lines(struct samples_text_reader *text,
                                     struct bytes lines);
const char *samples_text_end(struct samples_text_reader *text);

/* Moves the first line, without its end, from *file to *line. Returns false if
 * no line is left. */
bool samples_pop_line(struct bytes *file, struct bytes *line);

/* Moves the first word, up to the next blank, from *line to *word. Returns
 * false if no word is left. */
bool samples_pop_word(struct bytes *line, struct bytes *word);

/* Parses a word that is one hexadecimal number, with or without 0x. */
bool samples_parse_hex(struct bytes word, uint64_t *value);

/* Parses a decimal number of up to 15 digits. */
bool samples_parse_decimal(struct bytes word, uint64_t *value);

/* Parses two hexadecimal numbers with a separator between them. *rest becomes
 * the text after the numbers. This text must begin with `behind`, or be empty
 * if `behind` is 0. */
bool samples_parse_hex_pair(struct bytes word, const char *between, char behind,
                            uint64_t pair[2], struct bytes *rest);

#endif
