/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes the page of a source, which has a row for each line. A line
 * with branches, macros or decisions is the summary of a <details> element,
 * whose contents are a panel below the line. The panel is open if the line ran
 * and coverage is missing. The file also finds the next step of each function
 * for index.c. ../coverage/mcdc/decision.c finds the missing vectors.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../coverage/mcdc/mcdc.h"
#include "../objectcode/objectcode.h"
#include "site.h"

enum { VECTORS_SHOWN = 64, CODE_SHOWN = 160, HINT_MOST = 240 };

/* ---- code in a line ---- */

/* Writes a piece of code on one line. Long code is cut. */
static void print_short_code(struct html_writer *writer, struct bytes text) {
  char shown[CODE_SHOWN];
  size_t size = 0;
  bool blank = false;
  for (size_t i = 0; i < text.size && size < sizeof shown - 2; i++) {
    bool is_blank = text.data[i] && strchr(" \t\r\n\\", text.data[i]);
    if (!is_blank && blank && size)
      shown[size++] = ' ';
    if (!is_blank)
      shown[size++] = (char)text.data[i];
    blank = is_blank;
  }
  html_print(writer, "<code>");
  html_print_code(writer, (struct bytes){(unsigned char *)shown, size});
  html_print(writer, text.size > size && size >= sizeof shown - 2
                         ? "\xE2\x80\xA6</code>"
                         : "</code>");
}

/* ---- branches ---- */

/* The kinds of words for the two outcomes of a branch. */
enum outcome_words { OF_SOURCE, OF_CODE, OF_SWITCH };

static void print_branch_outcome(struct html_writer *writer,
                                 const struct view_item *item, unsigned side,
                                 enum outcome_words of) {
  static const char *const words[] = {"true",           "false",
                                      "goes",           "falls through",
                                      "a case matched", "no case matched"};
  const char *const *names = words + 2 * of;
  unsigned bit = side ? FALSE_SIDE : TRUE_SIDE;
  if (item->constant & bit && !item->counts[side]) {
    html_printf(writer, "<td class=\"const\">never %s: constant</td>",
                names[side]);
    return;
  }
  html_begin_cell(writer, !item->counts[side]);
  html_print(writer, names[side]);
  html_print(writer, of == OF_SWITCH ? ": " : " ");
  if (item->cause && !item->counts[side])
    html_print_unknown_count(writer, cause_texts[item->cause]);
  else if (of == OF_SWITCH && !item->counts[side])
    html_print(writer, "never");
  else
    html_print_count(writer, item->counts[side]);
  html_print(writer, "</td>");
}

/* Returns the text of a branch. The text is empty if the branch is in another
 * file, because the branch of a macro is where the macro is defined. */
static struct bytes find_branch_text(const struct source_text *source,
                                     const struct view_item *item) {
  return item->row == item->name ? source_span_text(source, &item->span)
                                 : (struct bytes){NULL, 0};
}

/* Returns whether a branch is a switch without default. clang has a branch at
 * the value of such a switch. The branch is true if a case matched. */
static bool is_switch_value(const struct source_text *source,
                            struct bytes text) {
  static const char word[] = "switch";
  const char *begin = (const char *)source->file.bytes.data;
  const char *at = (const char *)text.data;
  if (!text.size || at < begin || at > begin + source->file.bytes.size)
    return false;
  while (at > begin && strchr(" \t\r\n(", at[-1]))
    at--;
  size_t before = (size_t)(at - begin), size = sizeof word - 1;
  return before >= size && memcmp(at - size, word, size) == 0 &&
         (before == size || (!isalnum((unsigned char)at[-(long)size - 1]) &&
                             at[-(long)size - 1] != '_'));
}

static void print_branch_place(struct html_writer *writer,
                               const struct html_site *site,
                               const struct view_item *item) {
  const char *name = site->view.exported->names[item->name];
  const char *slash = strrchr(name, '/');
  if (item->name < site->view.exported->summary.count) {
    html_print_line_link(writer, site, item->name, item->span.line);
    html_printf(writer, ":%u", item->span.column);
    return;
  }
  html_printf(writer, "%s:%u", slash ? slash + 1 : name, item->span.line);
}

