/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hashes of MIP files, all from the MD5 of a text.
 */
#ifndef MIP_HASH_H
#define MIP_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The module hash, of the link unit's name, such as "a.out": the low 32 bits
 * of the first half of its MD5. */
uint32_t mip_module_hash(const char *name);

/* The signature of a function's control flow: the same of its adjacency text,
 * size bytes. That has a pair of braces for each block, in the order of the
 * code, with the numbers of the blocks that may follow it, each ended by a
 * semicolon: `{1;2;}{2;}{}` is three blocks, numbered from 0. block_count says
 * how many; a function of one block, or none, has the signature 0. */
uint32_t mip_cfg_signature(const char *text, size_t size, size_t block_count);

#endif
