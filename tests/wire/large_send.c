/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware's side of large.c, compiled as on a target.
 */
#include "large_send.h"

#include "bareprof_wire.h"
#include "../../runtime/image.h"

static const _Alignas(8) unsigned char note[36] = {
    4,    0,    0,    0,    20,   0,    0,    0,    3,    0,    0,    0,
    'G',  'N',  'U',  0,    0x9C, 0x1E, 0x5C, 0x93, 0x07, 0xE8, 0x4A, 0xF6,
    0x21, 0xD9, 0x70, 0x3B, 0x8E, 0x12, 0xC5, 0x66, 0xA9, 0x04, 0xDB, 0x37};

int large_send(const struct large *large, large_take *take, void *to,
               bool binary) {
  static const uint64_t version = 10;
  const struct bareprof_sink sink = {take, to};
  const unsigned char *counters = large->counters, *bitmap = large->bitmap;
  uint64_t guard = 0;
  struct bareprof_image image = {
      .version = &version,
      .guard = &guard,
      .build_id = {note, note + sizeof note},
      .counters = {counters, counters + large->counters_size},
      .bitmap = {bitmap, bitmap + large->bitmap_size}};
  guard = bareprof_expected_guard_half(&image) | UINT64_C(5) << 32;
  return (bareprof_send_image)(
      &image, &sink,
      BAREPROF_LEAN | (binary ? BAREPROF_BINARY : BAREPROF_TEXT));
}
