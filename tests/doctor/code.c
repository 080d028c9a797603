/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instrumented code for the images that the doctor examines. dead is called
 * by nobody; the handlers are there on request.
 */
volatile int input;

static void inlined(void) { input++; }

__attribute__((noinline)) void branch(int value) {
  if (value)
    input = 1;
  inlined();
}

__attribute__((noinline)) void dead(void) { input = 2; }

#ifdef HANDLERS
void UART0_IRQHandler(void);
__attribute__((noinline)) void UART0_IRQHandler(void) { input = 3; }
void PendSV_Handler(void);
__attribute__((noinline)) void PendSV_Handler(void) { input = 4; }
#endif

#ifdef VALUES
void (*volatile call)(void) = inlined;
#endif

void code(void);
void code(void) {
  branch(input);
#ifdef HANDLERS
  UART0_IRQHandler();
  PendSV_Handler();
#endif
#ifdef VALUES
  call();
  call();
#endif
}
