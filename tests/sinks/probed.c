/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rtt.c: in one image without a host, and with one that writes nonsense; in
 * another one with a host that reads the ring from outside, by way of QEMU
 * (probe.c). There also swo.c at its true addresses, on a core without ITM.
 */
#include "fakes.h"

static struct rtt rtt;
static unsigned char ring[200];
static struct rtt_sink to = {&rtt, {1000, idle}};

/* With nobody to read it the ring is full after its size less one. */
static void nobody(void) {
  rtt_begin(&rtt, ring, sizeof ring);
  idle_calls = 0;
  expect("rtt: nobody reads", SINK_TIMEOUT, (uint32_t)dump(rtt_write, &to));
  expect("rtt: polls as often as told", 1000, idle_calls);
  expect("rtt: has filled the ring", sizeof ring - 1, rtt.written);
  expect("rtt: nobody reads to the end", SINK_TIMEOUT,
         (uint32_t)rtt_finish(&to));
}

/* An index outside the ring. */
static void nonsense(void) {
  rtt.written = 5;
  rtt.taken = sizeof ring;
  expect("rtt: an index that cannot be", SINK_TIMEOUT,
         (uint32_t)dump(rtt_write, &to));
  rtt.taken = ~0u;
  expect("rtt: another", SINK_TIMEOUT, (uint32_t)dump(rtt_write, &to));
  expect("rtt: nothing is written then", 5, rtt.written);
}

void test_rtt(void) {
  nobody();
  nonsense();
}

void test_probed(void) {
#ifdef TEST_SWO
  struct swo_sink swo = {1, 0, {1000, idle}};
  expect("swo: a core without ITM", SINK_OFF, (uint32_t)dump(swo_write, &swo));
#endif
  to.wait.polls = 0;
  rtt_begin(&rtt, ring, sizeof ring);
  expect("rtt: a host reads", 0, (uint32_t)dump(rtt_write, &to));
  expect("rtt: to the end", 0, (uint32_t)rtt_finish(&to));
  report("rtt: idle is called", idle_calls > 0, idle_calls);
}
