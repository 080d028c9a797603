/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: `bareprof mip instrument` on any text. The first byte chooses
 * mode and architecture. What must hold: the input's lines come out whole and
 * in order (but for branches made longer), and a second run refuses its own
 * output or had nothing to do.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mip/asm/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_skipped(void *context, struct bytes name, bool skipped,
                          const char *why) {
  unsigned *skips = context;
  if (!name.size || !why)
    abort();
  *skips += skipped;
}

static void require(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "property: %s\n", what);
  abort();
}

static const char *run(const uint8_t *data, size_t size, unsigned choice,
                       char **out, size_t *out_size) {
  static const char *const names[] = {"thumb1",  "thumb2",  "arm", "aarch64",
                                      "riscv32", "riscv64", NULL,  NULL};
  static const uint32_t types[] = {1, 3, 12, 30};
  unsigned skips = 0;
  struct asm_job job = {.settings = {types[choice & 3], 7},
                        .report_skip = count_skipped,
                        .context = &skips,
                        .out = open_memstream(out, out_size)};
  if (names[choice >> 2 & 7])
    asm_parse_arch_name(names[choice >> 2 & 7], &job.machine);
  const char *error = asm_instrument(&job, (struct bytes){data, size});
  fclose(job.out);
  if (!error)
    require(skips + job.instrumented == job.functions,
            "each function is instrumented or skipped with a reason");
  return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *out = NULL, *again = NULL;
  size_t out_size = 0, again_size = 0;
  if (!size)
    return 0;
  const char *error = run(data + 1, size - 1, *data, &out, &out_size);
  if (!error) {
    require(out_size >= size - 1, "nothing is lost");
    bool changed = out_size != size - 1;
    error = run((const uint8_t *)out, out_size, *data, &again, &again_size);
    require(!changed || error || again_size == out_size,
            "what has sleds is refused");
  }
  free(out);
  free(again);
  return 0;
}
