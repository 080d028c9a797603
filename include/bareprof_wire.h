/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Off the chip: a profile as frames over a byte stream, which may be a UART
 * that log output uses too. `bareprof receive` on the host finds the frames
 * in what it hears, checks them, asks for damaged ones again where it can,
 * and makes the raw profile. The format is described in docs/wire-format.md.
 *
 *     static int to_uart(void *context, const void *bytes, size_t size);
 *     const struct bareprof_sink uart = {to_uart, NULL};
 *
 *     bareprof_send(&uart, BAREPROF_TEXT | BAREPROF_LEAN);
 *
 * What every function here has in common:
 * - No heap, no static data, no buffer larger than a line. Stack on a 32-bit
 *   target, as `make lib` compiles it: at most 392 bytes for a lean dump, 440
 *   for a full one or a request, plus your sink's.
 * - It may be called with interrupts off, in a fault handler, from any stack.
 *   Nothing here waits, and nothing recurses.
 * - 0 is success, a negative value one of enum bareprof_error (bareprof.h),
 *   a positive one your sink's own, handed back unchanged.
 *
 * What a dump of a running program is worth. Counters of 64 bits are read
 * untorn, as bareprof_write does, but not all at one instant: those at the
 * end are later than those at the beginning. Nothing is ever subtracted or
 * reset by a dump, so a frame that is lost on the wire loses no count: the
 * next dump has it. What happened between two dumps is their difference,
 * which `bareprof receive --increments` takes. A frame that is sent again
 * reads the memory again; receive then says that the profile is not of one
 * instant. With the code at rest (interrupts off, or the end of a test) a
 * dump is exact. A counter that interrupts and the interrupted code both
 * count needs -fprofile-update=atomic to be exact at all.
 */
#ifndef BAREPROF_WIRE_H
#define BAREPROF_WIRE_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a dump, to be or-ed.
 *
 * TEXT: lines of at most 75 printable characters that begin with ~. They
 * live in a console log: other lines between them, CR before LF, prefixes
 * of a logger, colours, and a terminal's wrapping at 80 columns do no harm.
 * A third longer than BINARY.
 * BINARY: for lines that pass all 8 bits unchanged. Frames begin with 0xFA
 * and end with 0xFB, bytes that UTF-8 text never has, so text may still
 * come between frames. Text within a frame is cut out by receive if it is
 * whole lines, else that frame is lost.
 *
 * LEAN: counters, bitmaps and values only; records and names come from the ELF
 * (`bareprof join`), which needs a build id of at least 5 bytes to be found.
 * Without it the whole profile is sent, which needs records and names in the
 * image (bareprof.ld, not bareprof-lean.ld). */
#define BAREPROF_TEXT 0u
#define BAREPROF_BINARY 1u
#define BAREPROF_LEAN 2u

/* Who sends, so that several may share one wire, and receive keeps them
 * apart. Core and image are 0 to 15, and 0 if you do not say.
 *
 * Boot is the number of the start, 0 to 65535: any that the last starts did not
 * have. Take it from what your board keeps through a reset: a count of resets
 * in flash or EEPROM, the seconds of an RTC, a backup register or a word in a
 * section that start-up code does not clear, which you count up; or from a
 * generator of random numbers. Without one, in this order:
 * - Link with -u bareprof_start_number: bareprof_init then counts in a word of
 *   BAREPROF_RAM that nothing clears. It reads that word: not for RAM with ECC
 *   that was never written. After a power-on the count goes on from what the
 * RAM happens to hold; `bareprof report` takes a number with which two logs
 * begin as none.
 * - A start that keeps its counts (bareprof_retain.h) keeps its number.
 * - 0, it cannot be told. Then nothing that is lost of a dump is taken from
 *   another one, --increments is refused, and in a report the dump of a later
 *   start that has all that an earlier one has stands for both. */
#define BAREPROF_CORE(n) (((n)&15u) << 8)
#define BAREPROF_IMAGE(n) (((n)&15u) << 12)
#define BAREPROF_BOOT(n) (((n)&0xFFFFu) << 16)

/* Sends a dump of the running image. out and out->write must not be NULL;
 * the sink's contract is in bareprof.h. It is called once for each line of
 * TEXT (with the whole line, so a sink that holds the console's lock keeps
 * lines whole), for BINARY with up to 76 bytes, and at each frame's end: a
 * watchdog can be kicked there. A frame has some 310 bytes before encoding.
 *
 * Unlike bareprof_write it does not look into the records: the host does,
 * and refuses what bareprof_write would refuse. Returned before the first
 * byte: E_NO_BOUNDS and E_EMPTY. An uninstrumented release is silent so. Also
 * returned, and said on the wire in a short frame, so that receive and report
 * print what is wrong and what to do: E_NOT_INIT; with LEAN E_NO_BUILD_ID,
 * without it E_NO_RECORDS. The error is returned whatever the sink says.
 * Returned when the header may have begun, which the host takes for a dump cut
 * short: E_BUSY.
 *
 * Values (bareprof_values.h) are sent too, as their slots, if the program has
 * storage for them; receive and join make value data of them. While these
 * frames are on their way, which come first, the hooks record nothing. */
