/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces nops in a linked ELF with sleds (code that counts), and restores the
 * nops.
 *
 * A function's sled depends on the place of the function's raw bytes. So the
 * steps are: patch_open_unpatched (undoes an earlier patch),
 * patch_list_functions (finds the functions), patch_make_sleds (chooses
 * functions with enough nops, and assigns raw bytes), patch_apply_sleds (writes
 * sleds, map and the undo data to patch.file).
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
 * replace these nops. At an entry, only ip (Arm), x16 (AArch64), t0 and t1
 * (RISC-V) are free.
 *
 * A sled either stores 0 to the function's raw byte, or calls a helper; then
 * the function's index follows the call. Thumb nops are replaced with a Thumb
 * sled. All code is little-endian. */

enum { PATCH_SLED_MOST = 16, PATCH_INDEX_MOST = 0xFFFF };

/* The place of a sled, and the addresses that the sled needs. */
struct patch_sled_place {
  const unsigned char *nops; /* the code that the sled replaces */
  uint64_t address;          /* address of the sled */
  uint64_t raw;              /* address of the byte to which a store writes 0 */
  uint64_t helper;           /* address of the helper; on Arm, bit 0 set means
                                Thumb */
  uint32_t index;            /* index of the function for the helper; at most
                                PATCH_INDEX_MOST */
};

/* Describes instructions of 2 or 4 bytes through the values of some bits. A
 * list of patterns ends with a mask of 0. */
struct patch_pattern {
  uint32_t mask, bits;
  unsigned size;
};

/* The nops and sleds of one instruction set. */
struct patch_isa {
  uint16_t fill; /* the smallest nop, of fill_size bytes, which fills the rest
                    of a nop that the sled cuts */
  uint16_t fill_size;
  uint16_t step;    /* alignment of instructions in bytes */
  bool takes_chain; /* a nested function of GNU C gets its static chain in the
                       register that is otherwise free */
  const struct patch_pattern *nops;
  const struct patch_pattern *markers; /* instructions that must stay first,
                                          such as bti */
  const struct patch_pattern *returns; /* instructions that return from an
                                          interrupt handler, where no register
                                          is free */
  /* These functions write a sled to bytes[PATCH_SLED_MOST]. They return the
   * size of the sled, or 0 if the address is out of the sled's reach. */
  unsigned (*store)(const struct patch_sled_place *place, unsigned char *bytes);
  unsigned (*call)(const struct patch_sled_place *place, unsigned char *bytes);
};

/* Returns the size of the first instruction of the code if a pattern in the
 * list matches this instruction. Otherwise returns 0. */
unsigned patch_match_pattern(const struct patch_isa *isa,
                             const struct patch_pattern *list,
                             const unsigned char *code, size_t size);

extern const struct patch_isa patch_thumb, patch_a32, patch_aarch64,
    patch_riscv32, patch_riscv64;

/* Returns the instruction set of a function in this ELF, or NULL if the machine
 * is not supported. */
const struct patch_isa *patch_find_isa(const struct elf *elf, bool thumb);

/* Returns the reason why ELFs of this machine and byte order cannot be patched,
 * or NULL. */
const char *patch_check_machine(const struct elf *elf);

/* Sets *distance to `to` minus `from`. Returns whether the distance fits into
 * `bits` bits, including the sign. */
bool patch_distance_fits(uint64_t from, uint64_t to, unsigned bits,
                         int64_t *distance);

enum patch_mode {
  PATCH_COVERAGE,
  PATCH_COUNTS,
  PATCH_EDGES,
  PATCH_SAMPLED,
  PATCH_PLAIN
};

