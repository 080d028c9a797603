/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The work of this tier's instrumented programs, in C and in C++.
 */
#ifndef WORK_H
#define WORK_H

#ifdef __cplusplus
extern "C"
#endif
    int
    work(int rounds);

#endif