static void print_branch(struct html_writer *writer,
                         const struct html_site *site,
                         const struct source_text *source,
                         const struct view_item *item) {
  struct bytes text = find_branch_text(source, item);
  /* The address is 0 for a branch of the source. */
  uint64_t address = model_branches(site->view.exported)[item->index].address;
  html_print(writer, "<tr><td>");
  char shown[24];
  snprintf(shown, sizeof shown, "0x%" PRIx64, address);
  if (address)
    html_printf(writer, "%s in %s", shown,
                site->view.functions[item->owner].name);
  else if (text.size)
    print_short_code(writer, text);
  if (!address && (!text.size || item->depth)) {
    html_print(writer, " ");
    print_branch_place(writer, site, item);
  }
  html_print(writer, "</td>");
  enum outcome_words of = address                         ? OF_CODE
                          : is_switch_value(source, text) ? OF_SWITCH
                                                          : OF_SOURCE;
  print_branch_outcome(writer, item, 0, of);
  print_branch_outcome(writer, item, 1, of);
  html_print(writer, "</tr>\n");
}

/* Writes the branches of a line. Branches of a macro are listed under the
 * macro's name. */
static void print_branches(struct html_writer *writer,
                           const struct html_site *site,
                           const struct source_text *source,
                           const struct view_item *items, size_t count) {
  const struct view_item *last = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct view_item *item = &items[i];
    if (item->kind != VIEW_BRANCH)
      continue;
    if (!last)
      html_print(writer, "<table class=\"branches\">\n");
    if (item->depth &&
        (!last || !last->depth || last->site.line != item->site.line ||
         last->site.column != item->site.column)) {
      html_print(writer, "<tr><th colspan=\"3\">in ");
      /* A function may include a file. Any other use is a macro's. */
      struct bytes use = source_span_text(source, &item->site);
      bool included = use.size && (*use.data == '"' || *use.data == '<');
      html_print(writer, included ? "" : "macro ");
      print_short_code(writer, use);
      html_print(writer, "</th></tr>\n");
    }
    print_branch(writer, site, source, item);
    last = item;
  }
  if (last)
    html_print(writer, "</table>\n");
}

/* ---- decisions ---- */

static void print_vector_value(struct html_writer *writer,
                               unsigned char value) {
  static const char *const cells[] = {"<td class=\"f\">F</td>",
                                      "<td class=\"t\">T</td>",
                                      "<td class=\"skip\">\xE2\x80\x93</td>"};
  html_print(writer, cells[value > VALUE_NONE ? VALUE_NONE : value]);
}

static void print_mcdc_vector(struct html_writer *writer,
                              const struct decision *decision,
                              uint32_t number) {
  const unsigned char *vector =
      decision->pairs.vectors.data + (size_t)number * (decision->count + 1);
  bool ran = number < decision->pairs.ran;
  html_print(writer, ran ? "<tr><th scope=\"row\">vector "
                         : "<tr class=\"todo\"><th scope=\"row\">needed ");
  html_printf(writer, "%u</th>", number + 1);
  for (uint32_t i = 0; i <= decision->count; i++)
    print_vector_value(writer, vector[i]);
  html_print(writer, "</tr>\n");
}

static void print_pair_cell(struct html_writer *writer,
                            const struct decision *decision, uint32_t number) {
  const struct condition *one = &decision->conditions[number];
  const struct independence_pair *pair =
      decision->unknown ? NULL : &decision->pairs.pairs[number];
  if (one->fixed) {
    html_print(writer, "<td class=\"const\">constant</td>");
    return;
  }
  html_print(writer, one->shown ? "<td class=\"ok\">" : "<td class=\"bad\">");
  if (pair && pair->state <= (one->shown ? PAIR_RAN : PAIR_MISSING))
    html_printf(writer, "%u%s%u", pair->vectors[0] + 1u,
                one->shown ? ", " : " + ", pair->vectors[1] + 1u);
  else
    html_print(writer, one->shown                         ? "yes"
                       : pair && pair->state == PAIR_NONE ? "no pair can"
                                                          : "not derived");
  html_print(writer, "</td>");
}

