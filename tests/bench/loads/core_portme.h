/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The platform that CoreMark needs: no clock, no printf, data on the stack.
 * coremark.c has the functions.
 */
#ifndef CORE_PORTME_H
#define CORE_PORTME_H

#include <stddef.h>
#include <stdint.h>

#define HAS_FLOAT 0
#define HAS_STDIO 0
#define HAS_PRINTF 0
#define SEED_METHOD SEED_VOLATILE
#define MEM_METHOD MEM_STACK
#define MEM_LOCATION "stack"
#define MULTITHREAD 1
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
#define COMPILER_VERSION "clang"
#define COMPILER_FLAGS "as in tests/bench/record"
#define EE_TICKS_PER_SEC 1
/* CoreMark's performance run, with 2000 bytes of data. */
#define PERFORMANCE_RUN 1

/* record.c has the main of the program. */
#define main coremark

typedef int16_t ee_s16;
typedef uint16_t ee_u16;
typedef int32_t ee_s32;
typedef uint32_t ee_u32;
typedef uint8_t ee_u8;
typedef uintptr_t ee_ptr_int;
typedef size_t ee_size_t;
typedef uint32_t CORE_TICKS;
typedef struct {
  ee_u8 unused;
} core_portable;

#define align_mem(x) ((void *)(((ee_ptr_int)(x) + 3) & ~(ee_ptr_int)3))

extern ee_u32 default_num_contexts;
void portable_init(core_portable *port, int *argc, char *argv[]);
void portable_fini(core_portable *port);
int ee_printf(const char *format, ...);

#endif
