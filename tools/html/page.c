/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the page of a source: a row for each line. A line that has branches or
 * decisions is the summary of a <details>, which is open if something is
 * missing. panel.c writes its contents.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "site.h"

enum { MISSING_SHOWN = 12 };

/* What the lines of a page show. Each line takes its part of the lists, in
 * order. */
struct rows {
  struct writer *writer;
  struct html_site *site;
  const struct site_page *page;
  const struct source_text *source;
  const struct lines *lines;
  size_t row;
  const struct view_item *item, *item_end;
  const struct view_function *function, *function_end;
  const struct mark *marks;
  /* mark: the first one that may hold for this line or a later one. */
  size_t mark_count, mark;
};

/* ---- the head ---- */

static void put_notes(const struct rows *rows) {
  struct writer *writer = rows->writer;
  if (rows->page->changed)
    put(writer, "<p class=\"alert\">This source has changed since the build: "
                "counts may stand beside other lines.</p>\n");
  if (!rows->source->found)
    put_as(writer,
           "<p class=\"alert\">The source is not there: %s. Give --source-map "
           "FROM=TO.</p>\n",
           rows->page->here);
  const struct view_uses *uses = &rows->site->view.uses[rows->row];
  if (!uses->count)
    return;
  const struct view_item *first = &rows->site->view.items[uses->first];
  put(writer, "<p class=\"elsewhere\">");
  put_some(writer, uses->count, "branch or decision", "branches and decisions");
  put(writer, " of this file, in macros or in what a function includes: shown "
              "at each use, first at ");
  put_line_link(writer, rows->site, first->row, first->site.line);
  put(writer, ".</p>\n");
}

static void put_top(const struct rows *rows) {
  struct writer *writer = rows->writer;
  put_head(writer, rows->page->shown);
  put_as(writer,
         "<header><p class=\"path\"><a href=\"index.html\">Coverage</a> "
         "/</p>\n<h1>%s</h1>\n",
         rows->page->shown);
  put_totals(writer, rows->site,
             &rows->site->coverage->exported.summary.rows[rows->row]);
  put(writer, "<main id=\"main\">\n");
  put_legend(writer);
  put_notes(rows);
}

static void put_function_row(struct writer *writer,
                             const struct view_function *one) {
  put_as(writer,
         "<tr><th scope=\"row\"><a href=\"#L%u\"><code>%s</code></a></th><td>",
         one->span.line, one->name);
  put_count(writer, one->calls);
  put(writer, "</td>");
  put_cell(writer, one->lines);
  put_as(writer, "%u</td>", one->lines);
  put_cell(writer, one->branches);
  put_as(writer, "%u</td></tr>\n", one->branches);
}

static void put_functions(const struct rows *rows) {
  struct writer *writer = rows->writer;
  size_t count = (size_t)(rows->function_end - rows->function);
  if (!count)
    return;
  put(writer, "<details class=\"functions\"><summary>");
  put_some(writer, count, "function", "functions");
  put(writer, "</summary>\n<div class=\"scroll\"><table class=\"list\">\n"
              "<thead><tr><th>Function</th><th>Calls</th>"
              "<th>Lines missing</th><th>Branches missing</th></tr></thead>\n"
              "<tbody>\n");
  for (size_t i = 0; i < count; i++)
    put_function_row(writer, &rows->function[i]);
  put(writer, "</tbody></table></div></details>\n");
}

/* ---- code ---- */

/* Returns the first segment that begins on a line. *end: after the last one. */
static const struct segment *segments_at(const struct rows *rows, uint32_t line,
                                         const struct segment **end) {
  const struct lines *lines = rows->lines;
  bool there = line < lines->count;
  uint32_t last = there            ? line
                  : lines->count > 1 ? lines->count - 1
                                     : 0;
  *end = lines->segments + lines->list[last].segments;
  return there ? lines->segments + lines->list[line - 1].segments : *end;
}

static bool never_ran(const struct segment *segment) {
  return segment && segment->counted && !segment->gap && !segment->count;
}

static bool is_blank(struct bytes piece) {
  for (size_t i = 0; i < piece.size; i++)
    if (!strchr(" \t})];", piece.data[i]))
      return false;
  return true;
}

/* Whether a part of a line never ran that is more than blanks. write: writes
 * the line's text; marked: marks the parts in it that never ran. */
