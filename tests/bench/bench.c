/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How many instructions the runtime takes, by minstret under -icount, which
 * counts them exactly: the same in every run. The counters are those of the
 * coverage example after its recording.
 */
#include "bareprof.h"
#include "bareprof_tiny.h"
#include "bareprof_wire.h"
#include "board.h"
#include "forms.h"

static unsigned char profile[32768];

static unsigned long instructions(void) {
  unsigned long count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count));
  return count;
}

static int discard(void *context, const void *bytes, size_t size) {
  (void)bytes, (void)size;
  ++*(unsigned *)context;
  return 0;
}

static void report(const char *name, unsigned long count) {
  board_puts(name);
  board_putc(' ');
  board_put_number(count);
  board_putc('\n');
}

static int send(const char *name, unsigned options) {
  unsigned calls = 0;
  const struct bareprof_sink to_nothing = {discard, &calls};
  unsigned long begin = instructions();
  int error = bareprof_send(&to_nothing, options);
  report(name, instructions() - begin);
  return error;
}

static int drop(void *context, unsigned char byte) {
  (void)context, (void)byte;
  return 0;
}

/* By the tiny sender, which knows a guard of its own. */
static int send_tiny(const char *name,
                     int (*tiny)(bareprof_tiny_put *put, void *context)) {
  unsigned long begin = instructions();
  int error = tiny(drop, NULL);
  report(name, instructions() - begin);
  return error;
}

int main(void) {
  struct bareprof_memory memory = {profile, profile + sizeof profile};
  const struct bareprof_sink to_memory = {bareprof_memory_write, &memory};
  unsigned calls = 0;
  const struct bareprof_sink to_nothing = {discard, &calls};
  const struct bareprof_span *counters = &bareprof_running.counters;
  report("counters", (unsigned long)(counters->end - counters->begin) / 8);

  unsigned long begin = instructions();
  bareprof_init();
  report("init", instructions() - begin);
  work();
  begin = instructions();
  int error = bareprof_status();
  report("status", instructions() - begin);
  begin = instructions();
  error |= bareprof_write(&to_nothing);
  report("write", instructions() - begin);
  report("sink-calls", calls);
  error |= send("lean-binary", BAREPROF_BINARY | BAREPROF_LEAN);
  error |= send("lean-text", BAREPROF_TEXT | BAREPROF_LEAN);
  error |= send_tiny("tiny-binary", bareprof_tiny_send);
  error |= send_tiny("tiny-text", bareprof_tiny_send_text);
  error |= bareprof_write(&to_memory);
  begin = instructions();
  error |= bareprof_merge(profile, (size_t)(memory.next - profile));
  report("merge", instructions() - begin);
  return error != 0;
}