static void print_condition_heads(struct html_writer *writer,
                                  const struct decision *decision) {
  html_print(writer, "<thead><tr><td></td>");
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct condition *one = &decision->conditions[i];
    html_print(writer, "<th scope=\"col\">");
    if (one->text.size)
      print_short_code(writer, one->text);
    else
      html_printf(writer, "C%u", i + 1u);
    html_print(writer, "</th>");
  }
  html_print(writer, "<th scope=\"col\">result</th></tr></thead>\n");
}

static void print_mcdc_vectors(struct html_writer *writer,
                               const struct decision *decision) {
  const struct decision_pairs *pairs = &decision->pairs;
  html_print(writer, "<div class=\"scroll\"><table class=\"vectors\">\n");
  print_condition_heads(writer, decision);
  html_print(writer, "<tbody>\n");
  for (uint32_t i = 0; i < pairs->count; i++)
    if (i < VECTORS_SHOWN || i >= pairs->ran)
      print_mcdc_vector(writer, decision, i);
  html_print(writer, "<tr class=\"by\"><th scope=\"row\">independence "
                     "pair</th>");
  for (uint32_t i = 0; i < decision->count; i++)
    print_pair_cell(writer, decision, i);
  html_print(writer, "<td></td></tr>\n</tbody></table></div>\n");
  if (pairs->ran > VECTORS_SHOWN)
    html_printf(writer, "<p>%u more vectors ran.</p>\n",
                pairs->ran - VECTORS_SHOWN);
}

/* Writes a decision. `instantiations` is the number of instantiations of the
 * decision's function. */
static void print_decision(struct html_writer *writer,
                           const struct view_item *item,
                           uint32_t instantiations,
                           const struct decision *decision) {
  uint32_t constants = 0;
  for (uint32_t i = 0; i < decision->count; i++)
    constants +=
        decision->conditions[i].fixed && !decision->conditions[i].shown;
  uint32_t all = decision->count - constants;
  html_printf(writer, "<p class=\"mcdc\"><b>MC/DC</b> %u of ",
              all - decision->missing);
  html_print_quantity(writer, all, "condition", "conditions");
  html_print(writer, " shown");
  if (instantiations > 1)
    html_printf(writer, ", in %s of %u instantiations",
                item->instantiation_count > 1 ? "the best" : "one",
                item->instantiation_count > 1 ? item->instantiation_count
                                              : instantiations);
  html_print(writer, item->depth ? ", not in the totals" : "");
  html_print(writer, " \xC2\xB7 ");
  print_short_code(writer, decision->text);
  html_print(writer, "</p>\n");
  print_mcdc_vectors(writer, decision);
  bool tied = false;
  for (uint32_t i = 0; i < decision->count; i++)
    tied |= !decision->unknown && decision->known[i].group != GROUP_NONE;
  if (tied && decision->missing)
    html_print(writer,
               "<p class=\"note\">Conditions with the same or the negated text "
               "are taken to have one value.</p>\n");
  if (decision->unknown && decision->missing)
    html_printf(writer,
                "<p class=\"note\">Missing pairs are not derived: %s.</p>\n",
                decision->unknown);
}

/* ---- the next step of a function ---- */

static size_t append_hint_text(char *to, size_t size, const char *text,
                               size_t length) {
  for (size_t i = 0; i < length && size < HINT_MOST - 1; i++)
    to[size++] = text[i];
  to[size] = 0;
  return size;
}

/* Sets the hint of a function to the first vector that has to run. The hint has
 * the conditions in the order of the source. */
