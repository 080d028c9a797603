/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads files of samples. A file is text from a debug probe or GDB, with one
 * sample on each line, or has the binary form of include/bareprof_sampler.h.
 * Folds equal samples. branches/flow.c reads ranges.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/need.h"
#include "../profile/model.h"
#include "image.h"
#include "input.h"

/* ==== Parses lines, words and numbers in the text form of samples. */

bool samples_pop_line(struct bytes *file, struct bytes *line) {
  if (!bytes_next_line(file, line))
    return false;
  if (line->size && line->data[line->size - 1] == '\r')
    line->size--;
  return true;
}

static bool is_blank(unsigned char c) { return c == ' ' || c == '\t'; }

bool samples_pop_word(struct bytes *line, struct bytes *word) {
  size_t at = 0;
  while (at < line->size && is_blank(line->data[at]))
    at++;
  size_t begin = at;
  while (at < line->size && !is_blank(line->data[at]))
    at++;
  *word = (struct bytes){line->data + begin, at - begin};
  line->data += at;
  line->size -= at;
  return word->size != 0;
}

/* The values of hexadecimal digits, plus 1. The value is 0 for any other byte.
 * Unlike comparisons, the time for a table does not depend on earlier digits.
 */
static const unsigned char digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};

bool samples_parse_hex(struct bytes word, uint64_t *value) {
  size_t at =
      word.size > 2 && word.data[0] == '0' && (word.data[1] | 0x20) == 'x' ? 2
                                                                           : 0;
  unsigned digit = 1;
  *value = 0;
  if (word.size == at || word.size - at > 16)
    return false;
  for (; at < word.size && (digit = digits[word.data[at]]); at++)
    *value = (*value << 4) + digit - 1;
  return digit != 0;
}

/* Moves a number from the beginning of *text to *value. Returns false if the
 * text does not begin with a valid number. */
static bool parse_hex_prefix(struct bytes *text, uint64_t *value) {
  size_t size = 0;
  if (text->size > 2 && text->data[0] == '0' && (text->data[1] | 0x20) == 'x')
    size = 2;
  while (size < text->size && digits[text->data[size]])
    size++;
  bool good = samples_parse_hex((struct bytes){text->data, size}, value);
  text->data += size;
  text->size -= size;
  return good;
}

bool samples_parse_hex_pair(struct bytes word, const char *between, char behind,
                            uint64_t pair[2], struct bytes *rest) {
  size_t size = strlen(between);
  if (!parse_hex_prefix(&word, &pair[0]) || word.size < size ||
      memcmp(word.data, between, size) != 0)
    return false;
  word.data += size;
  word.size -= size;
  if (!parse_hex_prefix(&word, &pair[1]))
    return false;
  *rest = word;
  return behind ? word.size && word.data[0] == behind : !word.size;
}

bool samples_parse_decimal(struct bytes word, uint64_t *value) {
  *value = 0;
  if (!word.size || word.size > 15)
    return false;
  for (size_t i = 0; i < word.size; i++) {
    if (word.data[i] < '0' || word.data[i] > '9')
      return false;
    *value = *value * 10 + (word.data[i] - '0');
  }
  return true;
}

/* The most different samples, and the most different callers. */
enum { DIFFERENT_MOST = 1 << 26 };

/* ==== Folds samples. Whenever the list is full, the samples are sorted, and
 * equal samples become one sample. Unlike a hash table, a radix sort is not
 * especially slow for any input. */

enum { FIRST_ROOM = 1 << 10 };

/* The keys for sorting samples. The least significant key is the first. */
enum key { CHAIN, RA, PC, KEYS };

static uint64_t sample_key(const struct sample *sample, enum key key) {
  return key == PC ? sample->pc : key == RA ? sample->ra : sample->chain;
}

static int compare_samples(const struct sample *a, const struct sample *b) {
  if (a->pc != b->pc)
    return a->pc < b->pc ? -1 : 1;
  if (a->ra != b->ra)
    return a->ra < b->ra ? -1 : 1;
  return a->chain < b->chain ? -1 : a->chain > b->chain;
}

