/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instrumented functions of an image, from the profile's records and names
 * in its ELF: which counters and bitmap bytes belong to which function. They
 * tell the cost of a hole in a dump, and the meaning of a bare memory image.
 *
 * Raw versions 7 to 11, in all variants. Full images (bareprof.ld), lean ones
 * (bareprof-lean.ld: records at no address), and images compiled with
 * -profile-correlate=binary (records in __llvm_covdata) or =debug-info (none;
 * see dwarf_counters_read in dwarf.h).
 */
#ifndef BAREPROF_TOOLS_FUNCTIONS_H
#define BAREPROF_TOOLS_FUNCTIONS_H

#include "../object/elf.h"
#include "../object/names.h"
#include "snapshot.h"

struct function {
  const char *name;  /* NULL: the names lack it */
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
 * to 31, the variant in bits 32 to 63, as in a dump's header; an ELF alone may
 * lack the word. Returns NULL or the error. The caller frees *functions in both
 * cases, and need not initialise it before. elf is not needed afterwards.
 *
 * Checks that the counters and bitmap of each function are inside their
 * section, and belong to no other function. Records of another version than the
 * given one usually fail this check. */
const char *functions_read(struct functions *functions, const struct elf *elf,
                           uint64_t version);

void functions_free(struct functions *functions);

/* Fills holes in constant pieces (records, names) from the sections of the ELF,
 * if the ELF is of the same build. */
void holes_fill(struct snapshot *snapshot, const struct elf *elf);

/* Lists the holes on standard error: which elements, and, with an ELF of the
 * same build, of which functions. elf may be NULL. */
void holes_list(const struct snapshot *snapshot, const char *elf_name,
                const struct elf *elf);

#endif
