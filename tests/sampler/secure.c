/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A Secure timer over Non-secure code: prints PC and LR of SAMPLES samples,
 * from the beginning of SSRAM3. SPSEL: which Non-secure stack the thread has.
 * BEGIN: where the code begins; with 0 the code is Secure. SSRAM3 is the
 * Non-secure world: vectors and code at its beginning, the stacks at its end.
 * The rest stays Secure.
 */
#include "entry.h"

enum { SAMPLES = 8, PERIOD = 1000 };

BAREPROF_SAMPLER_RING(SAMPLES);

#define SSRAM3 0x28200000u
#define SSRAM3_SIZE 0x200000u
#define REGISTER(address) (*(volatile uint32_t *)(address))
#define MPC_BLK_MAX REGISTER(0x58009010)
#define MPC_BLK_IDX REGISTER(0x58009018)
#define MPC_BLK_LUT REGISTER(0x5800901c)
#define SAU_CTRL REGISTER(0xe000edd0)
#define SAU_RNR REGISTER(0xe000edd8)
#define SAU_RBAR REGISTER(0xe000eddc)
#define SAU_RLAR REGISTER(0xe000ede0)

#define SHPR2_NS REGISTER(0xe002ed1c)
#define VTOR_NS REGISTER(0xe002ed08)

#define ICSR_NS REGISTER(0xe002ed04)

/* After the vectors, at 64: bl .+6; b .; b .: the last one runs, with an LR
 * that is the second's. At 72: svc, whose handler at 76 does the same. At 84:
 * PendSV's handler, which takes longer than PERIOD: movs r0, #255; lsls r0, #8;
 * subs r0, #1; bne .-2; bx lr. */
enum { CODE = 64, SVC = 11, HANDLER = 76, PENDSV = 14, SLOW_HANDLER = 84 };
static const uint16_t code[] = {0xf000, 0xf801, 0xe7fe, 0xe7fe, 0xdf00,
                                0xe7fe, 0xf000, 0xf801, 0xe7fe, 0xe7fe,
                                0x20ff, 0x0200, 0x3801, 0xd1fd, 0x4770};

static unsigned ticks;

/* With BEGIN 0, Secure code pends PendSV of the Non-secure world in this loop
 * of 16 bytes. The timer has the same priority: its handler follows PendSV's
 * without a return to the loop. */
extern const char loop[];
static void pend_without_end(void) {
  __asm__ volatile("msr msp_ns, %0\n"
                   "mov lr, %3\n"
                   ".balign 4\n"
                   "loop: str %2, [%1]\n"
                   "dsb\n isb\n nop\n nop\n"
                   "b loop\n" ::"r"(SSRAM3 + SSRAM3_SIZE),
                   "r"(&ICSR_NS), "r"(1u << 28), "r"((uintptr_t)loop + 1)
                   : "lr", "memory");
}

static void print_samples(void) {
  const uint32_t *entry = (const void *)bareprof_sampler.entries;
  for (unsigned i = 0; i < SAMPLES; i++, entry += 2) {
    board_put_number(BEGIN ? entry[0] - SSRAM3
                           : (entry[0] - (uintptr_t)loop) / 16);
    board_putc(' ');
    board_put_number(entry[1] - (BEGIN ? SSRAM3 : (uintptr_t)loop));
    board_putc('\n');
  }
}

void bareprof_sampler_timer(void) {
  if (++ticks == SAMPLES) {
    print_samples();
    board_exit(0);
  }
}

static void open_ssram3(void) {
  uint32_t last = MPC_BLK_MAX;
  for (uint32_t i = 0; i <= last; i++) {
    MPC_BLK_IDX = i;
    MPC_BLK_LUT = UINT32_MAX;
  }
  SAU_RNR = 0;
  SAU_RBAR = SSRAM3;
  SAU_RLAR = (SSRAM3 + SSRAM3_SIZE - 32) | 1;
  SAU_CTRL = 1;
  __asm__ volatile("dsb\n isb" ::: "memory");
}

int main(void) {
  open_ssram3();
  for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
    ((volatile uint16_t *)(SSRAM3 + CODE))[i] = code[i];
  ((volatile uint32_t *)SSRAM3)[SVC] = SSRAM3 + HANDLER + 1;
  ((volatile uint32_t *)SSRAM3)[PENDSV] = SSRAM3 + SLOW_HANDLER + 1;
  VTOR_NS = SSRAM3;
  SHPR2_NS = 0xc0000000; /* The timer may interrupt the handler. */
  bareprof_sampler_start(PERIOD);
  board_timer_start(PERIOD, NULL);
  if (BEGIN == 0)
    pend_without_end();
  __asm__ volatile("msr msp_ns, %0\n"
                   "msr psp_ns, %1\n"
                   "msr control_ns, %2\n"
                   "dsb\n isb\n"
                   "bxns %3\n" ::"r"(SSRAM3 + SSRAM3_SIZE),
                   "r"(SSRAM3 + SSRAM3_SIZE - 256), "r"(2 * SPSEL),
                   "r"(SSRAM3 + BEGIN));
  return 1;
}
