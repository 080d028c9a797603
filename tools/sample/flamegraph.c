/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes samples as input of flame graphs, or as a list of functions.
 */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "build.h"

/* ---- stacks ---- */

/* The different stacks of all samples. A frame of a stack is the index of a
 * function's name. */
struct folded_stack_table {
  struct map frames, stacks;
  const char **names; /* names for the frames, which the program owns */
  uint32_t *numbers;  /* the frames of all stacks; in a stack the outermost
                         frame is first */
  struct folded_stack *list;
  size_t name_count, number_count, count;
};

/* A stack, and the number of samples with this stack. */
struct folded_stack {
  uint64_t count;
  size_t begin, depth; /* range of the stack's frames in `numbers` */
};

static const char *get_symbol_name(const struct sampled_program *program,
                                   uint64_t address) {
  const struct code_symbol *symbol =
      probes_find_symbol(&program->probes, address);
  return symbol ? symbol->name : "[unknown]";
}

/* Returns the number of a key, from 0 on. *is_new is true for a new key. */
static uint32_t find_or_add_key_number(struct map *map, const void *bytes,
                                       size_t size, bool *is_new) {
  const uint64_t key[3] = {md5_low64(bytes, size), size, 0};
  size_t number = map_find_or_assign_number(map, key, is_new);
  if (!number)
    need_memory(NULL);
  return (uint32_t)number - 1;
}

static void append_stack_frame(struct folded_stack_table *folds,
                               const char *name) {
  bool is_new;
  uint32_t frame =
      find_or_add_key_number(&folds->frames, name, strlen(name), &is_new);
  if (is_new)
    LIST_ADD(folds->names, folds->name_count, name);
  LIST_ADD(folds->numbers, folds->number_count, frame);
}

/* Adds the frames of tail calls, which are missing between a call, which
 * returns to `returns`, and the next inner frame. */
static void add_tail_call_frames(struct folded_stack_table *folds,
                                 struct sampled_program *program,
                                 uint64_t returns, uint64_t inner) {
  struct instruction call;
  uint64_t address;
  if (!code_find_call_before(&program->code, returns, &call, &address) ||
      !call.direct)
    return;
  const struct jump_path path =
      jumps_find_path(&program->jumps, call.target, inner);
  for (size_t i = 0; path.path_count == JUMPS_ONE && i < path.count; i++)
    append_stack_frame(folds, path.hops[i].function->name);
}

static void fold_stack(struct folded_stack_table *folds,
                       struct sampled_program *program,
                       const struct sample *sample,
                       const struct samples *samples) {
  struct sample_stack stack;
  struct folded_stack fold = {0, folds->number_count, 0};
  bool is_new;
  sample_stack_build(&stack, program, samples, sample);
  for (size_t i = stack.depth; i-- > 0;) {
    /* A return address may be at the start of the next function. */
    append_stack_frame(folds,
                       get_symbol_name(program, stack.frames[i] - (i ? 1 : 0)));
    if (i)
      add_tail_call_frames(folds, program, stack.frames[i],
                           stack.frames[i - 1] - (i > 1 ? 1 : 0));
  }
  fold.depth = folds->number_count - fold.begin;
  uint32_t number =
      find_or_add_key_number(&folds->stacks, folds->numbers + fold.begin,
                             fold.depth * sizeof *folds->numbers, &is_new);
  if (is_new)
    LIST_ADD(folds->list, folds->count, fold);
  else
    folds->number_count = fold.begin;
  folds->list[number].count += sample->count;
}

void samples_print_folded(FILE *stream, struct sampled_program *program,
                          const struct samples *samples) {
  struct folded_stack_table folds = {.frames.limit = (size_t)1 << 26,
                                     .stacks.limit = (size_t)1 << 26};
  for (size_t i = 0; i < samples->count; i++)
    fold_stack(&folds, program, &samples->list[i], samples);
  for (size_t i = 0; i < folds.count; i++) {
    const struct folded_stack *fold = &folds.list[i];
    for (size_t k = 0; k < fold->depth; k++) {
      fputs(k ? ";" : "", stream);
      print_printable(stream, folds.names[folds.numbers[fold->begin + k]]);
    }
    fprintf(stream, " %" PRIu64 "\n", fold->count);
  }
  map_free(&folds.frames);
  map_free(&folds.stacks);
  free(folds.names);
  free(folds.numbers);
  free(folds.list);
}

/* ---- top ---- */

struct symbol_sample_count {
  const char *name;
  uint64_t count;
};

static int compare_symbol_counts(const void *left, const void *right) {
  const struct symbol_sample_count *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return strcmp(a->name, b->name);
}

void samples_print_top_symbols(FILE *stream,
                               const struct sampled_program *program,
                               const struct samples *samples) {
  size_t count = program->probes.symbol_count;
  struct symbol_sample_count *list =
      need_memory(calloc(count + 1, sizeof *list));
  for (size_t i = 0; i < count; i++)
    list[i].name = program->probes.symbols[i].name;
  list[count].name = "[unknown]";
  for (size_t i = 0; i < samples->count; i++) {
    uint64_t pc = code_clear_thumb_bit(&program->code, samples->list[i].pc);
    const struct code_symbol *symbol = probes_find_symbol(&program->probes, pc);
    list[symbol ? (size_t)(symbol - program->probes.symbols) : count].count +=
        samples->list[i].count;
  }
  qsort(list, count + 1, sizeof *list, compare_symbol_counts);
  for (size_t i = 0; i <= count && list[i].count; i++) {
    fprintf(stream, "%10" PRIu64 "  %5.1f %%  ", list[i].count,
            100 * (double)list[i].count / (double)samples->total);
    print_printable(stream, list[i].name);
    fputc('\n', stream);
  }
  free(list);
}
