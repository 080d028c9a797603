/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * rtt.c: in one image without a host, and with one that writes nonsense; in
 * another one with a host that reads the ring from outside, by way of QEMU
 * (probe.c). There also swo.c at its true addresses, on a core without ITM.
 */
#include "fakes.h"

struct rtt _SEGGER_RTT;
static struct rtt_ring *const up = &_SEGGER_RTT.up;
static unsigned char ring[200], requests[8];
static const struct rtt_room room = {ring, sizeof ring};
static const struct rtt_room down_room = {requests, sizeof requests};
static struct rtt_sink to = {&_SEGGER_RTT, {1000, idle}};

/* With nobody to read it the ring is full after its size less one. */
static void nobody(void) {
  rtt_begin(&_SEGGER_RTT, &room, NULL);
  idle_calls = 0;
  expect("rtt: nobody reads", SINK_TIMEOUT, (uint32_t)dump(rtt_write, &to));
  expect("rtt: polls as often as told", 1000, idle_calls);
  expect("rtt: has filled the ring", sizeof ring - 1, up->written);
  expect("rtt: nobody reads to the end", SINK_TIMEOUT,
         (uint32_t)rtt_finish(&to));
}

/* An index outside the ring. */
static void nonsense(void) {
  up->written = 5;
  up->taken = sizeof ring;
  expect("rtt: an index that cannot be", SINK_TIMEOUT,
         (uint32_t)dump(rtt_write, &to));
  up->taken = ~0u;
  expect("rtt: another", SINK_TIMEOUT, (uint32_t)dump(rtt_write, &to));
  expect("rtt: nothing is written then", 5, up->written);
}

/* A host's bytes over the end of the ring, none, and an index outside. */
static void requested(void) {
  struct rtt_ring *down = &_SEGGER_RTT.down;
  expect("rtt: no ring for requests", -1u, (uint32_t)rtt_read(&_SEGGER_RTT));
  rtt_begin(&_SEGGER_RTT, &room, &down_room);
  expect("rtt: no request", -1u, (uint32_t)rtt_read(&_SEGGER_RTT));
  down->taken = 7;
  requests[7] = 'a', requests[0] = 0xff;
  down->written = 1;
  expect("rtt: a byte", 'a', (uint32_t)rtt_read(&_SEGGER_RTT));
  expect("rtt: the next, at the begin", 0xff, (uint32_t)rtt_read(&_SEGGER_RTT));
  expect("rtt: no more", -1u, (uint32_t)rtt_read(&_SEGGER_RTT));
  down->written = 8;
  expect("rtt: no byte outside", -1u, (uint32_t)rtt_read(&_SEGGER_RTT));
}

void test_rtt(void) {
  nobody();
  nonsense();
  requested();
}

void test_probed(void) {
#ifdef TEST_SWO
  struct swo_sink swo = {1, 0, {1000, idle}};
  expect("swo: a core without ITM", SINK_OFF, (uint32_t)dump(swo_write, &swo));
#endif
  to.wait.polls = 0;
  rtt_begin(&_SEGGER_RTT, &room, NULL);
  expect("rtt: a host reads", 0, (uint32_t)dump(rtt_write, &to));
  expect("rtt: to the end", 0, (uint32_t)rtt_finish(&to));
  report("rtt: idle is called", idle_calls > 0, idle_calls);
}
