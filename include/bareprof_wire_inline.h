/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inline functions of bareprof_wire.h, which includes this file.
 *
 * Your flags compile them. The attribute keeps counters out of them; the pragma
 * keeps them out of your coverage, where clang would list those that you do not
 * call as functions that never ran.
 */
#ifndef BAREPROF_WIRE_INLINE_H
#define BAREPROF_WIRE_INLINE_H

#pragma GCC system_header

#include "bareprof_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BAREPROF_NOT_INSTRUMENTED \
  __attribute__((no_profile_instrument_function))

BAREPROF_NOT_INSTRUMENTED static inline bareprof_encoding *
bareprof_encoding_of(unsigned options) {
  return options & BAREPROF_BINARY ? bareprof_binary : bareprof_text;
}

BAREPROF_NOT_INSTRUMENTED static inline int
bareprof_send_image_inline(const struct bareprof_image *image,
                           const struct bareprof_sink *out, unsigned options) {
  bareprof_encoding *encoding = bareprof_encoding_of(options);
  return options & BAREPROF_LEAN
             ? bareprof_send_lean(image, out, options, encoding)
             : bareprof_send_as(image, out, options, encoding);
}

BAREPROF_NOT_INSTRUMENTED static inline int
bareprof_send_inline(const struct bareprof_sink *out, unsigned options) {
  return bareprof_send_image_inline(&bareprof_running, out, options);
}

BAREPROF_NOT_INSTRUMENTED static inline int
bareprof_send_name_inline(const struct bareprof_sink *out, unsigned options,
                          const char *name) {
  return bareprof_send_name_as(out, options, name,
                               bareprof_encoding_of(options));
}

#ifdef __cplusplus
}
#endif
#endif
