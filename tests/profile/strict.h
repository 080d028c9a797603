/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks that a document is JSON as in RFC 8259, in UTF-8, up to its last byte.
 * It must not have fractions, exponents or `false`, because the tool does not
 * write them.
 */
#ifndef TESTS_PROFILE_STRICT_H
#define TESTS_PROFILE_STRICT_H

#include "base/bytes.h"

/* If the document is not valid, prints why and ends the program. */
void check_json(struct bytes document);

#endif
