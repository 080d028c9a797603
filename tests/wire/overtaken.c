/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * runtime/wire_request.c on the host: the request before was a reset; a request
 * for a dump comes after any instruction of bareprof_wire_serve. It is served
 * then or by the next call, and resets nothing.
 */
#define _GNU_SOURCE /* the registers of a signal */
#include <stdio.h>

#ifndef __x86_64__
int main(void) {
  puts("skip wire requests: at any instruction of serve: for x86-64");
  return 0;
}
#else
#include "../unit/counting.h"
#include "../unit/interrupted.h"
#include "bareprof_wire.h"
#include "wish.h"

enum { DUMP = 1, RESET = 2, AS_IT_LIKES = 0x80 };

static _Alignas(8) uint64_t counters[2];
static _Alignas(8) unsigned char note[] = {4, 0, 0, 0, 5,   0,   0,   0,
                                           3, 0, 0, 0, 'G', 'N', 'U', 0,
                                           1, 2, 3, 4, 5,   0,   0,   0};
static const uint64_t version = 10;
static const struct bareprof_image image = {
    .version = &version,
    .counters = {(unsigned char *)counters,
                 (unsigned char *)counters + sizeof counters},
    .build_id = {note, note + sizeof note}};

static struct bareprof_wire line_in;

static void ask(unsigned tag, unsigned command) {
  const struct asked asked = {.core = -1,
                              .image = -1,
                              .tag = (uint8_t)tag,
                              .command = (uint8_t)command,
                              .options = AS_IT_LIKES};
  char line[80];
  size_t size = make_request(line, &asked) - 1;
  for (size_t i = 0; i < size; i++)
    bareprof_wire_feed(&line_in, (uint8_t)line[i]);
}

static void ask_dump(void) { ask(6, DUMP); }
static void serve(void) { bareprof_wire_serve(&line_in); }

/* Whether the program went on as if the request had come behind it. */
static bool is_right(void) {
  bareprof_wire_serve(&line_in);
  return counters[0] == 5 && counters[1] == 6 && sent > 30;
}

int main(void) {
  unsigned wrong = 0, runs = 0;
  for (bool more = true; more; runs++) {
    line_in = (struct bareprof_wire){
        .image = &image, .out = &sink, .options = BAREPROF_LEAN};
    ask(5, RESET);
    bareprof_wire_serve(&line_in);
    counters[0] = 5;
    counters[1] = 6;
    sent = 0;
    more = interrupted(serve, ask_dump, runs + 1);
    if (!more)
      ask_dump();
    wrong += !is_right();
  }
  if (runs < 10 || wrong)
    printf("not ok wire requests: a dump that is asked for at any instruction "
           "of serve is no reset: %u of %u\n",
           wrong, runs);
  else
    printf("ok wire requests: a dump that is asked for at any instruction of "
           "serve is no reset\n");
  return 0;
}
#endif
