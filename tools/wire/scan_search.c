/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Searches for a frame among the readings of a candidate's zones
 * (scan_search.h). The search tries choices in the order of the sum of the
 * readings' ranks: first the likeliest reading of each zone, then the second
 * likeliest reading of one zone, and so on. Byte sequences that occur often
 * only influence this order. This file also makes the zones of BINARY
 * candidates.
 */
#include "scan_search.h"

#include <string.h>

#include "../base/bytes.h"
#include "wire_coder.h"
#include "wire.h"

/* ---- repeated bytes ---- */

enum { GRAM = 6, PROBES = 8 };

void repeats_clear(struct repeat_counts *repeats) {
  if (++repeats->round)
    return;
  memset(repeats, 0, sizeof *repeats);
  repeats->round = 1;
}

/* Returns a hash of six bytes. All digits have the same hash, because numbers
 * in lines change. */
static uint32_t hash_sequence(const unsigned char *gram) {
  const uint64_t each = UINT64_C(0x0101010101010101), low = each * 0x7F;
  const uint64_t mix = UINT64_C(0x9E3779B97F4A7C15);
  uint64_t six = load32(gram, false) | (uint64_t)load16(gram + 4, false) << 32;
  six ^= each * '0';
  uint64_t more = (((six & low) + each * (0x80 - 10)) | six) & each * 0x80;
  six &= (more >> 7) * 0xFF;
  return (uint32_t)(six * mix >> 32);
}

/* Returns the slot of a six-byte sequence, or a free slot for it. Returns
 * REPEATS_SLOTS if no slot is near enough. */
static size_t find_sequence_slot(const struct repeat_counts *repeats,
                                 uint32_t value) {
  for (size_t i = 0; i < PROBES; i++) {
    size_t slot = (value + i) % REPEATS_SLOTS;
    if (repeats->slots[slot].round != repeats->round ||
        repeats->slots[slot].tag == value >> 16)
      return slot;
  }
  return REPEATS_SLOTS;
}

static unsigned slot_count(const struct repeat_counts *repeats, size_t slot) {
  return slot != REPEATS_SLOTS && repeats->slots[slot].round == repeats->round
             ? repeats->slots[slot].count
             : 0;
}

void repeats_add_sequences(struct repeat_counts *repeats,
                           const unsigned char *bytes, size_t size,
                           size_t begin, size_t end) {
  for (; begin < end && begin + GRAM <= size; begin++) {
    uint32_t value = hash_sequence(bytes + begin);
    size_t slot = find_sequence_slot(repeats, value);
    unsigned count = slot_count(repeats, slot);
    if (slot == REPEATS_SLOTS || count == UINT8_MAX)
      continue;
    repeats->slots[slot].tag = (uint16_t)(value >> 16);
    repeats->slots[slot].count = (uint8_t)(count + 1);
    repeats->slots[slot].round = repeats->round;
  }
}

/* Returns how often the sequence at an offset was seen. The result is at least
 * 1, because the candidate itself contains the sequence. */
static unsigned get_sequence_count(const struct repeat_counts *repeats,
                                   const unsigned char *bytes, size_t size,
                                   size_t at) {
  if (at + GRAM > size)
    return 1;
  unsigned count = slot_count(
      repeats, find_sequence_slot(repeats, hash_sequence(bytes + at)));
  return count ? count : 1;
}

/* Returns how much more often the sequence at an offset was seen than the
 * sequence one byte before it. Returns 0 if no repetition begins at the offset.
 */
static unsigned compute_repeat_likelihood(const struct repeat_counts *repeats,
                                          const unsigned char *bytes,
                                          size_t size, size_t at) {
  unsigned here = get_sequence_count(repeats, bytes, size, at);
  unsigned before = at ? get_sequence_count(repeats, bytes, size, at - 1) : 1;
  return here > before ? here - before : 0;
}

enum { FRAME_MIN = 8, CHECK_SIZE = 4 };

void search_reset(struct frame_searcher *search, const unsigned char *bytes,
                  size_t size, search_decode *decode) {
  search->bytes = bytes;
  search->bytes_size = size;
  search->decode = decode;
  search->zone_count = search->reading_count = search->size = 0;
}

bool search_add_zone(struct frame_searcher *search) {
  if (search->zone_count == SEARCH_ZONES)
    return false;
  search->zones[search->zone_count++] =
      (struct zone_reading_choice){.first = (uint16_t)search->reading_count};
  return true;
}

void search_drop_zone(struct frame_searcher *search) {
  search->reading_count = search->zones[--search->zone_count].first;
}

