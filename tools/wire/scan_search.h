/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which bytes of a candidate are the frame? The candidate is a row of zones.
 * Each zone has options, the likeliest first: scan_text.c makes them for TEXT,
 * scan_search.c for BINARY. The search takes one option of each, and the
 * frame's check decides.
 *
 * A frame that is damaged for good passes with 2^-32 a try: so there are few
 * tries for a candidate.
 */
#ifndef BAREPROF_TOOLS_SCAN_SEARCH_H
#define BAREPROF_TOOLS_SCAN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPEATS_SLOTS = 4096 };

/* How often each six bytes were seen, by their hash. */
struct repeats {
  struct {
    uint16_t tag;
    uint8_t count;
  } slots[REPEATS_SLOTS];
};

void repeats_clear(struct repeats *repeats);

/* The six bytes at each place from begin up to end; size is that of all. */
void repeats_add(struct repeats *repeats, const unsigned char *bytes,
                 size_t size, size_t begin, size_t end);

enum {
  CANDIDATE_MAX = 4096, /* bytes, encoding and what is spliced in included */
  SEARCH_TRIES = 256,   /* for all of a candidate */
  SEARCH_ZONES = 96,
  SEARCH_OPTIONS = 1024,
  SEARCH_ZONE_OPTIONS = 256,
  SEARCH_SPANS = 6,
  SEARCH_SORTED = 8 /* so many of a zone are brought to the front */
};

struct span {
  uint16_t at, size;
};

/* The spans of a zone that are the frame's. */
struct option {
  struct span kept[SEARCH_SPANS];
  uint8_t spans;
  bool mended;     /* not the plain grammar */
  uint16_t likely; /* lines begin that repeat: how often */
  uint16_t last;   /* TEXT: its last line */
};

struct zone {
  uint16_t first, count; /* options */
  uint16_t chosen;       /* one of them, from first on */
  uint16_t room;         /* how far chosen can go, here and in what follows */
};

/* Takes the encoding off, in place. Returns the frame's size, 0 if there is
 * none. */
typedef size_t search_decode(unsigned char *bytes, size_t size);

struct search {
  const unsigned char *bytes; /* the candidate */
  size_t bytes_size;
  search_decode *decode;
  unsigned tries; /* left */
  struct repeats repeats;
  size_t zone_count, option_count;
  struct zone zones[SEARCH_ZONES];
  struct option options[SEARCH_OPTIONS];
  unsigned char frame[CANDIDATE_MAX];
  size_t size; /* of the frame found */
};

/* Without zones and options, as at first. Leaves the tries. */
void search_clear(struct search *search, const unsigned char *bytes,
                  size_t size, search_decode *decode);

/* One zone more; false: there are too many. */
bool search_add_zone(struct search *search);

/* Without the last zone again. */
void search_drop_zone(struct search *search);

/* An option more for the last zone, its spans to be set; NULL: there are
 * enough. */
struct option *search_add_option(struct search *search);

/* How likely what is from a place on is spliced in; asks search->repeats. */
unsigned search_likely(const struct search *search, size_t at);

/* Brings the likely ones to the front, of the options from one on. */
void search_sort(struct search *search, size_t from);

/* Finds the frame; or there is none, or no try is left. */
bool search_run(struct search *search);

/* The option chosen for a zone. */
const struct option *search_chosen(const struct search *search, size_t zone);

/* Whether the frame found is mended. */
bool search_mended(const struct search *search);

/* Whether the search finds a frame in what is between the marks of BINARY. */
bool binary_try(struct search *search, const unsigned char *bytes, size_t size);

/* About the frame found: what is not the frame's, in order. */
typedef void binary_give(void *context, const unsigned char *bytes,
                         size_t size);
void binary_foreign(const struct search *search, size_t size, binary_give *give,
                    void *context);

#endif
