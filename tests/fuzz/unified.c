/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: diffs, and the parts of a report that they change. The input is
 * a text of phrases; or it chooses the lines of a diff, and exactly these must
 * be found again. Accepted diffs are in order. Then counts the changed lines,
 * branches and decisions of a report that the input makes.
 */
#include <string.h>

#include "coverage/baseline/change.h"
#include "input.h"
#include "phrases.h"

enum { MOST = 4096, LINES_MOST = 64 };

static const char *const phrases[] = {"diff --git ",
                                      "a/x.c",
                                      "b/x.c",
                                      " ",
                                      "\n",
                                      "--- a/x.c\n+++ b/x.c\n",
                                      "--- ",
                                      "+++ ",
                                      "/dev/null\n",
                                      "rename to ",
                                      "\"b/\\303\\244 \\\"x\\n\"\n",
                                      "@@ -1 +1 @@\n-\n+\n",
                                      "@@ -0,0 +1,3 @@\n",
                                      "@@ -1,2 +3,4 @@ f\n",
                                      "@@ -",
                                      ",",
                                      " +",
                                      " @@\n",
                                      "+\n",
                                      "-\n",
                                      " \n",
                                      "\\ No newline\n",
                                      "diff --cc x\n",
                                      "\r\n",
                                      "2147483647",
                                      "4294967296",
                                      "old/x\t",
                                      "new/x\t2026\n",
                                      "./",
                                      "../",
                                      "\xEF\xBB\xBF",
                                      "GIT binary patch\n"};

static void check(const struct unified_diff *diff) {
  size_t spans = 0;
  for (size_t i = 0; i < diff->count; i++) {
    const struct unified_file *file = &diff->files[i];
    size_t lines = 0;
    must(!i || strcmp(file[-1].name, file->name) < 0, "names in order");
    must(unified_find_file(diff, file->name) == file, "each name is found");
    for (size_t k = 0; k < file->span_count; k++) {
      const struct unified_line_span *span = &file->spans[k];
      uint32_t line;
      must(span->first && span->first <= span->last, "spans hold lines");
      must(!k || span[-1].last + 1 < span->first, "spans are apart");
      must(unified_find_changed_line(file, span->last, UINT32_MAX, &line) &&
               line == span->last,
           "the last line is found");
      lines += span->last - span->first + 1;
    }
    must(lines == file->lines, "lines add up");
    spans += file->span_count;
  }
  must(spans == diff->span_count, "each span has a file");
}

/* ---- a diff that the input describes ---- */

static const char *const names[] = {"x.c", "b/x.c", "src/a b.c", "w/s/x.c"};
static bool added[4][LINES_MOST];

/* Returns whether each hunk adds or removes a line. */
static bool make_hunks(struct input *input, bool *lines, FILE *out) {
  bool changes = true;
  unsigned line = 1, old = 1;
  for (unsigned count = 1 + take(input) % 3; count; count--) {
    unsigned kinds = take(input), more_kinds = take(input), n_old = 0,
             n_new = 0;
    unsigned all = kinds | more_kinds << 8;
    unsigned skip = take(input) % 4;
    line += skip;
    old += skip;
    for (unsigned i = 0; i < 5; i++) {
      unsigned kind = all >> 2 * i & 3; /* 0 and 3: context */
      n_old += kind != 1;
      n_new += kind != 2;
    }
    changes &= n_old < 5 || n_new < 5;
    fprintf(out, "@@ -%u,%u +%u,%u @@ main\n", n_old ? old : old - 1, n_old,
            n_new ? line : line - 1, n_new);
    for (unsigned i = 0; i < 5; i++) {
      unsigned kind = all >> 2 * i & 3;
      fprintf(out, "%s\n",
              kind == 1   ? "+--- a/x"
              : kind == 2 ? "-++ b/x"
              : kind      ? " @@ -1 +1 @@"
                          : "");
      if (kind == 1)
        lines[line] = true;
      line += kind != 2;
      old += kind != 1;
    }
  }
  return changes;
}

/* *changes: whether each of its hunks adds or removes a line. */
static char *make_diff(struct input *input, unsigned *made, bool *changes,
                       size_t *size) {
  static const char *const prefixes[][2] = {
      {"a/", "b/"}, {"", ""}, {"i/", "w/"}};
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  unsigned which = take(input), files = take(input);
  const char *const *prefix = prefixes[which % 3];
  bool git = which & 128;
  *made = files;
  *changes = true;
  memset(added, 0, sizeof added);
  for (unsigned i = 0; i < 4; i++) {
    if (!(files >> i & 1))
      continue;
    if (git)
      fprintf(out, "diff --git %s%s %s%s\nindex 1..2\n", prefix[0], names[i],
              prefix[1], names[i]);
    if (git && files >> 4 >> i & 1)
      fputs("--- /dev/null\n", out);
    else
      fprintf(out, "--- %s%s\t\n", prefix[0], names[i]);
    fprintf(out, "+++ %s%s\t\n", prefix[1], names[i]);
    *changes &= make_hunks(input, added[i], out);
  }
  fclose(out);
  return text;
}

