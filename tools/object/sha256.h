/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * SHA-256 (FIPS 180-4), by which a report names the files that it is of.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

enum { SHA256_SIZE = 32, SHA256_TEXT = 2 * SHA256_SIZE + 1 };

void sha256(unsigned char digest[SHA256_SIZE], const void *bytes, size_t size);

#endif