static bool take_line_text(const struct rows *rows, uint32_t line, bool write,
                           bool marked) {
  struct bytes text = source_line(rows->source, line);
  const struct segment *end, *next = segments_at(rows, line, &end);
  const struct segment *now = line < rows->lines->count &&
                                      next > rows->lines->segments
                                  ? next - 1
                                  : NULL;
  bool any = false;
  for (size_t at = 0;; now = next++) {
    size_t stop = next < end && next->column && next->column - 1 < text.size
                      ? next->column - 1
                      : text.size;
    const struct bytes piece = {text.data + at, stop > at ? stop - at : 0};
    bool hole = never_ran(now) && piece.size;
    any |= hole && !is_blank(piece);
    if (write && piece.size) {
      put(rows->writer, marked && hole ? "<mark>" : "");
      put_text(rows->writer, piece);
      put(rows->writer, marked && hole ? "</mark>" : "");
    }
    at += piece.size;
    if (next >= end)
      return any;
  }
}

/* ---- the panel below a line ---- */

static void put_missing_of(struct writer *writer, const struct score *score,
                           const char *what) {
  uint64_t missed = score->count - score->covered;
  put(writer, "</td>");
  put_cell(writer, missed);
  put_as(writer, "%ju of %ju %s", missed, score->count, what);
}

static void put_form(struct writer *writer, const struct html_site *site,
                     const struct exported_function *function) {
  const struct score *scores = function->scores;
  put_as(writer, "<tr><td><code>%s</code></td><td>called ", function->name);
  put_count(writer, function->count);
  put_missing_of(writer, &scores[REGIONS], *metric_names[REGIONS] == 'i'
                                               ? "instructions never ran"
                                               : "regions never ran");
  put_missing_of(writer, &scores[BRANCHES], "branches missing");
  if (site->has_mcdc)
    put_missing_of(writer, &scores[MCDC], "conditions missing");
  put(writer, "</td></tr>\n");
}

static void put_forms(const struct rows *rows,
                      const struct view_function *function) {
  struct writer *writer = rows->writer;
  put(writer, "<p>");
  put_some(writer, function->forms, "instantiation", "instantiations");
  put_as(writer,
         " of <code>%s</code></p>\n<div class=\"scroll\"><table "
         "class=\"branches\">\n",
         function->name);
  struct score branches = {0, 0}, conditions = {0, 0};
  const struct view *view = &rows->site->view;
  for (uint32_t i = 0; i < function->forms; i++) {
    const struct exported_function *one = &exported_functions(
        view->exported)[view->forms[function->begin + i].function];
    put_form(writer, rows->site, one);
    score_best(&branches, &one->scores[BRANCHES]);
    score_best(&conditions, &one->scores[MCDC]);
  }
  put(writer, "</table></div>\n<p class=\"note\">In the totals, the best of "
              "each number counts: ");
  put_some(writer, branches.count - branches.covered, "branch", "branches");
  if (rows->site->has_mcdc) {
    put(writer, ", ");
    put_some(writer, conditions.count - conditions.covered, "condition",
             "conditions");
  }
  put(writer, " missing.</p>\n");
}

static void put_mark(struct writer *writer, const struct mark *mark) {
  static const char *const words[] = {[MARK_EXCLUDED] = "excluded",
                                      [MARK_BRANCHES] = "branches excluded",
                                      [MARK_DECISION] = "MC/DC excluded",
                                      [MARK_CHANGED] = "changed",
                                      [MARK_UNMEASURED] =
                                          "not measured by MC/DC",
                                      [MARK_NOT_KNOWN] = "not known",
                                      [MARK_DIFFERS] = "llvm-cov",
                                      [MARK_TEST] = "reached by"};
  bool said = mark->text && *mark->text;
  put_as(writer, "<span class=\"mark\">%s%s%s</span>", words[mark->kind],
         !said                     ? ""
         : mark->kind == MARK_TEST ? " "
                                   : ": ",
         said ? mark->text : "");
}

/* Returns the kinds of marks that hold for a line, as bits. write: writes the
 * marks that begin there. */
static unsigned marks_at(struct rows *rows, uint32_t line, bool write) {
  unsigned kinds = 0;
  for (size_t i = rows->mark;
       i < rows->mark_count && rows->marks[i].line <= line; i++) {
    const struct mark *mark = &rows->marks[i];
    if (mark->last < line)
      continue;
    kinds |= 1u << mark->kind;
    if (write && mark->line == line && mark->kind != MARK_CHANGED)
      put_mark(rows->writer, mark);
  }
  while (rows->mark < rows->mark_count && rows->marks[rows->mark].last < line)
    rows->mark++;
  return kinds;
}

/* ---- a line ---- */

/* The branches, decisions and functions that begin on a line. */
struct line_items {
  const struct view_item *list;
  size_t count;
  unsigned missing; /* branches and decisions that lack something */
  /* Functions that begin here, and whether one has several instantiations. */
  const struct view_function *function, *function_end;
  bool forms;
};

