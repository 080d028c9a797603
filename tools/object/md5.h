/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MD5 (RFC 1321), which LLVM's profiles use to refer to names. It protects
 * nothing.
 */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

#include "../base/bytes.h"

void md5(unsigned char digest[16], const void *bytes, size_t size);

/* A name as LLVM's records have it, in NameRef and in indirect calls: the
 * first half of its MD5, little end first. */
uint64_t md5_low64(const void *bytes, size_t size);

/* The same of count messages, side by side: several times as fast. A message
 * is not NULL. */
void md5_low64_all(const struct bytes *list, size_t count, uint64_t *sums);

#endif
