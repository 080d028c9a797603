/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Included before anything else when compat.c is compiled for a host: the
 * functions that profile.c and file.c have, which do more.
 */
#pragma weak __llvm_profile_get_size_for_buffer
#pragma weak __llvm_profile_write_buffer
#pragma weak __llvm_profile_merge_from_buffer
#pragma weak __llvm_profile_check_compatibility
#pragma weak __llvm_profile_reset_counters
