/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile as frames over a byte stream, for example a UART shared with log
 * output. On the host, `bareprof receive` finds the frames in the stream,
 * checks them, requests damaged frames again if it can, and writes the raw
 * profile. docs/reference/wire-format.md describes the format.
 *
 *     static int to_uart(void *context, const void *bytes, size_t size);
 *     const struct bareprof_sink uart = {to_uart, NULL};
 *
 *     bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
 *
 * All functions here may be called in the contexts of bareprof.h. Functions
 * that send return values as the functions of bareprof.h do. They may overlap,
 * but not with init, reset or merge; frames that mix on the link are lost. They
 * use no heap, no static data but guard word and slots of values, and no buffer
 * larger than a line. Stack on a 32-bit target, as `make lib` compiles it: at
 * most 392 bytes for a lean dump, 440 for a full dump or a request (each 480
 * with values on ARMv6-M), plus your sink's stack.
 *
 * A dump never subtracts or resets, so the next dump contains the counts of a
 * lost one; `bareprof receive --increments` computes the difference of two. In
 * a running program each 64-bit counter is read untorn, but not all at one
 * instant. While the code is at rest (interrupts off, or the end of a test) a
 * dump is exact. If interrupts and the code they interrupt share a counter, the
 * counter is exact only with -fprofile-update=atomic.
 */
#ifndef BAREPROF_WIRE_H
#define BAREPROF_WIRE_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* Options of a dump, to be or-ed:
 *
 * - TEXT sends lines that begin with ~ and have at most 75 printable
 *   characters. The lines may be in a console log: other lines in between, CR
 *   before LF, a logger's prefixes, colours, and a terminal's wrapping at 80
 *   columns do no harm. TEXT is a third longer than BINARY.
 * - BINARY is for links that pass all 8 bits unchanged. A frame begins with
 *   0xFA and ends with 0xFB, which UTF-8 text never has, so text may come
 *   between frames. Text within a frame does no harm if it is whole lines;
 *   otherwise the frame is lost.
 * - LEAN sends only counters, bitmaps and values. The host takes records and
 *   names from the ELF, which it finds by a build id of at least 5 bytes.
 *   Without LEAN the whole profile is sent, which needs records and names in
 *   the image (bareprof.ld, not bareprof-lean.ld). */
#define BAREPROF_TEXT 0u
#define BAREPROF_BINARY 1u
#define BAREPROF_LEAN 2u

/* Options that identify the sender if several senders share one link. Core and
 * image are 0 to 15, by default 0; image 15 is for samples.
 *
 * Boot is the number of this boot, 0 to 65535, which none of the last 16 boots
 * had: a count of resets in flash, the seconds of an RTC, a backup register, or
 * a random number. Give none if boots keep counts (bareprof_options.h), or kept
 * counts are added twice. The runtime then uses the first of these:
 * - The number of the boot whose counts were kept.
 * - With -u bareprof_boot_number on the link line, a count in a word of
 *   BAREPROF_RAM that nothing clears. bareprof_init reads that word: do not use
 *   this with ECC RAM that was never written. After a power-on the count begins
 *   at random.
 * - The first number that a host's request gives (bareprof_wire_serve).
 * - 0, which means unknown. Then the host fills a gap in a dump from another
 *   dump only if both show the same counts, and refuses --increments. */
#define BAREPROF_CORE(n) (((n)&15u) << 8)
#define BAREPROF_IMAGE(n) (((n)&15u) << 12)
#define BAREPROF_BOOT(n) (((n)&0xFFFFu) << 16)

/* Sends a dump of the running image to the sink `out` (bareprof.h). With TEXT
 * the sink gets a whole line in each call: a sink that holds the console's lock
 * keeps lines whole. With BINARY it gets up to 76 bytes.
 *
 * Unlike bareprof_write, this function does not check the records: the host
 * does, and refuses what bareprof_write would refuse. Errors:
 * - E_NO_BOUNDS and E_EMPTY: returned before the first byte. So a release
 *   without measured code sends nothing.
 * - E_NOT_INIT; with LEAN E_NO_BUILD_ID, without LEAN E_NO_RECORDS: returned,
 *   and sent in a short frame, so that receive and report print what is wrong
 *   and what to do. The error is returned whatever the sink returns.
 * - E_BUSY: returned when the header may have been sent. The host then sees a
 *   truncated dump.
 *
 * Dumps, names and answers of a boot are numbered from 1, modulo 256, in the
 * guard word, so that the host notices lost ones. */
int bareprof_send(const struct bareprof_sink *out, unsigned options);

