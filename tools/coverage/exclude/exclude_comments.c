/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First the lines, with a look at what is comment, string or code; then the
 * markers of each line, by the rules of their family.
 */
#include "exclude_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/storage.h"
#include "../../base/error.h"

enum { FOUND_MOST = 64, OPEN_MOST = 1 << 16, NAME_MOST = 63 };

enum word {
  WORD_LINE,
  WORD_START,
  WORD_STOP,
  WORD_BR_LINE,
  WORD_BR_START,
  WORD_BR_STOP,
  WORD_FUNCTION,
  WORD_EXCEPTION, /* branches of C++ exceptions, which clang does not count */
  WORD_UNKNOWN
};

static const struct {
  const char *text;
  enum word word;
} words[] = {{"LINE", WORD_LINE},
             {"START", WORD_START},
             {"STOP", WORD_STOP},
             {"BR_LINE", WORD_BR_LINE},
             {"BR_START", WORD_BR_START},
             {"BR_STOP", WORD_BR_STOP},
             {"FUNCTION", WORD_FUNCTION},
             {"EXCEPTION_BR_LINE", WORD_EXCEPTION},
             {"EXCEPTION_BR_START", WORD_EXCEPTION},
             {"EXCEPTION_BR_STOP", WORD_EXCEPTION}};

/* A marker in a line. */
struct marker_found {
  enum word word;
  bool lcov; /* else of gcovr */
  struct bytes name, reason;
};

/* A section without its end so far. */
struct open {
  uint32_t line;
  struct bytes name, reason;
};

enum state { IN_CODE, IN_STRING, IN_LINE_COMMENT, IN_COMMENT };

struct comment_scan {
  struct exclusions *set;
  struct excluded_source *source;
  uint32_t line;
  enum state state;
  struct marker_found found[FOUND_MOST]; /* of the line */
  size_t found_count;
  /* Of lcov: line 0 is none. Of gcovr: open sections within each other. Both of
   * lines, of branches. */
  struct open lcov[2], *gcovr[2];
  size_t depth[2];
  size_t function; /* the range that waits for its function, from 1 on */
  bool failed;
};

/* ---- comments, strings and code ---- */

