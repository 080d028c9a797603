/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a text of phrases from a fuzzer's bytes, for parsers of text whose
 * lines a fuzzer would never guess.
 */
#ifndef PHRASES_H
#define PHRASES_H

#include <stdint.h>
#include <stdio.h>

/* Bytes from 128 on stand for a phrase, others for themselves. Sets *length
 * without the zero at the end. The caller frees the text. */
static inline char *phrases_text(const char *const *phrases, size_t count,
                                 const uint8_t *data, size_t size,
                                 size_t *length) {
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  for (size_t i = 0; i < size; i++)
    if (data[i] & 128)
      fputs(phrases[(data[i] & 127) % count], out);
    else
      fputc(data[i], out);
  fclose(out);
  return text;
}

#endif
