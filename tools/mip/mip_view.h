/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of commands that show a profile: one input, perhaps its ELF,
 * one output.
 */
#ifndef MIP_MIP_VIEW_H
#define MIP_MIP_VIEW_H

#include "../base/file.h"
#include "../base/options.h"
#include "../object/dwarf.h"
#include "mip_model.h"

/* ---- mip_view.c: places ----
 *
 * Addresses and lines of a profile's functions, from its ELF. Everything also
 * works without an ELF, with less information.
 */

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
 * none. Returns 0, or prints the error and returns 1. The caller calls
 * mip_places_close in both cases. The profile must live as long. */

/* Returns the address at a distance from the raw section; for code on Arm
 * without bit 0. Without an ELF, returns the distance. */
uint64_t mip_address(const struct mip_places *places, int64_t distance);

/* Writes it as text: 0x08000100, or raw+0x100, raw-0x20 without an ELF. */
enum { MIP_ADDRESS_ROOM = 32 };
char *mip_address_text(const struct mip_places *places, int64_t distance,
                       char text[MIP_ADDRESS_ROOM]);

/* Finds file and line at a distance from the raw section. false: unknown. The
 * path lives as long as places. */
bool mip_line(struct mip_places *places, int64_t distance, const char **path,
              unsigned *line);

/* The same for a function: its declaration or, if that is unknown, the first
 * line of its code. */
bool mip_function_line(struct mip_places *places,
                       const struct mip_function *function, const char **path,
                       unsigned *line);

/* Returns the place of a byte of the call before a return address. */
int64_t mip_call_of(int64_t from);

/* Returns the function of the profile with a return address. NULL: unknown. */
const struct mip_function *mip_caller_function(const struct mip_places *places,
                                               int64_t from);

/* Returns the name of the function with a return address, from the profile,
 * otherwise from the ELF. NULL: unknown. */
const char *mip_caller(const struct mip_places *places, int64_t from);

struct mip_view {
  const char *elf, *out; /* or NULL */
  /* Set by mip_view_run. */
  struct mip_profile profile;
  struct mip_places places;
  FILE *stream;
};

/* For the table of a command whose arguments begin with the view. */
#define MIP_VIEW_OUT OUTPUT_ROW("OUT", struct mip_view, out)
#define MIP_VIEW_ROWS                             \
  {.name = "elf",                                 \
   .letter = 'e',                                 \
   .value = "ELF",                                \
   .help = "the image, or its debug information", \
   OPTION(struct mip_view, elf)},                 \
      MIP_VIEW_OUT

/* Prints a command's output. Returns NULL or the error. */
typedef const char *mip_view_print(struct mip_view *view, void *context);

/* Opens the profile of that name, prints, and closes everything. The command's
 * exit status. */
int mip_view_run(struct mip_view *view, const char *name, mip_view_print *print,
                 void *context);

/* ---- the forms in which `bareprof mip show` prints a profile. They write to
 * view->stream, and return NULL or the error ---- */

/* Prints a line for each function, with its blocks and callers below. Only
 * functions whose names contain the text; "": all functions. */
const char *mip_show_text(struct mip_view *view, const char *text);

/* A tracefile of lcov, see mip_view.c; needs the ELF. */
const char *mip_show_lcov(struct mip_view *view);

/* A text profile of LLVM, see mip_view.c. */
const char *mip_show_proftext(struct mip_view *view);

#endif
