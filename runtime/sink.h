/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a sink. Negative numbers that a sink returns, such as -EIO, would look
 * like errors of the runtime, so all of them become BAREPROF_E_SINK.
 */
#ifndef BAREPROF_RUNTIME_SINK_H
#define BAREPROF_RUNTIME_SINK_H

#include "bareprof.h"

static inline int bareprof_sink_error(int error) {
  return error < 0 ? BAREPROF_E_SINK : error;
}

static inline int bareprof_sink_put(const struct bareprof_sink *sink,
                                    const void *bytes, size_t size) {
  return bareprof_sink_error(sink->write(sink->context, bytes, size));
}

#endif
