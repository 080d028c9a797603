/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A parser for NMEA 0183, the text that GPS receivers send: it takes one
 * character at a time, checks the frame and the checksum, and decodes the
 * sentences GGA (position), GSA (satellites in use) and RMC (position, speed,
 * time). All numbers are fixed point; it needs no C library, no floating
 * point and no division. It keeps no time and judges no fix: see monitor.h.
 */
#ifndef NMEA_H
#define NMEA_H

#include <stdbool.h>
#include <stdint.h>

/* The standard allows 82 characters, of them `$`, CR and LF. */
#define NMEA_LENGTH 79
#define NMEA_FIELDS 24

/* What a character has completed. */
enum nmea_event {
  NMEA_NONE, /* nothing yet                                        */
  NMEA_GGA,  /* one of the three sentences, decoded                */
  NMEA_GSA,
  NMEA_RMC,
  NMEA_OTHER,     /* a good sentence of another type                    */
  NMEA_MALFORMED, /* the checksum is right, a field we need is not      */
  NMEA_CORRUPT,   /* the checksum is wrong                              */
  NMEA_BROKEN,    /* truncated, too long, or with bytes that are not text */
  NMEA_EVENTS     /* number of events                                   */
};

/* A position in 1/10,000 minutes of arc; north and east are positive. The
 * limits are 90 and 180 degrees. */
struct nmea_position {
  int32_t latitude;
  int32_t longitude;
};

/* If quality is 0, there is no fix, and only time, quality and satellites
 * are valid. */
struct nmea_gga {
  uint32_t time; /* seconds of the day, UTC */
  struct nmea_position position;
  uint32_t quality;
  uint32_t satellites;
  uint32_t hdop;    /* 1/100 */
  int32_t altitude; /* 1/10 m */
};

struct nmea_gsa {
  uint32_t mode; /* 1 no fix, 2 two dimensions, 3 three */
  uint32_t used; /* satellites */
};

/* If valid is false, only time is valid. */
struct nmea_rmc {
  uint32_t time; /* seconds of the day, UTC */
  bool valid;
  struct nmea_position position;
  uint32_t speed; /* 1/100 knot */
};

/* The sentence that the event names is filled; the others keep what the
 * last sentence of their type has left. */
struct nmea_message {
  struct nmea_gga gga;
  struct nmea_gsa gsa;
  struct nmea_rmc rmc;
};

/* All members are 0 at first. */
struct nmea_parser {
  bool receiving;
  unsigned length;
  char line[NMEA_LENGTH + 1]; /* the characters after the `$` */
};

enum nmea_event nmea_feed(struct nmea_parser *parser, char character,
                          struct nmea_message *message);

#endif
