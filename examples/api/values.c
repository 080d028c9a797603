/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_values.h: values for PGO, such as targets of calls. The compiler
 * inserts calls of the hooks; the program defines the table.
 */
#include "bareprof_values.h"
BAREPROF_VALUES(128, 8);
