/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define SHORT
#include "lambda.h"
int twice() { return outer(1) + outer(2); }
