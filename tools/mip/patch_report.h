/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof mip patch` says of its work, and the name it goes by.
 */
#ifndef MIP_PATCH_REPORT_H
#define MIP_PATCH_REPORT_H

#include <stdio.h>

#include "patch.h"

/* A line for each function that has no sled, though it was chosen:
 *   ADDRESS NAME: why */
void patch_log(const struct patch *patch, FILE *stream);

/* One line: how many have one, and how many have not, by reason. */
void patch_summary(const struct patch *patch, FILE *stream);

/* Sets patch->hash from the name of an output, `app.elf`; of an ELF with a
 * build id `app.elf@BUILDID`, of one of which only some functions were chosen
 * with `+MD5` of their names besides: nothing else tells the builds of a
 * program apart. NULL, or what is wrong. */
const char *patch_unit(struct patch *patch, const char *output,
                       const struct patch_choice *choice);

#endif
