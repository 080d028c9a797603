/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How an option is linked in: a member that is always linked refers weakly to a
 * symbol of the option, and tests the address before each use. A weak reference
 * pulls nothing out of an archive, and no name has two definitions there. So
 * the set of members depends only on the program's needs, with any linker and
 * in any order. Two rules ensure that:
 *
 * - Nothing in the runtime is weak, except these references and the names at
 *   the end, which compilers and linkers own. tests/free checks this against
 *   this file.
 * - Something strong links the option: a call, -u, a hook that instrumented
 *   code calls, a macro of the public headers. Where an option has several
 *   members, the first names the others: BAREPROF_LINKS.
 *
 * In C a weak hook has its own name, hook_..., for the same symbol. So a file
 * that defines the symbol, and includes this, still defines it as strong.
 */
#ifndef BAREPROF_RUNTIME_WEAK_HOOKS_H
#define BAREPROF_RUNTIME_WEAK_HOOKS_H

#ifdef __ASSEMBLER__

/* One of the names below, for arch/sampler_arm_m.h. */
.weak bareprof_sampler

#else

#include <stdbool.h>

#include "bareprof_mip.h"
#include "bareprof_sampler.h"
#include "bareprof_values.h"

#define BAREPROF_WEAK(name, declaration) \
  extern __attribute__((weak)) declaration __asm__(#name)

/* Links the member that defines name, without adding a byte: an undefined
 * symbol that nothing refers to. --gc-sections removes functions that are not
 * called. */
#if defined __clang__ || !defined __GNUC__ || __STDC_HOSTED__
#define BAREPROF_LINKS(name) __asm__(".global " #name)
#define BAREPROF_LINKS_DATA(name) BAREPROF_LINKS(name)
#else
/* gcc's LTO does not look for symbols in assembly. --gc-sections removes these
 * addresses. */
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
struct bareprof_bias;
struct bareprof_stream;

/* retain/retain.c, through -u bareprof_retained or a call. For counters.c:
 * without it, bareprof_init keeps no counts. */
BAREPROF_WEAK(bareprof_retain_boot,
              uint32_t hook_retain_boot(const struct bareprof_image *image));
BAREPROF_WEAK(bareprof_retain_reset,
              void hook_retain_reset(const struct bareprof_image *image));

/* retain/note.c, through a call. For beside/relocate.c, which moves it. */
struct note;
BAREPROF_WEAK(bareprof_note, struct note hook_note);

/* boot_number.c, through -u bareprof_boot_number. For counters.c: without it, a
 * boot has no number until a host gives it one. */
BAREPROF_WEAK(bareprof_boot_number, uint32_t hook_boot_number(void));

/* fold/fold.c, through a call. For profraw_write.c and profraw_merge.c:
 * counters to counts; adds counts to counters. Without it, counters are plain
 * numbers. */
BAREPROF_WEAK(bareprof_fold_counts,
              void hook_fold_counts(uint64_t *counts, size_t count));
BAREPROF_WEAK(bareprof_fold_add,
              void hook_fold_add(const struct bareprof_profile *profile,
                                 unsigned char *to, const unsigned char *from,
                                 size_t size));
/* For wire_dump.c: the address is a dump's flag, BAREPROF_WIRE_FOLDED. */
BAREPROF_WEAK(bareprof_fold_width, const uint8_t hook_fold_width);

/* What `bareprof cc` leaves in objects that count with 32 bits. For
 * wire_dump.c: the address is a dump's flag, BAREPROF_WIRE_NARROW. Without
 * it, no counter wraps. */
BAREPROF_WEAK(bareprof_counters_32, const uint8_t hook_counters_32);

/* values.c and the files that it links, through a hook. */

/* For counters.c, which clears slots. */
BAREPROF_WEAK(bareprof_values_clear,
              void hook_values_clear(const struct bareprof_values *values,
                                     bool boot));
/* For retain.c, which makes retained slots usable. */
BAREPROF_WEAK(bareprof_values_wake,
              void hook_values_wake(const struct bareprof_values *values));
/* For image_layout.c and profraw_write.c: without, an image with value sites is
 * refused. */
BAREPROF_WEAK(bareprof_values_write,
              void hook_values_write(struct bareprof_writer *writer));
/* For profraw_merge.c: without, value data of a profile is not added. */
BAREPROF_WEAK(bareprof_values_merge,
              int hook_values_merge(const struct bareprof_profile *profile,
                                    const unsigned char *data, size_t size,
                                    const struct bareprof_bias *moved));
/* For wire_dump.c and wire_request.c: without, lean dumps are compact. */
BAREPROF_WEAK(bareprof_values_lean,
              void hook_values_lean(struct bareprof_stream *stream,
                                    uint32_t tag));
/* For wire_dump.c: without, a dump's header names no slots. */
BAREPROF_WEAK(bareprof_values_header,
              struct bareprof_stream *hook_values_header(
                  struct bareprof_stream *stream));

/* The program's BAREPROF_VALUES. For image_sections.c, values.c,
 * values_merge.c: without, hooks keep nothing. */
BAREPROF_WEAK(bareprof_values, const struct bareprof_values hook_values);

/* abi_timestamp.c, through the hook of temporal profiling. For profraw_merge.c:
 * without the hook, a merge has no number to raise. */
BAREPROF_WEAK(bareprof_timestamp, uint32_t hook_timestamp);

/* The program's BAREPROF_SAMPLER_..., for sampler*.c: without it no sample is
 * kept or sent. */
BAREPROF_WEAK(bareprof_sampler, const struct bareprof_sampler hook_sampler);

/* For mip_sections.c, which keeps NULL for a part that is not linked:
 * mip_time.c, which the helpers of counting sleds link; the program's
 * BAREPROF_MIP_EDGES, also for mip_edges.c; its BAREPROF_MIP_ROOM; the header
 * fields that `bareprof mip instrument` leaves in objects. */
BAREPROF_WEAK(bareprof_mip_time, uint32_t hook_mip_time);
BAREPROF_WEAK(bareprof_mip_edges,
              const struct bareprof_mip_edges hook_mip_edges);
BAREPROF_WEAK(bareprof_mip_room_used,
              const struct bareprof_mip_room hook_mip_room_used);
BAREPROF_WEAK(bareprof_mip_built,
              const struct bareprof_mip_unit hook_mip_built);

/* Names of compilers and linkers, weak as theirs are: the bounds of sections,
 * __start_..., __stop_..., __bareprof_... (image_sections.h,
 * bareprof_private.h); __llvm_profile_raw_version (abi_version.c),
 * __llvm_profile_filename (arch/dump.c), __llvm_profile_counter_bias,
 * __llvm_profile_bitmap_bias (beside/relocate.c), __aeabi_unwind_cpp_pr0
 * (abi_unwind.c), __emutls_get_address, __emutls_v.__llvm_profile_sampling
 * (abi_emutls.c). */

#endif
#endif
