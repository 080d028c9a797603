/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library that is loaded, used and unloaded, twice, and another that stays:
 * what is unloaded writes then, and its second life counts from zero.
 *
 * dlopen: all
 * without: continuous continuous-14
 * without: temporal temporal-block drivers-own
 * without: debug-info-14
 */
#include <dlfcn.h>
#include <stdio.h>

static int use(const char *name, const char *symbol, int stay) {
  void *library = dlopen(name, RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 1;
  }
  union {
    void *object;
    int (*function)(int);
  } found = {dlsym(library, symbol)};
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += found.function(i);
  if (!stay)
    dlclose(library);
  return sum;
}

int main(void) {
  int sum = use("../lib1.so", "first", 0);
  sum += use("../lib2.so", "second", 1);
  sum += use("../lib1.so", "first", 0);
  return sum & 63;
}
