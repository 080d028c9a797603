/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The forms in which `bareprof mip show` prints a profile. They write to
 * view->stream, and return NULL, or what is wrong.
 */
#ifndef MIP_SHOW_H
#define MIP_SHOW_H

#include "view.h"

/* A line a function, with its blocks and callers below it; those whose names
 * contain the text, or all of them: "". */
const char *mip_show_text(struct mip_view *view, const char *text);

/* A tracefile of lcov, see show.c; needs the ELF. */
const char *mip_show_lcov(struct mip_view *view);

/* A text profile of LLVM, see show.c. */
const char *mip_show_proftext(struct mip_view *view);

#endif
