/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: which tests a change selects. The input makes a source, its next
 * version, the diff between both and tests.json, in which a byte may be
 * damaged. The old source follows from the new one and the diff, and a test
 * that reaches a removed line is selected. Then tests.json and C of any bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/tests/tests.h"
#include "base/buffer.h"
#include "input.h"
#include "object/digest.h"
#include "phrases.h"

enum { LINES_MOST = 12, TESTS = 4 };

static const char *const lines[] = {"int f(void) {",
                                    "}",
                                    "static const int t[] = {",
                                    "  1,",
                                    "};",
                                    "  a = b;",
                                    "  if (a && b)",
                                    "  case 1:",
                                    "#define A \\",
                                    "/* {",
                                    "*/",
                                    "  s = \"}\\\"\";",
                                    "const int x = 3;",
                                    "struct s { int a; };",
                                    "",
                                    "extern \"C\" {",
                                    "  '{",
                                    "  R\"(x\")\";",
                                    "namespace n {"};
static const char *const phrases[] = {"{\"tests\":[",
                                      "{\"name\":\"a\"",
                                      "}",
                                      "],",
                                      ",\"lines\":[",
                                      "{\"file\":\"x.c\"",
                                      ",\"functions\":[",
                                      "{\"name\":\"f\",\"first\":1,\"last\":9}",
                                      ",\"code\":[",
                                      "[1,9]",
                                      "{\"line\":1,\"tests\":[0]}",
                                      "\"sha256\":\"",
                                      "null",
                                      "2147483648",
                                      ",\"microseconds\":18446744073709551615"};

/* A line of the diff: ' ' stays, - goes, + comes. */
static struct edit {
  char mark;
  const char *line;
} edits[2 * LINES_MOST];
static size_t edit_count;

static const char *take_line(struct input *input) {
  return lines[take(input) % (sizeof lines / sizeof *lines)];
}

static void take_edits(struct input *input) {
  edit_count = 0;
  for (unsigned count = 1 + take(input) % LINES_MOST; count--;) {
    const char *line = take_line(input);
    unsigned how = take(input) % 6;
    if (how == 1)
      edits[edit_count++] = (struct edit){'+', take_line(input)};
    edits[edit_count++] = (struct edit){how == 2 || how == 3 ? '-' : ' ', line};
    if (how == 3)
      edits[edit_count++] = (struct edit){'+', take_line(input)};
  }
}

/* The text without the lines of a mark; the last one may lack its end, if both
 * texts end in the same line or it is of this text alone. */
static char *text_of(char without, bool whole, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  size_t last = edit_count;
  while (last && edits[last - 1].mark == without)
    last--;
  for (size_t i = 0; i < last; i++)
    if (edits[i].mark != without)
      fprintf(out, i + 1 < last || whole ? "%s\n" : "%s", edits[i].line);
  fclose(out);
  return text;
}

static size_t edits_of(size_t from, size_t end, char without) {
  size_t count = 0;
  for (; from < end; from++)
    count += edits[from].mark != without;
  return count;
}

/* What goes from one line to another, then what comes. */
static void put_edits(FILE *out, size_t from, size_t end, char mark,
                      bool whole) {
  for (size_t i = from; i < end; i++)
    if (edits[i].mark == mark)
      fprintf(out, "%c%s\n", mark, edits[i].line);
  char other = mark == '-' ? '+' : '-';
  if (!whole && edits_of(from, end, other) && !edits_of(end, edit_count, other))
    fputs("\\ No newline at end of file\n", out);
}

static char *make_diff(bool old_whole, bool new_whole, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  fputs("--- a/chosen.c\n+++ b/chosen.c\n", out);
  for (size_t i = 0, end; i < edit_count; i = end) {
    for (end = i; end < edit_count && edits[end].mark != ' ';)
      end++;
    size_t goes = edits_of(i, end, '+'), comes = edits_of(i, end, '-');
    if (end == i) {
      end++;
      continue;
    }
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", edits_of(0, i, '+') + !!goes,
            goes, edits_of(0, i, '-') + !!comes, comes);
    put_edits(out, i, end, '-', old_whole);
    put_edits(out, i, end, '+', new_whole);
  }
  fclose(out);
  return text;
}

/* Returns whether the texts may end differently. A line that stays has the same
 * end in both texts. */
static bool can_ends_differ(void) {
  size_t last = edit_count;
  bool old = false, now = false;
  while (last && edits[last - 1].mark != ' ') {
    last--;
    old |= edits[last].mark == '-';
    now |= edits[last].mark == '+';
  }
  return !last || (old && now);
}

static char *make_map(struct input *input, const char *name,
                      struct bytes source, size_t *size) {
  unsigned char digest[SHA256_SIZE];
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  fputs("{\"tests\":[", out);
  for (unsigned i = 0; i < TESTS; i++)
    fprintf(out, "%s{\"name\":\"t%u\",\"failed\":%s,\"microseconds\":%u}",
            i ? "," : "", i, take(input) & 7 ? "false" : "true", take(input));
  fprintf(out, "],\"lines\":[{\"file\":\"%s\",\"sha256\":\"", name);
  sha256(digest, source.data, source.size);
  for (unsigned i = 0; i < sizeof digest; i++)
    fprintf(out, "%02x", digest[i]);
  fprintf(out, "\",\"functions\":[{\"name\":\"f\",\"first\":%u,\"last\":%u}],",
          take(input) % 6, take(input) % LINES_MOST);
  fprintf(out, "\"code\":[[%u,%u]],\"lines\":[", take(input) % 6,
          take(input) % LINES_MOST);
  for (unsigned i = 1; i <= LINES_MOST; i++)
    fprintf(out, "%s{\"line\":%u,\"tests\":[%u]}", i > 1 ? "," : "", i,
            take(input) % TESTS);
  fputs("]}]}", out);
  fclose(out);
  return text;
}

