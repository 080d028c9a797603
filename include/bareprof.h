/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: LLVM profiles from bare metal. This header is the manual of the
 * runtime core: counters in, raw profile (.profraw) out.
 *
 * This is the whole integration, in a program compiled with
 * -fprofile-instr-generate -fcoverage-mapping:
 *
 *     bareprof_init();              first thing, before instrumented code
 *     ...
 *     bareprof_write(&sink);        whenever you want a profile
 *
 * And in the linker script, inside SECTIONS, after .bss and before `end`:
 *
 *     INCLUDE bareprof.ld
 *
 * All functions here:
 * - They use no heap, no stdio and no writable static data. Stack on a 32-bit
 *   target, as `make lib` compiles it: at most 360 bytes (bareprof_merge: 488),
 *   plus the stack of your sink.
 * - You may call them with interrupts off, before constructors have run, in a
 *   fault handler, on any stack. They never wait or recurse.
 * - They are not instrumented and take no lock. Calls that only read (write,
 *   size, status) may overlap, on two cores or in a task and an interrupt.
 *   Calls of init, reset and merge must not overlap with any other call. If
 *   values are profiled, see BAREPROF_E_BUSY.
 * - They return 0 for success, a negative enum bareprof_error, or your sink's
 *   own positive value unchanged. A negative one comes back as BAREPROF_E_SINK.
 *
 * Clang and GCC compile the runtime, as C11 or later. Programs that use it may
 * be C++. Images are ELF: the symbols and sections are those of GNU ld and lld.
 */
#ifndef BAREPROF_H
#define BAREPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface, 0xMMmmpp: one byte each for major, minor and
 * patch. The runtime writes the raw profile versions 7 to
 * BAREPROF_RAW_VERSION_LAST. */
#define BAREPROF_VERSION 0x000400
#define BAREPROF_RAW_VERSION_FIRST 7
#define BAREPROF_RAW_VERSION_LAST 11

/* A sink takes the bytes of a profile. The contract:
 *
 * 1. write gets every byte exactly once, in order. There is no seeking and no
 *    second pass.
 * 2. bytes is never NULL, and size is never 0. The size of each piece is not
 *    promised.
 * 3. bytes is valid during the call only. Do not write to it: it may point into
 *    the live counters, into ROM or into the stack.
 * 4. Return 0 to go on. Return a positive number to stop: bareprof_write
 *    returns the same number and does not call write again. A negative number,
 *    such as -EIO of a driver, stops too, and comes back as BAREPROF_E_SINK: it
 *    would look like another error. Keep it in your context.
 * 5. write runs in the context of the caller: if the caller has interrupts off,
 *    so has write. It may take any time. Kick a watchdog here.
 * 6. write may be instrumented code. Its counters then go on counting while the
 *    profile is sent, like those of any other running code.
 * 7. Leave write by returning only. If it ends by longjmp, by an exception, or
 *    with its task, the dump stays open: hooks of values (bareprof_values.h)
 *    record nothing until bareprof_init, and samples (bareprof_sampler.h) count
 *    as lost until bareprof_sampler_reset. Counters and later dumps are right.
 *
 * write gets context unchanged; bareprof never uses it. The sink is only read,
 * and only during a call; keep it anywhere, also in ROM. */
struct bareprof_sink {
  int (*write)(void *context, const void *bytes, size_t size);
  void *context;
};

/* All errors. You get a complete, verified profile, or one of these errors
 * before the first byte is sent; BAREPROF_E_SINK alone comes later.
 *
 * The check on the target takes one pass over the records. It proves that all
 * sections are there and aligned; that each record is of the image's raw
 * version; that its counters and its bitmap are inside their sections, and
 * begin at a counter; that the records have at least as many counters as the
 * section. It leaves to the host whether two functions share counters, which
 * takes a sort: `bareprof doctor`, report, join and merge look. */
