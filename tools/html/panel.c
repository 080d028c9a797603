/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the panel below a line: its branches, macros and decisions. Also finds
 * the first step that the line's function needs, for index.c.
 * ../coverage/mcdc/decision.c finds the missing vectors.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coverage/mcdc/mcdc.h"
#include "../base/need.h"
#include "site.h"

enum { VECTORS_SHOWN = 64, CODE_SHOWN = 160, HINT_MOST = 240 };

/* ---- code in a line ---- */

/* Writes a piece of code as one line, cut if it is long. */
static void put_code(struct html_writer *writer, struct bytes text) {
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
  put_html(writer, "<code>");
  put_code_text(writer, (struct bytes){(unsigned char *)shown, size});
  put_html(writer, text.size > size && size >= sizeof shown - 2
                       ? "\xE2\x80\xA6</code>"
                       : "</code>");
}

/* ---- branches ---- */

/* Returns the address of a branch instruction; 0 for a branch of the source. */
static uint64_t branch_address(const struct html_site *site,
                               const struct view_item *item) {
  return model_branches(site->view.exported)[item->index].address;
}

/* What the two outcomes of a branch are called. */
enum outcome_words { OF_SOURCE, OF_CODE, OF_SWITCH };

static void put_branch_side(struct html_writer *writer,
                            const struct view_item *item, unsigned side,
                            enum outcome_words of) {
  static const char *const words[] = {"true",           "false",
                                      "goes",           "falls through",
                                      "a case matched", "no case matched"};
  const char *const *names = words + 2 * of;
  unsigned bit = side ? FALSE_SIDE : TRUE_SIDE;
  if (item->constant & bit && !item->counts[side]) {
    put_formatted(writer, "<td class=\"const\">never %s: constant</td>",
                  names[side]);
    return;
  }
  put_cell(writer, !item->counts[side]);
  put_html(writer, names[side]);
  put_html(writer, of == OF_SWITCH ? ": " : " ");
  if (item->cause && !item->counts[side])
    put_unknown_count(writer, cause_texts[item->cause]);
  else if (of == OF_SWITCH && !item->counts[side])
    put_html(writer, "never");
  else
    put_count(writer, item->counts[side]);
  put_html(writer, "</td>");
}

/* Returns the text of a branch; nothing if it is in another file, as a branch
 * of a macro is where the macro is defined. */
static struct bytes find_branch_text(const struct html_site *site,
                                     const struct source_text *source,
                                     const struct view_item *item) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  bool here = strcmp(summary->rows[item->row].name,
                     site->view.exported->names[item->name]) == 0;
  return here ? source_span_text(source, &item->span) : (struct bytes){NULL, 0};
}

/* Whether a branch is a switch without default. clang has a branch at the value
 * of the switch, which is true if a case matched. */
static bool is_switch(const struct source_text *source, struct bytes text) {
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

static void put_branch_place(struct html_writer *writer,
                             const struct html_site *site,
                             const struct view_item *item) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  const char *name = site->view.exported->names[item->name];
  for (size_t i = 0; i < summary->count; i++)
    if (strcmp(summary->rows[i].name, name) == 0) {
      put_line_link(writer, site, (uint32_t)i, item->span.line);
      put_formatted(writer, ":%u", item->span.column);
      return;
    }
  const char *slash = strrchr(name, '/');
  put_formatted(writer, "%s:%u", slash ? slash + 1 : name, item->span.line);
}

static void put_branch(struct html_writer *writer, const struct html_site *site,
                       const struct source_text *source,
                       const struct view_item *item) {
  struct bytes text = find_branch_text(site, source, item);
  uint64_t address = branch_address(site, item);
  put_html(writer, "<tr><td>");
  char shown[24];
  snprintf(shown, sizeof shown, "0x%" PRIx64, address);
  if (address)
    put_formatted(writer, "%s in %s", shown,
                  site->view.functions[item->owner].name);
  else if (text.size)
    put_code(writer, text);
  if (!address && (!text.size || item->depth)) {
    put_html(writer, " ");
    put_branch_place(writer, site, item);
  }
  put_html(writer, "</td>");
  enum outcome_words of = address                   ? OF_CODE
                          : is_switch(source, text) ? OF_SWITCH
                                                    : OF_SOURCE;
  put_branch_side(writer, item, 0, of);
  put_branch_side(writer, item, 1, of);
  put_html(writer, "</tr>\n");
}

/* Whether an item comes from a file that a function includes, not from a
 * macro. */
static bool is_from_include(const struct source_text *source,
                            const struct view_item *item) {
  struct bytes use = source_span_text(source, &item->site);
  return use.size && (*use.data == '"' || *use.data == '<');
}

