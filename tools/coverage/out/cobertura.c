/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the table of places as XML for Cobertura and for SonarQube.
 * Each condition has two branches, one for true and one for false. outputs.c
 * calls the writers.
 */
#include "out.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bareprof.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/text.h"

/* ---- XML ----
 *
 * Texts in ELFs and names of files may contain any bytes.
 */

/* Writes a text in XML. Characters that XML does not allow (control characters
 * except \t, \n and \r; U+FFFE and U+FFFF) become question marks. */
static void print_xml_text(struct text_stream *to, const char *text,
                           size_t length) {
  size_t begin = 0;
  struct utf8_character one;
  while (begin < length && text[begin] >= ' ' && text[begin] < 0x7F &&
         !strchr("&<>\"'", text[begin]))
    begin++;
  text_put_bytes(to, text, begin);
  text += begin;
  length -= begin;
  for (; length; text += one.size, length -= one.size) {
    one = utf8_decode(text, length);
    if (one.broken || (one.code & ~1u) == 0xFFFE ||
        (one.code < 0x20 && !(one.code && strchr("\t\n\r", (int)one.code))))
      text_put_char(to, '?');
    else if (one.hidden || (one.size == 1 && strchr("&<>\"'", *text)))
      text_printf(to, "&#%u;", (unsigned)one.code);
    else
      text_put_bytes(to, text, one.size);
  }
}

static void print_xml_string(struct text_stream *to, const char *text) {
  print_xml_text(to, text, strlen(text));
}

static void print_xml(struct text_stream *to, const char *format, ...)
    PRINTS_AS(2, 3);

static void print_xml(struct text_stream *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_put_format(to, print_xml_string, format, values);
  va_end(values);
}

/* ---- sums and rates ---- */

/* The scores of places, by metric. */
struct place_scores {
  struct score of[METRICS];
};

static struct place_scores score_places(const struct place *at,
                                        const struct place *end) {
  struct place_scores scores = {0};
  for (; at != end; at++)
    place_add_to_score(at, &scores.of[at->metric]);
  return scores;
}

/* Most rates belong to methods and are 0 or 1. printf would take too long for
 * so many rates. */
static void print_rate(struct text_stream *text, const struct score *score) {
  if (score->covered == score->count)
    text_put_string(text, "1.0000");
  else if (!score->covered)
    text_put_string(text, "0.0000");
  else
    text_printf(text, "%.4f", (double)score->covered / score->count);
}

static void print_rates(const struct place_scores *scores,
                        struct text_stream *text) {
  text_put_string(text, " line-rate=\"");
  print_rate(text, &scores->of[LINES]);
  text_put_string(text, "\" branch-rate=\"");
  print_rate(text, &scores->of[BRANCHES]);
  text_put_string(text, "\"");
}

/* ---- elements ---- */

/* Writes a line and its branches. Returns the place after the branches. */
static const struct place *print_xml_line(const struct place *line,
                                          const struct place *last,
                                          struct text_stream *text) {
  struct score branches = {0, 0};
  const struct place *end = place_add_branches_to_score(line, last, &branches);
  if (line->metric == BRANCHES)
    place_add_to_score(line, &branches);
  /* A branch may be on a line without a count. Then the line gets the count of
   * the first outcome that can occur. */
  print_xml(text, "<line number=\"%u\" hits=\"%ju\" branch=\"", line->line,
            line->hits[line->constant & TRUE_SIDE]);
  if (branches.count == 0) {
    text_put_string(text, "false\"/>\n");
    return end;
  }
  print_xml(text, "true\" condition-coverage=\"%ju%% (%ju/%ju)\"><conditions>",
            100 * branches.covered / branches.count, branches.covered,
            branches.count);
  for (line += line->metric == LINES; line != end; line++) {
    struct score one = {0, 0};
    place_add_to_score(line, &one);
    print_xml(text,
              "<condition number=\"%u\" type=\"jump\" coverage=\"%ju%%\"/>",
              line->number, 100 * one.covered / one.count);
  }
  text_put_string(text, "</conditions></line>\n");
  return end;
}

/* The table has only the first line of a function, so a method has one line. */
static void print_method(const struct place *function,
                         struct text_stream *text) {
  const struct place_scores scores = {{[LINES] = {1, function->hits[0] != 0}}};
  print_xml(text, "<method name=\"%s\" signature=\"\"", function->name);
  print_rates(&scores, text);
  print_xml(text,
            " complexity=\"0\"><lines><line number=\"%u\" hits=\"%ju\" "
            "branch=\"false\"/></lines></method>\n",
            function->line, function->hits[0]);
}

static void print_class(const struct places *places,
                        const struct place_file *file,
                        const struct source_maps *paths,
                        struct text_stream *text) {
  const struct place *at = places->list + file->begin;
  const struct place *end = places->list + file->end;
  struct place_scores scores = score_places(at, end);
  const char *name = paths_shown_name(paths, file->name);
  const char *slash = strrchr(name, '/');
  print_xml(text, "<class name=\"%s\" filename=\"%s\"",
            slash ? slash + 1 : name, name);
  print_rates(&scores, text);
  text_put_string(text, " complexity=\"0\">\n<methods>\n");
  for (; at != end && at->metric == FUNCTIONS; at++)
    print_method(at, text);
  text_put_string(text, "</methods>\n<lines>\n");
  while (at != end)
    at = print_xml_line(at, end, text);
  text_put_string(text, "</lines>\n</class>\n");
}

