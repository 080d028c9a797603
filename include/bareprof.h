/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: LLVM profiles from bare metal. This header is the manual of the
 * runtime core: counters in, raw profile (.profraw) out.
 *
 * The whole integration, in a program compiled with
 * -fprofile-instr-generate -fcoverage-mapping:
 *
 *     bareprof_init();              first thing, before instrumented code
 *     ...
 *     bareprof_write(&sink);        whenever you want a profile
 *
 * and in the linker script, inside SECTIONS, after .bss and before `end`:
 *
 *     INCLUDE bareprof.ld
 *
 * What every function here has in common:
 * - No heap, no stdio, no writable static data. Stack on a 32-bit target, as
 *   `make lib` compiles it: at most 360 bytes, for bareprof_merge 488, plus
 *   what your sink needs.
 * - It may be called with interrupts off, before constructors have run, in a
 *   fault handler, from any stack. Nothing here waits, and nothing recurses.
 * - It is not instrumented, and it takes no lock. Two calls at one time
 *   (two cores, a task and an interrupt) are fine as long as both only read:
 *   write, size and status. Keep init, reset and merge to yourself. Where
 *   values are profiled, see BAREPROF_E_BUSY.
 * - 0 is success, a negative value is one of enum bareprof_error, and a
 *   positive value is your sink's own, handed back unchanged.
 *
 * Clang and GCC compile it, as C11 or later; programs that use it may be C++.
 * Images are ELF: the linker's symbols and sections are those of ld and lld.
 */
#ifndef BAREPROF_H
#define BAREPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface, 0xMMmmpp: major, minor and patch, a byte each.
 * The raw profile formats that it writes are the versions 7 to
 * BAREPROF_RAW_VERSION_LAST. */
#define BAREPROF_VERSION 0x000200
#define BAREPROF_RAW_VERSION_FIRST 7
#define BAREPROF_RAW_VERSION_LAST 11

/* A sink takes the bytes of a profile. The contract:
 *
 * 1. write is called in order, and gets every byte exactly once. There is no
 *    seeking and no second pass.
 * 2. bytes is never NULL, size is never 0. How the profile is cut into calls
 *    is not promised: write what you get.
 * 3. bytes is valid during the call only, and yours to read only. It may
 *    point into the live counters, into ROM or into the stack.
 * 4. Return 0 to go on. Return a positive number to stop: it comes back from
 *    bareprof_write unchanged, and write is not called again. A negative one
 *    stops too, but cannot be told from our errors.
 * 5. write runs in the context of the caller: with interrupts off if the
 *    caller has them off. It may take as long as it likes. Kick a watchdog
 *    here.
 * 6. write may be instrumented code itself. Its counts then go on while the
 *    profile leaves, as those of any other running code do.
 *
 * context is handed to write as it is; bareprof never looks at it. The sink
 * is read during a call only; keep it where you like, also in ROM. */
struct bareprof_sink {
  int (*write)(void *context, const void *bytes, size_t size);
  void *context;
};

/* Everything that can be wrong. A profile is written whole and right, or it
 * is refused with one of these before the first byte has gone out. */
