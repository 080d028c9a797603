/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces SEGGER's header: the functions that segger_rtt.c calls, as described
 * in J-Link's manual.
 */
#ifndef SEGGER_RTT_H
#define SEGGER_RTT_H

#define SEGGER_RTT_MODE_NO_BLOCK_SKIP 0
#define SEGGER_RTT_MODE_NO_BLOCK_TRIM 1

int SEGGER_RTT_ConfigUpBuffer(unsigned channel, const char *name, void *buffer,
                              unsigned size, unsigned flags);
int SEGGER_RTT_ConfigDownBuffer(unsigned channel, const char *name,
                                void *buffer, unsigned size, unsigned flags);
unsigned SEGGER_RTT_Write(unsigned channel, const void *bytes, unsigned size);
unsigned SEGGER_RTT_Read(unsigned channel, void *bytes, unsigned size);
unsigned SEGGER_RTT_GetBytesInBuffer(unsigned channel);

#endif
