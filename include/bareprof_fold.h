/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: counts beyond 2^32 of objects that count with 32 bits.
 *
 * `bareprof cc --counters=32-atomic` lets code count in the lower half of its
 * 64-bit counters only, in one instruction or one exclusive pair, which is
 * smaller and faster. Such a counter wraps at 2^32. bareprof_fold notices that,
 * and keeps the carry in the upper half:
 *
 *     void tick(void) {                 a timer's interrupt, or a task
 *       bareprof_fold();
 *     }
 *
 * A program that calls bareprof_fold has exact counts up to 2^62-1. Without
 * any call of it, these counters are modulo 2^32: each dump then says so, and
 * so do the tool's commands.
 *
 * How often: at least once while any counter counts 2^31 times. No counter
 * counts faster than the shortest loop around its increment runs:
 *
 *     period in seconds <= 2^31 * cycles of that loop / clock in Hz
 *
 * A loop of 10 cycles at 100 MHz: every 214 s. If all cores run that loop,
 * divide by their number. A tick each second is safe up to 2 * 10^9 counts a
 * second. The period counts from bareprof_init, bareprof_reset or
 * bareprof_merge, too. If one period is longer, a counter may be 2^32 too low,
 * and nothing reports it.
 *
 * Objects that count with 64 bits may be in the same program: they carry by
 * themselves, and bareprof_fold notices that. If it may interrupt their
 * increments (no -fprofile-update=atomic), call it at least once in 2^27
 * counts: a period in which each call interrupts the increment of one counter
 * counts as one in which there was no call.
 *
 * The linker script refuses programs in which an interrupt may lose a count,
 * because that can also lose a carry: objects of --counters=32, and objects
 * with increments that `bareprof cc` has left as they were (--verbose counts
 * them).
 *
 * Counters of 4 bytes (`bareprof cc --counters=32-packed`) have no upper half.
 * From 2^31 on they stand for "at least 2^31": bareprof_fold sets them back to
 * 2^31, so they never wrap. With atomic increments (-fprofile-update=atomic),
 * the period is the same. A plain increment that bareprof_fold interrupts
 * undoes that call for its counter. So with plain increments, call
 * bareprof_fold at least once in 2^27 counts: a counter then survives 14 such
 * calls in a row. The host says when a report has such counts.
 *
 * The program must be linked with bareprof.ld, or with another script of
 * linker-scripts/. Otherwise the link ends with `undefined symbol:
 * __bareprof_guard`.
 *
 * Everything here reads counters through this: bareprof_write, bareprof_size,
 * bareprof_merge (which stops at 2^62-1), bareprof_send, bareprof_retain.h, and
 * compiler-rt's names. The words in memory are not the counts: code of yours
 * that reads from __llvm_profile_begin_counters() on gets words in which bits
 * 62 and 63 are bareprof_fold's. `bareprof join` and GDB's memory images need
 * no care: the ELF says that the program has bareprof_fold.
 */
#ifndef BAREPROF_FOLD_H
#define BAREPROF_FOLD_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes up the carries of all counters of the running image. Counters of one
 * byte have none: then, and before bareprof_init, the call does nothing. It
 * never writes the half that code counts in, except to a counter of 4 bytes
 * above 2^31: code may count meanwhile, in interrupts and on other cores. For
 * each counter it takes 6 to 9 instructions
 * on a 32-bit core, and some 15 more if there is something to do. Stack: 24
 * bytes.
 *
 * It may be called from any context that may read and write the counters. Call
 * it from one place: calls may interrupt each other, or overlap on two cores,
 * without harm, if the period and the longest call, with all that interrupts
 * it, are together no longer than the period above. It may interrupt
 * bareprof_write, _send, _merge and _reset. None of bareprof_init, _reset and
 * _merge may interrupt it, or run on another core at the same time. */
void bareprof_fold(void);

#ifdef __cplusplus
}
#endif
#endif
