/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A snapshot with all its pieces as a raw profile, by the runtime's own
 * writer: the same bytes that bareprof_write would have sent.
 */
#ifndef BAREPROF_TOOLS_PROFILE_H
#define BAREPROF_TOOLS_PROFILE_H

#include <stdio.h>

#include "snapshot.h"

/* Writes the profile to a stream, whose errors are the caller's to find.
 * NULL, or what is wrong with the image; then nothing has been written. */
const char *profile_write(const struct snapshot *snapshot, FILE *stream);

/* Whether that could write it, as far as records tell. NULL, or what is
 * wrong. */
const char *profile_check(const struct snapshot *snapshot);

/* What an error of enum bareprof_error says about an image. */
const char *profile_error(int error);

#endif
