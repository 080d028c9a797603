/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as text: one a line, as a debug probe or GDB gives them.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "image_build_id.h"
#include "input.h"

/* xCOUNT */
static bool repeated(struct bytes word, uint64_t *count) {
  return word.data[0] == 'x' &&
         samples_decimal((struct bytes){word.data + 1, word.size - 1}, count) &&
         *count != 0;
}

/* ---- one a line ---- */

struct plain {
  struct samples *samples;
  struct sample_taken taken;
};

/* PC, RA, CALLER...: RA is not a part of the stack, for it may be old. */
static const char *plain_line(struct bytes line, struct sample_taken *taken) {
  static const char bad[] =
      "here should be PC [RA [CALLER...]] [xCOUNT], addresses in hexadecimal, "
      "the innermost first; correct it";
  struct bytes word;
  uint64_t address;
  size_t number = 0;
  bool ended = false;
  taken->depth = 0;
  taken->ra = 0;
  taken->count = 1;
  while (samples_word(&line, &word) && word.data[0] != '#') {
    if (ended)
      return bad;
    if (number && word.data[0] == 'x') {
      if (!repeated(word, &taken->count))
        return bad;
      ended = true;
      continue;
    }
    if (!samples_hex(word, &address))
      return bad;
    if (number++ == 1)
      taken->ra = address;
    else if (taken->depth <= SAMPLES_DEPTH_MOST)
      taken->stack[taken->depth++] = address;
  }
  return NULL;
}

static void plain_begin(void *state, struct samples *samples,
                        struct bytes first) {
  struct plain *plain = state;
  (void)first;
  plain->samples = samples;
}

static const char *plain_next(void *state, struct bytes line) {
  struct plain *plain = state;
  const char *error = plain_line(line, &plain->taken);
  return error ? error : samples_add(plain->samples, &plain->taken);
}

static const char *plain_end(void *state) {
  (void)state;
  return NULL;
}

const struct samples_text_form samples_plain = {
    sizeof(struct plain), plain_begin, plain_next, plain_end};

/* ==== The file that include/bareprof_sampler.h describes. */

enum {
  HEADER = 32,
  BIG = 1,
  WIDE = 2,
  FOLDED = 4,
  CHAINS = 8,
  KNOWN = 15,
  CHAIN_MOST = 64
};

struct layout {
  bool big;
  unsigned flags, width, chain;
  uint32_t entries;
};

static const char *read_header(struct layout *layout, struct bytes file) {
  const unsigned char *at = file.data;
  if (file.size < HEADER)
    return "the file of samples is cut short; send it again";
  /* The flags say in which order they are themselves: 1 has the other half. */
  layout->big = load16(at + 4, true) == 1;
  if (!layout->big && load16(at + 4, false) != 1)
    return "samples of a version that this tool does not know; take the tool "
           "that the firmware's library is from";
  layout->flags = load16(at + 6, layout->big);
  if (layout->flags & ~(unsigned)KNOWN ||
      !(layout->flags & BIG) == layout->big ||
      ((layout->flags & FOLDED) && (layout->flags & CHAINS)))
    return "the header of the samples is damaged; send them again";
  layout->width = layout->flags & WIDE ? 8 : 4;
  layout->entries = load32(at + 12, layout->big);
  layout->chain = layout->flags & CHAINS ? load32(at + 24, layout->big) : 0;
  if (layout->chain > CHAIN_MOST)
    return "the header of the samples is damaged; send them again";
  return NULL;
}

/* Firmware that no linker script of ours places has no bounds of its id. */
static bool other_build(const struct elf *elf, uint32_t build) {
  struct bytes id;
  return build && elf && elf_build_id(elf, &id) &&
         build != bareprof_build_hash(id.data, id.size);
}

static const char *take_entry(struct samples *samples,
                              const struct layout *layout,
                              const unsigned char *at) {
  struct sample_taken taken;
  unsigned width = layout->width;
  taken.stack[0] = load_number(at, width, layout->big);
  taken.ra = load_number(at + width, width, layout->big);
  taken.count = layout->flags & FOLDED
                    ? load_number(at + 2 * width, width, layout->big)
                    : 1;
  taken.depth = 1;
  for (unsigned i = 0; i < layout->chain; i++)
    taken.stack[taken.depth++] =
        load_number(at + (2 + i) * width, width, layout->big);
  return samples_add(samples, &taken);
}