/* Sorts with each key in turn, the least significant key first. Samples with
 * equal keys keep their order. */
static void sort_samples(struct folded_sample_list *fold) {
  size_t count = fold->count, sorted = 1;
  while (sorted < count &&
         compare_samples(&fold->list[sorted - 1], &fold->list[sorted]) <= 0)
    sorted++;
  if (sorted >= count)
    return;
  struct keyed_item *keys = need_memory(malloc(2 * count * sizeof *keys));
  struct sample *spare = need_memory(malloc(fold->room * sizeof *spare));
  for (unsigned key = 0; key < KEYS; key++) {
    for (size_t i = 0; i < count; i++)
      keys[i] =
          (struct keyed_item){sample_key(&fold->list[i], (enum key)key), i};
    keyed_sort(keys, keys + count, count);
    for (size_t i = 0; i < count; i++)
      spare[i] = fold->list[keys[i].item];
    struct sample *list = fold->list;
    fold->list = spare;
    spare = list;
  }
  free(spare);
  free(keys);
}

static void join_equal_samples(struct folded_sample_list *fold) {
  size_t kept = 0;
  sort_samples(fold);
  for (size_t i = 0; i < fold->count; i++)
    if (kept && compare_samples(&fold->list[kept - 1], &fold->list[i]) == 0)
      fold->list[kept - 1].count += fold->list[i].count;
    else
      fold->list[kept++] = fold->list[i];
  fold->count = kept;
}

/* Adds a sample to the list. Returns NULL, or an error at the limit. */
static const char *fold_add_sample(struct folded_sample_list *fold,
                                   const struct sample *sample) {
  if (fold->count &&
      compare_samples(&fold->list[fold->count - 1], sample) == 0) {
    fold->list[fold->count - 1].count += sample->count;
    return NULL;
  }
  if (fold->count == fold->room) {
    join_equal_samples(fold);
    if (fold->count >= fold->limit)
      return "the different samples do not fit into memory; pass fewer samples";
    if (fold->count >= fold->room / 2) {
      fold->room = fold->room ? 2 * fold->room : (size_t)FIRST_ROOM;
      fold->list =
          need_memory(realloc(fold->list, fold->room * sizeof *fold->list));
    }
  }
  fold->list[fold->count++] = *sample;
  return NULL;
}

/* ==== Keeps the samples of all files. */

void samples_begin(struct samples *samples) {
  *samples = (struct samples){
      .folded = {.limit = DIFFERENT_MOST},
      .callers = {.limit = DIFFERENT_MOST},
  };
  flow_begin(&samples->flow);
}

void samples_free(struct samples *samples) {
  free(samples->folded.list);
  map_free(&samples->callers);
  free(samples->chains);
  flow_free(&samples->flow);
  samples->list = NULL;
}

/* Returns the index of a caller. The caller's own caller has the index `outer`.
 */
static uint32_t find_or_add_caller(struct samples *samples, uint64_t address,
                                   uint32_t outer) {
  bool is_new;
  size_t number = map_find_or_assign_number(
      &samples->callers, (uint64_t[3]){address, outer}, &is_new);
  if (!number)
    need_memory(NULL);
  if (!samples->chain_count)
    LIST_ADD(samples->chains, samples->chain_count,
             (struct sample_caller){0, 0});
  if (is_new)
    LIST_ADD(samples->chains, samples->chain_count,
             (struct sample_caller){address, outer});
  return (uint32_t)number;
}

/* Returns the index of a sample's innermost caller, or 0 without callers. */
static uint32_t find_or_add_caller_chain(struct samples *samples,
                                         const struct parsed_sample *taken) {
  size_t depth = 1;
  uint32_t chain = 0;
  while (depth < taken->depth && taken->stack[depth])
    depth++;
  for (size_t i = 0; i + 1 < depth; i++) {
    struct cached_caller *known = &samples->outer[i];
    uint64_t address = taken->stack[depth - 1 - i] - samples->offset;
    if (i >= samples->outer_count || known->address != address) {
      chain = find_or_add_caller(samples, address, chain);
      *known = (struct cached_caller){address, chain};
      samples->outer_count = i + 1;
    }
    chain = known->chain;
  }
  return chain;
}

