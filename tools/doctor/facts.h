/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The facts about an image before the checks: the sections of a profile, the
 * symbols that show how the image was linked, the records. Gathered once; the
 * checks only read. Everything points into the ELF.
 */
#ifndef DOCTOR_FACTS_H
#define DOCTOR_FACTS_H

#include "../base/storage.h"
#include "../image/dumpfile.h"
#include "../image/image.h"
#include "../image/snapshot.h"
#include "../image/witness.h"

enum { ELF_WRITE = 1, ELF_TLS = 0x400 }; /* flags, beside those of elf.h */

/* The sections of a profile. Those up to VNDS have bounds. */
enum section_id {
  DATA,
  CNTS,
  BITS,
  NAMES,
  VTAB,
  VNS,
  VALS,
  VNDS,
  COVMAP,
  COVFUN,
  COVDATA,
  COVNAMES,
  SECTIONS,
  BOUNDED = VNDS + 1
};
extern const char *const section_names[SECTIONS];

/* Symbols whose presence tells something. */
#define SYMBOLS_KNOWN(X)                             \
  X(RUNNING, "bareprof_running")                     \
  X(INIT, "bareprof_init")                           \
  X(PREINIT, "bareprof_preinit")                     \
  X(MAIN, "main")                                    \
  X(WRITE_IMAGE, "bareprof_write_image")             \
  X(SEND_FULL, "bareprof_send_full")                 \
  X(SEND_LEAN, "bareprof_send_lean")                 \
  X(PIECES_FULL, "bareprof_full")                    \
  X(SERVE, "bareprof_wire_serve")                    \
  X(MERGE_IMAGE, "bareprof_merge_image")             \
  X(VALUES, "bareprof_values")                       \
  X(VALUES_WRITE, "bareprof_values_write")           \
  X(VALUES_CLEAR, "bareprof_values_clear")           \
  X(GUARD, "__bareprof_guard")                       \
  X(PROFILE_BEGIN, "__bareprof_begin")               \
  X(PROFILE_END, "__bareprof_end")                   \
  X(END_CHECKED, "__bareprof_end_checked")           \
  X(ROM_CHECKED, "__bareprof_rom_checked")           \
  X(ID_START, "__bareprof_build_id_start")           \
  X(ID_END, "__bareprof_build_id_end")               \
  X(RETAINED, "bareprof_retained")                   \
  X(HOOK_TARGET, "__llvm_profile_instrument_target") \
  X(HOOK_MEMOP, "__llvm_profile_instrument_memop")   \
  X(CONSTRUCTOR, "__llvm_profile_init")              \
  X(LPROF_DATA, "lprofWriteData")                    \
  X(LPROF_WRITER, "lprofBufferWriter")               \
  X(LPROF_DUMPED, "lprofSetProfileDumped")           \
  X(LPROF_VALUES, "VPMaxNumValsPerSite")             \
  X(PREINIT_START, "__preinit_array_start")          \
  X(PREINIT_END, "__preinit_array_end")              \
  X(FETCH_ADD, "__atomic_fetch_add_8")               \
  X(TLS_SAMPLING, "__llvm_profile_sampling")         \
  X(BIAS, "__llvm_profile_counter_bias")             \
  X(RELOCATE, "bareprof_relocate")                   \
  X(ORDER_BUFFER, "_llvm_order_file_buffer")         \
  X(GCOV, "llvm_gcov_init")                          \
  X(GCOV_GCC, "__gcov_init")                         \
  X(HEAP_END, "end")                                 \
  X(HEAP_END_1, "_end")                              \
  X(HEAP_END_2, "__end__")                           \
  X(HEAP_START, "__heap_start")                      \
  X(HEAP_START_1, "__heap_start__")                  \
  X(HEAP_START_2, "_heap_start")                     \
  X(HEAP_BASE, "__HeapBase")                         \
  X(HEAP_BASE_1, "__heap_base")                      \
  X(HEAP_STOP, "__heap_end")                         \
  X(HEAP_STOP_1, "__heap_end__")                     \
  X(HEAP_STOP_2, "_heap_end")                        \
  X(HEAP_LIMIT, "__HeapLimit")                       \
  X(HEAP_LIMIT_1, "__heap_limit")                    \
  X(STACK_1, "_estack")                              \
  X(STACK_2, "__stack_top")                          \
  X(STACK_3, "__StackTop")                           \
  X(STACK_4, "_stack_top")                           \
  X(STACK_5, "stack_top")                            \
  X(STACK_6, "__stack")                              \
  X(MIP_INIT, "bareprof_mip_init")                   \
  X(MIP_BEGIN, "__bareprof_mip_begin")               \
  X(MIP_END, "__bareprof_mip_end")                   \
  X(SAMPLER_TAKE, "bareprof_sampler_take")           \
  X(SAMPLER_ENTRY, "bareprof_sampler_interrupt")     \
  X(SAMPLER_START, "bareprof_sampler_start")         \
  X(RTOS_FREERTOS, "vTaskSwitchContext")             \
  X(RTOS_ZEPHYR, "z_impl_k_thread_create")           \
  X(RTOS_THREADX, "_tx_thread_create")

enum symbol_id {
#define ID(identifier, name) identifier,
  SYMBOLS_KNOWN(ID)
#undef ID
      SYMBOLS
};

extern const char *const symbol_names[SYMBOLS];

struct symbol {
  bool defined, global;
  uint64_t value, size;
};

struct bounds {
  struct symbol start, stop;
};