enum bareprof_error {
  /* The version word names another raw version than the runtime's, or, to a
   * runtime for all versions, none of 7 to 11. Compile the runtime with the
   * compiler of the firmware (make lib LLVM=N), or define BAREPROF_RAW_VERSION,
   * or use the archive of make lib LLVM=any. */
  BAREPROF_E_VERSION = -1,
  /* The linker script does not bound the profile sections, and no object has
   * any: INCLUDE bareprof.ld is missing, or /DISCARD/ took the sections. */
  BAREPROF_E_NO_BOUNDS = -2,
  /* The sections are bounded but empty: the image has no instrumented function.
   * The compile flag is missing, or --gc-sections removed all of them. */
  BAREPROF_E_EMPTY = -3,
  /* Records without counters: __llvm_prf_cnts was discarded or renamed. */
  BAREPROF_E_NO_COUNTERS = -4,
  /* Counters without records: a lean linker script, or objects compiled with
   * -profile-correlate. Only a lean dump is possible; the ELF has the rest. */
  BAREPROF_E_NO_RECORDS = -5,
  /* Records without names: __llvm_prf_names was discarded or renamed. */
  BAREPROF_E_NO_NAMES = -6,
  /* The bounds of records or counters are not multiples of 8 bytes: a script
   * other than bareprof.ld placed them after unaligned data. */
  BAREPROF_E_ALIGN = -7,
  /* The guard word is not set: bareprof_init() has not run, or something has
   * overwritten the end of the profile's RAM. The counters are undefined. */
  BAREPROF_E_NOT_INIT = -8,
  /* Some records are not of the image's raw version, or the image has pieces
   * that this version does not know: objects of two compilers, or of a compiler
   * other than the runtime's. */
  BAREPROF_E_MIXED = -9,
  /* A record points outside the counters or the bitmap, or between two
   * counters, or some counters belong to no record: a damaged image, or clang
   * 21 without -mllvm -enable-global-merge=false. Objects of two compilers may
   * also end here, if value sites disguise their records. Two weak definitions
   * of one function that differ are for the host to see: both records point to
   * the counters of one. Link with lld's --gc-sections, or leave one of them
   * without instrumentation. Identical definitions are allowed. */
  BAREPROF_E_RECORD = -10,
  /* Records with value sites, without code to write values: link values.c (-u
   * bareprof_values_write). Without a BAREPROF_VALUES line (bareprof_values.h)
   * profiles are written, and have no values: `bareprof doctor` says so. merge:
   * the profile has values, and the image is not the running one. */
  BAREPROF_E_VALUES = -11,
  /* merge: the buffer does not begin with a raw profile of this target's
   * pointer width and byte order. */
  BAREPROF_E_NOT_PROFILE = -12,
  /* merge: the buffer ends before its own counters and bitmaps do. */
  BAREPROF_E_TRUNCATED = -13,
  /* merge: the profile is of another build. Its build id, records or names
   * differ from those of this image. */
  BAREPROF_E_OTHER_BUILD = -14,
  /* Values are profiled (bareprof_values.h), and another dump is just ending:
   * one that this call has interrupted, or one on another core. The end
   * releases the slots, at some 20 instructions a slot; otherwise dumps may
   * overlap. Call again; from an interrupt, return first. bareprof_size is then
   * 0. */
  BAREPROF_E_BUSY = -15,
  /* merge: the profile's header differs in raw version, mode or sizes. Merging
   * it would run past the end of this image's counters. */
  BAREPROF_E_OTHER_LAYOUT = -16,
  /* A lean dump of an image without a build id of at least 5 bytes: the host
   * could not tell which ELF has its records. Link with --build-id. The linker
   * script must not place .note.gnu.build-id before bareprof.ld does. */
  BAREPROF_E_NO_BUILD_ID = -17,
  /* relocate: no object can move its counters or bitmaps. Compile with -mllvm
   * -runtime-counter-relocation; bitmaps need clang 20 or later. */
  BAREPROF_E_NOT_MOVABLE = -18,
  /* relocate: the RAM is not aligned to 8, or too small. */
  BAREPROF_E_NO_ROOM = -19,
  /* Counters have 4 bytes (`bareprof cc --counters=32-packed`). A raw profile
   * has counters of 8, so only a lean dump is possible: bareprof_send with
   * BAREPROF_LEAN. The host makes 8 bytes of them. Nor can bareprof_merge add
   * to them. */
  BAREPROF_E_PACKED = -20,
  /* Your sink returned a negative number. What it got is incomplete. The number
   * is the sink's own: keep it in the context. */
  BAREPROF_E_SINK = -21
};

