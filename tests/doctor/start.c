/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of these images that is not instrumented, and never runs: the entry,
 * functions of a C library, and a call of the runtime, which a define chooses.
 */
#include "bareprof_wire.h"
#include "bareprof_values.h"

void code(void);
void boot(void);

int to_nowhere(void *context, const void *bytes, size_t size);
int to_nowhere(void *context, const void *bytes, size_t size) {
  (void)context;
  (void)bytes;
  (void)size;
  return 0;
}

static const struct bareprof_sink sink = {to_nowhere, NULL};

#ifdef MIP
#include "bareprof_mip.h"
#endif
#ifdef ROOM
BAREPROF_MIP_ROOM(ROOM);
#endif

#ifdef SAMPLER
#include "bareprof_sampler.h"
BAREPROF_SAMPLER_TABLE(16);
void bareprof_sampler_timer(void) {}
#endif

#ifdef STORAGE
BAREPROF_VALUES(STORAGE, 1);
#endif

#ifdef WORD /* of another raw version */
const uint64_t __llvm_profile_raw_version = WORD;
#endif

#ifndef NO_WALK
/* Weak: not every script has them. */
typedef void (*const entry)(void);
extern entry __preinit_array_start[] __attribute__((weak));
extern entry __preinit_array_end[] __attribute__((weak));
#endif

#ifdef HELPER
void helper(void);
__attribute__((noinline)) void helper(void) { bareprof_init(); }
#endif
#ifdef SAME
static __attribute__((noinline)) void same(void) { bareprof_init(); }
#endif
#ifdef HOOK
/* The measured code, through a pointer as newlib's start-up code calls it. */
void software_init_hook(void);
__attribute__((noinline)) void software_init_hook(void) { code(); }
static void (*volatile hook)(void) = software_init_hook;
#endif
#ifdef TWICE
void again(void);
__attribute__((noinline)) void again(void) { bareprof_init(); }
#endif
#ifdef MAIN
int main(void);
__attribute__((noinline)) int main(void) {
  bareprof_init();
  return 0;
}
#endif

void boot(void) {
#ifdef HOOK
  hook();
#endif
#ifdef SAME
  same();
#endif
#ifdef TWICE
  again();
#endif
#ifdef MAIN
  main();
#endif
#ifndef NO_WALK
  for (entry *at = __preinit_array_start; at != __preinit_array_end; at++)
    (*at)();
#endif
#ifdef INIT
  bareprof_init();
#endif
#ifdef MIP_INIT
  bareprof_mip_init();
#endif
#ifdef MIP
  bareprof_mip_write(&sink);
#endif
#ifdef SAMPLER
  bareprof_sampler_interrupt();
#endif
#ifdef START
  bareprof_sampler_start(1000);
#endif
#ifndef NO_CODE
  code();
#endif
#ifdef INIT_AGAIN
  bareprof_init();
#endif
#if defined SEND_LEAN
  bareprof_send(&sink, BAREPROF_LEAN);
#elif defined SEND_FULL
  bareprof_send(&sink, 0);
#elif defined WRITE
  bareprof_write(&sink);
#endif
  (void)sink;
}

/* ---- what is called and never runs ---- */

#define STUB(name) \
  void name(void); \
  void name(void) {}

STUB(memcpy)
STUB(memset)
STUB(memcmp)
STUB(__aeabi_memcpy)
STUB(__aeabi_memcpy4)
STUB(__aeabi_memcpy8)
STUB(__aeabi_memclr)
STUB(__aeabi_memclr4)
STUB(__aeabi_memclr8)
#ifndef NO_TLS
STUB(__aeabi_read_tp)
#endif
#ifdef STUBS
void __llvm_profile_instrument_target(uint64_t value, void *any,
                                      uint32_t site) {
  (void)value, (void)any, (void)site;
}
#endif
#ifdef HOOKS /* of another runtime */
#ifdef STORAGE
uint64_t VPMaxNumValsPerSite = 3; /* as compiler-rt's has */
#else
enum { VPMaxNumValsPerSite = 3 };
#endif
void __llvm_profile_instrument_target(uint64_t value, void *any,
                                      uint32_t site) {
  uint64_t *record = any;
  for (unsigned i = 0; i < VPMaxNumValsPerSite; i++) {
    record[i + site] = value * record[i];
    record[i * site] += value * record[i + 1];
    record[i ^ site] -= value << record[site];
  }
}
#endif
#ifdef COMPILER_RT
STUB(lprofWriteData)
STUB(lprofBufferWriter)
#endif
#ifdef GCOV
STUB(llvm_gcov_init)
STUB(llvm_gcda_start_file)
STUB(llvm_gcda_emit_function)
STUB(llvm_gcda_emit_arcs)
STUB(llvm_gcda_summary_info)
STUB(llvm_gcda_end_file)
#endif
#ifdef RUNTIME /* where no archive is linked */
STUB(__llvm_profile_runtime)
STUB(__llvm_profile_register_function)
STUB(__llvm_profile_register_names_function)
STUB(__aeabi_unwind_cpp_pr0)
#endif
#ifdef VECTORS
/* As a vendor's start-up code has them. */
#ifdef STACK
static unsigned char stack[STACK] __attribute__((aligned(8)));
#define stack_end (stack + STACK)
#else
extern unsigned char stack_end[];
#endif
__attribute__((used, section(".isr_vector"))) void *const vectors[] = {
    stack_end, (void *)boot};
#endif
