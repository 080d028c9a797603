/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reserves the 8-byte word after the guard word; image.h describes its
 * contents. boot_number.c and retain/retain.c use the word, and link this file.
 */
#include "image.h"

/* Code computes the address of this word from the guard's address, because
 * bareprof_relocate moves both. */
extern uint64_t bareprof_boot_word;
uint64_t bareprof_boot_word __attribute__((section(".bareprof_boot"), used));