static struct line_items take_items(struct rows *rows, uint32_t line) {
  struct line_items items = {.list = rows->item, .function = rows->function};
  for (; rows->item < rows->item_end && rows->item->site.line <= line;
       rows->item++) {
    const struct view_item *item = rows->item;
    items.count++;
    items.missing +=
        item->kind == VIEW_BRANCH ? view_missing(item) != 0 : item->hidden != 0;
  }
  for (;
       rows->function < rows->function_end && rows->function->span.line <= line;
       rows->function++)
    items.forms |= rows->function->forms > 1;
  items.function_end = rows->function;
  return items;
}

static const char *class_of(const struct line_count *one, bool partial,
                            unsigned kinds) {
  if (kinds & 1u << MARK_EXCLUDED)
    return "x";
  if (!one || !one->counted)
    return "";
  return !one->count ? "no" : partial ? "part" : "yes";
}

static void put_row_head(const struct rows *rows, uint32_t line,
                         const char *class, bool changed) {
  struct writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  put(writer, "<tr id=\"L");
  put_number(writer, line);
  if (*class || changed) {
    put(writer, "\" class=\"");
    put(writer, class);
    put(writer, changed ? *class ? " new" : "new" : "");
  }
  put(writer, "\"><td class=\"n\"><a href=\"#L");
  put_number(writer, line);
  put(writer, "\">");
  put_number(writer, line);
  put(writer, "</a></td><td class=\"k\">");
  if (one && one->cause)
    put_unknown(writer, cause_texts[one->cause]);
  else if (one && one->counted)
    put_count(writer, one->count);
  put(writer, "</td><td class=\"c\">");
}

static void put_line(struct rows *rows, uint32_t line) {
  struct writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  struct line_items items = take_items(rows, line);
  unsigned kinds = marks_at(rows, line, false);
  bool ran = one && one->counted && one->count;
  bool hole = ran && take_line_text(rows, line, false, false);
  bool excluded = kinds & 1u << MARK_EXCLUDED;
  bool below = items.count || items.forms;
  put_row_head(rows, line, class_of(one, hole || items.missing, kinds),
               kinds & 1u << MARK_CHANGED);
  if (below)
    put(writer, ran && items.missing && !excluded ? "<details open><summary>"
                                                  : "<details><summary>");
  put(writer, "<code>");
  take_line_text(rows, line, true, ran && !excluded);
  put(writer, "</code>");
  marks_at(rows, line, true);
  if (below) {
    put(writer, "</summary><div class=\"panel\">\n");
    for (; items.function < items.function_end; items.function++)
      if (items.function->forms > 1)
        put_forms(rows, items.function);
    site_panel(writer, rows->site, rows->source, items.list, items.count);
    put(writer, "</div></details>");
  }
  put(writer, "</td></tr>\n");
}

static void put_lines(struct rows *rows) {
  uint32_t last = rows->source->found && rows->source->count > 1
                      ? rows->source->count - 1
                      : 0;
  if (rows->lines->count - 1 > last)
    last = rows->lines->count - 1;
  put(rows->writer,
      "<div class=\"scroll\"><table class=\"source\">\n<tbody>\n");
  for (uint32_t line = 1; line <= last; line++)
    put_line(rows, line);
  put(rows->writer, "</tbody></table></div>\n");
}

/* ---- all ---- */

static void put_page(struct rows *rows) {
  put_top(rows);
  put_functions(rows);
  put_lines(rows);
  put(rows->writer, "</main>\n");
  put_foot(rows->writer);
}

int site_source(struct html_site *site, size_t row) {
  const struct view *view = &site->view;
  struct site_page *page = &site->pages[row];
  struct source_text source;
  struct writer writer;
  if (source_read(&source, page->here)) {
    source_free(&source);
    return 1;
  }
  page->missing = !source.found;
  struct rows rows = {
      .writer = &writer,
      .site = site,
      .page = page,
      .source = &source,
      .lines = &view->lines[row],
      .row = row,
      .item =
          view->items + search_from(view->items, view->item_count, row, row),
      .item_end = view->items +
                  search_from(view->items, view->item_count, row, row + 1),
      .function = view->functions +
                  search_from(view->functions, view->function_count, row, row),
      .function_end =
          view->functions +
          search_from(view->functions, view->function_count, row, row + 1)};
  rows.marks =
      marks_of(site->marks, site->coverage->exported.summary.rows[row].name,
               &rows.mark_count);
  site->declared = (struct declared){.text = source.file.bytes};
  int status = writer_open(&writer, site->folder, page->file);
  if (!status) {
    put_page(&rows);
    status = writer_close(&writer);
  }
  declared_free(&site->declared);
  source_free(&source);
  return status;
}
