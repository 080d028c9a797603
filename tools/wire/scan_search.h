/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides which bytes of a candidate are the frame, because other output may
 * have been spliced into the frame. A candidate is a sequence of zones. Each
 * zone has readings, that is, guesses which of its bytes belong to the frame,
 * the likeliest first. scan_text.c makes the readings for TEXT encoding,
 * scan_search.c makes them for BINARY encoding. The search chooses one reading
 * for each zone, and the frame's CRC decides.
 *
 * A wrong reading passes the CRC with a probability of 2^-32, so a candidate
 * gets few tries.
 */
#ifndef BAREPROF_TOOLS_SCAN_SEARCH_H
#define BAREPROF_TOOLS_SCAN_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes, eight at a time ---- */

/* Sets the highest bit of each of the eight bytes that equals `one`. Bytes
 * before an equal byte may have their highest bit set, too. If no byte is
 * equal, all these bits are 0. */
static inline uint64_t scan_has_equal_byte(const unsigned char *bytes,
                                           unsigned char one,
                                           unsigned char mask) {
  const uint64_t each = UINT64_C(0x0101010101010101);
  uint64_t eight;
  memcpy(&eight, bytes, sizeof eight);
  eight = (eight & each * mask) ^ each * one;
  return (eight - each) & ~eight & each * 0x80;
}

enum { EIGHT = 8 };

/* Returns the offset after the last LF, or 0 without an LF. */
static inline size_t scan_last_line_end(const unsigned char *bytes,
                                        size_t size) {
  while (size >= EIGHT &&
         !scan_has_equal_byte(bytes + size - EIGHT, '\n', 0xFF))
    size -= EIGHT;
  while (size && bytes[size - 1] != '\n')
    size--;
  return size;
}

/* ---- scan_search.c ---- */

enum { REPEATS_SLOTS = 4096 };

/* Counts how often each sequence of six bytes occurs, in a hash table. A new
 * round begins when the table is cleared. */
struct repeat_counts {
  struct {
    uint16_t tag;
    uint8_t count, round;
  } slots[REPEATS_SLOTS];
  uint8_t round;
};

void repeats_clear(struct repeat_counts *repeats);

/* Counts the six-byte sequences that begin between the offsets `begin` and
 * `end`. `size` is the size of all bytes. */
void repeats_add_sequences(struct repeat_counts *repeats,
                           const unsigned char *bytes, size_t size,
                           size_t begin, size_t end);

enum {
  CANDIDATE_MAX = 1 << 14, /* the largest size of a candidate, with encoding and
                           spliced-in bytes */
  SEARCH_TRIES = 256,      /* the number of tries for the whole candidate */
  SEARCH_ZONES = 256,
  SEARCH_READINGS = 1024,
  SEARCH_ZONE_OPTIONS = 256,
  SEARCH_SPANS = 6,
  SEARCH_SORTED = 8 /* the number of readings of a zone that are sorted by
                       likelihood */
};

struct byte_span {
  uint16_t at, size;
};

/* One reading of a zone: the spans of bytes that belong to the frame. */
struct zone_reading {
  struct byte_span kept[SEARCH_SPANS];
  uint8_t spans;
  bool mended;     /* the reading leaves out some bytes */
  uint16_t likely; /* how often a repeated line begins at the bytes left out */
  uint16_t last;   /* for TEXT, the index of the zone's last line */
};

struct zone_reading_choice {
  uint16_t first, count; /* the index of the zone's first reading; the number of
                            readings */
  uint16_t chosen;       /* the index of the chosen reading, relative to
                            first */
  uint16_t room;         /* the largest sum of `chosen` in this zone and the
                            later zones */
};

/* The seeds for the CRCs of COUNTS frames, one for each dump number. Only the
 * latest seeds are kept. */
enum { SEEDS_MOST = 16 };
struct crc_seeds {
  struct {
    uint16_t dump;
    uint32_t seed; /* the seed; 0: none */
  } list[SEEDS_MOST];
  size_t next;
};

/* Decodes bytes in place. Returns the size of the decoded frame, or 0 if the
 * bytes are not a frame. */
typedef size_t search_decode(unsigned char *bytes, size_t size);

struct frame_searcher {
  uint32_t checks[8][256];    /* the CRC tables: one for the last byte, and one
                                 for each of the 7 bytes before it */
  const unsigned char *bytes; /* the bytes of the candidate */
  size_t bytes_size;
  search_decode *decode;
  unsigned tries; /* the number of tries that are left */
  struct repeat_counts repeats;
  struct crc_seeds seeds;
  size_t zone_count, reading_count;
  struct zone_reading_choice zones[SEARCH_ZONES];
  struct zone_reading readings[SEARCH_READINGS];
  unsigned char frame[CANDIDATE_MAX];
  size_t size; /* the size of the frame that was found */
};

/* Initialises the CRC tables. All other members must be 0. */
void search_init_crc_tables(struct frame_searcher *search);

/* Begins with a new candidate: removes all zones and readings. Keeps the number
 * of tries that are left. */
void search_reset(struct frame_searcher *search, const unsigned char *bytes,
                  size_t size, search_decode *decode);

/* Adds a zone. Returns false if there are too many zones. */
bool search_add_zone(struct frame_searcher *search);

/* Removes the last zone. */
void search_drop_zone(struct frame_searcher *search);