/* Writes the branches of a line. Branches of a macro stand under its name. */
static void put_branches(struct html_writer *writer,
                         const struct html_site *site,
                         const struct source_text *source,
                         const struct view_item *items, size_t count) {
  const struct view_item *last = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct view_item *item = &items[i];
    if (item->kind != VIEW_BRANCH)
      continue;
    if (!last)
      put_html(writer, "<table class=\"branches\">\n");
    if (item->depth &&
        (!last || !last->depth || last->site.line != item->site.line ||
         last->site.column != item->site.column)) {
      put_html(writer, "<tr><th colspan=\"3\">in ");
      put_html(writer, is_from_include(source, item) ? "" : "macro ");
      put_code(writer, source_span_text(source, &item->site));
      put_html(writer, "</th></tr>\n");
    }
    put_branch(writer, site, source, item);
    last = item;
  }
  if (last)
    put_html(writer, "</table>\n");
}

/* ---- decisions ---- */

static void put_vector_value(struct html_writer *writer, unsigned char value) {
  static const char *const cells[] = {"<td class=\"f\">F</td>",
                                      "<td class=\"t\">T</td>",
                                      "<td class=\"skip\">\xE2\x80\x93</td>"};
  put_html(writer, cells[value > VALUE_NONE ? VALUE_NONE : value]);
}

static void put_vector(struct html_writer *writer,
                       const struct decision *decision, uint32_t number) {
  const unsigned char *vector =
      decision->pairs.vectors.data + (size_t)number * (decision->count + 1);
  bool ran = number < decision->pairs.ran;
  put_html(writer, ran ? "<tr><th scope=\"row\">vector "
                       : "<tr class=\"todo\"><th scope=\"row\">needed ");
  put_formatted(writer, "%u</th>", number + 1);
  for (uint32_t i = 0; i <= decision->count; i++)
    put_vector_value(writer, vector[i]);
  put_html(writer, "</tr>\n");
}

static void put_pair_cell(struct html_writer *writer,
                          const struct decision *decision, uint32_t number) {
  const struct condition *one = &decision->conditions[number];
  const struct vector_pair *pair =
      decision->unknown ? NULL : &decision->pairs.pairs[number];
  if (one->fixed) {
    put_html(writer, "<td class=\"const\">constant</td>");
    return;
  }
  put_html(writer, one->shown ? "<td class=\"ok\">" : "<td class=\"bad\">");
  if (pair && pair->state <= (one->shown ? PAIR_RAN : PAIR_MISSING))
    put_formatted(writer, "%u%s%u", pair->vectors[0] + 1u,
                  one->shown ? ", " : " + ", pair->vectors[1] + 1u);
  else
    put_html(writer, one->shown                         ? "yes"
                     : pair && pair->state == PAIR_NONE ? "no pair can"
                                                        : "not derived");
  put_html(writer, "</td>");
}

static void put_condition_heads(struct html_writer *writer,
                                const struct decision *decision) {
  put_html(writer, "<thead><tr><td></td>");
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct condition *one = &decision->conditions[i];
    put_html(writer, "<th scope=\"col\">");
    if (one->text.size)
      put_code(writer, one->text);
    else
      put_formatted(writer, "C%u", i + 1u);
    put_html(writer, "</th>");
  }
  put_html(writer, "<th scope=\"col\">result</th></tr></thead>\n");
}

static void put_vector_table(struct html_writer *writer,
                             const struct decision *decision) {
  const struct decision_pairs *pairs = &decision->pairs;
  put_html(writer, "<div class=\"scroll\"><table class=\"vectors\">\n");
  put_condition_heads(writer, decision);
  put_html(writer, "<tbody>\n");
  for (uint32_t i = 0; i < pairs->count; i++)
    if (i < VECTORS_SHOWN || i >= pairs->ran)
      put_vector(writer, decision, i);
  put_html(writer, "<tr class=\"by\"><th scope=\"row\">independence "
                   "pair</th>");
  for (uint32_t i = 0; i < decision->count; i++)
    put_pair_cell(writer, decision, i);
  put_html(writer, "<td></td></tr>\n</tbody></table></div>\n");
  if (pairs->ran > VECTORS_SHOWN)
    put_formatted(writer, "<p>%u more vectors ran.</p>\n",
                  pairs->ran - VECTORS_SHOWN);
}

