/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library with counters under a main without, and a runtime in either: the
 * one of the library writes its profile, the other one that has no records.
 *
 * without: debug-info-14
 */
extern const int instrumented_but_without_code;
const int instrumented_but_without_code = 1;
