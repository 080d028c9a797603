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
struct page_lines {
  struct html_writer *writer;
  struct html_site *site;
  const struct source_page *page;
  const struct source_text *source;
  const struct source_lines *lines;
  size_t row;
  const struct view_item *item, *item_end;
  const struct view_function *function, *function_end;
  const struct line_mark *marks;
  /* mark: the first one that may hold for this line or a later one. */
  size_t mark_count, mark;
};

/* ---- the head ---- */

static void put_alerts(const struct page_lines *rows) {
  struct html_writer *writer = rows->writer;
  if (rows->page->changed)
    put_html(writer,
             "<p class=\"alert\">This source has changed since the build: "
             "counts may stand beside other lines.</p>\n");
  if (!rows->source->found)
    put_formatted(
        writer,
        "<p class=\"alert\">The source is not there: %s. Give --source-map "
        "FROM=TO.</p>\n",
        rows->page->here);
  const struct view_uses *uses = &rows->site->view.uses[rows->row];
  if (!uses->count)
    return;
  const struct view_item *first = &rows->site->view.items[uses->first];
  put_html(writer, "<p class=\"elsewhere\">");
  put_quantity(writer, uses->count, "branch or decision",
               "branches and decisions");
  put_html(writer,
           " of this file, in macros or in what a function includes: shown "
           "at each use, first at ");
  put_line_link(writer, rows->site, first->row, first->site.line);
  put_html(writer, ".</p>\n");
}

static void put_page_top(const struct page_lines *rows) {
  struct html_writer *writer = rows->writer;
  put_page_head(writer, rows->page->shown);
  put_formatted(writer,
                "<header><p class=\"path\"><a href=\"index.html\">Coverage</a> "
                "/</p>\n<h1>%s</h1>\n",
                rows->page->shown);
  put_totals(writer, rows->site,
             &rows->site->coverage->exported.summary.rows[rows->row]);
  put_html(writer, "<main id=\"main\">\n");
  put_legend(writer);
  put_alerts(rows);
}

static void put_function_row(struct html_writer *writer,
                             const struct view_function *one) {
  put_formatted(
      writer,
      "<tr><th scope=\"row\"><a href=\"#L%u\"><code>%s</code></a></th><td>",
      one->span.line, one->name);
  put_count(writer, one->calls);
  put_html(writer, "</td>");
  put_cell(writer, one->lines);
  put_formatted(writer, "%u</td>", one->lines);
  put_cell(writer, one->branches);
  put_formatted(writer, "%u</td></tr>\n", one->branches);
}

static void put_function_table(const struct page_lines *rows) {
  struct html_writer *writer = rows->writer;
  size_t count = (size_t)(rows->function_end - rows->function);
  if (!count)
    return;
  put_html(writer, "<details class=\"functions\"><summary>");
  put_quantity(writer, count, "function", "functions");
  put_html(writer,
           "</summary>\n<div class=\"scroll\"><table class=\"list\">\n"
           "<thead><tr><th>Function</th><th>Calls</th>"
           "<th>Lines missing</th><th>Branches missing</th></tr></thead>\n"
           "<tbody>\n");
  for (size_t i = 0; i < count; i++)
    put_function_row(writer, &rows->function[i]);
  put_html(writer, "</tbody></table></div></details>\n");
}

/* ---- code ---- */

/* Returns the first segment that begins on a line. *end: after the last one. */
static const struct segment *find_segments(const struct page_lines *rows,
                                           uint32_t line,
                                           const struct segment **end) {
  const struct source_lines *lines = rows->lines;
  bool there = line < lines->count;
  uint32_t last = there            ? line
                  : lines->count > 1 ? lines->count - 1
                                     : 0;
  *end = lines->segments + lines->list[last].segments;
  return there ? lines->segments + lines->list[line - 1].segments : *end;
}