static void set_vector_hint(struct html_site *site, struct view_function *owner,
                            const struct view_item *item,
                            const struct decision *decision) {
  char words[HINT_MOST] = "";
  size_t size = 0;
  if (decision->pairs.count == decision->pairs.ran)
    return;
  const unsigned char *vector =
      decision->pairs.vectors.data +
      (size_t)decision->pairs.ran * (decision->count + 1);
  for (uint32_t i = 0; i < decision->count; i++) {
    if (vector[i] == VALUE_NONE)
      continue;
    size = size ? append_hint_text(words, size, ", ", 2) : 0;
    struct bytes text = decision->conditions[i].text;
    size = append_hint_text(words, size, (const char *)text.data, text.size);
    size = append_hint_text(
        words, size,
        vector[i] == VALUE_TRUE ? " \xE2\x86\x92 T" : " \xE2\x86\x92 F", 6);
  }
  owner->hint = "run";
  owner->code = need_copy(&site->view.texts, words);
  owner->hint_line = item->site.line;
}

static void set_branch_hint(struct html_site *site,
                            const struct source_text *source,
                            struct view_function *owner,
                            const struct view_item *item) {
  static const char *const words[] = {"", "was never true", "was never false",
                                      "was never reached"};
  unsigned missing = view_missing_outcomes(item);
  if (owner->hint || !missing)
    return;
  struct bytes text = find_branch_text(source, item);
  struct bytes code = text.size ? text : source_span_text(source, &item->site);
  size_t size = code.size < CODE_SHOWN ? code.size : CODE_SHOWN;
  owner->code =
      size ? need_memory(arena_copy(&site->view.texts, code.data, size)) : NULL;
  bool label = text.size > 4 && (memcmp(text.data, "case", 4) == 0 ||
                                 memcmp(text.data, "default", 4) == 0);
  owner->hint = label                            ? "was never taken"
                : !is_switch_value(source, text) ? words[missing]
                : missing == FALSE_SIDE          ? "no case matched: never"
                : missing == TRUE_SIDE           ? "a case matched: never"
                                                 : words[missing];
  owner->hint_line = item->site.line;
}

static void solve_and_print_decision(struct html_writer *writer,
                                     struct html_site *site,
                                     const struct source_text *source,
                                     const struct view_item *item) {
  struct view_function *owner = &site->view.functions[item->owner];
  const struct model *exported = site->view.exported;
  const struct model_decision *from = &model_decisions(exported)[item->index];
  struct decision decision;
  decision_init(&decision, exported, &model_functions(exported)[item->function],
                from);
  decision.text = source_span_text(source, &item->site);
  if (from->cause)
    decision.unknown = cause_texts[from->cause];
  else if (item->depth && !decision.unknown)
    decision.unknown = "a macro hides the operators";
  decision_find_pairs(&decision, exported, from, source, &site->declared);
  print_decision(writer, item, owner->instantiation_count, &decision);
  owner->conditions += decision.missing;
  /* A hint from an earlier line stays, because a branch that was never taken
   * comes before the code that it leads to. */
  if (decision.missing && !owner->hint)
    set_vector_hint(site, owner, item, &decision);
  decision_free(&decision);
}

static void print_panel_and_set_hints(struct html_writer *writer,
                                      struct html_site *site,
                                      const struct source_text *source,
                                      const struct view_item *items,
                                      size_t count) {
  print_branches(writer, site, source, items, count);
  /* A decision's hint wins, so it comes before the hints of branches. */
  for (size_t i = 0; i < count; i++)
    if (items[i].kind == VIEW_DECISION)
      solve_and_print_decision(writer, site, source, &items[i]);
  for (size_t i = 0; i < count; i++)
    if (items[i].kind == VIEW_BRANCH)
      set_branch_hint(site, source, &site->view.functions[items[i].owner],
                      &items[i]);
}

/* ---- the lines of a page ---- */

/* The contents of a page's lines. Each list is in the order of the lines, and
 * each line uses the next elements of the lists. */
struct page_row_writer {
  struct html_writer *writer;
  struct html_site *site;
  const struct source_page *page;
  const struct source_text *source;
  const struct source_lines *lines;
  size_t row;
  const struct view_item *item, *item_end;
  const struct view_function *function, *function_end;
  const struct line_mark *marks;
  /* `mark` is the index of the first mark that may apply to this line or a
   * later one. */
  size_t mark_count, mark;
  /* Object code: the parts of the file's lines that remain. */
  const struct line_instruction *part, *part_end;
};

