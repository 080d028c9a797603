/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bytes and samples of functions, by their names in the source: with probes,
 * internal functions have others in the symbol table.
 */
#include "make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "../object/names.h"

enum { WITH, WITHOUT, BUILDS };

struct tally {
  const char *name; /* size bytes of it */
  size_t size;
  uint64_t bytes[BUILDS], samples[BUILDS];
};

struct sample_comparing {
  const struct profile_against *builds;
  bool lined;         /* both have lines */
  struct buffer list; /* struct tally */
  struct map numbers; /* by name: its number in list, plus 1 */
};

/* ---- names ---- */

/* NULL: no memory. Valid until the next call. */
static struct tally *tally_of(struct sample_comparing *of, const char *name) {
  const struct bytes plain = plain_name(name);
  const struct tally made = {.name = (const char *)plain.data,
                             .size = plain.size};
  uint64_t *number =
      map_at(&of->numbers, md5_low64(plain.data, plain.size), plain.size, 0);
  if (!number)
    return NULL;
  if (!*number) {
    if (buffer_append(&of->list, &made, sizeof made))
      return NULL;
    *number = of->list.size / sizeof made;
  }
  return (struct tally *)(void *)of->list.data + (*number - 1);
}

/* The function in the source that an instruction of a symbol is of. */
static struct tally *tally_at(struct sample_comparing *of,
                              const struct program *program,
                              const struct probe_symbol *symbol,
                              uint64_t address) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t depth = of->lined ? dwarf_frames(&program->scopes, &program->lines,
                                          address, frames)
                           : 0;
  return tally_of(of, depth && frames[0].inlined && *frames[0].name
                          ? frames[0].name
                          : symbol->name);
}

/* ---- what there is ---- */

/* Constants among the code are their symbol's. */
static const char *add_bytes(struct sample_comparing *of, unsigned build,
                             const struct probe_symbol *symbol) {
  struct program *program = of->builds[build].program;
  const struct listed_function *function;
  const struct listed *list = listing_of(&program->listing, symbol, &function);
  uint64_t rest = symbol->size;
  struct tally *tally;
  if (!list)
    return program->listing.error;
  for (size_t i = 0; i < function->count; i++) {
    if (!(tally = tally_at(of, program, symbol, list[i].address)))
      return out_of_memory;
    tally->bytes[build] += list[i].length;
    rest -= list[i].length;
  }
  if (!(tally = tally_of(of, symbol->name)))
    return out_of_memory;
  tally->bytes[build] += rest;
  return NULL;
}

static const char *add_build(struct sample_comparing *of, unsigned build) {
  const struct program *program = of->builds[build].program;
  const struct samples *samples = of->builds[build].samples;
  const char *error = NULL;
  for (size_t i = 0; i < program->probes.symbol_count && !error; i++)
    error = add_bytes(of, build, &program->probes.symbols[i]);
  for (size_t i = 0; samples && i < samples->count && !error; i++) {
    uint64_t pc = code_address(&program->code, samples->list[i].pc);
    const struct probe_symbol *symbol = probes_symbol(&program->probes, pc);
    struct tally *tally =
        symbol ? tally_at(of, program, symbol, pc) : tally_of(of, "[unknown]");
    if (!tally)
      error = out_of_memory;
    else
      tally->samples[build] += samples->list[i].count;
  }
  return error;
}

/* ---- what is said ---- */

static int64_t more_samples(const struct tally *tally) {
  return (int64_t)(tally->samples[WITH] - tally->samples[WITHOUT]);
}

/* By more than three times what chance makes of as many samples. */
static bool is_slower(const struct tally *tally) {
  double more = (double)more_samples(tally);
  double all = (double)tally->samples[WITH] + (double)tally->samples[WITHOUT];
  return more > 0 && more * more > 9 * all;
}

static bool is_shown(const struct sample_comparing *of,
                     const struct tally *tally) {
  return of->builds[WITHOUT].samples
             ? is_slower(tally) || tally->bytes[WITH] > tally->bytes[WITHOUT]
             : tally->bytes[WITH] != tally->bytes[WITHOUT];
}

static int by_samples(const void *left, const void *right) {
  const struct tally *a = left, *b = right;
  int64_t of_a = more_samples(a), of_b = more_samples(b);
  if (of_a != of_b)
    return of_a > of_b ? -1 : 1;
  size_t size = a->size < b->size ? a->size : b->size;
  int order = memcmp(a->name, b->name, size);
  return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

static void put_side(FILE *stream, const uint64_t count[BUILDS]) {
  fprintf(stream, "%10" PRIu64 " %9" PRIu64 " %+9" PRId64, count[WITH],
          count[WITHOUT], (int64_t)(count[WITH] - count[WITHOUT]));
}

static void put_tally(FILE *stream, const struct sample_comparing *of,
                      const struct tally *tally) {
  if (of->builds[WITHOUT].samples)
    put_side(stream, tally->samples);
  else
    fprintf(stream, "%10" PRIu64, tally->samples[WITH]);
  put_side(stream, tally->bytes);
  fputs("  ", stream);
  for (size_t i = 0, taken; i < tally->size; i += taken) {
    char one[PRINTABLE_ROOM];
    fwrite(one, 1,
           printable_character(one, tally->name + i, tally->size - i, &taken),
           stream);
  }
  fputc('\n', stream);
}

static void put_all(FILE *stream, const struct sample_comparing *of) {
  struct tally *list = (void *)of->list.data;
  size_t count = of->list.size / sizeof *list;
  struct tally total = {.name = "all functions", .size = 13};
  if (count)
    qsort(list, count, sizeof *list, by_samples);
  fprintf(stream, "   samples%s     bytes   without     added  function\n",
          of->builds[WITHOUT].samples ? "   without     added" : "");
  for (size_t i = 0; i < count; i++) {
    for (unsigned build = 0; build < BUILDS; build++) {
      total.bytes[build] += list[i].bytes[build];
      total.samples[build] += list[i].samples[build];
    }
    if (is_shown(of, &list[i]))
      put_tally(stream, of, &list[i]);
  }
  put_tally(stream, of, &total);
}

const char *samples_put_against(FILE *stream,
                                const struct profile_against builds[BUILDS]) {
  struct sample_comparing of = {.builds = builds,
                                .lined = builds[WITH].program->lined &&
                                         builds[WITHOUT].program->lined,
                                .list = {.limit = (size_t)1 << 30},
                                .numbers = {.limit = (size_t)1 << 24}};
  const char *error = add_build(&of, WITH);
  if (!error)
    error = add_build(&of, WITHOUT);
  if (!error)
    put_all(stream, &of);
  buffer_free(&of.list);
  map_free(&of.numbers);
  return error;
}