/* The enumerator's name, for example "BAREPROF_E_NOT_INIT", for your log;
 * "success" for 0, "the sink's error" for positive values. The string is
 * constant. The names are linked only into programs that call this function. */
const char *bareprof_error_name(int error);

/* A piece of an image: the bytes from begin up to, not including, end. If begin
 * == end, the piece is empty. If both are NULL, the linker script does not
 * bound the piece. The image owns the bytes. bareprof_reset and bareprof_merge
 * write to counters and bitmap; nothing writes to the other pieces.
 *
 * BAREPROF_FOREIGN is for host tools that write the profile of another machine:
 * there a piece lies in a buffer, and address is its address in the image. On a
 * target both are the same, and the field does not exist. */
struct bareprof_span {
  const unsigned char *begin;
  const unsigned char *end;
#ifdef BAREPROF_FOREIGN
  uint64_t address;
#endif
};

/* The pieces of an image, in the order in which a profile has them. */
enum bareprof_piece {
  BAREPROF_PIECE_RECORDS,
  BAREPROF_PIECE_COUNTERS,
  BAREPROF_PIECE_BITMAP,
  BAREPROF_PIECE_NAMES,
  BAREPROF_PIECE_VTABLES,
  BAREPROF_PIECE_VTABLE_NAMES,
  BAREPROF_SPANS
};

struct bareprof_values;

/* All parts of a raw profile. bareprof_running describes the running image by
 * its linker symbols. A boot loader may fill a struct for the application that
 * it has just run, and a test may fill one from arrays. The struct and the
 * bytes it points to must stay unchanged during a call. */
struct bareprof_image {
  /* The raw version in bits 0 to 31, the variant bits (mode of
   * instrumentation) in bits 32 to 63, as in __llvm_profile_raw_version. Bit
   * 31 is bareprof's own: counters have 4 bytes. Never NULL. */
  const uint64_t *version;
  /* bareprof_init fills this word, as proof that the counters were initialised.
   * NULL: nothing is proven, the caller vouches for the counters. Aligned to 8;
   * 4 of the 8 bytes count. Their value depends on the address where the
   * counters end, so RAM of a build with the same layout passes. A guard also
   * says that counters and bitmap begin at multiples of 8 and own the bytes up
   * to the next multiple, as bareprof.ld places them. Reset then writes whole
   * words; without a guard it keeps to the bounds. */
  uint64_t *guard;
  /* The pieces, each by its name or by its number. */
  __extension__ union {
    __extension__ struct {
      struct bareprof_span records;      /* __llvm_prf_data, aligned to 8     */
      struct bareprof_span counters;     /* __llvm_prf_cnts, aligned to 8, or
                                            to 1 where a counter is a byte;
                                            __llvm_prf_cnt4, aligned to 4     */
      struct bareprof_span bitmap;       /* __llvm_prf_bits, MC/DC. Bits of
                                            cc --mcdc=bytes are elsewhere: the
                                            last counters of a function       */
      struct bareprof_span names;        /* __llvm_prf_names                  */
      struct bareprof_span vtables;      /* __llvm_prf_vtab, raw version 10   */
      struct bareprof_span vtable_names; /* __llvm_prf_vns, raw version 10    */
    };
    struct bareprof_span pieces[BAREPROF_SPANS];
  };
  struct bareprof_span build_id;        /* .note.gnu.build-id, aligned to 4;
                                           may be empty                      */
  const struct bareprof_values *values; /* of bareprof_values.h; or NULL   */
#ifdef BAREPROF_FOREIGN
  uint8_t pointer_size; /* bytes of a pointer in the image: 4 or 8         */
  uint8_t big_endian;   /* byte order of the image: 0 little, 1 big        */
#else
  uintptr_t moved; /* address of counters and bitmap, minus the linked one: a
                      multiple of 8, 0 without bareprof_relocate.h         */
#endif
};

/* The running image. Constant, in ROM; with bareprof_relocate.h in RAM. */
extern const struct bareprof_image bareprof_running;

