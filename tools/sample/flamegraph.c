/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes samples as input of flame graphs, or as a list of functions.
 */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../object/digest.h"
#include "bareprof.h"
#include "build.h"

/* ---- stacks ---- */

/* The different stacks of all samples. A frame is the index of its name. */
struct folded_stacks {
  struct map frames, stacks;
  struct buffer names;   /* const char *, which the program owns */
  struct buffer numbers; /* uint32_t: the frames of all stacks, outermost
                            first */
  struct buffer list;    /* struct folded_stack */
};

/* One stack, with the number of its samples. */
struct folded_stack {
  uint64_t count;
  size_t begin, depth; /* in numbers */
};

static const char *find_symbol_name(const struct sampled_program *program,
                                    uint64_t address) {
  const struct probe_symbol *symbol =
      probes_find_symbol(&program->probes, address);
  return symbol ? symbol->name : "[unknown]";
}

static const char *add_frame(struct folded_stacks *folds, const char *name) {
  size_t size = strlen(name);
  const uint64_t key[3] = {md5_low64(name, size), size, 0};
  bool is_new = false;
  size_t number = map_number_key(&folds->frames, key, &is_new);
  if (!number)
    return out_of_memory;
  const char *error =
      is_new ? buffer_append_bytes(&folds->names, &name, sizeof name) : NULL;
  uint32_t frame = (uint32_t)number - 1;
  return error ? error
               : buffer_append_bytes(&folds->numbers, &frame, sizeof frame);
}

/* Adds the frames that tail calls left out between a call, which returns to
 * `returns`, and the next inner frame. */
static const char *add_tail_calls(struct folded_stacks *folds,
                                  struct sampled_program *program,
                                  uint64_t returns, uint64_t inner) {
  struct instruction call;
  uint64_t address;
  const char *error = NULL;
  if (!code_find_call_before(&program->code, returns, &call, &address) ||
      !call.direct)
    return NULL;
  const struct jump_path way =
      jumps_find_path(&program->jumps, call.target, inner);
  for (size_t i = 0; way.ways == JUMPS_ONE && i < way.count && !error; i++)
    error = add_frame(folds, way.hops[i].function->name);
  return error;
}

static const char *fold_stack(struct folded_stacks *folds,
                              struct sampled_program *program,
                              const struct sample *sample,
                              const struct samples *samples) {
  struct sample_stack stack;
  size_t begin = folds->numbers.size;
  const char *error = NULL;
  sample_stack_read(&stack, program, samples, sample);
  for (size_t i = stack.depth; i-- > 0 && !error;) {
    /* A return address may be the first address of the next function. */
    error = add_frame(folds,
                      find_symbol_name(program, stack.frames[i] - (i ? 1 : 0)));
    if (!error && i)
      error = add_tail_calls(folds, program, stack.frames[i],
                             stack.frames[i - 1] - (i > 1 ? 1 : 0));
  }
  if (error)
    return error;
  size_t size = folds->numbers.size - begin;
  const struct folded_stack fold = {0, begin / sizeof(uint32_t),
                                    size / sizeof(uint32_t)};
  const uint64_t key[3] = {md5_low64(folds->numbers.data + begin, size), size,
                           0};
  bool is_new = false;
  size_t number = map_number_key(&folds->stacks, key, &is_new);
  if (is_new)
    error = buffer_append_bytes(&folds->list, &fold, sizeof fold);
  else
    folds->numbers.size = begin;
  if (!number || error)
    return out_of_memory;
  ((struct folded_stack *)(void *)folds->list.data)[number - 1].count +=
      sample->count;
  return NULL;
}

static const char *fold_all_stacks(struct folded_stacks *folds,
                                   struct sampled_program *program,
                                   const struct samples *samples) {
  *folds = (struct folded_stacks){.frames.limit = (size_t)1 << 26,
                                  .stacks.limit = (size_t)1 << 26,
                                  .names.limit = (size_t)1 << 29,
                                  .numbers.limit = (size_t)1 << 31,
                                  .list.limit = (size_t)1 << 31};
  const char *error = NULL;
  for (size_t i = 0; i < samples->count && !error; i++)
    error = fold_stack(folds, program, &samples->list[i], samples);
  return error;
}

static void free_folds(struct folded_stacks *folds) {
  map_free(&folds->frames);
  map_free(&folds->stacks);
  buffer_free(&folds->names);
  buffer_free(&folds->numbers);
  buffer_free(&folds->list);
}

static const struct folded_stack *fold_list(const struct folded_stacks *folds,
                                            size_t *count) {
  *count = folds->list.size / sizeof(struct folded_stack);
  return (const struct folded_stack *)(const void *)folds->list.data;
}

static const uint32_t *fold_frames(const struct folded_stacks *folds,
                                   const struct folded_stack *fold) {
  return (const uint32_t *)(const void *)folds->numbers.data + fold->begin;
}

const char *samples_print_folded(FILE *stream, struct sampled_program *program,
                                 const struct samples *samples) {
  struct folded_stacks folds;
  size_t count;
  const char *error = fold_all_stacks(&folds, program, samples);
  const struct folded_stack *list = fold_list(&folds, &count);
  const char **names = (const char **)(void *)folds.names.data;
  for (size_t i = 0; i < count && !error; i++) {
    for (size_t k = 0; k < list[i].depth; k++) {
      fputs(k ? ";" : "", stream);
      print_printable(stream, names[fold_frames(&folds, &list[i])[k]]);
    }
    fprintf(stream, " %" PRIu64 "\n", list[i].count);
  }
  free_folds(&folds);
  return error;
}

/* ---- top ---- */

struct top_symbol {
  const char *name;
  uint64_t count;
};

static int compare_counts(const void *left, const void *right) {
  const struct top_symbol *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return strcmp(a->name, b->name);
}

const char *samples_print_top(FILE *stream,
                              const struct sampled_program *program,
                              const struct samples *samples) {
  size_t count = program->probes.symbol_count;
  struct top_symbol *list = calloc(count + 1, sizeof *list);
  if (!list)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    list[i].name = program->probes.symbols[i].name;
  list[count].name = "[unknown]";
  for (size_t i = 0; i < samples->count; i++) {
    uint64_t pc = code_clear_thumb_bit(&program->code, samples->list[i].pc);
    const struct probe_symbol *symbol =
        probes_find_symbol(&program->probes, pc);
    list[symbol ? (size_t)(symbol - program->probes.symbols) : count].count +=
        samples->list[i].count;
  }
  qsort(list, count + 1, sizeof *list, compare_counts);
  for (size_t i = 0; i <= count && list[i].count; i++) {
    fprintf(stream, "%10" PRIu64 "  %5.1f %%  ", list[i].count,
            100 * (double)list[i].count / (double)samples->total);
    print_printable(stream, list[i].name);
    fputc('\n', stream);
  }
  free(list);
  return NULL;
}
