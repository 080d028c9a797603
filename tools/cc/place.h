/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changes an object of clang's so that any linker script places its profile:
 * counters and bitmaps become .bss.bareprof_c and .bss.bareprof_b, which the
 * vendor's script puts into its .bss, and the vendor's start-up code clears.
 * Records (__llvm_covdata; of counters of 4 bytes __llvm_covdat4) and names are
 * no longer loaded, and records have addresses, not distances. The version
 * word, if there is one, goes to .bareprof.version, where no linker drops it.
 * References to the profile's runtime become weak. Constructors that register
 * functions (of clang 13 to 17) are excluded from the link.
 */
#ifndef CC_PLACE_H
#define CC_PLACE_H

#include <stdio.h>

#include "../base/buffer.h"
#include "../base/bytes.h"

struct place {
  bool labels; /* from the caller: counters get addresses, and no memory */
  uint64_t counters, bitmaps; /* bytes of .bss */
  uint64_t data; /* bytes that are not zero at first, and so stay in .data */
};

/* Whether the bytes begin like an ELF object, which place_object reads. */
bool place_is_object(struct bytes file);

/* Changes the object. One without a profile stays as it is: then
 * place->counters and place->data are 0. Returns NULL or the error; after an
 * error the file is unusable. */
const char *place_object(struct place *place, struct buffer *file);

/* The same for a module of LLVM's assembly language whose counters are lowered
 * for clang's own correlation: of the link's optimiser, records and names are
 * as they have to be. Returns NULL or the error. */
extern const char place_needs_19[];
const char *place_module(struct bytes file, FILE *out);

#endif
