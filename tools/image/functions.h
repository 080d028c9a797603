/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instrumented functions of an image, from the profile's records and
 * names in its ELF: which counters and bitmap bytes belong to whom. It says
 * what a hole in a dump has cost, and what a bare memory image means.
 *
 * Raw versions 7 to 11, in all variants. Full images (bareprof.ld), lean ones
 * (bareprof-lean.ld: records at no address), and those compiled with
 * -profile-correlate=binary (records in __llvm_covdata) or =debug-info (none;
 * see dwarf_counters.h).
 */
#ifndef BAREPROF_TOOLS_FUNCTIONS_H
#define BAREPROF_TOOLS_FUNCTIONS_H

#include "../object/elf.h"
#include "../object/names.h"
#include "snapshot.h"

struct function {
  const char *name;  /* NULL: the names do not have it */
  uint64_t name_ref; /* the MD5 of the name, see md5_low64 */
  uint64_t hash;     /* of the function's structure */
  uint64_t counters; /* offset of its counters in __llvm_prf_cnts, bytes */
  uint32_t counter_count;
  uint32_t bitmap_size; /* bytes; 0: no bitmap */
  uint64_t bitmap;      /* offset in __llvm_prf_bits */
};

struct functions {
  struct function *list; /* by ascending offset of the counters */
  size_t count;
  unsigned counter_size; /* bytes of a counter: 8, or 1 in the byte modes */
  struct names names;
};

/* Reads the functions. version is the version word: the raw version in bits 0
 * to 31, the variant in bits 32 to 63, as a dump's header has it; an ELF by
 * itself may not say. NULL, or what is wrong; in both cases the caller frees
 * *functions, which need not be initialised before. elf is not needed
 * afterwards.
 *
 * Of each function, the counters are inside the section and nobody else's,
 * and so is the bitmap. Records of another version than the one given do not
 * survive that, as a rule. */
const char *functions_read(struct functions *functions, const struct elf *elf,
                           uint64_t version);

void functions_free(struct functions *functions);

/* Fills holes in records, names and the like, which are constant, from the
 * sections of the ELF, if it is of the same build. */
void holes_fill(struct snapshot *snapshot, const struct elf *elf);

/* Lists the holes on standard error: which elements, and, with an ELF of the
 * same build, of which functions. elf may be NULL. */
void holes_list(const struct snapshot *snapshot, const char *elf_name,
                const struct elf *elf);

#endif
