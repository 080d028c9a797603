/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The groups of checks that images.c runs, for this machine and for others.
 */
#ifndef TESTS_H
#define TESTS_H

#include "compose.h"

/* Writes profiles for llvm-profdata to the folder, unless `folder` is NULL. */
void test_table(const char *folder);
void test_sinks(void);
void test_refusals(void);
void test_twins(void);
void test_mixed(void);
/* Only for this machine, because these checks write to the image. */
void test_live(void);

#endif
