/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * On Arm the constructors of clang 13 to 17 have unwind entries, which refer
 * to the personality routine of the C++ runtime. Firmware without libgcc or
 * libunwind has none and would not link. Weak, and in a member of its own: a
 * real one wins. It is never called, because nothing is ever thrown there;
 * if it is, it answers 9, _URC_FAILURE of the Arm EHABI.
 */
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context)
    __attribute__((weak));
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context) {
  (void)state;
  (void)control;
  (void)context;
  return 9;
}
