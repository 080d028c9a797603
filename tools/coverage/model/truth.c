/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes how often each line really ran: the highest count among the regions
 * that contain its tokens. llvm-cov also uses the region in which a line
 * begins, even if no token of the line is in it, and uses the count of the gap
 * after a jump for the region that continues after the gap. This file changes
 * the segments so that llvm-cov's rule gives the true counts.
 *
 * Without the source, tokens are assumed at the beginnings of regions, and at
 * the beginning of each line that is not in a gap.
 */
#include "model_inside.h"

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"

enum { LINES_MOST = 1 << 22, LINE_END = 1 << 24 };

static const struct source_token *tokens_of(const struct truth *truth) {
  return (const struct source_token *)(void *)truth->tokens->list.data;
}

static struct truth_count *counts_in(const struct buffer *list) {
  return (struct truth_count *)(void *)list->data;
}

static size_t size_of(const struct buffer *list) {
  return list->size / sizeof(struct truth_count);
}

void truth_begin(struct evaluation *evaluation, uint32_t name, uint64_t begin,
                 uint64_t end) {
  struct truth *truth = &evaluation->truth;
  const struct evaluate_mask *mask = evaluation->mask;
  if (evaluation->out->as_llvm_cov)
    return;
  size_t last = (size_t)(end >> 32) + 1;
  truth->tokens = NULL;
  if (mask->tokens)
    truth->tokens = token_store_get(mask->tokens, evaluation->out->names[name]);
  truth->first = (size_t)(begin >> 32);
  if (begin > end) {
    last = truth->first; /* no region: count nothing */
  } else if (truth->tokens) {
    const struct source_token *list = tokens_of(truth);
    size_t count = truth->tokens->list.size / sizeof *list;
    truth->first = search_from(list, count, place, begin);
    last = search_from(list, count, place, end);
  } else if (last - truth->first > LINES_MOST) {
    last = truth->first;
  }
  evaluation_room(&truth->counts, last - truth->first,
                  sizeof(struct truth_count));
  truth->counts.size = (last - truth->first) * sizeof(struct truth_count);
}

static void add_count(struct truth_count *to, const struct stretch *from) {
  to->counted |= from->counted;
  if (from->counted && from->cause)
    to->cause = from->cause;
  else if (from->counted)
    to->count += from->count;
}

/* ---- tokens ---- */

/* The state while the tokens of a form are counted. */
struct token_walk {
  const struct stretch *first, *at, *end;
  const struct stretch *now;   /* of the current token; NULL: none has begun */
  const struct stretch *empty; /* the last empty one */
  /* The macro whose arguments are being read. Arguments have the macro's count,
   * because regions end in the middle of arguments. */
  const struct stretch *macro;
  unsigned depth;
};

static void go_to(struct token_walk *walk, uint64_t place) {
  for (; walk->at != walk->end && walk->at->place <= place; walk->at++)
    if (!walk->at->empty)
      walk->now = walk->at;
    else if (!walk->empty || walk->empty->place != walk->at->place)
      walk->empty = walk->at;
}

/* Up to clang 18, a macro of a system header gets no region; it has the count
 * of the region after its name. */
static bool is_nameless(const struct token_walk *walk,
                        const struct source_token *token) {
  const struct stretch *now = walk->now;
  return now->place == token->place && !now->entry && now != walk->first &&
         now[-1].gap && now + 1 != walk->end && now[1].entry && !now[1].gap &&
         now[1].place == token->place + token->size;
}

static const struct stretch *count_of(struct token_walk *walk,
                                      const struct source_token *token,
                                      bool opens) {
  const struct stretch *now = walk->now;
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
  return is_nameless(walk, token) ? now + 1 : now;
}

static void add_tokens(struct truth *truth, const struct stretch *list,
                       size_t count) {
  const struct source_token *tokens = tokens_of(truth);
  size_t end = truth->first + size_of(&truth->counts);
  size_t all = truth->tokens->list.size / sizeof *tokens;
  size_t i = search_from(tokens, all, place, list->place);
  struct token_walk walk = {.first = list, .at = list, .end = list + count};
  for (i = i > truth->first ? i : truth->first; i < end; i++) {
    const struct source_token *token = &tokens[i];
    go_to(&walk, token->place);
    if (walk.macro && token->kind == TOKEN_OPENS)
      walk.depth++;
    else if (walk.macro && token->kind == TOKEN_CLOSES && !--walk.depth)
      walk.macro = NULL;
    if (walk.at == walk.end && !walk.macro && walk.now && !walk.now->counted)
      return;
    if (token->kind != TOKEN_CODE)
      continue;
    bool opens = i + 1 < all && tokens[i + 1].kind == TOKEN_OPENS;
    const struct stretch *one = count_of(&walk, token, opens);
    if (one)
      add_count(&counts_in(&truth->counts)[i - truth->first], one);
  }
}

/* ---- lines ---- */

