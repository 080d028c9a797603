/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes how often each line really ran: the highest count among
 * the regions that contain its tokens. llvm-cov also counts the region in which
 * a line begins, even if the region does not contain a token of the line.
 * Moreover, llvm-cov uses the count of a gap after a jump for the region that
 * continues after the gap. This file changes the segments so that llvm-cov's
 * rule gives the true counts.
 *
 * If the source is missing, tokens are assumed at the beginnings of regions,
 * and at the beginning of each line that is not in a gap.
 */
#include "evaluation.h"

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"

static const struct source_token *
get_token_array(const struct true_counts *truth) {
  return (const struct source_token *)(void *)truth->tokens->list.data;
}

static struct token_count *get_token_counts(const struct buffer *list) {
  return (struct token_count *)(void *)list->data;
}

static size_t token_count_length(const struct buffer *list) {
  return list->size / sizeof(struct token_count);
}

void truth_begin_counts(struct evaluation *evaluation, uint32_t name,
                        uint64_t begin, uint64_t end) {
  struct true_counts *truth = &evaluation->truth;
  const struct evaluation_options *mask = evaluation->options;
  truth->row = name;
  if (evaluation->out->as_llvm_cov)
    return;
  size_t last = (size_t)(end >> 32) + 1;
  truth->tokens = NULL;
  if (mask->tokens)
    truth->tokens = token_store_get(mask->tokens, evaluation->out->names[name]);
  truth->first = (size_t)(begin >> 32);
  if (begin > end) {
    last = truth->first; /* Without a region, nothing is counted. */
  } else if (truth->tokens) {
    const struct source_token *list = get_token_array(truth);
    size_t count = truth->tokens->list.size / sizeof *list;
    truth->first = search_from(list, count, place, begin);
    last = search_from(list, count, place, end);
  } else if (last - truth->first > LINES_MOST) {
    last = truth->first;
  }
  evaluation_clear_and_reserve(&truth->counts, last - truth->first,
                               sizeof(struct token_count));
  truth->counts.size = (last - truth->first) * sizeof(struct token_count);
}

static void add_stretch_count(struct token_count *to,
                              const struct counted_stretch *from) {
  to->counted |= from->counted;
  to->dropped |= from->dropped;
  if (from->counted && from->cause)
    to->cause = from->cause;
  else if (from->counted)
    to->count += from->count;
}

/* ---- tokens ---- */

/* The state while the tokens of a variant are counted. */
struct token_walk {
  const struct counted_stretch *first, *at, *end;
  /* stretch of the current token; NULL if none has begun */
  const struct counted_stretch *now;
  const struct counted_stretch *empty; /* the last empty stretch */
  /* The macro whose arguments are being read. Arguments have the count of the
   * macro, because regions end in the middle of arguments. */
  const struct counted_stretch *macro;
  unsigned depth;
};

static void walk_to_place(struct token_walk *walk, uint64_t place) {
  for (; walk->at != walk->end && walk->at->place <= place; walk->at++)
    if (!walk->at->empty)
      walk->now = walk->at;
    else if (!walk->empty || walk->empty->place != walk->at->place)
      walk->empty = walk->at;
}

/* Returns whether a token is a macro of a system header from clang 18 or
 * earlier. Such a macro does not have its own region; it has the count of the
 * region after its name. */
static bool is_macro_without_region(const struct token_walk *walk,
                                    const struct source_token *token) {
  const struct counted_stretch *now = walk->now;
  return now->place == token->place && !now->entry && now != walk->first &&
         now[-1].gap && now + 1 != walk->end && now[1].entry && !now[1].gap &&
         now[1].place == token->place + token->size;
}

/* Returns the stretch that has the token's count, or NULL if no stretch has
 * begun. `opens`: a bracket follows the token, so a macro's arguments begin. */
static const struct counted_stretch *
find_token_stretch(struct token_walk *walk, const struct source_token *token,
                   bool opens) {
  const struct counted_stretch *now = walk->now;
  bool empty = walk->empty && walk->empty->place == token->place;
  if (!empty && !now)
    return NULL;
  if (empty || (now->macro && now->place == token->place)) {
    now = empty ? walk->empty : now;
    if (opens && !walk->macro) {
      walk->macro = now;
      walk->depth = 0;
    }
    return now;
  }
  if (walk->macro)
    return now->gap || now->begin <= walk->macro->begin ? walk->macro : now;
  return is_macro_without_region(walk, token) ? now + 1 : now;
}