static bool is_blank(unsigned char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Whether ' at `at` begins a character, whose length is returned; else 1. */
static size_t skip_character(const unsigned char *at,
                             const unsigned char *end) {
  if (end - at > 3 && at[1] == '\\') {
    const unsigned char *close = memchr(at + 3, '\'', (size_t)(end - at - 3));
    return close ? (size_t)(close - at) + 1 : 1;
  }
  return end - at > 2 && at[2] == '\'' ? 3 : 1;
}

/* Goes over what is at `at`, and returns its length. *code: it is neither blank
 * nor comment. */
static size_t step(enum state *state, const unsigned char *at,
                   const unsigned char *end, bool *code) {
  bool two = end - at > 1;
  *code = *state <= IN_STRING && !is_blank(*at);
  if (*state == IN_STRING) {
    if (*at == '\\' && two)
      return 2;
    if (*at == '"')
      *state = IN_CODE;
  } else if (*state == IN_COMMENT) {
    if (two && at[0] == '*' && at[1] == '/') {
      *state = IN_CODE;
      return 2;
    }
  } else if (*state == IN_CODE) {
    if (*at == '"')
      *state = IN_STRING;
    else if (*at == '\'')
      return skip_character(at, end);
    else if (two && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
      *state = at[1] == '/' ? IN_LINE_COMMENT : IN_COMMENT;
      *code = false;
      return 2;
    }
  }
  return 1;
}

/* ---- the markers of a line ---- */

static bool in_name(unsigned char byte) {
  return byte == '_' || (byte >= '0' && byte <= '9') ||
         ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* Whether _EXCL_ at `at` has LCOV, GCOV, LCOVR or GCOVR before it. Returns the
 * prefix's length, or 0. */
static size_t prefix_of(const unsigned char *begin, const unsigned char *at) {
  size_t left = (size_t)(at - begin);
  size_t r = left > 4 && at[-1] == 'R';
  at -= r;
  return left >= 4 + r && (at[-4] == 'L' || at[-4] == 'G') &&
                 memcmp(at - 3, "COV", 3) == 0
             ? 4 + r
             : 0;
}

static bool is_punctuation(unsigned char byte) {
  return is_blank(byte) || (byte && strchr(":;,=-*/()\"'", byte));
}

/* Trims what stands around a reason. Without a letter or digit there is
 * none. */
static struct bytes trim(const unsigned char *at, const unsigned char *end) {
  bool bracket = false, said = false;
  while (at != end && is_punctuation(*at))
    bracket |= *at++ == '(';
  while (at != end && (is_blank(end[-1]) || strchr("*/", end[-1]) ||
                       (bracket && strchr(")\"';", end[-1]))))
    end--;
  for (const unsigned char *byte = at; byte != end; byte++)
    said |= in_name(*byte) || *byte >= 0x80;
  return (struct bytes){at, said ? (size_t)(end - at) : 0};
}

/* The text behind a marker: up to the end of its comment or the next marker. */
static struct bytes reason_of(enum state state, const unsigned char *at,
                              const unsigned char *end) {
  const unsigned char *stop = at;
  if (state <= IN_STRING)
    return (struct bytes){at, 0};
  for (bool code; stop != end && state > IN_STRING;) {
    if (*stop == '_' && end - stop > 6 && memcmp(stop, "_EXCL_", 6) == 0) {
      size_t prefix = prefix_of(at, stop);
      if (prefix)
        return trim(at, stop - prefix);
    }
    stop += step(&state, stop, end, &code);
  }
  return trim(at, stop);
}

/* Notes the marker whose _EXCL_ is at `at`. */
static void note(struct comment_scan *scan, const unsigned char *begin,
                 const unsigned char *at, const unsigned char *end) {
  size_t prefix = prefix_of(begin, at);
  const unsigned char *word = at + 6, *behind = word;
  struct marker_found found = {.word = WORD_UNKNOWN, .lcov = prefix == 4};
  if (!prefix || scan->found_count == FOUND_MOST || scan->set->no_markers)
    return;
  found.lcov &= at[-4] == 'L';
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t size = strlen(words[i].text);
    if ((size_t)(end - word) >= size && !memcmp(word, words[i].text, size)) {
      found.word = words[i].word;
      behind = word + size;
    }
  }
  if (found.word == WORD_UNKNOWN)
    while (behind != end && in_name(*behind))
      behind++;
  const unsigned char *name = at - prefix;
  found.name = (struct bytes){name, (size_t)(behind - name)};
  while (behind != end && in_name(*behind))
    behind++;
  found.reason = reason_of(scan->state, behind, end);
  scan->found[scan->found_count++] = found;
}

/* ---- what they exclude ---- */

static const char *copy(struct comment_scan *scan, struct bytes text) {
  return arena_copy(&scan->set->arena, text.data, text.size);
}

static void add(struct comment_scan *scan, enum exclusion_kind kind,
                const struct open *open, uint32_t last) {
  struct exclusions *set = scan->set;
  const struct excluded_range range = {.kind = kind,
                                       .first = open->line,
                                       .last = last,
                                       .exclusion = (uint32_t)set->count};
  const struct exclusion one = {.kind = kind,
                                .name = copy(scan, open->name),
                                .file = scan->source->here,
                                .line = open->line,
                                .reason = copy(scan, open->reason),
                                .by = ""};
  scan->failed |= !one.name || !one.reason || !exclusions_add(set, &one) ||
                  !exclusions_add_range(scan->source, range);
}

static void complain(struct comment_scan *scan, uint32_t line,
                     struct bytes name, const char *text) {
  name.size = name.size < NAME_MOST ? name.size : NAME_MOST;
  const struct exclusion_problem problem = {scan->source->here, line,
                                            copy(scan, name), text};
  scan->failed |= !problem.name || !exclusions_complain(scan->set, &problem);
}

static const enum exclusion_kind kinds[] = {EXCLUDED_LINES, EXCLUDED_BRANCHES};
static const char unstarted[] =
    "has no START before it; remove it, or mark where the section begins";
static const char unstopped[] = "has no STOP behind it, so all behind it is "
                                "excluded; mark where the section ends";
static const char no_stop[] =
    "has no STOP behind it, so it excludes nothing; mark where the section "
    "ends";

/* Returns the first marker of lcov in the line with this word, or NULL. */
static const struct marker_found *first_of(const struct comment_scan *scan,
                                           enum word word) {
  for (size_t i = 0; i < scan->found_count; i++)
    if (scan->found[i].lcov && scan->found[i].word == word)
      return &scan->found[i];
  return NULL;
}

/* lcov asks of a line first whether there is a STOP. */
static void apply_lcov(struct comment_scan *scan, unsigned which) {
  struct open *open = &scan->lcov[which];
  enum word line = which ? WORD_BR_LINE : WORD_LINE;
  const struct marker_found *single = first_of(scan, line);
  const struct marker_found *start = first_of(scan, line + 1);
  const struct marker_found *stop = first_of(scan, line + 2);
  if (stop && open->line)
    add(scan, kinds[which], open, scan->line - 1);
  else if (stop)
    complain(scan, scan->line, stop->name, unstarted);
  if (stop && start)
    complain(scan, scan->line, start->name,
             "stands beside a STOP, so it starts nothing; put it on the next "
             "line");
  if (stop)
    open->line = 0;
  else if (start && !open->line)
    *open = (struct open){scan->line, start->name, start->reason};
  else if (start)
    complain(scan, scan->line, start->name,
             "stands in a section already, which the next STOP ends; remove "
             "it");
  if (single) {
    const struct open here = {scan->line, single->name, single->reason};
    add(scan, kinds[which], &here, scan->line);
  }
}

static bool same_prefix(struct bytes a, struct bytes b) {
  size_t size = a.data[4] == '_' ? 5 : 6;
  return memcmp(a.data, b.data, size) == 0;
}

/* A section of gcovr ends where its innermost START is closed. */
static void stop_gcovr(struct comment_scan *scan, unsigned which,
                       const struct marker_found *stop) {
  if (!scan->depth[which]) {
    complain(scan, scan->line, stop->name, unstarted);
    return;
  }
  const struct open *open = &scan->gcovr[which][--scan->depth[which]];
  if (!same_prefix(open->name, stop->name))
    complain(scan, scan->line, stop->name,
             "ends a section that another prefix has begun; give both the "
             "same");
  add(scan, kinds[which], open, scan->line - 1);
}

static void apply_gcovr(struct comment_scan *scan, unsigned which) {
  enum word line = which ? WORD_BR_LINE : WORD_LINE;
  for (size_t i = 0; i < scan->found_count && !scan->failed; i++) {
    const struct marker_found *found = &scan->found[i];
    const struct open here = {scan->line, found->name, found->reason};
    size_t depth = scan->depth[which];
    if (found->lcov || found->word < line || found->word > line + 2)
      continue;
    if (found->word == line && depth)
      complain(scan, scan->line, found->name,
               "stands in a section already; remove it");
    else if (found->word == line)
      add(scan, kinds[which], &here, scan->line);
    else if (found->word == line + 2)
      stop_gcovr(scan, which, found);
    else if (depth < OPEN_MOST &&
             list_more(&scan->gcovr[which], depth, sizeof here))
      scan->gcovr[which][scan->depth[which]++] = here;
    else
      scan->failed = true;
  }
}

/* A function's marker stands where its definition begins: the function begins
 * at the next brace, there or on a later line. */
static void apply_functions(struct comment_scan *scan, bool brace, bool end,
                            bool code) {
  if (scan->function && (brace || end)) {
    scan->source->ranges[scan->function - 1].last = scan->line;
    scan->function = 0;
  }
  for (size_t i = 0; i < scan->found_count && !scan->failed; i++) {
    const struct marker_found *found = &scan->found[i];
    const struct open here = {scan->line, found->name, found->reason};
    if (found->word != WORD_FUNCTION)
      continue;
    if (!code) {
      complain(scan, scan->line, found->name,
               "stands on a line without code; put it where the function "
               "begins");
      continue;
    }
    add(scan, EXCLUDED_FUNCTION, &here, scan->line);
    if (!brace && !end && !scan->failed)
      scan->function = scan->source->range_count;
  }
}

static void apply(struct comment_scan *scan, bool brace, bool end, bool code) {
  for (unsigned which = 0; which < 2; which++) {
    apply_lcov(scan, which);
    apply_gcovr(scan, which);
  }
  apply_functions(scan, brace, end, code);
  for (size_t i = 0; i < scan->found_count; i++)
    if (scan->found[i].word == WORD_UNKNOWN)
      complain(scan, scan->line, scan->found[i].name,
               "is not known here and excludes nothing; use another marker");
}

/* ---- all ---- */

bool markers_any(struct bytes text) {
  const unsigned char *at = text.data, *end = at + text.size;
  /* In sources X is rare, next to the other letters. */
  for (; end - at >= 6; at++) {
    at = memchr(at, 'X', (size_t)(end - at));
    if (!at)
      return false;
    if (at - text.data >= 2 && end - at >= 4 && !memcmp(at - 2, "_EXCL_", 6))
      return true;
  }
  return false;
}

/* Passes over what changes nothing: most of a long source. code: the line is
 * known to have some. */
static const unsigned char *skip_plain(enum state state, bool code,
                                       const unsigned char *at,
                                       const unsigned char *end) {
  static const bool special[256] = {['"'] = true, ['\''] = true, ['/'] = true,
                                    ['{'] = true, [';'] = true,  ['_'] = true};
  if (state == IN_CODE && code)
    while (at < end && !special[*at])
      at++;
  if (state > IN_STRING)
    while (at < end && *at != '*' && *at != '_')
      at++;
  return at;
}

static void read_line(struct comment_scan *scan, const unsigned char *at,
                      const unsigned char *end) {
  const unsigned char *begin = at;
  bool brace = false, semicolon = false, code;
  enum line_contents contents = LINE_EMPTY;
  scan->found_count = 0;
  if (scan->state == IN_LINE_COMMENT)
    scan->state = IN_CODE;
  while ((at = skip_plain(scan->state, contents == LINE_CODE, at, end)) < end) {
    const unsigned char *here = at;
    at += step(&scan->state, here, end, &code);
    if (code && contents < LINE_CODE)
      contents = strchr("});,", *here) && *here ? LINE_CLOSES : LINE_CODE;
    brace |= code && *here == '{' && scan->state == IN_CODE;
    semicolon |= code && *here == ';' && scan->state == IN_CODE;
    for (; here < at; here++)
      if (*here == '_' && end - here > 6 && !memcmp(here, "_EXCL_", 6))
        note(scan, begin, here, end);
  }
  size_t size = (size_t)(end - begin);
  size -= size && end[-1] == '\r';
  if (scan->state == IN_STRING && !(size && begin[size - 1] == '\\'))
    scan->state = IN_CODE;
  scan->source->contents[scan->line] = (unsigned char)contents;
  if (scan->found_count || scan->function)
    apply(scan, brace, semicolon, contents == LINE_CODE);
}

/* What is open at the end. */
static void finish(struct comment_scan *scan) {
  for (unsigned which = 0; which < 2; which++) {
    struct open *open = &scan->lcov[which];
    if (open->line) {
      complain(scan, open->line, open->name, unstopped);
      add(scan, kinds[which], open, scan->source->lines);
    }
    for (size_t i = 0; i < scan->depth[which]; i++) {
      open = &scan->gcovr[which][i];
      complain(scan, open->line, open->name, no_stop);
      add(scan, kinds[which], open, open->line - 1);
    }
  }
}

const char *markers_read(struct exclusions *set, struct excluded_source *source,
                         struct bytes text) {
  struct comment_scan scan = {.set = set, .source = source};
  struct bytes line;
  size_t lines = 1;
  for (size_t i = 0; i < text.size; i++)
    lines += text.data[i] == '\n';
  if (lines >= INT_MAX)
    return "it has too many lines; is it a source?";
  source->contents = calloc(lines + 1, sizeof *source->contents);
  if (!source->contents)
    return out_of_memory;
  source->lines = (uint32_t)lines;
  while (!scan.failed && bytes_line(&text, &line)) {
    scan.line++;
    read_line(&scan, line.data, line.data + line.size);
  }
  finish(&scan);
  free(scan.gcovr[0]);
  free(scan.gcovr[1]);
  return scan.failed ? out_of_memory : NULL;
}