static void check_made(const struct unified_diff *diff, unsigned files) {
  for (unsigned i = 0; i < 4; i++) {
    const struct unified_file *file = unified_find_file(diff, names[i]);
    must(!file == !(files >> i & 1), "the files of the diff");
    for (uint32_t line = 0; file && line < LINES_MOST; line++) {
      uint32_t found;
      must(unified_find_changed_line(file, line, line, &found) ==
               added[i][line],
           "the lines of the diff");
    }
  }
}

/* ---- a report ---- */

static void put_file(struct input *input, FILE *out) {
  static const char *const sources[] = {"/r/x.c", "x.c", "/r/src/./a b.c",
                                        "/other/w/s/x.c"};
  unsigned line = 1 + take(input) % 4, count = take(input) % 3;
  fprintf(out,
          "{\"filename\":\"%s\",\"segments\":[[%u,1,%u,true,true,false],"
          "[%u,1,0,false,false,false]],\"branches\":[[%u,1,%u,9,%u,%u,0,0,4]],"
          "\"mcdc_records\":[[%u,1,%u,9,0,0,0,0,5,[false,true]]],"
          "\"summary\":{\"lines\":{\"count\":3,\"covered\":1}}}",
          sources[take(input) % 4], line, count, line + 1 + take(input) % 3,
          line, line, count, take(input) % 2, line, line);
}

/* An export, in which a byte may be damaged. */
static char *make_report(struct input *input, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  fputs("{\"data\":[{\"files\":[", out);
  for (unsigned count = take(input) % 4, i = 0; i < count; i++) {
    fputs(i ? "," : "", out);
    put_file(input, out);
  }
  fputs("],\"functions\":[]}]}", out);
  fclose(out);
  if (take(input) % 4 == 0)
    text[take(input) % *size] = (char)take(input);
  return text;
}

static void measure(struct change_coverage *change, struct input *input) {
  char here[] = "/r";
  const struct source_maps paths = {NULL, 0, here};
  const struct buffer none = {.limit = 0};
  struct places places = {.list = NULL};
  struct model exported;
  size_t size = 0;
  char *text = make_report(input, &size);
  change->file.name = "diff";
  if (!model_parse(&exported,
                   (struct bytes){(const unsigned char *)text, size})) {
    places_make(&places, &exported, 22);
    change_collect_points(change, &places, &exported, &none, &paths);
  }
  for (size_t i = 0; i < change->count; i++) {
    const struct change_point *point = &change->points[i];
    uint32_t line;
    must(point->file < change->diff.count &&
             unified_find_changed_line(&change->diff.files[point->file],
                                       point->line, point->line, &line),
         "only changed lines count");
  }
  for (unsigned i = 0; i < METRICS; i++)
    must(change->total.scores[i].covered <= change->total.scores[i].count,
         "no more is covered than there is");
  places_free(&places);
  model_free(&exported);
  free(text);
}

/* What the input says, and then what follows from it by chance: a few runs
 * already make whole diffs. */
static struct input stretch(const uint8_t *data, size_t count) {
  static uint8_t bytes[256];
  uint32_t state = 1;
  for (size_t i = 0; i < count; i++)
    state = (state ^ data[i]) * 16777619u;
  for (size_t i = 0; i < sizeof bytes; i++) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = i + 1 < count ? data[i + 1] : (uint8_t)(state >> 24);
  }
  return (struct input){bytes, bytes + sizeof bytes};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + (count < MOST ? count : MOST)};
  struct input more_input = stretch(data, count);
  struct change_coverage change = {0};
  bool made = take(&input) & 1, changes = true;
  unsigned files = 0;
  size_t size = 0;
  char *text =
      made ? make_diff(&more_input, &files, &changes, &size)
           : phrases_text(phrases, sizeof phrases / sizeof *phrases, input.at,
                          (size_t)(input.end - input.at), &size);
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(size + !size);
  if (size)
    memcpy(bytes, text, size);
  const char *error = unified_parse(&change.diff, (struct bytes){bytes, size});
  must(!made || !changes || !error, "a diff is read");
  must(!made || changes || error, "a hunk that changes nothing is refused");
  if (!error) {
    check(&change.diff);
    if (made)
      check_made(&change.diff, files);
    measure(&change, &more_input);
  }
  free(text);
  free(bytes);
  change_free(&change);
  return 0;
}
