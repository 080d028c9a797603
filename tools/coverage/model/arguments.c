/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes how often the arguments of macros were evaluated. clang
 * counts them as often as the macro, also if the macro's text has them in an
 * `if` that was never true. The definition says where the parameters are, and
 * the regions of the macro's text say how often that place ran. If the macro
 * passes the parameter to another macro, the other macro's regions say so.
 */
#include "evaluation.h"

#include "../../base/compare.h"

enum { NEST_MOST = 8, SEARCH_STEPS = 64 /* of the searches for a use */ };

/* An argument of a macro. */
struct macro_argument {
  uint32_t file;  /* the file of the function that has the macro's text */
  uint32_t index; /* index of the argument */
};

/* How often an argument was evaluated. The regions of its own code, such as the
 * arms of a `?:`, have the span of the parameter. */
struct argument_count {
  uint64_t count;    /* the highest count of these regions */
  bool known, whole; /* whole: all of these regions ran */
  bool unused;       /* The macro's text drops the argument. */
  uint64_t branches; /* number of branches in the code */
  uint64_t sides[2]; /* how often the first branch was true, and false */
};

static void raise_number(uint64_t *number, uint64_t least) {
  *number = least > *number ? least : *number;
}

/* Adds a branch of the argument's code. If the branch is constant, or does not
 * decide on all of the argument, the number of branches becomes too high. */
static void add_branch(struct evaluation *evaluation,
                       const struct region *branch, struct argument_count *to) {
  if (to->branches++)
    return;
  to->sides[0] =
      constexpr_find_count(evaluation, branch, branch->counter).value;
  to->sides[1] = constexpr_find_count(evaluation, branch, branch->other).value;
  if (region_constant_outcomes(branch) ||
      to->sides[0] + to->sides[1] != to->count)
    to->branches = UINT32_MAX;
}

/* Returns the counts of the innermost code regions of a file at a position. */
static struct argument_count find_count_at(struct evaluation *evaluation,
                                           uint32_t file, uint64_t place) {
  struct file_regions in = evaluation_find_regions(evaluation, file);
  uint64_t steps = SEARCH_STEPS + 2 * (uint64_t)(in.end - in.list);
  const struct region *inner = evaluation_use_steps(evaluation, steps)
                                   ? regions_find_code_around(in, place)
                                   : NULL;
  struct argument_count found = {.known = inner, .whole = inner};
  for (const struct region *at = in.list; at != in.end && inner; at++) {
    if (begin_of(at) != begin_of(inner) || end_of(at) != end_of(inner))
      continue;
    if (region_is_branch(at))
      add_branch(evaluation, at, &found);
    if (at->kind != REGION_CODE)
      continue;
    struct corrected_count one =
        constexpr_find_count(evaluation, at, at->counter);
    found.known &= !one.cause;
    found.whole &= one.value != 0;
    raise_number(&found.count, one.value);
  }
  return found;
}

static const struct region *find_expansion_at(struct evaluation *evaluation,
                                              uint32_t file, uint64_t place) {
  struct file_regions in = evaluation_find_regions(evaluation, file);
  for (const struct region *at = in.list; at != in.end; at++)
    if (at->kind == REGION_EXPANSION && begin_of(at) == place)
      return at;
  return NULL;
}

/* Returns the definition that the regions are in, or NULL. */
static const struct macro_definition *
find_definition(const struct source_tokens *tokens, struct file_regions in) {
  const struct macro_definition *list = (const void *)tokens->macros.data;
  if (in.list == in.end || !tokens->macros.size)
    return NULL;
  uint64_t place = begin_of(in.list);
  size_t count = tokens->macros.size / sizeof *list;
  size_t at = search_after(list, count, begin, place);
  return at && list[at - 1].end >= place ? &list[at - 1] : NULL;
}

/* Returns whether the text of a macro has code that did not run. */
static bool has_zero_count(struct evaluation *evaluation, uint32_t file,
                           unsigned depth) {
  struct file_regions in = evaluation_find_regions(evaluation, file);
  uint64_t steps = SEARCH_STEPS + (uint64_t)(in.end - in.list);
  if (depth == NEST_MOST || !evaluation_use_steps(evaluation, steps))
    return true;
  for (const struct region *at = in.list; at != in.end; at++)
    if (at->kind == REGION_CODE
            ? !constexpr_find_count(evaluation, at, at->counter).value
            : at->kind == REGION_EXPANSION &&
                  evaluation_find_expansion(evaluation, at->expanded) == at &&
                  has_zero_count(evaluation, at->expanded, depth + 1))
      return true;
  return false;
}

