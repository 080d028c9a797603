/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of start-up and shut-down that all architectures share: from a core
 * with a stack to main, and from main's return to the end of QEMU. The entry
 * code and the vectors are in arch/.
 */
#include "start.h"

#include "bareprof_semihosting.h"
#include "board.h"

#include <stddef.h>

typedef void (*function)(void);

/* The linker script defines these, with the names that C libraries use. */
extern const function __preinit_array_start[], __preinit_array_end[];
extern const function __init_array_start[], __init_array_end[];
extern const function __fini_array_start[], __fini_array_end[];

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int main(void);

static function at_exit[BOARD_ATEXIT_MAX];
static unsigned at_exit_count;

int atexit(function f) {
  if (at_exit_count == BOARD_ATEXIT_MAX)
    return 1;
  at_exit[at_exit_count++] = f;
  return 0;
}

void board_prepare(void) {
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  board_uart_init();
  for (const function *f = __preinit_array_start; f < __preinit_array_end; ++f)
    (*f)();
  for (const function *f = __init_array_start; f < __init_array_end; ++f)
    (*f)();
}

void board_run(void) { board_exit(main()); }

void board_exit(int status) {
  while (at_exit_count > 0)
    at_exit[--at_exit_count]();
  for (const function *f = __fini_array_end; f > __fini_array_start;)
    (*--f)();
  bareprof_semihosting_exit(status);
}

void board_puts(const char *text) {
  while (*text != 0)
    board_putc(*text++);
}

/* For each bit, doubles the decimal number and adds the bit. ARMv6-M has no
 * division and no 64-bit product, and programs here link no library that has
 * them. */
void board_put_number(uint64_t number) {
  char digits[20] = {0};
  unsigned first = sizeof digits - 1;
  for (unsigned bit = 0; bit < 64; ++bit, number <<= 1) {
    unsigned carry = (unsigned)(number >> 63);
    for (unsigned i = sizeof digits; i-- > 0;) {
      unsigned digit = 2u * (unsigned)digits[i] + carry;
      carry = digit > 9;
      digits[i] = (char)(carry ? digit - 10 : digit);
      if (digit > 0 && i < first)
        first = i;
    }
  }
  for (unsigned i = first; i < sizeof digits; ++i)
    board_putc((char)('0' + digits[i]));
}

static void print_hexadecimal(uintptr_t value) {
  char text[2 * sizeof value + 1];
  char *at = text + sizeof text - 1;
  *at = 0;
  while (at > text) {
    *--at = "0123456789abcdef"[value & 15];
    value >>= 4;
  }
  bareprof_semihosting_print(text);
}

/* Uses only the stack: a fault may come before .data and .bss are ready. */
__attribute__((weak)) void board_fault(uintptr_t cause, uintptr_t pc) {
  bareprof_semihosting_print("fault: cause 0x");
  print_hexadecimal(cause);
  bareprof_semihosting_print(", pc 0x");
  print_hexadecimal(pc);
  bareprof_semihosting_print("\n");
  bareprof_semihosting_exit(BOARD_FAULT_STATUS);
}
