/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the pieces of a raw profile in a file, and takes records and names from
 * the ELF if the file has none.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../image/image.h"
#include "raw.h"

static const char cut[] = "it is cut short; copy it again";

/* ---- the header ---- */

/* The characters of the magic number, most significant byte first. */
bool raw_magic(const unsigned char *at, bool big, bool *wide) {
  static const unsigned char letters[8] = {0xFF, 'l', 'p', 'r',
                                           'o',  'f', 'r', 0x81};
  for (unsigned i = 0; i < 8; i++) {
    unsigned char byte = at[big ? i : 7 - i];
    if (byte != letters[i] && !(i == 6 && byte == 'R'))
      return false;
  }
  *wide = at[big ? 6 : 1] == 'r';
  return true;
}

bool raw_is(struct bytes file) {
  bool wide;
  return file.size >= 8 && (raw_magic(file.data, false, &wide) ||
                            raw_magic(file.data, true, &wide));
}

/* Raw version 5, of LLVM 10 to 12, is version 7 without build ids. */
static const char *find_layout(struct raw *raw, uint64_t word) {
  raw->version = (unsigned)(word & UINT32_MAX);
  raw->form =
      record_form(raw->version == 5 ? 7 : raw->version, raw->wide, raw->big);
  if (raw->version == 6)
    return "it is of raw version 6, which no release of LLVM has; compile "
           "with a release";
  if (!raw->form.layout)
    return "its raw version is not 5, nor 7 to 11; use a newer bareprof";
  raw->layout = *raw->form.layout;
  if (raw->version == 5)
    raw->layout.fields &= ~(UINT32_C(1) << BAREPROF_BINARY_IDS_SIZE);
  raw->flags = profile_flags(word);
  return NULL;
}

static const char *read_header(struct raw *raw, size_t at) {
  struct bytes file = raw->file;
  if (file.size - at < 16)
    return cut;
  raw->big = raw_magic(file.data + at, true, &raw->wide);
  if (!raw->big && !raw_magic(file.data + at, false, &raw->wide))
    return at ? "other data follows its first profile; was it written by two "
                "programs at once?"
              : "it is no raw profile; give a .profraw";
  raw->pointer = raw->wide ? 8 : 4;
  raw->fields[BAREPROF_VERSION_WORD] = load64(file.data + at + 8, raw->big);
  const char *error = find_layout(raw, raw->fields[BAREPROF_VERSION_WORD]);
  if (error)
    return error;
  raw->at = at + 16;
  for (unsigned i = BAREPROF_VERSION_WORD + 1; i < BAREPROF_FIELDS; i++) {
    if (!(raw->layout.fields >> i & 1))
      continue;
    if (file.size - raw->at < 8)
      return cut;
    raw->fields[i] = load64(file.data + raw->at, raw->big);
    raw->at += 8;
  }
  return NULL;
}

/* ---- pieces ---- */

/* Takes the next elements. Returns false if some are missing. */
static bool cut_piece(struct raw *raw, struct bytes *piece, uint64_t count,
                      size_t size) {
  if (count > (raw->file.size - raw->at) / size)
    return false;
  *piece = (struct bytes){raw->file.data + raw->at, (size_t)count * size};
  raw->at += piece->size;
  return true;
}

/* Skips the padding after a piece that begins at a multiple of 8. A file may
 * lack the padding after its last piece. */
static bool skip(struct raw *raw, size_t size) {
  struct bytes zeros;
  size_t padding = bareprof_padding(size), left = raw->file.size - raw->at;
  return cut_piece(raw, &zeros, padding < left ? padding : left, 1);
}

static bool cut_pieces(struct raw *raw) {
  const struct bareprof_image image = {.pointer_size = (uint8_t)raw->pointer};
  const uint64_t *fields = raw->fields;
  size_t counter = raw_counter_size(raw);
  struct bytes other;
  return cut_piece(raw, &raw->ids, fields[BAREPROF_BINARY_IDS_SIZE], 1) &&
         cut_piece(raw, &raw->records, fields[BAREPROF_NUM_DATA],
                   raw->layout.record_size) &&
         cut_piece(raw, &other, fields[BAREPROF_PADDING_BEFORE_COUNTERS], 1) &&
         cut_piece(raw, &raw->counters, fields[BAREPROF_NUM_COUNTERS],
                   counter) &&
         cut_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_COUNTERS], 1) &&
         cut_piece(raw, &raw->bitmap, fields[BAREPROF_NUM_BITMAP_BYTES], 1) &&
         cut_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_BITMAP], 1) &&
         cut_piece(raw, &other, fields[BAREPROF_NUM_UNIFORM_COUNTERS], 8) &&
         cut_piece(raw, &other, fields[BAREPROF_PADDING_AFTER_UNIFORM], 1) &&
         cut_piece(raw, &raw->names, fields[BAREPROF_NAMES_SIZE], 1) &&
         skip(raw, raw->names.size) &&
         cut_piece(raw, &raw->vtables, fields[BAREPROF_NUM_VTABLES],
                   bareprof_vtable_size(&image)) &&
         skip(raw, raw->vtables.size) &&
         cut_piece(raw, &raw->vtable_names, fields[BAREPROF_VTABLE_NAMES_SIZE],
                   1) &&
         skip(raw, raw->vtable_names.size);
}

