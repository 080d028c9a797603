/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where things are, by the ELF of a profile: its addresses, and their lines.
 * All of it also works without an ELF, and knows less then.
 */
#ifndef MIP_PLACES_H
#define MIP_PLACES_H

#include "../object/dwarf.h"
#include "../base/file.h"
#include "model.h"

struct mip_symbol {
  uint64_t address, size;
  const char *name;
};

struct mip_places {
  const struct mip_profile *profile;
  bool open; /* there is an ELF */
  struct file file;
  struct elf elf;
  uint64_t base; /* of the raw section */
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  struct mip_symbol *symbols; /* of functions, ascending */
  size_t symbol_count;
  struct mip_place *by_address; /* of functions, ascending */
};

/* Opens the ELF, which must be of the profile's build; name NULL: there is
 * none. Prints what is wrong. 0, or 1; in both cases the caller calls
 * mip_places_close. The profile must live as long. */
int mip_places_open(struct mip_places *places,
                    const struct mip_profile *profile, const char *name);
void mip_places_close(struct mip_places *places);

/* The address of what is so far from the raw section; of code on Arm without
 * its bit 0. Without an ELF, the distance. */
uint64_t mip_address(const struct mip_places *places, int64_t distance);

/* Writes it as text: 0x08000100, or raw+0x100, raw-0x20 without an ELF. */
enum { MIP_ADDRESS_ROOM = 32 };
char *mip_address_text(const struct mip_places *places, int64_t distance,
                       char text[MIP_ADDRESS_ROOM]);

/* File and line of what is so far from the raw section; false: not known. The
 * path lives as long as places. */
bool mip_line(struct mip_places *places, int64_t distance, const char **path,
              unsigned *line);

/* The same of a function: where it is declared or, where nothing says that,
 * the first line of its code. */
bool mip_function_line(struct mip_places *places,
                       const struct mip_function *function, const char **path,
                       unsigned *line);

/* Of a return address, a byte of the call before it. */
int64_t mip_call_of(int64_t from);

/* The name of the function that a return address is in, of the profile or
 * else of the ELF; NULL: none that is known. */
const char *mip_caller(const struct mip_places *places, int64_t from);

#endif
