/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the version word of an image whose objects do not define one. Objects
 * with IR PGO or single-byte coverage define __llvm_profile_raw_version,
 * because the version word has bits for these modes. Objects with front-end
 * coverage do not define the word; the runtime assumes that they have the raw
 * version of the archive.
 */
#include "image_layout.h"

extern const uint64_t __llvm_profile_raw_version;
const uint64_t __llvm_profile_raw_version __attribute__((weak)) =
    BAREPROF_RAW_VERSION;
