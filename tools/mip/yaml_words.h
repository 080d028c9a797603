/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The words of a line, taken one after the other, with the spaces behind them.
 * What is not there is not taken, but of a number that is too large, or of a
 * damaged name, some may be gone.
 */
#ifndef MIP_YAML_WORDS_H
#define MIP_YAML_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buffer.h"

struct words {
  const char *at, *end; /* what is left of the line */
};

void words_skip(struct words *words); /* spaces */

bool words_take_text(struct words *words, const char *text);

/* Decimal, or 0x and hexadecimal; a signed one may begin with a minus. */
bool words_take_number(struct words *words, uint64_t most, uint64_t *value);
bool words_take_signed(struct words *words, int64_t *value);

/* A name in quotes, into the buffer; \u00NN is the byte NN. NULL, or what is
 * wrong. */
const char *words_take_name(struct words *words, struct buffer *name);

#endif
