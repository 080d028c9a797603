/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Semihosting: files, text and the exit status through the debugger. A sink
 * that writes a profile into a file of the host, under QEMU or with a probe
 * (OpenOCD, J-Link, pyOCD). Arm, AArch64 and RISC-V.
 *
 *     struct bareprof_semihosting file;
 *     struct bareprof_sink sink = {bareprof_semihosting_write, &file};
 *     if (bareprof_semihosting_open(&file, "out.profraw") == 0) {
 *       status = bareprof_write(&sink);
 *       closed = bareprof_semihosting_close(&file);
 *     }
 *
 * What every function here has in common:
 * - The core stops in a trap, the host does the work, the core goes on: no
 *   interrupt runs meanwhile, and a call through a probe takes milliseconds.
 * - Any context may call: interrupts off, a fault handler, before
 *   constructors. No static data; the stack is 64 bytes at most. Of an
 *   operating system's tasks, one at a time: the host has no order of calls.
 * - Without a debugger nothing answers, and the trap is a fault: bkpt raises
 *   HardFault on Cortex-M, svc, hlt and ebreak their exception elsewhere.
 *   Firmware for the field must not call it, or must have a handler that
 *   steps over the trap. That nobody listens cannot be asked beforehand.
 */
#ifndef BAREPROF_SEMIHOSTING_H
#define BAREPROF_SEMIHOSTING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What open, write and close return when the host says no: positive, so
 * bareprof_write hands it back as the sink's own. Why it said no (no such
 * folder, disk full, no right) is on the host's side only. */
#define BAREPROF_SEMIHOSTING_ERROR 2

/* A file of the host. The storage is yours, from open to close; its content
 * is the host's handle, which only these functions use. */
struct bareprof_semihosting {
  long handle;
};

/* Opens path for writing in binary, and empties it if it is there. path ends
 * with a 0 byte, is read during the call only, and is relative to the folder
 * in which QEMU or the debugger's server was started. Returns 0, or
 * BAREPROF_SEMIHOSTING_ERROR; then there is nothing to close. */
int bareprof_semihosting_open(struct bareprof_semihosting *file,
                              const char *path);

/* A sink's callback: file is the struct bareprof_semihosting, open; bytes
 * (size of them) are read during the call only. Returns 0 when the host took
 * all of them, else BAREPROF_SEMIHOSTING_ERROR: the file then holds an
 * unknown part of them. */
int bareprof_semihosting_write(void *file, const void *bytes, size_t size);

/* Closes the file. Until then the host may keep bytes in a buffer, so its
 * return value counts: 0, or BAREPROF_SEMIHOSTING_ERROR. */
int bareprof_semihosting_close(struct bareprof_semihosting *file);

/* Prints text, up to its 0 byte, on the debugger's console. QEMU's is
 * standard error, unless -semihosting-config gives a chardev. */
void bareprof_semihosting_print(const char *text);

/* Ends the program; under QEMU also QEMU, with this exit status (0 to 255).
 * Does not return: should the host let the core go on, it loops here. Files
 * that are still open are closed by QEMU, maybe not by a probe's server. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void bareprof_semihosting_exit(int status);

/* The trap itself, for operations not listed here: the number and the block
 * of arguments are those of Arm's "Semihosting for AArch32 and AArch64".
 * Each field of the block is as wide as a pointer, in the byte order that
 * the host expects: QEMU's is little-endian, also for big-endian programs.
 * Returns the host's answer. */
long bareprof_semihosting_call(long operation, void *block);

#ifdef __cplusplus
}
#endif
#endif
