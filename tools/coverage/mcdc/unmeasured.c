/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds decisions that MC/DC does not measure, or measures wrongly.
 */
#include "mcdc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"

/* ==== This part finds decisions that clang left out. The mapping does not name
 * operators. But the right operand of && or || is a region with its own
 * counter, which is used only inside the operand. Other conditions do not have
 * their own counter: a condition of `if`, `?:` or a loop runs as often as the
 * code around it, or as often as a sum of counters. So if a right operand is a
 * condition outside of all measured decisions, clang left out a decision. */

/* BRACKETS_MOST is the most columns of brackets and ! around an operand, and
 * OPERATOR_MOST of an operator with blanks and brackets. STEPS_MOST limits the
 * time for a damaged mapping, which could take hours. */
enum { BRACKETS_MOST = 7, OPERATOR_MOST = 6 };
#define STEPS_MOST (UINT64_C(1) << 32)

/* A region whose count is a counter, not an expression. */
struct counter_region {
  uint64_t counter;
  size_t region;
};

/* The function whose mapping is searched. */
struct unmeasured_scan {
  struct mapping *mapping;
  const struct scores_summary *summary; /* the sources of the report, see
                                           unmeasured_append_elf */
  struct counter_region *uses;          /* regions with a counter, by counter */
  size_t use_count;
  /* For each file of the function, the expansion that leads to the file. NULL
   * stands for the function's own file. */
  const struct region **sites;
  uint64_t steps;
};

static bool region_contains(const struct region *outer,
                            const struct region *inner) {
  return position_sort_key(outer->begin) <= position_sort_key(inner->begin) &&
         position_sort_key(inner->end) <= position_sort_key(outer->end);
}

/* Returns whether a region, or the expansion that contains it, is inside
 * another region. */
static bool is_region_inside(const struct unmeasured_scan *scan,
                             const struct region *inner,
                             const struct region *outer) {
  for (unsigned i = 0; inner && i < NESTED_MOST; i++) {
    if (inner->file == outer->file)
      return region_contains(outer, inner);
    inner = scan->sites[inner->file];
  }
  return false;
}

/* ---- operands ---- */

static bool is_counter_but_first(uint64_t counter) {
  return counter % 4 == COUNTER_PLAIN && counter / 4;
}

static bool is_counter_only_inside(struct unmeasured_scan *scan,
                                   uint64_t counter,
                                   const struct region *region) {
  size_t at = search_from(scan->uses, scan->use_count, counter, counter);
  if (!is_counter_but_first(counter))
    return false;
  for (; at < scan->use_count && scan->uses[at].counter == counter; at++) {
    scan->steps++;
    if (!is_region_inside(scan, &scan->mapping->regions[scan->uses[at].region],
                          region))
      return false;
  }
  return true;
}

/* Returns the counter that says how often a condition is evaluated. The counter
 * is known if one outcome is this counter minus the other outcome, or if one
 * outcome is always 0. Otherwise returns 0. */
static uint64_t find_evaluation_counter(const struct unmeasured_scan *scan,
                                        const struct region *branch) {
  const struct mapping *mapping = scan->mapping;
  for (unsigned i = 0; i < 2; i++) {
    uint64_t rest = i ? branch->other : branch->counter;
    uint64_t taken = i ? branch->counter : branch->other;
    if (rest % 4 != COUNTER_LESS)
      continue;
    const struct counter_expression *less = &mapping->expressions[rest / 4];
    if (taken == COUNTER_ZERO || less->right == taken)
      return less->left;
  }
  return COUNTER_ZERO;
}

/* Returns whether a condition with its own counter has a left operand. The
 * operand is a condition that has the counter as an outcome, or code before the
 * counter's region that ends in a condition. The condition of do ... while does
 * not have a left operand, even if a switch in the body gives it its own
 * counter. */
static bool has_left_operand(struct unmeasured_scan *scan,
                             const struct region *right, uint64_t counter) {
  const struct mapping *mapping = scan->mapping;
  const struct region *last = NULL;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    bool branch =
        region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
    scan->steps++;
    if (branch && (region->counter == counter || region->other == counter))
      return true;
    if ((branch || region->kind == REGION_CODE ||
         region->kind == REGION_EXPANSION) &&
        region->file == right->file &&
        position_sort_key(region->end) <= position_sort_key(right->begin) &&
        (!last ||
         position_sort_key(region->end) > position_sort_key(last->end)))
      last = region;
  }
  for (size_t i = 0; last && i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_BRANCH && region->file == last->file &&
        region->end.line == last->end.line &&
        region->end.column <= last->end.column &&
        region->end.column + BRACKETS_MOST >= last->end.column)
      return true;
  }
  return !last || last->kind == REGION_EXPANSION;
}

