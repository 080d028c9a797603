/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flame graphs, a list of functions, and what is wrong with samples.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../object/md5.h"
#include "stack.h"
#include "views.h"

static const char no_memory[] = "not enough memory; free some";

/* ---- folded ---- */

static const char *symbol_name(const struct program *program,
                               uint64_t address) {
  const struct probe_symbol *symbol = probes_symbol(&program->probes, address);
  return symbol ? symbol->name : "[unknown]";
}

static const char *fold(struct map *counts, struct buffer *texts,
                        struct program *program, const struct sample *sample,
                        const struct samples *samples) {
  struct stack stack;
  struct buffer text = {.limit = (size_t)1 << 24};
  const char *error = NULL;
  stack_read(&stack, program, samples, sample);
  for (size_t i = stack.depth; i-- > 0 && !error;) {
    /* A return address may be the next function's first. */
    const char *name = symbol_name(program, stack.frames[i] - (i ? 1 : 0));
    error = buffer_append(&text, name, strlen(name));
    if (!error)
      error = buffer_append(&text, i ? ";" : "", 1);
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
  return error ? error : at ? NULL : no_memory;
}

const char *samples_put_folded(FILE *stream, struct program *program,
                               const struct samples *samples) {
  struct map counts = {.limit = (size_t)1 << 26};
  struct buffer texts = {.limit = (size_t)1 << 31};
  const char *error = NULL;
  for (size_t i = 0; i < samples->count && !error; i++)
    error = fold(&counts, &texts, program, &samples->list[i], samples);
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
    return no_memory;
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

/* ---- what is wrong ---- */

/* Fewer samples a probe than this give counts that are half chance. */
enum { SAMPLES_A_PROBE = 10 };

void samples_report_unreadable(const char *elf, const struct rates *rates) {
  if (rates->unreadable)
    report(elf,
           "%" PRIu64 " samples are in functions with instructions that are "
           "not understood; they are left out",
           rates->unreadable);
}

void samples_report(const char *elf, const struct samples *samples,
                    const struct rates *rates,
                    const struct building *building) {
  uint64_t outside = rates->unprobed + rates->nowhere;
  if (outside)
    report(elf,
           "%" PRIu64 " of %" PRIu64 " samples are outside of functions with "
           "probes (%" PRIu64 " outside of all code); see --top",
           outside, samples->total, rates->nowhere);
  samples_report_unreadable(elf, rates);
  if (samples->lost)
    report(elf,
           "the target lost %" PRIu64 " samples besides these %" PRIu64
           "; take a longer period or a larger table",
           samples->lost, samples->total);
  if (building->unnamed || building->doubted)
    report(elf,
           "%zu probes have no descriptor and are left out, and %zu have one "
           "place of several; see bareprof probes --check",
           building->unnamed, building->doubted);
  if (building->probes->repeated)
    report(elf,
           "%" PRIu64 " functions have two checksums, of which one is taken; "
           "compile all files of one source alike",
           building->probes->repeated);
  if (rates->used < SAMPLES_A_PROBE * (uint64_t)rates->probe_count)
    report(elf,
           "%" PRIu64 " samples are few for %zu probes in %zu functions; take "
           "%zu and more",
           rates->used, rates->probe_count, rates->symbols,
           SAMPLES_A_PROBE * rates->probe_count);
}
