/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the output of `perf script`: stacks, branches, and load addresses of
 * programs.
 *
 * A line that begins in the first column, or with blanks and without a tab, is
 * a sample's head:
 *   COMM PID [CPU] TIME: PERIOD EVENT:
 * and the rest of that line its place and branches, or the lines that follow,
 * indented, its stack, then its branches. Without a head (-F ip,brstack), a
 * stack ends at an empty line or with the branches:
 *   0xFROM/0xTO/...  0xFROM/0xTO/...
 * the newest first. A number alone, in the first column, is how often the
 * next sample was taken. Without heads, tabs and empty lines (-F ip,sym of
 * samples that have no stacks) each line is a sample.
 */
#include <string.h>

#include "../../base/os.h"
#include "../code.h"
#include "../input.h"

/* Programs take the same branches again and again, so numbers that were read
 * before are found by their text, FROM/TO of 16 to 32 characters: its first and
 * its last 16. */
enum { KNOWN = 1 << 12, KNOWN_LEAST = 16, KNOWN_MOST = 32 };
struct known_branch {
  uint64_t text[4];
  struct sample_branch branch;
  size_t size; /* of the text; 0: none is known here */
};

struct perf {
  struct samples *samples;
  struct sample_taken taken;
  struct sample_branch branches[SAMPLES_BRANCHES_MOST];
  size_t branch_count;
  bool flat;   /* each line is a sample */
  bool loaded; /* the ELF has code: */
  uint64_t address, offset;
  size_t size;        /* of the text of the last branch */
  uint64_t tail;      /* what stood behind it, before a blank: */
  unsigned tail_size; /* 1 to 8 */
  struct known_branch known[KNOWN];
};

static const char *flush_sample(struct perf *perf) {
  struct sample_taken *taken = &perf->taken;
  /* Without a place it is where the last branch went. */
  if (!taken->depth && perf->branch_count)
    taken->stack[taken->depth++] = perf->branches[0].to;
  bool any = taken->depth != 0;
  const char *error = samples_add_trace(perf->samples, taken, perf->branches,
                                        perf->branch_count);
  perf->branch_count = 0;
  taken->depth = 0;
  if (any)
    taken->count = 1;
  return error;
}

/* ---- where it is loaded ---- */

static bool is_this(const struct samples *samples, struct bytes path) {
  const char *name = os_base(samples->elf_name);
  size_t size = strlen(name);
  return path.size >= size &&
         memcmp(path.data + path.size - size, name, size) == 0 &&
         (path.size == size || path.data[path.size - size - 1] == '/');
}

/* [0xADDRESS(0xSIZE) @ OFFSET ...]: r-xp PATH */
static const char *take_mapping(struct perf *perf, struct bytes line) {
  uint64_t pair[2], where;
  struct bytes word, rest = line;
  bool ended;
  do
    if (!samples_word(&rest, &word))
      return NULL;
  while (word.data[0] != '[');
  if (!samples_pair((struct bytes){word.data + 1, word.size - 1}, "(", ')',
                    pair, &word) ||
      !samples_word(&rest, &word) || !samples_word(&rest, &word))
    return NULL;
  ended = word.size > 2 && word.data[word.size - 2] == ']';
  word.size -= ended ? 2 : 0;
  if (!samples_hex(word, &where))
    return NULL;
  while (!ended && samples_word(&rest, &word))
    ended = word.data[word.size - 1] == ':';
  if (!samples_word(&rest, &word) || !memchr(word.data, 'x', word.size))
    return NULL;
  while (rest.size && samples_blank(rest.data[0]))
    rest = (struct bytes){rest.data + 1, rest.size - 1};
  if (!perf->loaded || !is_this(perf->samples, rest))
    return NULL;
  /* Further segments are as far from the first as in the file's addresses. */
  if (where == perf->offset)
    perf->samples->offset = pair[0] - perf->address;
  else if (where < perf->offset)
    return "the program that ran has its code elsewhere in its file; give the "
           "very ELF that ran";
  return NULL;
}

/* ---- branches ---- */

static bool looks_like_branch(struct bytes word) {
  return word.size > 2 && word.data[0] == '0' && word.data[1] == 'x' &&
         memchr(word.data, '/', word.size);
}