static bool has_never_run(const struct segment *segment) {
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
static bool scan_line_text(const struct page_lines *rows, uint32_t line,
                           bool write, bool marked) {
  struct bytes text = source_line_text(rows->source, line);
  const struct segment *end, *next = find_segments(rows, line, &end);
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
    bool hole = has_never_run(now) && piece.size;
    any |= hole && !is_blank(piece);
    if (write && piece.size) {
      put_html(rows->writer, marked && hole ? "<mark>" : "");
      put_text(rows->writer, piece);
      put_html(rows->writer, marked && hole ? "</mark>" : "");
    }
    at += piece.size;
    if (next >= end)
      return any;
  }
}

/* ---- the panel below a line ---- */

static void put_missing_cell(struct html_writer *writer,
                             const struct score *score, const char *what) {
  uint64_t missed = score->count - score->covered;
  put_html(writer, "</td>");
  put_cell(writer, missed);
  put_formatted(writer, "%ju of %ju %s", missed, score->count, what);
}

static void put_instantiation(struct html_writer *writer,
                              const struct html_site *site,
                              const struct model_function *function) {
  const struct score *scores = function->scores;
  put_formatted(writer, "<tr><td><code>%s</code></td><td>called ",
                function->name);
  put_count(writer, function->count);
  put_missing_cell(writer, &scores[REGIONS],
                   *metric_names[REGIONS] == 'i' ? "instructions never ran"
                                                 : "regions never ran");
  put_missing_cell(writer, &scores[BRANCHES], "branches missing");
  if (site->has_mcdc)
    put_missing_cell(writer, &scores[MCDC], "conditions missing");
  put_html(writer, "</td></tr>\n");
}

static void put_instantiations(const struct page_lines *rows,
                               const struct view_function *function) {
  struct html_writer *writer = rows->writer;
  put_html(writer, "<p>");
  put_quantity(writer, function->forms, "instantiation", "instantiations");
  put_formatted(writer,
                " of <code>%s</code></p>\n<div class=\"scroll\"><table "
                "class=\"branches\">\n",
                function->name);
  struct score branches = {0, 0}, conditions = {0, 0};
  struct score all_branches = {0, 0}, all_conditions = {0, 0};
  const struct view *view = &rows->site->view;
  for (uint32_t i = 0; i < function->forms; i++) {
    const struct model_function *one = &model_functions(
        view->exported)[view->forms[function->begin + i].function];
    put_instantiation(writer, rows->site, one);
    score_raise(&branches, &one->scores[BRANCHES]);
    score_raise(&conditions, &one->scores[MCDC]);
    score_raise(&all_branches, &one->counted[BRANCHES]);
    score_raise(&all_conditions, &one->counted[MCDC]);
  }
  bool together = memcmp(&branches, &all_branches, sizeof branches) ||
                  memcmp(&conditions, &all_conditions, sizeof conditions);
  put_html(writer, "</table></div>\n<p class=\"note\">In the totals, ");
  put_html(writer, together ? "what ran in one of them counts: "
                            : "the best of each number counts: ");
  put_quantity(writer, all_branches.count - all_branches.covered, "branch",
               "branches");
  if (rows->site->has_mcdc) {
    put_html(writer, ", ");
    put_quantity(writer, all_conditions.count - all_conditions.covered,
                 "condition", "conditions");
  }
  put_html(writer, " missing.</p>\n");
}

static void put_mark(struct html_writer *writer, const struct line_mark *mark) {
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
  put_formatted(writer, "<span class=\"mark\">%s%s%s</span>", words[mark->kind],
                !said                     ? ""
                : mark->kind == MARK_TEST ? " "
                                          : ": ",
                said ? mark->text : "");
}

/* Returns the kinds of marks that hold for a line, as bits. write: writes the
 * marks that begin there. */
