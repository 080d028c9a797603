/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reserves the word after the guard; image.h describes its contents. Its users,
 * boot_number.c and retain/retain.c, link this file.
 */
#include "image.h"

/* Code finds the word from the guard's address, because bareprof_relocate moves
 * both. */
extern uint64_t bareprof_boot_word;
uint64_t bareprof_boot_word __attribute__((section(".bareprof_boot"), used));
