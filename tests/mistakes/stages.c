/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Three boot stages for RV32: STAGE 1 turns the MMU on, which then maps the
 * 4 MB of stages 2 and 3 alone; each works as often as its number says.
 */
static volatile int turns;

__attribute__((noinline)) static void work(void) { turns++; }

#if STAGE == 1
#define NEXT 0x80400000
static unsigned table[1024] __attribute__((aligned(4096)));
/* Machine mode to supervisor mode, with 4 MB pages. */
static void leave(unsigned next) {
  table[0x80400000u >> 22] = 0x80400000u >> 2 | 0xCF;
  table[0x80800000u >> 22] = 0x80800000u >> 2 | 0xCF;
  __asm__ volatile("csrw pmpaddr0, %0\n"
                   "csrw pmpcfg0, %1\n"
                   "csrw satp, %2\n"
                   "csrw mepc, %3\n"
                   "csrc mstatus, %4\n"
                   "csrs mstatus, %5\n"
                   "sfence.vma\n"
                   "mret"
                   :
                   : "r"(-1), "r"(0x1F),
                     "r"(0x80000000u | (unsigned)table >> 12), "r"(next),
                     "r"(0x1800), "r"(0x800)
                   : "memory");
}
#elif STAGE == 2
#define NEXT 0x80800000
static void leave(unsigned next) { ((void (*)(void))next)(); }
#else
#define NEXT 0
static void leave(unsigned next) {
  (void)next;
  for (;;) {
  }
}
#endif

__attribute__((noinline)) void hand_over(void) { leave(NEXT); }

__attribute__((used)) void stage(void) {
  for (int i = 0; i < STAGE; i++)
    work();
  hand_over();
}
