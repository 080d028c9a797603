/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The interface of the test firmware's instrumented half, for the other half.
 */
#ifndef COUNTS_H
#define COUNTS_H
#ifdef __cplusplus
extern "C" {
#endif
void counts_run(void);
#ifdef __cplusplus
}
#endif
#endif
