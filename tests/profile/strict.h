/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether a document is JSON as RFC 8259 has it, in UTF-8, to the last byte;
 * with no other numbers than whole ones, and no false, which we do not write.
 */
#ifndef TESTS_PROFILE_STRICT_H
#define TESTS_PROFILE_STRICT_H

#include "base/bytes.h"

/* Ends the program, and says what is wrong, if it is not. */
void check_json(struct bytes document);

#endif
