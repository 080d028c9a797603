/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * In place of the runtime, for the link tests: refers to all symbols of the
 * linker scripts as the runtime does, weak and hidden, and defines what
 * instrumented objects call. Not instrumented itself.
 */
#define SYMBOL(name) \
  extern char name[] __attribute__((weak, visibility("hidden")))
#define BOUNDS(name)                 \
  SYMBOL(__start___llvm_prf_##name); \
  SYMBOL(__stop___llvm_prf_##name)
#define PAIR(name) __start___llvm_prf_##name, __stop___llvm_prf_##name

BOUNDS(data);
BOUNDS(cnts);
BOUNDS(names);
BOUNDS(bits);
BOUNDS(vals);
BOUNDS(vnds);
BOUNDS(vtab);
BOUNDS(vns);
SYMBOL(__bareprof_build_id_start);
SYMBOL(__bareprof_build_id_end);
SYMBOL(__bareprof_guard);

static char *const symbols[] = {
    PAIR(data),
    PAIR(cnts),
    PAIR(names),
    PAIR(bits),
    PAIR(vals),
    PAIR(vnds),
    PAIR(vtab),
    PAIR(vns),
    __bareprof_build_id_start,
    __bareprof_build_id_end,
    __bareprof_guard,
};
char *const *volatile used;

void start(void);
void boot(void);
void boot(void) {
  used = symbols;
  start();
}

int __llvm_profile_runtime;
void __llvm_profile_instrument_target(unsigned long long value, void *data,
                                      unsigned site) {
  (void)value, (void)data, (void)site;
}
void __llvm_profile_instrument_memop(unsigned long long value, void *data,
                                     unsigned site) {
  (void)value, (void)data, (void)site;
}

/* Called by the constructors of clang 13 to 17. */
void __llvm_profile_register_function(void *data) { (void)data; }
void __llvm_profile_register_names_function(void *names,
                                            unsigned long long size) {
  (void)names, (void)size;
}
void __aeabi_unwind_cpp_pr0(void) {}

/* The C++ runtime, as far as values.cpp asks for it. */
void *_ZTVN10__cxxabiv117__class_type_infoE[3];
void *_ZTVN10__cxxabiv120__si_class_type_infoE[3];
void __cxa_pure_virtual(void) {}
