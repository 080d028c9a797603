/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Semihosting: files, text and the exit status through the debugger. The sink
 * here writes a profile into a file of the host, under QEMU or with a probe
 * (OpenOCD, J-Link, pyOCD). Arm, AArch64 and RISC-V.
 *
 *     struct bareprof_semihosting file;
 *     struct bareprof_sink sink = {bareprof_semihosting_write, &file};
 *     if (bareprof_semihosting_open(&file, "out.profraw") == 0) {
 *       status = bareprof_write(&sink);
 *       closed = bareprof_semihosting_close(&file);
 *     }
 *
 * All functions here:
 * - The core stops in a trap, and no interrupt runs, while the host does the
 *   work. A call through a probe takes milliseconds. No pointer may be NULL,
 *   except `block`.
 * - They may be called from any context: with interrupts off, in a fault
 *   handler, before .data and .bss are set. At most 64 bytes of stack. Calls of
 *   several tasks must not overlap.
 * - Without a debugger the trap is a fault: bkpt raises HardFault on Cortex-M;
 *   svc, hlt and ebreak raise their exception elsewhere. Firmware for the field
 *   must not call these functions, or needs a handler that steps over the trap.
 */
#ifndef BAREPROF_SEMIHOSTING_H
#define BAREPROF_SEMIHOSTING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* open, write and close return 0, or this value if the host reports failure;
 * bareprof_write returns it unchanged. */
#define BAREPROF_SEMIHOSTING_ERROR 2

/* A file of the host. The storage is yours, from open to close. */
struct bareprof_semihosting {
  long handle;
};

/* Opens path for writing in binary, and empties an existing file. path is a
 * string, read during the call only, and relative to the folder in which QEMU
 * or the debugger's server was started. After an error there is nothing to
 * close. */
int bareprof_semihosting_open(struct bareprof_semihosting *file,
                              const char *path);

/* A sink's callback. file: the open struct bareprof_semihosting. After an error
 * the file has an unknown part of the bytes. */
int bareprof_semihosting_write(void *file, const void *bytes, size_t size);

/* Closes the file. The host may buffer bytes until then, so check the return
 * value. */
int bareprof_semihosting_close(struct bareprof_semihosting *file);

/* Prints text, up to its 0 byte, on the debugger's console. QEMU prints to
 * standard error, unless -semihosting-config gives a chardev. */
void bareprof_semihosting_print(const char *text);

/* Ends the program with this exit status (0 to 255); under QEMU also ends QEMU.
 * Does not return: if the host lets the core go on, or does not support
 * SYS_EXIT_EXTENDED, the function loops. QEMU closes files that are still open;
 * a probe's server may not. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void bareprof_semihosting_exit(int status);

/* The trap itself, for operations not listed here. Arm's "Semihosting for
 * AArch32 and AArch64" defines the number, the block of arguments and the
 * answer, which the function returns. The host reads and writes the block only
 * during the call; pass NULL for an operation without arguments. Each field of
 * the block is as wide as a pointer, in the byte order that the host expects:
 * QEMU expects little-endian, also from big-endian programs. */
long bareprof_semihosting_call(long operation, void *block);

#ifdef __cplusplus
}
#endif
#endif
