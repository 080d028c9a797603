/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "traffic") == 0)
    return run_traffic(argv[2]);
  if (strcmp(what, "vending") == 0)
    return run_vending(argv[2]);
  if (strcmp(what, "tank") == 0)
    return run_tank(argv[2]);
  if (strcmp(what, "lock") == 0)
    return run_lock(argv[2]);
  if (strcmp(what, "lift") == 0)
    return run_lift(argv[2]);
  if (strcmp(what, "date") == 0)
    return run_date(argv[2]);
  if (strcmp(what, "filter") == 0)
    return run_filter(argv[2]);
  if (strcmp(what, "limit") == 0 && limit_known(argv[2][0] - '0')) {
    printf("%d\n", limits[argv[2][0] - '0']);
    return 0;
  }
  puts("no such part");
  return 2;
}