static bool find_argument_count(struct evaluation *evaluation,
                                struct macro_argument argument, unsigned depth,
                                struct argument_count *count);

/* Returns how often a use of a parameter was evaluated. `use` is the first of
 * the uses at its place. */
static struct argument_count
find_use_count(struct evaluation *evaluation, struct macro_argument argument,
               uint32_t more, const struct parameter_use *use, unsigned depth) {
  struct argument_count found =
      find_count_at(evaluation, argument.file, use->place);
  bool ran = found.known && found.count;
  for (; use->call && !use->made; use++) {
    const struct region *site =
        find_expansion_at(evaluation, argument.file, use->call);
    struct argument_count inner;
    if (!site)
      continue;
    struct macro_argument nested = {site->expanded, use->argument + more};
    if (find_argument_count(evaluation, nested, depth + 1, &inner) &&
        (ran || inner.unused))
      found = inner;
    return found;
  }
  found.known &= !ran || !use->call;
  return found;
}

/* Sets *count to how often an argument was evaluated: the highest count of its
 * uses. Returns false if the argument needs no count of its own: the macro is
 * unknown and all of its code ran. */
static bool find_argument_count(struct evaluation *evaluation,
                                struct macro_argument argument, unsigned depth,
                                struct argument_count *count) {
  struct file_regions in = evaluation_find_regions(evaluation, argument.file);
  const struct source_tokens *tokens =
      depth < NEST_MOST ? evaluation_find_tokens(evaluation, argument.file)
                        : NULL;
  const struct macro_definition *macro =
      tokens ? find_definition(tokens, in) : NULL;
  *count = (struct argument_count){.known = false};
  /* Another name of a macro, or a macro that is an argument. */
  if (!macro && depth < NEST_MOST && in.end - in.list == 1 &&
      in.list->kind == REGION_EXPANSION) {
    argument.file = in.list->expanded;
    return find_argument_count(evaluation, argument, depth + 1, count);
  }
  if (!macro)
    return has_zero_count(evaluation, argument.file, depth);
  uint32_t more =
      argument.index >= macro->parameter_count
          ? argument.index - macro->parameter_count
          : 0;
  uint32_t parameter = argument.index - more;
  const struct parameter_use *use =
      (const struct parameter_use *)(void *)tokens->uses.data + macro->first;
  const struct parameter_use *end = use + macro->count;
  count->known = count->unused = true;
  /* Uses at one place follow each other; find_use_count reads all of them. */
  for (uint64_t place = 0; use != end; place = use++->place) {
    if (use->parameter != parameter || use->place == place)
      continue;
    struct argument_count one =
        find_use_count(evaluation, argument, more, use, depth);
    if (one.unused)
      continue;
    count->unused = false;
    count->known &= one.known;
    count->whole |= one.whole;
    raise_number(&count->count, one.count);
    raise_number(&count->branches, one.branches);
    raise_number(&count->sides[0], one.sides[0]);
    raise_number(&count->sides[1], one.sides[1]);
  }
  return true;
}

/* The arguments of a use of a macro, from its bracket. */
struct argument_walk {
  const struct region *site;
  uint64_t count; /* how often the macro ran; 0: never, or unknown */
  uint32_t index; /* index of the current argument */
  /* The next fields belong to the current argument. */
  const struct source_token *first, *last;
  const struct source_mark *mark; /* the first mark that is an operator */
  uint64_t colon;                 /* position of a colon after it, or 0 */
  uint64_t bracket;               /* position of the first bracket, or 0 */
  unsigned marks;                 /* number of such marks */
  bool outside;                   /* The first mark is in no bracket. */
};

/* Adds the parts of an argument that ran, but not all of it. If the argument
 * has one operator, outside of brackets, and no other branches, then the first
 * branch counts the operands after the operator. Otherwise, counts after the
 * first operator or bracket, which may belong to a macro, are not known. */
