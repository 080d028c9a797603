/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: counters in a RAM other than the one they were linked to. Examples:
 * external RAM that works only after its controller is set up; a part of a bank
 * that the program finds at start; backup RAM that a boot loader hands over. If
 * the address is known at link time, use REGION_ALIAS instead: it costs
 * nothing.
 *
 * Name bareprof-relocate.o on the link line: it lies beside the archive. (If
 * you compile the files of runtime/ with your own sources, take
 * runtime/beside/relocate.c instead of runtime/image_sections.c.)
 *
 * Compile every instrumented object with -mllvm -runtime-counter-relocation
 * (clang 13 to 22). Before the first instrumented function runs, call
 *
 *     if (bareprof_relocate((void *)0x60000000, 0x4000))
 *       bareprof_init();
 *
 * Counters and bitmaps then live there. bareprof_write, _send, _status, _size,
 * _reset and _merge work on them, and the profile is the same: its addresses
 * are the linker's. The place that bareprof.ld reserves is not touched.
 * BAREPROF_RAM may be a region of the linker script only, at addresses without
 * memory.
 *
 * Cost: a load and an addition for each instrumented function, 8 bytes of RAM
 * for the compiler's variable (16 with MC/DC), and the size of struct
 * bareprof_image as initialised RAM.
 *
 * Your part:
 * - When: after .data and .bss are set up, because the compiler's variable is
 *   in .bss; before constructors; while no interrupt runs instrumented code. A
 *   function reads the variable once, on entry. So do not instrument the caller
 *   of bareprof_relocate, or its callers: they would go on counting at the old
 *   place. An entry in .preinit_array fits, or the start-up code itself.
 * - Not with -u bareprof_preinit: it initialises on its own, before or after
 *   the move.
 * - All objects: an object compiled without the option counts at its linked
 *   place. Its counts are missing in the profile, and nothing at run time can
 *   detect that. Compile all objects with one set of flags.
 * - Once: running functions keep the old place.
 * - Reading memory from outside: `bareprof join --memory` uses the ELF's
 *   addresses. Give it the bytes of counters and bitmaps alone, without the 8
 *   bytes after them, at the address of __start___llvm_prf_cnts.
 *
 * With bareprof_retain.h counts in the new place survive a reset, if the next
 * boot moves them to the same place. With it, or with -u bareprof_boot_number,
 * the words behind the bitmaps are read: in RAM with ECC or parity that was
 * never written, write zeros there before, as two words of 64 bits.
 */
#ifndef BAREPROF_RELOCATE_H
#define BAREPROF_RELOCATE_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves counters, bitmaps and guard word to ram, and sets their initial value
 * there, as bareprof_init does. Writes whole, aligned 64-bit words, and reads
 * nothing, except with bareprof_retain.h (the guard) and with
 * -u bareprof_boot_number (the count, which moves, too). ram: aligned to 8, at
 * least bareprof_relocate_size() bytes, reserved from then on. Needs a stack,
 * .data and .bss.
 *
 * Returns 0 if done. BAREPROF_E_NOT_MOVABLE: no object was compiled for it, or
 * there are bitmaps from a clang before 20. BAREPROF_E_NO_ROOM: ram is NULL,
 * not aligned, or too small. After an error nothing was moved or written, and
 * bareprof_init() initialises the counters at their linked place. */
int bareprof_relocate(void *ram, size_t size);

/* The bytes that bareprof_relocate needs: from __start___llvm_prf_cnts to the
 * end of the bitmaps, rounded up to 8, plus 8; plus 16 with
 * -u bareprof_boot_number or bareprof_retain.h, and two pointers more with
 * bareprof_note_reboot. Uses addresses only, reads no memory. */
size_t bareprof_relocate_size(void);

#ifdef __cplusplus
}
#endif
#endif
