/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See work.c.
 */
#ifndef WORK_H
#define WORK_H

extern void (*volatile targets[3])(void);
void work(void);

#endif