static void add_parts(struct evaluation *evaluation,
                      const struct argument_walk *walk,
                      const struct argument_count *count, uint64_t end) {
  int byte = walk->mark ? walk->mark->byte : 0;
  uint64_t begin = byte ? walk->mark->end : walk->bracket;
  uint32_t file = walk->site->file;
  struct corrected_count part = {.cause = CAUSE_ARGUMENT};
  if (walk->marks == 1 && walk->outside &&
      (byte == '?' ? walk->colon && count->branches == 1
                   : byte != '{' && count->branches == 2))
    part = (struct corrected_count){.value = count->sides[byte == '|']};
  else if (walk->bracket && walk->bracket < begin)
    begin = walk->bracket;
  if (begin)
    evaluation_add_code(evaluation, file, begin, end, part);
  part.value = count->sides[1];
  if (!part.cause && byte == '?')
    evaluation_add_code(evaluation, file, walk->colon, end, part);
}

/* Adds the current argument, if it is in later lines than the macro's name. */
static void end_argument(struct evaluation *evaluation,
                         struct argument_walk *walk) {
  struct argument_count count;
  const struct source_token *last = walk->last;
  struct macro_argument argument = {walk->site->expanded, walk->index};
  if (walk->first && (uint32_t)(last->place >> 32) > walk->site->begin.line &&
      find_argument_count(evaluation, argument, 0, &count)) {
    uint64_t end = last->place + last->size;
    struct corrected_count whole = {.value = count.count,
                                    .cause = count.known ? 0 : CAUSE_ARGUMENT,
                                    .dropped = count.unused};
    if (count.unused ||
        (walk->count && (!count.known || count.count != walk->count)))
      evaluation_add_code(evaluation, walk->site->file, walk->first->place, end,
                          whole);
    if (walk->count && count.known && count.count && !count.whole)
      add_parts(evaluation, walk, &count, end);
  }
  *walk = (struct argument_walk){
      .site = walk->site, .count = walk->count, .index = walk->index + 1};
}

/* Reads a mark. Commas outside of brackets end the argument. */
static void read_mark(struct evaluation *evaluation, struct argument_walk *walk,
                      const struct source_mark *mark, size_t depth) {
  if (mark->byte == ',' && depth == 1) {
    end_argument(evaluation, walk);
  } else if (mark->byte == ':') {
    if (walk->mark && !walk->colon && depth == 1)
      walk->colon = mark->end;
  } else if (mark->byte != ',' && !walk->marks++) {
    walk->mark = mark;
    walk->outside = depth == 1;
  }
}

/* Walks over the tokens in the macro's brackets, and adds each argument. */
static void add_arguments(struct evaluation *evaluation,
                          const struct source_tokens *tokens,
                          struct argument_walk *walk) {
  const struct source_token *list = (const void *)tokens->list.data;
  const struct source_mark *marks = (const void *)tokens->marks.data;
  size_t count = tokens->list.size / sizeof *list, depth = 0;
  size_t mark_count = tokens->marks.size / sizeof *marks;
  uint64_t place = begin_of(walk->site);
  size_t at = search_from(list, count, place, place) + 1;
  if (at >= count || list[at - 1].place != place ||
      list[at].kind != TOKEN_OPENS || list[at].apart)
    return;
  size_t k = search_from(marks, mark_count, end, list[at].place);
  for (; at < count && evaluation_use_steps(evaluation, 1); at++) {
    const struct source_token *token = &list[at];
    for (; k < mark_count && marks[k].end <= token->place; k++)
      read_mark(evaluation, walk, &marks[k], depth);
    depth += token->kind == TOKEN_OPENS;
    depth -= token->kind == TOKEN_CLOSES;
    if (!depth)
      break;
    if (token->kind == TOKEN_OPENS && depth > 1 && !walk->bracket)
      walk->bracket = token->place;
    if (token->kind != TOKEN_CODE)
      continue;
    walk->first = walk->first ? walk->first : token;
    walk->last = token;
  }
  end_argument(evaluation, walk);
}

void arguments_add_regions(struct evaluation *evaluation, size_t first,
                           size_t end) {
  const uint64_t *leads = (const void *)evaluation->leads.data;
  const struct region *all = evaluation->mapping.regions;
  if (evaluation->out->as_llvm_cov ||
      evaluation_find_expansion(evaluation, all[first].file))
    return;
  const struct source_tokens *tokens = NULL;
  for (const struct region *site = all + first; site != all + end; site++) {
    if (site->kind != REGION_EXPANSION || evaluation->error)
      continue;
    struct corrected_count count =
        constexpr_find_count(evaluation, site, leads[site->expanded]);
    tokens = tokens ? tokens : evaluation_find_tokens(evaluation, site->file);
    if (!tokens)
      return;
    add_arguments(
        evaluation, tokens,
        &(struct argument_walk){.site = site,
                                .count = count.cause ? 0 : count.value});
  }
}
