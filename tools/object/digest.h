/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes digests of bytes: MD5 for names in profiles, SHA-256 for files in
 * reports.
 */
#ifndef OBJECT_DIGEST_H
#define OBJECT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "../base/bytes.h"

/* ---- MD5 ----
 *
 * Computes MD5 (RFC 1321). LLVM's profiles refer to each name with its MD5. The
 * MD5 does not protect anything. */

void md5(unsigned char digest[16], const void *bytes, size_t size);

/* Returns the low 64 bits of the MD5, little-endian. LLVM's function data and
 * its indirect-call counts refer to names by this number. */
uint64_t md5_low64(const void *bytes, size_t size);

/* Computes md5_low64 of `count` messages at once, several times as fast as with
 * one call for each message. The pointers of the messages must not be NULL. */
void md5_low64_all(const struct bytes *list, size_t count, uint64_t *sums);

/* ---- SHA-256 ----
 *
 * Computes SHA-256 (FIPS 180-4). A report identifies its input files by this
 * digest. */

enum { SHA256_SIZE = 32, SHA256_TEXT = 2 * SHA256_SIZE + 1 };

void sha256(unsigned char digest[SHA256_SIZE], const void *bytes, size_t size);

#endif