/* Adds a sample, and makes the chain of its callers. */
static const char *add_sample(struct samples *samples,
                              const struct parsed_sample *taken) {
  if (!taken->depth || !taken->count)
    return NULL;
  uint32_t chain = find_or_add_caller_chain(samples, taken);
  uint64_t ra = taken->ra ? taken->ra - samples->offset : 0;
  if (taken->count > (UINT64_MAX >> 16) - samples->total)
    return "the sum of the counts does not fit into 48 bits; correct the "
           "counts";
  const struct sample sample = {taken->stack[0] - samples->offset, ra,
                                taken->count, chain};
  samples->total += taken->count;
  return fold_add_sample(&samples->folded, &sample);
}

void samples_sort_and_join(struct samples *samples) {
  join_equal_samples(&samples->folded);
  samples->list = samples->folded.list;
  samples->count = samples->folded.count;
}

/* ==== Reads samples as text, one on each line. */

/* Parses a count, which is written as xCOUNT. */
static bool parse_repeat_count(struct bytes word, uint64_t *count) {
  return word.data[0] == 'x' &&
         samples_parse_decimal((struct bytes){word.data + 1, word.size - 1},
                               count) &&
         *count != 0;
}

/* Parses PC RA CALLER... into a sample. Does not put RA on the stack, because
 * the link register may be stale. */
static const char *parse_sample_line(struct bytes line,
                                     struct parsed_sample *taken) {
  static const char bad[] =
      "expected PC [RA [CALLER...]] [xCOUNT] with hexadecimal addresses, "
      "innermost first; correct the line";
  struct bytes word;
  uint64_t address;
  size_t number = 0;
  bool ended = false;
  taken->depth = 0;
  taken->ra = 0;
  taken->count = 1;
  while (samples_pop_word(&line, &word) && word.data[0] != '#') {
    if (ended)
      return bad;
    if (number && word.data[0] == 'x') {
      if (!parse_repeat_count(word, &taken->count))
        return bad;
      ended = true;
      continue;
    }
    if (!samples_parse_hex(word, &address))
      return bad;
    if (number++ == 1)
      taken->ra = address;
    else if (taken->depth <= SAMPLES_DEPTH_MOST)
      taken->stack[taken->depth++] = address;
  }
  return NULL;
}

/* ==== Reads the binary file that include/bareprof_sampler.h describes. */

enum {
  HEADER = 32,
  BIG = 1,
  WIDE = 2,
  FOLDED = 4,
  CHAINS = 8,
  KNOWN = 15,
  CHAIN_MOST = 64
};

struct samples_layout {
  bool big;
  unsigned flags, width, chain;
  uint32_t entries;
};

static const char *parse_samples_header(struct samples_layout *layout,
                                        struct bytes file) {
  const unsigned char *at = file.data;
  if (file.size < HEADER)
    return "the sample file is truncated; send the samples again";
  /* The version, which is 1, shows the byte order. A flag also shows the byte
   * order, as a check. */
  layout->big = load16(at + 4, true) == 1;
  if (!layout->big && load16(at + 4, false) != 1)
    return "the samples have an unknown version; use the bareprof release of "
           "the firmware's library";
  layout->flags = load16(at + 6, layout->big);
  if (layout->flags & ~(unsigned)KNOWN ||
      !(layout->flags & BIG) == layout->big ||
      ((layout->flags & FOLDED) && (layout->flags & CHAINS)))
    return "the header of the samples is damaged; send the samples again";
  layout->width = layout->flags & WIDE ? 8 : 4;
  layout->entries = load32(at + 12, layout->big);
  layout->chain = layout->flags & CHAINS ? load32(at + 24, layout->big) : 0;
  if (layout->chain > CHAIN_MOST)
    return "the header of the samples is damaged; send the samples again";
  return NULL;
}

