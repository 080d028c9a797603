/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file reads exclusions: from the exclusions file, and from markers in the
 * comments of sources. exclude.c keeps them and applies them.
 */
#include "exclude.h"

#include <limits.h>

#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

/* ==== This part reads the exclusions file. Each line is a list of
 * KEY=VALUE. A value is a word or stands in quotes; in quotes, a backslash
 * escapes a quote or a backslash. */

enum { VALUE_MOST = 4096, REGEX_MOST = 512 };

enum rule_key {
  PATH,
  FUNCTION,
  TEXT,
  REGEX,
  LINES,
  DECISION,
  ONLY,
  REASON,
  BY,
  KEYS
};
static const char *const keys[KEYS] = {
    "path=",     "function=", "text=",   "regex=", "lines=",
    "decision=", "only=",     "reason=", "by="};

/* ---- patterns ---- */

/* Unless `exactly` is set, compares letters as the system compares names of
 * files. After a mismatch, the last * takes one more character. */
static bool matches_wildcards(const char *pattern, const char *text,
                              bool exactly) {
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '?' || *pattern == *text ||
               (*pattern && !exactly && os_are_same_name(pattern, text, 1))) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
  return pattern[strspn(pattern, "*")] == 0;
}

bool pattern_matches(const char *pattern, const char *text) {
  return matches_wildcards(pattern, text, true);
}

bool pattern_matches_file(const char *pattern, const char *name) {
  bool found = matches_wildcards(pattern, name, false);
  while (!found && *pattern != '/' && (name = strchr(name, '/')))
    found = matches_wildcards(pattern, ++name, false);
  return found;
}

/* ---- words ---- */

