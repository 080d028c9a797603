/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares weak references to the optional files of the runtime. An option is
 * one or more object files of the archive. Code that is always linked refers
 * weakly to a symbol of the option, and tests before each use that the address
 * is not 0. A weak reference alone does not link an object file, and no symbol
 * has two definitions in the archive. So only the program decides which files
 * are linked, with any linker and in any order. Two rules are needed:
 *
 * - Nothing in the runtime is weak, except the references of this file, and the
 *   names at the end of this file, which compilers and linkers own. tests/free
 *   compares the archive with this file.
 * - A strong reference links the option: a call, -u on the link line, a hook
 *   that instrumented code calls, or a macro of the public headers. If an
 *   option has several files, the file with that symbol links the other files
 *   with BAREPROF_LINKS.
 *
 * In C a weak reference has a name of its own, hook_..., for the same symbol.
 * So a file that defines the symbol may include this header, and the definition
 * stays strong.
 *
 * Each comment below says which file defines the symbol and what links that
 * file, then which files use the symbol and what they do without it.
 */
#ifndef BAREPROF_RUNTIME_WEAK_HOOKS_H
#define BAREPROF_RUNTIME_WEAK_HOOKS_H

#ifdef __ASSEMBLER__

/* The same weak reference as in C below, for arch/sampler.S. */
.weak bareprof_sampler

#else

#include <stdbool.h>

#include "bareprof_mip.h"
#include "bareprof_sampler.h"
#include "bareprof_values.h"