int bareprof_send(const struct bareprof_sink *out, unsigned options);

/* The same for another image than the running one. Its version word may be
 * any: the host decides whether it can write it. */
int bareprof_send_image(const struct bareprof_image *image,
                        const struct bareprof_sink *out, unsigned options);

/* Both are inline as well, so that with constant options only what they ask
 * for is linked. The names below are not for you to call. */
struct bareprof_stream;
typedef void bareprof_encoding(struct bareprof_stream *stream, unsigned what);
void bareprof_text(struct bareprof_stream *stream, unsigned what);
void bareprof_binary(struct bareprof_stream *stream, unsigned what);
int bareprof_send_lean(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding);
int bareprof_send_as(const struct bareprof_image *image,
                     const struct bareprof_sink *out, unsigned options,
                     bareprof_encoding *encoding);

/* Compiled with your flags, they must not count. */
#define BAREPROF_NOT_INSTRUMENTED \
  __attribute__((no_profile_instrument_function))

BAREPROF_NOT_INSTRUMENTED static inline int
bareprof_send_image_inline(const struct bareprof_image *image,
                           const struct bareprof_sink *out, unsigned options) {
  bareprof_encoding *encoding =
      options & BAREPROF_BINARY ? bareprof_binary : bareprof_text;
  return options & BAREPROF_LEAN
             ? bareprof_send_lean(image, out, options, encoding)
             : bareprof_send_as(image, out, options, encoding);
}

BAREPROF_NOT_INSTRUMENTED static inline int
bareprof_send_inline(const struct bareprof_sink *out, unsigned options) {
  return bareprof_send_image_inline(&bareprof_running, out, options);
}

#define bareprof_send bareprof_send_inline
#define bareprof_send_image bareprof_send_image_inline

/* Firmware that never ends: the host asks, over the UART's receive line.
 * What it can ask for: a dump, named pieces of a dump again, a reset.
 *
 *     static struct bareprof_wire wire = {NULL, &uart, BAREPROF_LEAN};
 *
 *     while ((byte = uart_getc()) >= 0)
 *       if (bareprof_wire_feed(&wire, (uint8_t)byte))
 *         bareprof_wire_serve(&wire);
 *
 * Set the first three members, leave the others 0. The storage is yours for
 * as long as you feed it. A wire may be fed in the receive interrupt and
 * served elsewhere; several links need nothing from each other. */
#define BAREPROF_WIRE_RANGES 4
#define BAREPROF_WIRE_BYTES 52
struct bareprof_wire {
  const struct bareprof_image *image; /* NULL: the running one */
  const struct bareprof_sink *out;    /* where dumps and answers go */
  unsigned options;                   /* as for bareprof_send; a request may
                                         choose the other encoding, and lean */
  /* Private. */
  volatile uint8_t state;
  uint8_t size, waiting;
  uint16_t bits;
  uint32_t reset; /* tag of the last reset */
  uint8_t bytes[BAREPROF_WIRE_BYTES];
};

/* Takes the next byte received. Bytes that are not part of a request, such
 * as a shell's input, are let pass: give every byte to both. Returns
 * BAREPROF_WIRE_REQUEST when a whole and undamaged request to this core and
 * image has come, else 0. Until it is served further bytes are ignored.
 * It may run in an interrupt or on another core while bareprof_wire_serve
 * runs; two calls of one of them on the same struct must not overlap.
 * Constant time: about 100 instructions, 1,500 for a request's last byte. */
#define BAREPROF_WIRE_REQUEST 1
int bareprof_wire_feed(struct bareprof_wire *wire, uint8_t byte);

/* Does what the request asks for: sends a dump, or resets the counters and
 * answers. A reset that comes again, because its answer was lost, is only
 * answered again: it has the tag of the reset before. A dump that is refused
 * is answered with the error, whatever it is. The host may give this start a
 * number; it is taken if there is none yet. Without a request it does nothing.
 * Returns 0, that error, or the sink's own positive value. */
int bareprof_wire_serve(struct bareprof_wire *wire);

#ifdef __cplusplus
}
#endif
#endif