/* Each id consists of its u64 size and the id, padded to 8. */
bool raw_next_id(const struct raw *raw, struct bytes *ids, struct bytes *id) {
  uint64_t size = ids->size < 8 ? 0 : load64(ids->data, raw->big);
  if (!size || size > ids->size - 8)
    return false;
  *id = (struct bytes){ids->data + 8, (size_t)size};
  size_t taken = 8 + (id->size + 7) / 8 * 8;
  if (taken > ids->size)
    return false;
  ids->data += taken;
  ids->size -= taken;
  return true;
}

/* ---- records in the ELF ---- */

static bool is_build(const struct raw *raw, const struct elf *elf) {
  struct bytes ids = raw->ids, id;
  bool is = ids.size == 0;
  while (ids.size && !is && raw_next_id(raw, &ids, &id))
    is = elf_is_build(elf, id);
  return is;
}

/* Finds the image in the ELF, and keeps it for the next file, because reading
 * debug information is slow. */
static const char *find_image(struct raw *raw, const struct elf *elf,
                              struct raw_cache *cache) {
  uint64_t word = raw->fields[BAREPROF_VERSION_WORD];
  if (raw->version == 5)
    word += 2;
  if (cache && cache->image && cache->elf == elf && cache->word == word) {
    raw->image = cache->image;
    return NULL;
  }
  struct snapshot *image = malloc(sizeof *image);
  const char *error = image ? image_read(image, elf, word) : out_of_memory;
  if (error) {
    free(image);
    return error;
  }
  raw->image = image;
  if (cache) {
    raw_cache_drop_image(cache);
    cache->image = image;
    cache->elf = elf;
    cache->word = word;
  }
  return NULL;
}

static void free_image(struct snapshot *image, const struct elf *elf) {
  if (image)
    image_free(image, elf);
  free(image);
}

void raw_cache_drop_image(struct raw_cache *cache) {
  free_image(cache->image, cache->elf);
  cache->image = NULL;
}

static const char *correlate(struct raw *raw, const struct elf *elf,
                             struct raw_cache *cache) {
  if (!elf)
    return "it has counters and no records, which are in the ELF; give that "
           "by --elf";
  if (!is_build(raw, elf))
    return "it is of another build than the ELF; give the ELF that ran";
  if (elf->big != raw->big || elf->wide != raw->wide)
    return "it is of another machine than the ELF; give the ELF that ran";
  const char *error = find_image(raw, elf, cache);
  if (error)
    return error;
  raw->correlated = true;
  raw->elf = elf;
  const struct snapshot_part *parts = raw->image->parts;
  const struct piece *pieces = raw->image->header.pieces;
  const struct piece *counters = &pieces[BAREPROF_PIECE_COUNTERS];
  const struct piece *bitmap = &pieces[BAREPROF_PIECE_BITMAP];
  uint64_t records = pieces[BAREPROF_PIECE_RECORDS].address;
  if (counters->size != raw->counters.size ||
      (raw->bitmap.size && bitmap->size != raw->bitmap.size))
    return "it has more or fewer counters than the ELF; give the ELF that ran";
  raw->records = (struct bytes){parts[BAREPROF_PIECE_RECORDS].bytes,
                                (size_t)pieces[BAREPROF_PIECE_RECORDS].size};
  raw->names = (struct bytes){parts[BAREPROF_PIECE_NAMES].bytes,
                              (size_t)pieces[BAREPROF_PIECE_NAMES].size};
  raw->fields[BAREPROF_COUNTERS_DELTA] =
      counters->address - (raw->form.absolute ? 0 : records);
  raw->fields[BAREPROF_BITMAP_DELTA] = bitmap->address - records;
  raw->flags |= PROFILE_CORRELATED;
  return NULL;
}

const char *raw_open(struct raw *raw, struct bytes file, size_t at) {
  *raw = (struct raw){.file = file};
  const char *error = read_header(raw, at);
  return error ? error : cut_pieces(raw) ? NULL : cut;
}

const char *raw_correlate(struct raw *raw, const struct raw_options *options) {
  return raw->counters.size && !raw->records.size && !raw->names.size
             ? correlate(raw, options->elf, options->cache)
             : NULL;
}

void raw_close(struct raw *raw, const struct raw_options *options) {
  if (raw->image && !(options->cache && options->cache->image == raw->image))
    free_image(raw->image, raw->elf);
  raw->image = NULL;
  raw->correlated = false;
}

uint64_t *raw_counters(const struct raw *raw, uint64_t *largest) {
  size_t count = raw->counters.size / raw_counter_size(raw);
  uint64_t *counters = malloc((count + 1) * sizeof *counters), all = 0;
  const unsigned char *at = raw->counters.data;
  if (!counters)
    return NULL;
  if (raw->flags & PROFILE_BYTES)
    for (size_t i = 0; i < count; i++)
      counters[i] = at[i] == 0;
  else if (raw->big)
    for (size_t i = 0; i < count; i++, at += 8)
      all |= counters[i] = load64(at, true);
  else
    for (size_t i = 0; i < count; i++, at += 8)
      all |= counters[i] = load64(at, false);
  *largest = all;
  return counters;
}

const uint64_t *raw_counters_there(const struct raw *raw, uint64_t *largest) {
  const uint64_t *counters = (const void *)raw->counters.data;
  size_t count = raw->counters.size / sizeof *counters;
  uint64_t all = 0;
  if (raw->flags & PROFILE_BYTES || !bytes_order_is(raw->big) ||
      (uintptr_t)raw->counters.data % sizeof *counters)
    return NULL;
  for (size_t i = 0; i < count; i++)
    all |= counters[i];
  *largest = all;
  return counters;
}