enum bareprof_error {
  /* The version word names a raw version that is not 7 to 11. Compile the
   * runtime with the compiler of the firmware, or define
   * BAREPROF_RAW_VERSION. */
  BAREPROF_E_VERSION = -1,
  /* The linker script does not bound the profile sections and no object has
   * any: INCLUDE bareprof.ld is missing, or /DISCARD/ took the sections. */
  BAREPROF_E_NO_BOUNDS = -2,
  /* The sections are bounded and empty: no instrumented function is in the
   * image. The compile flag is missing, or --gc-sections removed them all. */
  BAREPROF_E_EMPTY = -3,
  /* Records without counters: __llvm_prf_cnts was discarded or renamed. */
  BAREPROF_E_NO_COUNTERS = -4,
  /* Counters without records: a lean linker script, or objects compiled with
   * -profile-correlate. Only a lean dump can be made; the ELF has the rest. */
  BAREPROF_E_NO_RECORDS = -5,
  /* Records without names: __llvm_prf_names was discarded or renamed. */
  BAREPROF_E_NO_NAMES = -6,
  /* The bounds of records or counters are not multiples of 8 bytes: a script
   * other than bareprof.ld placed them behind something odd. */
  BAREPROF_E_ALIGN = -7,
  /* The guard word is not set: bareprof_init() has not run, or something has
   * overwritten the end of the profile's RAM. The counters hold anything. */
  BAREPROF_E_NOT_INIT = -8,
  /* The records are not all of the version in force, or there are pieces
   * that it has no place for: objects of two compilers, or of another one
   * than the runtime's. */
  BAREPROF_E_MIXED = -9,
  /* A record points outside the counters or the bitmap, or into those of
   * another function, or some are nobody's: a damaged image. Two compilers may
   * end here too, where value sites disguise their records; and two weak
   * definitions of one function that differ, as their records point to the
   * counters of one: link with lld's --gc-sections, or leave one of them
   * without instrumentation. Definitions that are alike are all right. */
  BAREPROF_E_RECORD = -10,
  /* Records with value sites, and nothing in the image to serialise or to
   * store values. From bareprof_write: link values.c (-u
   * bareprof_values_write). From bareprof_status alone: the profile can be
   * written, its value data will be empty, because there is no
   * BAREPROF_VALUES line (bareprof_values.h). */
  BAREPROF_E_VALUES = -11,
  /* merge: the buffer does not begin with a raw profile of this target's
   * pointer width and byte order. */
  BAREPROF_E_NOT_PROFILE = -12,
  /* merge: the buffer ends before its own counters and bitmaps do. */
  BAREPROF_E_TRUNCATED = -13,
  /* merge: the profile is of another build: its build id, records or names
   * differ from what this image would write. */
  BAREPROF_E_OTHER_BUILD = -14,
  /* Values are profiled (bareprof_values.h), and another dump, which this one
   * has interrupted or which runs on another core, is just ending: letting go
   * of the slots takes it some 20 instructions a slot. Dumps may overlap
   * otherwise. Call again; an interrupt must return before. size is 0 then. */
  BAREPROF_E_BUSY = -15,
  /* merge: the profile's header differs: it is of another raw version or
   * mode, or announces other sizes, so that merging it would run past the end
   * of this image's counters. */
  BAREPROF_E_OTHER_LAYOUT = -16,
  /* A lean dump of an image without a build id of at least 5 bytes: nothing
   * would say which ELF has its records. Link with --build-id; the linker
   * script must not take .note.gnu.build-id before bareprof.ld does. */
  BAREPROF_E_NO_BUILD_ID = -17,
  /* relocate: no object can move its counters, or its bitmaps: compile with
   * -mllvm -runtime-counter-relocation; bitmaps with clang 20 or later. */
  BAREPROF_E_NOT_MOVABLE = -18,
  /* relocate: the RAM is not aligned to 8, or too small. */
  BAREPROF_E_NO_ROOM = -19
};

/* The enumerator's name, such as "BAREPROF_E_NOT_INIT", for your log; "success"
 * for 0, "the sink's error" for positive values. The string is constant. Only
 * programs that call this have the names. */
const char *bareprof_error_name(int error);

/* A piece of an image: the bytes from begin up to, not including, end.
 * Begin == end is an empty piece; both NULL is one that the linker script
 * does not bound. The owner is the image; bareprof_reset and
 * bareprof_merge write to counters and bitmap, nobody to anything else.
 *
 * BAREPROF_FOREIGN is for host tools that write the profile of another
 * machine: pieces then lie in a buffer, and address is where the linker put
 * them. On a target the two are the same thing, and no field. */
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

/* All that a raw profile is made of. bareprof_running describes the running
 * image by its linker symbols; a boot loader may fill one for the application
 * it has just run, a test may fill one from arrays. The struct and what it
 * points to must stay unchanged during a call. */
