/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage as Cobertura's XML (coverage-04.dtd), which CI servers read. A
 * package is a folder, a class is a source file.
 */
#ifndef BAREPROF_TOOLS_COBERTURA_H
#define BAREPROF_TOOLS_COBERTURA_H

#include <stdio.h>

#include "lcov.h"
#include "../inputs/paths.h"

/* Writes the file to a stream. The caller checks the stream for errors. */
void cobertura_write(const struct lcov *lcov, const struct paths *paths,
                     FILE *stream);

/* GitLab reads no file of more than 10 MB, so a large report is written in
 * parts. Returns the entry behind the part from `from` on: as many source files
 * as fit into limit bytes, but at least one. */
size_t cobertura_part(const struct lcov *lcov, size_t from, size_t limit,
                      const struct paths *paths);

#endif
