/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Digests of bytes.
 */
#ifndef OBJECT_DIGEST_H
#define OBJECT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "../base/bytes.h"

/* ---- MD5 ----
 *
 * MD5 (RFC 1321), which LLVM's profiles use to refer to names. It protects
 * nothing.
 */

void md5(unsigned char digest[16], const void *bytes, size_t size);

/* A name as LLVM's records have it, in NameRef and in indirect calls: the
 * first half of its MD5, little end first. */
uint64_t md5_low64(const void *bytes, size_t size);

/* The same of count messages, side by side: several times as fast. A message
 * is not NULL. */
void md5_low64_all(const struct bytes *list, size_t count, uint64_t *sums);

/* ---- SHA-256 ----
 *
 * SHA-256 (FIPS 180-4), by which a report names the files that it is of.
 */

enum { SHA256_SIZE = 32, SHA256_TEXT = 2 * SHA256_SIZE + 1 };

void sha256(unsigned char digest[SHA256_SIZE], const void *bytes, size_t size);

#endif
