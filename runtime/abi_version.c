/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The version word for objects that do not bring their own. Objects of IR
 * PGO and of single-byte coverage define __llvm_profile_raw_version, with
 * variant bits; objects of front-end coverage carry nothing, so the compiler
 * of the runtime stands for theirs.
 */
#include "image_row.h"

extern const uint64_t __llvm_profile_raw_version;
const uint64_t __llvm_profile_raw_version __attribute__((weak)) =
    BAREPROF_RAW_VERSION;