/* Adds a reading to the last zone; the caller sets its spans. Returns NULL if
 * there are too many readings. */
struct zone_reading *search_add_reading(struct frame_searcher *search);

/* Returns how likely it is that spliced-in bytes begin at an offset.
 * search->repeats gives the answer. */
unsigned search_splice_likelihood(const struct frame_searcher *search,
                                  size_t at);

/* Moves the likeliest readings to the front, sorted, starting with index
 * `from`. */
void search_sort_readings(struct frame_searcher *search, size_t from);

/* Searches for the frame. Returns false if no reading is a frame, or if no
 * tries are left. */
bool search_find_frame(struct frame_searcher *search);

/* Returns the reading chosen for a zone. */
const struct zone_reading *
search_get_chosen_reading(const struct frame_searcher *search, size_t zone);

/* Returns whether the frame that was found had to be repaired. */
bool search_is_mended(const struct frame_searcher *search);

/* Searches for a frame between the begin and end marks of BINARY encoding. */
bool scan_binary_find_frame(struct frame_searcher *search,
                            const unsigned char *bytes, size_t size);

/* Passes the bytes outside the frame to `give`, in order. */
typedef void foreign_bytes_handler(void *context, const unsigned char *bytes,
                                   size_t size);
void scan_binary_pass_foreign_bytes(const struct frame_searcher *search,
                                    size_t size, foreign_bytes_handler *give,
                                    void *context);

/* ---- scan_text.c ----
 *
 * Handles candidates in TEXT encoding: the bytes from "~{" to "}", with
 * everything that a console adds between and inside the lines.
 */

enum { SHAPE_MAX = 128 };

/* The shape of a log prefix: the prefix without colours, with one # for each
 * run of digits and for the blanks that pad the run. */
struct log_prefix_shape {
  unsigned char bytes[SHAPE_MAX];
  size_t size;
};

/* Makes the shape of the bytes from `begin` to `end`. If the shape would be too
 * long, it is empty. */
void scan_make_prefix_shape(struct log_prefix_shape *shape,
                            const unsigned char *begin,
                            const unsigned char *end);

bool scan_prefix_shapes_equal(const struct log_prefix_shape *a,
                              const struct log_prefix_shape *b);

/* Returns the length of the colour sequence (ESC [ ... letter) at `at`. Returns
 * 0 without a complete colour sequence. */
size_t scan_ansi_size(const unsigned char *at, const unsigned char *end);

/* Returns whether the bytes from `at` to `end` may be the start of a colour
 * sequence. */
bool scan_is_ansi_start(const unsigned char *at, const unsigned char *end);

/* Returns the position after all CRs, colour sequences and blanks at `at`. Some
 * loggers and terminals pad lines with blanks. */
const unsigned char *scan_skip_padding(const unsigned char *at,
                                       const unsigned char *end);

struct candidate_input {
  const unsigned char *bytes; /* the bytes of the candidate, starting with the
                                 mark */
  size_t size;
  size_t brace; /* the offset of the {: 1, or more if bytes were
                                spliced in after the ~ */
  bool ended;   /* the last byte is }; otherwise the end was
                                lost */
  struct log_prefix_shape prefix;       /* the shape of the text before the
                                           mark */
  const struct log_prefix_shape *known; /* the shape of the prefix of earlier
                                           frames */
};

/* A line of the candidate, as offsets. The part of the line before `at` has
 * only decoration and the prefix of a mark. */
struct candidate_line {
  uint16_t start, begin; /* the start of the line; the start of the part after
                            its mark */
  uint16_t at, run;      /* the start of its base64 characters; their number */
  uint16_t end;          /* the offset after its LF */
  bool full;             /* the line contains nothing else */
  bool mark;             /* the line has a mark */
  bool foreign;          /* the mark does not belong to the frame */
};

enum { TEXT_LINES = 512 };

/* The candidate of the last try. */
struct text_candidate {
  const struct candidate_input *input;
  struct frame_searcher *search;
  unsigned char newline; /* the end of a line: LF, or CR in text without LF */
  size_t count;
  struct candidate_line lines[TEXT_LINES];
  uint16_t zone_lines[SEARCH_ZONES + 1]; /* the index of the first line of each
                                            zone */
};

/* Searches for the frame. Returns false if the candidate is not a frame. */
bool scan_text_find_frame(struct text_candidate *text,
                          struct frame_searcher *search,
                          const struct candidate_input *input);

/* Returns the end of the frame in the candidate. The end is less than the
 * candidate's size if the end mark was lost. */
size_t scan_text_frame_end(const struct text_candidate *text);
bool scan_text_is_mended(const struct text_candidate *text);

/* Finds the prefix of the frame's last line. Returns false if the frame has
 * only one line. */
bool scan_text_find_last_prefix(const struct text_candidate *text,
                                struct log_prefix_shape *prefix);

/* Passes the bytes outside the frame to `give`, in order. */
void scan_text_pass_foreign_bytes(const struct text_candidate *text,
                                  foreign_bytes_handler *give, void *context);

/* ---- scan_zone.c ---- */

/* Adds a zone for the lines from `first` to `end`, with its readings. Without
 * readings, returns false and adds no zone. Only for scan_text.c. */
bool scan_text_add_zone(struct text_candidate *text, size_t first, size_t end);

#endif
