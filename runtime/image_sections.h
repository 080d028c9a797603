/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the bounds of sections that the linker script sets, and has an
 * initialiser that makes an image of them. image_sections.c uses the
 * initialiser for the running image; overrides/relocate.c uses it for the image
 * before counters move. tiny.h uses the bounds directly.
 *
 * All bounds are weak and hidden. bareprof.ld defines them. Without bareprof.ld
 * the linker defines __start_ and __stop_ of each section that exists, and the
 * other bounds are NULL. A strong reference to a bound would not link in an
 * image that has nothing to profile.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_SECTIONS_H
#define BAREPROF_RUNTIME_IMAGE_SECTIONS_H

#include <stdint.h>

#define BAREPROF_HIDDEN __attribute__((weak, visibility("hidden")))
#define BAREPROF_BOUND extern BAREPROF_HIDDEN const unsigned char
/* Declares sections that the runtime writes to. They are not const, because a
 * compiler that sees the whole program (LTO) drops writes to const objects. */
#define BAREPROF_WRITTEN extern BAREPROF_HIDDEN unsigned char

BAREPROF_BOUND __start___llvm_prf_data[], __stop___llvm_prf_data[];
BAREPROF_WRITTEN __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
BAREPROF_WRITTEN __start___llvm_prf_bits[], __stop___llvm_prf_bits[];
BAREPROF_BOUND __start___llvm_prf_names[], __stop___llvm_prf_names[];
BAREPROF_BOUND __start___llvm_prf_vtab[], __stop___llvm_prf_vtab[];
BAREPROF_BOUND __start___llvm_prf_vns[], __stop___llvm_prf_vns[];
BAREPROF_BOUND __bareprof_build_id_start[], __bareprof_build_id_end[];
extern BAREPROF_HIDDEN uint64_t __bareprof_guard;

/* An instrumented object or abi_version.c defines the version word. */
extern const uint64_t __llvm_profile_raw_version;

/* Files that use BAREPROF_LINKED_IMAGE include weak_hooks.h, which declares
 * hook_values. */
#define BAREPROF_SECTION(name) \
  { __start___llvm_prf_##name, __stop___llvm_prf_##name }
#define BAREPROF_LINKED_IMAGE                                                 \
  {                                                                           \
    .version = &__llvm_profile_raw_version, .guard = &__bareprof_guard,       \
    .records = BAREPROF_SECTION(data), .counters = BAREPROF_SECTION(cnts),    \
    .bitmap = BAREPROF_SECTION(bits), .names = BAREPROF_SECTION(names),       \
    .vtables = BAREPROF_SECTION(vtab), .vtable_names = BAREPROF_SECTION(vns), \
    .values = &hook_values,                                                   \
    .build_id = {__bareprof_build_id_start, __bareprof_build_id_end},         \
  }

#endif
