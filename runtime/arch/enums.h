/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The build includes this file before anything else when it compiles the
 * archive for Arm. clang's enums have 32 bits, and GNU ld warns of each object
 * file whose enum size differs from the C library's. The runtime and its
 * callers never pass enums to each other: structs have integers of a fixed
 * size, and functions take and return int. So Tag_ABI_enum_size is 0 here,
 * which says that any size fits.
 */
#if defined __arm__ && !defined __ASSEMBLER__
__asm__(".eabi_attribute 26, 0");
#endif
