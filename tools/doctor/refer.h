/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whether an image may refer to a place: by a word that is loaded, or by code
 * that puts the address together. For checks that may only report "no
 * reference".
 */
#ifndef DOCTOR_REFER_H
#define DOCTOR_REFER_H

#include "facts.h"

/* Whether anything may refer to an address from first to last. The word at
 * `except` does not count. Also true where that cannot be told: of machines
 * other than Arm, AArch64 and RISC-V, of code that is not in the file, of
 * Arm's without mapping symbols, and of code that adds its own address to a
 * register. */
bool may_refer(const struct elf *elf, uint64_t first, uint64_t last,
               uint64_t except);

/* Marks each of the functions whose counters anything may refer to: met has an
 * element for each of them. Returns false where that cannot be told. */
bool may_count(const struct facts *facts, bool *met);

#endif