/* Eight characters at once, the first of them in the lowest byte: millions of
 * branches are read. */
#define EIGHT(byte) ((byte)*UINT64_C(0x0101010101010101))

/* How many of them come before the first that is below a character. */
static inline unsigned before_below(uint64_t text, unsigned char least) {
  uint64_t below = (text - EIGHT(least)) & ~text & EIGHT(0x80);
  return below ? (unsigned)__builtin_ctzll(below) / 8 : 8;
}

/* "0x" and up to 16 digits. */
static inline bool quick_hex(const unsigned char **at, const unsigned char *end,
                             uint64_t *value) {
  const unsigned char *digit = *at + 2, *last = digit + 16;
  if (end - *at < 2 + 16 + 1 || (*at)[0] != '0' || (*at)[1] != 'x')
    return false;
  uint64_t sum = 0;
  unsigned now;
  for (; digit != last && (now = samples_digits[*digit]); digit++)
    sum = (sum << 4) + now - 1;
  *value = sum;
  bool any = digit != *at + 2;
  *at = digit;
  return any;
}

static inline const unsigned char *behind_word(const unsigned char *at,
                                               const unsigned char *end) {
  while (end - at >= 8) {
    unsigned count = before_below(load64(at, false), ' ' + 1);
    at += count;
    if (count < 8 && samples_blank(*at))
      return at;
    at += count < 8;
  }
  while (at != end && !samples_blank(*at))
    at++;
  return at;
}

/* The same where words mostly end as the last one did. */
static inline const unsigned char *quick_end(struct perf *perf,
                                             const unsigned char *at,
                                             const unsigned char *end) {
  if (end - at <= 8)
    return behind_word(at, end);
  uint64_t text = load64(at, false);
  if (!((text ^ perf->tail) << (64 - 8 * perf->tail_size)) &&
      samples_blank(at[perf->tail_size]))
    return at + perf->tail_size;
  const unsigned char *behind = behind_word(at, end);
  if (behind - at <= 8 && behind != at) {
    perf->tail = text;
    perf->tail_size = (unsigned)(behind - at);
  }
  return behind;
}

/* The place of a text that ends before `end`. */
static inline struct known_branch *
place_of(struct perf *perf, struct bytes text, uint64_t parts[4]) {
  const unsigned char *last = text.data + text.size - 16;
  parts[0] = load64(text.data, false);
  parts[1] = load64(text.data + 8, false);
  parts[2] = load64(last, false);
  parts[3] = load64(last + 8, false);
  uint64_t hash = (parts[1] ^ (parts[0] + parts[3]) * 3) + parts[2];
  return &perf->known[hash * UINT64_C(0x9E3779B97F4A7C15) /
                      (UINT64_MAX / KNOWN + 1)];
}

/* Reads FROM/TO at *at. */
static inline bool quick_pair(struct perf *perf, const unsigned char **at,
                              const unsigned char *end,
                              struct sample_branch *branch) {
  uint64_t parts[4];
  struct bytes text = {*at, perf->size};
  if ((size_t)(end - *at) > text.size && text.size && (*at)[text.size] == '/') {
    const struct known_branch *known = place_of(perf, text, parts);
    if (known->size == text.size && known->text[0] == parts[0] &&
        known->text[1] == parts[1] && known->text[2] == parts[2] &&
        known->text[3] == parts[3]) {
      *branch = known->branch;
      *at += text.size;
      return true;
    }
  }
  if (!quick_hex(at, end, &branch->from) || *(*at)++ != '/' ||
      !quick_hex(at, end, &branch->to))
    return false;
  text.size = (size_t)(*at - text.data);
  if (text.size >= KNOWN_LEAST && text.size <= KNOWN_MOST) {
    perf->size = text.size;
    struct known_branch *known = place_of(perf, text, parts);
    memcpy(known->text, parts, sizeof parts);
    known->branch = *branch;
    known->size = text.size;
  }
  return **at == '/' || samples_blank(**at);
}

/* Cuts off the next branch, as perf writes it. Any other word stays, and the
 * last one of a line. */
