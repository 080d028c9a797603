/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: LLVM profiles from bare metal. This header is the manual of the
 * runtime core: counters in, raw profile (.profraw) out.
 *
 *     bareprof_init();              first thing, before measured code
 *     ...
 *     bareprof_write(&sink);        whenever you want a profile
 *
 * Compile the files to measure with -fprofile-instr-generate
 * -fcoverage-mapping. Link with libbareprof.a, --build-id and bareprof.ld:
 * docs/get-started/uart-setup.md shows a link. Comments may omit the prefix of
 * a name: E_BUSY is BAREPROF_E_BUSY.
 *
 * All functions here:
 * - They use no heap and no stdio. Writable static data: guard word, slots of
 *   values, timestamps, and the pointer of bareprof_write_at_exit. Stack on a
 *   32-bit target, as `make lib` compiles it: at most 360 bytes
 *   (bareprof_merge: 488), plus the stack of your sink.
 * - You may call them in interrupts, with interrupts off, in a fault handler,
 *   on any stack, before constructors have run, and before .data and .bss are
 *   set. With bareprof-relocate.o, and for bareprof_write_at_exit, .data and
 *   .bss must be set.
 * - They never wait, recurse or take a lock, with one exception. If values are
 *   profiled on a core without compare-and-swap (ARMv6-M, RISC-V without A),
 *   dumps, size and merge take the lock of bareprof_options.h for each slot. So
 *   a fault handler may wait forever for a spin lock of the interrupted code.
 * - They are compiled without counters. Calls that only read (write, size,
 *   status) may overlap, on two cores or in a task and an interrupt. Calls of
 *   init, reset and merge must not overlap with any other call. If values are
 *   profiled, see BAREPROF_E_BUSY.
 * - Those of type int return 0 for success, a negative enum bareprof_error, or
 *   a positive value of your sink, unchanged. For a sink's negative value they
 *   return BAREPROF_E_SINK.
 */
#ifndef BAREPROF_H
#define BAREPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BAREPROF_BEGIN_C extern "C" {
#define BAREPROF_END_C }
#else
#define BAREPROF_BEGIN_C
#define BAREPROF_END_C
#endif

BAREPROF_BEGIN_C

/* The version of this interface, 0xMMmmpp, with a byte each for major, minor
 * and patch; and the raw profile versions that the runtime writes. */
#define BAREPROF_VERSION 0x000400
#define BAREPROF_RAW_VERSION_FIRST 7
#define BAREPROF_RAW_VERSION_LAST 11

/* A sink takes the bytes of a profile. The contract:
 *
 * 1. write gets every byte exactly once, in order, in pieces of any size > 0.
 * 2. bytes is valid during the call only. Do not write to it: it may point into
 *    the live counters, into ROM or into the stack.
 * 3. Return 0 to go on. Return a positive number to stop: bareprof_write
 *    returns the same number and does not call write again. A negative number,
 *    such as -EIO of a driver, stops too, but bareprof_write then returns
 *    BAREPROF_E_SINK, because the number could equal one of the errors below.
 * 4. write runs in the context of the caller, and may take any time. Kick a
 *    watchdog here.
 * 5. write may be measured code, but then it counts while the profile is sent.
 *    For an exact profile, measure neither write nor its callees.
 * 6. Leave write by returning only. If it ends by longjmp, by an exception, or
 *    with its task, the dump stays open: hooks of values (bareprof_values.h)
 *    record nothing until bareprof_init, and samples (bareprof_sampler.h) count
 *    as lost until bareprof_sampler_reset. Counters and later dumps are right.
 *
 * write gets context unchanged, which may be NULL. Neither a sink that you pass
 * nor its write may be NULL. The sink is read during a call only; it may be in
 * ROM. */
struct bareprof_sink {
  int (*write)(void *context, const void *bytes, size_t size);
  void *context;
};

/* All errors. bareprof_write sends a complete, verified profile, or returns one
 * of these errors before the first byte; only BAREPROF_E_SINK comes later.
 * docs/reference/errors.md has causes and cures.
 *
 * The check proves that all sections are there and aligned; that each record is
 * of the image's raw version, and points to counters and a bitmap inside their
 * sections; and that the records together have at least as many counters as the
 * section (byte counters: up to 7 fewer a record). It takes about 60
 * instructions a record on a 32-bit core. Whether two functions share counters
 * is checked on the host: by `bareprof doctor`, report, join and merge. */
enum bareprof_error {
  BAREPROF_E_VERSION = -1,       /* the image has another raw version */
  BAREPROF_E_NO_BOUNDS = -2,     /* the linker script bounds no section */
  BAREPROF_E_EMPTY = -3,         /* no function is measured */
  BAREPROF_E_NO_COUNTERS = -4,   /* records without counters */
  BAREPROF_E_NO_RECORDS = -5,    /* counters without records: dump LEAN */
  BAREPROF_E_NO_NAMES = -6,      /* records without names */
  BAREPROF_E_ALIGN = -7,         /* a section is not aligned to 8 bytes */
  BAREPROF_E_NOT_INIT = -8,      /* bareprof_init has not run */
  BAREPROF_E_MIXED = -9,         /* objects of two compilers */
  BAREPROF_E_RECORD = -10,       /* records do not match the counters */
  BAREPROF_E_VALUES = -11,       /* value sites: -u bareprof_values_write */
  BAREPROF_E_NOT_PROFILE = -12,  /* merge: not a raw profile of this target */
  BAREPROF_E_TRUNCATED = -13,    /* merge: the profile is truncated */
  BAREPROF_E_OTHER_BUILD = -14,  /* merge: the profile is of another build */
  BAREPROF_E_BUSY = -15,         /* another dump of values is just ending */
  BAREPROF_E_OTHER_LAYOUT = -16, /* merge: the header differs */
  BAREPROF_E_NO_BUILD_ID = -17,  /* LEAN needs a build id */
  BAREPROF_E_NOT_MOVABLE = -18,  /* relocate: objects cannot move counters */
  BAREPROF_E_NO_ROOM = -19,      /* relocate: RAM not aligned, or too small */
  BAREPROF_E_PACKED = -20,       /* 4-byte counters: only LEAN dumps them */
  BAREPROF_E_SINK = -21          /* your sink returned a negative number */
};

