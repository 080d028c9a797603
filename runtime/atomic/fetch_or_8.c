/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "operations.h"

BAREPROF_FETCH_OR(8)
