/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes and reads lean dumps as files (.bpdump). dumpfile.h describes the
 * format.
 */
#include "dumpfile.h"

#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "../base/error.h"
#include "../object/elf.h"

/* A stream, and the CRC of all bytes written to the stream. */
struct crc_stream {
  FILE *stream;
  uint32_t crc;
};

static void write_bytes(struct crc_stream *out, const void *bytes,
                        size_t size) {
  fwrite(bytes, 1, size, out->stream);
  out->crc = bareprof_crc32(out->crc, bytes, size);
}

#define PUT_LINE(out, ...)                                 \
  do {                                                     \
    char line[160];                                        \
    int length = snprintf(line, sizeof line, __VA_ARGS__); \
    write_bytes(out, line, (size_t)length);                \
  } while (0)

static void write_build_id(struct crc_stream *out,
                           const struct dump_header *header) {
  PUT_LINE(out, "build-id %s", header->build_id_size ? "" : "-");
  for (size_t i = 0; i < header->build_id_size; i++)
    PUT_LINE(out, "%02x", header->build_id[i]);
  PUT_LINE(out, "\n");
}

static void write_dump_head(struct crc_stream *out,
                            const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  PUT_LINE(out, "bareprof dump 2\nkind %u\n", header->kind);
  PUT_LINE(out, "core %u\nimage %u\nboot %u\n", header->core, header->image,
           header->boot);
  PUT_LINE(out, "order %s\n", header->big_endian ? "big" : "little");
  PUT_LINE(out, "counter %u\n",
           header_element_size(header, BAREPROF_PIECE_COUNTERS));
  if (header->compact)
    PUT_LINE(out, "pointer -\nversion -\n");
  else
    PUT_LINE(out, "pointer %d\nversion 0x%016" PRIx64 "\n",
             header->wide ? 8 : 4, header->version);
  write_build_id(out, header);
  PUT_LINE(out, "instant %s\n", snapshot->several_moments ? "several" : "one");
}

void dumpfile_write(const struct snapshot *snapshot, FILE *stream) {
  const struct dump_header *header = &snapshot->header;
  struct crc_stream out = {stream, 0};
  uint64_t size = 0;
  write_dump_head(&out, snapshot);
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct snapshot_piece *part = &snapshot->parts[i];
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
      write_bytes(&out, snapshot->parts[i].bytes,
                  (size_t)header->pieces[i].size);
  unsigned char check[4];
  store32(check, out.crc, false);
  write_bytes(&out, check, sizeof check);
}

/* ==== Reads the file of a lean dump. dumpfile.h describes the format. The
 * reader accepts no deviation from the format, since only programs write these
 * files. */

static const char damaged[] =
    "the .bpdump is damaged, incomplete, or from another release; receive the "
    "dump again, or upgrade bareprof";

/* The unread part of the head. `ok` becomes false when a field is missing. */
struct dump_head_reader {
  const unsigned char *at, *end;
  bool ok;
};

static void expect_word(struct dump_head_reader *lines, const char *word) {
  if (!lines->ok || !skip_prefix(&lines->at, lines->end, word))
    lines->ok = false;
}

static uint64_t parse_number(struct dump_head_reader *lines, unsigned radix,
                             uint64_t most) {
  const unsigned char *begin = lines->at;
  uint64_t value = 0;
  if (radix == 16)
    expect_word(lines, "0x");
  if (lines->ok)
    begin = lines->at;
  while (lines->ok && lines->at != lines->end &&
         digit_value(*lines->at) < radix) {
    unsigned next = digit_value(*lines->at++);
    if (value > (most - next) / radix)
      lines->ok = false;
    value = value * radix + next;
  }
  if (lines->at == begin || value > most)
    lines->ok = false;
  return lines->ok ? value : 0;
}

static uint64_t parse_head_number(struct dump_head_reader *lines,
                                  const char *word, unsigned radix,
                                  uint64_t most) {
  expect_word(lines, word);
  uint64_t value = parse_number(lines, radix, most);
  expect_word(lines, "\n");
  return value;
}

static void parse_build_id_line(struct dump_head_reader *lines,
                                struct dump_header *header) {
  expect_word(lines, "build-id ");
  if (!lines->ok || skip_prefix(&lines->at, lines->end, "-"))
    return;
  while (lines->end - lines->at >= 2 && digit_value(lines->at[0]) < 16 &&
         digit_value(lines->at[1]) < 16 &&
         header->build_id_size < sizeof header->build_id) {
    header->build_id[header->build_id_size++] =
        (unsigned char)(digit_value(lines->at[0]) << 4 |
                        digit_value(lines->at[1]));
    lines->at += 2;
  }
  if (header->build_id_size == 0)
    lines->ok = false;
}

static void parse_pointer_and_version(struct dump_head_reader *lines,
                                      struct dump_header *header) {
  uint64_t pointer = parse_head_number(lines, "pointer ", 10, 8);
  header->wide = pointer == 8;
  header->version = parse_head_number(lines, "version ", 16, UINT64_MAX);
  if (pointer != 4 && pointer != 8)
    lines->ok = false;
}