/* Adds the count of its stretch to each token of the source. */
static void add_token_counts(struct true_counts *truth,
                             const struct counted_stretch *list, size_t count) {
  const struct source_token *tokens = get_token_array(truth);
  size_t end = truth->first + token_count_length(&truth->counts);
  size_t all = truth->tokens->list.size / sizeof *tokens;
  size_t i = search_from(tokens, all, place, list->place);
  struct token_walk walk = {.first = list, .at = list, .end = list + count};
  for (i = i > truth->first ? i : truth->first; i < end; i++) {
    const struct source_token *token = &tokens[i];
    walk_to_place(&walk, token->place);
    if (walk.macro && token->kind == TOKEN_OPENS)
      walk.depth++;
    else if (walk.macro && token->kind == TOKEN_CLOSES && !--walk.depth)
      walk.macro = NULL;
    if (walk.at == walk.end && !walk.macro && walk.now && !walk.now->counted)
      return;
    get_token_counts(&truth->counts)[i - truth->first].argument |=
        walk.macro != NULL;
    if (token->kind != TOKEN_CODE)
      continue;
    bool opens = i + 1 < all && tokens[i + 1].kind == TOKEN_OPENS &&
                 !tokens[i + 1].apart;
    const struct counted_stretch *one = find_token_stretch(&walk, token, opens);
    if (one)
      add_stretch_count(&get_token_counts(&truth->counts)[i - truth->first],
                        one);
  }
}

/* ---- lines ---- */

/* Raises the count of a line to the count of a stretch, if that is higher. */
static void raise_line_count(struct token_count *best,
                             const struct counted_stretch *one) {
  if (!one || !one->counted || one->gap)
    return;
  best->counted = true;
  if (one->cause)
    best->cause = one->cause;
  else if (one->count > best->count)
    best->count = one->count;
}

/* Without the text of the source: adds the highest count of its stretches to
 * each line. */
static void add_line_counts(struct evaluation *evaluation,
                            const struct counted_stretch *list, size_t count) {
  struct true_counts *truth = &evaluation->truth;
  const struct counted_stretch *now = NULL, *end = list + count;
  struct token_count *all = get_token_counts(&truth->counts);
  for (size_t i = 0; i < token_count_length(&truth->counts); i++) {
    struct token_count best = {.count = 0};
    bool gap = now && now->gap;
    raise_line_count(&best, now);
    for (; list != end && list->place >> 32 == truth->first + i; list++) {
      if (list->entry || list->empty || gap)
        raise_line_count(&best, list);
      if (!list->empty) {
        gap = gap && (list->gap || !list->counted);
        now = list;
      }
    }
    all[i].counted |= best.counted;
    all[i].count += best.count;
    all[i].cause = all[i].cause ? all[i].cause : best.cause;
  }
}

void truth_add_stretches(struct evaluation *evaluation) {
  struct true_counts *truth = &evaluation->truth;
  const struct counted_stretch *list = (void *)truth->stretches.data;
  size_t count = truth->stretches.size / sizeof *list;
  size_t steps = count + token_count_length(&truth->counts);
  if (!count || evaluation->error || !evaluation_use_steps(evaluation, steps))
    return;
  if (truth->tokens)
    add_token_counts(truth, list, count);
  else
    add_line_counts(evaluation, list, count);
}

/* ---- functions inside others ---- */

static uint64_t function_end(const struct model *out,
                             const struct function_position *at) {
  const struct model_function *function = &model_functions(out)[at->function];
  const struct model_region *all = model_regions_of(out, function);
  uint64_t end = 0;
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (all[i].file == function->main && span_end(&all[i].span) > end)
      end = span_end(&all[i].span);
  return end;
}

/* Returns the counts of those tokens between two positions that are in the
 * current range. */
static struct token_count *find_token_counts(const struct true_counts *truth,
                                             uint64_t begin, uint64_t end,
                                             size_t *count) {
  const struct source_token *list = get_token_array(truth);
  size_t all = truth->tokens->list.size / sizeof *list;
  size_t from = search_from(list, all, place, begin);
  size_t to = search_from(list, all, place, end);
  size_t last = truth->first + token_count_length(&truth->counts);
  from = from > truth->first ? from : truth->first;
  to = to < last ? to : last;
  *count = to > from ? to - from : 0;
  return get_token_counts(&truth->counts) + (*count ? from - truth->first : 0);
}

