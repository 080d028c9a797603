/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which bytes of a candidate are the frame? The candidate is a row of zones.
 * Each zone has options, the likeliest first: scan_text.c makes them for TEXT,
 * scan_search.c for BINARY. The search takes one option of each, and the
 * frame's check decides.
 *
 * An irreparable frame passes the check with a probability of 2^-32 for each
 * try, so a candidate gets few tries.
 */
#ifndef BAREPROF_TOOLS_SCAN_SEARCH_H
#define BAREPROF_TOOLS_SCAN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes, by eights ---- */

/* Each byte of eight that is equal to one gets its highest bit; so may bytes in
 * front of such a one, but none if there is none. */
static inline uint64_t eight_like(const unsigned char *bytes,
                                  unsigned char one, unsigned char mask) {
  const uint64_t each = UINT64_C(0x0101010101010101);
  uint64_t eight;
  memcpy(&eight, bytes, sizeof eight);
  eight = (eight & each * mask) ^ each * one;
  return (eight - each) & ~eight & each * 0x80;
}

enum { EIGHT = 8 };

/* The place behind the last LF; 0: there is none. */
static inline size_t last_line_end(const unsigned char *bytes, size_t size) {
  while (size >= EIGHT && !eight_like(bytes + size - EIGHT, '\n', 0xFF))
    size -= EIGHT;
  while (size && bytes[size - 1] != '\n')
    size--;
  return size;
}

/* ---- scan_search.c ---- */

enum { REPEATS_SLOTS = 4096 };

/* How often each sequence of six bytes was seen, by hash, since the last
 * clearing: a round. */
struct repeats {
  struct {
    uint16_t tag;
    uint8_t count, round;
  } slots[REPEATS_SLOTS];
  uint8_t round;
};

void repeats_clear(struct repeats *repeats);

/* Adds the six bytes at each place from begin up to end. size is the size of
 * all bytes. */
void repeats_add(struct repeats *repeats, const unsigned char *bytes,
                 size_t size, size_t begin, size_t end);

enum {
  CANDIDATE_MAX = 4096, /* bytes, encoding and what is spliced in included */
  SEARCH_TRIES = 256,   /* for all of a candidate */
  SEARCH_ZONES = 96,
  SEARCH_OPTIONS = 1024,
  SEARCH_ZONE_OPTIONS = 256,
  SEARCH_SPANS = 6,
  SEARCH_SORTED = 8 /* options of a zone that are sorted to the front */
};

struct byte_span {
  uint16_t at, size;
};

/* The spans of a zone that belong to the frame. */
struct option {
  struct byte_span kept[SEARCH_SPANS];
  uint8_t spans;
  bool mended;     /* not the plain grammar */
  uint16_t likely; /* how often a repeated line begins */
  uint16_t last;   /* TEXT: its last line */
};

struct zone {
  uint16_t first, count; /* options */
  uint16_t chosen;       /* one of them, from first on */
  uint16_t room;         /* how far chosen can go, in this zone and the later
                            ones */
};

/* The checks of some frames of a dump, by its number, begin with a seed. The
 * last ones are remembered. */
enum { SEEDS_MOST = 16 };
struct seeds {
  struct {
    uint16_t dump;
    uint32_t seed; /* 0: none */
  } list[SEEDS_MOST];
  size_t next;
};

/* Removes the encoding in place. Returns the frame's size, 0 if there is no
 * frame. */
typedef size_t search_decode(unsigned char *bytes, size_t size);

struct frame_search {
  uint32_t checks[8][256];    /* the check's step for a byte, and for one that
                                 is up to 7 before the last */
  const unsigned char *bytes; /* the candidate */
  size_t bytes_size;
  search_decode *decode;
  unsigned tries; /* left */
  struct repeats repeats;
  struct seeds seeds;
  size_t zone_count, option_count;
  struct zone zones[SEARCH_ZONES];
  struct option options[SEARCH_OPTIONS];
  unsigned char frame[CANDIDATE_MAX];
  size_t size; /* of the frame found */
};

/* Begins; all is 0 before. */
void search_new(struct frame_search *search);

/* Removes all zones and options. Keeps the tries. */
void search_clear(struct frame_search *search, const unsigned char *bytes,
                  size_t size, search_decode *decode);

/* Adds a zone. false: there are too many. */
bool search_add_zone(struct frame_search *search);