/* Sends a dump of any image, as bareprof_send does for the running one. Give
 * each image another BAREPROF_IMAGE number. The image's version word may have
 * any value: the host checks that it knows the version. */
int bareprof_send_image(const struct bareprof_image *image,
                        const struct bareprof_sink *out, unsigned options);

/* Names the next dump of this core and image, so that `bareprof report --tests`
 * can tell which test ran which line. Call it after the test, directly before
 * bareprof_send (not _send_image: the running image's guard numbers the name):
 *
 *     test_parser();
 *     bareprof_send_name(&uart, BAREPROF_TEXT, "test_parser");
 *     bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
 *
 * A test gets the counts since the previous dump. To keep start-up code out of
 * the first test, send a dump without a name before that test. If you call
 * bareprof_reset before each test, use report --tests-reset. Two dumps of one
 * name are added.
 *
 * out: as for bareprof_send. options: TEXT or BINARY, core and image as for the
 * dump; the boot number may be omitted, and LEAN has no effect. name: a string
 * in UTF-8, read during the call only, not NULL; after 200 bytes the rest is
 * not sent. Returns 0; the sink's own positive value, or BAREPROF_E_SINK; or
 * BAREPROF_E_EMPTY if nothing is measured, and then nothing is sent. Stack: as
 * a lean dump. */
#define BAREPROF_NAME_BYTES 200
int bareprof_send_name(const struct bareprof_sink *out, unsigned options,
                       const char *name);

/* For firmware that runs forever: the host sends requests over the UART. A
 * request asks for a dump, for some pieces of a dump again, or for a reset.
 *
 *     static struct bareprof_wire wire =
 *         BAREPROF_WIRE_INIT(NULL, &uart, BAREPROF_LEAN);
 *
 *     while ((byte = uart_getc()) >= 0)
 *       if (bareprof_wire_feed(&wire, (uint8_t)byte))
 *         bareprof_wire_serve(&wire);
 *
 * The struct is yours; a static one works once .data is set. Struct, image and
 * sink must live while you use them. You may feed the struct in the receive
 * interrupt and serve it elsewhere. */
#define BAREPROF_WIRE_RANGES 4
#define BAREPROF_WIRE_BYTES 52
struct bareprof_wire {
  const struct bareprof_image *image; /* NULL: the running one */
  const struct bareprof_sink *out;    /* where dumps and answers go */
  unsigned options;                   /* as for bareprof_send; a request may
                                         choose encoding and LEAN */
  /* Private. */
  volatile uint8_t state;
  uint8_t size, waiting;
  uint16_t bits;
  uint32_t reset; /* tag of the last reset */
  uint8_t bytes[BAREPROF_WIRE_BYTES];
};

/* The initial value of a struct bareprof_wire: its first three members. */
#define BAREPROF_WIRE_INIT(image, out, options) \
  {                                             \
    image, out, options, 0, 0, 0, 0, 0, { 0 }   \
  }

/* Takes the next byte received. If a shell shares the UART, give every byte to
 * both: this function ignores the shell's input. Returns BAREPROF_WIRE_REQUEST
 * when a complete, undamaged request to this core and image has arrived,
 * otherwise 0. Until the request is served, further bytes are ignored, and each
 * of them returns BAREPROF_WIRE_REQUEST, too. The function may run in an
 * interrupt or on another core while bareprof_wire_serve runs, without a
 * barrier. Two calls of one function on one struct must not overlap. Takes
 * about 100 instructions, 1,500 for a request's last byte. */
#define BAREPROF_WIRE_REQUEST 1
int bareprof_wire_feed(struct bareprof_wire *wire, uint8_t byte);

/* Serves the request: sends a dump, or resets the counters and answers. If a
 * dump is refused, the answer is the error, or for E_BUSY a truncated dump.
 * Call it only where bareprof_reset may run: the host may request a reset. A
 * reset that the host repeats, because the answer was lost, is answered without
 * another reset. Parts of a dump are sent only if the request has this boot's
 * number. A request with an unknown command is dropped. Returns 0, also without
 * a request; an error, as bareprof_send; or the sink's own positive value. */
int bareprof_wire_serve(struct bareprof_wire *wire);

/* The commands of requests. Programs do not use them. */
enum {
  BAREPROF_COMMAND_DUMP = 1,
  BAREPROF_COMMAND_RESET = 2,
  BAREPROF_COMMAND_NAME = 3 /* in answers only: the name of the next dump */
};

BAREPROF_END_C

#include "bareprof_private.h"

#endif
