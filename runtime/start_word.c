/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reserves the word behind the guard, where image.h says what it holds. Linked
 * by those who use it: start_number.c, retain/retain.c.
 */
#include "image.h"

/* Found by the guard's address alone, because bareprof_relocate moves both. */
extern uint64_t bareprof_start_word;
uint64_t bareprof_start_word __attribute__((section(".bareprof_start"), used));