static bool is_blank(unsigned char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

static const char *parse_rule_value(const unsigned char **at,
                                    const unsigned char *end,
                                    char value[VALUE_MOST]) {
  bool quoted = *at != end && **at == '"';
  for (*at += quoted; *at != end && (quoted ? **at != '"' : !is_blank(**at));
       ++*at) {
    if (quoted && **at == '\\' && end - *at > 1 &&
        ((*at)[1] == '"' || (*at)[1] == '\\'))
      ++*at;
    *value++ = (char)**at;
  }
  *value = 0;
  if (quoted && *at == end)
    return "a quoted value does not end; add \" at its end";
  if (quoted && ++*at != end && !is_blank(**at))
    return "text follows a quoted value without a blank; write a blank between "
           "them, and \\\" for a quote";
  return NULL;
}

static const char *parse_rule_fields(struct exclusions *set,
                                     const unsigned char *at,
                                     const unsigned char *end,
                                     const char *values[KEYS]) {
  for (;; at += at != end) {
    char value[VALUE_MOST];
    unsigned key = 0;
    while (at != end && is_blank(*at))
      at++;
    if (at == end || *at == '#')
      return NULL;
    while (key < KEYS && !skip_prefix(&at, end, keys[key]))
      key++;
    if (key == KEYS)
      return "expected path=, function=, text=, regex=, lines=, decision=, "
             "only=, reason= or by=; quote values that have blanks";
    const char *error = parse_rule_value(&at, end, value);
    if (error)
      return error;
    if (values[key])
      return "a key is used twice; write one line for each exclusion";
    if (!*value)
      return "a value is empty; write a value, or remove the key";
    values[key] = exclusions_copy_text(
        set, bytes_of_text(key == PATH ? source_name_normalise(value) : value));
  }
}

/* ---- from words to exclusions ---- */

/* Parses FIRST, or FIRST and LAST with the separator between them. Sets *last
 * to 0 if LAST is missing. */
static bool parse_number_pair(const char *text, char separator, uint32_t *first,
                              uint32_t *last) {
  const char *behind = strchr(text, separator);
  uint64_t a, b = 0;
  size_t size = behind ? (size_t)(behind - text) : strlen(text);
  bool right =
      parse_number_in_base((struct bytes){(const void *)text, size}, 10, &a) &&
      (!behind ||
       (parse_number_in_base(bytes_of_text(behind + 1), 10, &b) && b));
  *first = (uint32_t)a;
  *last = (uint32_t)b;
  return right && a && a < INT_MAX && b < INT_MAX;
}

/* Returns whether a regular expression contains {repetitions} or references,
 * because their memory and time are unlimited. */
static bool has_repeat_or_reference(const char *text) {
  for (; *text; text++) {
    if (*text == '{' || (*text == '\\' && text[1] >= '1' && text[1] <= '9'))
      return true;
    text += *text == '\\' && text[1];
  }
  return false;
}

static const char *compile_regex(struct exclusions *set, const char *text,
                                 struct ere **regex) {
  if (strlen(text) > REGEX_MOST)
    return "the regular expression is longer than 512 bytes; shorten the "
           "expression";
  if (has_repeat_or_reference(text))
    return "the regular expression has { or a reference such as \\1, which are "
           "not supported; write it without them";
  struct ere *compiled =
      need_memory(arena_allocate(&set->arena, sizeof *compiled));
  if (ere_compile(compiled, text))
    return "the regular expression is not valid; write a POSIX extended "
           "regular expression";
  *regex = compiled;
  return NULL;
}

static const char *parse_rule_lines(struct exclusion *rule,
                                    const char *const values[KEYS]) {
  if (values[DECISION]) {
    if (!parse_number_pair(values[DECISION], ':', &rule->first, &rule->column))
      return "decision= must be LINE or LINE:COLUMN";
    rule->last = rule->first;
  }
  if (values[LINES]) {
    if (!parse_number_pair(values[LINES], '-', &rule->first, &rule->last))
      return "lines= must be LINE or FIRST-LAST";
    if (!rule->last)
      rule->last = rule->first;
    if (rule->last < rule->first)
      return "lines= ends before it begins; use FIRST-LAST";
    if (!rule->text)
      return "lines= needs text=, a part of the first line, so that bareprof "
             "notices if the code moves";
  }
  return NULL;
}

static const char *find_key_error(const char *const values[KEYS]) {
  if (!values[PATH])
    return "path= is missing; add path= with a source file, or path=*";
  if (!!values[FUNCTION] + !!values[REGEX] + !!values[LINES] +
          !!values[DECISION] >
      1)
    return "only one of function=, regex=, lines= and decision= is allowed; "
           "write one line for each exclusion";
  if (values[TEXT] && (values[FUNCTION] || values[REGEX]))
    return "text= does not work with function= or regex=; remove text=";
  if (values[ONLY] && (values[DECISION] || values[FUNCTION] ||
                       strcmp(values[ONLY], "branches") != 0))
    return "only= works only as only=branches, without function= or "
           "decision=; correct or remove only=";
  return NULL;
}

static const char *parse_and_add_rule(struct exclusions *set, struct bytes line,
                                      uint32_t number) {
  const char *values[KEYS] = {NULL};
  if (line.size >= VALUE_MOST)
    return "the line is longer than 4,000 bytes; shorten the line";
  if (memchr(line.data, 0, line.size))
    return "the file is not text; pass a file of exclusions";
  if (set->count == RULES_MOST)
    return "the file has more than 16,384 exclusions; exclude complete files "
           "instead";
  const char *error =
      parse_rule_fields(set, line.data, line.data + line.size, values);
  if (!error)
    error = find_key_error(values);
  if (error)
    return error;
  struct exclusion rule = {.kind = values[FUNCTION]   ? EXCLUDED_FUNCTION
                                   : values[DECISION] ? EXCLUDED_DECISION
                                   : values[ONLY]     ? EXCLUDED_BRANCHES
                                                      : EXCLUDED_LINES,
                           .name = "the exclusion",
                           .file = set->name,
                           .line = number,
                           .path = values[PATH],
                           .function = values[FUNCTION],
                           .text = values[TEXT],
                           .reason = values[REASON] ? values[REASON] : "",
                           .by = values[BY] ? values[BY] : ""};
  error = parse_rule_lines(&rule, values);
  if (!error && values[REGEX])
    error = compile_regex(set, values[REGEX], &rule.regex);
  if (!error)
    LIST_ADD(set->list, set->count, rule);
  return error;
}

bool rules_parse(struct exclusions *set, struct bytes text) {
  struct bytes line;
  bool right = true;
  text = bytes_skip_byte_order_mark(text);
  for (uint32_t number = 1; number < INT_MAX && bytes_next_line(&text, &line);
       number++) {
    while (line.size && is_blank(*line.data))
      line = (struct bytes){line.data + 1, line.size - 1};
    const char *error = line.size && *line.data != '#'
                            ? parse_and_add_rule(set, line, number)
                            : NULL;
    if (!error)
      continue;
    right = false;
    LIST_ADD(set->problems, set->problem_count,
             (struct exclusion_problem){set->name, number, "", error});
    if (set->count == RULES_MOST)
      break;
  }
  set->rule_count = set->count;
  return right;
}

/* ==== This part finds the markers in a source's text. For each line, it first
 * classifies the bytes as code, text or comment. Then it finds the markers, and
 * adds the ranges that these markers exclude in lcov or gcovr. */

enum { FOUND_MOST = 64, OPEN_MOST = 1 << 16, NAME_MOST = 63 };

/* The words after _EXCL_ are three for lines, three for branches,
 * FUNCTION_MARK, and three for exceptions. */
enum { LINE, START, STOP, ROLES, FUNCTION_MARK = 2 * ROLES, UNKNOWN = 10 };
static const char *const words[UNKNOWN] = {
    "LINE", "START", "STOP", "BR_LINE", "BR_START", "BR_STOP", "FUNCTION",
    /* The next words are for branches of C++ exceptions, which clang does not
     * count. */
    "EXCEPTION_BR_LINE", "EXCEPTION_BR_START", "EXCEPTION_BR_STOP"};

/* A marker in a source. */
struct exclusion_marker {
  uint32_t line; /* line of the marker; 0 without a marker */
  unsigned word;
  bool lcov; /* The marker belongs to lcov, not to gcovr. */
  struct bytes name, reason;
};

/* The class of a byte. IN_TEXT means a string or a character literal;
 * COMMENT_END is the last byte of a comment. */
enum { IN_CODE, IN_TEXT, IN_COMMENT, IN_LINE_COMMENT, COMMENT_END };

struct marker_scan {
  struct exclusions *set;
  struct excluded_source *source;
  uint32_t line;
  /* The class of the next byte, and the class of each byte in the line. */
  unsigned char state, *in;
  unsigned char contents; /* enum line_contents of the line */
  bool begins;            /* The line has a { or ; outside of comments and
                             strings. */
  struct exclusion_marker found[FOUND_MOST];
  size_t found_count;
  /* The open sections, for lines and for branches. lcov has at most one open
   * section; gcovr's sections nest. */
  struct exclusion_marker lcov[2], *gcovr[2];
  size_t depth[2];
  /* The index of the range whose function has not begun yet, plus 1; or 0. */
  size_t function;
  /* The same for a function whose body has begun, but not ended. */
  size_t body;
  /* The open braces before the line, after it, and before the body. */
  long braces_before, braces, braces_of_body;
};

static bool is_space(unsigned char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_name_byte(unsigned char byte) {
  return byte == '_' || (byte >= '0' && byte <= '9') ||
         ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* ---- classes of bytes ---- */

/* Returns the length of the character literal that begins with this '. Returns
 * 1 if no literal begins here. */
static size_t character_literal_size(const unsigned char *at, size_t left) {
  if (left > 3 && at[1] == '\\') {
    const unsigned char *close = memchr(at + 3, '\'', left - 3);
    return close ? (size_t)(close - at) + 1 : 1;
  }
  return left > 2 && at[2] == '\'' ? 3 : 1;
}

/* Sets the class of each byte of a line, and sets scan->contents. */
static void classify_line_and_bytes(struct marker_scan *scan,
                                    struct bytes line) {
  unsigned char *state = &scan->state;
  if (*state == IN_LINE_COMMENT)
    *state = IN_CODE;
  scan->contents = LINE_EMPTY;
  scan->begins = false;
  scan->braces_before = scan->braces;
  for (size_t i = 0, size; i < line.size; i += size) {
    const unsigned char *at = line.data + i;
    size_t left = line.size - i;
    unsigned char is = *state, next = left > 1 ? at[1] : 0;
    size = 1;
    if (*state == IN_TEXT && *at == '\\' && left > 1) {
      size = 2;
    } else if (*at == '"' && *state <= IN_TEXT) {
      *state = *state == IN_TEXT ? IN_CODE : IN_TEXT;
    } else if (*at == '\'' && *state == IN_CODE) {
      size = character_literal_size(at, left);
      is = IN_TEXT;
    } else if (*state == IN_CODE && *at == '/' &&
               (next == '/' || next == '*')) {
      is = *state = next == '/' ? IN_LINE_COMMENT : IN_COMMENT;
      size = 2;
    } else if (*state == IN_COMMENT && *at == '*' && next == '/') {
      *state = IN_CODE;
      size = 2;
    }
    memset(scan->in + i, is, size);
    if (is == IN_COMMENT && *state == IN_CODE)
      scan->in[i + 1] = COMMENT_END;
    scan->begins |= is == IN_CODE && (*at == '{' || *at == ';');
    if (is == IN_CODE)
      scan->braces += (*at == '{') - (*at == '}');
    if (is <= IN_TEXT && !is_space(*at) && scan->contents < LINE_CODE)
      scan->contents = *at && strchr("});,", *at) ? LINE_CLOSES : LINE_CODE;
  }
  if (*state == IN_TEXT && !(line.size && line.data[line.size - 1] == '\\'))
    *state = IN_CODE; /* Only a backslash continues a string. */
}

/* ---- the markers of a line ---- */

/* Returns the length of the word LCOV, GCOV, LCOVR or GCOVR before the _EXCL_
 * at `at`. Returns 0 if the text is not a marker. */
static size_t marker_prefix_size(const unsigned char *begin,
                                 const unsigned char *at,
                                 const unsigned char *end) {
  if (*at != '_' || end - at <= 6 || memcmp(at, "_EXCL_", 6) != 0)
    return 0;
  size_t left = (size_t)(at - begin), r = left > 4 && at[-1] == 'R';
  at -= r;
  bool is = left >= 4 + r && (at[-4] == 'L' || at[-4] == 'G') &&
            memcmp(at - 3, "COV", 3) == 0;
  return is ? 4 + r : 0;
}

/* Removes blanks and punctuation around a reason. The result is empty if the
 * reason does not contain letters or digits. */
static struct bytes trim_reason(const unsigned char *at,
                                const unsigned char *end) {
  bool bracket = false, said = false;
  while (at != end && (is_space(*at) || (*at && strchr(":;,=-*/()\"'", *at))))
    bracket |= *at++ == '(';
  while (at != end && (is_space(end[-1]) || strchr("*/", end[-1]) ||
                       (bracket && strchr(")\"';", end[-1]))))
    end--;
  for (const unsigned char *byte = at; byte != end; byte++)
    said |= is_name_byte(*byte) || *byte >= 0x80;
  return (struct bytes){at, said ? (size_t)(end - at) : 0};
}

/* Returns the text after a marker, up to the end of the comment or the next
 * marker. A marker outside of comments does not have a reason. */
static struct bytes parse_reason(const unsigned char *at,
                                 const unsigned char *end,
                                 const unsigned char *in) {
  const unsigned char *stop = at;
  if (in[-1] < IN_COMMENT)
    return (struct bytes){at, 0};
  for (; stop < end && *in >= IN_COMMENT; stop++, in++) {
    size_t prefix = marker_prefix_size(at, stop, end);
    if (in[-1] == COMMENT_END)
      break;
    if (prefix)
      return trim_reason(at, stop - prefix);
  }
  return trim_reason(at, stop);
}

static void list_line_markers(struct marker_scan *scan, struct bytes line) {
  const unsigned char *end = line.data + line.size, *behind;
  scan->found_count = 0;
  for (const unsigned char *at = line.data;
       at < end && (at = memchr(at, '_', (size_t)(end - at))); at++) {
    size_t prefix = marker_prefix_size(line.data, at, end);
    if (!prefix || scan->found_count == FOUND_MOST || scan->set->no_markers)
      continue;
    struct exclusion_marker found = {.line = scan->line,
                                     .lcov = prefix == 4 && at[-4] == 'L'};
    for (; found.word < UNKNOWN; found.word++) {
      behind = at + 6;
      if (skip_prefix(&behind, end, words[found.word]))
        break;
    }
    while (found.word == UNKNOWN && behind != end && is_name_byte(*behind))
      behind++;
    found.name = (struct bytes){at - prefix, (size_t)(behind - at) + prefix};
    while (behind != end && is_name_byte(*behind))
      behind++;
    found.reason = parse_reason(behind, end, scan->in + (behind - line.data));
    scan->found[scan->found_count++] = found;
  }
}

/* ---- ranges of the markers ---- */

static void add_marker_exclusion(struct marker_scan *scan, unsigned kind,
                                 const struct exclusion_marker *marker,
                                 uint32_t last) {
  struct exclusions *set = scan->set;
  const struct excluded_range range = {.kind = kind,
                                       .first = marker->line,
                                       .last = last,
                                       .exclusion = (uint32_t)set->count};
  const struct exclusion one = {.kind = kind,
                                .name = exclusions_copy_text(set, marker->name),
                                .file = scan->source->here,
                                .line = marker->line,
                                .reason =
                                    exclusions_copy_text(set, marker->reason),
                                .by = ""};
  LIST_ADD(set->list, set->count, one);
  exclusions_add_range(scan->source, range);
}

static void add_marker_problem(struct marker_scan *scan,
                               const struct exclusion_marker *marker,
                               const char *text) {
  struct bytes name = marker->name;
  name.size = name.size < NAME_MOST ? name.size : NAME_MOST;
  const struct exclusion_problem problem = {
      scan->source->here, marker->line, exclusions_copy_text(scan->set, name),
      text};
  LIST_ADD(scan->set->problems, scan->set->problem_count, problem);
}

static const char unstarted[] =
    "the STOP marker has no START before it; remove the marker, or mark where "
    "the section begins";

/* On each line, lcov handles a STOP marker before a START marker. */
static void apply_lcov_markers(struct marker_scan *scan, unsigned kind) {
  const struct exclusion_marker *has[ROLES] = {
      NULL}; /* first marker of the line with each word */
  struct exclusion_marker *open = &scan->lcov[kind];
  for (size_t i = scan->found_count; i--;)
    if (scan->found[i].lcov && scan->found[i].word / ROLES == kind)
      has[scan->found[i].word % ROLES] = &scan->found[i];
  if (has[STOP] && open->line)
    add_marker_exclusion(scan, kind, open, scan->line - 1);
  else if (has[STOP])
    add_marker_problem(scan, has[STOP], unstarted);
  if (has[STOP] && has[START])
    add_marker_problem(scan, has[START],
                       "the START marker is on the line of a STOP, so the "
                       "marker has no effect; put the marker on the next line");
  if (has[STOP])
    open->line = 0;
  else if (has[START] && !open->line)
    *open = *has[START];
  else if (has[START])
    add_marker_problem(scan, has[START],
                       "the START marker is inside an excluded section, which "
                       "ends at the next STOP; remove this marker");
  if (has[LINE])
    add_marker_exclusion(scan, kind, has[LINE], scan->line);
}

/* A STOP marker of gcovr ends the innermost open section. */
static void apply_gcovr_markers(struct marker_scan *scan, unsigned kind) {
  for (size_t i = 0; i < scan->found_count; i++) {
    const struct exclusion_marker *found = &scan->found[i];
    size_t *depth = &scan->depth[kind];
    unsigned role = found->word % ROLES;
    if (found->lcov || found->word / ROLES != kind)
      continue;
    if (role == LINE && *depth) {
      add_marker_problem(
          scan, found,
          "the marker is inside an excluded section; remove the marker");
    } else if (role == LINE) {
      add_marker_exclusion(scan, kind, found, scan->line);
    } else if (role == START && *depth == OPEN_MOST) {
      add_marker_problem(
          scan, found,
          "65,536 START markers have no STOP; add the STOP markers");
    } else if (role == START) {
      LIST_ADD(scan->gcovr[kind], *depth, *found);
    } else if (!*depth) {
      add_marker_problem(scan, found, unstarted);
    } else {
      const struct exclusion_marker *open = &scan->gcovr[kind][--*depth];
      size_t prefix = found->name.data[4] == '_' ? 5 : 6;
      if (memcmp(open->name.data, found->name.data, prefix) != 0)
        add_marker_problem(
            scan, found,
            "the STOP marker has another prefix than its START; use the "
            "same prefix for both");
      add_marker_exclusion(scan, kind, open, scan->line - 1);
    }
  }
}

/* Notes that the body of a marked function begins on the line. */
static void begin_marked_body(struct marker_scan *scan, size_t range) {
  if (scan->body)
    return; /* The function is inside another marked one. */
  scan->body = range;
  scan->braces_of_body = scan->braces_before;
}

/* Excludes functions whose markers are on the line. The marker stands where the
 * definition begins. The range ends at the next { or ;, on the same line or a
 * later one, because the body begins there. */
static void apply_function_markers(struct marker_scan *scan) {
  if (scan->function && scan->begins) {
    scan->source->ranges[scan->function - 1].last = scan->line;
    begin_marked_body(scan, scan->function);
    scan->function = 0;
  }
  for (size_t i = 0; i < scan->found_count; i++) {
    if (scan->found[i].word != FUNCTION_MARK)
      continue;
    if (scan->contents != LINE_CODE) {
      add_marker_problem(scan, &scan->found[i],
                         "the marker is on a line without code; put the marker "
                         "where the function begins");
      continue;
    }
    add_marker_exclusion(scan, EXCLUDED_FUNCTION, &scan->found[i], scan->line);
    if (scan->begins)
      begin_marked_body(scan, scan->source->range_count);
    else
      scan->function = scan->source->range_count;
  }
  if (scan->body && scan->braces <= scan->braces_of_body) {
    scan->source->ranges[scan->body - 1].end = scan->line;
    scan->body = 0;
  }
}

static void parse_source_line(struct marker_scan *scan, struct bytes line) {
  classify_line_and_bytes(scan, line);
  scan->source->contents[scan->line] = scan->contents;
  list_line_markers(scan, line);
  if (!scan->found_count && !scan->function && !scan->body)
    return;
  for (unsigned kind = EXCLUDED_LINES; kind <= EXCLUDED_BRANCHES; kind++) {
    apply_lcov_markers(scan, kind);
    apply_gcovr_markers(scan, kind);
  }
  apply_function_markers(scan);
  for (size_t i = 0; i < scan->found_count; i++)
    if (scan->found[i].word == UNKNOWN)
      add_marker_problem(
          scan, &scan->found[i],
          "unknown marker, which excludes nothing; use one of lcov or gcovr");
}

/* ---- the source ---- */

static void end_open_sections(struct marker_scan *scan) {
  for (unsigned kind = EXCLUDED_LINES; kind <= EXCLUDED_BRANCHES; kind++) {
    const struct exclusion_marker *open = &scan->lcov[kind];
    if (open->line) {
      add_marker_problem(
          scan, open,
          "the START marker has no STOP after it, so the rest of the file "
          "is excluded; mark where the section ends");
      add_marker_exclusion(scan, kind, open, scan->source->lines);
    }
    for (open = scan->gcovr[kind]; scan->depth[kind]--; open++) {
      add_marker_problem(
          scan, open,
          "the START marker has no STOP after it, and excludes nothing; "
          "mark where the section ends");
      add_marker_exclusion(scan, kind, open, open->line - 1);
    }
    free(scan->gcovr[kind]);
  }
}

bool exclusions_next_line(struct bytes *text, struct bytes *line) {
  size_t size = 0;
  while (size < text->size && text->data[size] != '\n' &&
         text->data[size] != '\r')
    size++;
  *line = (struct bytes){text->data, size};
  if (!text->size)
    return false;
  if (text->size - size > 1 && !memcmp(text->data + size, "\r\n", 2))
    size++;
  size += size < text->size;
  *text = (struct bytes){text->data + size, text->size - size};
  return true;
}

bool markers_may_exist(struct bytes text) {
  const unsigned char *at = text.data, *end = at + text.size;
  /* In sources, X is the rarest letter of _EXCL_. */
  for (; at < end && (at = memchr(at, 'X', (size_t)(end - at))); at++)
    if (at - text.data >= 2 && end - at >= 4 && !memcmp(at - 2, "_EXCL_", 6))
      return true;
  return false;
}

const char *markers_parse(struct exclusions *set,
                          struct excluded_source *source, struct bytes text) {
  struct marker_scan scan = {.set = set, .source = source};
  struct bytes line;
  size_t lines = 1;
  for (struct bytes rest = text; exclusions_next_line(&rest, &line);)
    lines += line.data + line.size != text.data + text.size;
  if (lines >= INT_MAX)
    return "the file has too many lines for a source file; check that this is "
           "the right file";
  source->contents = need_memory(calloc(lines + 1, 1));
  source->lines = (uint32_t)lines;
  scan.in = need_memory(malloc(text.size + 1));
  while (exclusions_next_line(&text, &line)) {
    scan.line++;
    parse_source_line(&scan, line);
  }
  end_open_sections(&scan);
  free(scan.in);
  return NULL;
}
