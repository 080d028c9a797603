/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>
#include <string.h>

static const char *const codes[] = {
    "2580",
    "1379",
    "0007",
};
static const int tries_most = 3;

int run_lock(const char *events) {
  char entered[5] = "";
  int used = 0, tries = 0, opened = 0;
  for (; *events; events++) {
    if (tries == tries_most) {
      puts("blocked");
      return 1;
    }
    if (*events == '#') {
      used = 0;
      continue;
    }
    entered[used++] = *events;
    if (used < 4)
      continue;
    entered[used] = 0;
    used = 0;
    int found = -1;
    for (int i = 0; i < 3; i++)
      if (strcmp(codes[i], entered) == 0)
        found = i;
    if (found < 0) {
      tries++;
    } else {
      tries = 0;
      opened++;
      printf("user %d\n", found);
    }
  }
  printf("opened %d, %d wrong, %d digits\n", opened, tries, used);
  return 0;
}
