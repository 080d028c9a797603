/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * patch_main.c for a program of this machine, x86-64.
 */
#include <stdio.h>

#include "bareprof_mip.h"
#include "patch_work.h"

BAREPROF_MIP_ROOM(200);
BAREPROF_MIP_EDGES(64);

static int to_file(void *context, const void *bytes, size_t size) {
  return fwrite(bytes, 1, size, context) != size;
}

int main(int argc, char **argv) {
  const struct bareprof_sink sink = {to_file, fopen(argv[argc - 1], "wb")};
  bareprof_mip_init();
  printf("%u\n", work());
  int error = !sink.context || bareprof_mip_write(&sink);
  return fclose(sink.context) || error;
}
