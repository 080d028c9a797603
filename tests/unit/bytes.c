/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Random images, and a hash of all that each sender makes of them: errors, and
 * bytes up to where a sink stops them. Prints a line for each thousand images.
 * Two runtimes whose lines are equal send the same bytes. Everything that bytes
 * depend on is at fixed addresses, the linker's bounds too.
 *
 *   bytes [COUNT]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bareprof_mip.h"
#include "bareprof_sampler.h"
#include "bareprof_tiny.h"
#include "bareprof_values.h"
#include "bareprof_wire.h"

enum {
  ARENA = 0x10000000,
  RECORDS = ARENA,
  COUNTERS = ARENA + 0x1000,
  COUNTER_BYTES = 0x1C0, /* for the senders of the running image */
  BITMAP = COUNTERS + COUNTER_BYTES,
  BITMAP_BYTES = 16,
  GUARD = BITMAP + BITMAP_BYTES,
  NAMES = ARENA + 0x2000,
  BUILD_ID = ARENA + 0x3000,
  ID_BYTES = 8,
  SLOTS = ARENA + 0x4000,
  STATE = ARENA + 0x5000,
  MIP_RAW = ARENA + 0x6000,
  MIP_BYTES = 24 + 64,
  ARENA_END = ARENA + 0x7000,
  SLOT_COUNT = 16
};

#define BOUND(symbol, address) \
  __asm__(".globl " symbol "\n.set " symbol ", " address)
BOUND("__start___llvm_prf_cnts", "0x10001000");
BOUND("__stop___llvm_prf_cnts", "0x100011C0");
BOUND("__start___llvm_prf_bits", "0x100011C0");
BOUND("__stop___llvm_prf_bits", "0x100011D0");
BOUND("__bareprof_guard", "0x100011D0");
BOUND("__bareprof_build_id_start", "0x10003000");
BOUND("__bareprof_build_id_end", "0x10003018");
BOUND("__bareprof_mip_begin", "0x10006000");
BOUND("__bareprof_mip_end", "0x10006058");

/* The running image's, as the runtime's own word is. */
enum { RAW_VERSION = 10 };
extern uint64_t __llvm_profile_raw_version;
uint64_t __llvm_profile_raw_version = RAW_VERSION;

#define AT(address) ((void *)(uintptr_t)(address))

const struct bareprof_values bareprof_values = {
    AT(SLOTS), AT(STATE), SLOT_COUNT - 4 + 1, 4, SLOT_COUNT};
BAREPROF_SAMPLER_TABLE(16);

