/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A tiny sender: it sends a whole lean dump as one frame. tiny_binary.c and
 * tiny_text.c define TINY_SEND, the name of the function, and for TEXT also
 * TINY_TEXT; they then include this header. So the compiler sees the whole
 * sender at once. Functions return their first argument, so that callers need
 * not keep it in a register. This sender codes each number as 0 or as new,
 * while wire_frame.c can also code that a number equals an earlier one. The
 * host decodes the frames of both senders in the same way.
 */
#include "tiny.h"
#include "shared.h"
#include "wire_coder.h"

/* The address of this symbol is a flag of the frame's head: 64 if an object
 * counts with 32 bits, otherwise 0 (BAREPROF_WIRE_NARROW in wire.h). */
extern __attribute__((weak))
const uint8_t tiny_counters_32 __asm__("bareprof_counters_32");

/* The version word (image.h). Objects with byte counters or 4-byte counters
 * define the word. */
extern __attribute__((weak))
const uint64_t tiny_version __asm__("__llvm_profile_raw_version");

/* wire.h and image.h define the same numbers, but a program that has copied
 * only the tiny sender lacks these headers. */
enum {
  TINY_FORMAT_64 = 3 | 3 << 6 /* log2 of a counter's bytes */,
  TINY_LEAN = 5 | 1 << 3 /* a format follows */ | TINY_BIG << 5,
  TINY_PACKED_BIT = 31, /* of the version word */
  TINY_BYTE_BIT = 60
};

struct tiny_sender {
  bareprof_tiny_put *put;
  void *context;
  int error;
  uint32_t crc;
  uint32_t bits; /* bits of the next byte so far, the first in bit 7 */
  unsigned room; /* how many bits the next byte still takes, 1 to 8 */
  unsigned zero; /* whether the last number was 0 */
  unsigned size; /* size (wire_coder.h) of the last number except 0 */
#ifdef TINY_TEXT
  uint32_t encoded, held, column;
#endif
};

static struct tiny_sender *put_raw(struct tiny_sender *tiny, unsigned byte) {
  if (!tiny->error)
    tiny->error =
        bareprof_sink_error(tiny->put(tiny->context, (unsigned char)byte));
  BAREPROF_KEEP(tiny);
  return tiny;
}

/* ---- TEXT: lines of base64; BINARY: bytes between two marks ---- */

#ifdef TINY_TEXT
enum { TEXT_COLUMNS = 72 };

/* Sends the lower count bits of value as base64, six bits a character, and
 * keeps the bits that do not fill a character for the next call. Higher bits of
 * value must be 0. */
static struct tiny_sender *put_sixths(struct tiny_sender *tiny, uint32_t value,
                                      unsigned count) {
  uint32_t bits = tiny->encoded << count | value;
  tiny->encoded = bits;
  count += tiny->held;
  while (count >= 6) {
    count -= 6;
    if (tiny->column == 0) {
      tiny = put_raw(tiny, '\n');
      tiny = put_raw(tiny, '~');
      tiny->column = TEXT_COLUMNS;
    }
    tiny->column--;
    tiny = put_raw(tiny, bareprof_base64_character(bits >> count & 63));
  }
  tiny->held = count;
  return tiny;
}

static inline struct tiny_sender *encode_byte(struct tiny_sender *tiny,
                                              uint32_t byte) {
  return put_sixths(tiny, byte, 8);
}

#else
static inline struct tiny_sender *encode_byte(struct tiny_sender *tiny,
                                              uint32_t byte) {
  if (byte - 0xFA <= 2) {
    tiny = put_raw(tiny, 0xFC);
    byte -= 0x20;
  }
  return put_raw(tiny, byte);
}

#endif

/* ---- bits, words and numbers ---- */

/* Takes 8 bits into the CRC, two bits in each step. A table of 16 bytes halves
 * the steps of bareprof_crc32_step, because tiny senders run on slow cores. The
 * state of that function is the complement of the CRC; crc is the CRC itself.
 * So each table entry also sets the two bits that the shift clears. */
static inline uint32_t crc_step(uint32_t crc) {
  static const uint32_t of_bits[4] = {0x5B64C2B0, 0x2DB88320, 0xB6DC4190,
                                      0xC0000000};
  int steps = 4;
  do
    crc = crc >> 2 ^ of_bits[crc & 3];
  while (--steps);
  return crc;
}

/* Adds a byte to the CRC, and sends the byte. */
BAREPROF_NOINLINE static struct tiny_sender *put_byte(struct tiny_sender *tiny,
                                                      uint32_t byte) {
  tiny->crc = crc_step(tiny->crc ^ byte);
  return encode_byte(tiny, byte);
}

/* Puts the lower count bits of value into the frame, up to 32, the highest bit
 * first. Higher bits of value may be set. If count is 0, value is 0 or 1. */
static struct tiny_sender *put_bits(struct tiny_sender *tiny, uint32_t value,
                                    unsigned count) {
  uint32_t bits = tiny->bits;
  unsigned room = tiny->room;
  value <<= -count & 31;
  for (;;) {
    bits |= value >> (32 - room);
    if (count < room)
      break;
    value <<= room;
    count -= room;
    tiny = put_byte(tiny, bits);
    bits = 0;
    room = 8;
  }
  tiny->bits = bits;
  tiny->room = room - count;
  return tiny;
}

/* Puts a word into the frame, the lowest byte first. __builtin_bswap32 is not
 * used, because gcc may compile it to a call. */
static struct tiny_sender *put_word(struct tiny_sender *tiny, uint32_t word) {
  uint32_t outer = word << 24 | word >> 24;
  uint32_t inner = (word & 0xFF00) << 8 | (word >> 8 & 0xFF00);
  return put_bits(tiny, outer | inner, 32);
}

