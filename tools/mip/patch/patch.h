/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces nops in a linked ELF with sleds (code that counts), and restores the
 * nops.
 *
 * A function's sled depends on the place of its raw bytes, so the steps are:
 * patch_open (undoes an earlier patch), patch_list_functions (finds the
 * functions), patch_make_sleds (chooses functions with enough nops, and assigns
 * raw bytes), patch_apply_sleds (writes sleds, map and the undo data to
 * patch.file).
 */
#ifndef MIP_PATCH_H
#define MIP_PATCH_H

#include <stdio.h>

#include "../../base/storage.h"
#include "../../object/elf.h"

/* ---- isa.c ----
 *
 * Describes instruction sets for `bareprof mip patch`: the nops that compilers
 * put at an entry for -fpatchable-function-entry, and the sleds that can
 * replace them. Only ip (Arm), x16 (AArch64), t0 and t1 (RISC-V) are free
 * there.
 *
 * A sled either stores 0 to the function's raw byte, or calls a helper, with
 * the function's index after the call. Thumb nops are replaced with a Thumb
 * sled. All code is little-endian. */

enum { PATCH_SLED_MOST = 16, PATCH_INDEX_MOST = 0xFFFF };

/* Where a sled goes, and what it needs. */
struct patch_sled_place {
  const unsigned char *nops; /* the code that the sled replaces */
  uint64_t address;          /* address of the sled */
  uint64_t raw;              /* address of the byte to which a store writes 0 */
  uint64_t helper;           /* address of the helper; on Arm, bit 0: Thumb */
  uint32_t index;            /* index of the function, for the helper; at most
                                PATCH_INDEX_MOST */
};

/* Instructions of 2 or 4 bytes, by some of their bits. A list ends with a mask
 * of 0. */
struct patch_pattern {
  uint32_t mask, bits;
  unsigned size;
};

/* One instruction set. */
struct patch_isa {
  uint16_t fill; /* the smallest nop, of fill_size bytes, for what the sled
                    leaves of a nop */
  uint16_t fill_size;
  uint16_t step;    /* alignment of instructions in bytes */
  bool takes_chain; /* a nested function of GNU C gets a pointer in the register
                       that is free otherwise */
  const struct patch_pattern *nops;
  const struct patch_pattern *markers; /* instructions that must be first, such
                                          as bti */
  const struct patch_pattern *returns; /* returns from an interrupt handler,
                                          where no register is free */
  /* These functions write a sled to bytes[PATCH_SLED_MOST]. They return its
   * size, or 0 if the target is out of reach. */
  unsigned (*store)(const struct patch_sled_place *place, unsigned char *bytes);
  unsigned (*call)(const struct patch_sled_place *place, unsigned char *bytes);
};

/* Returns the size of the instruction at the beginning of the code if it is in
 * the list; otherwise 0. */
unsigned patch_match_pattern(const struct patch_isa *isa,
                             const struct patch_pattern *list,
                             const unsigned char *code, size_t size);

extern const struct patch_isa patch_thumb, patch_a32, patch_aarch64,
    patch_riscv32, patch_riscv64;

/* Returns the instruction set of a function in this ELF, or NULL if the machine
 * is not supported. */
const struct patch_isa *patch_find_isa(const struct elf *elf, bool thumb);

/* Returns why ELFs of this machine and byte order cannot be patched, or NULL.
 */
const char *patch_check_machine(const struct elf *elf);

/* Whether to - from fits into `bits` bits, including the sign. Sets *distance
 * to the difference. */
bool patch_fits_distance(uint64_t from, uint64_t to, unsigned bits,
                         int64_t *distance);

enum patch_mode {
  PATCH_COVERAGE,
  PATCH_COUNTS,
  PATCH_EDGES,
  PATCH_SAMPLED,
  PATCH_PLAIN
};

/* Why a function is not patched. */
enum patch_skip {
  PATCH_DONE, /* the function is patched */
  PATCH_NOT_CHOSEN,
  PATCH_ALIAS, /* another name of an earlier function */
  PATCH_OWN,
  PATCH_EMPTY,
  PATCH_ELSEWHERE,
  PATCH_DATA,
  PATCH_NO_NOPS,
  PATCH_HANDLER,
  PATCH_NESTED,
  PATCH_SHORT,
  PATCH_FAR,
  PATCH_SKIPS
};