/* Writes the files of a folder, of which `last` is the last one. */
static void print_package(const struct places *places,
                          const struct place_file *first,
                          const struct place_file *last,
                          const struct source_maps *paths,
                          struct text_stream *text) {
  struct place_scores scores =
      score_places(places->list + first->begin, places->list + last->end);
  const char *name = paths_shown_name(paths, first->name);
  size_t size = places_folder_size(name);
  text_put_string(text, "<package name=\"");
  print_xml_text(text, size ? name : ".", size ? size : 1);
  text_put_string(text, "\"");
  print_rates(&scores, text);
  text_put_string(text, " complexity=\"0\">\n<classes>\n");
  for (; first <= last; first++)
    print_class(places, first, paths, text);
  text_put_string(text, "</classes>\n</package>\n");
}

void cobertura_print_xml(const struct places *places,
                         const struct source_maps *paths, FILE *stream) {
  const struct place_file *files = places->files;
  size_t count = places->file_count;
  struct place_scores scores = {0};
  if (count)
    scores = score_places(places->list + files->begin,
                          places->list + files[count - 1].end);
  struct text_stream room, *text = &room;
  text_begin(text, stream);
  text_put_string(text,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
                  "<coverage");
  print_rates(&scores, text);
  print_xml(text,
            " lines-covered=\"%ju\" lines-valid=\"%ju\""
            " branches-covered=\"%ju\" branches-valid=\"%ju\"",
            scores.of[LINES].covered, scores.of[LINES].count,
            scores.of[BRANCHES].covered, scores.of[BRANCHES].count);
  print_xml(text,
            " complexity=\"0\" version=\"bareprof %u.%u.%u\" timestamp=\"%ju\">"
            "\n<sources><source>%s</source></sources>\n<packages>\n",
            BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255u,
            BAREPROF_VERSION & 255u, (uintmax_t)time(NULL),
            paths->here ? paths->here : ".");
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1;
         end < count && places_is_same_folder(files[end].name, files[i].name);)
      end++;
    print_package(places, &files[i], &files[end - 1], paths, text);
  }
  text_put_string(text, "</packages>\n</coverage>\n");
  text_flush(text);
}

/* The bytes reserved for the head of a part, and for a package that continues
 * in the part. */
enum { AROUND = 8192 };

/* Returns how many bytes print_class writes for a file. */
static size_t count_class_bytes(const struct places *places,
                                const struct place_file *file,
                                const struct source_maps *paths) {
  char *text = NULL;
  size_t size = 0;
  struct text_stream to;
  FILE *stream = need_memory(os_open_memory_stream(&text, &size));
  text_begin(&to, stream);
  print_class(places, file, paths, &to);
  text_flush(&to);
  need_memory(os_close_memory_stream(stream, &text, &size) ? text : NULL);
  free(text);
  return size;
}

size_t cobertura_count_files_of_part(const struct places *places, size_t limit,
                                     const struct source_maps *paths) {
  size_t size = 0, room = limit > AROUND ? limit - AROUND : 0, i = 0;
  for (; i < places->file_count; i++) {
    size_t more = count_class_bytes(places, &places->files[i], paths);
    /* A class that begins a package also contains the name of the folder. */
    size_t folder = 200 + 6 * places_folder_size(places->files[i].name);
    if (size && (more > room || size > room - more ||
                 size + more > room - (folder < room ? folder : room)))
      break;
    size += more + folder;
  }
  return i;
}

/* ---- SonarQube ----
 *
 * Each source becomes an element `file`, and each line with code an element
 * `lineToCover`. Each outcome of a condition counts as a branch.
 */

static void print_sonar_line(struct text_stream *text, const struct place *line,
                             const struct place *end) {
  struct score branches = {0, 0};
  place_add_branches_to_score(line, end, &branches);
  print_xml(text, "<lineToCover lineNumber=\"%u\" covered=\"%s\"", line->line,
            line->hits[0] ? "true" : "false");
  if (branches.count)
    print_xml(text, " branchesToCover=\"%ju\" coveredBranches=\"%ju\"",
              branches.count, branches.covered);
  text_put_string(text, "/>\n");
}

void sonar_print_output(const struct output_contents *measured, FILE *stream) {
  const struct places *places = measured->places;
  struct text_stream room, *text = &room;
  text_begin(text, stream);
  text_put_string(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<coverage version=\"1\">\n");
  for (size_t i = 0; i < places->file_count; i++) {
    const struct place_file *file = &places->files[i];
    print_xml(text, "<file path=\"%s\">\n",
              paths_shown_name(measured->paths, file->name));
    for (size_t k = file->begin; k < file->end; k++)
      if (places->list[k].metric == LINES)
        print_sonar_line(text, &places->list[k], places->list + file->end);
    text_put_string(text, "</file>\n");
  }
  text_put_string(text, "</coverage>\n");
  text_flush(text);
}
