/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the parts that all pages share. Text is escaped only in this
 * file; all other files write text through html_print_text and similar
 * functions.
 */
#include "site.h"

#include <stdlib.h>
#include <string.h>

#include "bareprof.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../base/text.h"

void writer_open(struct html_writer *writer, const char *folder,
                 const char *name) {
  writer->path = paths_join(folder, name);
  FILE *stream = os_fopen(writer->path, "w");
  text_begin(&writer->text, stream);
  if (stream)
    setvbuf(stream, NULL, _IONBF, 0); /* writer->text is the buffer. */
  else
    writer_close(writer); /* reports the error, and ends the program */
}

void writer_close(struct html_writer *writer) {
  if (writer->text.stream)
    text_flush(&writer->text);
  exit_if_failed(
      file_close_written(writer->text.stream, writer->path, CHECK_DISK));
  free(writer->path);
}

/* ---- text ---- */

static const char *const entities[256] = {['&'] = "&amp;",
                                          ['<'] = "&lt;",
                                          ['>'] = "&gt;",
                                          ['"'] = "&quot;",
                                          ['\''] = "&#39;"};

static void print_hidden_character(struct text_stream *to,
                                   const struct utf8_character *one) {
  char shown[PRINTABLE_ROOM] = "\xEF\xBF\xBD";
  if (one->code < 0x80)
    snprintf(shown, sizeof shown, "\xE2\x90%c",
             one->code == 0x7F ? 0xA1 : 0x80 + (int)one->code);
  else if (!one->broken)
    snprintf(shown, sizeof shown, "\\u%04X", (unsigned)one->code);
  text_put_string(to, shown);
}

/* Writes escaped text. If `is_name` is set, replaces line ends and tabs,
 * too. */
static void print_escaped_text(struct text_stream *to, struct bytes text,
                               bool is_name) {
  const unsigned char *at = text.data, *end = at + text.size;
  while (at != end) {
    const unsigned char *begin = at;
    while (at != end && ((*at >= ' ' && *at < 0x7F && !entities[*at]) ||
                         (!is_name && (*at == '\t' || *at == '\n'))))
      at++;
    text_put_bytes(to, begin, (size_t)(at - begin));
    if (at == end)
      break;
    struct utf8_character one = utf8_decode(at, (size_t)(end - at));
    if (entities[*at])
      text_put_string(to, entities[*at]);
    else if (!one.hidden)
      text_put_bytes(to, at, one.size);
    else
      print_hidden_character(to, &one);
    at += one.size;
  }
}

void html_print_text(struct html_writer *writer, struct bytes text) {
  print_escaped_text(&writer->text, text, false);
}

void html_print_code(struct html_writer *writer, struct bytes code) {
  for (size_t i = 0; i + 1 < code.size; i++)
    if (memcmp(code.data + i, "->", 2) == 0) {
      html_print_text(writer, (struct bytes){code.data, i});
      html_print(writer, "<span>-&gt;</span>");
      code = (struct bytes){code.data + i + 2, code.size - i - 2};
      i = (size_t)-1;
    }
  html_print_text(writer, code);
}

void html_print_name(struct html_writer *writer, const char *name,
                     size_t size) {
  print_escaped_text(&writer->text,
                     (struct bytes){(const unsigned char *)name, size}, true);
}

static void print_escaped_name(struct text_stream *to, const char *text) {
  print_escaped_text(
      to, (struct bytes){(const unsigned char *)text, strlen(text)}, true);
}

void html_printf(struct html_writer *writer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_put_format(&writer->text, print_escaped_name, format, values);
  va_end(values);
}

/* ---- numbers ---- */

void html_print_count(struct html_writer *writer, uint64_t count) {
  static const char units[] = " kMGTPE";
  uint64_t shown = count, tenths = 0;
  unsigned unit = 0;
  while (shown >= (unit ? 1000u : 10000u)) {
    tenths = shown % 1000 / 100;
    shown /= 1000;
    unit++;
  }
  html_print(writer, "<span data-v=\"");
  html_print_number(writer, count);
  html_print(writer, "\">");
  html_print_number(writer, shown);
  if (unit) {
    const char text[] = {'.', (char)('0' + tenths), ' ', units[unit], 0};
    html_print(writer, shown < 100 ? text : text + 2);
  }
  html_print(writer, "</span>");
}

void html_print_unknown_count(struct html_writer *writer, const char *why) {
  html_printf(writer, "<span data-v=\"0\" title=\"%s\">?</span>", why);
}

void html_print_quantity(struct html_writer *writer, uint64_t count,
                         const char *what, const char *more) {
  html_printf(writer, "%ju %s", count, count == 1 ? what : more);
}

