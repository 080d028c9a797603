/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shows a profile. The input is a file (mip_file.h) and perhaps its ELF; the
 * output is a table, an LLVM text profile or an lcov tracefile. Commands call
 * mip_view_show_profile with a function that prints.
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

/* A function in the ELF. */
struct mip_symbol {
  uint64_t address, size;
  const char *name;
};

/* The addresses of a profile, and their meaning if an ELF is open. */
struct mip_locator {
  const struct mip_profile *profile;
  bool open; /* an ELF is open */
  struct file file;
  struct elf elf;
  uint64_t base; /* address of the raw section */
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  struct mip_symbol *symbols; /* symbols of functions, sorted by address */
  size_t symbol_count;
  struct mip_position *by_address; /* functions, sorted by address */
};

/* Returns the address at a distance from the raw section. On Arm, bit 0 is
 * cleared. Without an ELF, returns the distance. */
uint64_t mip_address(const struct mip_locator *places, int64_t distance);

/* Writes the address as text, and returns the text: 0x08000100; without an ELF
 * raw+0x100 or raw-0x20. */
enum { MIP_ADDRESS_ROOM = 32 };
char *mip_format_address(const struct mip_locator *places, int64_t distance,
                         char text[MIP_ADDRESS_ROOM]);

/* Finds the file and line at a distance from the raw section. Returns false if
 * they are not known. The path lives as long as places. */
bool mip_find_line(struct mip_locator *places, int64_t distance,
                   const char **path, unsigned *line);

/* Finds the file and line of a function: of its declaration or, if this is not
 * known, of its first code. */
bool mip_find_function_line(struct mip_locator *places,
                            const struct mip_function *function,
                            const char **path, unsigned *line);

/* Returns the position of a byte of the call instruction before a return
 * address. */
int64_t mip_call_address(int64_t from);

/* Returns the function of the profile that contains the call, or NULL. */
const struct mip_function *mip_find_caller(const struct mip_locator *places,
                                           int64_t from);

/* Returns the name of the function that contains the call, from the profile or
 * else from the ELF. NULL: not known. */
const char *mip_caller_name(const struct mip_locator *places, int64_t from);

/* A profile that a command shows, and how the command shows it. */
struct mip_view {
  const char *elf, *out; /* NULL: no ELF; standard output */
  /* mip_view_show_profile sets these. */
  struct mip_profile profile;
  struct mip_locator locator;
  FILE *stream;
};

/* Options for a command whose arguments struct begins with struct mip_view. */
#define MIP_VIEW_OUT OUTPUT_ROW("OUT", struct mip_view, out)
#define MIP_VIEW_ROWS                                                         \
  {.name = "elf",                                                             \
   .letter = 'e',                                                             \
   .value = "ELF",                                                            \
   .help = "read debug information and addresses from this ELF of the image", \
   OPTION(struct mip_view, elf)},                                             \
      MIP_VIEW_OUT

/* Prints a command's output. Returns NULL or the error. */
typedef const char *mip_view_print(struct mip_view *view, void *context);

/* Opens the profile `name`, prints it, and closes everything. Returns the
 * command's exit status. */
int mip_view_show_profile(struct mip_view *view, const char *name,
                          mip_view_print *print, void *context);

/* ---- the formats of `bareprof mip show`; they write to view->stream, and
 * return NULL or the error ---- */

/* Prints a line for each function, and below it its blocks and callers. Prints
 * only functions whose names contain the text; "": all functions. */
const char *mip_show_table(struct mip_view *view, const char *text);

/* Prints an lcov tracefile, see mip_view.c. Needs the ELF. */
const char *mip_show_lcov(struct mip_view *view);

/* Prints an LLVM text profile, see mip_view.c. */
const char *mip_show_proftext(struct mip_view *view);

#endif
