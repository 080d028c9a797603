/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line begins with an address in hexadecimal, with or without 0x; or it is a
 * line of QEMU's -d exec, whose second number in brackets is the address. From
 * one address to the next all instructions on the straight way have run once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/error.h"
#include "../base/map.h"
#include "../base/number.h"
#include "objectcode.h"

enum { BLOCK_MOST = 4096 /* instructions */ };

const char *const pc_forms[] = {"order", "blocks", "count", "set", NULL};

struct pc_reading {
  struct objectcode *of;
  enum pc_form form;
  struct map outside;
  bool ends;   /* The list is over. */
  size_t last; /* the instruction before; SIZE_MAX: none */
};

static const char wrong_line[] =
    "a line is no address; a list has one in hexadecimal in each line, with a "
    "count after it for --pcs=count, or is a log of QEMU's -d exec";

/* Takes hexadecimal digits; false: there are none, or too many. */
static bool take_hexadecimal(const unsigned char **at, const unsigned char *end,
                             uint64_t *value) {
  const unsigned char *begin = *at;
  while (*at != end && digit_of_any(**at) < 16)
    ++*at;
  return number_in((struct bytes){begin, (size_t)(*at - begin)}, 16, value);
}

/* "Trace 0: 0x7f0c [00000000/00000268/00000110/ff000201] main" */
static bool take_trace(const unsigned char *at, const unsigned char *end,
                       uint64_t *address) {
  at = memchr(at, '[', (size_t)(end - at));
  at = at ? memchr(at, '/', (size_t)(end - at)) : NULL;
  return at && ++at != end && take_hexadecimal(&at, end, address);
}

static bool take_address(const struct pc_reading *reading,
                         const unsigned char *at, const unsigned char *end,
                         uint64_t *address, uint64_t *count) {
  *count = 1;
  if (take_word(&at, end, "Trace "))
    return take_trace(at, end, address);
  if (!take_word(&at, end, "0x"))
    take_word(&at, end, "0X");
  if (!take_hexadecimal(&at, end, address))
    return false;
  if (reading->form != PCS_COUNT)
    return at == end || *at == ' ' || *at == '\t' || *at == ',';
  if (at == end || digit_of(*++at) > 9)
    return false;
  *count = take_decimal(&at, end);
  return at == end;
}

/* Which way a branch went, by what ran next. An interrupt may have come. */
static void take_way(struct pc_reading *reading, size_t from, size_t to) {
  struct objectcode *of = reading->of;
  struct object_instruction *one = &of->list[from];
  uint64_t next = of->list[to].address;
  if (!one->conditional)
    return;
  if (next == one->address + one->length)
    one->outcomes[FALLS_THROUGH]++;
  else if (!one->target || next == one->target)
    one->outcomes[GOES]++;
  else
    one->cut = true;
}

/* Whether the last instruction of a way goes to an address, so that the way has
 * ended there and was not left before. */
static bool goes_to(const struct object_instruction *one, uint64_t address) {
  return one->branch && one->target == address;
}

/* The end of the straight way from an instruction on. */
static size_t way_end(const struct objectcode *of, size_t from) {
  for (size_t i = from; i < from + BLOCK_MOST; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->branch || one->call || one->indirect || i + 1 == of->count ||
        of->list[i + 1].address != one->address + one->length)
      return i;
  }
  return SIZE_MAX;
}

/* Counts the block that begins at the address before; to: what comes next, or
 * SIZE_MAX. */
static const char *take_block(struct pc_reading *reading, size_t to) {
  struct objectcode *of = reading->of;
  size_t from = reading->last, end = way_end(of, from);
  if (end == SIZE_MAX)
    return "a block has more than 4096 instructions; is it of this ELF?";
  bool inside = to != SIZE_MAX && to > from && to <= end;
  /* Nobody says where the last block was left. */
  if (to == SIZE_MAX && reading->ends)
    end = from;
  if (inside && !goes_to(&of->list[end], of->list[to].address))
    end = to - 1;
  for (size_t i = from; i <= end; i++)
    of->list[i].count++;
  if (to != SIZE_MAX)
    take_way(reading, end, to);
  return NULL;
}

static const char *take_next(struct pc_reading *reading, size_t to,
                             uint64_t count) {
  struct object_instruction *list = reading->of->list;
  const char *error = NULL;
  if (reading->form == PCS_BLOCKS && reading->last != SIZE_MAX)
    error = take_block(reading, to);
  if (reading->form == PCS_ORDER && reading->last != SIZE_MAX && to != SIZE_MAX)
    take_way(reading, reading->last, to);
  reading->last = to;
  if (error || to == SIZE_MAX || reading->form == PCS_BLOCKS)
    return error;
  if (reading->form == PCS_SET)
    list[to].count = 1;
  else
    list[to].count = sum_limited(list[to].count, count);
  return NULL;
}

static const char *take_line(struct pc_reading *reading,
                             const unsigned char *at,
                             const unsigned char *end) {
  struct objectcode *of = reading->of;
  uint64_t address, count;
  /* QEMU has noted a block, and did not run it. */
  if (take_word(&at, end, "Stopped execution")) {
    if (reading->form == PCS_ORDER && reading->last != SIZE_MAX)
      of->list[reading->last].count -= of->list[reading->last].count != 0;
    reading->last = SIZE_MAX;
    return NULL;
  }
  if (at == end || *at == '#')
    return NULL;
  if (!take_address(reading, at, end, &address, &count))
    return wrong_line;
  address = code_address(&of->code, objectcode_moved(of, address));
  size_t number = objectcode_at(of, address);
  if (number != SIZE_MAX)
    return take_next(reading, number, count);
  return map_at(&reading->outside, address, 0, 0)
             ? take_next(reading, SIZE_MAX, count)
             : out_of_memory;
}

const char *objectcode_pcs(struct objectcode *of, struct bytes file,
                           enum pc_form form) {
  struct pc_reading reading = {.of = of,
                               .form = form,
                               .outside.limit = (size_t)1 << 28,
                               .last = SIZE_MAX};
  const unsigned char *at = file.data, *end = at + file.size;
  const char *error = NULL;
  while (!error && at < end) {
    const unsigned char *feed = memchr(at, '\n', (size_t)(end - at));
    const unsigned char *next = feed ? feed + 1 : end,
                        *last = feed ? feed : end;
    if (last > at && last[-1] == '\r')
      last--;
    error = take_line(&reading, at, last);
    at = next;
  }
  reading.ends = true;
  if (!error)
    error = take_next(&reading, SIZE_MAX, 0);
  of->flows |= form == PCS_ORDER || form == PCS_BLOCKS;
  of->sets |= form == PCS_SET;
  of->outside += reading.outside.count;
  map_free(&reading.outside);
  return error;
}