static bool is_right_operand(struct unmeasured_scan *scan,
                             const struct region *branch) {
  const struct mapping *mapping = scan->mapping;
  uint64_t runs = find_evaluation_counter(scan, branch);
  if (runs)
    return is_counter_only_inside(scan, runs, branch) &&
           has_left_operand(scan, branch, runs);
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_CODE && region->file == branch->file &&
        position_sort_key(region->begin) == position_sort_key(branch->begin) &&
        position_sort_key(region->end) == position_sort_key(branch->end) &&
        is_counter_only_inside(scan, region->counter, branch) &&
        has_left_operand(scan, branch, region->counter))
      return true;
  }
  return false;
}

/* ---- where a decision begins ---- */

/* Returns the position where a region begins. If a region begins with a macro,
 * the mapping has the end of the macro's name instead. */
static struct source_position find_region_begin(struct unmeasured_scan *scan,
                                                const struct region *region) {
  const struct mapping *mapping = scan->mapping;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *site = &mapping->regions[i];
    scan->steps++;
    if (site->kind == REGION_EXPANSION && site->file == region->file &&
        position_sort_key(site->end) == position_sort_key(region->begin))
      return site->begin;
  }
  return region->begin;
}

enum left_operand_result { LEFT_FOUND, LEFT_NONE, LEFT_STATEMENT };

/* Returns whether only an operator can stand between two regions. Between a
 * condition and a statement there is a bracket, and the gap region begins after
 * that bracket. */
static bool is_operator_between(const struct region *left,
                                const struct region *gap,
                                const struct region *right) {
  if (gap && position_sort_key(gap->begin) != position_sort_key(left->end))
    return false;
  return left->kind == REGION_EXPANSION ||
         left->end.line != right->begin.line ||
         right->begin.column - left->end.column <= OPERATOR_MOST;
}

/* Extends a decision from its right operand to its left operand. The left
 * operand is the longest of the regions that end last before the right operand.
 * LEFT_STATEMENT means that this region is a statement, not an operand. */
static enum left_operand_result
extend_decision_left(struct unmeasured_scan *scan, struct region *decision) {
  const struct region *left = NULL, *gap = NULL;
  for (size_t i = 0; i < scan->mapping->region_count; i++) {
    const struct region *region = &scan->mapping->regions[i];
    scan->steps++;
    if (region->file != decision->file ||
        position_sort_key(region->end) > position_sort_key(decision->begin))
      continue;
    if (region->kind == REGION_GAP &&
        position_sort_key(region->end) == position_sort_key(decision->begin))
      gap = region;
    if ((region->kind == REGION_CODE || region->kind == REGION_EXPANSION) &&
        (!left ||
         position_sort_key(region->end) > position_sort_key(left->end) ||
         (position_sort_key(region->end) == position_sort_key(left->end) &&
          position_sort_key(region->begin) < position_sort_key(left->begin))))
      left = region;
  }
  if (decision->kind != REGION_BRANCH && left &&
      !is_operator_between(left, gap, decision))
    return LEFT_STATEMENT;
  if (left)
    decision->begin = find_region_begin(scan, left);
  return left ? LEFT_FOUND : LEFT_NONE;
}

/* Returns whether the region `outer` begins with the decision `inner`, apart
 * from brackets and ! before it. */
static bool begins_with_decision(const struct region *outer,
                                 const struct region *inner) {
  return outer->file == inner->file && region_contains(outer, inner) &&
         outer->begin.line == inner->begin.line &&
         inner->begin.column - outer->begin.column <= BRACKETS_MOST;
}

/* If a decision begins another operator's right operand, extends the decision
 * to that operand. Returns whether the decision was extended. */
static bool extend_decision_outward(struct unmeasured_scan *scan,
                                    struct region *decision) {
  const struct region *found = NULL;
  for (size_t i = 0; i < scan->mapping->region_count; i++) {
    const struct region *region = &scan->mapping->regions[i];
    scan->steps++;
    if (region->kind == REGION_CODE && begins_with_decision(region, decision) &&
        is_counter_only_inside(scan, region->counter, region) &&
        (!found || region_contains(found, region)))
      found = region;
  }
  if (found)
    *decision = *found;
  return found;
}

