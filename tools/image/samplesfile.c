/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples come as two pieces: their entries, and three numbers. Version,
 * flags and chain length are in the version word; docs/wire-format.md says how.
 */
#include "samplesfile.h"

#include "bareprof_sampler.h"
#include "image_build_id.h"

static uint32_t number(const struct snapshot *snapshot, unsigned which) {
  const unsigned char *numbers = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  return (uint32_t)load64(numbers + 8 * (size_t)which,
                          snapshot->header.big_endian);
}

struct samplesfile_counts samplesfile_counts(const struct snapshot *snapshot) {
  return (struct samplesfile_counts){number(snapshot, SAMPLES_TAKEN),
                                     number(snapshot, SAMPLES_LOST)};
}

void samplesfile_write(const struct snapshot *snapshot, FILE *stream) {
  enum { PIECE = BAREPROF_PIECE_RECORDS, VERSION = 4, FLAGS = 6, WORDS = 8 };
  const struct header *header = &snapshot->header;
  size_t size = (size_t)header->pieces[PIECE].size;
  bool big = header->big_endian;
  unsigned char head[sizeof(struct bareprof_samples)] = {0xFA, 'B', 'P', 'S'};
  const uint32_t words[] = {
      number(snapshot, SAMPLES_PERIOD),
      (uint32_t)(size / header_element(header, PIECE)),
      number(snapshot, SAMPLES_LOST),
      number(snapshot, SAMPLES_TAKEN),
      (uint32_t)(header->version >> 32),
      bareprof_build_hash(header->build_id, header->build_id_size)};
  store16(head + VERSION, (uint16_t)header->version, big);
  store16(head + FLAGS, (uint16_t)(header->version >> 16), big);
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    store32(head + WORDS + 4 * (size_t)i, words[i], big);
  fwrite(head, 1, sizeof head, stream);
  fwrite(snapshot->parts[PIECE].bytes, 1, size, stream);
}
