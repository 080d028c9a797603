/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints how many bytes of stack a dump takes, a merge, a dump as frames in
 * each form, and one that was asked for: paints the stack below, calls, and
 * looks how far down the paint is gone. The sinks take none that counts,
 * interrupts are off. Each figure holds the few bytes of measure() that the
 * call lies under.
 */
#include "bareprof.h"
#include "bareprof_tiny.h"
#include "bareprof_wire.h"
#include "bareprof_sampler.h"
#include "board.h"

BAREPROF_SAMPLER_TABLE(8);

enum { DEPTH = 2048, PAINT = 0x5A };

extern uint64_t counters[] __asm__("__start___llvm_prf_cnts");
extern uint64_t counters_end[] __asm__("__stop___llvm_prf_cnts");

static unsigned char profile[4096];
static unsigned char *next = profile;

static int store(void *context, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  (void)context;
  while (size--)
    *next++ = *from++;
  return 0;
}

static int discard(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  return 0;
}

static const struct bareprof_sink sink = {store, NULL};
static const struct bareprof_sink nowhere = {discard, NULL};
static struct bareprof_wire wire = {.out = &nowhere};
static int result;

/* Xorshift, of 32 bits. */
static uint32_t draw(void) {
  static uint32_t random = 1;
  random ^= random << 13, random ^= random >> 17, random ^= random << 5;
  return random;
}

static void write_profile(void) {
  next = profile;
  result = bareprof_write(&sink);
}
static void merge_profile(void) {
  result = bareprof_merge(profile, (size_t)(next - profile));
}
static void send(void) {
  result = bareprof_send(&nowhere, BAREPROF_BINARY | BAREPROF_LEAN);
}
static void send_text(void) {
  result = bareprof_send(&nowhere, BAREPROF_TEXT | BAREPROF_LEAN);
}
static void send_full(void) { result = bareprof_send(&nowhere, BAREPROF_TEXT); }
static void send_full_binary(void) {
  result = bareprof_send(&nowhere, BAREPROF_BINARY);
}
static int discard_byte(void *context, unsigned char byte) {
  return (void)context, (void)byte, 0;
}
static void discard_bits(unsigned char byte) { (void)byte; }
static void send_tiny(void) {
  result = bareprof_tiny_send(discard_byte, NULL);
}
static void send_tiny_text(void) {
  result = bareprof_tiny_send_text(discard_byte, NULL);
}
/* Of counters of 8 bytes the bits mean nothing, and take the same stack. */
static void send_bits(void) { result = bareprof_tiny_send_bits(discard_bits); }
static void serve(void) { result = bareprof_wire_serve(&wire); }
/* Without what the interrupt's entry saves, which is in the header. */
static void sample(void) {
  bareprof_sampler_start(100);
  for (uintptr_t i = 0; i < 20; i++)
    bareprof_sampler_take(0x1000 + (draw() & 0xFFFE), 1, 0);
}
static void write_samples(void) {
  sample();
  result = bareprof_sampler_write(&nowhere);
}
static void send_samples(void) {
  sample();
  result = bareprof_sampler_send(&nowhere, BAREPROF_BINARY);
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

/* How deep a call goes depends on what it sends: a byte that is escaped, a
 * carry. A build id differs from path to path, so the deepest of many counts
 * is taken, not what one of them happens to reach. */
static void count_anew(void) {
  for (uint64_t *one = counters; one != counters_end; one++)
    *one = draw() >> (draw() & 31);
}

/* The request of a dump in the form that the link has, from any host. */
static int ask(void) {
  static const char request[] = "~{BP//AAEAAAAAAAGAUQumuw}";
  wire = (struct bareprof_wire){.out = &nowhere, .options = wire.options};
  for (const char *byte = request; *byte; byte++)
    if (bareprof_wire_feed(&wire, (uint8_t)*byte))
      return 0;
  return 1;
}

static int report(const char *name, void (*call)(void)) {
  unsigned depth = 0;
  for (unsigned round = 0; round < 256; round++) {
    unsigned one;
    count_anew();
    if (ask())
      return 1;
    one = measure(call);
    if (depth < one)
      depth = one;
  }
  board_puts(name);
  board_putc(' ');
  board_put_number(depth);
  board_putc('\n');
  return result;
}

int main(void) {
  int error =
      report("nothing", nothing) || report("dump", write_profile) ||
      report("merge", merge_profile) || report("send", send) ||
      report("send-text", send_text) || report("send-full", send_full) ||
      report("send-full", send_full_binary) || report("sampler", sample) ||
      report("sampler-write", write_samples) ||
      report("sampler-send", send_samples) ||
      report("bits", send_bits) || report("tiny", send_tiny) ||
      report("tiny-text", send_tiny_text);
  for (wire.options = 0; wire.options < 4 && !error; wire.options++)
    error = report("link", serve);
  return error;
}
