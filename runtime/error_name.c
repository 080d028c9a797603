/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors by name, for logs. A switch, not an array: that would be data to
 * relocate in position-independent code.
 */
#include "bareprof.h"

#define NAME(error) \
  case error:       \
    return #error

const char *bareprof_error_name(int error) {
  switch (error) {
    NAME(BAREPROF_E_VERSION);
    NAME(BAREPROF_E_NO_BOUNDS);
    NAME(BAREPROF_E_EMPTY);
    NAME(BAREPROF_E_NO_COUNTERS);
    NAME(BAREPROF_E_NO_RECORDS);
    NAME(BAREPROF_E_NO_NAMES);
    NAME(BAREPROF_E_ALIGN);
    NAME(BAREPROF_E_NOT_INIT);
    NAME(BAREPROF_E_MIXED);
    NAME(BAREPROF_E_RECORD);
    NAME(BAREPROF_E_VALUES);
    NAME(BAREPROF_E_NOT_PROFILE);
    NAME(BAREPROF_E_TRUNCATED);
    NAME(BAREPROF_E_OTHER_BUILD);
    NAME(BAREPROF_E_BUSY);
    NAME(BAREPROF_E_OTHER_LAYOUT);
    NAME(BAREPROF_E_NO_BUILD_ID);
    NAME(BAREPROF_E_NOT_MOVABLE);
    NAME(BAREPROF_E_NO_ROOM);
    NAME(BAREPROF_E_PACKED);
    NAME(BAREPROF_E_SINK);
  default:
    return error ? error > 0 ? "the sink's error" : "unknown error" : "success";
  }
}
