/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A log of dumps in NOR flash, to read after a crash, a reset, or a trip.
 *
 *     static struct flash_log log = {begin, end, 4096, my_erase, my_program};
 *     struct bareprof_sink sink = {flash_write, &log};
 *     int status = flash_begin(&log);
 *     if (!status) status = bareprof_write(&sink);
 *     if (!status) status = flash_finish(&log);    only then is there a dump
 *
 * The format: a dump begins at a sector, with a header of FLASH_HEADER bytes:
 * 32-bit words MAGIC, size, ~size, 0xffffffff, in the core's byte order, then
 * 0xff up to a FLASH_UNIT. The header is programmed last: if power fails, there
 * is a complete dump or none. The next dump begins in the next free sector. The
 * first sector without a header is the end, because the sector after a dump is
 * erased before the header of that dump is written. To start over, erase the
 * first sector.
 *
 * Host: save the area (a debugger's dump-image, esptool, picotool), then
 * extract the dumps by their headers. In the firmware: flash_size,
 * flash_behind.
 *
 * Needs: erase and program of your chip. program only reads bytes of the
 *   struct, so the profile may lie in the busy flash. Code that runs meanwhile
 *   may not, unless the chip waits or has two banks.
 * Costs: 36 bytes of RAM and a FLASH_UNIT. The first sector of each dump is
 *   erased twice, which wears it. An erase takes 20 to 400 ms: kick a watchdog
 *   in your erase.
 * Context: that of your erase and program: if they poll, interrupts off and
 *   fault handlers are fine.
 * Problems:
 * - The log is full: SINK_FULL, also in the middle of a dump. The written part
 *   has no header and is no dump: ask bareprof_size() first. If erase or
 *   program fails, the sink returns their code, and the same applies.
 * - A unit programmed twice: an error on flash with ECC, so this file never
 *   does it. Other users of these sectors would.
 * - Power fails while you erase the first sector: its header may outlive its
 *   bytes. If a reader must detect that, send frames: they have a CRC.
 * - A cache or prefetch buffer of the flash: flush it in erase and program.
 */
#include "sinks.h"

#define MAGIC 0x31475042u /* "BPG1" */

struct header {
  uint32_t magic, size, check, none;
};

size_t flash_size(const struct flash_log *log, const unsigned char *at) {
  struct header header;
  size_t room = (size_t)(log->end - at);
  if (room < FLASH_HEADER)
    return 0;
  memcpy(&header, at, sizeof header);
  return header.magic == MAGIC && header.check == ~header.size &&
                 header.size <= room - FLASH_HEADER
             ? header.size
             : 0;
}

unsigned char *flash_behind(const struct flash_log *log, unsigned char *at,
                            size_t size) {
  size_t used = FLASH_HEADER + size;
  return at + ((used + log->sector - 1) & ~(log->sector - 1));
}

/* Finds the end of the log, where the next dump goes. */
int flash_begin(struct flash_log *log) {
  unsigned char *at = log->begin;
  size_t size;
  while ((size = flash_size(log, at)) > 0)
    at = flash_behind(log, at, size);
  log->dump = log->erased = at;
  log->next = at + FLASH_HEADER;
  log->tail_size = 0;
  return at == log->end ? SINK_FULL : 0;
}

static int erase_up_to(struct flash_log *log, const unsigned char *end) {
  int code = 0;
  while (log->erased < end && !code) {
    if (log->erased == log->end)
      return SINK_FULL;
    code = log->erase(log->erased);
    log->erased += log->sector;
  }
  return code;
}

static int program_tail(struct flash_log *log) {
  int code = erase_up_to(log, log->next + FLASH_UNIT);
  if (!code)
    code = log->program(log->next, log->tail, FLASH_UNIT);
  log->next += FLASH_UNIT;
  log->tail_size = 0;
  return code;
}

int flash_write(void *flash_log, const void *bytes, size_t size) {
  struct flash_log *log = flash_log;
  const unsigned char *from = bytes;
  int code = 0;
  for (; size > 0 && !code; --size) {
    log->tail[log->tail_size++] = *from++;
    if (log->tail_size == FLASH_UNIT)
      code = program_tail(log);
  }
  return code;
}

/* A sink does not see the end of a dump: this writes the last bytes, then the
 * header. Call it only if bareprof_write has returned 0. */
int flash_finish(struct flash_log *log) {
  unsigned char unit[FLASH_HEADER];
  struct header header = {MAGIC, 0, 0, 0xffffffffu};
  int code = 0;
  header.size = (uint32_t)(log->next - log->dump - FLASH_HEADER);
  header.size += (uint32_t)log->tail_size;
  header.check = ~header.size;
  if (log->tail_size > 0) {
    while (log->tail_size < FLASH_UNIT)
      log->tail[log->tail_size++] = 0xff;
    code = program_tail(log);
  }
  if (!code && flash_behind(log, log->dump, header.size) < log->end)
    code = erase_up_to(log, flash_behind(log, log->dump, header.size) + 1);
  for (size_t i = 0; i < sizeof unit; ++i)
    unit[i] = 0xff;
  memcpy(unit, &header, sizeof header);
  return code ? code : log->program(log->dump, unit, sizeof unit);
}