#define BAREPROF_WEAK(name, declaration) \
  extern __attribute__((weak)) declaration __asm__(#name)

/* Links the object file that defines name. The undefined symbol adds no byte,
 * and --gc-sections removes the functions of that file that are not called. */
#if defined __clang__ || !defined __GNUC__ || __STDC_HOSTED__
#define BAREPROF_LINKS(name) __asm__(".global " #name)
#define BAREPROF_LINKS_DATA(name) BAREPROF_LINKS(name)
#else
/* gcc's LTO ignores symbols in assembly, so an address in a constant refers to
 * name. --gc-sections removes the constant. */
#define BAREPROF_LINK(type, name)                                \
  extern type __asm__(#name);                                    \
  static const uintptr_t bareprof_links_##name                   \
      __attribute__((used, section(".rodata.bareprof_links"))) = \
          (uintptr_t)&bareprof_link_##name
#define BAREPROF_LINKS(name) \
  BAREPROF_LINK(void bareprof_link_##name(void), name)
#define BAREPROF_LINKS_DATA(name) \
  BAREPROF_LINK(const uint64_t bareprof_link_##name, name)
#endif

struct bareprof_profile;
struct bareprof_writer;
struct bareprof_slide;
struct bareprof_stream;

/* retain/retain.c defines both functions. The option -u bareprof_retained, or a
 * call of a function in that file, links the file. counters.c calls both
 * functions; without them, bareprof_init does not keep counts over a reset. */
BAREPROF_WEAK(bareprof_retain_boot,
              uint32_t hook_retain_boot(const struct bareprof_image *image));
BAREPROF_WEAK(bareprof_retain_reset,
              void hook_retain_reset(const struct bareprof_image *image));

/* retain/note.c defines the note, and is linked if the program calls its
 * functions. If the note exists, overrides/relocate.c reserves room for the
 * note in the new RAM. */
struct reboot_note;
BAREPROF_WEAK(bareprof_note, struct reboot_note hook_note);

/* boot_number.c defines the function; the option -u bareprof_boot_number links
 * the file. counters.c calls the function; without it, a boot lacks a number
 * until a host's request gives one. */
BAREPROF_WEAK(bareprof_boot_number, uint32_t hook_boot_number(void));

/* fold/fold.c defines both functions, and is linked if the program calls
 * bareprof_fold. profraw_write.c converts counters to counts with the first
 * function, profraw_merge.c adds counts to counters with the second. Without
 * the functions, counters are plain 64-bit numbers. */
BAREPROF_WEAK(bareprof_unfold_counts,
              void hook_unfold_counts(uint64_t *counts, size_t count));
BAREPROF_WEAK(bareprof_fold_add,
              void hook_fold_add(const struct bareprof_profile *profile,
                                 unsigned char *to, const unsigned char *from,
                                 size_t size));
/* The address of this symbol is the flag BAREPROF_WIRE_FOLDED, or 0 if fold.c
 * is not linked. wire_dump.c sends the flag in each dump. */
BAREPROF_WEAK(bareprof_fold_width, const uint8_t hook_fold_width);

/* `bareprof cc` defines this symbol in objects that count with 32 bits. The
 * symbol's address is the flag BAREPROF_WIRE_NARROW, or 0 without such objects.
 * wire_dump.c sends the flag in each dump, so that the host knows that counters
 * may wrap. */
BAREPROF_WEAK(bareprof_counters_32, const uint8_t hook_counters_32);

/* values.c and values_*.c define the next symbols. If instrumented code
 * profiles values, it calls a hook in values.c; the call links values.c, and
 * values.c links the other files. */

/* counters.c calls this to clear the slots of values. */
BAREPROF_WEAK(bareprof_values_clear,
              void hook_values_clear(const struct bareprof_values *values,
                                     bool boot));
/* retain.c calls this to make slots usable that survived a reset. */
BAREPROF_WEAK(bareprof_values_wake,
              void hook_values_wake(const struct bareprof_values *values));
/* profraw_write.c calls this. Without this symbol, image_layout.c reports an
 * error for an image that has value sites. */
BAREPROF_WEAK(bareprof_values_write,
              void hook_values_write(struct bareprof_writer *writer));
/* profraw_merge.c calls this. Without this symbol, the value data of a profile
 * is not added. */
BAREPROF_WEAK(bareprof_values_merge,
              int hook_values_merge(const struct bareprof_profile *profile,
                                    const unsigned char *data, size_t size,
                                    const struct bareprof_slide *moved));
/* wire_dump.c and wire_request.c call this to send a lean dump. Without this
 * symbol, a lean dump is always compact, that is, without a header frame. */
BAREPROF_WEAK(bareprof_dump_compact_or_mixed,
              void hook_dump_compact_or_mixed(struct bareprof_stream *stream,
                                              uint32_t tag));
/* wire_dump.c calls this to end a header frame. Without this symbol, the header
 * does not mention slots of values, and no slots are sent. */
BAREPROF_WEAK(bareprof_header_end_with_slots,
              struct bareprof_stream *hook_header_end_with_slots(
                  struct bareprof_stream *stream));

/* The macro BAREPROF_VALUES in the program defines this symbol.
 * image_sections.c, values.c and values_merge.c use the symbol; without it, the
 * hooks of value profiling do not keep values. */
BAREPROF_WEAK(bareprof_values, const struct bareprof_values hook_values);

/* abi_timestamp.c defines this variable, and is linked if instrumented code
 * calls its hook for temporal profiling. The variable is the last timestamp
 * that a function got. profraw_merge.c raises the variable to the highest
 * timestamp of the profile; without the variable, functions lack timestamps. */
BAREPROF_WEAK(bareprof_timestamp, uint32_t hook_timestamp);

/* A macro BAREPROF_SAMPLER_... in the program defines this symbol. The files
 * sampler*.c use the symbol; without it, no sample is kept or sent. */
BAREPROF_WEAK(bareprof_sampler, const struct bareprof_sampler hook_sampler);

/* mip_sections.c stores the addresses of four symbols of Machine IR Profile, or
 * NULL for a symbol that is not linked. hook_mip_time is in mip_time.c; helpers
 * that count calls link that file. hook_mip_edges is the program's
 * BAREPROF_MIP_EDGES or BAREPROF_MIP_SAMPLED, hook_mip_room_used its
 * BAREPROF_MIP_ROOM. hook_mip_built is in objects to which `bareprof mip
 * instrument` adds header fields. */
BAREPROF_WEAK(bareprof_mip_time, uint32_t hook_mip_time);
BAREPROF_WEAK(bareprof_mip_edges,
              const struct bareprof_mip_edges hook_mip_edges);
BAREPROF_WEAK(bareprof_mip_room_used,
              const struct bareprof_mip_room hook_mip_room_used);
BAREPROF_WEAK(bareprof_mip_built,
              const struct bareprof_mip_unit hook_mip_built);

/* The other weak symbols of the runtime have names that compilers and linkers
 * own. The names are the bounds of sections, __start_..., __stop_...,
 * __bareprof_... (image_sections.h, bareprof_private.h);
 * __llvm_profile_raw_version (abi_version.c), __llvm_profile_filename
 * (arch/dump.c), __llvm_profile_counter_bias, __llvm_profile_bitmap_bias
 * (overrides/relocate.c), __aeabi_unwind_cpp_pr0 (abi_unwind.c),
 * __emutls_get_address and __emutls_v.__llvm_profile_sampling (abi_emutls.c),
 * and libatomic's functions (atomic/atomic.c). */

#endif
#endif