/* Removes the last zone. */
void search_drop_zone(struct frame_search *search);

/* Adds an option to the last zone; the caller sets its spans. NULL: there are
 * enough options. */
struct option *search_add_option(struct frame_search *search);

/* Returns how likely spliced bytes begin at a place, from search->repeats. */
unsigned search_likely(const struct frame_search *search, size_t at);

/* Sorts likely options to the front, from option `first` on. */
void search_sort(struct frame_search *search, size_t from);

/* Finds the frame. false: there is no frame, or no try is left. */
bool search_run(struct frame_search *search);

/* The option chosen for a zone. */
const struct option *search_chosen(const struct frame_search *search,
                                   size_t zone);

/* Whether the frame found was repaired. */
bool search_mended(const struct frame_search *search);

/* Whether the search finds a frame between the marks of BINARY. */
bool binary_try(struct frame_search *search, const unsigned char *bytes,
                size_t size);

/* Gives out the bytes that do not belong to the frame found, in order. */
typedef void binary_give(void *context, const unsigned char *bytes,
                         size_t size);
void binary_foreign(const struct frame_search *search, size_t size,
                    binary_give *give, void *context);

/* ---- scan_text.c ----
 *
 * TEXT candidates: bytes that may be a frame from "~{" to "}", including
 * everything that a console does to the lines and puts between and into them.
 */

enum { SHAPE_MAX = 128 };

/* A prefix without colours, each run of digits, with the blanks that pad it,
 * one #. */
struct shape {
  unsigned char bytes[SHAPE_MAX];
  size_t size;
};

/* Makes the shape of the bytes from begin up to end. The shape is empty if it
 * is too long. */
void shape_of(struct shape *shape, const unsigned char *begin,
              const unsigned char *end);

bool shape_equal(const struct shape *a, const struct shape *b);

/* The bytes of the colour sequence (ESC [ ... letter) at a place; 0 if there
 * is none, or not all of it. */
size_t ansi_size(const unsigned char *at, const unsigned char *end);

/* Whether the bytes from at up to end can be the beginning of a colour
 * sequence. */
bool ansi_begun(const unsigned char *at, const unsigned char *end);

/* Returns the place behind all CRs and colour sequences. */
const unsigned char *skip_decoration(const unsigned char *at,
                                     const unsigned char *end);

struct text_input {
  const unsigned char *bytes; /* from the mark on */
  size_t size;
  size_t brace;              /* 1; more if something came between ~ and { */
  bool ended;                /* the last byte is }; else the end was lost */
  struct shape prefix;       /* in front of the mark */
  const struct shape *known; /* of the frames before */
};

/* A line of the candidate, as offsets. In front of `at` there is only
 * decoration and the prefix of a mark. */
struct text_line {
  uint16_t start, begin; /* of the line; of what is behind a mark */
  uint16_t at, run;      /* characters of base64, how many */
  uint16_t end;          /* behind its LF */
  bool full;             /* nothing else is in it */
  bool mark;             /* has one */
  bool foreign;          /* Its mark does not belong to the frame. */
};

enum { TEXT_LINES = 512 };

/* A candidate, as last tried. */
struct text_candidate {
  const struct text_input *input;
  struct frame_search *search;
  size_t count;
  struct text_line lines[TEXT_LINES];
  uint16_t zone_lines[SEARCH_ZONES + 1]; /* first lines of the zones */
};

/* Whether the search finds a frame. */
bool text_try(struct text_candidate *text, struct frame_search *search,
              const struct text_input *input);

/* For scan_text.c: adds a zone of the lines from first up to end, with its
 * options. false: there are none, and no zone is added. */
bool text_add_zone(struct text_candidate *text, size_t first, size_t end);

/* Returns the end of the frame found in the candidate. The end is less than the
 * size if the end mark was lost. */
size_t text_end(const struct text_candidate *text);
bool text_mended(const struct text_candidate *text);

/* The prefix of the frame's last line, unless that is the first line; false if
 * there is none. */
bool text_further_prefix(const struct text_candidate *text,
                         struct shape *prefix);

/* Gives out the bytes that do not belong to the frame, in order. */
typedef void text_give(void *context, const unsigned char *bytes, size_t size);
void text_foreign(const struct text_candidate *text, text_give *give,
                  void *context);

#endif