void truth_clear_lambdas_and_save(struct evaluation *evaluation,
                                  const struct function_position *positions,
                                  size_t count) {
  struct true_counts *truth = &evaluation->truth;
  if (evaluation->out->as_llvm_cov || !truth->tokens)
    return;
  const struct lambda_span *list = (void *)truth->tokens->lambdas.data;
  size_t lambdas = truth->tokens->lambdas.size / sizeof *list;
  for (size_t i = 0; i < lambdas; i++) {
    size_t at = search_from(positions, count, begin, list[i].begin), size;
    if (at < count && positions[at].begin < list[i].end)
      continue;
    struct token_count *inside =
        find_token_counts(truth, list[i].begin, list[i].end, &size);
    /* In an argument, a macro's text has the record of the lambda. */
    bool argument =
        inside > get_token_counts(&truth->counts) && inside[-1].argument;
    for (size_t k = 0; k < size; k++) {
      if (!argument)
        inside[k].cause = CAUSE_NONE;
      else if (inside[k].count)
        inside[k].cause = CAUSE_ARGUMENT;
      inside[k].count = 0;
    }
  }
  bool inside = lambdas != 0;
  for (size_t i = 0; i + 1 < count && !inside; i++)
    inside =
        positions[i + 1].begin < function_end(evaluation->out, &positions[i]) &&
        positions[i].begin < positions[i + 1].begin;
  truth->all.size = 0;
  truth->all_first = truth->first;
  if (inside)
    need_append(&truth->all, truth->counts.data, truth->counts.size);
}

static void copy_source_counts(struct true_counts *truth, uint64_t begin,
                               uint64_t end) {
  size_t size;
  struct token_count *inside = find_token_counts(truth, begin, end, &size);
  size_t at =
      truth->first + (size_t)(inside - get_token_counts(&truth->counts));
  if (size && at >= truth->all_first &&
      at + size <= truth->all_first + token_count_length(&truth->all))
    memcpy(inside, get_token_counts(&truth->all) + (at - truth->all_first),
           size * sizeof *inside);
}

void truth_copy_inner_counts(struct evaluation *evaluation,
                             const struct function_position *positions,
                             size_t count,
                             const struct function_position *own) {
  struct true_counts *truth = &evaluation->truth;
  if (evaluation->out->as_llvm_cov || !truth->tokens)
    return;
  uint64_t begin = own->begin, end = function_end(evaluation->out, own);
  size_t at = search_from(positions, count, begin, begin + 1);
  for (; at < count && positions[at].begin < end; at++)
    copy_source_counts(truth, positions[at].begin,
                       function_end(evaluation->out, &positions[at]));
  const struct lambda_span *list = (void *)truth->tokens->lambdas.data;
  size_t lambdas = truth->tokens->lambdas.size / sizeof *list;
  for (at = search_from(list, lambdas, begin, begin + 1);
       at < lambdas && list[at].begin < end; at++)
    copy_source_counts(truth, list[at].begin, list[at].end);
}

/* ---- segments ---- */

/* The state while segments are corrected. */
struct line_correction_state {
  struct evaluation *evaluation;
  struct buffer *list;
  size_t begin; /* byte offset of the first segment in the list */
  uint32_t row;
  const struct segment *at, *end; /* the old segments that remain */
  size_t next;                    /* index in truth.counts */
  const struct segment *wrapped;  /* last segment before the line, or NULL */
};

/* Returns the next line with a count, and sets *best to the true count of the
 * line. Returns 0 if all lines are done. */
static uint32_t find_next_counted_line(struct line_correction_state *applying,
                                       struct token_count *best) {
  const struct true_counts *truth = &applying->evaluation->truth;
  const struct token_count *all = get_token_counts(&truth->counts);
  uint32_t line = 0;
  *best = (struct token_count){.count = 0};
  for (; applying->next < token_count_length(&truth->counts);
       applying->next++) {
    const struct token_count *one = &all[applying->next];
    size_t number = truth->first + applying->next;
    uint32_t here = truth->tokens
                        ? (uint32_t)(get_token_array(truth)[number].place >> 32)
                        : (uint32_t)number;
    if (line && here != line)
      break;
    if (!one->counted && !one->dropped)
      continue;
    line = here;
    best->counted |= one->counted;
    best->count = one->count > best->count ? one->count : best->count;
    best->cause = one->cause ? one->cause : best->cause;
  }
  /* With these causes, the line ran at least this often. */
  if (best->count && best->cause >= CAUSE_CONSTEXPR &&
      best->cause <= CAUSE_THROWN)
    best->cause = CAUSE_NONE;
  best->count = best->cause ? 0 : best->count;
  return line;
}

