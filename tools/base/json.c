/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements a pull parser for JSON (RFC 8259), and functions that write JSON
 * strings. In skipped values, the parser checks only brackets and strings.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "text.h"

enum { DEPTH_MOST = 64 };

struct json_reader json_make_reader(struct bytes text) {
  return (struct json_reader){.at = text.data, .end = text.data + text.size};
}

static void mark_json_failed(struct json_reader *json) {
  json->failed = true;
  json->at = json->end;
}

static bool is_blank(unsigned char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Skips blanks and returns the next character, or 0 at the end. */
static int peek_after_blanks(struct json_reader *json) {
  while (json->at != json->end && is_blank(*json->at))
    json->at++;
  return json->at != json->end ? *json->at : 0;
}

static void expect_byte(struct json_reader *json, int byte) {
  if (peek_after_blanks(json) == byte && byte)
    json->at++;
  else
    mark_json_failed(json);
}

void json_enter_bracket(struct json_reader *json, char bracket) {
  expect_byte(json, bracket);
  json->first = true;
}

bool json_next_element(struct json_reader *json, char bracket) {
  bool first = json->first;
  json->first = false;
  if (peek_after_blanks(json) == bracket) {
    json->at++;
    return false;
  }
  if (!first)
    expect_byte(json, ',');
  return !json->failed;
}

/* ---- strings ---- */

static unsigned parse_hex4(struct json_reader *json) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    unsigned digit = 16;
    if (json->at != json->end)
      digit = digit_value_any_case(*json->at++);
    if (digit == 16) {
      mark_json_failed(json);
      return 0;
    }
    value = value << 4 | digit;
  }
  return value;
}

/* Parses the part of an escape after \u: a UTF-16 unit or a surrogate pair. */
static unsigned long parse_code_point(struct json_reader *json) {
  unsigned long code = parse_hex4(json);
  if (code >> 10 == 0xD800 >> 10 && json->end - json->at >= 6 &&
      json->at[0] == '\\' && json->at[1] == 'u') {
    json->at += 2;
    unsigned long low = parse_hex4(json);
    code = low >> 10 == 0xDC00 >> 10
               ? 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF))
               : 0xFFFD;
  }
  return code >> 11 == 0xD800 >> 11 ? 0xFFFD : code;
}

/* Decodes the part of an escape after the backslash. Writes the character, and
 * returns its size: at most 4 bytes, or 0 if the escape is wrong. */
static size_t decode_escape(struct json_reader *json, char *to) {
  static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
  int name = json->at != json->end ? *json->at++ : 0;
  const char *found = name ? strchr(names, name) : NULL;
  if (name == 'u')
    return utf8_encode(to, parse_code_point(json));
  if (!found) {
    mark_json_failed(json);
    return 0;
  }
  *to = bytes[found - names];
  return 1;
}

/* Returns the text of a string before its escapes are decoded. Decoding never
 * makes the text longer: an escape of 6 bytes becomes at most 4 bytes, and an
 * escape of 2 bytes becomes 1 byte. */
static struct bytes parse_raw_string(struct json_reader *json) {
  expect_byte(json, '"');
  const unsigned char *begin = json->at;
  while (json->at != json->end && *json->at != '"')
    json->at += *json->at == '\\' && json->end - json->at > 1 ? 2 : 1;
  struct bytes text = {begin, (size_t)(json->at - begin)};
  expect_byte(json, '"');
  return text;
}

char *json_parse_string(struct json_reader *json) {
  struct bytes text = parse_raw_string(json);
  char *string = json->failed ? NULL : malloc(text.size + 1);
  size_t size = 0;
  if (!string) {
    mark_json_failed(json);
    return NULL;
  }
  struct json_reader part = json_make_reader(text);
  while (part.at != part.end) {
    if (*part.at == '\\') {
      part.at++;
      size += decode_escape(&part, string + size);
    } else {
      string[size++] = (char)*part.at++;
    }
  }
  string[size] = 0;
  if (!part.failed)
    return string;
  free(string);
  mark_json_failed(json);
  return NULL;
}

