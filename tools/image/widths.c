/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the widths of counters, and undoes what bareprof_fold does.
 */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "fold/fold.h"

/* Text that ends at the next zero, or with the section. */
struct section_text {
  const char *at, *end;
};

static bool starts(struct section_text *text, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(text->end - text->at) < size || memcmp(text->at, word, size))
    return false;
  text->at += size;
  return true;
}

/* A decimal number and a blank. */
static bool number(struct section_text *text, uint64_t *value) {
  const char *begin = text->at;
  for (*value = 0; text->at != text->end && *text->at >= '0' &&
                   *text->at <= '9' && *value < UINT32_MAX;
       text->at++)
    *value = *value * 10 + (uint64_t)(*text->at - '0');
  return text->at != begin && starts(text, " ");
}

static void count(struct width *width, struct section_text source) {
  size_t size = (size_t)(source.end - source.at);
  if (width->objects++)
    return;
  if (size > sizeof width->source - 1) {
    source.at += size - (sizeof width->source - 1);
    size = sizeof width->source - 1;
  }
  memcpy(width->source, source.at, size);
}

static void read_object(struct widths *widths, struct section_text text) {
  struct section_text whole = text;
  uint64_t left = 0;
  if (text.at == text.end)
    return;
  if (starts(&text, "fold") && text.at == text.end) {
    widths->folded = true;
    return;
  }
  text = whole;
  static const char *const words[] = {"32 ", "32-atomic ", "32-packed ",
                                      "32-packed-atomic "};
  enum { WORDS = sizeof words / sizeof *words };
  unsigned word = 0;
  while (word < WORDS && !starts(&text, words[word]))
    word++;
  if (word == WORDS || !number(&text, &left)) {
    count(&widths->other, whole);
    return;
  }
  bool atomic = word & 1, packed = word >= 2;
  count(&widths->narrow, text);
  if (packed)
    count(&widths->packed, text);
  if (!atomic)
    count(&widths->torn, text);
  if (!atomic && !packed)
    count(&widths->plain, text);
  if (left)
    count(&widths->partly, text);
  widths->left += left;
}

void widths_read(struct widths *widths, const struct elf *elf) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  unsigned char *memory = NULL;
  memset(widths, 0, sizeof *widths);
  if (!elf_find_section(elf, ".bareprof.counters", &section) ||
      elf_contents(elf, &section, PIECE_LIMIT, &bytes, &memory))
    bytes.size = 0;
  const char *at = (const char *)bytes.data;
  for (size_t left = bytes.size; left;) {
    const char *zero = memchr(at, 0, left);
    size_t size = zero ? (size_t)(zero - at) : left;
    read_object(widths, (struct section_text){at, at + size});
    size += zero != NULL;
    at += size;
    left -= size;
  }
  free(memory);
}

bool widths_modulo(const struct widths *widths) {
  return !widths->folded && (widths->narrow.objects || widths->other.objects);
}

void widths_tell(const char *file) {
  char shown[256];
  fprintf(stderr,
          "bareprof: %s: counts are modulo 2^32: some counters have 32 bits; "
          "larger counts need bareprof_fold\n",
          printable(shown, sizeof shown, file));
}

uint64_t count_of(const struct header *header, uint64_t counter) {
  if (!header->packed)
    return bareprof_fold_count(counter);
  return counter < BAREPROF_FOLD_LEAST ? counter : BAREPROF_FOLD_LEAST;
}

bool snapshot_saturated(const struct snapshot *snapshot) {
  const struct header *header = &snapshot->header;
  const unsigned char *at = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_elements(header, BAREPROF_PIECE_COUNTERS);
  if (!at || !header->packed || !header->folded)
    return false;
  for (; count; count--, at += 8)
    if (load64(at, header->big_endian) >= BAREPROF_FOLD_LEAST)
      return true;
  return false;
}

void widths_tell_least(const char *file) {
  char shown[256];
  fprintf(stderr,
          "bareprof: %s: counts from 2^31 on are \"at least\": counters of 4 "
          "bytes stop there\n",
          printable(shown, sizeof shown, file));
}

void snapshot_unfold(struct snapshot *snapshot) {
  const struct header *header = &snapshot->header;
  unsigned char *at = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_elements(header, BAREPROF_PIECE_COUNTERS);
  if (!at || header_element(header, BAREPROF_PIECE_COUNTERS) != 8)
    return;
  for (; count; count--, at += 8)
    store64(at, count_of(header, load64(at, header->big_endian)),
            header->big_endian);
}
