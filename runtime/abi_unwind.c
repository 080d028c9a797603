/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * On Arm the constructors of clang 13 to 17 have unwind entries, which refer to
 * the personality routine of the C++ runtime. Firmware without libgcc or
 * libunwind would not link. This definition is weak, and alone in its object
 * file, so that the real routine replaces it. The constructors throw no
 * exception, so nothing calls the routine. The definition returns 9, which is
 * _URC_FAILURE in the Arm EHABI.
 */
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context)
    __attribute__((weak));
int __aeabi_unwind_cpp_pr0(int state, void *control, void *context) {
  (void)state;
  (void)control;
  (void)context;
  return 9;
}