static void parse_member_key(struct json_reader *json, char key[JSON_KEY]) {
  struct bytes text = parse_raw_string(json);
  size_t size = text.size < JSON_KEY - 1 ? text.size : JSON_KEY - 1;
  if (size)
    memcpy(key, text.data, size);
  key[size] = 0;
  expect_byte(json, ':');
}

bool json_next_member(struct json_reader *json, char key[JSON_KEY]) {
  bool more = json_next_element(json, '}');
  if (more)
    parse_member_key(json, key);
  return more;
}

/* ---- other values ---- */

uint64_t json_parse_number(struct json_reader *json) {
  int byte = peek_after_blanks(json);
  if (byte < '0' || byte > '9')
    mark_json_failed(json);
  uint64_t value = parse_decimal(&json->at, json->end);
  /* The fast path: nearly all numbers that llvm-cov writes end here. */
  if (json->at != json->end && (*json->at == ',' || *json->at == ']'))
    return value;
  while (json->at != json->end && *json->at && strchr("+-.eE", *json->at))
    for (json->at++;
         json->at != json->end && *json->at >= '0' && *json->at <= '9';)
      json->at++;
  return value;
}

struct bytes json_skip_and_get_text(struct json_reader *json) {
  unsigned depth = 0;
  peek_after_blanks(json);
  const unsigned char *begin = json->at;
  do {
    int byte = peek_after_blanks(json);
    if (byte == '"') {
      parse_raw_string(json);
    } else if (byte == '{' || byte == '[') {
      depth++;
      json->at++;
    } else if (byte == '}' || byte == ']') {
      depth -= depth != 0;
      json->at++;
    } else if (byte && strchr(",:", byte) && depth) {
      json->at++;
    } else {
      const unsigned char *word = json->at;
      while (json->at != json->end && *json->at &&
             !strchr(",:]}[{\" \t\r\n", *json->at))
        json->at++;
      if (json->at == word)
        mark_json_failed(json);
    }
  } while (depth && depth <= DEPTH_MOST && !json->failed);
  if (depth)
    mark_json_failed(json);
  return (struct bytes){begin, json->failed ? 0 : (size_t)(json->at - begin)};
}

bool json_parse_bool(struct json_reader *json) {
  struct bytes text = json_skip_and_get_text(json);
  return text.size && *text.data == 't';
}

/* ---- writing strings ----
 *
 * Escapes quotes, backslashes and invisible characters. A byte that is not
 * UTF-8 becomes a character of its own.
 */

static size_t put_json_character(struct text_stream *to, const char *text,
                                 size_t left) {
  struct utf8_character one = utf8_decode(text, left);
  if (one.hidden && one.code >= 0x10000)
    text_printf(to, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (one.code >> 10)),
                (unsigned)(0xDC00 + (one.code & 0x3FF)));
  else if (one.hidden)
    text_printf(to, "\\u%04x", (unsigned)one.code);
  else if (*text == '"' || *text == '\\')
    text_printf(to, "\\%c", *text);
  else
    text_put_bytes(to, text, one.size);
  return one.size;
}

void json_put_quoted_bytes(struct text_stream *to, struct bytes text) {
  text_put_char(to, '"');
  for (size_t size; text.size; text.size -= size, text.data += size) {
    size = utf8_count_unescaped(text.data, text.size);
    if (size)
      text_put_bytes(to, text.data, size);
    else
      size = put_json_character(to, (const char *)text.data, text.size);
  }
  text_put_char(to, '"');
}

void json_put_text(struct text_stream *to, const char *text) {
  if (text)
    json_put_quoted_bytes(to, bytes_of_text(text));
  else
    text_put_string(to, "null");
}

void json_print_string(FILE *stream, const char *text) {
  struct text_stream to;
  text_begin(&to, stream);
  json_put_text(&to, text);
  text_flush(&to);
}

void json_put_format(struct text_stream *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_put_format(to, json_put_text, format, values);
  va_end(values);
}

void json_printf(FILE *stream, const char *format, ...) {
  struct text_stream to;
  va_list values;
  va_start(values, format);
  text_begin(&to, stream);
  text_put_format(&to, json_put_text, format, values);
  text_flush(&to);
  va_end(values);
}