static bool quick_branch(struct perf *perf, struct bytes *line,
                         struct sample_branch *branch) {
  const unsigned char *at = line->data, *end = at + line->size;
  while (at != end && samples_blank(*at))
    at++;
  if (!quick_pair(perf, &at, end, branch))
    return false;
  at = quick_end(perf, at, end);
  *line = (struct bytes){at, (size_t)(end - at)};
  return true;
}

/* All words of a line from the first on that is a branch. */
static const char *take_branches(struct perf *perf, struct bytes line) {
  struct bytes word, rest;
  struct sample_branch branch;
  uint64_t pair[2];
  bool any = false;
  for (;;) {
    while (perf->branch_count < SAMPLES_BRANCHES_MOST &&
           quick_branch(perf, &line, &branch)) {
      perf->branches[perf->branch_count++] = branch;
      any = true;
    }
    if (!samples_word(&line, &word))
      return NULL;
    if (!any && !looks_like_branch(word))
      continue;
    any = true;
    if (!samples_pair(word, "/", '/', pair, &rest) &&
        !samples_pair(word, "/", 0, pair, &rest))
      return "here should be branches, 0xFROM/0xTO, as `perf script -F "
             "ip,brstack` prints them; correct it";
    if (perf->branch_count < SAMPLES_BRANCHES_MOST)
      perf->branches[perf->branch_count++] =
          (struct sample_branch){pair[0], pair[1]};
  }
}

/* ---- lines ---- */

/* Behind the last colon that ends a word, or the whole line's end. *head:
 * whether there is such a word. */
static struct bytes behind_head(struct bytes line, bool *head) {
  struct bytes behind = {line.data + line.size, 0};
  *head = false;
  for (const unsigned char *at = line.data; line.size; line.data = at) {
    const unsigned char *end = line.data + line.size;
    at = memchr(line.data, ':', line.size);
    if (!at)
      break;
    line.size = (size_t)(end - ++at);
    if (line.size && !samples_blank(*at))
      continue;
    behind = (struct bytes){at, line.size};
    *head = true;
  }
  return behind;
}

static bool has_head(struct bytes line) {
  bool head = false;
  if (!line.size || line.data[0] != '\t')
    behind_head(line, &head);
  return head;
}

static bool is_mapping(struct bytes line) {
  static const char text[] = "PERF_RECORD_MMAP";
  const size_t size = sizeof text - 1;
  while (line.size >= size) {
    const unsigned char *at = memchr(line.data, text[0], line.size - size + 1);
    if (!at)
      return false;
    if (memcmp(at, text, size) == 0)
      return true;
    line.size -= (size_t)(at + 1 - line.data);
    line.data = at + 1;
  }
  return false;
}

/* By the first lines. */
static bool is_flat(struct bytes file) {
  struct bytes line, word;
  for (int seen = 0; seen < 1000 && samples_line(&file, &line); seen++) {
    struct bytes rest = line;
    if (!samples_word(&rest, &word) || line.data[0] == '\t' || has_head(line))
      return false;
  }
  return true;
}

/* A sample in one line: [PLACE] [what it is] BRANCH... */
static const char *whole_sample(struct perf *perf, struct bytes line) {
  struct bytes word, rest = line;
  uint64_t address;
  if (samples_word(&rest, &word) && samples_hex(word, &address))
    perf->taken.stack[perf->taken.depth++] = address;
  const char *error = take_branches(perf, line);
  return error ? error : flush_sample(perf);
}

static const char *head_line(struct perf *perf, struct bytes line) {
  struct bytes word, rest = line;
  uint64_t number;
  const char *error = flush_sample(perf);
  if (error || !samples_word(&rest, &word) || word.data[0] == '#')
    return error;
  if (!rest.size && samples_decimal(word, &number) && number) {
    perf->taken.count = number;
    return NULL;
  }
  struct bytes second = {0};
  samples_word(&rest, &second);
  if (looks_like_branch(word) ||
      (samples_hex(word, &number) && looks_like_branch(second)))
    return whole_sample(perf, line);
  bool head;
  return whole_sample(perf, behind_head(line, &head));
}

