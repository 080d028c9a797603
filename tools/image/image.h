/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an ELF knows of its profile: all but the counts. Full images
 * (bareprof.ld), lean ones (bareprof-lean.ld), those compiled with
 * -profile-correlate=binary, and what `bareprof extract` makes of them.
 */
#ifndef BAREPROF_TOOLS_IMAGE_H
#define BAREPROF_TOOLS_IMAGE_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "snapshot.h"

/* Of one that was compiled with =debug-info, its names, as the section
 * __llvm_prf_names would have them, of others none; the caller frees them.
 * *lost: it has bitmaps, and nothing says of which functions these are, so that
 * MC/DC is lost. NULL, or what is wrong. */
const char *image_names(const struct elf *elf, struct buffer *names,
                        bool *lost);

/* Makes a snapshot of the image: constant pieces known, counters and bitmap
 * not (at their initial value). version: the word. NULL, or what is wrong;
 * then there is nothing to free. Constant pieces are left in the memory of
 * the ELF where that can be: free it by image_free, which needs elf still. */
const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version);
void image_free(struct snapshot *snapshot, const struct elf *elf);

/* The raw versions as which the writer would take its records, a bit each. If
 * there are none, the reason; rather that of a likely version. */
const char *image_versions(const struct elf *elf, uint64_t variant,
                           uint32_t likely, uint32_t *versions);

/* Gives a piece of such a snapshot other bytes, from malloc. */
void image_replace(struct snapshot *snapshot, const struct elf *elf,
                   unsigned piece, unsigned char *bytes);

/* Rewrites the records of such a snapshot for another raw version. NULL, or
 * what it cannot express (a bitmap before version 9, ...). */
const char *image_convert(struct snapshot *snapshot, const struct elf *elf,
                          unsigned raw);

#endif
