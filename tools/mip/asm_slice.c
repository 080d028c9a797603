/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pieces of the text: comparing, and finding operands and words.
 */
#include <ctype.h>
#include <string.h>

#include "asm_text.h"

bool asm_is(const struct asm_text *text, struct asm_slice slice,
            const char *word) {
  return strlen(word) == slice.size &&
         memcmp(text->data + slice.at, word, slice.size) == 0;
}

bool asm_begins(const struct asm_text *text, struct asm_slice slice,
                const char *prefix) {
  size_t size = strlen(prefix);
  return size <= slice.size && memcmp(text->data + slice.at, prefix, size) == 0;
}

bool asm_same(const struct asm_text *text, struct asm_slice a,
              struct asm_slice b) {
  return a.size == b.size &&
         memcmp(text->data + a.at, text->data + b.at, a.size) == 0;
}

bool asm_mentions(const struct asm_text *text, struct asm_slice slice,
                  const char *word) {
  size_t size = strlen(word), end = slice.at + slice.size;
  for (size_t at = slice.at; at < end;) {
    size_t from = at;
    while (at < end && asm_in_name(text->data[at]))
      at++;
    if (at - from == size && memcmp(text->data + from, word, size) == 0)
      return true;
    at += at == from;
  }
  return false;
}

static void trim(const struct asm_text *text, struct asm_slice *slice) {
  while (slice->size && isspace((unsigned char)text->data[slice->at]))
    slice->at++, slice->size--;
  while (slice->size &&
         isspace((unsigned char)text->data[slice->at + slice->size - 1]))
    slice->size--;
}

bool asm_operand(const struct asm_text *text, struct asm_slice *rest,
                 struct asm_slice *operand) {
  const char *data = text->data + rest->at;
  unsigned depth = 0, size = 0;
  bool quoted = false;
  if (!rest->size)
    return false;
  for (; size < rest->size; size++) {
    char c = data[size];
    if (c == '"' && !(size && data[size - 1] == '\\'))
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (c == ',' && !depth)
      break;
    depth += c == '(' || c == '[' || c == '{';
    depth -= depth && (c == ')' || c == ']' || c == '}');
  }
  *operand = (struct asm_slice){rest->at, size};
  size += size < rest->size;
  *rest = (struct asm_slice){rest->at + size, rest->size - size};
  trim(text, operand);
  return true;
}

struct asm_slice asm_operand_at(const struct asm_text *text,
                                struct asm_slice rest, unsigned number) {
  struct asm_slice operand = {rest.at, 0};
  do
    if (!asm_operand(text, &rest, &operand))
      return (struct asm_slice){rest.at, 0};
  while (number--);
  return operand;
}