/* Where records and names are. */
enum kind {
  BARE,       /* no counters at all */
  FULL,       /* records in the image */
  LEAN,       /* records in the ELF only */
  CORRELATED, /* the same by the compiler: __llvm_covdata */
  PLACED,     /* the same, and only the records say where the counters are */
  DEBUG_ONLY, /* in the debug information */
  LOST        /* nowhere */
};

enum runtime { NO_RUNTIME_AT_ALL, BAREPROF, COMPILER_RT };

/* The origin of the hooks that value sites call. */
enum hooks {
  NO_HOOKS,
  OUR_HOOKS,
  STUB_HOOKS, /* so small that they do nothing */
  OTHER_HOOKS /* compiler-rt's, or somebody's */
};

/* Of profiles that need no counters; size 0: none. */
struct others {
  struct elf_section raw, map, entries; /* of MIP: see bareprof-mip.ld */
  struct elf_section probes;
};

struct facts {
  const struct elf *elf;
  enum kind kind;
  struct elf_section sections[SECTIONS]; /* size 0: none, or empty */
  struct elf_section packed;             /* counters of 4 bytes; without others
                                            they are sections[CNTS], too */
  uint32_t twice;                        /* bit i: there are several of i */
  struct others others;
  struct bounds bounds[BOUNDED];
  struct symbol symbols[SYMBOLS];
  bool four;   /* PLACED: counters of 4 bytes */
  bool labels; /* PLACED: in no memory; a trace counts */
  size_t label_count;
  const char *labels_wrong;   /* what is damaged in them, or NULL */
  struct image_ranges ranges; /* PLACED: memory of counters and bitmaps */
  const char *undefined;      /* a function that is called and not there */
  const char *counters_in;    /* a section that counters are in by mistake */
  bool lto;                   /* has code that lld's LTO has compiled */
  enum runtime runtime;
  /* Of the records, if they are there. */
  struct witnesses witnesses;
  const char *wrong;          /* NULL, or the reason why the version is
                                 unknown */
  const char *damaged;        /* NULL, or the reason why the functions are
                                 unknown */
  uint64_t version;           /* 0: not known */
  bool bytes;                 /* a counter is one, and begins as 0xFF */
  struct functions functions; /* none if the version is not known */
  uint64_t *measured;         /* the MD5 of each one's name, for is_measured */
  size_t dropped;             /* functions of the mapping, by the linker */
  uint64_t sites;             /* for values */
  enum hooks hooks;
  struct storage storage; /* of ours */
  unsigned record_size;
  struct widths widths; /* of the increments */
};

/* Gathers the facts. facts_free gives the memory back. */
void facts_gather(struct facts *facts, const struct elf *elf);
void facts_free(struct facts *facts);

/* Bytes of a counter. */
unsigned counter_size(const struct facts *facts);

/* Whether a section takes room on the target, and in the file that is loaded
 * there. */
bool is_loaded(const struct elf_section *section);

/* Whether the image is profiled by MIP, or by samples, which need no
 * counters. */
bool has_mip(const struct facts *facts);
bool has_samples(const struct facts *facts);

/* Whether an RTOS is linked: tasks have stacks of their own. */
bool has_tasks(const struct facts *facts);

/* Whether an instrumented function has this name; of static ones, that of some
 * file. */
bool is_measured(const struct facts *facts, const char *name);

/* The address where a section is loaded: its own if no segment has it. */
uint64_t load_address(const struct facts *facts,
                      const struct elf_section *section);

/* How far an address is from a section; 0 in it. */
uint64_t distance_from(const struct elf_section *section, uint64_t address);

/* Returns the distance to the nearest section that the target writes to (or
 * not), except sections of the profile; UINT64_MAX if there is none. */
uint64_t distance_to(const struct facts *facts, bool writable,
                     uint64_t address);

/* The raw versions of a set, as text: "8", "9 or 10". */
const char *versions_text(char text[32], uint32_t set);

/* ---- init.c ----
 *
 * Which function calls which, as far as code says it: direct calls, and jumps
 * to another function. Calls by a pointer are missing.
 *
 *     struct calls calls;
 *     if (calls_read(&calls, facts)) {
 *       calls.list[calls_find(&calls, address)].marked = true;
 *       calls_spread(&calls, true);
 *       ... calls.list[i].marked: it calls that function, or one that does ...
 *     }
 *     calls_free(&calls);
 */

struct routine {
  const char *name;
  uint64_t address, end; /* without the bit that says Thumb */
  bool marked;
};

struct code_call {
  uint32_t from, to; /* in the list */
};

struct calls {
  struct routine *list; /* by address, one for an address */
  size_t count;
  const struct code_call *calls;
  size_t call_count;
  struct buffer memory; /* of calls */
};

/* ---- refer.c ----
 *
 * Whether an image may refer to a place: by a word that is loaded, or by code
 * that puts the address together. For checks that may only report "no
 * reference".
 */

/* Whether anything may refer to an address from first to last. The word at
 * `except` does not count. Also true where that cannot be told: of machines
 * other than Arm, AArch64 and RISC-V, of code that is not in the file, of
 * Arm's without mapping symbols, and of code that adds its own address to a
 * register. */
bool may_refer(const struct elf *elf, uint64_t first, uint64_t last,
               uint64_t except);

/* Marks each of the functions whose counters anything may refer to: met has an
 * element for each of them. Returns false where that cannot be told. */
bool may_count(const struct facts *facts, bool *met);

#endif
