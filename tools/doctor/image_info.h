/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * struct image_info has the facts that the doctor's checks need: the sections
 * of a profile, the symbols that show how the image was linked, and the
 * function records. The facts are collected once; the checks (findings.h) only
 * read the facts. All pointers point into the ELF.
 */
#ifndef BAREPROF_TOOLS_IMAGE_INFO_H
#define BAREPROF_TOOLS_IMAGE_INFO_H

#include "../base/storage.h"
#include "../image/dumpfile.h"
#include "../image/image.h"
#include "../image/snapshot.h"
#include "../image/raw_version.h"

/* Flags of sections, in addition to the flags in elf.h. */
enum { ELF_WRITE = 1, ELF_TLS = 0x400 };

/* The sections of a profile. COVDATA stands for all names in placed_records.
 * Up to VNDS, a section can have the bounds __start_ and __stop_. */
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

/* Symbols that show, when present, how the image was linked. */
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

struct known_symbol {
  bool defined, global;
  uint64_t value, size;
};

struct section_bounds {
  struct known_symbol start, stop;
};

/* The places where an image has its function records and names. */
enum image_kind {
  BARE,       /* The image does not have counters. */
  FULL,       /* The records are on the target. */
  LEAN,       /* The records are only in the ELF. */
  CORRELATED, /* The records are only in the ELF, in __llvm_covdata. */
  PLACED,     /* Like CORRELATED, but only records give the counters' places. */
  DEBUG_ONLY, /* The records are only in the debug information. */
  LOST        /* The records are missing. */
};

enum linked_runtime { NO_RUNTIME_AT_ALL, BAREPROF, COMPILER_RT };

/* The hooks that the value sites call. */
enum value_hooks {
  NO_HOOKS,
  OUR_HOOKS,
  STUB_HOOKS, /* hooks that are too small to do anything */
  OTHER_HOOKS /* hooks of compiler-rt, or unknown hooks */
};

/* Sections of profiles that do not use counters. A missing one has size 0. */
struct mip_and_probe_sections {
  struct elf_section raw, map, entries; /* sections of MIP (Machine IR Profile):
                                           see bareprof-mip.ld */
  struct elf_section probes;
};

struct image_info {
  const struct elf *elf;
  enum image_kind kind;
  struct elf_section sections[SECTIONS]; /* sections of the profile; the size of
                                            a missing or empty section is 0 */
  /* The section of 4-byte counters. Without other counters, sections[CNTS] is
   * the same section. */
  struct elf_section packed;
  uint32_t repeated_sections; /* bit i says that section i occurs several
                                 times */
  struct mip_and_probe_sections others;
  struct section_bounds bounds[BOUNDED];
  struct known_symbol symbols[SYMBOLS];
  bool four_byte_counters; /* The counters of a PLACED image have 4 bytes. */
  /* A PLACED image has trace points; its counters are not in memory. */
  bool has_trace_points;
  size_t trace_point_count;
  const char *trace_points_error; /* the error in the trace points, or NULL */
  /* why the records do not tell where --place=bss has the counters, or NULL */
  const char *placed_error;
  struct image_ranges ranges;     /* addresses of the counters and bitmaps of a
                                     PLACED image */
  const char *undefined;          /* name of a function that is called but not
                                     linked, or NULL */
  const char *wrong_section; /* name of a wrong section that contains counters,
                                or NULL */
  bool lto;                  /* lld's LTO compiled some of the code. */
  enum linked_runtime runtime;
  /* The next members are about the function records, if there are any. */
  struct raw_version_evidence version_evidence;
  const char *version_error;   /* why the raw version is unknown, or NULL */
  const char *functions_error; /* why the functions are unknown, or NULL */
  uint64_t version;            /* raw version; 0 if unknown */
  bool byte_counters;          /* The counters are byte counters, whose initial
                                 value is 0xFF. */
  struct image_functions functions; /* the image's functions; empty if the
                                       version is unknown */
  uint64_t *name_hashes;            /* MD5s of the names of the functions, for
                                       is_instrumented_name */
  uint64_t *defined_hashes; /* MD5s of the names of all functions that have
                               code, ascending; records refer to functions by
                               these MD5s */
  size_t defined_count;
  size_t dropped; /* number of functions that are in the mapping but that the
                     linker dropped */
  uint64_t sites; /* number of value sites */
  enum value_hooks hooks;
  struct slot_storage storage; /* memory for values that bareprof provides */
  unsigned record_size;
  /* widths of the counters, as the object files declare them */
  struct counter_widths widths;
};

/* Collects the facts. Call image_info_free afterwards. */
void image_info_collect(struct image_info *facts, const struct elf *elf);
void image_info_free(struct image_info *facts);

unsigned counter_size(const struct image_info *facts);

/* Finds the section in memory that contains an address and has these flags.
 * Returns false if no such section exists. */
bool find_section_at_address(const struct elf *elf, uint64_t address,
                             uint64_t flags, struct elf_section *section);

/* Returns whether a section takes space both on the target and in the file that
 * is loaded there. */
bool is_loaded(const struct elf_section *section);

/* Return whether the image is profiled with MIP, or with samples. Neither
 * method needs counters. */
bool image_info_has_mip(const struct image_info *facts);
bool image_info_has_samples(const struct image_info *facts);

/* Returns whether an RTOS is linked, so that each task has its own stack. */
bool image_info_has_rtos(const struct image_info *facts);

/* Returns whether an instrumented function has this name. Static functions of
 * all files are included. */
bool is_instrumented_name(const struct image_info *facts, const char *name);

/* Returns whether only one function has the name of an instrumented function.
 * If two static functions have the name, it is possible that only one of them
 * is measured. */
bool is_unique_function_name(const struct image_info *facts, const char *name);

/* Returns the address to which a section is loaded. If no segment contains the
 * section, returns the section's own address. */
uint64_t section_load_address(const struct image_info *facts,
                              const struct elf_section *section);

/* Returns the distance of an address from a section; 0 if the address is inside
 * the section. */
uint64_t distance_to_section(const struct elf_section *section,
                             uint64_t address);

/* Returns the distance of an address to the nearest section that the target
 * writes to if `writable` is set, else to the nearest section that the target
 * only reads. Ignores sections of the profile. Returns UINT64_MAX if no such
 * section exists. */
uint64_t distance_to_nearest_section(const struct image_info *facts,
                                     bool writable, uint64_t address);

/* Returns a set of raw versions as text, such as "8" or "9 or 10". */
const char *format_raw_versions(char text[32], uint32_t set);

#endif