/* ---- the head ---- */

static void print_page_top(const struct page_row_writer *rows) {
  struct html_writer *writer = rows->writer;
  html_print_page_head(writer, rows->page->shown);
  html_printf(writer,
              "<header><p class=\"path\"><a href=\"index.html\">Coverage</a> "
              "/</p>\n<h1>%s</h1>\n",
              rows->page->shown);
  html_end_header_with_totals(
      writer, rows->site,
      &rows->site->coverage->exported.summary.rows[rows->row]);
  html_print(writer, "<main id=\"main\">\n");
  html_print_legend(writer);
  if (rows->page->changed)
    html_print(writer,
               "<p class=\"alert\">This source has changed since the build: "
               "counts may stand beside other lines.</p>\n");
  if (!rows->source->found)
    html_printf(
        writer,
        "<p class=\"alert\">The source is not there: %s. Use --source-map "
        "FROM=TO.</p>\n",
        rows->page->here);
  const struct view_use_sites *uses = &rows->site->view.uses[rows->row];
  if (!uses->count)
    return;
  const struct view_item *first = &rows->site->view.items[uses->first];
  html_print(writer, "<p class=\"elsewhere\">");
  html_print_quantity(writer, uses->count, "branch or decision",
                      "branches and decisions");
  html_print(writer,
             " of this file, in macros or in what a function includes: shown "
             "at each use, first at ");
  html_print_line_link(writer, rows->site, first->row, first->site.line);
  html_print(writer, ".</p>\n");
}

static void print_function_row(struct html_writer *writer,
                               const struct view_function *one) {
  html_printf(
      writer,
      "<tr><th scope=\"row\"><a href=\"#L%u\"><code>%s</code></a></th><td>",
      one->span.line, one->name);
  html_print_count(writer, one->calls);
  html_print(writer, "</td>");
  html_begin_cell(writer, one->lines);
  html_printf(writer, "%u</td>", one->lines);
  html_begin_cell(writer, one->branches);
  html_printf(writer, "%u</td></tr>\n", one->branches);
}

static void print_function_table(const struct page_row_writer *rows) {
  struct html_writer *writer = rows->writer;
  size_t count = (size_t)(rows->function_end - rows->function);
  if (!count)
    return;
  html_print(writer, "<details class=\"functions\"><summary>");
  html_print_quantity(writer, count, "function", "functions");
  html_print(writer,
             "</summary>\n<div class=\"scroll\"><table class=\"list\">\n"
             "<thead><tr><th>Function</th><th>Calls</th>"
             "<th>Lines missing</th><th>Branches missing</th></tr></thead>\n"
             "<tbody>\n");
  for (size_t i = 0; i < count; i++)
    print_function_row(writer, &rows->function[i]);
  html_print(writer, "</tbody></table></div></details>\n");
}

/* ---- code ---- */

/* Returns the first segment that begins on a line, and sets *end to the segment
 * after the last one of the line. */
static const struct segment *
find_line_segments(const struct page_row_writer *rows, uint32_t line,
                   const struct segment **end) {
  const struct source_lines *lines = rows->lines;
  bool there = line < lines->count;
  uint32_t last = there ? line : lines->count > 1 ? lines->count - 1 : 0;
  *end = lines->segments + lines->list[last].segments;
  return there ? lines->segments + lines->list[line - 1].segments : *end;
}

static bool is_blank_or_closer(struct bytes piece) {
  for (size_t i = 0; i < piece.size; i++)
    if (!strchr(" \t})];", piece.data[i]))
      return false;
  return true;
}

/* Returns whether a part of a line never ran, ignoring blanks. If `write` is
 * set, also writes the text of the line. If `marked` is set, too, marks the
 * parts of the text that never ran. */