struct zone_reading *search_add_reading(struct frame_searcher *search) {
  struct zone_reading_choice *zone = &search->zones[search->zone_count - 1];
  if (zone->count == SEARCH_ZONE_OPTIONS ||
      search->reading_count == SEARCH_READINGS)
    return NULL;
  zone->count++;
  struct zone_reading *reading = &search->readings[search->reading_count++];
  *reading = (struct zone_reading){.spans = 0};
  return reading;
}

unsigned search_splice_likelihood(const struct frame_searcher *search,
                                  size_t at) {
  return compute_repeat_likelihood(&search->repeats, search->bytes,
                                   search->bytes_size, at);
}

void search_sort_readings(struct frame_searcher *search, size_t from) {
  struct zone_reading *front = &search->readings[from];
  const struct zone_reading *end = &search->readings[search->reading_count];
  for (unsigned i = 0; i < SEARCH_SORTED && front < end; i++, front++) {
    struct zone_reading *best = front;
    for (struct zone_reading *reading = front; reading != end; reading++)
      if (reading->likely > best->likely)
        best = reading;
    if (best->likely == 0)
      return;
    struct zone_reading likeliest = *best;
    memmove(front + 1, front, (size_t)(best - front) * sizeof *front);
    *front = likeliest;
  }
}

const struct zone_reading *
search_get_chosen_reading(const struct frame_searcher *search, size_t zone) {
  return &search->readings[search->zones[zone].first +
                           search->zones[zone].chosen];
}

bool search_is_mended(const struct frame_searcher *search) {
  for (size_t i = 0; i < search->zone_count; i++)
    if (search_get_chosen_reading(search, i)->mended)
      return true;
  return false;
}

/* ---- the CRC ---- */

void search_init_crc_tables(struct frame_searcher *search) {
  for (unsigned byte = 0; byte < 256; byte++)
    search->checks[0][byte] = bareprof_crc32_step(byte, 0);
  for (unsigned i = 1; i < 8; i++)
    for (unsigned byte = 0; byte < 256; byte++) {
      uint32_t before = search->checks[i - 1][byte];
      search->checks[i][byte] = search->checks[0][before & 255] ^ before >> 8;
    }
}

/* Computes the same CRC as bareprof_crc32, but with tables, because the search
 * also checks many byte sequences that are not frames. */
static uint32_t compute_crc(const struct frame_searcher *search, uint32_t check,
                            const unsigned char *bytes, size_t size) {
  const uint32_t(*const step)[256] = search->checks;
  uint32_t state = ~check;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low = state ^ load32(bytes, false);
    uint32_t high = load32(bytes + 4, false);
    state = step[7][low & 255] ^ step[6][low >> 8 & 255] ^
            step[5][low >> 16 & 255] ^ step[4][low >> 24] ^
            step[3][high & 255] ^ step[2][high >> 8 & 255] ^
            step[1][high >> 16 & 255] ^ step[0][high >> 24];
  }
  while (size--)
    state = step[0][(state ^ *bytes++) & 255] ^ state >> 8;
  return ~state;
}

static bool crc_matches(const struct frame_searcher *search,
                        const unsigned char *frame, size_t size) {
  enum { DUMP_AT = 1 };
  const struct crc_seeds *seeds = &search->seeds;
  if (size < FRAME_MIN)
    return false;
  size -= CHECK_SIZE;
  uint32_t check = load32(frame + size, false);
  if (compute_crc(search, 0, frame, size) == check)
    return true;
  bool counts = (frame[0] & 7) == BAREPROF_FRAME_COUNTS;
  for (size_t i = 0; counts && i < SEEDS_MOST; i++)
    if (seeds->list[i].seed &&
        seeds->list[i].dump == load16(frame + DUMP_AT, false) &&
        compute_crc(search, seeds->list[i].seed, frame, size) == check)
      return true;
  return false;
}

/* Joins the spans of the chosen readings and checks the CRC. Spans do not
 * overlap, so together they fit in the buffer. */
static bool try_chosen_readings(struct frame_searcher *search) {
  size_t size = 0;
  search->tries--;
  for (size_t i = 0; i < search->zone_count; i++) {
    const struct zone_reading *reading = search_get_chosen_reading(search, i);
    for (size_t k = 0; k < reading->spans; k++) {
      const struct byte_span *kept = &reading->kept[k];
      memcpy(search->frame + size, search->bytes + kept->at, kept->size);
      size += kept->size;
    }
  }
  search->size = search->decode(search->frame, size);
  return crc_matches(search, search->frame, search->size);
}

/* Tries all ways to distribute a sum of ranks over the zones, starting with
 * index `from`. */
