/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: counters in another RAM than the one they were linked to. External
 * RAM that works only once its controller is set up; a part of a bank that the
 * program finds out at start; backup RAM that a boot loader hands over.
 * Where the address is known at link time, use REGION_ALIAS instead: it costs
 * nothing.
 *
 * Name bareprof-relocate.o on the link line: it lies beside the archive. (With
 * the files of runtime/ among your own sources, take
 * runtime/beside/relocate.c, and not runtime/image_sections.c.)
 *
 * Compile every instrumented object with -mllvm -runtime-counter-relocation
 * (clang 13 to 22), and, before the first instrumented function runs,
 *
 *     if (bareprof_relocate((void *)0x60000000, 0x4000))
 *       bareprof_init();
 *
 * Counters and bitmaps then live there. bareprof_write, _send, _status,
 * _size, _reset and _merge work on them, and the profile is the very same:
 * addresses in it are the linker's. The place that bareprof.ld reserves is not
 * touched. BAREPROF_RAM may be a region of the linker script alone, of
 * addresses at which there is no memory.
 *
 * What it costs: a load and an addition for each instrumented function, 8
 * bytes of RAM of the compiler's (16 with MC/DC), and of ours as many as
 * struct bareprof_image has, initialised.
 *
 * What you see to:
 * - When. After .data and .bss are set up, because the compiler's variable is
 *   in .bss; before constructors; with no interrupt that runs instrumented
 *   code. A function reads the variable once, when it is entered, so the
 *   caller of bareprof_relocate, and its callers, must not be instrumented:
 *   they would go on counting at the old place. An entry in .preinit_array
 *   fits, or the start-up code itself.
 * - Not with -u bareprof_preinit: that initialises, before or after.
 * - All objects. One that was compiled without the option counts where it was
 *   linked to: its counts are missing in the profile, and nothing at run time
 *   can tell. Compile all with one set of flags.
 * - Once. Functions that are running keep the old place.
 * - Reading memory from outside. `bareprof join --memory` goes by the ELF:
 *   give it the bytes of counters and bitmaps alone, without the 8 behind
 *   them, at the address of __start___llvm_prf_cnts.
 *
 * With bareprof_retain.h counts in the new place survive a reset, if they are
 * moved to the same place again.
 */
#ifndef BAREPROF_RELOCATE_H
#define BAREPROF_RELOCATE_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Moves counters, bitmaps and guard word to ram, and gives them their initial
 * value there, as bareprof_init does: whole, aligned 64-bit words are written,
 * and nothing is read (but for bareprof_retain.h). ram: aligned to 8, of at
 * least bareprof_relocate_size() bytes, yours to leave alone from then on.
 * Needs a stack, .data and .bss.
 *
 * 0 if done. BAREPROF_E_NOT_MOVABLE: no object was compiled for it, or there
 * are bitmaps and it was a clang before 20. BAREPROF_E_NO_ROOM: ram is NULL,
 * not aligned, or too small. Then nothing has moved or been written, and
 * bareprof_init() initialises the counters where the linker put them. */
int bareprof_relocate(void *ram, size_t size);

/* The bytes that bareprof_relocate needs: what the linker script places from
 * __start___llvm_prf_cnts to the end of the bitmaps, rounded up to 8, and 8.
 * It reads nothing but addresses. */
size_t bareprof_relocate_size(void);

#ifdef __cplusplus
}
#endif
#endif
