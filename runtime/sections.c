/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linker symbols -> bareprof_linked. The only file that knows them, and the
 * functions that speak of the running image. That is the linked one, unless
 * a file is linked that has its own bareprof_running.
 *
 * All bounds are weak and hidden. bareprof.ld defines them; without it the
 * linker makes up __start_ and __stop_ of each section that there is, and
 * the others are NULL. A strong reference would have to be satisfied in
 * images that have nothing to profile.
 */
#include "layout.h"
#include "values.h"

#define HIDDEN __attribute__((weak, visibility("hidden")))
#define BOUND extern HIDDEN const unsigned char
#define SECTION(name) \
  { __start___llvm_prf_##name, __stop___llvm_prf_##name }

BOUND __start___llvm_prf_data[], __stop___llvm_prf_data[];
BOUND __start___llvm_prf_cnts[], __stop___llvm_prf_cnts[];
BOUND __start___llvm_prf_bits[], __stop___llvm_prf_bits[];
BOUND __start___llvm_prf_names[], __stop___llvm_prf_names[];
BOUND __start___llvm_prf_vtab[], __stop___llvm_prf_vtab[];
BOUND __start___llvm_prf_vns[], __stop___llvm_prf_vns[];
BOUND __bareprof_build_id_start[], __bareprof_build_id_end[];
extern HIDDEN uint64_t __bareprof_guard;

/* Weak: defined where values.c is linked, with slots or without. */
extern HIDDEN const struct bareprof_values bareprof_values;

/* From an instrumented object, or version.c. */
extern const uint64_t __llvm_profile_raw_version;

const struct bareprof_image bareprof_linked = {
    .version = &__llvm_profile_raw_version,
    .guard = &__bareprof_guard,
    .records = SECTION(data),
    .counters = SECTION(cnts),
    .bitmap = SECTION(bits),
    .names = SECTION(names),
    .vtables = SECTION(vtab),
    .vtable_names = SECTION(vns),
    .values = &bareprof_values,
    .build_id = {__bareprof_build_id_start, __bareprof_build_id_end},
};

extern const struct bareprof_image bareprof_running
    __attribute__((weak, alias("bareprof_linked")));

int bareprof_write(const struct bareprof_sink *sink) {
  return bareprof_write_image(&bareprof_running, sink);
}

void bareprof_reset(void) { bareprof_reset_image(&bareprof_running); }

int bareprof_status(void) { return bareprof_status_image(&bareprof_running); }

int bareprof_merge(const void *profile, size_t size) {
  return bareprof_merge_image(&bareprof_running, profile, size);
}

static int count_bytes(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

size_t bareprof_size(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {count_bytes, &size};
  return bareprof_write_image(&bareprof_running, &sink) ? 0 : size;
}