static bool find_or_mark_unrun_text(const struct page_row_writer *rows,
                                    uint32_t line, bool write, bool marked) {
  struct bytes text = source_line_text(rows->source, line);
  const struct segment *end, *next = find_line_segments(rows, line, &end);
  const struct segment *now =
      line < rows->lines->count && next > rows->lines->segments ? next - 1
                                                                : NULL;
  bool any = false;
  for (size_t at = 0;; now = next++) {
    size_t stop = next < end && next->column && next->column - 1 < text.size
                      ? next->column - 1
                      : text.size;
    const struct bytes piece = {text.data + at, stop > at ? stop - at : 0};
    bool hole = piece.size && now && now->counted && !now->gap && !now->count;
    any |= hole && !is_blank_or_closer(piece);
    if (write && piece.size) {
      html_print(rows->writer, marked && hole ? "<mark>" : "");
      html_print_text(rows->writer, piece);
      html_print(rows->writer, marked && hole ? "</mark>" : "");
    }
    at += piece.size;
    if (next >= end)
      return any;
  }
}

/* ---- the panel below a line ---- */

static void begin_next_missing_cell(struct html_writer *writer,
                                    const struct score *score,
                                    const char *what) {
  uint64_t missed = score->count - score->covered;
  html_print(writer, "</td>");
  html_begin_cell(writer, missed);
  html_printf(writer, "%ju of %ju %s", missed, score->count, what);
}

static void print_instantiation(struct html_writer *writer,
                                const struct html_site *site,
                                const struct model_function *function) {
  const struct score *scores = function->scores;
  html_printf(writer, "<tr><td><code>%s</code></td><td>called ",
              function->name);
  html_print_count(writer, function->count);
  begin_next_missing_cell(writer, &scores[REGIONS],
                          *metric_names[REGIONS] == 'i'
                              ? "instructions never ran"
                              : "regions never ran");
  begin_next_missing_cell(writer, &scores[BRANCHES], "branches missing");
  if (site->has_mcdc)
    begin_next_missing_cell(writer, &scores[MCDC], "conditions missing");
  html_print(writer, "</td></tr>\n");
}

static void print_instantiations(const struct page_row_writer *rows,
                                 const struct view_function *function) {
  struct html_writer *writer = rows->writer;
  html_print(writer, "<p>");
  html_print_quantity(writer, function->instantiation_count, "instantiation",
                      "instantiations");
  html_printf(writer,
              " of <code>%s</code></p>\n<div class=\"scroll\"><table "
              "class=\"branches\">\n",
              function->name);
  struct score branches = {0, 0}, conditions = {0, 0};
  struct score all_branches = {0, 0}, all_conditions = {0, 0};
  const struct model_view *view = &rows->site->view;
  for (uint32_t i = 0; i < function->instantiation_count; i++) {
    const struct model_function *one = &model_functions(
        view->exported)[view->instantiations[function->begin + i].function];
    print_instantiation(writer, rows->site, one);
    score_raise(&branches, &one->scores[BRANCHES]);
    score_raise(&conditions, &one->scores[MCDC]);
    score_raise(&all_branches, &one->counted[BRANCHES]);
    score_raise(&all_conditions, &one->counted[MCDC]);
  }
  bool together = memcmp(&branches, &all_branches, sizeof branches) ||
                  memcmp(&conditions, &all_conditions, sizeof conditions);
  html_print(writer, "</table></div>\n<p class=\"note\">In the totals, ");
  html_print(writer, together ? "what ran in one of them counts: "
                              : "the best of each number counts: ");
  html_print_quantity(writer, all_branches.count - all_branches.covered,
                      "branch", "branches");
  if (rows->site->has_mcdc) {
    html_print(writer, ", ");
    html_print_quantity(writer, all_conditions.count - all_conditions.covered,
                        "condition", "conditions");
  }
  html_print(writer, " missing.</p>\n");
}

static void print_line_mark(struct html_writer *writer,
                            const struct line_mark *mark) {
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
  html_printf(writer, "<span class=\"mark\">%s%s%s</span>", words[mark->kind],
              !said                     ? ""
              : mark->kind == MARK_TEST ? " "
                                        : ": ",
              said ? mark->text : "");
}

