/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flame graphs, and a list of functions.
 */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../object/md5.h"
#include "targets.h"

/* ---- folded ---- */

static const char *symbol_name(const struct program *program,
                               uint64_t address) {
  const struct probe_symbol *symbol = probes_symbol(&program->probes, address);
  return symbol ? symbol->name : "[unknown]";
}

static const char *add_frame(struct buffer *text, const char *name,
                             bool is_last) {
  const char *error = buffer_append(text, name, strlen(name));
  return error ? error : buffer_append(text, is_last ? "" : ";", 1);
}

/* Frames that tail calls left out between a call and the frame inside of it. */
static const char *add_tails(struct buffer *text, struct program *program,
                             uint64_t returns, uint64_t inner) {
  struct instruction call;
  uint64_t address;
  const char *error = NULL;
  if (!code_call_before(&program->code, returns, &call, &address) ||
      !call.direct)
    return NULL;
  const struct jump_way way = jumps_lead(&program->jumps, call.target, inner);
  for (size_t i = 0; way.ways == JUMPS_ONE && i < way.count && !error; i++)
    error = add_frame(text, way.hops[i].function->name, false);
  return error;
}

static const char *fold_stack(struct map *counts, struct buffer *texts,
                              struct program *program,
                              const struct sample *sample,
                              const struct samples *samples) {
  struct stack stack;
  struct buffer text = {.limit = (size_t)1 << 24};
  const char *error = NULL;
  stack_read(&stack, program, samples, sample);
  for (size_t i = stack.depth; i-- > 0 && !error;) {
    /* A return address may be the next function's first. */
    const char *name = symbol_name(program, stack.frames[i] - (i ? 1 : 0));
    error = add_frame(&text, name, i == 0);
    if (!error && i)
      error = add_tails(&text, program, stack.frames[i],
                        stack.frames[i - 1] - (i > 1 ? 1 : 0));
  }
  uint64_t *at =
      error ? NULL
            : map_at(counts, md5_low64(text.data, text.size), text.size, 0);
  if (at && !*at) {
    *at = texts->size + 1;
    error = buffer_append(texts, &(uint64_t){0}, 8);
    if (!error)
      error = buffer_append(texts, text.data, text.size);
  }
  if (at && !error) {
    uint64_t count;
    memcpy(&count, texts->data + *at - 1, 8);
    count += sample->count;
    memcpy(texts->data + *at - 1, &count, 8);
  }
  buffer_free(&text);
  return error ? error : at ? NULL : out_of_memory;
}

const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples) {
  struct map counts = {.limit = (size_t)1 << 26};
  struct buffer texts = {.limit = (size_t)1 << 31};
  const char *error = NULL;
  for (size_t i = 0; i < samples->count && !error; i++)
    error = fold_stack(&counts, &texts, program, &samples->list[i], samples);
  for (size_t at = 0; at < texts.size && !error;) {
    uint64_t count;
    memcpy(&count, texts.data + at, 8);
    const char *text = (const char *)texts.data + at + 8;
    put_printable(stream, text);
    fprintf(stream, " %" PRIu64 "\n", count);
    at += 8 + strlen(text) + 1;
  }
  map_free(&counts);
  buffer_free(&texts);
  return error;
}

/* ---- top ---- */

struct top {
  const char *name;
  uint64_t count;
};

static int by_count(const void *left, const void *right) {
  const struct top *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return strcmp(a->name, b->name);
}

const char *samples_put_top(FILE *stream, const struct program *program,
                            const struct samples *samples) {
  size_t count = program->probes.symbol_count;
  struct top *list = calloc(count + 1, sizeof *list);
  if (!list)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    list[i].name = program->probes.symbols[i].name;
  list[count].name = "[unknown]";
  for (size_t i = 0; i < samples->count; i++) {
    uint64_t pc = code_address(&program->code, samples->list[i].pc);
    const struct probe_symbol *symbol = probes_symbol(&program->probes, pc);
    list[symbol ? (size_t)(symbol - program->probes.symbols) : count].count +=
        samples->list[i].count;
  }
  qsort(list, count + 1, sizeof *list, by_count);
  for (size_t i = 0; i <= count && list[i].count; i++) {
    fprintf(stream, "%10" PRIu64 "  %5.1f %%  ", list[i].count,
            100 * (double)list[i].count / (double)samples->total);
    put_printable(stream, list[i].name);
    fputc('\n', stream);
  }
  free(list);
  return NULL;
}