/* Writes a decision. forms: the number of its function's instantiations. */
static void put_decision(struct html_writer *writer,
                         const struct view_item *item, uint32_t forms,
                         const struct decision *decision) {
  uint32_t constants = 0;
  for (uint32_t i = 0; i < decision->count; i++)
    constants +=
        decision->conditions[i].fixed && !decision->conditions[i].shown;
  uint32_t all = decision->count - constants;
  put_formatted(writer, "<p class=\"mcdc\"><b>MC/DC</b> %u of ",
                all - decision->missing);
  put_quantity(writer, all, "condition", "conditions");
  put_html(writer, " shown");
  if (forms > 1)
    put_formatted(writer, ", in %s of %u instantiations",
                  item->forms > 1 ? "the best" : "one",
                  item->forms > 1 ? item->forms : forms);
  put_html(writer, item->depth ? ", not in the totals" : "");
  put_html(writer, " \xC2\xB7 ");
  put_code(writer, decision->text);
  put_html(writer, "</p>\n");
  put_vector_table(writer, decision);
  bool tied = false;
  for (uint32_t i = 0; i < decision->count; i++)
    tied |= !decision->unknown && decision->known[i].group != GROUP_NONE;
  if (tied && decision->missing)
    put_html(writer,
             "<p class=\"note\">Conditions of one text, or of its negation, "
             "are taken to have one value.</p>\n");
  if (decision->unknown && decision->missing)
    put_formatted(writer,
                  "<p class=\"note\">Missing pairs are not derived: %s.</p>\n",
                  decision->unknown);
}

/* ---- the next step of a function ---- */

static size_t append_bytes(char *to, size_t size, const char *text,
                           size_t length) {
  for (size_t i = 0; i < length && size < HINT_MOST - 1; i++)
    to[size++] = text[i];
  to[size] = 0;
  return size;
}

static const char *copy_code(struct html_site *site, struct bytes text) {
  size_t size = text.size < CODE_SHOWN ? text.size : CODE_SHOWN;
  return size ? need_memory(arena_copy(&site->view.texts, text.data, size))
              : NULL;
}

static size_t append_value(char *to, size_t size, const struct condition *one,
                           unsigned char value) {
  size = append_bytes(to, size, (const char *)one->text.data, one->text.size);
  return append_bytes(
      to, size, value == VALUE_TRUE ? " \xE2\x86\x92 T" : " \xE2\x86\x92 F", 6);
}

/* Proposes the first vector that has to run as the next step for its function.
 * Conditions are in the order of the source. */
static void suggest_vector(struct html_site *site, struct view_function *owner,
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
    size = size ? append_bytes(words, size, ", ", 2) : 0;
    size = append_value(words, size, &decision->conditions[i], vector[i]);
  }
  owner->hint = "run";
  owner->code = need_copy(&site->view.texts, words);
  owner->hint_line = item->site.line;
}

static void suggest_branch(struct html_site *site,
                           const struct source_text *source,
                           struct view_function *owner,
                           const struct view_item *item) {
  static const char *const words[] = {"", "was never true", "was never false",
                                      "was never reached"};
  unsigned missing = view_missing_outcomes(item);
  if (owner->hint || !missing)
    return;
  struct bytes text = find_branch_text(site, source, item);
  owner->code =
      copy_code(site, text.size ? text : source_span_text(source, &item->site));
  bool label = text.size > 4 && (memcmp(text.data, "case", 4) == 0 ||
                                 memcmp(text.data, "default", 4) == 0);
  owner->hint = label                      ? "was never taken"
                : !is_switch(source, text) ? words[missing]
                : missing == FALSE_SIDE    ? "no case matched: never"
                : missing == TRUE_SIDE     ? "a case matched: never"
                                           : words[missing];
  owner->hint_line = item->site.line;
}

/* ---- all ---- */

static void solve_and_put_decision(struct html_writer *writer,
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
  decision_solve(&decision, exported, from, source, &site->declared);
  put_decision(writer, item, owner->forms, &decision);
  owner->conditions += decision.missing;
  /* A hint from an earlier line stays: a branch that was never taken comes
   * before the code in it. */
  if (decision.missing && !owner->hint)
    suggest_vector(site, owner, item, &decision);
  decision_free(&decision);
}

void site_put_panel(struct html_writer *writer, struct html_site *site,
                    const struct source_text *source,
                    const struct view_item *items, size_t count) {
  put_branches(writer, site, source, items, count);
  for (size_t i = 0; i < count; i++)
    if (items[i].kind == VIEW_DECISION)
      solve_and_put_decision(writer, site, source, &items[i]);
  for (size_t i = 0; i < count; i++)
    if (items[i].kind == VIEW_BRANCH)
      suggest_branch(site, source, &site->view.functions[items[i].owner],
                     &items[i]);
}