/* Sets counters and bitmaps to their initial value: 0, or 0xFF if a counter is
 * a byte (single-byte, function-entry and block coverage). Fills the guard
 * word. Call it once after reset, before the first instrumented function runs:
 * earlier counts are lost. With -u bareprof_preinit on the link line, an entry
 * in .preinit_array makes the call before C++ constructors, if the start-up
 * code walks that array.
 *
 * It writes whole, aligned 64-bit words (as two 32-bit stores if the core has
 * no 64-bit store) and reads nothing. So RAM with ECC may be uninitialised
 * before. The other functions read the guard word. Time: one store for 8 bytes.
 *
 * With bareprof_retain.h it reads the guard word first, and keeps the counts
 * from before a reset. Without, a second call clears all counts, as
 * bareprof_reset does, and also clears the number of this boot. */
void bareprof_init(void);

/* Sets all counts back, as bareprof_init does, at any time after it. If an
 * interrupt counts during the call, each of its counts may survive or not. An
 * increment that the call interrupts writes its old value back. If the first
 * counts matter, call it while the measured code is at rest. */
void bareprof_reset(void);

/* Returns 0 if a full profile can be written, otherwise the error that
 * bareprof_write would return. Checks everything that bareprof_write checks,
 * including each record. Only reads the image. */
int bareprof_status(void);

/* Streams the raw profile of the running image to sink, in the raw version of
 * the image: the version that llvm-profdata of the compiler's release reads.
 * sink and sink->write must not be NULL.
 *
 * Returns 0, an error (then the sink was not called), or the sink's own
 * positive value or BAREPROF_E_SINK (then the profile is incomplete).
 *
 * A dump of a running program: each 64-bit counter is read untorn, even on a
 * 32-bit core where interrupts of that core go on counting. The counters are
 * not of one instant. A dump made in an interrupt may see a half-done increment
 * of the interrupted code, once in 2^32 counts; code compiled with
 * -fprofile-update=atomic is free of this. */
int bareprof_write(const struct bareprof_sink *sink);

/* The size in bytes of the profile that bareprof_write would send, or 0 if it
 * would return an error. The same writer runs with a sink that counts, so both
 * agree unless values change in between. */
size_t bareprof_size(void);

/* Adds a raw profile of the same build to the running counters:
 * - Counters are added, up to 2^64-1.
 * - Byte counters and bitmaps are united.
 * - Timestamps (temporal profiling): the earlier one of a function stays.
 *   Functions called from now on get later numbers than all of them.
 * - Values are counted as if they occurred here: they may replace others or
 *   find no slot.
 * profile: size bytes at any alignment, read only, yours.
 *
 * Everything is checked before anything changes: the header, the build id, each
 * record, the names, the value data, and that the buffer holds all of them and
 * the counts. Bytes after the profile are ignored. Counts made during the call
 * may be lost: call it while the instrumented code is at rest, usually right
 * after bareprof_init.
 *
 * Errors: those of bareprof_write; then E_NOT_PROFILE; then E_TRUNCATED,
 * E_OTHER_LAYOUT or E_OTHER_BUILD, the first that shows, in the order of the
 * profile's bytes. */
int bareprof_merge(const void *profile, size_t size);

/* The same functions for an image other than the running one. */
int bareprof_status_image(const struct bareprof_image *image);
int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink);
void bareprof_reset_image(const struct bareprof_image *image);
int bareprof_merge_image(const struct bareprof_image *image,
                         const void *profile, size_t size);

/* A sink into memory, for a debugger that reads it or a driver that sends it
 * later. Point next to the start of your buffer, and end just after its last
 * byte. Afterwards next is just after the last byte written. If a piece does
 * not fit, the sink writes none of it and returns BAREPROF_MEMORY_FULL: ask
 * bareprof_size first.
 *
 *     struct bareprof_memory m = {buffer, buffer + sizeof buffer};
 *     struct bareprof_sink sink = {bareprof_memory_write, &m};
 */
#define BAREPROF_MEMORY_FULL 1
struct bareprof_memory {
  unsigned char *next;
  unsigned char *end;
};
int bareprof_memory_write(void *memory, const void *bytes, size_t size);

/* Writes the profile when the program ends, by an entry in .fini_array: exit()
 * of a C library such as picolibc or newlib walks that array, after the
 * functions of atexit() and after destructors. The entry is in .fini_array.0:
 * linker scripts have KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*))). sink must
 * live until then; NULL cancels the request. The result of the write is lost:
 * call bareprof_status() before, and let the sink store its error. RAM: one
 * pointer, only in programs that call this function. */
void bareprof_write_at_exit(const struct bareprof_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
