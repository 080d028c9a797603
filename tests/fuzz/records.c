/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: bareprof_write_image and bareprof_status_image on images that
 * are wrong: records, version words, bounds and addresses. The first bytes
 * choose an image as a compiler leaves it, the others are edits of it. Built
 * natively, and with BAREPROF_FOREIGN for both widths and byte orders. After
 * the end of each piece is memory that the sanitizer guards.
 *
 * A refused image sends nothing, and status gives the same reason. Of an
 * accepted one the profile is read back here, by its own header: all pieces
 * are where it says, every record has its counters and bitmap inside, and the
 * records have at least as many counters as there are. Records may share them,
 * which the host looks for: tools/image/shared_counters.c.
 */
#include <sanitizer/asan_interface.h>
#include <string.h>

#include "compose.h"
#include "input.h"

static struct firmware firmware;

/* The profile up to the value data, whose size can be large. */
static struct {
  unsigned char bytes[2048];
  size_t size;
} written;

#define PIECE(name) \
  { &firmware.image.name, firmware.name, sizeof firmware.name }
static const struct piece {
  struct bareprof_span *span;
  unsigned char *bytes;
  size_t room;
} pieces[] = {PIECE(records), PIECE(counters),     PIECE(bitmap),  PIECE(names),
              PIECE(vtables), PIECE(vtable_names), PIECE(build_id)};
enum { PIECES = sizeof pieces / sizeof *pieces };

static int keep(void *context, const void *bytes, size_t size) {
  must(context == &written && bytes && size, "the sink's contract");
  if (written.size < sizeof written.bytes) {
    size_t room = sizeof written.bytes - written.size;
    memcpy(written.bytes + written.size, bytes, size < room ? size : room);
  }
  written.size += size;
  return 0;
}

/* ---- the image ---- */

static void guard_ends(void) {
  for (unsigned i = 0; i < PIECES; i++) {
    const unsigned char *end = pieces[i].span->end;
    if (!end)
      end = pieces[i].bytes;
    ASAN_POISON_MEMORY_REGION(end,
                              (size_t)(pieces[i].bytes + pieces[i].room - end));
  }
}

/* Returns the number of functions. */
static unsigned choose(struct input *input) {
  struct target target = machines[take(input) % machine_count];
  target.version = BAREPROF_RAW_VERSION_FIRST +
                   take(input) % (BAREPROF_RAW_VERSION_LAST -
                                  BAREPROF_RAW_VERSION_FIRST + 1);
  unsigned choice = take(input) % (plan_count + 2);
  const struct plan *plan = choice < plan_count ? &plans[choice] : &everything;
  if (choice == plan_count + 1)
    plan = &everything_bytes;
  if (plan->since > target.version)
    plan = &everything;
  ASAN_UNPOISON_MEMORY_REGION(&firmware, sizeof firmware);
  compose(&firmware, &target, plan);
  return plan->functions;
}

/* Where a field of a record is, or NULL. */
static unsigned char *find_field(unsigned record, enum record_field field) {
  size_t offset = record_offset(&firmware.target, field);
  if (offset == NOWHERE)
    return NULL;
  return firmware.records + firmware.record_at[record] + offset;
}

static void add(unsigned record, enum record_field field, uint64_t step) {
  unsigned char *at = find_field(record, field);
  unsigned width = record_width(&firmware.target, field);
  if (at)
    store(&firmware.target, at, width,
          load(&firmware.target, at, width) + step);
}

static void edit_field(struct input *input, unsigned record) {
  static const enum record_field fields[] = {
      R_COUNTER_PTR, R_BITMAP_PTR, R_NUM_COUNTERS, R_NUM_BITMAP_BYTES,
      R_SITES_0,     R_SITES_1,    R_SITES_2,      R_WAVE_SIZE};
  enum record_field field = fields[take(input) % 8];
  unsigned how = take(input) % 3;
  if (how < 2) {
    add(record, field, take_step(input) * (how ? 8 : 1));
    return;
  }
  unsigned char *at = find_field(record, field);
  unsigned width = record_width(&firmware.target, field);
  if (at)
    store(&firmware.target, at, width, take_number(input, width));
}

