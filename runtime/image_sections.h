/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linker symbols -> an image. bareprof_running is made of it: in
 * image_sections.c, or in the object that replaces that file.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_SECTIONS_H
#define BAREPROF_RUNTIME_IMAGE_SECTIONS_H

#include "image_bounds.h"
#include "weak_hooks.h"

#define BAREPROF_SECTION(name) \
  { __start___llvm_prf_##name, __stop___llvm_prf_##name }

/* From an instrumented object, or abi_version.c. */
extern const uint64_t __llvm_profile_raw_version;

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