/* Returns whether the samples have the build id of another ELF. `build` is 0 if
 * the firmware's linker script does not provide the bounds of the build id. */
static bool has_other_build(const struct elf *elf, uint32_t build) {
  struct bytes id;
  return build && elf && elf_find_build_id(elf, &id) &&
         build != bareprof_build_hash(id.data, id.size);
}

static const char *add_board_sample(struct samples *samples,
                                    const struct samples_layout *layout,
                                    const unsigned char *at) {
  struct parsed_sample taken;
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
  return add_sample(samples, &taken);
}

const char *samples_parse_target(struct samples *samples, struct bytes file) {
  struct samples_layout layout;
  const char *error = parse_samples_header(&layout, file);
  if (error)
    return error;
  if (samples->elf && (layout.big != samples->elf->big ||
                       (layout.width == 8) != samples->elf->wide))
    return "the word size of the samples does not match the ELF; pass the ELF "
           "that ran";
  if (has_other_build(samples->elf, load32(file.data + 28, layout.big)))
    return "the build id of the samples does not match the ELF; pass the ELF "
           "that ran";
  size_t size =
      layout.width * (2 + layout.chain + (layout.flags & FOLDED ? 1 : 0));
  if ((file.size - HEADER) / size < layout.entries ||
      (file.size - HEADER) != layout.entries * size)
    return "the size of the samples does not match their header; send the "
           "samples again";
  samples->lost += load32(file.data + 16, layout.big);
  for (uint32_t i = 0; i < layout.entries && !error; i++)
    error = add_board_sample(samples, &layout, file.data + HEADER + i * size);
  return error;
}

/* ---- all formats ---- */

/* Returns the format of a line. A line with only one number can have any
 * format, so the result for it is SAMPLES_AUTO. */
static enum samples_form detect_line_form(struct bytes line) {
  struct bytes word, rest, after;
  uint64_t pair[2];
  if (!samples_pop_word(&line, &word) || word.data[0] == '#')
    return SAMPLES_AUTO;
  if (word.data[0] == '[' ||
      samples_parse_hex_pair(word, "-", ':', pair, &after) ||
      samples_parse_hex_pair(word, "->", ':', pair, &after))
    return SAMPLES_RANGES;
  return samples_pop_word(&line, &rest) ? SAMPLES_PLAIN : SAMPLES_AUTO;
}

static enum samples_form detect_text_form(struct bytes file) {
  enum samples_form form = SAMPLES_AUTO;
  struct bytes line;
  for (int seen = 0;
       form == SAMPLES_AUTO && seen < 100 && samples_pop_line(&file, &line);
       seen++)
    form = detect_line_form(line);
  return form == SAMPLES_AUTO ? SAMPLES_PLAIN : form;
}

enum samples_form samples_detect_form(struct bytes first) {
  static const unsigned char magic[4] = {0xFA, 'B', 'P', 'S'};
  return first.size >= sizeof magic && !memcmp(first.data, magic, sizeof magic)
             ? SAMPLES_TARGET
             : detect_text_form(first);
}

void samples_text_begin(struct samples_text_reader *text,
                        struct samples *samples, enum samples_form form) {
  *text = (struct samples_text_reader){.samples = samples,
                                       .ranges = form == SAMPLES_RANGES,
                                       .offset = samples->offset};
  if (text->ranges)
    ranges_reader_init(&text->reader, samples);
}

const char *samples_text_parse_lines(struct samples_text_reader *text,
                                     struct bytes lines) {
  struct bytes line;
  const char *error = NULL;
  while (!error && samples_pop_line(&lines, &line)) {
    text->line++;
    if (text->ranges) {
      error = ranges_parse_line(&text->reader, line);
      continue;
    }
    error = parse_sample_line(line, &text->taken);
    if (!error)
      error = add_sample(text->samples, &text->taken);
  }
  return error;
}

const char *samples_text_end(struct samples_text_reader *text) {
  text->samples->offset = text->offset;
  return text->ranges ? ranges_check_end(&text->reader) : NULL;
}
