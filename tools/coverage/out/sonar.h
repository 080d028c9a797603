/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage in SonarQube's generic XML (sonar.coverageReportPaths).
 */
#ifndef BAREPROF_TOOLS_SONAR_H
#define BAREPROF_TOOLS_SONAR_H

#include <stdio.h>

#include "lcov.h"
#include "../inputs/paths.h"

/* Writes all files to a stream. The caller checks the stream for errors. */
void sonar_write(const struct lcov *lcov, const struct paths *paths,
                 FILE *stream);

#endif