struct bareprof_image {
  /* The raw version in bits 0 to 31, the variant bits (mode of
   * instrumentation) in bits 32 to 63, as in __llvm_profile_raw_version.
   * Never NULL. */
  const uint64_t *version;
  /* A word that bareprof_init fills, to prove that the counters were
   * initialised. It also says that counters and bitmap begin at
   * multiples of 8 and own the bytes up to the next one, as bareprof.ld
   * places them: they are then reset in whole words. Aligned to 8, of which
   * 4 count: they depend on where the counters end, so RAM of a build that is
   * laid out alike passes. NULL: nothing is proven, the caller vouches for
   * the counters; reset keeps to the bounds. */
  uint64_t *guard;
  /* The pieces, each by its name or by its number. */
  __extension__ union {
    __extension__ struct {
      struct bareprof_span records;      /* __llvm_prf_data, aligned to 8     */
      struct bareprof_span counters;     /* __llvm_prf_cnts, aligned to 8, or
                                            to 1 where a counter is a byte    */
      struct bareprof_span bitmap;       /* __llvm_prf_bits, MC/DC            */
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
  uintptr_t moved; /* where counters and bitmap lie, less where the linker put
                      them: a multiple of 8, 0 but with bareprof_relocate.h */
#endif
};

/* The running image. Constant, in ROM; with bareprof_relocate.h in RAM. */
extern const struct bareprof_image bareprof_running;

/* Gives the counters and bitmaps their initial value: 0, or 0xFF where a
 * counter is a byte (single-byte, function-entry and block coverage), and
 * fills the guard word. Call it once after reset, before the first
 * instrumented function runs: counts made earlier are lost.
 * Linking with -u bareprof_preinit does it from .preinit_array, before C++
 * constructors, where the start-up code walks that array.
 *
 * It writes whole, aligned 64-bit words (as two 32-bit stores where the core
 * has no other) and reads nothing, so RAM with ECC may be uninitialised
 * before; the other functions read the guard word. Time: one store for 8
 * bytes.
 *
 * With bareprof_retain.h it reads the guard word first, and keeps what was
 * counted before a reset. Without, a second call forgets all counts as
 * bareprof_reset does, and the number that this start had. */
void bareprof_init(void);

/* Starts counting anew: as bareprof_init, at any time after it. Counts that
 * an interrupt makes meanwhile may survive or not, each for itself; an
 * increment that the call interrupts writes its old value back. Call it with
 * the code you measure at rest where the first counts matter. */
void bareprof_reset(void);

/* 0 if a full profile can be written, else the first reason why not. Checks
 * all that bareprof_write checks, the records one by one included, and
 * whether value sites have storage. Reads the image only. */
int bareprof_status(void);

/* Streams the raw profile of the running image to sink, in the version of
 * the image: what llvm-profdata of the compiler's release reads. sink and
 * sink->write must not be NULL.
 *
 * Returns 0, an error (then the sink was not called), or the sink's own
 * positive value (then the profile is incomplete).
 *
 * A dump of a running program: each 64-bit counter is read untorn, even
 * where interrupts on the same core go on counting on a 32-bit one. The
 * counters are not of one instant, and a dump from within an interrupt may
 * see an increment of the interrupted code half done, once in 2^32 counts,
 * unless it was compiled with -fprofile-update=atomic. */
int bareprof_write(const struct bareprof_sink *sink);

/* The size in bytes of what bareprof_write would send, or 0 if it would
 * refuse. It is the same writer with a sink that counts, so the two agree as
 * long as no value profile changes in between. */
size_t bareprof_size(void);

/* Adds a raw profile of this very build to the running counters: counters
 * add up, to 2^64-1 at most; byte counters and bitmaps unite what was
 * covered; of two timestamps of a function (temporal profiling) the earlier
 * one is kept, and functions called from now on are numbered behind all of
 * them; values are counted as if they had been seen here, so that they may
 * replace others or find no slot. profile: size bytes at any alignment, read
 * only, yours.
 *
 * Everything is checked before anything is changed: the header, the build
 * id, each record, the names, the value data, and that the buffer holds all
 * of these and the counts. Whatever follows in the buffer is not looked at.
 * Counts made while it runs may be lost: call it with the instrumented code
 * at rest, usually right after bareprof_init.
 *
 * Errors: those of bareprof_write, then E_NOT_PROFILE; then E_TRUNCATED,
 * E_OTHER_LAYOUT or E_OTHER_BUILD, whichever shows first from the beginning
 * of the profile on. */
int bareprof_merge(const void *profile, size_t size);

/* The same for another image than the running one. */
int bareprof_status_image(const struct bareprof_image *image);
int bareprof_write_image(const struct bareprof_image *image,
                         const struct bareprof_sink *sink);
void bareprof_reset_image(const struct bareprof_image *image);
int bareprof_merge_image(const struct bareprof_image *image,
                         const void *profile, size_t size);

/* A sink into memory: for a debugger that reads it, or a driver that sends
 * it later. Set next to the start and end behind the last byte of your
 * buffer; afterwards next is behind the last byte written. Returns
 * BAREPROF_MEMORY_FULL, and writes nothing of that piece, when it does not
 * fit: ask bareprof_size first.
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

/* Has the profile written when the program ends: by an entry in .fini_array,
 * which a C library such as picolibc or newlib walks in exit(), after the
 * functions given to atexit() and after destructors (the entry is in
 * .fini_array.0: scripts have KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*)))).
 * sink must live until then; NULL takes the request back. What comes of it is
 * lost: ask bareprof_status() before, and let the sink keep its error. Costs
 * one pointer of RAM, in programs that call it. */
void bareprof_write_at_exit(const struct bareprof_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