/* A function symbol of the ELF, and its sled. */
struct patch_function {
  const char *name; /* points into patch.input */
  uint64_t address;
  uint64_t size;
  uint32_t symbol; /* number in the symbol table */
  uint16_t section;
  uint8_t binding;
  bool thumb;
  enum patch_skip skip;
  uint64_t offset; /* offset in the file */
  uint64_t room;   /* bytes to the function's end, or to the next function */
  unsigned marker; /* bytes of instructions before the nops that must be
                      first */
  unsigned nops;   /* bytes of nops, at most the size of the largest sled */
  unsigned needs;  /* bytes of nops that the sled takes */
  uint32_t index;  /* index among patched functions */
  unsigned char sled[PATCH_SLED_MOST];
};

/* An ELF that is patched. */
struct elf_patch {
  struct elf elf;      /* the ELF in `input`, whose bytes do not change */
  struct buffer input; /* the ELF without sleds */
  struct buffer file;  /* patch_apply_sleds: the ELF with sleds */
  struct buffer
      map; /* patch_apply_sleds: the map, in the format of mip_file.h */
  struct buffer undo;  /* data with which input can be restored from file */
  enum patch_mode mode;
  uint32_t hash; /* module hash, set by patch_set_unit_hash */
  uint64_t begin, end;              /* addresses of the raw section */
  uint64_t unit;                    /* offset of bareprof_mip_unit in the
                                       file */
  uint64_t helper;                  /* address of the helper; 0: the ELF has no
                                       helper */
  struct patch_function *functions; /* sorted by address */
  size_t function_count;
  size_t done; /* how many functions get a sled */
  char message[256];
};

/* All functions return NULL or the error, which is valid until the next call.
 * The caller sets *patch to {0} before, and calls patch_free in any case. */

/* Copies an ELF, and undoes an earlier patch in the copy. */
const char *patch_open(struct elf_patch *patch, struct bytes file);

/* The helpers that sleds call, by mode. For coverage, a sled calls the helper
 * only if the sled cannot store directly. */
extern const char *const patch_helpers[PATCH_PLAIN];

/* Returns the profile type, bits of enum mip_type. */
uint32_t patch_profile_type(enum patch_mode mode);

/* Finds the parts of the ELF that the mode needs: raw section, helper, unit. */
const char *patch_find_elf_parts(struct elf_patch *patch, enum patch_mode mode);

/* Fills patch.functions. Marks aliases, and functions that cannot be patched.
 * Does not choose functions or sleds yet; see patch_choose_functions and
 * patch_make_sleds. */
const char *patch_list_functions(struct elf_patch *patch);

/* After patch_list_functions: returns how many functions have nops at their
 * entries, without functions of bareprof. */
size_t patch_count_with_nops(struct elf_patch *patch);

/* Chooses functions by their names or aliases. Without `parts` and `names`, all
 * functions are chosen. */
struct patch_choice {
  const char *const *parts; /* chosen names contain one of these texts */
  size_t part_count;
  const char **names; /* or equal one of these names, sorted by
                         patch_sort_names */
  size_t name_count;
};
void patch_sort_names(struct patch_choice *choice);
void patch_choose_functions(struct elf_patch *patch,
                            const struct patch_choice *choice);

/* Assigns indices by ascending address, and makes the sleds. */
const char *patch_make_sleds(struct elf_patch *patch);

/* Writes file, map and undo. */
const char *patch_apply_sleds(struct elf_patch *patch);

void patch_free(struct elf_patch *patch);

/* ---- the messages of `bareprof mip patch`, and the unit's name ---- */

/* Writes a line for each chosen function that has no sled:
 *
 *   ADDRESS NAME: why */
void patch_print_log(const struct elf_patch *patch, FILE *stream);

/* Writes one line: the number of functions with a sled, and for each reason the
 * number of functions without a sled. */
void patch_print_summary(const struct elf_patch *patch, FILE *stream);

/* Sets patch->hash from the name of an output, `app.elf`; for an ELF with a
 * build id `app.elf@BUILDID`. If only some functions were chosen, `+MD5` of
 * their names follows. Nothing else distinguishes the builds of a program. */
void patch_set_unit_hash(struct elf_patch *patch, const char *output,
                         const struct patch_choice *choice);

#endif
