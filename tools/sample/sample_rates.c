/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the rates of one symbol after the other, from samples in the order
 * of addresses. */
#include "sample_rates.h"

#include <stdlib.h>

#include "../base/need.h"

/* The samples of an instruction. */
struct instruction_samples {
  uint64_t samples;
  double rate; /* rate of the piece that contains the instruction */
  bool probed; /* a probe is before the instruction */
};

struct rate_calculator {
  struct rates *rates;
  struct sampled_program *program;
  const struct samples *samples;
  enum attribution attribution;
  /* receives rates of instructions; NULL: compute rates of probes */
  const struct rated_instruction_visitor *taker;
  /* The members below describe the current symbol. */
  const struct code_symbol *symbol;
  const struct listed_instruction *list; /* instructions of the symbol */
  struct instruction_samples *places;    /* an array with an element for each
                                            element of `list` */
  size_t count, room;
};

/* Returns the index of the last instruction at or before the address, or 0. The
 * search starts at index i, so ascending addresses take linear time together.
 */
static size_t find_instruction_from(const struct rate_calculator *of, size_t i,
                                    uint64_t address) {
  while (i + 1 < of->count && of->list[i + 1].address <= address)
    i++;
  return i;
}

static void reserve_and_clear_samples(struct rate_calculator *of) {
  if (of->room < of->count) {
    free(of->places);
    of->places = need_memory(malloc(of->count * sizeof *of->places));
    of->room = of->count;
  }
  for (size_t i = 0; i < of->count; i++)
    of->places[i] = (struct instruction_samples){0, 0, false};
}

/* Marks the instructions at which a region starts. The prologue before the
 * entry's probe belongs to the entry's region, because it runs as often. */
static void mark_region_starts(struct rate_calculator *of, size_t first,
                               size_t last) {
  const struct probe *list = of->program->probes.list, *entry = &list[first];
  struct instruction_samples *places = of->places;
  for (size_t i = first, at = 0; i < last; i++) {
    at = find_instruction_from(of, at, list[i].address);
    places[at].probed = true;
  }
  for (size_t i = first; i < last && list[i].address == entry->address; i++)
    if (list[i].index == 1 && !list[i].inlining)
      places[0].probed = true;
  if (!places[0].probed)
    return;
  /* The prologue and the code after the entry's probe are one piece, unless a
   * block ends between them. */
  for (size_t i = 1; i < of->count && !of->list[i].leader; i++)
    if (of->list[i].address == entry->address) {
      places[i].probed = false;
      break;
    }
}

/* ---- rates ---- */

static bool is_piece_begin(const struct rate_calculator *of, size_t i) {
  return of->attribution == ATTRIBUTION_FIRST ||
         (of->attribution == ATTRIBUTION_BLOCK ? of->list[i].leader
                                               : of->places[i].probed);
}

/* Returns whether QEMU can take an interrupt before this instruction. QEMU can
 * do this where a block begins, and after a call. */
static bool can_interrupt_before(const struct rate_calculator *of, size_t i) {
  return of->list[i].leader || of->list[i - 1].call;
}

/* Returns the number of samples in the piece that begins at instruction i.
 * *next becomes the index at which the next piece begins. */
static uint64_t sum_piece_samples(const struct rate_calculator *of, size_t i,
                                  bool (*begins)(const struct rate_calculator *,
                                                 size_t),
                                  size_t *next) {
  uint64_t sum = of->places[i].samples;
  for (*next = i + 1; *next < of->count && !begins(of, *next); ++*next)
    sum += of->places[*next].samples;
  return sum;
}

static void set_instruction_rates(struct rate_calculator *of) {
  for (size_t i = 0, next; i < of->count; i = next) {
    uint64_t sum = sum_piece_samples(of, i, is_piece_begin, &next);
    for (size_t k = i; k < next; k++)
      of->places[k].rate = (double)sum / (double)(next - i);
  }
}

static void add_leader_samples(struct rate_calculator *of) {
  for (size_t i = 0, next; i < of->count; i = next) {
    uint64_t sum = sum_piece_samples(of, i, can_interrupt_before, &next);
    of->rates->at_leaders += of->places[i].samples;
    of->rates->leaders_share += (double)sum / (double)(next - i);
  }
}

static void set_probe_rates(struct rate_calculator *of, size_t first,
                            size_t last) {
  of->rates->probe_count += last - first;
  for (size_t i = first, at = 0; i < last; i++) {
    at = find_instruction_from(of, at, of->program->probes.list[i].address);
    of->rates->probes[i] = of->places[at].rate;
  }
}

static void add_sample_counts(struct rate_calculator *of, size_t begin,
                              size_t end) {
  for (size_t i = begin, at = 0; i < end; i++) {
    const struct sample *sample = &of->samples->list[i];
    uint64_t address = code_clear_thumb_bit(&of->program->code, sample->pc);
    at = find_instruction_from(of, at, address);
    of->places[at].samples += sample->count;
    if (of->list[at].address != address)
      of->rates->astray += sample->count;
  }
}

static void pass_instruction_rates(const struct rate_calculator *of) {
  for (size_t i = 0; i < of->count; i++) {
    const struct rated_instruction one = {of->list[i].address,
                                          of->list[i].length,
                                          of->places[i].rate, of->symbol};
    of->taker->take(of->taker->context, &one);
  }
}

