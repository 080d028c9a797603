/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as text: one a line, as a debug probe or GDB gives them; or what
 * `perf script` prints, with stacks or without.
 */
#include <string.h>

#include "input.h"

/* ---- words ---- */

bool samples_line(struct bytes *file, struct bytes *line) {
  if (!file->size)
    return false;
  const unsigned char *end = memchr(file->data, '\n', file->size);
  size_t size = end ? (size_t)(end - file->data) : file->size;
  *line = (struct bytes){file->data, size};
  file->data += size + (end ? 1 : 0);
  file->size -= size + (end ? 1 : 0);
  if (line->size && line->data[line->size - 1] == '\r')
    line->size--;
  return true;
}

static bool is_blank(unsigned char c) { return c == ' ' || c == '\t'; }

bool samples_word(struct bytes *line, struct bytes *word) {
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

static int digit(unsigned char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool samples_hex(struct bytes word, uint64_t *value) {
  size_t at =
      word.size > 2 && word.data[0] == '0' && (word.data[1] | 0x20) == 'x' ? 2
                                                                           : 0;
  *value = 0;
  if (at == word.size || word.size - at > 16)
    return false;
  for (; at < word.size; at++) {
    int one = digit(word.data[at]);
    if (one < 0)
      return false;
    *value = *value << 4 | (unsigned)one;
  }
  return true;
}

/* xCOUNT */
static bool repeated(struct bytes word, uint64_t *count) {
  *count = 0;
  if (word.size < 2 || word.size > 16 || word.data[0] != 'x')
    return false;
  for (size_t i = 1; i < word.size; i++) {
    if (word.data[i] < '0' || word.data[i] > '9')
      return false;
    *count = *count * 10 + (word.data[i] - '0');
  }
  return *count != 0;
}

/* ---- one a line ---- */

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

const char *samples_read_plain(struct samples *samples, struct bytes file,
                               size_t *number) {
  struct sample_taken taken;
  struct bytes line;
  while (samples_line(&file, &line)) {
    ++*number;
    const char *error = plain_line(line, &taken);
    if (!error)
      error = samples_add(samples, &taken);
    if (error)
      return error;
  }
  *number = 0;
  return NULL;
}

/* ---- perf script ---- */

/* What begins in the first column is a sample's head:
 *   COMM PID [CPU] TIME: PERIOD EVENT:
 * and the rest of that line its place, or the lines that follow, indented,
 * its stack. Without a head (-F ip), a stack ends at an empty line. */
struct perf {
  struct samples *samples;
  struct sample_taken taken;
};

/* Behind the last colon that ends a word. */
static struct bytes behind_head(struct bytes line) {
  for (size_t i = line.size; i-- > 0;)
    if (line.data[i] == ':' &&
        (i + 1 == line.size || is_blank(line.data[i + 1])))
      return (struct bytes){line.data + i + 1, line.size - i - 1};
  return (struct bytes){line.data + line.size, 0};
}

static const char *perf_flush(struct perf *perf) {
  const char *error = samples_add(perf->samples, &perf->taken);
  perf->taken.depth = 0;
  return error;
}

static const char *perf_line(struct perf *perf, struct bytes line) {
  struct bytes word, rest = line;
  uint64_t address;
  bool head = line.size && !is_blank(line.data[0]);
  if (!samples_word(&rest, &word) || head) {
    const char *error = perf_flush(perf);
    if (error || !head || word.data[0] == '#')
      return error;
    rest = behind_head(line);
    if (!samples_word(&rest, &word) || !samples_hex(word, &address))
      return NULL;
    perf->taken.stack[perf->taken.depth++] = address;
    return perf_flush(perf);
  }
  if (!samples_hex(word, &address))
    return "here should be an address, as `perf script -F ip,sym` prints it; "
           "correct it, or give samples as PC [RA [CALLER...]]";
  if (perf->taken.depth <= SAMPLES_DEPTH_MOST)
    perf->taken.stack[perf->taken.depth++] = address;
  return NULL;
}

const char *samples_read_perf(struct samples *samples, struct bytes file,
                              size_t *number) {
  struct perf perf = {.samples = samples, .taken = {.count = 1}};
  struct bytes line;
  while (samples_line(&file, &line)) {
    ++*number;
    const char *error = perf_line(&perf, line);
    if (error)
      return error;
  }
  *number = 0;
  return perf_flush(&perf);
}

/* Its stacks begin with a tab; its heads have a word that ends in a colon. */
bool samples_is_perf(struct bytes file) {
  struct bytes line, word;
  for (int seen = 0; seen < 100 && samples_line(&file, &line); seen++) {
    struct bytes rest = line;
    if (!samples_word(&rest, &word) || word.data[0] == '#')
      continue;
    if (line.data[0] == '\t')
      return true;
    do
      if (word.data[word.size - 1] == ':')
        return true;
    while (samples_word(&rest, &word));
    return false;
  }
  return false;
}
