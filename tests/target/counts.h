/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instrumented half of the test firmware, as the other half sees it.
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
