/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * States whose frames have one number: it has 16 bits, so some of thousands do.
 * The last frame of a dump is lost, and that of another such dump comes in its
 * place: the 32 bits of the state in the first frame tell them apart.
 *
 *   alike starts     prints two dumps of boot 7, with all counters 1 and 3;
 *                    two of boot 8 (2 and 1, which has fallen); one each of
 *                    boots 9 to 40 (1), and another one of boot 40 (3)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "starts_host.h"
#include "starts_send.h"

enum { STATES = 3000, COUNTERS = 300, LOG_MOST = 8192, PAIRS_LEAST = 50 };

struct sent {
  char text[LOG_MOST];
  size_t size, last; /* the last frame begins there */
  unsigned number;
};

static struct sent dumps[STATES];
static struct sent *sending;
static struct memory memories[2], *wanted[2];
static unsigned long accepted, wrong;

static void take(const void *bytes, size_t size) {
  struct sent *to = sending;
  if (size > LOG_MOST - to->size)
    abort();
  memcpy(to->text + to->size, bytes, size);
  if (size > 2 && !memcmp(bytes, "~{", 2))
    to->last = to->size;
  to->size += size;
}

static unsigned sixth(char c) {
  static const char all[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return (unsigned)(strchr(all, c) - all);
}

/* Bytes 1 and 2 of a frame, behind its two marks. */
static unsigned number_of(const char *frame) {
  uint32_t bytes = 0;
  for (unsigned i = 2; i < 6; i++)
    bytes = bytes << 6 | sixth(frame[i]);
  return bytes & 0xFFFF;
}

static void make(struct memory *memory, uint32_t state) {
  memset(memory, 0, sizeof *memory);
  memory->sizes[1] = COUNTERS * sizeof(uint64_t);
  uint64_t *counters = (uint64_t *)(void *)memory->bytes[1];
  for (unsigned i = 0; i < COUNTERS; i++) {
    state = state * 1664525 + 1013904223;
    counters[i] = 1000000 + (state >> 20);
  }
}

static void accept(const struct snapshot *snapshot) {
  const unsigned char *counters = snapshot->parts[1].bytes;
  accepted++;
  wrong += memcmp(counters, wanted[0]->bytes[1], wanted[0]->sizes[1]) &&
           memcmp(counters, wanted[1]->bytes[1], wanted[1]->sizes[1]);
}

static void tell(const struct snapshot *snapshot) { (void)snapshot; }

/* Returns whether it is said that something is missing. */
static bool mixed(unsigned a, unsigned b) {
  static unsigned char log[2 * LOG_MOST];
  size_t rest = dumps[b].size - dumps[b].last;
  for (unsigned i = 0; i < 2; i++)
    make(wanted[i] = &memories[i], 1 + (i ? b : a));
  memcpy(log, dumps[a].text, dumps[a].last);
  memcpy(log + dumps[a].last, dumps[b].text + dumps[b].last, rest);
  return !host_receive((struct bytes){log, dumps[a].last + rest}, accept, tell);
}

static void print(const void *bytes, size_t size) {
  fwrite(bytes, 1, size, stdout);
}

static void send_starts(void (*sink)(const void *bytes, size_t size)) {
  enum { DUMPS = 37, LAST_BOOT = 40 };
  static const unsigned boots[] = {7, 7, 8, 8}, counts[] = {1, 3, 2, 1};
  struct sending how = {.form = FORM_LEAN};
  memories[0].sizes[1] = COUNTERS * sizeof(uint64_t);
  for (unsigned i = 0; i < DUMPS; i++) {
    unsigned boot = i < 4 ? boots[i] : i + 5;
    unsigned count = i < 4 ? counts[i] : boot > LAST_BOOT ? 3 : 1;
    uint64_t *counters = (uint64_t *)(void *)memories[0].bytes[1];
    for (unsigned k = 0; k < COUNTERS; k++)
      counters[k] = count;
    boot = boot > LAST_BOOT ? LAST_BOOT : boot;
    how.ordinal = boot == how.number;
    how.number = boot;
    starts_send(&memories[0], &how, sink);
  }
}

static struct {
  unsigned char bytes[16 * LOG_MOST];
  size_t size;
} whole;
static uint64_t sum;

static void keep(const void *bytes, size_t size) {
  if (size > sizeof whole.bytes - whole.size)
    abort();
  memcpy(whole.bytes + whole.size, bytes, size);
  whole.size += size;
}

static void add(const struct snapshot *snapshot) {
  sum += *(const uint64_t *)(const void *)snapshot->parts[1].bytes;
}

/* Returns whether each boot counts once in a log that has all boots twice. By
 * hand: 3 of boot 7, 2 of boot 8, 1 of each of boots 9 to 39, 3 of boot 40. */
static bool repeat_starts(void) {
  send_starts(keep);
  send_starts(keep);
  host_report((struct bytes){whole.bytes, whole.size}, add);
  printf("# a log twice: %llu\n", (unsigned long long)sum);
  return sum == 3 + 2 + 31 + 3;
}

/* The same for boots without numbers. Each has another counter that is 2, so
 * none goes on from another; only the first boot has 2 in the first counter. */
static bool repeat_unnumbered(void) {
  enum { BOOTS = 20 };
  const struct sending how = {.form = FORM_LEAN};
  uint64_t *counters = (uint64_t *)(void *)memories[0].bytes[1];
  sum = whole.size = 0;
  for (unsigned i = 0; i < 2 * BOOTS; i++) {
    for (unsigned k = 0; k < COUNTERS; k++)
      counters[k] = k == i % BOOTS ? 2 : 1;
    starts_send(&memories[0], &how, keep);
  }
  host_report((struct bytes){whole.bytes, whole.size}, add);
  printf("# without numbers: %llu\n", (unsigned long long)sum);
  return sum == BOOTS + 1;
}

int main(int argc, char **argv) {
  const struct sending how = {.form = FORM_LEAN};
  if (argc > 1 && strcmp(argv[1], "starts") == 0) {
    send_starts(print);
    return 0;
  }
  unsigned long pairs = 0, silent = 0;
  for (unsigned i = 0; i < STATES; i++) {
    make(&memories[0], i + 1);
    sending = &dumps[i];
    starts_send(&memories[0], &how, take);
    dumps[i].number = number_of(dumps[i].text + dumps[i].last);
  }
  for (unsigned a = 0; a < STATES; a++)
    for (unsigned b = 0; b < STATES; b++)
      if (a != b && dumps[a].number == dumps[b].number) {
        pairs++;
        silent += !mixed(a, b);
      }
  printf("# %lu pairs of one number, %lu profiles accepted\n", pairs, accepted);
  printf("%s wire alike: enough states of one number\n",
         pairs >= PAIRS_LEAST ? "ok" : "not ok");
  printf("%s wire alike: no frame of another state is taken\n",
         wrong ? "not ok" : "ok");
  printf("%s wire alike: the loss is said\n", silent ? "not ok" : "ok");
  printf("%s wire alike: boots that a log repeats count once\n",
         repeat_starts() ? "ok" : "not ok");
  printf("%s wire alike: so do boots without numbers\n",
         repeat_unnumbered() ? "ok" : "not ok");
  return 0;
}
