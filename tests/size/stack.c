/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints how many bytes of stack a dump takes, and a merge: paints the stack
 * below, calls, and looks how far down the paint is gone. The sink takes
 * none that counts, interrupts are off. Each figure holds the few bytes of
 * measure() that the call lies under.
 */
#include "bareprof.h"
#include "board.h"

enum { DEPTH = 2048, PAINT = 0x5A };

static unsigned char profile[4096];
static unsigned char *next = profile;

static int store(void *context, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  (void)context;
  while (size--)
    *next++ = *from++;
  return 0;
}

static const struct bareprof_sink sink = {store, NULL};
static int result;

static void write_profile(void) { result = bareprof_write(&sink); }
static void merge_profile(void) {
  result = bareprof_merge(profile, (size_t)(next - profile));
}
static void nothing(void) { result = 0; }

/* Not below its own frame: from there on it works upwards. */
__attribute__((noinline)) static unsigned measure(void (*call)(void)) {
  volatile unsigned char *top = __builtin_frame_address(0);
  unsigned depth;
  for (depth = DEPTH; depth > 64; depth--)
    top[-(int)depth] = PAINT;
  call();
  for (depth = DEPTH; depth > 64 && top[-(int)depth] == PAINT;)
    depth--;
  return depth;
}

static int report(const char *name, void (*call)(void)) {
  unsigned depth = measure(call);
  board_puts(name);
  board_putc(' ');
  board_put_number(depth);
  board_putc('\n');
  return result;
}

int main(void) {
  return report("nothing", nothing) || report("dump", write_profile) ||
         report("merge", merge_profile);
}