static void parse_dump_head(struct dump_head_reader *lines,
                            struct dump_header *header, bool *several) {
  memset(header, 0, sizeof *header);
  header->lean = true;
  expect_word(lines, "bareprof dump 2\n");
  header->kind = (unsigned)parse_head_number(lines, "kind ", 10, 15);
  header->core = (unsigned)parse_head_number(lines, "core ", 10, 15);
  header->image = (unsigned)parse_head_number(lines, "image ", 10, 15);
  header->boot = (unsigned)parse_head_number(lines, "boot ", 10, 65535);
  expect_word(lines, "order ");
  header->big_endian = skip_prefix(&lines->at, lines->end, "big");
  if (!header->big_endian)
    expect_word(lines, "little");
  uint64_t counter = parse_head_number(lines, "\ncounter ", 10, 8);
  header->compact =
      skip_prefix(&lines->at, lines->end, "pointer -\nversion -\n");
  if (header->compact)
    header->version = counter == 1 ? BAREPROF_BYTE_COVERAGE : 0;
  else
    parse_pointer_and_version(lines, header);
  if (counter != header_element_size(header, BAREPROF_PIECE_COUNTERS))
    lines->ok = false;
  parse_build_id_line(lines, header);
  expect_word(lines, "\ninstant ");
  *several = skip_prefix(&lines->at, lines->end, "several");
  if (!*several)
    expect_word(lines, "one");
  expect_word(lines, "\n");
  if (header->compact &&
      (header->build_id_size != BUILD_ID_CUT || header->kind))
    lines->ok = false;
}

/* The place where the file lists the known elements of a piece. */
struct known_ranges_text {
  unsigned piece;
  const unsigned char *at;
};

/* Reads a piece line, and skips its known elements. */
static void parse_piece_line(struct dump_head_reader *lines,
                             struct dump_header *header,
                             struct known_ranges_text *known) {
  unsigned i = (unsigned)parse_number(lines, 10, BAREPROF_PIECES - 1);
  struct dump_piece *piece = &header->pieces[i];
  expect_word(lines, " address ");
  piece->address =
      parse_number(lines, 16, header->wide ? UINT64_MAX : UINT32_MAX);
  expect_word(lines, " size ");
  if (piece->size)
    lines->ok = false;
  piece->size = parse_number(lines, 10, PIECE_LIMIT);
  expect_word(lines, " known");
  *known = (struct known_ranges_text){i, lines->at};
  while (lines->ok && lines->at != lines->end && *lines->at != '\n')
    lines->at++;
  expect_word(lines, "\n");
  if (piece->size == 0 || piece->size % header_element_size(header, i))
    lines->ok = false;
}

static void parse_known_ranges(struct dump_head_reader *lines,
                               struct snapshot *snapshot, unsigned piece) {
  uint64_t count = snapshot->header.pieces[piece].size /
                   header_element_size(&snapshot->header, piece);
  uint64_t least = 0; /* the ranges must ascend and have gaps between each
                         other */
  while (lines->ok && !skip_prefix(&lines->at, lines->end, "\n")) {
    expect_word(lines, " ");
    struct element_range range;
    range.first = (uint32_t)parse_number(lines, 10, count);
    expect_word(lines, "-");
    range.end = (uint32_t)parse_number(lines, 10, count);
    if (range.first < least || range.first >= range.end || !lines->ok ||
        !snapshot_mark_known(snapshot, piece, range))
      lines->ok = false;
    least = (uint64_t)range.end + 1;
  }
}

/* Reads the bytes of the pieces after the head, and their known ranges. */
static const char *read_piece_data(struct snapshot *snapshot,
                                   struct dump_head_reader *lines,
                                   const struct known_ranges_text *known,
                                   unsigned count) {
  uint64_t size = 0;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    size += snapshot->header.pieces[i].size;
  if (parse_head_number(lines, "data ", 10, UINT32_MAX) != size || !lines->ok ||
      (uint64_t)(lines->end - lines->at) != size)
    return damaged;
  for (unsigned i = 0; i < count && lines->ok; i++) {
    struct dump_head_reader list = {known[i].at, lines->end, true};
    size_t piece_size = (size_t)snapshot->header.pieces[known[i].piece].size;
    memcpy(snapshot->parts[known[i].piece].bytes, lines->at, piece_size);
    lines->at += piece_size;
    parse_known_ranges(&list, snapshot, known[i].piece);
    lines->ok = list.ok;
  }
  return lines->ok ? NULL : damaged;
}

bool dumpfile_is_dump(struct bytes file) {
  static const char magic[] = "bareprof dump ";
  return file.size >= sizeof magic &&
         memcmp(file.data, magic, sizeof magic - 1) == 0 &&
         digit_value(file.data[sizeof magic - 1]) < 10;
}

const char *dumpfile_read(struct snapshot *snapshot, struct bytes file) {
  struct dump_header header;
  struct known_ranges_text known[BAREPROF_PIECES];
  unsigned count = 0;
  bool several;
  if (!dumpfile_is_dump(file) || file.size < 20 ||
      bareprof_crc32(0, file.data, file.size - 4) !=
          load32(file.data + file.size - 4, false))
    return damaged;
  struct dump_head_reader lines = {file.data, file.data + file.size - 4, true};
  parse_dump_head(&lines, &header, &several);
  while (lines.ok && count < BAREPROF_PIECES &&
         skip_prefix(&lines.at, lines.end, "piece "))
    parse_piece_line(&lines, &header, &known[count++]);
  if (!lines.ok || !header.pieces[BAREPROF_PIECE_COUNTERS].size)
    return damaged;
  if (!snapshot_init(snapshot, &header))
    return out_of_memory;
  snapshot->several_moments = several;
  const char *error = read_piece_data(snapshot, &lines, known, count);
  if (error)
    snapshot_free(snapshot);
  return error;
}
