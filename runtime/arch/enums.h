/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Included before anything else when the archive is compiled for Arm. clang's
 * enums have 32 bits. If a C library has small enums, GNU ld warns of each
 * member that is linked with it. No enum passes between the runtime and its
 * callers: structs have integers of a fixed size, and functions take and return
 * int. So Tag_ABI_enum_size is 0 here, which fits any size.
 */
#if defined __arm__ && !defined __ASSEMBLER__
__asm__(".eabi_attribute 26, 0");
#endif