static uint64_t random_state = 1;
static uint64_t random_word(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
static unsigned below(unsigned count) {
  return (unsigned)((random_word() >> 11) % count);
}

/* ---- what comes out ---- */

static uint64_t hash = UINT64_C(0xCBF29CE484222325);
static void hash_bytes(const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  while (size--)
    hash = (hash ^ *byte++) * UINT64_C(0x100000001B3);
}
static void hash_number(long long number) { hash_bytes(&number, 8); }

static unsigned char sent[65536];
static struct {
  size_t size, most;
  int refusal;
} sink_state;

static int take_bytes(void *context, const void *bytes, size_t size) {
  (void)context;
  if (size > sink_state.most - sink_state.size)
    return sink_state.refusal;
  memcpy(sent + sink_state.size, bytes, size);
  sink_state.size += size;
  return 0;
}
static int take_byte(void *context, unsigned char byte) {
  return take_bytes(context, &byte, 1);
}
static void take_bit(unsigned char byte) { take_byte(NULL, byte); }
static const struct bareprof_sink sink = {take_bytes, NULL};

/* A sink of sixteen refuses at some byte. */
static void begin_sending(void) {
  sink_state.size = 0;
  sink_state.most = below(16) ? sizeof sent : below(600);
  sink_state.refusal = below(2) ? 7 : -3;
}
static void end_sending(int result) {
  hash_number(result);
  hash_bytes(sent, sink_state.size);
}

/* ---- an image ---- */

static struct bareprof_image image;
static uint64_t version;

static unsigned char *store(unsigned char *at, uint64_t value, unsigned size) {
  memcpy(at, &value, size);
  return at + size;
}

static uint64_t random_count(void) {
  switch (below(8)) {
  case 0:
    return random_word();
  case 1:
    return random_word() >> 32;
  case 2:
  case 3:
    return below(1000);
  default:
    return 0;
  }
}

/* Counters of a record begin at `used`. Returns the end of the record. */
static unsigned char *make_record(unsigned char *at, bool is_new, size_t used,
                                  unsigned counters, unsigned bitmap) {
  unsigned char *begin = at;
  at = store(at, random_word(), 8);
  at = store(at, random_word(), 8);
  at = store(at, COUNTERS + used - (uintptr_t)begin, 8);
  if (is_new)
    at = store(at, bitmap ? BITMAP - (uintptr_t)begin : 0, 8);
  at = store(at, random_word(), 8);
  at = store(at, 0, 8);
  at = store(at, counters, 4);
  for (unsigned kind = 0; kind < (is_new ? 3u : 2u); kind++)
    at = store(at, below(4) ? 0 : below(3), 2);
  return is_new ? store(store(at, 0, 2), bitmap, 4) : at;
}

static void fill_counters(void *begin, size_t size) {
  unsigned char *at = begin;
  for (; size >= 8; size -= 8)
    at = store(at,
               version >> 60 & 1 ? (below(2) ? 0 : UINT64_MAX) : random_count(),
               8);
}

static void make_image(void) {
  static const uint64_t modes[] = {0, 0, UINT64_C(1) << 56, UINT64_C(1) << 60,
                                   UINT64_C(9) << 60};
  bool is_new = below(3) != 0;
  size_t used = 0, bitmap = is_new && below(2) ? BITMAP_BYTES : 0;
  unsigned char *record = AT(RECORDS);
  memset(AT(ARENA), 0, ARENA_END - ARENA);
  version = (is_new ? 10 : 8) | modes[below(5)];
  unsigned shift = version >> 60 & 1 ? 0 : 3;
  for (unsigned i = below(24) ? 1 + below(5) : 0; i; i--) {
    unsigned counters = 1 + below(8);
    if (used + (counters << shift) > COUNTER_BYTES)
      break;
    record = make_record(record, is_new, used, counters, (unsigned)bitmap);
    used += counters << shift;
  }
  fill_counters(AT(COUNTERS), COUNTER_BYTES);
  for (unsigned i = 0; i < BITMAP_BYTES; i++)
    ((unsigned char *)AT(BITMAP))[i] = (unsigned char)random_word();
  unsigned char *note =
      store(AT(BUILD_ID), UINT64_C(4) | (uint64_t)ID_BYTES << 32, 8);
  store(store(store(note, 3, 4), 0x554E47, 4), random_word(), 8);
  size_t names = 1 + below(40);
  memset(AT(NAMES), 'n', names);
  bool guard = below(4) != 0, id = below(8) != 0, values = below(2) != 0;
  image = (struct bareprof_image){
      .version = &version,
      .guard = guard ? AT(GUARD) : NULL,
      .records = {AT(RECORDS), record},
      .counters = {AT(COUNTERS), (unsigned char *)AT(COUNTERS) + used},
      .bitmap = {AT(BITMAP), (unsigned char *)AT(BITMAP) + bitmap},
      .names = {AT(NAMES), (unsigned char *)AT(NAMES) + names},
      .build_id = {AT(BUILD_ID), (unsigned char *)AT(BUILD_ID) + 24 * id},
      .values = values ? &bareprof_values : NULL};
  uint64_t ends = (uintptr_t)image.counters.end;
  store(AT(GUARD), (uint32_t)~ends | random_word() << 32, 8);
  unsigned bit = below(8), wrong = below(256);
  if (!below(8)) /* One bit of all this is wrong. */
    ((unsigned char *)AT(RECORDS))[wrong] ^= 1u << bit;
}

/* ---- the senders ---- */

static void send_image(void) {
  unsigned sender = (unsigned)random_word() & ~15u;
  hash_number(bareprof_status_image(&image));
  for (unsigned i = below(20); image.values && i; i--) {
    unsigned char *record = AT(RECORDS + 64 * below(4));
    __llvm_profile_instrument_target(below(4), record, i % 3);
    __llvm_profile_instrument_memop(below(900), record, i % 2);
  }
  begin_sending();
  end_sending(bareprof_write_image(&image, &sink));
  for (unsigned options = 0; options < 4; options++) {
    begin_sending();
    end_sending(bareprof_send_image(&image, &sink, options | sender));
  }
  sink_state.size = 0;
  sink_state.most = sizeof sent;
  if (bareprof_write_image(&image, &sink) == 0) {
    hash_number(bareprof_merge_image(&image, sent, sink_state.size));
    begin_sending();
    end_sending(bareprof_write_image(&image, &sink));
    bareprof_reset_image(&image);
    begin_sending();
    end_sending(bareprof_send_image(&image, &sink, BAREPROF_LEAN));
  }
}

static void send_running(void) {
  /* The bits of the version word for 8-byte, 4-byte and byte counters. */
  static const uint64_t widths[] = {0, UINT64_C(1) << 31, UINT64_C(1) << 60};
  below(2) ? bareprof_tiny_init() : bareprof_tiny_init_flags();
  fill_counters(AT(COUNTERS), COUNTER_BYTES);
  for (unsigned i = 0; i < 3; i++) {
    __llvm_profile_raw_version = RAW_VERSION | widths[i];
    begin_sending();
    end_sending(bareprof_tiny_send(take_byte, NULL));
    begin_sending();
    end_sending(bareprof_tiny_send_text(take_byte, NULL));
  }
  __llvm_profile_raw_version = RAW_VERSION;
  begin_sending();
  end_sending(bareprof_tiny_send_bits(take_bit));
  for (unsigned options = 0; options < 2; options++) {
    begin_sending();
    end_sending(bareprof_send_name(&sink, options, "a name"));
    begin_sending();
    end_sending(bareprof_send(&sink, options | BAREPROF_LEAN));
    begin_sending();
    end_sending(bareprof_mip_send(&sink, options));
  }
}

static void send_others(void) {
  bareprof_mip_init();
  for (unsigned i = 24; i < MIP_BYTES; i++)
    ((unsigned char *)AT(MIP_RAW))[i] = (unsigned char)random_word();
  begin_sending();
  end_sending(bareprof_mip_write(&sink));
  bareprof_sampler_start(below(1000));
  for (unsigned i = below(40); i; i--)
    bareprof_sampler_take(1 + i * i % 31, below(3), 0);
  hash_number(bareprof_sampler_interval());
  begin_sending();
  end_sending(bareprof_sampler_write(&sink));
  if (!below(8))
    bareprof_sampler_reset();
}

int main(int count, char **words) {
  unsigned long images = count > 1 ? strtoul(words[1], NULL, 10) : 10000;
  void *arena = mmap(AT(ARENA), ARENA_END - ARENA, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (arena != AT(ARENA))
    return perror("mmap"), 1;
  for (unsigned long i = 1; i <= images; i++) {
    make_image();
    send_image();
    send_others();
    send_running();
    if (i % 1000 == 0)
      printf("%lu %016llx\n", i, (unsigned long long)hash);
  }
  return 0;
}
