/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What ran, in the form that llvm-profgen --skip-symbolization writes and
 * --unsymbolized-profile reads: how many ranges, the ranges, how many
 * branches, the branches,
 *   2
 *   10-1c:7
 *   30-30:1
 *   1
 *   1c->30:7
 * a range with its first and its last instruction; of several contexts, each
 * after its calls, "[0x4 @ 0x1c]", the outermost first. Addresses count from
 * the page where code begins, unless there is an offset.
 */
#include <string.h>

#include "input.h"

static const char bad[] =
    "here should be a number of lines, then as many BEGIN-END:COUNT, and again "
    "FROM->TO:COUNT; correct it";

struct ranges {
  struct samples *samples;
  uint64_t left; /* lines of this kind that are to come */
  bool jumps;    /* these are branches */
  bool number;   /* the next line says how many */
  uint32_t context;
};

/* "0x4 @ 0x1c]" */
static const char *take_context(struct ranges *of, struct bytes line) {
  struct bytes word;
  uint64_t call;
  bool ended = false;
  of->context = 0;
  while (!ended && samples_word(&line, &word)) {
    ended = word.data[word.size - 1] == ']';
    word.size -= ended;
    if (word.size == 1 && word.data[0] == '@' && !ended)
      continue;
    if (!word.size && ended)
      break;
    if (!samples_hex(word, &call))
      return bad;
    of->context =
        flow_call(&of->samples->flow, call - of->samples->offset, of->context);
    if (of->context == UINT32_MAX)
      return "more different contexts than there is memory for; give fewer";
  }
  return ended && !samples_word(&line, &word) ? NULL : bad;
}

static const char *take_count(struct ranges *of, struct bytes word) {
  if (!samples_decimal(word, &of->left))
    return bad;
  of->number = false;
  return NULL;
}

static const char *take_entry(struct ranges *of, struct bytes word) {
  uint64_t pair[2], count;
  struct bytes rest;
  const uint64_t offset = of->samples->offset;
  if (!samples_pair(word, of->jumps ? "->" : "-", ':', pair, &rest) ||
      !samples_decimal((struct bytes){rest.data + 1, rest.size - 1}, &count) ||
      (!of->jumps && pair[0] > pair[1]))
    return bad;
  of->left--;
  struct flow *flow = &of->samples->flow;
  if (!count)
    return NULL;
  return of->jumps ? flow_jump(flow, pair[0] - offset, pair[1] - offset,
                               of->context, count)
                   : flow_range(flow, pair[0] - offset, pair[1] - offset,
                                of->context, count);
}

static const char *take_line(struct ranges *of, struct bytes line) {
  struct bytes word, more;
  if (!samples_word(&line, &word))
    return NULL;
  if (!of->number && !of->left) {
    of->jumps = !of->jumps;
    of->number = true;
  }
  if (of->number && !of->jumps && word.data[0] == '[') {
    line.size += (size_t)(line.data - word.data) - 1;
    line.data = word.data + 1;
    return take_context(of, line);
  }
  if (samples_word(&line, &more))
    return bad;
  return of->number ? take_count(of, word) : take_entry(of, word);
}

const char *samples_read_ranges(struct samples *samples, struct bytes file,
                                size_t *number) {
  struct ranges of = {.samples = samples, .number = true};
  const uint64_t offset = samples->offset;
  const char *error = NULL;
  struct bytes line;
  uint64_t begins, place;
  if (!samples->has_offset && samples->elf &&
      samples_code_begins(samples->elf, &begins, &place))
    samples->offset = UINT64_C(0) - begins;
  while (!error && samples_line(&file, &line)) {
    ++*number;
    error = take_line(&of, line);
  }
  samples->offset = offset;
  if (!error && (of.left || of.number || !of.jumps))
    error = bad;
  else if (!error)
    *number = 0;
  return error;
}
