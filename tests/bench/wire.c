/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The recorded counts as images in this firmware's RAM, in both forms of a
 * lean dump. recorded.h is what tests/bench/wire makes of the files in counts.
 */
#include "forms.h"

struct recorded {
  const char *name;
  uint64_t version;
  struct bareprof_span counters, bitmap;
};

#include "recorded.h"

/* A build id of the usual size, and always the same, as frames then are. */
static const struct {
  uint32_t sizes[3];
  char name[4];
  unsigned char id[20];
} note = {{4, 20, 3}, "GNU", "not the real one"};

int main(void) {
  const unsigned char *id = (const unsigned char *)&note;
  for (unsigned i = 0; i < sizeof recorded / sizeof *recorded; i++) {
    const struct bareprof_image image = {.version = &recorded[i].version,
                                         .counters = recorded[i].counters,
                                         .bitmap = recorded[i].bitmap,
                                         .build_id = {id, id + sizeof note}};
    if (forms(recorded[i].name, &image))
      return 1;
  }
  return 0;
}
