/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw section comes as two pieces, its header and what follows; edges as
 * the target's table: a word, calls lost, then entries of three words. How
 * they stand in a file is described in runtime/mip_edges_write.c.
 */
#include "mipfile.h"

#include "mip.h"
#include "mipform.h"

enum { LOST_BYTES = 4, EDGE_BYTES = 12, EDGE_COUNT = 8 };

static const struct piece *piece_of(const struct header *header,
                                    enum bareprof_piece piece) {
  return &header->pieces[piece];
}

bool mipfile_counts(const struct snapshot *snapshot) {
  const unsigned char *head = snapshot->parts[BAREPROF_PIECE_RECORDS].bytes;
  return mip_form_of(head, snapshot->header.big_endian) != MIP_FORM_BYTES;
}

static void put(FILE *stream, const void *bytes, size_t size) {
  fwrite(bytes, 1, size, stream);
}

static void put_word(FILE *stream, uint32_t word, bool big) {
  unsigned char bytes[4];
  store32(bytes, word, big);
  put(stream, bytes, sizeof bytes);
}

static const unsigned char *table_of(const struct snapshot *snapshot,
                                     const unsigned char **end) {
  const unsigned char *table = snapshot->parts[BAREPROF_PIECE_BITMAP].bytes;
  *end = table + piece_of(&snapshot->header, BAREPROF_PIECE_BITMAP)->size;
  return table + LOST_BYTES;
}

struct mipfile_edges mipfile_edges(const struct snapshot *snapshot) {
  struct mipfile_edges edges = {0, 0};
  const unsigned char *end;
  if (!snapshot->parts[BAREPROF_PIECE_BITMAP].bytes)
    return edges;
  const unsigned char *at = table_of(snapshot, &end);
  edges.lost = load32(at - LOST_BYTES, snapshot->header.big_endian);
  for (; at != end; at += EDGE_BYTES)
    edges.count += load32(at + EDGE_COUNT, false) != 0; /* any order */
  return edges;
}

static void put_edges(const struct snapshot *snapshot, FILE *stream) {
  struct mipfile_edges edges = mipfile_edges(snapshot);
  const unsigned char *head = snapshot->parts[BAREPROF_PIECE_RECORDS].bytes;
  uint32_t begin =
      (uint32_t)piece_of(&snapshot->header, BAREPROF_PIECE_RECORDS)->address;
  const unsigned char *end;
  bool big = snapshot->header.big_endian;
  unsigned char file[4];
  store16(file, BAREPROF_MIP_VERSION, big);
  store16(file + 2, BAREPROF_MIP_RET, big);
  put_word(stream, BAREPROF_MIP_MAGIC, big);
  put(stream, file, sizeof file);
  put(stream, head + 8, BAREPROF_MIP_HEADER - 8);
  put_word(stream, edges.count, big);
  put_word(stream, edges.lost, big);
  for (const unsigned char *at = table_of(snapshot, &end); at != end;
       at += EDGE_BYTES) {
    if (load32(at + EDGE_COUNT, false) == 0)
      continue;
    put_word(stream, load32(at, big) - begin, big);
    put_word(stream, load32(at + 4, big) - begin, big);
    put(stream, at + EDGE_COUNT, 4);
  }
  if (edges.count & 1)
    put_word(stream, 0, big);
}

const char *mipfile_write(const struct snapshot *snapshot, FILE *stream) {
  static const unsigned char zeros[8];
  const struct part *parts = snapshot->parts;
  const unsigned char *head = parts[BAREPROF_PIECE_RECORDS].bytes;
  size_t size =
      (size_t)piece_of(&snapshot->header, BAREPROF_PIECE_COUNTERS)->size;
  bool big = snapshot->header.big_endian;
  if (load32(head, big) != BAREPROF_MIP_MAGIC ||
      load16(head + 6, big) != BAREPROF_MIP_RAW)
    return "its header is not that of a raw section; was bareprof_mip_init() "
           "called?";
  put(stream, head, BAREPROF_MIP_HEADER);
  put(stream, parts[BAREPROF_PIECE_COUNTERS].bytes, size);
  if (parts[BAREPROF_PIECE_BITMAP].bytes) {
    put(stream, zeros, -size & 7);
    put_edges(snapshot, stream);
  }
  return NULL;
}
