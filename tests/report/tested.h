/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions under test, see tested.c.
 */
#ifndef TESTED_H
#define TESTED_H

enum { ERROR = -9999 };

int parse(const char *text);
int clamp(int value, int most);
int scale(const char *text, int most);
void tick(void); /* of an interrupt */

#endif
