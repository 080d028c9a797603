/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shows the findings as text for people and as JSON for programs.
 */
#ifndef DOCTOR_DOCTOR_SHOW_H
#define DOCTOR_DOCTOR_SHOW_H

#include <stdio.h>

#include "facts.h"
#include "findings.h"

/* As text of 80 columns: the image in a line, the findings, the costs. */
void show_text(FILE *stream, const char *file, const struct facts *facts,
               const struct findings *findings);

/* Writes a JSON object, which the caller puts into an array. Unknown fields are
 * left out. facts: NULL for a file that could not be read. */
void show_json(FILE *stream, const char *file, const struct facts *facts,
               const struct findings *findings);

#endif
