/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of sites.h. Nobody calls them.
 */
#include <string.h>

#define FUNCTION(number)                                      \
  void site_##number(char *to, void (*call)(int), int size);  \
  void site_##number(char *to, void (*call)(int), int size) { \
    memset(to, 0, (unsigned)size);                            \
    call(number);                                             \
  }
#define FOUR(n) FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3)
FOUR(1)
FOUR(2)
FOUR(3)
FOUR(4)
FOUR(5)
FOUR(6)
FOUR(7)
FOUR(8)
