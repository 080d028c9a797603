/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sinks for bareprof_write and bareprof_send: their common part, and their
 * interfaces. Each .c file documents its requirements and problems. Copy the
 * .c file and its part of this header.
 */
#ifndef SINKS_H
#define SINKS_H

#include <stddef.h>
#include <stdint.h>

/* The sinks return these codes, and bareprof_write passes them on. */
enum sink_code {
  SINK_TIMEOUT = 1, /* nobody took the bytes for too long       */
  SINK_OFF = 2,     /* the way out is not switched on           */
  SINK_FAULT = 3,   /* the hardware says that it went wrong     */
  SINK_FULL = 4     /* no room is left, and none will come back */
};

/* How long a sink waits. It counts polls, not milliseconds: with
 * interrupts off there may be no clock. */
struct sink_wait {
  uint32_t polls;     /* gives up after so many polls without progress;
                         0: never */
  void (*idle)(void); /* called at each poll, or NULL: kick a watchdog  */
};

/* Counts a poll without progress in *polls. Returns whether to give up. */
static inline int sink_gives_up(const struct sink_wait *wait, uint32_t *polls) {
  if (wait->idle)
    wait->idle();
  return wait->polls && ++*polls >= wait->polls;
}

/* C libraries have memcpy, and the compiler itself inserts calls of it. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);

/* ---- rtt.c: two rings in memory that a debug probe reads and writes ---- */

struct rtt_ring {
  const char *name;
  unsigned char *buffer;
  uint32_t size;
  volatile uint32_t written; /* the writer's index */
  volatile uint32_t taken;   /* the reader's index */
  uint32_t mode;
};

/* The control block: probes know this layout. One in the program, in RAM. Under
 * the name _SEGGER_RTT probe-rs, J-Link and `bareprof receive --rtt` find the
 * block in the ELF; OpenOCD and J-Link search RAM for the id, too. */
struct rtt {
  volatile char id[16];
  int32_t up_buffers;   /* 1: target to host */
  int32_t down_buffers; /* 1, or 0 if there is no room for one */
  struct rtt_ring up, down;
};
extern struct rtt _SEGGER_RTT; /* yours to define */

struct rtt_sink {
  struct rtt *rtt;
  struct sink_wait wait;
};

/* Memory of a ring, which the ring keeps. */
struct rtt_room {
  unsigned char *bytes;
  uint32_t size; /* 2 or more */
};

/* Call it once, before the first dump. down is the ring for requests of the
 * host, or NULL without requests. */
void rtt_begin(struct rtt *rtt, const struct rtt_room *up,
               const struct rtt_room *down);
int rtt_write(void *rtt_sink, const void *bytes, size_t size);
int rtt_finish(const struct rtt_sink *sink);
/* The next byte of the host, or -1: for bareprof_wire_feed. */
int rtt_read(struct rtt *rtt);

/* ---- segger_rtt.c: a channel of SEGGER's own RTT code ---- */

struct segger_rtt_sink {
  unsigned channel; /* an up-buffer of your SEGGER_RTT_ConfigUpBuffer */
  struct sink_wait wait;
};

int segger_rtt_write(void *segger_rtt_sink, const void *bytes, size_t size);
int segger_rtt_finish(const struct segger_rtt_sink *sink);
int segger_rtt_read(unsigned channel);

/* ---- swo.c: a stimulus port of the ITM of a Cortex-M ---- */

struct swo_sink {
  unsigned port;      /* 0 to 31; debuggers print 0 as text          */
  uint8_t only_bytes; /* set if the host takes only 1-byte payloads  */
  struct sink_wait wait;
};

int swo_write(void *swo_sink, const void *bytes, size_t size);

/* ---- dma.c: a UART that is fed by DMA ---- */

/* A simplified DMA engine. Put your chip's registers here. */
struct dma_engine {
  volatile uint32_t address;
  volatile uint32_t length;  /* bytes, at most DMA_LONGEST        */
  volatile uint32_t control; /* DMA_BUSY starts, and reads 1 till
                                the end; 0 stops                  */
};
enum { DMA_BUSY = 1, DMA_ERROR = 2 };

#ifndef DMA_BUFFER
#define DMA_BUFFER 64
#endif

struct dma_sink {
  struct dma_engine *engine;
  struct sink_wait wait;
  unsigned char (*buffers)[DMA_BUFFER]; /* two, for dma_write_copy */
  uint32_t filled;                      /* both begin as 0         */
  uint32_t current;
};

int dma_write_wait(void *dma_sink, const void *bytes, size_t size);
int dma_write_copy(void *dma_sink, const void *bytes, size_t size);
int dma_finish(struct dma_sink *sink);

/* ---- flash.c: a log in NOR flash ---- */

#ifndef FLASH_UNIT
#define FLASH_UNIT 8 /* bytes programmed at once, a power of two */
#endif
enum { FLASH_HEADER = FLASH_UNIT > 16 ? FLASH_UNIT : 16 };

struct flash_log {
  unsigned char *begin; /* whole sectors, as they are mapped to be read */
  unsigned char *end;
  size_t sector; /* bytes erased at once, a power of two */
  /* Both return 0, or a positive code of yours. size is a multiple of
   * FLASH_UNIT, and so is the address. */
  int (*erase)(unsigned char *sector);
  int (*program)(unsigned char *at, const void *bytes, size_t size);
  /* Only flash.c uses the members from here on. */
  unsigned char *dump, *next, *erased;
  size_t tail_size;
  unsigned char tail[FLASH_UNIT];
};

int flash_begin(struct flash_log *log);
int flash_write(void *flash_log, const void *bytes, size_t size);
int flash_finish(struct flash_log *log);
/* Returns the size of the dump at a sector, or 0 if there is none. The dump is
 * FLASH_HEADER bytes after the sector's begin, the next one at flash_behind. */
size_t flash_size(const struct flash_log *log, const unsigned char *at);
unsigned char *flash_behind(const struct flash_log *log, unsigned char *at,
                            size_t size);

/* ---- rtos.c: a dump from a task of FreeRTOS ---- */

struct rtos_sink {
  struct StreamBufferDef_t *stream; /* a StreamBufferHandle_t       */
  uint32_t ticks;                   /* without progress; 0: forever */
  void (*kick)(void);               /* the watchdog, or NULL        */
};

int rtos_write(void *rtos_sink, const void *bytes, size_t size);
int rtos_dump(struct rtos_sink *sink);

#endif
