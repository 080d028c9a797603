/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of commands that show a profile: one input, perhaps its ELF,
 * one output.
 */
#ifndef MIP_MIP_VIEW_H
#define MIP_MIP_VIEW_H

#include "../base/options.h"
#include "places.h"

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
