/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The NMEA 0183 parser of nmea.h, from bottom to top: numbers, fields,
 * sentences, frame. It trusts nothing that it has not checked: a field may be
 * empty or missing, and a line may be anything.
 */
#include "nmea.h"

#include <stddef.h>

static bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

static int hex_value(char character) {
  if (is_digit(character))
    return character - '0';
  if (character >= 'A' && character <= 'F')
    return character - 'A' + 10;
  if (character >= 'a' && character <= 'f')
    return character - 'a' + 10;
  return -1;
}

/* Parses exactly count digits. */
static bool parse_digits(const char *text, size_t count, uint32_t *value) {
  *value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i]))
      return false;
    *value = *value * 10 + (uint32_t)(text[i] - '0');
  }
  return true;
}

/* Parses a decimal number in units of 10 to the power of -places, and cuts off
 * further places. "12.3" with two places is 1230. Up to nine digits. */
static bool parse_decimal(const char *text, unsigned places, uint32_t *value) {
  bool point = false;
  *value = 0;
  if (!is_digit(*text))
    return false;
  for (; *text; ++text) {
    if (*text == '.' && !point) {
      point = true;
    } else if (!is_digit(*text) || *value >= 100000000) {
      return false;
    } else if (!point || places > 0) {
      *value = *value * 10 + (uint32_t)(*text - '0');
      places -= point;
    }
  }
  for (; places > 0; --places)
    *value *= 10;
  return true;
}

/* Parses hhmmss, and drops the fraction, if there is one. */
static bool parse_time(const char *text, uint32_t *seconds) {
  uint32_t hour;
  uint32_t minute;
  uint32_t second;
  if (!parse_digits(text, 2, &hour) || !parse_digits(text + 2, 2, &minute) ||
      !parse_digits(text + 4, 2, &second))
    return false;
  if (hour > 23 || minute > 59 || second > 60)
    return false;
  *seconds = hour * 3600 + minute * 60 + second;
  return true;
}

/* Parses degrees, of a known number of digits, directly followed by minutes
 * with four places: ddmm.mmmm, dddmm.mmmm. The next field is the hemisphere.
 * limit is in degrees. */
static bool parse_angle(const char *const *field, size_t digits,
                        const char *hemispheres, uint32_t limit,
                        int32_t *angle) {
  uint32_t degrees;
  uint32_t minutes;
  if (!parse_digits(field[0], digits, &degrees) ||
      !parse_decimal(field[0] + digits, 4, &minutes) || minutes >= 600000)
    return false;
  minutes += degrees * 600000;
  if (minutes > limit * 600000)
    return false;
  *angle = (int32_t)minutes;
  if (field[1][0] == hemispheres[1])
    *angle = -*angle;
  else if (field[1][0] != hemispheres[0])
    return false;
  return true;
}

/* Four fields: latitude, N or S, longitude, E or W. */
static bool parse_position(const char *const *field,
                           struct nmea_position *position) {
  return parse_angle(field, 2, "NS", 90, &position->latitude) &&
         parse_angle(field + 2, 3, "EW", 180, &position->longitude);
}

static bool parse_gga(const char *const *field, struct nmea_gga *gga) {
  const char *altitude = field[9];
  uint32_t magnitude;
  if (!parse_time(field[1], &gga->time) ||
      !parse_decimal(field[6], 0, &gga->quality) ||
      !parse_decimal(field[7], 0, &gga->satellites))
    return false;
  if (gga->quality == 0)
    return true;
  if (*altitude == '-')
    ++altitude;
  if (!parse_position(field + 2, &gga->position) ||
      !parse_decimal(field[8], 2, &gga->hdop) ||
      !parse_decimal(altitude, 1, &magnitude))
    return false;
  gga->altitude =
      altitude == field[9] ? (int32_t)magnitude : -(int32_t)magnitude;
  return true;
}

/* Fields 3 to 14 are the satellites in use, or empty. */
static bool parse_gsa(const char *const *field, struct nmea_gsa *gsa) {
  if (!parse_decimal(field[2], 0, &gsa->mode))
    return false;
  gsa->used = 0;
  for (size_t i = 3; i < 15; ++i)
    gsa->used += *field[i] != '\0';
  return gsa->mode >= 1 && gsa->mode <= 3;
}

static bool parse_rmc(const char *const *field, struct nmea_rmc *rmc) {
  if (!parse_time(field[1], &rmc->time))
    return false;
  rmc->valid = field[2][0] == 'A';
  if (!rmc->valid)
    return field[2][0] == 'V';
  return parse_position(field + 3, &rmc->position) &&
         parse_decimal(field[7], 2, &rmc->speed);
}

/* Ends every field of the line with a NUL. Fields that the sentence lacks
 * become empty fields, so the decoders need not count fields. */
static void split(char *line, const char **field) {
  size_t count = 0;
  field[count++] = line;
  for (; *line; ++line) {
    if (*line == ',') {
      *line = '\0';
      if (count < NMEA_FIELDS)
        field[count++] = line + 1;
    }
  }
  while (count < NMEA_FIELDS)
    field[count++] = line;
}

/* The address is two letters of the talker and three of the type. */
static bool is_type(const char *address, const char *type) {
  return address[2] == type[0] && address[3] == type[1] &&
         address[4] == type[2] && address[5] == '\0';
}

static enum nmea_event decode(char *line, struct nmea_message *message) {
  const char *field[NMEA_FIELDS];
  split(line, field);
  if (is_type(field[0], "GGA"))
    return parse_gga(field, &message->gga) ? NMEA_GGA : NMEA_MALFORMED;
  if (is_type(field[0], "GSA"))
    return parse_gsa(field, &message->gsa) ? NMEA_GSA : NMEA_MALFORMED;
  if (is_type(field[0], "RMC"))
    return parse_rmc(field, &message->rmc) ? NMEA_RMC : NMEA_MALFORMED;
  return NMEA_OTHER;
}

/* The sum follows the star, in two hexadecimal digits. */
static bool checksum_matches(const char *line, unsigned star) {
  int sum = 0;
  int high = hex_value(line[star + 1]);
  int low = hex_value(line[star + 2]);
  for (unsigned i = 0; i < star; ++i)
    sum ^= line[i];
  return high >= 0 && low >= 0 && sum == high * 16 + low;
}

/* A complete line has at least an address of five letters and a checksum. */
static enum nmea_event end_line(struct nmea_parser *parser,
                                struct nmea_message *message) {
  unsigned star = parser->length - 3;
  if (parser->length < 8 || parser->line[star] != '*')
    return NMEA_BROKEN;
  if (!checksum_matches(parser->line, star))
    return NMEA_CORRUPT;
  parser->line[star] = '\0';
  return decode(parser->line, message);
}

/* A `$` begins a sentence wherever it stands: an unfinished sentence before the
 * `$` is broken. */
static enum nmea_event begin_line(struct nmea_parser *parser) {
  bool interrupted = parser->receiving;
  parser->receiving = true;
  parser->length = 0;
  return interrupted ? NMEA_BROKEN : NMEA_NONE;
}

enum nmea_event nmea_feed(struct nmea_parser *parser, char character,
                          struct nmea_message *message) {
  if (character == '$')
    return begin_line(parser);
  if (!parser->receiving || character == '\r')
    return NMEA_NONE;
  if (character == '\n') {
    parser->receiving = false;
    return end_line(parser, message);
  }
  if (character < ' ' || character > '~' || parser->length == NMEA_LENGTH) {
    parser->receiving = false;
    return NMEA_BROKEN;
  }
  parser->line[parser->length++] = character;
  return NMEA_NONE;
}