/* Uses a stretch's count for a line if it is the highest. */
static void take(struct truth_count *best, const struct stretch *one) {
  if (!one || !one->counted || one->gap)
    return;
  best->counted = true;
  if (one->cause)
    best->cause = one->cause;
  else if (one->count > best->count)
    best->count = one->count;
}

static void add_lines(struct evaluation *evaluation, const struct stretch *list,
                      size_t count) {
  struct truth *truth = &evaluation->truth;
  const struct stretch *now = NULL, *end = list + count;
  struct truth_count *all = counts_in(&truth->counts);
  for (size_t i = 0; i < size_of(&truth->counts); i++) {
    struct truth_count best = {.count = 0};
    bool gap = now && now->gap;
    take(&best, now);
    for (; list != end && list->place >> 32 == truth->first + i; list++) {
      if (list->entry || list->empty || gap)
        take(&best, list);
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

void truth_add(struct evaluation *evaluation) {
  struct truth *truth = &evaluation->truth;
  const struct stretch *list = (void *)truth->stretches.data;
  size_t count = truth->stretches.size / sizeof *list;
  size_t steps = count + size_of(&truth->counts);
  if (!count || evaluation->error || !evaluation_step(evaluation, steps))
    return;
  if (truth->tokens)
    add_tokens(truth, list, count);
  else
    add_lines(evaluation, list, count);
}

/* ---- functions inside others ---- */

static uint64_t begin_of(const struct fact *fact) {
  return place_number(fact->line, fact->column);
}

static uint64_t end_of(const struct exported *out, const struct fact *fact) {
  const struct exported_function *function =
      &exported_functions(out)[fact->function];
  const struct exported_region *all = exported_regions_of(out, function);
  uint64_t end = 0;
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (all[i].file == function->main && span_end(&all[i].span) > end)
      end = span_end(&all[i].span);
  return end;
}

/* Returns the counts of the tokens between two positions, limited to the
 * current range. */
static struct truth_count *counts_from(const struct truth *truth,
                                       uint64_t begin, uint64_t end,
                                       size_t *count) {
  const struct source_token *list = tokens_of(truth);
  size_t all = truth->tokens->list.size / sizeof *list;
  size_t from = search_from(list, all, place, begin);
  size_t to = search_from(list, all, place, end);
  size_t last = truth->first + size_of(&truth->counts);
  from = from > truth->first ? from : truth->first;
  to = to < last ? to : last;
  *count = to > from ? to - from : 0;
  return counts_in(&truth->counts) + (from - truth->first);
}

static size_t function_from(const struct fact *facts, size_t count,
                            uint64_t place) {
  size_t low = 0;
  while (low < count) {
    size_t middle = low + (count - low) / 2;
    if (begin_of(&facts[middle]) < place)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

void truth_hide(struct evaluation *evaluation, const struct fact *facts,
                size_t count) {
  struct truth *truth = &evaluation->truth;
  if (evaluation->out->as_llvm_cov || !truth->tokens)
    return;
  const struct lambda *list = (void *)truth->tokens->lambdas.data;
  size_t lambdas = truth->tokens->lambdas.size / sizeof *list;
  for (size_t i = 0; i < lambdas; i++) {
    size_t at = function_from(facts, count, list[i].begin), size;
    if (at < count && begin_of(&facts[at]) < list[i].end)
      continue;
    struct truth_count *inside =
        counts_from(truth, list[i].begin, list[i].end, &size);
    for (size_t k = 0; k < size; k++)
      inside[k].count = inside[k].cause = 0;
  }
  bool inside = lambdas != 0;
  for (size_t i = 0; i + 1 < count && !inside; i++)
    inside = begin_of(&facts[i + 1]) < end_of(evaluation->out, &facts[i]) &&
             begin_of(&facts[i]) < begin_of(&facts[i + 1]);
  truth->all.size = 0;
  truth->all_first = truth->first;
  if (inside)
    evaluation_put(evaluation, &truth->all, truth->counts.data,
                   truth->counts.size);
}

static void take_all(struct truth *truth, uint64_t begin, uint64_t end) {
  size_t size;
  struct truth_count *inside = counts_from(truth, begin, end, &size);
  size_t at = truth->first + (size_t)(inside - counts_in(&truth->counts));
  if (at >= truth->all_first &&
      at + size <= truth->all_first + size_of(&truth->all))
    memcpy(inside, counts_in(&truth->all) + (at - truth->all_first),
           size * sizeof *inside);
}

void truth_inside(struct evaluation *evaluation, const struct fact *facts,
                  size_t count, const struct fact *own) {
  struct truth *truth = &evaluation->truth;
  if (evaluation->out->as_llvm_cov || !truth->tokens)
    return;
  uint64_t begin = begin_of(own), end = end_of(evaluation->out, own);
  size_t at = function_from(facts, count, begin + 1);
  for (; at < count && begin_of(&facts[at]) < end; at++)
    take_all(truth, begin_of(&facts[at]), end_of(evaluation->out, &facts[at]));
  const struct lambda *list = (void *)truth->tokens->lambdas.data;
  size_t lambdas = truth->tokens->lambdas.size / sizeof *list;
  for (at = search_from(list, lambdas, begin, begin + 1);
       at < lambdas && list[at].begin < end; at++)
    take_all(truth, list[at].begin, list[at].end);
}

/* ---- segments ---- */

/* The state while segments are changed. */
struct applying {
  struct evaluation *evaluation;
  struct buffer *list;
  size_t begin; /* offset in list, in bytes */
  uint32_t row;
  const struct segment *at, *end; /* the remaining old segments */
  size_t next;                    /* index in truth.counts */
  const struct segment *wrapped;  /* the last one before the line, or NULL */
};

/* Returns the next line with a count, and *best, its true count; 0: there is
 * none. */
static uint32_t next_line(struct applying *applying, struct truth_count *best) {
  const struct truth *truth = &applying->evaluation->truth;
  const struct truth_count *all = counts_in(&truth->counts);
  uint32_t line = 0;
  *best = (struct truth_count){.counted = true};
  for (; applying->next < size_of(&truth->counts); applying->next++) {
    const struct truth_count *one = &all[applying->next];
    size_t number = truth->first + applying->next;
    uint32_t here = truth->tokens
                        ? (uint32_t)(tokens_of(truth)[number].place >> 32)
                        : (uint32_t)number;
    if (line && here != line)
      break;
    if (!one->counted)
      continue;
    line = here;
    best->count = one->count > best->count ? one->count : best->count;
    best->cause = one->cause ? one->cause : best->cause;
  }
  /* The line ran at least this often, and perhaps more often. */
  if (best->count && best->cause == CAUSE_CONSTEXPR)
    best->cause = CAUSE_NONE;
  best->count = best->cause ? 0 : best->count;
  return line;
}

/* Puts a segment at the end of a line and replaces one that is there. */
static void put_end(struct applying *applying, uint32_t line,
                    struct segment segment) {
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
  evaluation_put(applying->evaluation, list, &segment, sizeof segment);
}

/* Gives a line, whose segments end before `to`, its true count. The old counts
 * resume after the line. */
static void change_line(struct applying *applying, uint32_t line,
                        const struct segment *to,
                        const struct truth_count *right) {
  const struct segment *last = to == applying->at ? applying->wrapped : to - 1;
  bool first = line < 2, changed = to == applying->at;
  struct segment made = {
      .count = right->count, .counted = right->counted, .cause = right->cause};
  if (!first)
    put_end(applying, line - 1, made);
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
    evaluation_put(applying->evaluation, applying->list, &made, sizeof made);
  }
  if (changed && last)
    put_end(applying, line, *last);
  applying->wrapped = last;
}

/* Compares the next line's count by llvm-cov's rule with the true count, and
 * changes the line if they differ. */
static void judge_line(struct applying *applying, uint32_t line,
                       const struct truth_count *right) {
  const struct segment *to = applying->at;
  while (to != applying->end && to->line == line)
    to++;
  struct line_count theirs = segments_line(applying->at, to, applying->wrapped);
  if (!theirs.counted || (right->counted && theirs.count == right->count &&
                          theirs.cause == right->cause))
    return;
  const struct line_differs differs = {applying->row, line, theirs.count};
  if (applying->row != NO_FILE && right->counted)
    evaluation_put(applying->evaluation, &applying->evaluation->out->differs,
                   &differs, sizeof differs);
  change_line(applying, line, to, right);
}

/* Copies the segments up to a line. The lines in between contain no tokens;
 * with code_only they do not count. */
static void go_to_line(struct applying *applying, uint32_t from,
                       uint32_t line) {
  struct evaluation *evaluation = applying->evaluation;
  const struct truth_count none = {.count = 0};
  bool drops = evaluation->truth.tokens && evaluation->mask->code_only;
  for (; drops && from < line && evaluation_step(evaluation, 1); from++) {
    go_to_line(applying, from, from);
    judge_line(applying, from, &none);
  }
  for (; applying->at != applying->end && applying->at->line < line;
       applying->at++) {
    evaluation_put(evaluation, applying->list, applying->at,
                   sizeof *applying->at);
    applying->wrapped = applying->at;
  }
}

void truth_apply(struct evaluation *evaluation, struct buffer *list,
                 size_t begin, uint32_t row) {
  size_t count = 0;
  const struct segment *all =
      evaluation->out->as_llvm_cov
          ? NULL
          : segments_take(evaluation, list, begin, &count);
  if (!all)
    return;
  struct applying applying = {evaluation, list,        begin, row,
                              all,        all + count, 0,     NULL};
  struct truth_count right;
  uint32_t from = all->line;
  for (uint32_t line; (line = next_line(&applying, &right)); from = line + 1) {
    go_to_line(&applying, from, line);
    judge_line(&applying, line, &right);
  }
  go_to_line(&applying, from, all[count - 1].line + 1);
}
