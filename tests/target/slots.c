/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Storage for value profiles.
 */
#include "bareprof_values.h"

BAREPROF_VALUES(32, 4);