/* Returns the kinds of marks on a line, as bits. If `write` is set, also writes
 * the marks that begin on the line. */
static unsigned find_or_print_marks(struct page_row_writer *rows, uint32_t line,
                                    bool write) {
  unsigned kinds = 0;
  for (size_t i = rows->mark;
       i < rows->mark_count && rows->marks[i].line <= line; i++) {
    const struct line_mark *mark = &rows->marks[i];
    if (mark->last < line)
      continue;
    kinds |= 1u << mark->kind;
    if (write && mark->line == line && mark->kind != MARK_CHANGED)
      print_line_mark(rows->writer, mark);
  }
  while (rows->mark < rows->mark_count && rows->marks[rows->mark].last < line)
    rows->mark++;
  return kinds;
}

/* ---- the instructions of a line ---- */

static void find_file_instructions(struct page_row_writer *rows) {
  const struct object_lines *from = rows->site->coverage->inputs->object;
  const char *name =
      rows->site->coverage->exported.summary.rows[rows->row].name;
  uint32_t file = 0;
  while (from && file < from->file_count && strcmp(from->files[file], name))
    file++;
  if (!from || file == from->file_count)
    return;
  const struct line_instruction *list = from->parts;
  size_t count = from->part_count;
  rows->part = list + search_from(list, count, file, file);
  rows->part_end = list + search_from(list, count, file, (uint64_t)file + 1);
}

static const struct object_instruction *
get_instruction(const struct line_instruction *part) {
  return &part->of->list[part->number];
}

static bool is_shown(const struct line_instruction *part) {
  return part->copy && object_instruction_counts(get_instruction(part));
}

static const char *name_instruction_kind(const struct object_instruction *one) {
  return one->conditional  ? "conditional branch"
         : one->predicated ? "predicated"
         : one->call       ? "call"
         : !one->branch    ? ""
         : one->target     ? "jump"
         : one->indirect   ? "indirect jump"
                           : "return";
}

static void print_instructions(struct html_writer *writer,
                               const struct line_instruction *part,
                               const struct line_instruction *end,
                               size_t count) {
  html_print(writer, "<details><summary>");
  html_print_quantity(writer, count, "instruction", "instructions");
  html_print(writer, "</summary><table class=\"branches\">\n");
  for (; part < end; part++) {
    const struct object_instruction *one = get_instruction(part);
    if (!is_shown(part))
      continue;
    html_print(writer, "<tr><td>0x");
    text_put_hex(&writer->text, one->address);
    html_printf(writer, " in %s</td>", part->of->functions[one->symbol].name);
    html_begin_cell(writer, !one->count);
    html_print_count(writer, one->count);
    html_printf(writer, "</td><td>%s</td></tr>\n", name_instruction_kind(one));
  }
  html_print(writer, "</table></details>\n");
}

/* ---- a line ---- */

/* The branches, decisions and functions that begin on a line. */
struct line_panel_contents {
  const struct view_item *list;
  size_t count;
  unsigned missing; /* number of branches and decisions with missing coverage */
  /* The functions that begin on the line, and whether any of them has several
   * instantiations. */
  const struct view_function *function, *function_end;
  bool has_instantiations;
};

static struct line_panel_contents
collect_line_panel(struct page_row_writer *rows, uint32_t line) {
  struct line_panel_contents items = {.list = rows->item,
                                      .function = rows->function};
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
    items.has_instantiations |= rows->function->instantiation_count > 1;
  items.function_end = rows->function;
  return items;
}

/* Returns the CSS class of a line: "x" excluded, "no" never ran, "part" ran but
 * lacks coverage, "yes" covered, or "" for a line without a count. */
static const char *choose_line_class(const struct line_count *one, bool partial,
                                     unsigned kinds) {
  if (kinds & 1u << MARK_EXCLUDED)
    return "x";
  if (!one || !one->counted)
    return "";
  return !one->count ? "no" : partial ? "part" : "yes";
}