/* What goes and is reached is selected. The tests that were chosen from have
 * lost the lines that do not matter. */
static void check(const struct test_selection *chosen, struct bytes map,
                  struct bytes diff) {
  struct unified_diff read;
  struct tests tests = {0};
  must(!tests_parse(&tests, map), "tests.json is read again");
  size_t kept = 0;
  must(!unified_parse(&read, diff), "the diff is read");
  for (size_t i = 0; i < read.hunk_count; i++) {
    uint32_t line = read.hunks[i].old;
    struct bytes rest = read.hunks[i].lines;
    for (; rest.size && *rest.data == '-'; line++) {
      for (size_t k = 0; k < tests.line_count; k++)
        for (size_t t = 0; t < tests.lines[k].test_count; t++)
          must(tests.lines[k].line != line || chosen->all ||
                   chosen->taken[tests.lines[k].tests[t]],
               "who reaches a line that goes is selected");
      const unsigned char *end = memchr(rest.data, '\n', rest.size);
      rest.size -= (size_t)(end + 1 - rest.data);
      rest.data = end + 1;
    }
  }
  for (size_t i = 0; i < chosen->tests->count; i++)
    kept += chosen->taken[i] && chosen->tests->list[i].failed;
  must(kept == chosen->failed, "failed tests are counted");
  tests_free(&tests);
  unified_free(&read);
}

static void choose_made(const char *name, struct bytes map, struct bytes diff,
                        bool damaged) {
  struct tests tests = {0};
  struct unified_diff read;
  struct test_selection chosen = {.tests = &tests, .diff = &read};
  must(!unified_parse(&read, diff), "the diff is read");
  const char *error = tests_parse(&tests, map);
  must(!error || damaged, "tests.json is read");
  if (!error) {
    test_selection_make(&chosen);
    if (!damaged) {
      must(tests.source_count == 1 && strcmp(tests.sources->name, name) == 0,
           "its source");
      check(&chosen, map, diff);
    }
  }
  test_selection_free(&chosen);
  unified_free(&read);
  tests_free(&tests);
}

static void put_source(const char *name, struct bytes text) {
  FILE *out = fopen(name, "w");
  must(out && fwrite(text.data, 1, text.size, out) == text.size,
       "a file is written");
  fclose(out);
}

static void check_restored(struct bytes diff, struct bytes old,
                           struct bytes now) {
  struct unified_diff read;
  struct buffer buffer = {.limit = 1 << 20};
  must(!unified_parse(&read, diff) && read.count == 1, "the diff is read");
  must(unified_restore_old_file(read.files, now, &buffer),
       "the diff leads back");
  must(buffer.size == old.size &&
           (!old.size || memcmp(buffer.data, old.data, old.size) == 0),
       "to the old file");
  buffer_free(&buffer);
  unified_free(&read);
}

static void take_change(struct input *input, const char *name) {
  size_t old_size, new_size, diff_size, map_size;
  unsigned how = take(input);
  take_edits(input);
  bool apart = can_ends_differ();
  bool same = edits[edit_count - 1].mark == ' ' && how & 1;
  bool old_whole = apart ? how & 1 : !same, new_whole = apart ? how & 2 : !same;
  char *old = text_of('+', old_whole, &old_size);
  char *now = text_of('-', new_whole, &new_size);
  char *diff = make_diff(old_whole, new_whole, &diff_size);
  struct bytes source = {(unsigned char *)old, old_size};
  char *map = make_map(input, name, source, &map_size);
  struct bytes change = {(unsigned char *)diff, diff_size};
  struct bytes next = {(unsigned char *)now, new_size};
  check_restored(change, source, next);
  put_source(name, next);
  choose_made(name, (struct bytes){(unsigned char *)map, map_size}, change,
              false);
  map[take(input) * 256u % map_size] = (char)take(input);
  choose_made(name, (struct bytes){(unsigned char *)map, map_size}, change,
              true);
  free(map);
  free(diff);
  free(now);
  free(old);
}

/* Of its very size, for the sanitizer. */
static void take_any(const uint8_t *data, size_t size) {
  unsigned char *copy = malloc(size + !size);
  struct tests tests = {0};
  size_t count;
  if (size)
    memcpy(copy, data, size);
  struct bytes bytes = {copy, size};
  unsigned char *kinds = c_text_classify_lines(bytes, &count);
  must(kinds && count >= 2, "all lines are told");
  free(kinds);
  c_text_find_structure(bytes);
  tests_parse(&tests, bytes);
  tests_free(&tests);
  free(copy);
}

static char *source_name;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  size_t room = strlen((*argv)[0]) + 3;
  (void)argc;
  source_name = malloc(room);
  snprintf(source_name, room, "%s.c", (*argv)[0]);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  size_t length;
  take_change(&input, source_name);
  take_any(data, size);
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            size, &length);
  take_any((const uint8_t *)text, length);
  free(text);
  return 0;
}