/* A line of a stack that has nothing but an address, after a tab and blanks. */
static bool quick_frame(struct bytes line, uint64_t *address) {
  const unsigned char *at = line.data, *end = at + line.size;
  unsigned digit = 1;
  if (!line.size || *at++ != '\t')
    return false;
  while (end - at > 8 && load64(at, false) == EIGHT(' '))
    at += 8;
  while (at != end && *at == ' ')
    at++;
  if (at == end || end - at > 16)
    return false;
  *address = 0;
  for (; at != end && (digit = samples_digits[*at]); at++)
    *address = (*address << 4) + digit - 1;
  return digit != 0;
}

static const char *frame_line(struct perf *perf, uint64_t address) {
  if (perf->taken.depth <= SAMPLES_DEPTH_MOST)
    perf->taken.stack[perf->taken.depth++] = address;
  return perf->flat ? flush_sample(perf) : NULL;
}

static const char *perf_line(void *state, struct bytes line) {
  struct perf *perf = state;
  struct bytes word, rest = line;
  uint64_t address;
  if (quick_frame(line, &address))
    return frame_line(perf, address);
  bool any = samples_word(&rest, &word);
  if (any && samples_blank(line.data[0]) && looks_like_branch(word)) {
    const char *error = take_branches(perf, line);
    return error ? error : flush_sample(perf);
  }
  if (any && is_mapping(line)) {
    const char *error = flush_sample(perf);
    return error ? error : take_mapping(perf, line);
  }
  if (line.size && (!samples_blank(line.data[0]) || has_head(line)))
    return head_line(perf, line);
  if (!any)
    return flush_sample(perf);
  if (!samples_hex(word, &address))
    return "here should be an address, as `perf script -F ip,sym` prints it; "
           "correct it, or give samples as PC [RA [CALLER...]]";
  if (samples_word(&rest, &word) && looks_like_branch(word)) {
    const char *error = flush_sample(perf);
    return error ? error : whole_sample(perf, line);
  }
  return frame_line(perf, address);
}

static void perf_begin(void *state, struct samples *samples,
                       struct bytes first) {
  struct perf *perf = state;
  perf->samples = samples;
  perf->taken.count = 1;
  perf->tail_size = 1;
  perf->flat = is_flat(first);
  perf->loaded =
      samples->elf && code_begins(samples->elf, &perf->address, &perf->offset);
}

static const char *perf_end(void *state) { return flush_sample(state); }

/* An indented line goes on with the sample before, which is left out too. */
static void perf_cut(void *state, struct bytes line) {
  struct perf *perf = state;
  if (line.size && samples_blank(line.data[0]) && !perf->flat)
    perf->branch_count = perf->taken.depth = 0;
}

const struct samples_text_form samples_perf = {sizeof(struct perf), perf_begin,
                                               perf_line, perf_end, perf_cut};

/* ---- what text is ---- */

/* perf's stacks begin with a tab, its heads have a word that ends in a colon,
 * or a word is a branch. Numbers alone are in all forms. */
static enum samples_form form_of_line(struct bytes line) {
  struct bytes word, behind, rest = line;
  uint64_t pair[2];
  size_t words = 0;
  for (; samples_word(&rest, &word); words++) {
    if (!words && (line.data[0] == '\t' || word.data[0] == '#'))
      return word.data[0] == '#' ? SAMPLES_AUTO : SAMPLES_PERF;
    if (word.data[word.size - 1] == ':' || looks_like_branch(word))
      return SAMPLES_PERF;
    if (!words &&
        (word.data[0] == '[' || samples_pair(word, "-", ':', pair, &behind) ||
         samples_pair(word, "->", ':', pair, &behind)))
      return SAMPLES_RANGES;
  }
  return words > 1 ? SAMPLES_PLAIN : SAMPLES_AUTO;
}

enum samples_form samples_text_form_of(struct bytes file) {
  enum samples_form form = SAMPLES_AUTO;
  struct bytes line;
  for (int seen = 0;
       form == SAMPLES_AUTO && seen < 100 && samples_line(&file, &line); seen++)
    form = form_of_line(line);
  return form == SAMPLES_AUTO ? SAMPLES_PLAIN : form;
}
