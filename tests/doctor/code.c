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
#ifdef DECIDE
  if (value && input)
    input = 2;
#endif
  inlined();
}

__attribute__((noinline)) void dead(void) { input = 2; }

#ifdef HANDLERS
void UART0_IRQHandler(void);
__attribute__((noinline)) void UART0_IRQHandler(void) { input = 3; }
void PendSV_Handler(void);
__attribute__((noinline)) void PendSV_Handler(void) { input = 4; }
#endif

#ifdef NO_HANDLER
/* As STM32's projects have it: a function that other code calls. */
void Error_Handler(void);
__attribute__((noinline)) void Error_Handler(void) { input = 5; }
#endif

#ifdef NAKED
/* As ports of an RTOS have them: the second one's arguments of a call for
 * counting would be on the stack of whoever was interrupted. */
void naked_handler(void);
__attribute__((naked)) void naked_handler(void) { __asm__("bx lr"); }
void naked_start(void);
__attribute__((naked)) void naked_start(void) { __asm__("svc 0\n nop"); }
#endif

#ifdef PLAIN
/* What is called as such functions are, and is all right. */
void SVC_Handler(void);
void SVC_Handler(void) { branch(input); }
void last(void);
__attribute__((noreturn, noinline)) void last(void) {
  branch(input);
  for (;;)
    input++;
}
#endif

#ifdef VALUES
void (*volatile call)(void) = inlined;
#endif

#ifdef SAME
static __attribute__((noinline)) void same(void) { input++; }
#endif

#ifdef CONSTRUCTOR
void early(void);
__attribute__((noinline)) void early(void) { input = 5; }
__attribute__((constructor)) static void construct(void) { early(); }
#endif

#ifdef INLINED
inline __attribute__((always_inline)) void small(void) { input++; }
#endif

void bareprof_init(void);
void helper(void);
void code(void);
void code(void) {
#ifdef INIT
  bareprof_init();
#endif
#ifdef HELPER
  helper();
#endif
#ifdef SAME
  same();
#endif
#ifdef INLINED
  small();
#endif
  branch(input);
#ifdef HANDLERS
  UART0_IRQHandler();
  PendSV_Handler();
#endif
#ifdef NO_HANDLER
  Error_Handler();
#endif
#ifdef NAKED
  naked_handler();
  naked_start();
#endif
#ifdef PLAIN
  SVC_Handler();
  last();
#endif
#ifdef VALUES
  call();
  call();
#endif
}
