/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files of samples, of any form.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum samples_form samples_form_of(struct bytes first) {
  static const unsigned char magic[4] = {0xFA, 'B', 'P', 'S'};
  return first.size >= sizeof magic && !memcmp(first.data, magic, sizeof magic)
             ? SAMPLES_TARGET
             : samples_text_form_of(first);
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
  const struct samples_text_form *of = form == SAMPLES_PERF ? &samples_perf
                                       : form == SAMPLES_RANGES
                                           ? &samples_ranges
                                           : &samples_plain;
  struct samples_text *text = calloc(1, sizeof *text + of->size);
  if (!text)
    return NULL;
  *text = (struct samples_text){samples, of, samples->offset, 0};
  samples->cut = false;
  of->begin(text->state, samples, first);
  return text;
}

const char *samples_text_add(struct samples_text *text, struct bytes lines,
                             size_t *line) {
  struct bytes one;
  const char *error = NULL;
  bool whole =
      !text->form->cut || !lines.size || lines.data[lines.size - 1] == '\n';
  while (!error && samples_line(&lines, &one)) {
    text->line++;
    if (whole || lines.size)
      error = text->form->line(text->state, one);
    else
      text->form->cut(text->state, one);
  }
  text->samples->cut |= !whole;
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