/* What a record claims, moved and resized. */
static void edit_claim(struct input *input, unsigned record) {
  bool bitmap = take(input) % 2;
  add(record, bitmap ? R_BITMAP_PTR : R_COUNTER_PTR, take_step(input));
  add(record, bitmap ? R_NUM_BITMAP_BYTES : R_NUM_COUNTERS, take_step(input));
}

static void edit_bounds(struct input *input) {
  const struct piece *piece = &pieces[take(input) % PIECES];
  size_t shift = take(input) % 8;
  if (shift == 7)
    piece->span->begin = piece->span->end = NULL;
  else if (piece->span != &firmware.image.build_id)
    piece->span->begin = piece->bytes + shift;
  if (piece->span->begin)
    piece->span->end =
        piece->span->begin + take_number(input, 2) % (piece->room - 7);
}

static void edit_address(struct input *input) {
#ifdef BAREPROF_FOREIGN
  struct bareprof_span *span = pieces[take(input) % PIECES].span;
  span->address += take(input) % 2 ? take_number(input, 8) : take_step(input);
  if (firmware.target.pointer == 4)
    span->address &= UINT32_MAX;
#else
  (void)input;
#endif
}

/* A record, or the middle of two, over another. */
static void copy_record(struct input *input, size_t last) {
  unsigned char *to = firmware.records + take(input) % last / 8 * 8;
  memmove(to, firmware.records + take(input) % last / 8 * 8, 64);
}

static void edit(struct input *input, unsigned functions) {
  size_t last = size_of(&firmware.image.records) - 1;
  while (more(input)) {
    unsigned what = take(input) % 8;
    if (what == 0)
      firmware.records[take_number(input, 2) % sizeof firmware.records] ^=
          take(input);
    else if (what == 1)
      firmware.word = (firmware.word & ~UINT64_C(15)) | take(input) % 16;
    else if (what == 2)
      firmware.word ^= UINT64_C(1) << take(input) % 64;
    else if (what == 3)
      edit_bounds(input);
    else if (what == 4)
      edit_address(input);
    else if (what == 5)
      copy_record(input, last);
    else if (what == 6)
      edit_claim(input, take(input) % functions);
    else
      edit_field(input, take(input) % functions);
  }
}

/* ---- the profile, read back ---- */

/* The machine, in the version that the profile says. */
static struct target reader;

static uint64_t header(enum header_field field) {
  size_t at = header_offset(&reader, field);
  return at == NOWHERE ? 0 : load(&reader, written.bytes + at, 8);
}

static uint64_t field_of(const unsigned char *record, enum record_field field) {
  size_t at = record_offset(&reader, field);
  return at == NOWHERE
             ? 0
             : load(&reader, record + at, record_width(&reader, field));
}

static size_t up(size_t size) { return (size + 7) / 8 * 8; }

/* A claim of size bytes at pointer, a multiple of step. */
static void check_claim(uint64_t pointer, uint64_t size, uint64_t section,
                        size_t step) {
  if (reader.pointer == 4)
    pointer = (uint32_t)pointer;
  must(pointer % step == 0, "what a record claims begins at a counter");
  must(pointer <= section && size <= section - pointer,
       "what a record claims is inside the section");
}

/* Returns the bytes of the record's value data. */
static size_t check_sites(const unsigned char *record) {
  unsigned kinds = reader.version >= 10 ? 3 : 2;
  size_t size = 0;
  for (unsigned kind = 0; kind < kinds; kind++) {
    size_t sites = field_of(record, R_SITES_0 + kind);
    size += sites ? 8 + up(sites) : 0;
  }
  must(header(H_VALUE_KIND_LAST) == kinds - 1, "kinds as in this version");
  return size ? size + 8 : 0;
}