const char *samples_read_target(struct samples *samples, struct bytes file) {
  struct layout layout;
  const char *error = read_header(&layout, file);
  if (error)
    return error;
  if (samples->elf && (layout.big != samples->elf->big ||
                       (layout.width == 8) != samples->elf->wide))
    return "these samples have another word size than the ELF; give the very "
           "ELF that ran";
  if (other_build(samples->elf, load32(file.data + 28, layout.big)))
    return "these samples are of another build; give the very ELF that ran";
  size_t size =
      layout.width * (2 + layout.chain + (layout.flags & FOLDED ? 1 : 0));
  if ((file.size - HEADER) / size < layout.entries ||
      (file.size - HEADER) != layout.entries * size)
    return "its size is not what its header says; send it again";
  samples->lost += load32(file.data + 16, layout.big);
  samples->period = load32(file.data + 8, layout.big);
  for (uint32_t i = 0; i < layout.entries && !error; i++)
    error = take_entry(samples, &layout, file.data + HEADER + i * size);
  return error;
}

/* ---- all inputs ----
 *
 * Files of samples, of any form.
 */

/* Numbers alone are in all forms. */
static enum samples_form form_of_line(struct bytes line) {
  struct bytes word, rest, after;
  uint64_t pair[2];
  if (!samples_word(&line, &word) || word.data[0] == '#')
    return SAMPLES_AUTO;
  if (word.data[0] == '[' || samples_pair(word, "-", ':', pair, &after) ||
      samples_pair(word, "->", ':', pair, &after))
    return SAMPLES_RANGES;
  return samples_word(&line, &rest) ? SAMPLES_PLAIN : SAMPLES_AUTO;
}

static enum samples_form text_form_of(struct bytes file) {
  enum samples_form form = SAMPLES_AUTO;
  struct bytes line;
  for (int seen = 0;
       form == SAMPLES_AUTO && seen < 100 && samples_line(&file, &line); seen++)
    form = form_of_line(line);
  return form == SAMPLES_AUTO ? SAMPLES_PLAIN : form;
}

enum samples_form samples_form_of(struct bytes first) {
  static const unsigned char magic[4] = {0xFA, 'B', 'P', 'S'};
  return first.size >= sizeof magic && !memcmp(first.data, magic, sizeof magic)
             ? SAMPLES_TARGET
             : text_form_of(first);
}

struct samples_text {
  struct samples *samples;
  const struct samples_text_form *form;
  uint64_t offset; /* samples->offset, which the text may change for itself */
  size_t line;
  uint64_t state[];
};

struct samples_text *samples_text_begin(struct samples *samples,
                                        enum samples_form form,
                                        struct bytes first) {
  const struct samples_text_form *of =
      form == SAMPLES_RANGES ? &samples_ranges : &samples_plain;
  struct samples_text *text = calloc(1, sizeof *text + of->size);
  if (!text)
    return NULL;
  *text = (struct samples_text){samples, of, samples->offset, 0};
  of->begin(text->state, samples, first);
  return text;
}

const char *samples_text_add(struct samples_text *text, struct bytes lines,
                             size_t *line) {
  struct bytes one;
  const char *error = NULL;
  while (!error && samples_line(&lines, &one)) {
    text->line++;
    error = text->form->line(text->state, one);
  }
  *line = error ? text->line : 0;
  return error;
}

const char *samples_text_end(struct samples_text *text, size_t *line) {
  const char *error = text->form->end(text->state);
  *line = error ? text->line : 0;
  text->samples->offset = text->offset;
  return error;
}

static const char *read_text(struct samples *samples, struct bytes file,
                             enum samples_form form, size_t *line) {
  struct samples_text *text = samples_text_begin(samples, form, file);
  const char *error = text ? samples_text_add(text, file, line) : out_of_memory;
  if (!error)
    error = samples_text_end(text, line);
  free(text);
  return error;
}

const char *samples_read(struct samples *samples, struct bytes file,
                         enum samples_form form, size_t *line) {
  *line = 0;
  if (form == SAMPLES_AUTO)
    form = samples_form_of(file);
  return form == SAMPLES_TARGET ? samples_read_target(samples, file)
                                : read_text(samples, file, form, line);
}