static bool try_rank_sum(struct frame_searcher *search, size_t from,
                         unsigned sum) {
  if (from == search->zone_count)
    return search->tries && try_chosen_readings(search);
  struct zone_reading_choice *zone = &search->zones[from];
  unsigned later = zone->room - (zone->count - 1u);
  unsigned rank = sum > later ? sum - later : 0;
  for (; rank <= sum && rank < zone->count && search->tries; rank++) {
    zone->chosen = (uint16_t)rank;
    if (try_rank_sum(search, from + 1, sum - rank))
      return true;
  }
  return false;
}

bool search_find_frame(struct frame_searcher *search) {
  unsigned room = 0;
  for (size_t i = search->zone_count; i-- > 0;) {
    room += search->zones[i].count - 1u;
    search->zones[i].room = (uint16_t)room;
  }
  for (unsigned sum = 0; sum <= room && search->tries; sum++)
    if (try_rank_sum(search, 0, sum))
      return true;
  return false;
}

/* ---- the zones of a BINARY candidate ----
 *
 * A zone is either a run of text with an LF, into which lines may have been
 * spliced, or the bytes between two runs, which belong to the frame.
 * docs/reference/wire-format.md describes the encoding.
 */

/* A frame's own bytes may look like text, and short runs of text are common. So
 * a run that is shorter than the shortest line is ignored. */
enum { SHORTEST_LINE = 3, LONG_RUN = 5 };

static unsigned unescape_byte(unsigned char byte) {
  unsigned flipped = byte ^ BAREPROF_BINARY_FLIP;
  return flipped < BAREPROF_BINARY_BEGIN || flipped > BAREPROF_BINARY_ESCAPE
             ? 0
             : flipped;
}

static size_t unescape_binary(unsigned char *bytes, size_t size) {
  const unsigned char *escape = memchr(bytes, BAREPROF_BINARY_ESCAPE, size);
  size_t used = escape ? (size_t)(escape - bytes) : size;
  for (size_t i = used; i < size; i++) {
    unsigned byte = bytes[i];
    if (byte == BAREPROF_BINARY_ESCAPE) {
      if (++i == size)
        return 0;
      byte = unescape_byte(bytes[i]);
      if (byte == 0)
        return 0;
    }
    bytes[used++] = (unsigned char)byte;
  }
  return used;
}

/* Returns the length of the character at `at` if it is text. Returns 0 if the
 * bytes are not text. */
static size_t multibyte_length(const unsigned char *at, size_t size) {
  unsigned char first = at[0];
  size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (bytes > size)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((at[i] & 0xC0) != 0x80)
      return 0;
  return bytes;
}

static inline size_t character_length(const unsigned char *at, size_t size) {
  unsigned char first = at[0];
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7F) || first == '\n' || first == '\r' ||
           first == '\t' || first == 0x1B;
  return first < 0xC2 ? 0 : multibyte_length(at, size);
}

/* Returns whether an escape is invalid, whatever the readings of the runs with
 * an LF are. */
static bool has_bad_escape(const unsigned char *bytes, size_t size) {
  const unsigned char *at = bytes, *end = bytes + size;
  while ((at = memchr(at, BAREPROF_BINARY_ESCAPE, (size_t)(end - at)))) {
    size_t step;
    if (++at != end && unescape_byte(*at))
      continue;
    while (at != end && *at != '\n' &&
           (step = character_length(at, (size_t)(end - at))) != 0)
      at += step;
    if (at == end || *at != '\n')
      return true;
  }
  return false;
}

/* Returns the length of the character that ends at offset `at`. Returns 0 if
 * the bytes are not text. */
static size_t character_length_before(const unsigned char *bytes, size_t at) {
  if (at && bytes[at - 1] < 0x80)
    return character_length(bytes + at - 1, 1);
  for (size_t size = 1; size <= 4 && size <= at; size++) {
    if (character_length(bytes + at - size, size) == size)
      return size;
    if ((bytes[at - size] & 0xC0) != 0x80)
      break;
  }
  return 0;
}

/* Returns whether all runs with an LF are shorter than the shortest line. If
 * so, no bytes can be left out. */
static bool has_only_short_runs(const unsigned char *bytes, size_t size) {
  const unsigned char *at = bytes, *end = bytes + size;
  for (; (at = memchr(at, '\n', (size_t)(end - at))); at++) {
    size_t place = (size_t)(at - bytes);
    size_t last = character_length_before(bytes, place);
    if (last > 1 || (last && character_length_before(bytes, place - 1)))
      return false;
  }
  return true;
}

static void append_span(struct zone_reading *reading, size_t begin,
                        size_t end) {
  if (begin != end)
    reading->kept[reading->spans++] =
        (struct byte_span){(uint16_t)begin, (uint16_t)(end - begin)};
}

