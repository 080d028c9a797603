/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines functions that read an image, the struct that describes a program's
 * profile sections. They return sizes and link addresses, and load numbers in
 * the image's pointer width and byte order. On a target, width and order are
 * constants, and the loads are plain loads. With BAREPROF_FOREIGN, which is for
 * the host tool, width and order are fields of the image; such fields would
 * cost a target 184 to 464 bytes. image_layout.h, the next file to read, checks
 * an image.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_H
#define BAREPROF_RUNTIME_IMAGE_H

#include <stdbool.h>

#include "bareprof.h"
#include "shared.h"

/* The runtime reads these bits of the version word. */
#define BAREPROF_BYTE_COVERAGE_BIT 60
#define BAREPROF_BYTE_COVERAGE (UINT64_C(1) << BAREPROF_BYTE_COVERAGE_BIT)
#define BAREPROF_TEMPORAL (UINT64_C(1) << 63)

/* A timestamp of temporal profiling is the first 8 bytes of a function's
 * counters. Before the first call it has the counters' initial value, 0 or all
 * ones. */
static inline bool bareprof_has_timestamp(uint64_t timestamp) {
  return timestamp + 1 > 1;
}

/* This bit of the version word is bareprof's own, and marks 4-byte counters.
 * The bit is in the lower half of the word, where the raw version is. So code
 * that does not know the bit rejects the word as an unknown version. */
#define BAREPROF_PACKED (UINT32_C(1) << 31)

static inline size_t bareprof_span_size(const struct bareprof_span *span) {
  return (size_t)(span->end - span->begin);
}

/* Returns log2 of a counter's size in a raw profile: 3 for 8-byte counters, 0
 * for byte counters. */
static inline unsigned
bareprof_counter_shift(const struct bareprof_image *image) {
  unsigned byte = *image->version >> BAREPROF_BYTE_COVERAGE_BIT & 1;
  return (byte - 1) & 3;
}

/* Returns whether a counter has 4 bytes in memory. */
static inline bool bareprof_is_packed(const struct bareprof_image *image) {
  return (int32_t)*image->version < 0;
}

/* Returns log2 of a counter's size in memory: 3 for 8 bytes, 2 for 4 bytes, 0
 * for a byte. */
static inline unsigned
bareprof_counter_memory_shift(const struct bareprof_image *image) {
  uint32_t packed = (uint32_t)*image->version >> 31;
  return bareprof_counter_shift(image) - packed;
}

/* Returns an address in a span, the bytes of a piece, as a number, for code
 * that writes to the span. The compiler cannot see where the address comes
 * from: a span's bytes are const, and a compiler that sees the whole program
 * (LTO) would drop writes to a const object. */
static inline uintptr_t bareprof_writable_address(const unsigned char *at) {
  uintptr_t address = (uintptr_t)at;
  BAREPROF_KEEP(address);
  return address;
}

/* Returns the number that bareprof_init stores in the lower half of the guard
 * word, to show that it has run. The number depends on the build, so that a
 * guard word which another firmware has left in RAM is not accepted. */
static inline uint32_t
bareprof_expected_guard_half(const struct bareprof_image *image) {
  return ~(uint32_t)(uintptr_t)image->counters.end;
}

static inline bool bareprof_is_big_endian(const struct bareprof_image *image) {
#ifdef BAREPROF_FOREIGN
  return image->big_endian;
#else
  (void)image;
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
#endif
}

/* counters.c: sets counters and bitmaps, and value data if the program has it,
 * to their initial value. boot is true at boot, and false when the program
 * resets counters. */
void bareprof_counters_init(const struct bareprof_image *image, bool boot);

/* In a program with -u bareprof_boot_number or with retain.c, the boot word
 * follows the guard word. The lower half of the boot word is the number of
 * boots, the upper half a hash of the build. */

/* The upper half of the guard word has three fields. Bits 0 to 15 are the boot
 * number, or 0 if the number is not known. Bit 16 is set if retain.c has kept
 * the counts over the reset. Bits 24 to 31 are the ordinal of the last dump,
 * name or answer that was sent. The ordinal is at the top, so that its carry is
 * lost when it wraps. */
#define BAREPROF_KEPT (UINT32_C(1) << 16)
#define BAREPROF_ORDINAL_AT 24
#define BAREPROF_ORDINAL_ONE (UINT32_C(1) << BAREPROF_ORDINAL_AT)

/* Returns the address of the guard's upper half, or NULL without a guard. */
static inline volatile bareprof_any32 *
bareprof_guard_upper_half(const struct bareprof_image *image) {
  enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
  return image->guard ? (volatile bareprof_any32 *)image->guard + HIGH : NULL;
}

