/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the commands have in common that show a profile: one input, perhaps its
 * ELF, one output.
 */
#ifndef MIP_VIEW_H
#define MIP_VIEW_H

#include "../base/options.h"
#include "places.h"

#define MIP_VIEW_HELP                                                        \
  "  -e, --elf ELF        the image, or what debug information was left of " \
  "it\n"                                                                     \
  "  -o, --output OUT     where to; standard output without\n"

/* For the tables of options; letters e and o, each with a value. */
#define MIP_VIEW_OPTIONS                          \
  {"elf", required_argument, NULL, 'e'},          \
      {"output", required_argument, NULL, 'o'}, { \
    "help", no_argument, NULL, 'h'                \
  }

struct mip_view {
  const char *elf, *out; /* or NULL */
  /* Set by mip_view_run. */
  struct mip_profile profile;
  struct mip_places places;
  FILE *stream;
};

/* Takes the options e and o; false: it is another one. */
bool mip_view_take(struct mip_view *view, int option);

/* What a command prints; NULL, or what is wrong. */
typedef const char *mip_view_print(struct mip_view *view, void *context);

/* Opens the one file that arguments name, prints, and closes everything. The
 * command's exit status. */
int mip_view_run(struct mip_view *view, const char *command, char **arguments,
                 mip_view_print *print, void *context);

/* Whether lists of a linker and profiles of LLVM can have the name: letters,
 * digits, _ . and $, as C and C++ functions have them. */
bool mip_is_plain(const char *name);

#endif
