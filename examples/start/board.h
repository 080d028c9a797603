/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>

void uart_send(unsigned char byte);

/* libc.c */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
void __libc_init_array(void);

int main(void);

#endif