static bool add_keep_all_reading(struct frame_searcher *search, size_t begin,
                                 size_t end) {
  struct zone_reading *reading = search_add_reading(search);
  if (reading)
    append_span(reading, begin, end);
  return reading;
}

/* Adds the reading that omits all repeated lines of a run. A run may have
 * several such lines, and text of the frame after a line. */
static void add_repeatless_reading(struct frame_searcher *search, size_t begin,
                                   size_t lines, size_t end) {
  struct zone_reading reading = {.mended = true};
  size_t kept = begin, cuts = 0;
  for (size_t at = begin; at + SHORTEST_LINE <= lines; at++) {
    unsigned likely = search_splice_likelihood(search, at);
    if (likely == 0 || reading.spans + 2 > SEARCH_SPANS)
      continue;
    append_span(&reading, kept, at);
    reading.likely += likely;
    cuts++;
    at += SHORTEST_LINE - 1;
    while (search->bytes[at] != '\n')
      at++;
    kept = at + 1;
  }
  append_span(&reading, kept, end);
  struct zone_reading *added = reading.likely && (cuts > 1 || kept != lines)
                                   ? search_add_reading(search)
                                   : NULL;
  if (added)
    *added = reading;
}

/* Adds the readings of a run whose last LF is before offset `lines`. The first
 * readings omit bytes up to this LF; the reading that keeps the most bytes
 * comes first. The next readings omit bytes up to an earlier LF. The last
 * reading keeps the whole run. */
static bool add_run_readings(struct frame_searcher *search, size_t begin,
                             size_t lines, size_t end) {
  size_t rank = 0;
  size_t rank_of_all = lines - begin < LONG_RUN ? 0 : LONG_RUN;
  for (; lines != begin; lines--) {
    if (search->bytes[lines - 1] != '\n')
      continue;
    for (size_t at = begin; at + SHORTEST_LINE <= lines; at++) {
      if (rank++ == rank_of_all)
        add_keep_all_reading(search, begin, end);
      struct zone_reading *reading = search_add_reading(search);
      if (!reading)
        return rank > 1;
      reading->mended = true;
      reading->likely = (uint16_t)search_splice_likelihood(search, at);
      append_span(reading, begin, at);
      append_span(reading, lines, end);
    }
  }
  return rank > rank_of_all || add_keep_all_reading(search, begin, end);
}

/* Divides the candidate into zones. Returns false if there are too many. */
static bool divide_into_zones(struct frame_searcher *search, size_t size) {
  const unsigned char *bytes = search->bytes, *line;
  size_t done = 0, step;
  while ((line = memchr(bytes + done, '\n', size - done))) {
    size_t begin = (size_t)(line - bytes), lines = begin, at = begin;
    while ((step = character_length_before(bytes, begin)) != 0)
      begin -= step;
    while (at < size && (step = character_length(bytes + at, size - at)) != 0) {
      at += step;
      if (bytes[at - 1] == '\n')
        lines = at;
    }
    if (!search_add_zone(search) ||
        !add_keep_all_reading(search, done, begin) || !search_add_zone(search))
      return false;
    size_t from = search->reading_count;
    add_repeatless_reading(search, begin, lines, at);
    if (!add_run_readings(search, begin, lines, at))
      return false;
    search_sort_readings(search, from);
    done = at;
  }
  return search_add_zone(search) && add_keep_all_reading(search, done, size);
}

bool scan_binary_find_frame(struct frame_searcher *search,
                            const unsigned char *bytes, size_t size) {
  search_reset(search, bytes, size, unescape_binary);
  search_add_zone(search);
  add_keep_all_reading(search, 0, size);
  if (search_find_frame(search))
    return true;
  if (!search->tries || has_bad_escape(bytes, size) ||
      has_only_short_runs(bytes, size))
    return false;
  search_reset(search, bytes, size, unescape_binary);
  repeats_clear(&search->repeats);
  repeats_add_sequences(&search->repeats, bytes, size, 0, size);
  return divide_into_zones(search, size) && search->zone_count > 1 &&
         search_find_frame(search);
}

void scan_binary_pass_foreign_bytes(const struct frame_searcher *search,
                                    size_t size, foreign_bytes_handler *give,
                                    void *context) {
  size_t done = 0;
  for (size_t zone = 0; zone < search->zone_count; zone++) {
    const struct zone_reading *reading =
        search_get_chosen_reading(search, zone);
    for (size_t i = 0; i < reading->spans; i++) {
      size_t at = reading->kept[i].at;
      if (at != done)
        give(context, search->bytes + done, at - done);
      done = at + reading->kept[i].size;
    }
  }
  if (done != size)
    give(context, search->bytes + done, size - done);
}
