/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the instrumented programs of this tier do, in C and in C++.
 */
#ifndef WORK_H
#define WORK_H

#ifdef __cplusplus
extern "C"
#endif
    int
    work(int rounds);

#endif