/* Returns a constant string for your log: the enumerator's name, "success" for
 * 0, "the sink's error" for a positive number, or "unknown error". */
const char *bareprof_error_name(int error);

/* Sets bitmaps to 0, and counters to their initial value: 0, or 0xFF if a
 * counter is a byte (single-byte, function-entry and block coverage). Fills the
 * guard word, which proves that the call was made. Call it once after reset,
 * before the first measured function runs: it clears earlier counts. With
 * -u bareprof_preinit on the link line, an entry in .preinit_array makes the
 * call before C++ constructors, if the start-up code walks that array.
 *
 * It writes whole, aligned 64-bit words (as two 32-bit stores if the core has
 * no 64-bit store) and reads nothing. So RAM with ECC may be uninitialised
 * before the call; other functions read the guard word. Four exceptions:
 * - Without bareprof.ld it writes bytes, and no guard word.
 * - With BAREPROF_VALUES it also writes parts of words: the slots must not be
 *   in RAM with ECC that was never written.
 * - With -u bareprof_boot_number (bareprof_wire.h) it also reads one word.
 * - With -u bareprof_retained (bareprof_options.h) it first reads guard word,
 *   seal and counters, and keeps the counts from before a reset.
 *
 * Without -u bareprof_retained, a second call clears all counts, the number of
 * dumps, and the number of the boot; with -u bareprof_boot_number the number of
 * the boot goes up. */
void bareprof_init(void);

/* Sets all counts back, as bareprof_init does, at any time after it; numbers of
 * boot and dumps stay. If an interrupt counts during the call, each of its
 * counts may survive or not. If the call interrupts an increment, the increment
 * then writes the old count plus 1. If this matters, call it while the measured
 * code is at rest. Timestamps (temporal profiling) go on from the last one,
 * which is in .bss: clear .bss before measured code runs. */
void bareprof_reset(void);

/* Returns 0 if a full profile can be written, otherwise the error of
 * bareprof_write, except E_BUSY. Checks each record. Only reads the image. */
int bareprof_status(void);

/* Streams the raw profile of the running image to sink, in the byte order of
 * the target, and in the raw version that llvm-profdata of the compiler's
 * release reads. When the call returns, flush what your sink has buffered: the
 * sink does not see the end. After an error other than BAREPROF_E_SINK the sink
 * was not called.
 *
 * A dump of a running program: each 64-bit counter is read untorn, even on a
 * 32-bit core where interrupts of that core go on counting. The counters are
 * not of one instant. A dump made in an interrupt may see a half-done increment
 * of the interrupted code, once in 2^32 counts; code compiled with
 * -fprofile-update=atomic is free of this. On a 32-bit core, any dump may see a
 * half-done increment of another core. With byte counters and temporal
 * profiling, a dump may have a wrong timestamp of a function whose first call
 * is during the dump, or is interrupted by it. */
int bareprof_write(const struct bareprof_sink *sink);

/* Returns the size in bytes of the profile that bareprof_write would send, or 0
 * if bareprof_write would return an error: E_BUSY, or what bareprof_status
 * returns. Only newly recorded values change the size. */
size_t bareprof_size(void);

/* Adds a raw profile of the same build to the running counters:
 * - Counters are added, up to 2^64-1 (2^62-1 if the program has bareprof_fold).
 * - Byte counters and bitmaps are united.
 * - Timestamps (temporal profiling): the earlier one of a function stays.
 *   Functions called from now on get later numbers than all of them.
 * - Values are counted as if they occurred here: they may replace others or
 *   find no slot.
 * profile: size bytes at any alignment, not NULL, read during the call only.
 *
 * The whole profile is checked before anything changes. Bytes after it are
 * ignored. Counts made during the call may be lost: call it while the measured
 * code is at rest, usually right after bareprof_init. With timestamps, or
 * values in .bss, call it after .bss is cleared. If counts survive resets,
 * merge only if bareprof_retained() is 0: otherwise the profile may count
 * twice.
 *
 * Returns the errors of bareprof_status, then E_NOT_PROFILE, then the first of
 * E_TRUNCATED, E_OTHER_LAYOUT and E_OTHER_BUILD in the order of the profile's
 * bytes. */
int bareprof_merge(const void *profile, size_t size);

/* A sink into memory, for a debugger that reads it or a driver that sends it
 * later. Point next to the start of your buffer, and end just after its last
 * byte. Afterwards next is just after the last byte written. If a piece does
 * not fit, the sink writes none of it and returns BAREPROF_MEMORY_FULL.
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

/* Writes the profile in exit() of a C library such as picolibc or newlib, after
 * the functions of atexit() and after destructors, by an entry in
 * .fini_array.0: the linker script needs
 * KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*))). sink must live until exit. A
 * later call replaces the sink; NULL cancels the write. You do not get the
 * result of the write: call bareprof_status() before, and let the sink store
 * its error. */
void bareprof_write_at_exit(const struct bareprof_sink *sink);

BAREPROF_END_C

#include "bareprof_image.h"

#endif
