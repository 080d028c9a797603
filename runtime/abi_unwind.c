/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * On Arm the constructors of clang 13 to 17 have unwind entries, which refer to
 * the personality routine of the C++ runtime. Firmware without libgcc or
 * libunwind would not link. Weak, and in a member of its own, so that a real
 * one wins. Nothing is thrown there, so nothing calls it; it returns 9,
 * _URC_FAILURE of the Arm EHABI.
 */
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context)
    __attribute__((weak));
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context) {
  (void)state;
  (void)control;
  (void)context;
  return 9;
}
