/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One symbol after another, of those that have samples.
 */
#include "attribute.h"

#include <stdlib.h>

struct place {
  uint64_t address;
  uint64_t samples;
  unsigned length;
  bool leader;   /* a block begins here */
  bool returned; /* behind a call */
  bool probed;   /* a probe stands here */
  double rate;   /* of the piece that it is in */
};

struct attributing {
  struct rates *rates;
  const struct probes *probes;
  const struct code *code;
  const struct samples *samples;
  enum attribution attribution;
  struct buffer places;  /* struct place, of the symbol */
  struct buffer targets; /* uint64_t */
  const struct probe_symbol *symbol;
  const struct rates_taker *taker; /* NULL: probes are what counts */
};

static size_t place_count(const struct attributing *of) {
  return of->places.size / sizeof(struct place);
}

/* The last place at or before an address; NULL: none. */
static struct place *place_at(const struct attributing *of, uint64_t address) {
  struct place *places = (void *)of->places.data;
  size_t low = 0, high = place_count(of);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (places[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &places[low - 1] : NULL;
}

/* The same, from a place on that is not behind it: addresses that ascend take
 * linear time. Before the first place it is the first. */
static struct place *place_from(const struct attributing *of,
                                struct place *place, uint64_t address) {
  const struct place *last =
      (const struct place *)of->places.data + place_count(of) - 1;
  while (place < last && place[1].address <= address)
    place++;
  return place;
}

/* ---- the symbol's instructions ---- */

static const char *decode(struct attributing *of, bool *whole) {
  const struct probe_symbol *symbol = of->symbol;
  uint64_t end = symbol->address + symbol->size;
  struct code_walk walk;
  bool leader = true, returned = false;
  of->places.size = of->targets.size = 0;
  for (code_walk(&walk, of->code, symbol->address, end); code_next(&walk);) {
    struct place place = {.address = walk.address,
                          .length = walk.instruction.length,
                          .leader = leader,
                          .returned = returned};
    const struct instruction *now = &walk.instruction;
    const char *error = buffer_append(&of->places, &place, sizeof place);
    leader = now->kind == INSTRUCTION_BRANCH;
    returned = now->kind == INSTRUCTION_CALL;
    if (!error && leader && now->direct && now->target >= symbol->address &&
        now->target < end)
      error = buffer_append(&of->targets, &now->target, sizeof now->target);
    if (error)
      return error;
  }
  *whole = walk.at >= end;
  const uint64_t *targets = (const void *)of->targets.data;
  for (size_t i = 0; i < of->targets.size / sizeof *targets; i++) {
    struct place *place = place_at(of, targets[i]);
    if (place && place->address == targets[i])
      place->leader = true;
  }
  return NULL;
}

/* The code before the entry's probe, which saves registers, runs as often. */
static void mark_probes(struct attributing *of, size_t first, size_t last) {
  struct place *places = (void *)of->places.data, *place = places;
  for (size_t i = first; i < last; i++) {
    place = place_from(of, place, of->probes->list[i].address);
    place->probed = true;
  }
  const struct probe *entry = &of->probes->list[first];
  for (size_t i = first;
       i < last && of->probes->list[i].address == entry->address; i++)
    if (of->probes->list[i].index == 1 && !of->probes->list[i].frame)
      places[0].probed = true;
  if (!places[0].probed)
    return;
  /* One piece up to the second probe, unless a block ends before. */
  for (size_t i = 1; i < place_count(of) && !places[i].leader; i++)
    if (places[i].address == entry->address) {
      places[i].probed = false;
      break;
    }
}

/* ---- rates ---- */

static bool begins(const struct attributing *of, const struct place *place) {
  return of->attribution == ATTRIBUTION_FIRST ||
         (of->attribution == ATTRIBUTION_BLOCK ? place->leader : place->probed);
}

static void share(struct attributing *of) {
  struct place *places = (void *)of->places.data;
  size_t count = place_count(of);
  for (size_t i = 0; i < count;) {
    uint64_t sum = places[i].samples;
    size_t next = i + 1;
    for (; next < count && !begins(of, &places[next]); next++)
      sum += places[next].samples;
    for (size_t k = i; k < next; k++)
      places[k].rate = (double)sum / (double)(next - i);
    i = next;
  }
}

/* Where QEMU begins to translate, or comes back to from what was called. */
static bool is_entered(const struct place *place) {
  return place->leader || place->returned;
}

static void count_leaders(struct attributing *of) {
  const struct place *places = (const void *)of->places.data;
  size_t count = place_count(of);
  for (size_t i = 0; i < count;) {
    uint64_t sum = places[i].samples;
    size_t next = i + 1;
    for (; next < count && !is_entered(&places[next]); next++)
      sum += places[next].samples;
    of->rates->at_leaders += places[i].samples;
    of->rates->leaders_share += (double)sum / (double)(next - i);
    i = next;
  }
}

static void rate_probes(struct attributing *of, size_t first, size_t last) {
  struct place *place = (void *)of->places.data;
  of->rates->probe_count += last - first;
  for (size_t i = first; i < last; i++) {
    place = place_from(of, place, of->probes->list[i].address);
    of->rates->probes[i] = place->rate;
  }
}

static void count_samples(struct attributing *of, size_t begin, size_t end) {
  struct place *place = (void *)of->places.data;
  for (size_t i = begin; i < end; i++) {
    const struct sample *sample = &of->samples->list[i];
    uint64_t address = code_address(of->code, sample->pc);
    place = place_from(of, place, address);
    place->samples += sample->count;
    if (place->address != address)
      of->rates->astray += sample->count;
  }
}

static const char *hand_out(const struct attributing *of) {
  const struct place *places = (const void *)of->places.data;
  const char *error = NULL;
  for (size_t i = 0; i < place_count(of) && !error; i++) {
    const struct rates_instruction one = {places[i].address, places[i].length,
                                          places[i].rate, of->symbol};
    error = of->taker->take(of->taker->context, &one);
  }
  return error;
}

static const char *take_symbol(struct attributing *of, size_t begin,
                               size_t end) {
  const struct probe_symbol *symbol = of->symbol;
  size_t first = probes_from(of->probes, symbol->address);
  size_t last = probes_from(of->probes, symbol->address + symbol->size);
  uint64_t sum = 0;
  bool whole = false;
  for (size_t i = begin; i < end; i++)
    sum += of->samples->list[i].count;
  if (first == last && !of->taker) {
    of->rates->unprobed += sum;
    return NULL;
  }
  const char *error = decode(of, &whole);
  if (error || !whole || !place_count(of)) {
    of->rates->unreadable += sum;
    return error;
  }
  count_samples(of, begin, end);
  if (!of->taker)
    mark_probes(of, first, last);
  share(of);
  count_leaders(of);
  of->rates->used += sum;
  of->rates->symbols++;
  if (of->taker)
    return hand_out(of);
  rate_probes(of, first, last);
  return NULL;
}

/* Samples are in the order of addresses. */
static const char *take_all(struct attributing *of) {
  const struct samples *samples = of->samples;
  const char *error = NULL;
  for (size_t i = 0, next; i < samples->count && !error; i = next) {
    next = i + 1;
    of->symbol =
        probes_symbol(of->probes, code_address(of->code, samples->list[i].pc));
    if (!of->symbol) {
      of->rates->nowhere += samples->list[i].count;
      continue;
    }
    while (next < samples->count &&
           code_address(of->code, samples->list[next].pc) -
                   of->symbol->address <
               of->symbol->size)
      next++;
    error = take_symbol(of, i, next);
  }
  return error;
}

static const char *attribute(struct attributing *of) {
  of->places.limit = of->targets.limit = (size_t)1 << 31;
  const char *error = take_all(of);
  buffer_free(&of->places);
  buffer_free(&of->targets);
  return error;
}

const char *rates_find_again(struct rates *rates, const struct probes *probes,
                             const struct code *code,
                             const struct samples *samples,
                             enum attribution attribution) {
  struct attributing of = {.rates = rates,
                           .probes = probes,
                           .code = code,
                           .samples = samples,
                           .attribution = attribution};
  return attribute(&of);
}

const char *rates_each(struct rates *rates, const struct probes *probes,
                       const struct code *code, const struct samples *samples,
                       const struct rates_taker *taker) {
  struct attributing of = {.rates = rates,
                           .probes = probes,
                           .code = code,
                           .samples = samples,
                           .attribution = taker->attribution,
                           .taker = taker};
  *rates = (struct rates){0};
  return attribute(&of);
}

void rates_forget(struct rates *rates, size_t first, size_t last) {
  for (size_t i = first; i < last; i++)
    rates->probes[i] = -1;
}

const char *rates_find(struct rates *rates, const struct probes *probes,
                       const struct code *code, const struct samples *samples,
                       enum attribution attribution) {
  *rates = (struct rates){.probes =
                              calloc(probes->count + 1, sizeof *rates->probes)};
  if (!rates->probes)
    return "not enough memory; free some";
  rates_forget(rates, 0, probes->count);
  return rates_find_again(rates, probes, code, samples, attribution);
}

void rates_free(struct rates *rates) {
  free(rates->probes);
  rates->probes = NULL;
}

bool rates_locked(const struct rates *rates) {
  double used = (double)rates->used;
  return rates->used >= 200 && (double)rates->at_leaders > 0.95 * used &&
         rates->leaders_share < 0.8 * used;
}