/* Computes the rates of a function that could not be decoded completely. The
 * number of instructions in a region is an estimate: its bytes, divided by
 * `length`, the mean length of the instructions that were decoded. */
static void set_rates_by_bytes(struct rate_calculator *of, size_t begin,
                               size_t end, double length) {
  const struct elf_code *code = &of->program->code;
  const struct probe *list = of->program->probes.list;
  const size_t last = probes_index_from(&of->program->probes,
                                        of->symbol->address + of->symbol->size);
  size_t first = probes_index_from(&of->program->probes, of->symbol->address);
  of->rates->probe_count += last - first;
  for (size_t next, at = begin; first < last; first = next) {
    for (next = first + 1;
         next < last && list[next].address == list[first].address;)
      next++;
    uint64_t until = next < last ? list[next].address
                                 : of->symbol->address + of->symbol->size;
    uint64_t sum = 0;
    for (; at < end; at++) {
      uint64_t pc = code_clear_thumb_bit(code, of->samples->list[at].pc);
      if (pc >= until)
        break;
      sum += pc >= list[first].address ? of->samples->list[at].count : 0;
    }
    for (size_t i = first; i < next; i++)
      of->rates->probes[i] =
          (double)sum * length / (double)(until - list[first].address);
  }
}

/* Returns the mean length of an instruction in bytes. */
static double mean_instruction_length(const struct listed_instruction *list,
                                      size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += list[i].length;
  return count ? (double)sum / (double)count : 4;
}

/* Computes the rates in a symbol from its samples, `begin` up to `end`. Without
 * a decoded symbol, uses the bytes of each region instead of instructions. */
static void compute_symbol_rates(struct rate_calculator *of, size_t begin,
                                 size_t end) {
  const struct code_symbol *symbol = of->symbol;
  const struct probes *probes = &of->program->probes;
  size_t first = probes_index_from(probes, symbol->address);
  size_t last = probes_index_from(probes, symbol->address + symbol->size);
  const struct listed_function *function;
  uint64_t sum = 0;
  for (size_t i = begin; i < end; i++)
    sum += of->samples->list[i].count;
  if (first == last && !of->taker) {
    of->rates->unprobed += sum;
    return;
  }
  of->list = listing_get_instructions(&of->program->listing, symbol, &function);
  if (!function->whole || !function->count) {
    if (of->taker || of->attribution == ATTRIBUTION_FIRST) {
      of->rates->unreadable += sum;
      return;
    }
    set_rates_by_bytes(of, begin, end,
                       mean_instruction_length(of->list, function->count));
    of->rates->coarse += sum;
    of->rates->used += sum;
    of->rates->symbols++;
    return;
  }
  of->count = function->count;
  reserve_and_clear_samples(of);
  add_sample_counts(of, begin, end);
  if (!of->taker)
    mark_region_starts(of, first, last);
  set_instruction_rates(of);
  add_leader_samples(of);
  of->rates->used += sum;
  of->rates->symbols++;
  if (of->taker)
    pass_instruction_rates(of);
  else
    set_probe_rates(of, first, last);
}

/* Passes the samples of each symbol, which must be in the order of addresses,
 * to compute_symbol_rates. */
static void compute_all_rates(struct rate_calculator *of) {
  const struct samples *samples = of->samples;
  const struct elf_code *code = &of->program->code;
  for (size_t i = 0, next; i < samples->count; i = next) {
    next = i + 1;
    of->symbol = probes_find_symbol(
        &of->program->probes, code_clear_thumb_bit(code, samples->list[i].pc));
    if (!of->symbol) {
      of->rates->nowhere += samples->list[i].count;
      continue;
    }
    while (next < samples->count &&
           code_clear_thumb_bit(code, samples->list[next].pc) -
                   of->symbol->address <
               of->symbol->size)
      next++;
    compute_symbol_rates(of, i, next);
  }
  free(of->places);
}

void rates_set_from_samples(struct rates *rates,
                            struct sampled_program *program,
                            const struct samples *samples,
                            enum attribution attribution) {
  compute_all_rates(&(struct rate_calculator){.rates = rates,
                                              .program = program,
                                              .samples = samples,
                                              .attribution = attribution});
}

void rates_compute_instructions(struct rates *rates,
                                struct sampled_program *program,
                                const struct samples *samples,
                                const struct rated_instruction_visitor *taker) {
  *rates = (struct rates){0};
  compute_all_rates(&(struct rate_calculator){.rates = rates,
                                              .program = program,
                                              .samples = samples,
                                              .attribution = taker->attribution,
                                              .taker = taker});
}

void rates_reset(struct rates *rates, size_t first, size_t last) {
  for (size_t i = first; i < last; i++)
    rates->probes[i] = -1;
}

void rates_compute(struct rates *rates, struct sampled_program *program,
                   const struct samples *samples,
                   enum attribution attribution) {
  const size_t count = program->probes.count;
  *rates = (struct rates){
      .probes = need_memory(calloc(count + 1, sizeof *rates->probes))};
  rates_reset(rates, 0, count);
  rates_set_from_samples(rates, program, samples, attribution);
}

void rates_free(struct rates *rates) {
  free(rates->probes);
  rates->probes = NULL;
}

bool rates_samples_are_at_leaders(const struct rates *rates) {
  double used = (double)rates->used;
  return rates->used >= 200 && (double)rates->at_leaders > 0.95 * used &&
         rates->leaders_share < 0.8 * used;
}
