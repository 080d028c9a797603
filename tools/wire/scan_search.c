/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The search for a frame among the options of a candidate's zones. It goes
 * by the sum of the options' ranks: all zones as is likeliest; then one of
 * them the second likeliest way; and so on.
 */
#include "scan_search.h"

#include <string.h>

#include "wire_crc32.h"

enum { FRAME_MIN = 8, CHECK_SIZE = 4 };

void search_clear(struct search *search, const unsigned char *bytes,
                  size_t size, search_decode *decode) {
  search->bytes = bytes;
  search->bytes_size = size;
  search->decode = decode;
  search->zone_count = search->option_count = search->size = 0;
}

bool search_add_zone(struct search *search) {
  if (search->zone_count == SEARCH_ZONES)
    return false;
  search->zones[search->zone_count++] =
      (struct zone){.first = (uint16_t)search->option_count};
  return true;
}

void search_drop_zone(struct search *search) {
  search->option_count = search->zones[--search->zone_count].first;
}

struct option *search_add_option(struct search *search) {
  struct zone *zone = &search->zones[search->zone_count - 1];
  if (zone->count == SEARCH_ZONE_OPTIONS ||
      search->option_count == SEARCH_OPTIONS)
    return NULL;
  zone->count++;
  struct option *option = &search->options[search->option_count++];
  *option = (struct option){.spans = 0};
  return option;
}

unsigned search_likely(const struct search *search, size_t at) {
  return repeats_begin(&search->repeats, search->bytes, search->bytes_size, at);
}

void search_sort(struct search *search, size_t from) {
  struct option *front = &search->options[from];
  const struct option *end = &search->options[search->option_count];
  for (unsigned i = 0; i < SEARCH_SORTED && front < end; i++, front++) {
    struct option *best = front;
    for (struct option *option = front; option != end; option++)
      if (option->likely > best->likely)
        best = option;
    if (best->likely == 0)
      return;
    struct option likeliest = *best;
    memmove(front + 1, front, (size_t)(best - front) * sizeof *front);
    *front = likeliest;
  }
}

const struct option *search_chosen(const struct search *search, size_t zone) {
  return &search
              ->options[search->zones[zone].first + search->zones[zone].chosen];
}

bool search_mended(const struct search *search) {
  for (size_t i = 0; i < search->zone_count; i++)
    if (search_chosen(search, i)->mended)
      return true;
  return false;
}

static bool is_frame(const unsigned char *frame, size_t size) {
  if (size < FRAME_MIN)
    return false;
  uint32_t crc = bareprof_crc32(0, frame, size - CHECK_SIZE);
  for (size_t i = size - CHECK_SIZE; i < size; i++, crc >>= 8)
    if (frame[i] != (crc & 255))
      return false;
  return true;
}

/* Spans of a candidate do not overlap: together they fit. */
static bool try_chosen(struct search *search) {
  size_t size = 0;
  search->tries--;
  for (size_t i = 0; i < search->zone_count; i++) {
    const struct option *option = search_chosen(search, i);
    for (size_t k = 0; k < option->spans; k++) {
      const struct span *kept = &option->kept[k];
      memcpy(search->frame + size, search->bytes + kept->at, kept->size);
      size += kept->size;
    }
  }
  search->size = search->decode(search->frame, size);
  return is_frame(search->frame, search->size);
}

/* Tries all ways to spread a sum of ranks over the zones from one on. */
static bool spread(struct search *search, size_t from, unsigned sum) {
  if (from == search->zone_count)
    return search->tries && try_chosen(search);
  struct zone *zone = &search->zones[from];
  unsigned behind = zone->room - (zone->count - 1u);
  unsigned rank = sum > behind ? sum - behind : 0;
  for (; rank <= sum && rank < zone->count && search->tries; rank++) {
    zone->chosen = (uint16_t)rank;
    if (spread(search, from + 1, sum - rank))
      return true;
  }
  return false;
}

bool search_run(struct search *search) {
  unsigned room = 0;
  for (size_t i = search->zone_count; i-- > 0;) {
    room += search->zones[i].count - 1u;
    search->zones[i].room = (uint16_t)room;
  }
  for (unsigned sum = 0; sum <= room && search->tries; sum++)
    if (spread(search, 0, sum))
      return true;
  return false;
}