void html_print_score(struct html_writer *writer, const char *element,
                      const struct score *score) {
  char text[300] = ">";
  double percent = table_percent(score);
  uint64_t missed = score->count - score->covered;
  html_printf(writer, "<%s class=\"score\"", element);
  if (score->count)
    snprintf(text, sizeof text,
             " data-v=\"%.4f\" title=\"%ju of %ju\"><span class=\"bar\">"
             "<svg><rect width=\"%.2f%%\" height=\"100%%\"/></svg></span>"
             "<b>%.2f</b><span class=\"miss\">%s%ju</span>",
             percent, (uintmax_t)score->covered, (uintmax_t)score->count,
             percent, percent, missed ? "\xE2\x88\x92" : "", (uintmax_t)missed);
  html_print(writer, text);
  html_printf(writer, "</%s>", element);
}

/* ---- pages ---- */

void html_print_page_head(struct html_writer *writer, const char *title) {
  html_printf(
      writer,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>%s</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n"
      "<script defer src=\"script.js\"></script>\n</head>\n<body>\n"
      "<a class=\"skip-link\" href=\"#main\">To the contents</a>\n",
      title);
}

void html_print_page_foot(struct html_writer *writer) {
  html_printf(writer, "<footer>bareprof %u.%u.%u</footer>\n</body>\n</html>\n",
              BAREPROF_VERSION >> 16, BAREPROF_VERSION >> 8 & 255u,
              BAREPROF_VERSION & 255u);
}

/* ---- common parts of pages ---- */

void html_begin_line_link(struct html_writer *writer,
                          const struct html_site *site, uint32_t row,
                          uint32_t line) {
  html_printf(writer, "<a href=\"%s#L%u\">", site->pages[row].file, line);
}

void html_print_line_link(struct html_writer *writer,
                          const struct html_site *site, uint32_t row,
                          uint32_t line) {
  html_begin_line_link(writer, site, row, line);
  html_printf(writer, "%s:%u</a>", os_base_name(site->pages[row].shown), line);
}

const enum metric site_metrics[] = {FUNCTIONS, LINES, BRANCHES, MCDC};

void html_print_score_heads(struct html_writer *writer,
                            const struct html_site *site) {
  for (unsigned i = 0; i < site_metric_count(site); i++)
    html_printf(writer, "<th>%s</th>", metric_titles[site_metrics[i]]);
}

void html_print_score_cells(struct html_writer *writer,
                            const struct html_site *site,
                            const struct file_row *row) {
  for (unsigned i = 0; i < site_metric_count(site); i++)
    html_print_score(writer, "td", &row->scores[site_metrics[i]]);
}

void html_end_header_with_totals(struct html_writer *writer,
                                 const struct html_site *site,
                                 const struct file_row *row) {
  html_print(writer, "<ul class=\"totals\">\n");
  for (unsigned i = 0; i < site_metric_count(site); i++) {
    html_printf(writer, "<li><span class=\"label\">%s</span>",
                metric_titles[site_metrics[i]]);
    const struct score *score = &row->scores[site_metrics[i]];
    html_print_score(writer, "span", score);
    if (score->count)
      html_printf(writer, "<span class=\"of\">%ju of %ju</span>",
                  (uintmax_t)score->covered, (uintmax_t)score->count);
    html_print(writer, "</li>\n");
  }
  html_print(writer, "</ul>\n");
  for (size_t i = 0; i < site->coverage->inputs->count; i++)
    if (site->coverage->inputs->subjects[i].saturated)
      html_printf(writer, "<p class=\"note\">%s</p>\n", saturated_note);
  html_print(writer, "</header>\n");
}

void html_print_legend(struct html_writer *writer) {
  html_print(
      writer,
      "<details class=\"legend\"><summary>How to read this page</summary>\n"
      "<ul><li>Green: all of the line ran. Yellow: the line ran, and a branch "
      "or a condition is missing; \xE2\x96\xB8 shows which. Red, and the count "
      "0: the line never ran. A <mark>mark</mark> is a part of the line that "
      "never ran.</li>\n"
      "<li>A bar shows the covered share. \xE2\x88\x92"
      "12 beside a "
      "percentage: 12 are missing.</li>\n"
      "<li>MC/DC is unique-cause; a condition that &amp;&amp; or || skips may "
      "have any value. A vector is one evaluation of a decision: T true, F "
      "false, \xE2\x80\x93 not evaluated. A needed vector has not run yet. The "
      "two vectors of an independence pair show that the condition alone "
      "changes the result: 1, 2 have run; of 2 + 3, one is needed.</li>\n"
      "<li>Keys in a source: n goes to the next line that lacks something, p "
      "to the one before; Enter or Space opens it.</li></ul></details>\n");
}