/* The reasons why a function is not patched. */
enum patch_skip {
  PATCH_DONE, /* the function is patched */
  PATCH_NOT_CHOSEN,
  PATCH_ALIAS, /* the symbol is another name of an earlier function */
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

/* A function symbol of the ELF, and the sled of the function. */
struct patch_function {
  const char *name; /* points to the name in patch.input */
  uint64_t address;
  uint64_t size;
  uint32_t symbol; /* number of the symbol in the symbol table */
  uint16_t section;
  uint8_t binding;
  bool thumb;
  enum patch_skip skip;
  uint64_t offset; /* offset of the function in the file */
  uint64_t room;   /* number of bytes to the function's end, or to the next
                      function */
  unsigned marker; /* number of bytes before the nops, for instructions that
                      must be first */
  unsigned nops;   /* number of bytes of nops, at most the size of the largest
                      sled */
  unsigned needs;  /* number of bytes of nops that the sled takes */
  uint32_t index;  /* index of the function among the patched functions */
  unsigned char sled[PATCH_SLED_MOST];
};

/* An ELF that is patched. */
struct elf_patch {
  struct elf elf;      /* the ELF in `input`, whose bytes do not change */
  struct buffer input; /* the ELF without sleds */
  struct buffer file;  /* the ELF with sleds, which patch_apply_sleds makes */
  /* the map in the format of mip_file.h, which patch_apply_sleds makes */
  struct buffer map;
  struct buffer undo; /* data to restore `input` from `file` */
  enum patch_mode mode;
  uint32_t hash;       /* module hash, which patch_set_unit_hash sets */
  uint64_t begin, end; /* addresses of the raw section */
  uint64_t unit;       /* offset of bareprof_mip_unit in the file */
  uint64_t helper;     /* address of the helper; 0: the ELF lacks the helper */
  struct patch_function *functions; /* the functions, sorted by address */
  size_t function_count;
  size_t done; /* number of functions that get a sled */
  char message[256];
};

/* All functions below return NULL or the error, which is valid until the next
 * call. The caller sets *patch to {0} before the first call, and calls
 * patch_free in any case. */

/* ---- write.c ---- */

/* Copies an ELF, and undoes an earlier patch in the copy. */
const char *patch_open_unpatched(struct elf_patch *patch, struct bytes file);

/* The names of the helpers that sleds call, by mode. For coverage, a sled calls
 * the helper only if the sled cannot store to the raw byte directly. */
extern const char *const patch_helpers[PATCH_PLAIN];

/* Returns the profile type of a mode, as bits of enum mip_type. */
uint32_t patch_profile_type(enum patch_mode mode);

/* Finds the parts of the ELF that the mode needs: raw section, helper, unit.
 * Like the functions before and after, returns NULL or the error. */
const char *patch_find_runtime_symbols(struct elf_patch *patch,
                                       enum patch_mode mode);

/* Makes the buffers file, map and undo. */
const char *patch_apply_sleds(struct elf_patch *patch);

void patch_free(struct elf_patch *patch);

/* ---- plan.c ---- */

/* Fills patch.functions. Marks aliases, and functions that cannot be patched.
 * The choice of functions and their sleds come later: see
 * patch_choose_functions and patch_make_sleds. */
const char *patch_list_functions(struct elf_patch *patch);

/* Returns the number of functions that have nops at their entries, without
 * functions of bareprof. Call patch_list_functions before. */
size_t patch_measure_and_count_nops(struct elf_patch *patch);

/* Chooses functions by their names or aliases. Without `parts` and `names`, all
 * functions are chosen. */
struct patch_choice {
  const char *const *parts; /* a function is chosen if its name contains one of
                               these texts */
  size_t part_count;
  const char **names; /* a function is also chosen if its name is one of these
                         names, sorted by patch_sort_names */
  size_t name_count;
};
void patch_sort_names(struct patch_choice *choice);
void patch_choose_functions(struct elf_patch *patch,
                            const struct patch_choice *choice);

/* Gives the chosen functions indices by ascending address, and makes their
 * sleds. */
const char *patch_make_sleds(struct elf_patch *patch);

/* ---- plan.c: messages of `bareprof mip patch`, and the unit's name ---- */

/* Writes a line for each chosen function without a sled, with the reason:
 *
 *   ADDRESS NAME: why */
void patch_print_skipped_functions(const struct elf_patch *patch, FILE *stream);

/* Writes one line with the number of functions that have a sled and, for each
 * reason, the number of functions without a sled. */
void patch_print_summary(const struct elf_patch *patch, FILE *stream);

/* Sets patch->hash to the hash of a text. The text is the name of the output,
 * such as `app.elf`; for an ELF with a build id it is `app.elf@BUILDID`. If
 * only some functions were chosen, `+MD5` with the MD5 of their names follows.
 * Without a build id, only this hash distinguishes the builds of a program. */
void patch_set_unit_hash(struct elf_patch *patch, const char *output,
                         const struct patch_choice *choice);

#endif
