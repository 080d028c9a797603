/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes counters of 4 bytes out of those of 8, in LLVM's assembly language: the
 * arrays and each address in them. Increments still have 64 bits afterwards:
 * narrow_module changes those.
 */
#ifndef CC_PACK_H
#define CC_PACK_H

#include <stdio.h>

#include "../base/bytes.h"

/* Writes the module. An array of counters,
 *
 *   @__profc_f = private global [2 x i64] zeroinitializer,
 *     section "__llvm_prf_cnts", comdat, align 8
 *
 * becomes [2 x i32] in section "__llvm_prf_cnt4", align 4. An address of a
 * counter becomes that of the same counter, with the type that it had. Ignores
 * errors of out. Returns NULL or the error: some counters have another size, or
 * are elsewhere. */
const char *pack_module(struct bytes module, FILE *out);

#endif
