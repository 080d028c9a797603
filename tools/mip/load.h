/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles by the names of their files, for the commands. These functions
 * print what is wrong, and return 0, or 1 then.
 */
#ifndef MIP_LOAD_H
#define MIP_LOAD_H

#include "../object/elf.h"
#include "../base/file.h"
#include "files.h"

/* The most that a file may have, and a map in an ELF. */
enum { MIP_FILE_LIMIT = 1 << 30 };

/* The contents of the map of an ELF. *memory is to be freed, or NULL. NULL, or
 * what is wrong. */
const char *mip_elf_map(const struct elf *elf, struct bytes *map,
                        unsigned char **memory);

/* The hash of its build id; 0: it has none. */
uint32_t mip_build_of(const struct elf *elf);

/* Reads a .mip, or of a map, in an ELF or extracted, the empty profile. The
 * caller frees *profile whether this succeeds or not. */
int mip_load(struct mip_profile *profile, const char *name);

/* The same for the file's bytes; NULL, or what is wrong. */
const char *mip_load_bytes(struct mip_profile *profile, struct bytes file);

/* Writes a .mip. */
int mip_save(const struct mip_profile *profile, const char *name);

/* Writes bytes, what a writer of files.h made; error is what it returned. */
int mip_save_bytes(const struct buffer *buffer, const char *error,
                   const char *name);

#endif