/* Returns the bytes of the value data. */
static size_t check_records(const unsigned char *record, size_t width) {
  const uint64_t records = header(H_NUM_DATA);
  uint64_t claimed = 0;
  size_t values = 0;
  size_t size = record_offset(&reader, R_FIELDS);
  for (uint64_t i = 0; i < records; i++, record += size) {
    /* Distances are from the record, but for version 7's counters. */
    uint64_t moved = i * size;
    uint64_t count = field_of(record, R_NUM_COUNTERS);
    must(count != 0, "every record has counters");
    check_claim(field_of(record, R_COUNTER_PTR) - header(H_COUNTERS_DELTA) +
                    (reader.version > 7 ? moved : 0),
                count * width, header(H_NUM_COUNTERS) * width, width);
    claimed += count;
    count = field_of(record, R_NUM_BITMAP_BYTES);
    /* Bits that are bytes are counters. */
    if (count && (width != 1 || field_of(record, R_BITMAP_PTR) !=
                                    field_of(record, R_COUNTER_PTR)))
      check_claim(field_of(record, R_BITMAP_PTR) - header(H_BITMAP_DELTA) +
                      moved,
                  count, header(H_NUM_BITMAP_BYTES), 1);
    values += check_sites(record);
  }
  /* Between counters of one byte may be alignment, 7 bytes a record. */
  must(claimed + (width == 8 ? 0 : 7 * records) >= header(H_NUM_COUNTERS),
       "the records have at least as many counters as there are");
  return values;
}

/* Returns the offset behind the piece and count bytes of padding. */
static size_t check_piece(size_t at, const struct bareprof_span *span,
                          uint64_t size, size_t padding) {
  must(size_of(span) == size, "the header has the sizes of the image");
  must(padding < 8 && at + size + padding <= sizeof written.bytes,
       "the pieces are as small as they should be");
  must(!size || !memcmp(written.bytes + at, span->begin, size),
       "the pieces are where the header says");
  for (at += size; padding; padding--)
    must(written.bytes[at++] == 0, "padding is 0");
  return at;
}

static size_t check_build_id(void) {
  size_t at = header_offset(&reader, H_FIELDS);
  uint64_t size = header(H_BINARY_IDS_SIZE);
  uint64_t length = load(&reader, written.bytes + at, 8);
  must(size == 0 || size == 8 + up(length), "the build id fits its size");
  must(size == 0 || !memcmp(written.bytes + at + 8,
                            firmware.image.build_id.begin + 16, length),
       "the build id is the note's");
  return at + size;
}

static void check_accepted(int status) {
  const struct bareprof_image *image = &firmware.image;
  reader = firmware.target;
  reader.version = (unsigned)load(&reader, written.bytes + 8, 8) & 0xFF;
  must(header(H_MAGIC) == (reader.pointer == 8 ? UINT64_C(0xFF6C70726F667281)
                                               : UINT64_C(0xFF6C70726F665281)),
       "magic");
  must(header(H_VERSION) == firmware.word, "the version word is the image's");
  size_t width = firmware.word & BYTES ? 1 : 8;
  size_t begin = check_build_id();
  size_t at =
      check_piece(begin, &image->records,
                  header(H_NUM_DATA) * record_offset(&reader, R_FIELDS), 0);
  at = check_piece(at, &image->counters, header(H_NUM_COUNTERS) * width,
                   header(H_PAD_AFTER_COUNTERS));
  must(at % 8 == 0 || reader.version < 9, "bitmaps begin at a multiple of 8");
  at = check_piece(at, &image->bitmap, header(H_NUM_BITMAP_BYTES),
                   header(H_PAD_AFTER_BITMAP));
  uint64_t size = header(H_NAMES_SIZE);
  at = check_piece(at, &image->names, size, up(size) - size);
  size = header(H_NUM_VTABLES) * (reader.pointer == 8 ? 24 : 16);
  at = check_piece(at, &image->vtables, size, up(size) - size);
  size = header(H_VNAMES_SIZE);
  at = check_piece(at, &image->vtable_names, size, up(size) - size);
  size_t values = check_records(written.bytes + begin, width);
  must(written.size == at + values, "the sizes add up to what was written");
  must(status == (values && !image->values ? BAREPROF_E_VALUES : 0),
       "status agrees, or complains of value sites without storage");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct bareprof_sink sink = {keep, &written};
  struct input input = {data, data + size};
  unsigned functions = choose(&input);
  bool edited = more(&input);
  edit(&input, functions);
  guard_ends();

  memset(&written, 0, sizeof written);
  int error = bareprof_write_image(&firmware.image, &sink);
  int status = bareprof_status_image(&firmware.image);
  must(edited || !error, "what a compiler leaves is accepted");
  if (error) {
    must(written.size == 0, "a refused image sends nothing");
    must(status == error, "status gives the reason of the refusal");
  } else {
    check_accepted(status);
  }
  return 0;
}
