/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names of functions as the source has them.
 */
#ifndef OBJECT_PLAIN_NAME_H
#define OBJECT_PLAIN_NAME_H

#include "../base/bytes.h"

/* The name without what compilers append, and of _ZL4namei.__uniq.123, which
 * -funique-internal-linkage-names makes also of C's, what is in the middle.
 * A part of name. */
struct bytes plain_name(const char *name);

/* The digits behind .__uniq. in a name: a number that
 * -funique-internal-linkage-names makes of the file's name. Empty: none. */
struct bytes unique_number(struct bytes name);

#endif
