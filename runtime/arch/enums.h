/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Included before anything else when the archive is compiled for Arm. Of enums
 * a C library may have small ones, where clang's are of 32 bits, and GNU ld
 * warns of each member that is linked with it. No enum passes between the
 * runtime and its callers: in memory there are integers of a fixed size, and
 * functions take and return int. So the members say that any size will do:
 * Tag_ABI_enum_size, 0.
 */
#if defined __arm__ && !defined __ASSEMBLER__
__asm__(".eabi_attribute 26, 0");
#endif
