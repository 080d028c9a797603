/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "operations.h"

BAREPROF_SYNC_ADD(4)
