/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles into profiles, and files into profiles.
 */
#ifndef MIP_ADD_H
#define MIP_ADD_H

#include "files.h"

/* NULL, or in what they differ, and what to do. */
const char *mip_same_build(const struct mip_profile *to,
                           const struct mip_profile *from);

/* Adds a profile of the same build. NULL, or what is wrong; then nothing was
 * added. */
const char *mip_add_profile(struct mip_profile *to,
                            const struct mip_profile *from);

/* Adds a file: a profile, or what a target has sent. The same. */
const char *mip_add_file(struct mip_profile *to, struct bytes file,
                         const struct mip_raw_options *options);

#endif
