/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The version word for objects without one. Objects of IR PGO and of
 * single-byte coverage define __llvm_profile_raw_version, with variant bits.
 * Objects of front-end coverage do not, and are taken to be of the runtime's
 * compiler.
 */
#include "image_row.h"

extern const uint64_t __llvm_profile_raw_version;
const uint64_t __llvm_profile_raw_version __attribute__((weak)) =
    BAREPROF_RAW_VERSION;
