/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model as JSON, in the form of `llvm-cov export`: version 2.0.1 of releases
 * 13 to 21, 3.1.0 of release 22. exported.c reads it.
 */
#ifndef BAREPROF_TOOLS_JSON_EXPORT_H
#define BAREPROF_TOOLS_JSON_EXPORT_H

#include "../model/exported.h"

struct json_export {
  unsigned release; /* of llvm-cov; 0: the last one */
  bool expansions;  /* with the expansions of each file */
  const char *more; /* the value of the element "bareprof"; NULL: none */
};

/* Returns NULL or the error. Errors of the stream stay in it. */
const char *json_export(const struct exported *exported,
                        const struct json_export *as, FILE *stream);

#endif
