/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that uses one set of features, to be linked and weighed, never
 * run. Without USE_ it is the weight to subtract.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "bareprof.h"
#include "bareprof_wire.h"
#include "bareprof_mip.h"
#include "bareprof_options.h"
#include "bareprof_sampler.h"
#include "bareprof_tiny.h"
#include "bareprof_values.h"
#include "profile/instr_prof_interface.h"

#ifdef USE_MIP_EDGES
BAREPROF_MIP_EDGES(8);
#endif
#ifdef USE_MIP_SAMPLED
BAREPROF_MIP_SAMPLED(8, 64);
#endif

#ifdef USE_SAMPLER
#define SAMPLER_LINE(kind) BAREPROF_SAMPLER_##kind
#define SAMPLER(kind) SAMPLER_LINE(kind)
SAMPLER(USE_SAMPLER);
#endif

/* Yours; without instructions, but for what returns. */
void bareprof_sampler_timer(void);
void bareprof_sampler_timer(void) {}

int sink_write(void *context, const void *bytes, size_t size);

/* Options that the compiler does not see. */
#define ANY (unsigned)(uintptr_t)buffer

int use(void *buffer, const struct bareprof_sink *sink);
int use(void *buffer, const struct bareprof_sink *sink) {
  (void)buffer, (void)sink;
  int result = 0;
#ifdef USE_DUMP
  bareprof_init();
  bareprof_reset();
  result += bareprof_write(sink);
#endif
#ifdef USE_TINY
  bareprof_tiny_init();
  result += USE_TINY((bareprof_tiny_put *)(uintptr_t)result, buffer);
#endif
#ifdef USE_BITS
  bareprof_tiny_init_bits();
  result += bareprof_tiny_send_bits((bareprof_tiny_byte *)(uintptr_t)result);
#endif
#ifdef USE_STATUS
  result += bareprof_status() + (int)bareprof_size();
#endif
#ifdef USE_MERGE
  result += bareprof_merge(buffer, 1000);
#endif
#ifdef USE_RETAIN
  result += bareprof_retained();
#endif
#ifdef USE_VALUES
  /* By address: the compiler drops plain calls of these names. */
  void (*volatile hook)(uint64_t, void *, uint32_t) =
      __llvm_profile_instrument_target;
  hook(1, buffer, 0);
  hook = __llvm_profile_instrument_memop;
  hook(1, buffer, 0);
#endif
#ifdef USE_BUFFER
  __llvm_profile_reset_counters();
  result += (int)__llvm_profile_get_size_for_buffer();
  result += __llvm_profile_write_buffer(buffer);
#endif
#ifdef USE_SEND
  bareprof_reset();
  result += bareprof_send(sink, USE_SEND);
#endif
#ifdef USE_NAME
  result += bareprof_send_name(sink, USE_SEND, buffer);
#endif
#ifdef USE_MIP
  bareprof_mip_init();
  bareprof_mip_reset();
  result += bareprof_mip_write(sink);
#endif
#ifdef USE_MIP_HELPER
  USE_MIP_HELPER();
#endif
#ifdef USE_LINK
  struct bareprof_wire *wire = buffer;
  result += bareprof_wire_feed(wire, 1) + bareprof_wire_serve(wire);
#endif
#ifdef USE_SAMPLER
#ifdef USE_SAMPLER_ENTRY
  result += (int)(uintptr_t)bareprof_sampler_interrupt;
#endif
  bareprof_sampler_start(1000);
  bareprof_sampler_stop();
  bareprof_sampler_reset();
  result += (int)bareprof_sampler_interval();
#ifdef USE_SAMPLER_SEND
  result += bareprof_sampler_send(sink, BAREPROF_BINARY);
#else
  result += bareprof_sampler_write(sink);
#endif
#endif
  return result;
}
