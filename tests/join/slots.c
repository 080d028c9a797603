/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Storage for the values of the join tests' firmware, so much that none makes
 * room for another: which does depends on addresses.
 */
#include "bareprof_values.h"

BAREPROF_VALUES(256, 16);