static unsigned find_marks_at(struct page_lines *rows, uint32_t line,
                              bool write) {
  unsigned kinds = 0;
  for (size_t i = rows->mark;
       i < rows->mark_count && rows->marks[i].line <= line; i++) {
    const struct line_mark *mark = &rows->marks[i];
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

static struct line_items collect_line_items(struct page_lines *rows,
                                            uint32_t line) {
  struct line_items items = {.list = rows->item, .function = rows->function};
  for (; rows->item < rows->item_end && rows->item->site.line <= line;
       rows->item++) {
    const struct view_item *item = rows->item;
    items.count++;
    items.missing += item->kind == VIEW_BRANCH
                         ? view_missing_outcomes(item) != 0
                         : item->hidden != 0;
  }
  for (;
       rows->function < rows->function_end && rows->function->span.line <= line;
       rows->function++)
    items.forms |= rows->function->forms > 1;
  items.function_end = rows->function;
  return items;
}

static const char *choose_line_class(const struct line_count *one, bool partial,
                                     unsigned kinds) {
  if (kinds & 1u << MARK_EXCLUDED)
    return "x";
  if (!one || !one->counted)
    return "";
  return !one->count ? "no" : partial ? "part" : "yes";
}

static void put_row_head(const struct page_lines *rows, uint32_t line,
                         const char *class, bool changed) {
  struct html_writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  put_html(writer, "<tr id=\"L");
  put_number(writer, line);
  if (*class || changed) {
    put_html(writer, "\" class=\"");
    put_html(writer, class);
    put_html(writer, changed ? *class ? " new" : "new" : "");
  }
  put_html(writer, "\"><td class=\"n\"><a href=\"#L");
  put_number(writer, line);
  put_html(writer, "\">");
  put_number(writer, line);
  put_html(writer, "</a></td><td class=\"k\">");
  if (one && one->cause)
    put_unknown_count(writer, cause_texts[one->cause]);
  else if (one && one->counted)
    put_count(writer, one->count);
  put_html(writer, "</td><td class=\"c\">");
}

static void put_line_row(struct page_lines *rows, uint32_t line) {
  struct html_writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  struct line_items items = collect_line_items(rows, line);
  unsigned kinds = find_marks_at(rows, line, false);
  bool ran = one && one->counted && one->count;
  bool hole = ran && scan_line_text(rows, line, false, false);
  bool excluded = kinds & 1u << MARK_EXCLUDED;
  bool below = items.count || items.forms;
  put_row_head(rows, line, choose_line_class(one, hole || items.missing, kinds),
               kinds & 1u << MARK_CHANGED);
  if (below)
    put_html(writer, ran && items.missing && !excluded
                         ? "<details open><summary>"
                         : "<details><summary>");
  put_html(writer, "<code>");
  scan_line_text(rows, line, true, ran && !excluded);
  put_html(writer, "</code>");
  find_marks_at(rows, line, true);
  if (below) {
    put_html(writer, "</summary><div class=\"panel\">\n");
    for (; items.function < items.function_end; items.function++)
      if (items.function->forms > 1)
        put_instantiations(rows, items.function);
    site_put_panel(writer, rows->site, rows->source, items.list, items.count);
    put_html(writer, "</div></details>");
  }
  put_html(writer, "</td></tr>\n");
}

static void put_source_lines(struct page_lines *rows) {
  uint32_t last = rows->source->found && rows->source->count > 1
                      ? rows->source->count - 1
                      : 0;
  if (rows->lines->count - 1 > last)
    last = rows->lines->count - 1;
  put_html(rows->writer,
           "<div class=\"scroll\"><table class=\"source\">\n<tbody>\n");
  for (uint32_t line = 1; line <= last; line++)
    put_line_row(rows, line);
  put_html(rows->writer, "</tbody></table></div>\n");
}

/* ---- all ---- */

static void put_source_page(struct page_lines *rows) {
  put_page_top(rows);
  put_function_table(rows);
  put_source_lines(rows);
  put_html(rows->writer, "</main>\n");
  put_page_foot(rows->writer);
}

int site_write_source(struct html_site *site, size_t row) {
  const struct view *view = &site->view;
  struct source_page *page = &site->pages[row];
  struct source_text source;
  struct html_writer writer;
  if (source_read(&source, page->here)) {
    source_free(&source);
    return 1;
  }
  page->missing = !source.found;
  struct page_lines rows = {
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
      marks_find(site->marks, site->coverage->exported.summary.rows[row].name,
                 &rows.mark_count);
  site->declared = (struct volatile_words){.text = source.file.bytes};
  int status = writer_open(&writer, site->folder, page->file);
  if (!status) {
    put_source_page(&rows);
    status = writer_close(&writer);
  }
  volatile_words_free(&site->declared);
  source_free(&source);
  return status;
}
