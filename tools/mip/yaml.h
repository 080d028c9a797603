/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile as text that people read and edit, in a part of YAML:
 *
 *   # MIP profile
 *   revision: A             # or B
 *   bits: 32                # of B only: 32 or 64
 *   version: 8
 *   type: [coverage, blocks, times, calls, returns]
 *   hash: 0xdeadbeef
 *   build: 0x1d2c3b4a       # if it is known
 *   lost: 3                 # if calls found no room on the target
 *   functions:
 *   - name: "main"
 *     raw: 0x18             # as in struct mip_function
 *     address: -0x100
 *     size: 0x30
 *     cfg: 0x70c9fa27
 *     runs: 1
 *     calls: 12
 *     order: 5
 *     blocks:
 *     - {offset: 0x4, covered: true}
 *     edges:
 *     - {from: -0x20, count: 12}
 *
 * Names are as in JSON; a byte that is not UTF-8 becomes \u00NN with its
 * number. Reading the text gives the same profile, and the same bytes of a
 * file.
 */
#ifndef MIP_YAML_H
#define MIP_YAML_H

#include <stdio.h>

#include "mip_model.h"

/* Edges must be settled. Errors are in the stream. */
void mip_yaml_write(const struct mip_profile *profile, FILE *stream);

/* Reads a text; *profile need not be initialised before, and the caller frees
 * it in both cases. Returns NULL, or the error and its line in *line. */
const char *mip_yaml_read(struct mip_profile *profile, struct bytes text,
                          size_t *line);

#endif