static void print_line_row_head(const struct page_row_writer *rows,
                                uint32_t line, const char *class,
                                bool changed) {
  struct html_writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  html_print(writer, "<tr id=\"L");
  html_print_number(writer, line);
  if (*class || changed) {
    html_print(writer, "\" class=\"");
    html_print(writer, class);
    html_print(writer, changed ? *class ? " new" : "new" : "");
  }
  html_print(writer, "\"><td class=\"n\"><a href=\"#L");
  html_print_number(writer, line);
  html_print(writer, "\">");
  html_print_number(writer, line);
  html_print(writer, "</a></td><td class=\"k\">");
  if (one && one->cause)
    html_print_unknown_count(writer, cause_texts[one->cause]);
  else if (one && one->counted)
    html_print_count(writer, one->count);
  html_print(writer, "</td><td class=\"c\">");
}

static void print_line_row(struct page_row_writer *rows, uint32_t line) {
  struct html_writer *writer = rows->writer;
  const struct line_count *one =
      line < rows->lines->count ? &rows->lines->list[line] : NULL;
  struct line_panel_contents items = collect_line_panel(rows, line);
  unsigned kinds = find_or_print_marks(rows, line, false);
  bool ran = one && one->counted && one->count;
  bool hole = ran && find_or_mark_unrun_text(rows, line, false, false);
  bool excluded = kinds & 1u << MARK_EXCLUDED;
  const struct line_instruction *code = rows->part;
  size_t shown = 0;
  while (rows->part < rows->part_end && rows->part->line <= line)
    shown += is_shown(rows->part++);
  bool below = items.count || items.has_instantiations || shown;
  print_line_row_head(rows, line,
                      choose_line_class(one, hole || items.missing, kinds),
                      kinds & 1u << MARK_CHANGED);
  if (below)
    html_print(writer, ran && items.missing && !excluded
                           ? "<details open><summary>"
                           : "<details><summary>");
  html_print(writer, "<code>");
  find_or_mark_unrun_text(rows, line, true, ran && !excluded);
  html_print(writer, "</code>");
  find_or_print_marks(rows, line, true);
  if (below) {
    html_print(writer, "</summary><div class=\"panel\">\n");
    for (; items.function < items.function_end; items.function++)
      if (items.function->instantiation_count > 1)
        print_instantiations(rows, items.function);
    print_panel_and_set_hints(writer, rows->site, rows->source, items.list,
                              items.count);
    if (shown)
      print_instructions(writer, code, rows->part, shown);
    html_print(writer, "</div></details>");
  }
  html_print(writer, "</td></tr>\n");
}

static void print_source_lines(struct page_row_writer *rows) {
  uint32_t last = rows->source->found && rows->source->count > 1
                      ? rows->source->count - 1
                      : 0;
  if (rows->lines->count - 1 > last)
    last = rows->lines->count - 1;
  html_print(rows->writer,
             "<div class=\"scroll\"><table class=\"source\">\n<tbody>\n");
  for (uint32_t line = 1; line <= last; line++)
    print_line_row(rows, line);
  html_print(rows->writer, "</tbody></table></div>\n");
}

/* ---- the page of a source ---- */

int site_write_source_page(struct html_site *site, size_t row) {
  const struct model_view *view = &site->view;
  struct source_page *page = &site->pages[row];
  struct source_text source;
  struct html_writer writer;
  if (source_read(&source, page->here)) {
    source_free(&source);
    return 1;
  }
  page->missing = !source.found;
  struct page_row_writer rows = {
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
  rows.marks = marks_find_for_file(
      site->marks, site->coverage->exported.summary.rows[row].name,
      &rows.mark_count);
  find_file_instructions(&rows);
  site->declared = (struct volatile_words){.text = source.file.bytes};
  if (site->stream)
    text_begin(&writer.text, site->stream);
  else
    writer_open(&writer, site->folder, page->file);
  print_page_top(&rows);
  print_function_table(&rows);
  print_source_lines(&rows);
  html_print(&writer, "</main>\n");
  html_print_page_foot(&writer);
  if (site->stream)
    text_flush(&writer.text);
  else
    writer_close(&writer);
  volatile_words_free(&site->declared);
  source_free(&source);
  return 0;
}
