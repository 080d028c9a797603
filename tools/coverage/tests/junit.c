/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tags one after another: no tree, no memory. Comments, CDATA and declarations
 * are passed over.
 */
#include "by_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/text.h"

enum { NAME = 1024, SECONDS_MOST = 1000000 };

struct junit {
  const unsigned char *at, *end;
  void (*each)(void *context, const struct junit_case *one);
  void *context;
  char class[NAME], name[NAME], time[NAME];
  bool inside, failed; /* of a testcase */
  size_t count;
};

static const unsigned char *find(const struct junit *junit, const char *text) {
  size_t size = strlen(text);
  for (const unsigned char *at = junit->at; (size_t)(junit->end - at) >= size;
       at++)
    if (memcmp(at, text, size) == 0)
      return at;
  return NULL;
}

static bool begins(const struct junit *junit, const char *text) {
  size_t size = strlen(text);
  return (size_t)(junit->end - junit->at) >= size &&
         memcmp(junit->at, text, size) == 0;
}

/* Passes over from here to behind the text. false: it does not come. */
static bool skip(struct junit *junit, const char *text) {
  const unsigned char *at = find(junit, text);
  junit->at = at ? at + strlen(text) : junit->end;
  return at;
}

/* ---- attributes ---- */

/* Reads what & begins; returns the bytes that it takes, 0 if it is none. */
static size_t entity(const unsigned char *at, const unsigned char *end,
                     unsigned long *c) {
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
    digits[i] = (char)at[2 + hex + i];
  *c = strtoul(digits, &behind, hex ? 16 : 10);
  return *behind == ';' && behind != digits && *c && *c < 0x110000
             ? (size_t)(behind - digits) + 3 + hex
             : 0;
}

static void take_value(char to[NAME], const unsigned char *at,
                       const unsigned char *end) {
  size_t used = 0;
  while (at < end && used < NAME - 5) {
    unsigned long c = *at;
    size_t size = c == '&' ? entity(at, end, &c) : 0;
    if (size)
      used += utf8_put(to + used, c);
    else
      to[used++] = (char)*at;
    at += size ? size : 1;
  }
  to[used] = 0;
}

static bool is_space(unsigned char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct junit *junit) {
  while (junit->at < junit->end && is_space(*junit->at))
    junit->at++;
}

/* An attribute, from its name on. false: it does not end, or has no value. */
static bool take_attribute(struct junit *junit) {
  const unsigned char *name = junit->at;
  while (junit->at < junit->end && !is_space(*junit->at) &&
         !memchr("=>/", *junit->at, 3))
    junit->at++;
  size_t size = (size_t)(junit->at - name);
  skip_space(junit);
  if (junit->at == junit->end || *junit->at++ != '=')
    return false;
  skip_space(junit);
  if (junit->at == junit->end || (*junit->at != '"' && *junit->at != '\''))
    return false;
  const unsigned char *value = junit->at + 1;
  const unsigned char *behind =
      memchr(value, *junit->at, (size_t)(junit->end - value));
  if (!behind)
    return false;
  if (size == 4 && memcmp(name, "name", 4) == 0)
    take_value(junit->name, value, behind);
  if (size == 9 && memcmp(name, "classname", 9) == 0)
    take_value(junit->class, value, behind);
  if (size == 4 && memcmp(name, "time", 4) == 0)
    take_value(junit->time, value, behind);
  junit->at = behind + 1;
  return true;
}

/* From behind the element's name to behind its >. false: it does not end.
 * *empty: it ends in />. */
static bool take_attributes(struct junit *junit, bool *empty) {
  *empty = false;
  for (;;) {
    skip_space(junit);
    if (junit->at == junit->end)
      return false;
    if (*junit->at == '>')
      break;
    *empty = *junit->at == '/';
    if (*empty)
      junit->at++;
    else if (!take_attribute(junit))
      return false;
  }
  junit->at++;
  return true;
}

/* ---- elements ---- */

static void end_case(struct junit *junit) {
  double seconds = strtod(junit->time, NULL);
  const struct junit_case one = {
      junit->class, junit->name,
      seconds > 0 && seconds < SECONDS_MOST ? seconds : 0, junit->failed};
  if (junit->inside)
    junit->each(junit->context, &one);
  junit->count += junit->inside;
  junit->inside = false;
}

/* Whether the tag at hand has this name. */
static bool is_tag(const struct junit *junit, const char *name) {
  size_t size = strlen(name);
  return begins(junit, name) && junit->at + size < junit->end &&
         (is_space(junit->at[size]) || junit->at[size] == '>' ||
          junit->at[size] == '/');
}

/* Behind a <. false: it does not end. */
static bool take_tag(struct junit *junit) {
  bool empty;
  if (begins(junit, "!--"))
    return skip(junit, "-->");
  if (begins(junit, "![CDATA["))
    return skip(junit, "]]>");
  if (begins(junit, "?") || begins(junit, "!"))
    return skip(junit, ">");
  if (is_tag(junit, "/testcase"))
    end_case(junit);
  if (is_tag(junit, "failure") || is_tag(junit, "error"))
    junit->failed = true;
  if (!is_tag(junit, "testcase"))
    return skip(junit, ">");
  junit->class[0] = junit->name[0] = junit->time[0] = 0;
  junit->at += strlen("testcase");
  if (!take_attributes(junit, &empty))
    return false;
  junit->inside = true;
  junit->failed = false;
  if (empty)
    end_case(junit);
  return true;
}

const char *junit_read(struct bytes xml,
                       void (*each)(void *context,
                                    const struct junit_case *one),
                       void *context) {
  static const char cut[] = "it ends within an element; give a whole JUnit "
                            "file";
  struct junit junit = {.at = xml.data,
                        .end = xml.data + xml.size,
                        .each = each,
                        .context = context};
  while (junit.at < junit.end) {
    junit.at = memchr(junit.at, '<', (size_t)(junit.end - junit.at));
    if (!junit.at)
      break;
    junit.at++;
    if (!take_tag(&junit))
      return cut;
  }
  if (junit.inside)
    return cut;
  return junit.count ? NULL : "no testcase is in it; give a JUnit file";
}