/* If a decision is in a macro, moves it to the use of the macro. Returns
 * whether the decision was in a macro. */
static bool move_to_macro_use(const struct unmeasured_scan *scan,
                              struct region *decision) {
  const struct region *site = scan->sites[decision->file];
  if (site)
    *decision = *site;
  return site;
}

/* Returns the complete decision that contains this operand, at the place
 * outside of all macros. */
static struct region find_complete_decision(struct unmeasured_scan *scan,
                                            const struct region *branch) {
  struct region decision = *branch, known = *branch;
  bool operand = true;
  for (unsigned i = 0; i < NESTED_MOST; i++) {
    enum left_operand_result left =
        operand ? extend_decision_left(scan, &decision) : LEFT_FOUND;
    if (left == LEFT_STATEMENT)
      break;
    operand = left == LEFT_NONE;
    if (!operand) {
      known = decision;
      known.kind = REGION_CODE;
      operand = extend_decision_outward(scan, &decision);
      if (operand)
        continue;
    }
    if (!move_to_macro_use(scan, &decision))
      break;
  }
  for (unsigned i = 0; i < NESTED_MOST; i++)
    if (!move_to_macro_use(scan, &known))
      break;
  return known;
}

/* ---- a function ---- */

ORDER_BY(by_counter, struct counter_region, x->counter, x->region);

/* Lists the counters of code, and where each file of a macro is used. */
static void init_unmeasured_scan(struct unmeasured_scan *scan) {
  const struct mapping *mapping = scan->mapping;
  scan->uses =
      need_memory(malloc((mapping->region_count + 1) * sizeof *scan->uses));
  scan->sites =
      need_memory(calloc(mapping->file_count + 1, sizeof *scan->sites));
  scan->use_count = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind == REGION_EXPANSION && region->expanded != region->file)
      scan->sites[region->expanded] = region;
    if (region->kind == REGION_CODE && is_counter_but_first(region->counter))
      scan->uses[scan->use_count++] =
          (struct counter_region){region->counter, i};
  }
  qsort(scan->uses, scan->use_count, sizeof *scan->uses, by_counter);
}

/* Appends a decision. The list takes over `file`, the source's name. */
static void unmeasured_append(struct buffer *list, char *file,
                              struct source_position begin,
                              struct source_position end) {
  const struct unmeasured_decision found = {file, begin, end};
  need_append(list, &found, sizeof found);
}

static const char *append_if_in_report(struct buffer *list,
                                       const struct unmeasured_scan *scan,
                                       const struct region *decision) {
  char *file;
  const char *error =
      mapping_make_file_name(scan->mapping, decision->file, &file);
  if (error)
    return error;
  const struct scores_summary *all = scan->summary;
  size_t at = all ? search_text(all->rows, all->count, name, file) : 0;
  if (all && (at == all->count || strcmp(all->rows[at].name, file) != 0)) {
    free(file);
    return NULL;
  }
  if (*file == '/')
    paths_tidy(file);
  unmeasured_append(list, file, decision->begin, decision->end);
  return NULL;
}

static const char *append_function_decisions(struct buffer *list,
                                             struct unmeasured_scan *scan) {
  struct mapping *mapping = scan->mapping;
  const char *error = NULL;
  init_unmeasured_scan(scan);
  for (size_t i = 0; !error && i < mapping->region_count; i++) {
    const struct region *branch = &mapping->regions[i];
    if (branch->kind == REGION_BRANCH && is_right_operand(scan, branch)) {
      struct region decision = find_complete_decision(scan, branch);
      error = append_if_in_report(list, scan, &decision);
    }
    if (scan->steps > STEPS_MOST)
      error = mapping_damaged;
  }
  free(scan->uses);
  free(scan->sites);
  return error;
}

const char *unmeasured_append_elf(struct buffer *list, const struct elf *elf,
                                  const struct scores_summary *summary) {
  struct mapping mapping;
  struct unmeasured_scan scan = {.mapping = &mapping, .summary = summary};
  list->limit = UNMEASURED_MOST;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next_function(&mapping, &error))
    error = mapping.mcdc ? append_function_decisions(list, &scan) : NULL;
  mapping_close(&mapping);
  return error;
}

/* ---- the list ---- */

size_t unmeasured_count(const struct buffer *list) {
  return list->size / sizeof(struct unmeasured_decision);
}

