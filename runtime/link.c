/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Dumps as frames. This comment is the description of the link's format,
 * version 1; the code below, frame.c and coder.c are its sender, request.c
 * is the receiver of requests, tools/link the host's side.
 *
 * FRAME, before armor:
 *   head      1 byte    bits 0 to 2 type, bits 3 to 7 piece (0 unless DATA)
 *   dump      2 bytes   which dump; little-endian, as all fixed numbers here
 *   sequence  1 byte    0 for the header, then 1, 2, ... modulo 256
 *   body                by type
 *   check     4 bytes   CRC-32 (crc32.h) of all before it
 * A varint is an unsigned number in groups of 7 bits, lowest first, bit 7 set
 * in all but the last. A signed number z is the varint of 2z, or -2z - 1 if
 * negative.
 *
 * A dump is a HEADER, any number of DATA frames, an END. Its number is a hash
 * of the counters, the sender and the request: dumps of one number show one
 * state of one sender. Frames of several dumps may be mixed on the wire.
 *
 * type 0, HEADER:
 *   varint  format, 1. A receiver refuses others
 *   varint  flags: 1 big-endian, 2 lean (records and names are left out, the
 *           ELF has them), 4 pointers of 8 bytes (else 4); bits 4 and up kind:
 *           0 profile, 1 MIP raw: below, 2 samples
 *   varint  core in bits 0 to 3, image in bits 4 to 7, boot in 8 to 23
 *   varint  twice the tag of the request, 0 if unasked; plus 1 if this dump
 *           has only what the request named
 *   varint  the lower half of the version word (the raw version)
 *   varint  the upper half, rotated left by 8 bits (the variant bits)
 *   varint  bytes of the build id, then the build id
 *   then, up to the end, for each piece that is in the image, ascending:
 *   varint  2 * piece, plus 1 if it is left out of this dump
 *   varint  bytes of the piece; of value slots their number
 *   signed  its link address less that of the end of the piece before it in
 *           this list (0 for the first); 0 for value slots
 *
 * Samples (bareprof_sampler.h) have two pieces. Counters: period, lost, taken.
 * Records: the entries. The version word's lower half is the file's version
 * and, from bit 16 on, its flags, the upper half is its chain length.
 *
 * type 1, DATA: elements of one piece, in a row.
 *   varint  place: number of the first element
 *   payload
 *   2 bytes how many elements
 *   piece             element and payload
 *   0 records         32-bit words, coded; of samples, entries, coded: of a
 *                     table the count, and no more if that is 0; then PC, LR
 *                     and callers, each as the signed number that it is above
 *                     the frame's first PC that is not 0, and that one, and
 *                     what comes before it, above 0
 *   1 counters        64-bit numbers, coded; or, in byte modes (bit 60 of the
 *                     version word), bytes, coded
 *   2 bitmap          bytes, coded
 *   3 names           bytes, plain
 *   4 vtables         as records
 *   5 vtable names    bytes, plain
 *   6 value slots     for each slot 1 or 4 numbers, coded: 0 if it is free;
 *                     else the link address of a record, plus 1, a value of
 *                     that function, its count, the site it was seen at. All
 *                     come before the other pieces, and are of one instant;
 *                     several slots of one value add up
 *
 * A dump of MIP has no build id; its version word has bit 60, and below it
 * the version of the format. Its pieces are 0, the raw section's header, 1,
 * the rest of the section, and, where there are edges, 2: calls that found no
 * room, 32 bits, then for each entry of the target's table the address of the
 * callee's raw bytes, a return address, and a count, 32 bits each.
 *
 * type 2, END:
 *   varint  frames of this dump before this one
 *   varint  CRC of their checks, in order: as CRC-32, but from 0 on, and
 *           not complemented in the end
 *
 * type 3, ANSWER (dump and sequence are 0):
 *   byte    tag of the request
 *   byte    its command
 *   signed  0 done, else the error
 *
 * type 4, REQUEST, from the host (sequence is 0; dump is image in bits 0 to
 * 7 and core in bits 8 to 15 of the one that is asked, 0xFFFF all):
 *   byte    tag, not 0
 *   byte    command: 1 dump, 2 reset
 *   byte    options: BAREPROF_BINARY, BAREPROF_LEAN; bit 7: as it likes
 *   then up to 4 ranges, none for the whole dump:
 *   byte    piece      4 bytes  first element      4 bytes  elements
 *   A request is always in TEXT, on one line.
 *
 * CODED NUMBERS. A range coder: low = 0, high = 2^32 - 1. A decision with the
 * probability p/4096 of being 1 cuts at low + ((high - low) >> 12) * p: 1
 * keeps low to cut, 0 keeps cut + 1 to high. While the upper bytes of low and
 * high are equal, that byte is sent, and both move up by 8 bits, filled with
 * zeros and ones. At the end the upper byte of high is sent; the decoder
 * reads zeros behind it. A frame begins with a fresh coder and model.
 * The model has 40 contexts, p = 2048 at first. A decision d moves its
 * context: p += (4095 - p) >> k if 1, p -= p >> k if 0, where k is 1, 2, 2,
 * 3, 3 for its first uses, then 4. The model also knows the last four
 * distinct numbers that are not 0, latest first; at first there are none. A
 * unary n is n times a 1, then, unless n is the most it can be, a 0; from the
 * named context on in the next one each, and in context 39 beyond.
 * A number is
 *   d: is it 0?    context 0 if the one before was 0, or there was none; 1 if
 *                  it was one of the last four, 2 if it was another
 *   if not, unary: its place, 0 to 3, among the last four, from which it moves
 *                  to the front; or 4, at most: contexts 3 to 6
 *   if 4, unary:   its bits less one, at most 63: contexts 7 on; then
 *                  these bits without the leading 1, highest first, p = 2048;
 *                  it goes to the front, and the last of the four is dropped
 *
 * ARMOR. TEXT: "~{", base64 (RFC 4648's alphabet, no padding), "}", LF. After
 * each 72 characters of base64, if more follow, LF "~". BINARY: 0xFA, bytes,
 * 0xFB, where 0xFA, 0xFB and 0xFC are sent as 0xFC and the byte XOR 0x20.
 */
#include "link.h"
#include "seams.h"

_Static_assert(offsetof(struct bareprof_image, vtable_names) -
                       offsetof(struct bareprof_image, records) ==
                   (BAREPROF_SPANS - 1) * sizeof(struct bareprof_span),
               "the pieces follow each other in the image");

int bareprof_dump_check(const struct bareprof_image *image, unsigned options) {
  if (image->counters.begin == image->counters.end)
    return image->counters.end ? BAREPROF_E_EMPTY : BAREPROF_E_NO_BOUNDS;
  if (image->guard && (uint32_t)*image->guard != bareprof_guard_word(image))
    return BAREPROF_E_NOT_INIT;
  if (options & BAREPROF_LEAN)
    return bareprof_build_id_size(image) ? 0 : BAREPROF_E_NO_BUILD_ID;
  return image->records.begin == image->records.end ? BAREPROF_E_NO_RECORDS : 0;
}

/* The dump's number. A reboot, a reset, a count in between: another one. The
 * hash is FNV-1a, whose upper bits depend on all. */
static uint32_t hash(const struct bareprof_span *counters, uint32_t value) {
  const volatile unsigned char *at = counters->begin;
  for (; at != counters->end; at++)
    value = (value ^ *at) * UINT32_C(0x01000193);
  return value >> 16;
}

static void put_pieces(struct bareprof_stream *stream) {
  uintptr_t end = 0;
  for (unsigned i = 0; i < BAREPROF_SPANS; i++) {
    const struct bareprof_span *piece = bareprof_piece(stream, i);
    uintptr_t address = bareprof_address(piece);
    size_t size = bareprof_span_size(piece);
    unsigned lean = 0;
    if (size == 0)
      continue;
    if (i == BAREPROF_PIECE_COUNTERS || i == BAREPROF_PIECE_BITMAP)
      address -= bareprof_moved(stream->image);
    else
      lean = stream->options & BAREPROF_LEAN;
    bareprof_frame_byte(stream, 2 * i + lean / BAREPROF_LEAN);
    bareprof_frame_varint(stream, size);
    bareprof_frame_varint(stream, bareprof_zigzag((intptr_t)(address - end)));
    end = address + size;
  }
}

void bareprof_dump_begin(struct bareprof_stream *stream, unsigned reason) {
  const struct bareprof_image *image = stream->image;
  uint32_t variant = (uint32_t)(*image->version >> 32);
  uint32_t id_size = bareprof_build_id_size(image);
  unsigned flags = stream->options & BAREPROF_LINK_OPTIONS;
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    flags |= BAREPROF_LINK_BIG_ENDIAN;
  if (sizeof(void *) == 8)
    flags |= BAREPROF_LINK_WIDE;
  const uintptr_t fields[] = {BAREPROF_LINK_FORMAT,
                              flags,
                              stream->options >> 8,
                              reason,
                              (uint32_t)*image->version,
                              variant << 8 | variant >> 24,
                              id_size};
  _Static_assert(BAREPROF_LINK_LEAN == BAREPROF_LEAN, "one is the other");
  stream->dump = hash(&image->counters, stream->options + reason);
  bareprof_frame_begin(stream, BAREPROF_FRAME_HEADER);
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    bareprof_frame_varint(stream, fields[i]);
  for (uint32_t i = 0; i < id_size; i++)
    bareprof_frame_byte(stream, image->build_id.begin[16 + i]);
  put_pieces(stream);
  /* One call, the last: it takes no stack besides. */
  (seam_values_header ? seam_values_header : bareprof_frame_end)(stream);
}

void bareprof_dump_counts(struct bareprof_stream *stream, unsigned piece,
                          size_t first, size_t end) {
  const struct bareprof_span *span = bareprof_piece(stream, piece);
  unsigned shift = 0;
  if (piece == BAREPROF_PIECE_COUNTERS)
    shift = bareprof_counter_shift(stream->image);
  size_t size = bareprof_span_size(span) >> shift;
  if (end > size)
    end = size;
  while (first < end) {
    size_t at = first;
    bareprof_data_begin(stream, piece, first);
    do {
      const unsigned char *element = span->begin + (at++ << shift);
      bareprof_coder_put(stream,
                         shift ? bareprof_read_counter(element) : *element);
    } while (at != end && bareprof_data_room(stream, at - first));
    bareprof_data_end(stream, at - first, true);
    first = at;
  }
}

void bareprof_dump_end(struct bareprof_stream *stream) {
  uint32_t chain = stream->chain;
  bareprof_frame_begin(stream, BAREPROF_FRAME_END);
  bareprof_frame_varint(stream, stream->frames);
  bareprof_frame_varint(stream, chain);
  bareprof_frame_end(stream);
}

int bareprof_send_as(const struct bareprof_image *image,
                     const struct bareprof_sink *out, unsigned options,
                     bareprof_armor *armor, bareprof_rest *rest) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .armor = armor, .options = options};
  int error = bareprof_dump_check(image, options);
  if (error)
    return error;
  bareprof_dump_begin(&stream, 0);
  bareprof_dump_counts(&stream, BAREPROF_PIECE_COUNTERS, 0, SIZE_MAX);
  bareprof_dump_counts(&stream, BAREPROF_PIECE_BITMAP, 0, SIZE_MAX);
  if (rest)
    rest(&stream);
  bareprof_dump_end(&stream);
  return stream.error;
}