/* Returns whether the image's byte order differs from this machine's. */
static inline bool
bareprof_has_other_order(const struct bareprof_image *image) {
  return bareprof_is_big_endian(image) !=
         (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

#ifdef BAREPROF_FOREIGN
typedef uint64_t bareprof_word;
#define BAREPROF_POINTER_SIZE(image) ((image)->pointer_size)
/* Bytes in a buffer of the host may begin at any address. */
#define BAREPROF_ALIGNED(at, bytes) (at)
#else
typedef uintptr_t bareprof_word;
#define BAREPROF_POINTER_SIZE(image) ((void)(image), sizeof(void *))
/* On a core without unaligned accesses, memcpy may become byte loads. */
#define BAREPROF_ALIGNED(at, bytes) __builtin_assume_aligned(at, bytes)
#endif

static inline unsigned
bareprof_pointer_size(const struct bareprof_image *image) {
  return BAREPROF_POINTER_SIZE(image);
}

/* Returns the link address of the byte that `at` points to. */
static inline bareprof_word
bareprof_address_of(const struct bareprof_span *span, const unsigned char *at) {
#ifdef BAREPROF_FOREIGN
  return span->address + (uint64_t)(at - span->begin);
#else
  (void)span;
  return (uintptr_t)at;
#endif
}

static inline bareprof_word
bareprof_begin_address(const struct bareprof_span *span) {
  return bareprof_address_of(span, span->begin);
}

static inline bareprof_word
bareprof_end_address(const struct bareprof_span *span) {
  return bareprof_address_of(span, span->end);
}

/* Returns how far counters and bitmap are from their link addresses. */
static inline bareprof_word
bareprof_moved_distance(const struct bareprof_image *image) {
#ifdef BAREPROF_FOREIGN
  (void)image;
  return 0;
#else
  return image->moved;
#endif
}

static inline uint32_t
bareprof_to_image_order32(const struct bareprof_image *image, uint32_t value) {
  return bareprof_has_other_order(image) ? __builtin_bswap32(value) : value;
}

static inline uint64_t
bareprof_to_image_order64(const struct bareprof_image *image, uint64_t value) {
  return bareprof_has_other_order(image) ? __builtin_bswap64(value) : value;
}

static inline uint16_t bareprof_load16(const struct bareprof_image *image,
                                       const unsigned char *at) {
  uint16_t value;
  __builtin_memcpy(&value, BAREPROF_ALIGNED(at, 2), sizeof value);
  return bareprof_has_other_order(image) ? __builtin_bswap16(value) : value;
}

static inline uint32_t bareprof_load32(const struct bareprof_image *image,
                                       const unsigned char *at) {
#ifdef BAREPROF_FOREIGN
  uint32_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return bareprof_to_image_order32(image, value);
#else
  /* If the compiler does not know that `at` is aligned, memcpy is slower. */
  (void)image;
  return *(const bareprof_any32 *)(uintptr_t)at;
#endif
}

static inline bareprof_word
bareprof_load_pointer(const struct bareprof_image *image,
                      const unsigned char *at) {
  uint64_t value;
  if (bareprof_pointer_size(image) == 4)
    return bareprof_load32(image, at);
  __builtin_memcpy(&value, BAREPROF_ALIGNED(at, 8), sizeof value);
  return (bareprof_word)bareprof_to_image_order64(image, value);
}

/* Truncates the difference of two addresses to the width of a pointer. */
static inline bareprof_word
bareprof_truncate_address(const struct bareprof_image *image,
                          bareprof_word difference) {
  return bareprof_pointer_size(image) == 4 ? (uint32_t)difference : difference;
}

/* Returns the size of the build id in a note, or 0 if the note is missing or
 * its sizes do not fit. A note has u32 name size, u32 id size, u32 type, "GNU",
 * a zero byte and the id; the numbers have the image's byte order. */
static inline uint32_t bareprof_note_id_size(const struct bareprof_image *image,
                                             const struct bareprof_span *note) {
  size_t size = bareprof_span_size(note);
  uint32_t id_size = size > 16 ? bareprof_load32(image, note->begin + 4) : 0;
  return id_size <= size - 16 ? id_size : 0;
}

static inline uint32_t
bareprof_build_id_size(const struct bareprof_image *image) {
  return bareprof_note_id_size(image, &image->build_id);
}

/* ---- the hash of a build id, for files of samples and Machine IR Profile ----
 *
 * The chance that two builds have the same hash is 1 in 2^32. */

/* Adds a byte to an FNV-1a hash. The hash starts at 0, and 0 means that the
 * build id is not known. */
static inline uint32_t bareprof_build_hash_step(uint32_t hash,
                                                unsigned char byte) {
  return (hash ^ byte) * UINT32_C(0x01000193);
}

/* Returns the hash of an id and of the zeros that follow it in its note, up to
 * a multiple of 4. */
static inline uint32_t bareprof_build_hash(const unsigned char *id,
                                           size_t size) {
  uint32_t hash = 0;
  for (size_t i = 0; i < size || i % 4; i++)
    hash = bareprof_build_hash_step(hash, i < size ? id[i] : 0);
  return hash;
}

/* image_build_id.c: returns the hash of the running image's id, or 0. */
uint32_t bareprof_build_id_hash(void);

#endif