static struct tiny_sender *put_varint(struct tiny_sender *tiny,
                                      uint32_t value) {
  uint32_t rest;
  do {
    rest = value >> 7;
    tiny = put_bits(tiny, rest ? value | 128 : value, 8);
    value = rest;
  } while (rest);
  return tiny;
}

/* Codes a 64-bit number. A number's kind is zero or new. The code begins
 * with the bit 0 if the number before had the same kind, otherwise with the
 * bits 10. A new number's size, and the bits after its first 1, follow. */
BAREPROF_NOINLINE static struct tiny_sender *
put_number(struct tiny_sender *tiny, uint32_t low, uint32_t high) {
  unsigned zero = !(low | high), count = (zero ^ tiny->zero) + 1, size = 0;
  uint32_t code = 2;
  tiny->zero = zero;
  if (!zero) {
    size = bareprof_coder_number_size(low, high);
    code = bareprof_coder_size_code(tiny->size ^ size, &count);
    tiny->size = size;
  }
  tiny = put_bits(tiny, code, count);
  if (high)
    tiny = put_bits(tiny, high, 32);
  return put_bits(tiny, low, size);
}

/* ---- the frame ---- */

/* Returns how many times 8 bytes are halved to the size of a counter: 0 times
 * for 8-byte counters, 1 for 4-byte counters, 3 for byte counters. */
static inline uint32_t count_halvings(void) {
  const uint64_t *version = &tiny_version;
  BAREPROF_KEEP(version);
  if (!version)
    return 0;
  uint32_t is_byte = *version >> TINY_BYTE_BIT & 1;
  return is_byte * 3 + ((uint32_t)*version >> TINY_PACKED_BIT);
}

/* Puts the part of the frame before the counts. In dumps of several frames each
 * frame has a hash of the counts, so that the host can tell which frames belong
 * together. A dump of this sender is one frame, and has the ordinal instead. */
static inline struct tiny_sender *put_head(struct tiny_sender *tiny,
                                           uint32_t halvings) {
  const bareprof_any32 *id =
      (const bareprof_any32 *)(uintptr_t)__bareprof_build_id_start + TINY_ID_AT;
  uint32_t ordinal = tiny_next_ordinal() << 8;
  uint32_t size = (uint32_t)(__stop___llvm_prf_cnts - __start___llvm_prf_cnts);
  tiny = put_word(tiny, (TINY_LEAN + (uint32_t)(uintptr_t)&tiny_counters_32) |
                            ordinal);
  tiny = put_word(tiny, TINY_FORMAT_64 + ordinal - (halvings << 6));
  tiny = put_word(tiny, tiny_to_little_endian(id[0]));
  tiny = put_word(tiny, tiny_to_little_endian(id[1]));
  tiny = put_bits(tiny, 0, 16); /* origin, tag */
  tiny = put_varint(tiny, size << halvings >> 3);
  size = (uint32_t)(__stop___llvm_prf_bits - __start___llvm_prf_bits);
  return put_varint(tiny, size);
}

/* Puts the counters, and then the bitmap as if its bytes were counters. */
static inline struct tiny_sender *put_numbers(struct tiny_sender *tiny,
                                              uint32_t halvings) {
  const unsigned char *at = __start___llvm_prf_cnts;
  const unsigned char *end = __stop___llvm_prf_cnts;
  for (;;) {
    while (at < end) {
      uint32_t low, high = 0;
      BAREPROF_KEEP(halvings); /* saves a register for halvings & 2 */
      if (halvings & 2) {
        low = *at++;
      } else if (halvings) {
        low = *(const volatile bareprof_any32 *)(uintptr_t)at;
        at += 4;
      } else {
        uint64_t count = bareprof_read_counter(at);
        low = (uint32_t)count;
        high = (uint32_t)(count >> 32);
        at += 8;
      }
      tiny = put_number(tiny, low, high);
    }
    if (end == __stop___llvm_prf_bits)
      return tiny;
    at = __start___llvm_prf_bits;
    end = __stop___llvm_prf_bits;
    BAREPROF_KEEP(end); /* saves a register for the first end */
    halvings = 3;
  }
}

/* Puts the frame without its begin and end marks. */
static inline struct tiny_sender *put_dump(struct tiny_sender *tiny) {
  uint32_t halvings = count_halvings();
  tiny = put_head(tiny, halvings);
  tiny = put_numbers(tiny, halvings);
  /* Ends the coded numbers with a 1, and zeros to the end of the byte. The
   * other zeros are dropped. */
  tiny = put_bits(tiny, 128, 8);
  tiny->room = 8;
  return put_word(tiny, tiny->crc);
}

int TINY_SEND(bareprof_tiny_put *put, void *context) {
  struct tiny_sender made, *tiny = &made;
  int error = tiny_check();
  if (error)
    return error;
  tiny->put = put;
  tiny->context = context;
  tiny->error = 0;
  tiny->crc = tiny->bits = tiny->zero = tiny->size = 0;
  tiny->room = 8;
#ifdef TINY_TEXT
  tiny->encoded = tiny->held = 0;
  tiny->column = TEXT_COLUMNS;
  tiny = put_raw(tiny, '~');
  tiny = put_raw(tiny, '{');
  tiny = put_dump(tiny);
  tiny = put_sixths(tiny, 0, 4); /* fills up the last character */
  tiny = put_raw(tiny, '}');
  tiny = put_raw(tiny, '\n');
#else
  tiny = put_raw(tiny, 0xFA);
  tiny = put_dump(tiny);
  tiny = put_raw(tiny, 0xFB);
#endif
  return tiny->error;
}