const struct unmeasured_decision *unmeasured_list(const struct buffer *list) {
  return (const struct unmeasured_decision *)list->data;
}

/* Orders decisions by position; a decision precedes the decisions inside it.
 * unmeasured_merge joins decisions that overlap. */
static int compare_unmeasured_decisions(const void *a, const void *b) {
  const struct unmeasured_decision *x = a, *y = b;
  int names = strcmp(x->file, y->file);
  if (names)
    return names;
  if (position_sort_key(x->begin) != position_sort_key(y->begin))
    return position_sort_key(x->begin) < position_sort_key(y->begin) ? -1 : 1;
  return (position_sort_key(x->end) < position_sort_key(y->end)) -
         (position_sort_key(x->end) > position_sort_key(y->end));
}

void unmeasured_merge(struct buffer *list) {
  struct unmeasured_decision *all = (struct unmeasured_decision *)list->data;
  size_t count = unmeasured_count(list), kept = 0;
  if (count)
    qsort(all, count, sizeof *all, compare_unmeasured_decisions);
  for (size_t i = 0; i < count; i++) {
    struct unmeasured_decision *last = kept ? &all[kept - 1] : NULL;
    if (!last || strcmp(last->file, all[i].file) != 0 ||
        position_sort_key(all[i].begin) >= position_sort_key(last->end)) {
      all[kept++] = all[i];
      continue;
    }
    if (position_sort_key(all[i].end) > position_sort_key(last->end))
      last->end = all[i].end;
    free(all[i].file);
  }
  list->size = kept * sizeof *all;
}

void unmeasured_free(struct buffer *list) {
  for (size_t i = 0; i < unmeasured_count(list); i++)
    free(unmeasured_list(list)[i].file);
  buffer_free(list);
}

/* ==== This part finds decisions in which a ! stands before several conditions.
 * The mapping of `!(a || b) && c` equals the mapping of `a || b || c`, so only
 * the source shows the difference. In decisions without such a !, the result is
 * the value of the last evaluated condition. Macros may hide the !. */

/* The negated part has two conditions, and the decision at least one more. */
enum { CONDITIONS_LEAST = 3 };

struct negation_search {
  struct model *exported;
  const struct source_maps *paths;
  const struct token_store *tokens; /* see negated_mark_and_clear */
  struct source_text source;        /* the source that was read last */
  uint32_t name;             /* number of the name of that source */
};

/* Reads the source whose name has this number, unless it was read last. Returns
 * 0, or reports the error and returns 1. */
static int read_source(struct negation_search *reading, uint32_t name) {
  if (reading->name == name)
    return 0;
  reading->name = name;
  source_free(&reading->source);
  const char *file = reading->exported->names[name];
  if (reading->tokens && token_store_has_forgotten(reading->tokens, file))
    return 0;
  char *tidy = paths_copy_tidied(file);
  char *here = paths_local_name(reading->paths, tidy);
  int status = source_read(&reading->source, here);
  free(here);
  free(tidy);
  return status;
}

/* Returns whether a condition ends the decision with its opposite value. */
static bool has_negated_exit(const struct logic_graph *logic) {
  for (uint32_t i = 0; i < logic->count; i++)
    if (logic->next[i][0] == LOGIC_TRUE || logic->next[i][1] == LOGIC_FALSE)
      return true;
  return false;
}

/* ---- macros ----
 *
 * If an argument of a macro contains a condition, the mapping has the condition
 * where the macro uses the parameter. The text of a macro from a system header
 * is not available; only the position of the macro's use is. The operators of
 * such a decision are still known if the decision's text and the arguments show
 * all of them, and if no ! or word stands before a bracket with operators.
 */

/* Counts the operators && and || in a text. If `inside` is set, the text is the
 * body of a macro, whose words are parameters. Returns false if a part of the
 * text may be negated, or if two arguments contain operators. */
static bool count_unnegated_operators(struct bytes text, bool inside,
                                      uint32_t *operators) {
  uint64_t doubts = 0; /* a bit for each open bracket that has a ! or a word
                          before it */
  size_t depth = 0;
  bool known = true, doubt = false, any = false, closed = false;
  struct bytes word;
  for (size_t end = 0; known && (word = token_find_next(text, &end)).size;) {
    size_t behind = end - word.size + 1;
    int here = *word.data, next = behind < text.size ? text.data[behind] : 0;
    bool negates = here == '!' && next != '=';
    if (here == '(') {
      known = !(doubts >> 63) && !(inside && doubt);
      doubts = doubts << 1 | doubt;
      depth++;
    } else if (here == ')') {
      doubts >>= 1;
      depth--;
    } else if ((here == '&' || here == '|') && next == here) {
      known = !doubts && !closed;
      any = true;
      ++*operators;
      end = behind + 1;
    }
    closed |= here == ',' && depth == 1 && any;
    known &= !(inside && negates);
    doubt = negates || isalnum(here) || here == '_';
  }
  return known;
}

