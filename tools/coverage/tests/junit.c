/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads the tags of JUnit's XML one after another, without a tree or
 * allocated memory. Comments, CDATA and declarations are skipped.
 */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/text_part.h"
#include "../../base/text.h"

enum { NAME = 1024, SECONDS_MOST = 1000000 };

struct junit_reader {
  struct text_part rest;
  void (*each)(void *context, const struct junit_case *one);
  void *context;
  char class[NAME], name[NAME], time[NAME];
  bool inside, failed; /* The reader is inside a testcase element; this test
                          case has failed. */
  size_t count;
};

/* ---- attributes ---- */

/* Parses an entity, which begins with &. Returns the size of the entity, or 0
 * if the text is not an entity. */
static size_t parse_entity(const char *at, const char *end, unsigned long *c) {
  static const struct {
    const char *text;
    char is;
  } known[] = {{"&lt;", '<'},
               {"&gt;", '>'},
               {"&amp;", '&'},
               {"&quot;", '"'},
               {"&apos;", '\''}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t size = strlen(known[i].text);
    if ((size_t)(end - at) >= size && !memcmp(at, known[i].text, size)) {
      *c = (unsigned char)known[i].is;
      return size;
    }
  }
  if (end - at < 4 || at[1] != '#')
    return 0;
  char digits[12] = "", *behind;
  bool hex = at[2] == 'x';
  for (size_t i = 0; i < sizeof digits - 1 && at + 2 + hex + i < end; i++)
    digits[i] = at[2 + hex + i];
  *c = strtoul(digits, &behind, hex ? 16 : 10);
  return *behind == ';' && behind != digits && *c && *c < 0x110000
             ? (size_t)(behind - digits) + 3 + hex
             : 0;
}

static void parse_attribute_value(char to[NAME], const char *at,
                                  const char *end) {
  size_t used = 0;
  while (at < end && used < NAME - 5) {
    unsigned long c = (unsigned char)*at;
    size_t size = c == '&' ? parse_entity(at, end, &c) : 0;
    if (size)
      used += utf8_encode(to + used, c);
    else
      to[used++] = *at;
    at += size ? size : 1;
  }
  to[used] = 0;
}

static bool is_space(char c) { return c && strchr(" \t\n\r", c); }

static void skip_space(struct text_part *rest) {
  while (rest->size && is_space(*rest->at))
    part_cut_front(rest, 1);
}

/* Parses an attribute. Returns false if the attribute does not end or lacks a
 * value. */
static bool parse_attribute(struct junit_reader *junit) {
  struct text_part *rest = &junit->rest, name = *rest;
  while (rest->size && !is_space(*rest->at) && !memchr("=>/", *rest->at, 3))
    part_cut_front(rest, 1);
  name.size -= rest->size;
  skip_space(rest);
  if (!part_skip_word(rest, "="))
    return false;
  skip_space(rest);
  const char quote[] = {part_starts_with(*rest, "'") ? '\'' : '"', 0};
  const char *value = rest->at + 1;
  if (!part_skip_word(rest, quote) || !part_skip_past(rest, quote))
    return false;
  char *to = part_equals(name, (struct text_part){"name", 4}) ? junit->name
             : part_equals(name, (struct text_part){"classname", 9})
                 ? junit->class
             : part_equals(name, (struct text_part){"time", 4}) ? junit->time
                                                                : NULL;
  if (to)
    parse_attribute_value(to, value, rest->at - 1);
  return true;
}

/* Parses the attributes of an element and the > after them. Returns false if
 * the tag does not end. Sets *empty to whether the tag ends in />. */
static bool parse_attributes(struct junit_reader *junit, bool *empty) {
  for (*empty = false;;) {
    skip_space(&junit->rest);
    if (part_skip_word(&junit->rest, ">"))
      return true;
    *empty = part_skip_word(&junit->rest, "/");
    if (!*empty && !parse_attribute(junit))
      return false;
  }
}

/* ---- elements ---- */

static void end_testcase(struct junit_reader *junit) {
  double seconds = strtod(junit->time, NULL);
  const struct junit_case one = {
      junit->class, junit->name,
      seconds > 0 && seconds < SECONDS_MOST ? seconds : 0, junit->failed};
  if (junit->inside)
    junit->each(junit->context, &one);
  junit->count += junit->inside;
  junit->inside = false;
}

static bool is_tag_name(const struct junit_reader *junit, const char *name) {
  struct text_part rest = junit->rest;
  return part_skip_word(&rest, name) && rest.size &&
         (is_space(*rest.at) || *rest.at == '>' || *rest.at == '/');
}

/* Parses a tag after its <. Returns false if the tag does not end. */
static bool parse_tag(struct junit_reader *junit) {
  struct text_part *rest = &junit->rest;
  bool empty;
  if (part_starts_with(*rest, "!--"))
    return part_skip_past(rest, "-->");
  if (part_starts_with(*rest, "![CDATA["))
    return part_skip_past(rest, "]]>");
  if (is_tag_name(junit, "/testcase"))
    end_testcase(junit);
  if (is_tag_name(junit, "failure") || is_tag_name(junit, "error"))
    junit->failed = true;
  if (!is_tag_name(junit, "testcase"))
    return part_skip_past(rest, ">");
  junit->class[0] = junit->name[0] = junit->time[0] = 0;
  part_skip_word(rest, "testcase");
  if (!parse_attributes(junit, &empty))
    return false;
  junit->inside = true;
  junit->failed = false;
  if (empty)
    end_testcase(junit);
  return true;
}

const char *junit_parse(struct bytes xml,
                        void (*each)(void *context,
                                     const struct junit_case *one),
                        void *context) {
  static const char cut[] =
      "the XML is truncated or damaged; pass a complete JUnit file";
  struct junit_reader junit = {.rest = {(const char *)xml.data, xml.size},
                               .each = each,
                               .context = context};
  while (part_skip_past(&junit.rest, "<"))
    if (!parse_tag(&junit))
      return cut;
  if (junit.inside)
    return cut;
  return junit.count ? NULL : "no testcase found; pass a JUnit file";
}
