/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes damaged streams of dumps for the fault injection, and keeps a list of
 * the damage.
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "reassembly.h"
#include "wire/frame.h"
#include "sender.h"

enum { POOL = 48, DUMPS_MOST = 3, PARTS_MOST = 2000 };

/* The elements in a frame, which the undamaged dump shows. */
struct place {
  enum bareprof_frame_type type;
  unsigned piece;
  struct decoded_range elements[DECODED_PIECES];
};

struct source {
  struct sent sent;
  struct dump_header header;
  struct place places[SENDER_FRAMES];
  size_t place_count;
  unsigned char *scratch;
};

/* A part of a stream: a frame of a dump, or text. */
struct stretch {
  int dump; /* -1: text */
  size_t frame;
  const unsigned char *bytes;
  size_t size;
};

struct trial {
  uint64_t state;
  struct source *dumps[DUMPS_MOST];
  size_t dump_count;
  struct stretch parts[PARTS_MOST];
  size_t part_count;
  bool touched[DUMPS_MOST];             /* some byte was changed */
  bool lost[DUMPS_MOST][SENDER_FRAMES]; /* the frame was removed */
  bool whole[DUMPS_MOST];
  bool only_lost; /* no byte was changed */
};

extern struct trial trial;

/* Makes the dumps of which streams consist, and decodes each of them. */
void faults_pool(uint64_t seed);

/* Begins a trial: makes a stream with the faults that the seed selects. *stream
 * is valid until the next call. Returns its size. */
size_t faults_make(uint64_t seed, unsigned char **stream);

/* Returns a number below `below`. */
uint32_t faults_pick(uint32_t below);

#endif
