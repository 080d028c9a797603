/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lean dumps as files.
 */
#include "dumpfile.h"

#include <inttypes.h>

/* What goes to a stream, and its CRC. */
struct checked {
  FILE *stream;
  uint32_t crc;
};

static void put(struct checked *out, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, out->stream);
  out->crc = bareprof_crc32(out->crc, bytes, size);
}

#define PUT_LINE(out, ...)                                 \
  do {                                                     \
    char line[160];                                        \
    int length = snprintf(line, sizeof line, __VA_ARGS__); \
    put(out, line, (size_t)length);                        \
  } while (0)

static void put_build_id(struct checked *out, const struct header *header) {
  PUT_LINE(out, "build-id %s", header->build_id_size ? "" : "-");
  for (size_t i = 0; i < header->build_id_size; i++)
    PUT_LINE(out, "%02x", header->build_id[i]);
  PUT_LINE(out, "\n");
}

static void put_head(struct checked *out, const struct snapshot *snapshot) {
  const struct header *header = &snapshot->header;
  PUT_LINE(out, "bareprof dump 2\nkind %u\n", header->kind);
  PUT_LINE(out, "core %u\nimage %u\nboot %u\n", header->core, header->image,
           header->boot);
  PUT_LINE(out, "order %s\n", header->big_endian ? "big" : "little");
  PUT_LINE(out, "counter %u\n",
           header_element(header, BAREPROF_PIECE_COUNTERS));
  if (header->cut)
    PUT_LINE(out, "pointer -\nversion -\n");
  else
    PUT_LINE(out, "pointer %d\nversion 0x%016" PRIx64 "\n",
             header->wide ? 8 : 4, header->version);
  put_build_id(out, header);
  PUT_LINE(out, "instant %s\n", snapshot->several ? "several" : "one");
}

void dumpfile_write(const struct snapshot *snapshot, FILE *stream) {
  const struct header *header = &snapshot->header;
  struct checked out = {stream, 0};
  uint64_t size = 0;
  put_head(&out, snapshot);
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct part *part = &snapshot->parts[i];
    if (!part->bytes)
      continue;
    PUT_LINE(&out, "piece %u address 0x%" PRIx64 " size %" PRIu64 " known", i,
             header->pieces[i].address, header->pieces[i].size);
    for (size_t r = 0; r < part->known_count; r++)
      PUT_LINE(&out, " %" PRIu32 "-%" PRIu32, part->known[r].first,
               part->known[r].end);
    PUT_LINE(&out, "\n");
    size += header->pieces[i].size;
  }
  PUT_LINE(&out, "data %" PRIu64 "\n", size);
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    if (snapshot->parts[i].bytes)
      put(&out, snapshot->parts[i].bytes, (size_t)header->pieces[i].size);
  unsigned char check[4];
  store32(check, out.crc, false);
  put(&out, check, sizeof check);
}