/* Puts a segment at the end of a line. Replaces an existing segment. */
static void append_line_end_segment(struct line_correction_state *applying,
                                    uint32_t line, struct segment segment) {
  struct buffer *list = applying->list;
  segment.line = line;
  segment.column = LINE_END;
  segment.entry = false;
  if (list->size > applying->begin) {
    const struct segment *last =
        (void *)(list->data + list->size - sizeof *last);
    if (last->line == line && last->column == LINE_END && !last->entry)
      list->size -= sizeof *last;
  }
  need_append(list, &segment, sizeof segment);
}

/* Changes the segments of a line, which end before `to`, so that the line has
 * its true count. After the line, the old counts continue. */
static void correct_line(struct line_correction_state *applying, uint32_t line,
                         const struct segment *to,
                         const struct token_count *right) {
  const struct segment *last = to == applying->at ? applying->wrapped : to - 1;
  bool first = line < 2, changed = to == applying->at;
  struct segment made = {
      .count = right->count, .counted = right->counted, .cause = right->cause};
  if (!first)
    append_line_end_segment(applying, line - 1, made);
  for (; applying->at != to; applying->at++) {
    made = *applying->at;
    made.entry &= !made.counted || right->counted;
    if (made.entry && made.counted && !made.gap &&
        (first || made.count > right->count || made.cause)) {
      made.count = right->count;
      made.cause = right->cause;
      first = false;
      changed = applying->at + 1 == to;
    }
    need_append(applying->list, &made, sizeof made);
  }
  if (changed && last)
    append_line_end_segment(applying, line, *last);
  applying->wrapped = last;
}

/* Compares the next line's count by llvm-cov's rule with the true count. If
 * they differ, corrects the line. */
static void correct_line_if_wrong(struct line_correction_state *applying,
                                  uint32_t line,
                                  const struct token_count *right) {
  const struct segment *to = applying->at;
  while (to != applying->end && to->line == line)
    to++;
  struct line_count theirs =
      segments_line_count(applying->at, to, applying->wrapped);
  if (!theirs.counted || (right->counted && theirs.count == right->count &&
                          theirs.cause == right->cause))
    return;
  const struct llvm_cov_difference differs = {applying->row, line,
                                              theirs.count};
  if (applying->row != NO_FILE && right->counted)
    need_append(&applying->evaluation->out->differs, &differs, sizeof differs);
  correct_line(applying, line, to, right);
}

static bool line_has_branch(const struct true_counts *truth, uint32_t line) {
  const struct branch_line *list = (const void *)truth->branch_lines.data;
  size_t count = truth->branch_lines.size / sizeof *list;
  uint64_t place = (uint64_t)truth->row << 32 | line;
  size_t at = search_from(list, count, place, place);
  return at < count && list[at].place == place;
}

/* Copies the segments up to a line. The lines on the way do not contain tokens;
 * with code_only, these lines do not count, except lines with a branch. */
static void
copy_corrected_segments_to_line(struct line_correction_state *applying,
                                uint32_t from, uint32_t line) {
  struct evaluation *evaluation = applying->evaluation;
  const struct token_count none = {.count = 0};
  bool drops = evaluation->truth.tokens && evaluation->options->code_only;
  for (; drops && from < line && evaluation_use_steps(evaluation, 1); from++) {
    copy_corrected_segments_to_line(applying, from, from);
    if (!line_has_branch(&evaluation->truth, from))
      correct_line_if_wrong(applying, from, &none);
  }
  for (; applying->at != applying->end && applying->at->line < line;
       applying->at++) {
    need_append(applying->list, applying->at, sizeof *applying->at);
    applying->wrapped = applying->at;
  }
}

void truth_correct_segments(struct evaluation *evaluation, struct buffer *list,
                            size_t begin, uint32_t row) {
  size_t count = 0;
  const struct segment *all =
      evaluation->out->as_llvm_cov
          ? NULL
          : segments_move_out(evaluation, list, begin, &count);
  if (!all)
    return;
  struct line_correction_state applying = {evaluation,  list, begin, row, all,
                                           all + count, 0,    NULL};
  struct token_count right;
  uint32_t from = all->line;
  for (uint32_t line; (line = find_next_counted_line(&applying, &right));
       from = line + 1) {
    copy_corrected_segments_to_line(&applying, from, line);
    correct_line_if_wrong(&applying, line, &right);
  }
  copy_corrected_segments_to_line(&applying, from, all[count - 1].line + 1);
}