static bool may_hide_negation(struct negation_search *reading,
                              const struct model_function *function,
                              const struct model_decision *decision) {
  const struct model *exported = reading->exported;
  struct bytes text = source_span_text(&reading->source, &decision->span);
  struct source_span place = decision->span;
  uint32_t file = decision->file, operators = 0;
  bool known = count_unnegated_operators(text, true, &operators);
  for (unsigned i = text.size != 0; known && i < NESTED_MOST; i++) {
    uint32_t site = exported->sites[function->files.begin + file];
    if (i && site == NO_SITE)
      break;
    if (i) { /* Index 0 stands for the decision's own text. */
      place = model_regions_of(exported, function)[site].span;
      file = model_regions_of(exported, function)[site].file;
      site = exported->sites[function->files.begin + file];
    }
    place.end_line = place.line;
    place.end_column = place.column + 1;
    known = !read_source(reading, model_files_of(exported, function)[file]);
    struct bytes all = reading->source.file.bytes;
    text = source_span_text(&reading->source, &place);
    if (!known || !text.size)
      return true;
    size_t at = token_find_end(all, (size_t)(text.data - all.data));
    text =
        (struct bytes){all.data + at, logic_find_arguments_end(all, at) - at};
    known = count_unnegated_operators(text, site != NO_SITE, &operators);
  }
  return !known || operators + 1 != decision->conditions.count;
}

/* ---- decisions of a model ---- */

static int set_decision_cause(struct negation_search *reading,
                              const struct model_function *function,
                              struct model_decision *from) {
  const struct model *exported = reading->exported;
  struct decision decision;
  if (read_source(reading, model_files_of(exported, function)[from->file]))
    return 1;
  if (!reading->source.found)
    return 0;
  decision_init(&decision, exported, function, from);
  decision.text = source_span_text(&reading->source, &from->span);
  decision_parse(&decision, &reading->source);
  if (!decision.unknown)
    from->cause =
        has_negated_exit(&decision.logic) ? CAUSE_NEGATED : CAUSE_NONE;
  else if (!exported->as_llvm_cov && may_hide_negation(reading, function, from))
    from->cause = CAUSE_MACRO;
  decision_free(&decision);
  return 0;
}

int negated_mark_and_clear(struct model *exported,
                           const struct source_maps *paths,
                           const struct token_store *tokens) {
  struct negation_search reading = {exported, paths, tokens,
                                    .name = UINT32_MAX};
  int status = 0;
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *function = &model_functions(exported)[i];
    for (uint32_t k = 0; k < function->decisions.count && !status; k++) {
      struct model_decision *one = &model_decisions_of(exported, function)[k];
      if (one->cause || one->conditions.count < CONDITIONS_LEAST)
        continue;
      status = set_decision_cause(&reading, function, one);
      if (!one->cause || exported->as_llvm_cov)
        continue;
      memset(model_conditions(exported) + one->conditions.begin, 0,
             one->conditions.count);
      one->vectors = one->values.count = 0;
    }
  }
  source_free(&reading.source);
  return status;
}

void negated_append_decisions(struct buffer *list,
                              const struct model *exported) {
  for (size_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *function = &model_functions(exported)[i];
    for (uint32_t k = 0; k < function->decisions.count; k++) {
      const struct model_decision *one =
          &model_decisions_of(exported, function)[k];
      uint64_t path[NESTED_MOST];
      struct source_span span = one->span;
      uint32_t file = one->file;
      if (one->cause != CAUSE_NEGATED && one->cause != CAUSE_EMPTY)
        continue;
      model_move_to_macro_use(exported, function, &file, &span, path);
      uint32_t name = model_files_of(exported, function)[file];
      if (name < exported->summary.count)
        unmeasured_append(
            list, paths_copy_tidied(exported->names[name]),
            (struct source_position){span.line, span.column},
            (struct source_position){span.end_line, span.end_column});
    }
  }
}
