/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three timers of the MPS2 board, each of a higher priority than the one
 * before, take samples within one another: SysTick, and CMSDK's timers 0 and 1.
 * Each counts its own. Meanwhile main looks at the entries now and then, as a
 * dump does. Prints expected and actual numbers.
 */
#include "entry.h"
#include "work.h"

ROOM;

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define VTOR REGISTER(0xe000ed08)
#define SHPR3 REGISTER(0xe000ed20)
#define ISER REGISTER(0xe000e100)
#define IPR2 REGISTER(0xe000e408) /* of interrupts 8 to 11 */
#define TIMER(n) (0x40000000u + 0x1000u * (n))
enum { CONTROL = 0, VALUE = 4, RELOAD = 8, CLEAR = 12, ON = 1, INTERRUPT = 8 };
enum { SYSTICK = 15, TIMER_0 = 24, TIMER_1, VECTORS };

static volatile uint32_t calls[3];
static _Alignas(128) void (*table[VECTORS])(void);

void bareprof_sampler_timer(void) {
  uint32_t number;
  __asm__ volatile("mrs %0, ipsr" : "=r"(number));
  unsigned which = number == SYSTICK ? 0 : number - TIMER_0 + 1;
  calls[which] = calls[which] + 1;
  if (which == 0)
    board_timer_next(bareprof_sampler_interval());
  else
    REGISTER(TIMER(which - 1) + CLEAR) = 1;
}

static void start_timer(unsigned which, uint32_t period) {
  REGISTER(TIMER(which) + RELOAD) = period;
  REGISTER(TIMER(which) + VALUE) = period;
  REGISTER(TIMER(which) + CONTROL) = ON | INTERRUPT;
}

static void say(const char *what, uint64_t number) {
  board_puts(what);
  board_putc(' ');
  board_put_number(number);
  board_putc('\n');
}

static int discard(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  return 0;
}

struct seen {
  struct bareprof_samples header;
  uint64_t sum;
  uint32_t size;
};

/* Adds up a file that comes in pieces: the header is one of its own. */
static int judge(void *context, const void *bytes, size_t size) {
  struct seen *seen = context;
  const uint32_t *words = bytes;
  if (seen->size == 0)
    seen->header = *(const struct bareprof_samples *)bytes;
  else if (seen->header.flags & BAREPROF_SAMPLES_FOLDED)
    for (size_t i = 2; i < size / 4; i += 3)
      seen->sum += words[i];
  else
    seen->sum += size / 8;
  seen->size += (uint32_t)size;
  return 0;
}

int main(void) {
  const struct bareprof_sink nowhere = {discard, NULL};
  struct seen seen = {.size = 0};
  const struct bareprof_sink judged = {judge, &seen};
  for (unsigned i = 0; i < 16; i++)
    table[i] = (*(void (*const *const *)(void)) & VTOR)[i];
  table[TIMER_0] = table[TIMER_1] = bareprof_sampler_interrupt;
  VTOR = (uint32_t)(uintptr_t)table;
  SHPR3 = 0xC0000000;
  IPR2 = 0x4080;
  ISER = 3u << 8;
  bareprof_sampler_start(PERIOD);
  start_timer(0, PERIOD * 9 / 8);
  start_timer(1, PERIOD * 11 / 8);
  board_timer_start(PERIOD, NULL);
  while (calls[0] + calls[1] + calls[2] < SAMPLES) {
    work();
    bareprof_sampler_write(&nowhere);
  }
  board_timer_stop();
  REGISTER(TIMER(0) + CONTROL) = REGISTER(TIMER(1) + CONTROL) = 0;
  bareprof_sampler_stop();
  bareprof_sampler_write(&judged);
  say("samples", calls[0] + calls[1] + calls[2]);
  say("taken", seen.header.taken);
  say("kept", seen.sum + seen.header.lost);
  say("lost", seen.header.lost);
  for (unsigned i = 0; i < 4; i++)
    say("level", bareprof_sampler.state->since.lost[i]);
  return 0;
}
