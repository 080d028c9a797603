/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shows a MIP profile. The input is a file (mip_file.h) and optionally its ELF.
 * The output is a table, an LLVM text profile or an lcov tracefile. Commands
 * call mip_view_show_profile with a function that prints.
 */
#ifndef MIP_MIP_VIEW_H
#define MIP_MIP_VIEW_H

#include "../base/file.h"
#include "../base/options.h"
#include "../object/dwarf.h"
#include "mip_model.h"

/* ---- mip_view.c: addresses and lines ----
 *
 * Finds addresses and source lines of a profile's functions in its ELF. Without
 * an ELF, the functions return less information. */

/* A function symbol of the ELF. */
struct mip_symbol {
  uint64_t address, size;
  const char *name;
};

/* Finds the meaning of a profile's addresses, with its ELF if one is open. */
struct mip_locator {
  const struct mip_profile *profile;
  bool open; /* an ELF is open */
  struct file file;
  struct elf elf;
  uint64_t base; /* address of the raw section in the program */
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  struct mip_symbol *symbols; /* symbols of functions, sorted by address */
  size_t symbol_count;
  struct mip_position *by_address; /* functions, sorted by address */
};

/* Returns the address at a distance from the raw section. On Arm, bit 0 of the
 * result is cleared. Without an ELF, returns the distance. */
uint64_t mip_address(const struct mip_locator *places, int64_t distance);

/* Writes an address as text into `text`, and returns `text`. An example is
 * 0x08000100; without an ELF, examples are raw+0x100 and raw-0x20. */
enum { MIP_ADDRESS_ROOM = 32 };
char *mip_format_address(const struct mip_locator *places, int64_t distance,
                         char text[MIP_ADDRESS_ROOM]);

/* Finds the file and line of the code at a distance from the raw section.
 * Returns false if the line is not known. The path is valid as long as places.
 */
bool mip_find_line(struct mip_locator *places, int64_t distance,
                   const char **path, unsigned *line);

/* Finds the file and line of a function's declaration. If the declaration is
 * not known, finds the line of the function's first code. */
bool mip_find_function_line(struct mip_locator *places,
                            const struct mip_function *function,
                            const char **path, unsigned *line);

/* The error if no function of the ELF has a line number. */
extern const char mip_no_lines[];

/* Returns the position of a byte of the call instruction that comes before a
 * return address. */
int64_t mip_call_address(int64_t from);

/* Returns the function of the profile that contains the call to this return
 * address, or NULL. */
const struct mip_function *mip_find_caller(const struct mip_locator *places,
                                           int64_t from);

/* Returns the name of the function that contains the call, from the profile or
 * else from the ELF. Returns NULL if the name is not known. */
const char *mip_caller_name(const struct mip_locator *places, int64_t from);

/* A profile that a command shows, and the command's options. */
struct mip_view {
  const char *elf, *out; /* `elf` is NULL without an ELF; `out` is NULL for
                            standard output */
  /* mip_view_show_profile sets these. */
  struct mip_profile profile;
  struct mip_locator locator;
  FILE *stream;
};

/* Options for a command whose arguments struct begins with struct mip_view. */
#define MIP_VIEW_OUT OUTPUT_ROW("OUT", struct mip_view, out)
#define MIP_VIEW_ROWS                                            \
  {.name = "elf",                                                \
   .letter = 'e',                                                \
   .value = "ELF",                                               \
   .help = "read debug information and addresses from this ELF", \
   OPTION(struct mip_view, elf)},                                \
      MIP_VIEW_OUT

/* Prints the output of a command. Returns NULL or the error. */
typedef const char *mip_view_print(struct mip_view *view, void *context);

/* Opens the profile `name`, prints it, and closes everything. Returns the
 * command's exit status. */
int mip_view_show_profile(struct mip_view *view, const char *name,
                          mip_view_print *print, void *context);

/* ---- the formats of `bareprof mip show`; they write to view->stream, and
 * return NULL or the error ---- */

/* Prints a line for each function, and below this line the function's blocks
 * and callers. Prints only functions whose names contain the text, which may be
 * "". */
const char *mip_show_table(struct mip_view *view, const char *text);

/* Prints an lcov tracefile, see mip_view.c. Needs the ELF. */
const char *mip_show_lcov(struct mip_view *view);

/* Prints an LLVM text profile, see mip_view.c. */
const char *mip_show_proftext(struct mip_view *view);

#endif
