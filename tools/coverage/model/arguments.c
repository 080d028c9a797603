/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file computes how often the arguments of macros were evaluated. clang
 * counts them as often as the macro, also if the macro's text has them in an
 * `if` that was never true. The definition says where the parameters are, and
 * the regions of the macro's text say how often that place ran. If the macro
 * passes the parameter to another macro, that macro's regions say it.
 */
#include "evaluation.h"

#include "../../base/compare.h"

enum { NEST_MOST = 8, SEARCH_STEPS = 64 /* of the searches for a use */ };

/* An argument of a macro. */
struct macro_argument {
  uint32_t file;  /* the file of the function that has the macro's text */
  uint32_t index; /* index of the argument */
};

/* Returns the first region of a file. Sets *end to the first region of the next
 * file. */
static const struct region *find_regions(struct evaluation *evaluation,
                                         uint32_t file,
                                         const struct region **end) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *all = mapping->regions;
  *end = all + search_after(all, mapping->region_count, file, file);
  return all + search_from(all, mapping->region_count, file, file);
}

/* Sets *count to the count of the innermost code region of a file at a
 * position. Regions of an argument's own code, such as the arms of a `?:`, have
 * the span of the parameter, so the highest count of a span is the argument's.
 * Returns whether there is a region and the count is known. */
static bool find_count_at(struct evaluation *evaluation, uint32_t file,
                          uint64_t place, uint64_t *count) {
  const struct region *last, *at = find_regions(evaluation, file, &last);
  uint64_t begin = 0, end = UINT64_MAX;
  bool known = false;
  *count = 0;
  if (!evaluation_use_steps(evaluation, SEARCH_STEPS + (uint64_t)(last - at)))
    return false;
  for (; at != last; at++) {
    uint64_t from = position_sort_key(at->begin);
    uint64_t to = position_sort_key(at->end);
    if (at->kind != REGION_CODE || from > place || to <= place ||
        from < begin || (from == begin && to > end))
      continue;
    struct corrected_count one =
        constexpr_find_count(evaluation, at, at->counter);
    if (from != begin || to != end) {
      known = true;
      *count = 0;
    }
    known = known && !one.cause;
    *count = one.value > *count ? one.value : *count;
    begin = from;
    end = to;
  }
  return known;
}

static const struct region *find_expansion_at(struct evaluation *evaluation,
                                              uint32_t file, uint64_t place) {
  const struct region *end, *at = find_regions(evaluation, file, &end);
  while (at != end && (at->kind != REGION_EXPANSION ||
                       position_sort_key(at->begin) != place))
    at++;
  return at != end ? at : NULL;
}

/* Returns the definition that a file is the text of, or NULL. */
static const struct macro_definition *
find_definition(struct evaluation *evaluation,
                const struct source_tokens *tokens, uint32_t file) {
  const struct macro_definition *list = (const void *)tokens->macros.data;
  const struct region *end, *first = find_regions(evaluation, file, &end);
  if (first == end || !tokens->macros.size)
    return NULL;
  uint64_t place = position_sort_key(first->begin);
  size_t count = tokens->macros.size / sizeof *list;
  size_t at = search_from(list, count, begin, place + 1);
  return at && list[at - 1].end >= place ? &list[at - 1] : NULL;
}

static bool find_argument_count(struct evaluation *evaluation,
                                struct macro_argument argument, unsigned depth,
                                uint64_t *count);

/* Sets *count to how often a use of a parameter was evaluated. `use` is the
 * first of the uses at its place. Returns whether that is known. */
static bool find_use_count(struct evaluation *evaluation,
                           struct macro_argument argument, uint32_t more,
                           const struct parameter_use *use, unsigned depth,
                           uint64_t *count) {
  if (!find_count_at(evaluation, argument.file, use->place, count))
    return false;
  for (; use->call; use++) {
    const struct region *site =
        find_expansion_at(evaluation, argument.file, use->call);
    uint64_t inner;
    if (!site)
      continue;
    struct macro_argument nested = {site->expanded, use->argument + more};
    if (find_argument_count(evaluation, nested, depth + 1, &inner) &&
        inner < *count)
      *count = inner;
    break;
  }
  return true;
}

/* Sets *count to how often an argument was evaluated: the highest count of its
 * uses. Returns whether that is known. */
static bool find_argument_count(struct evaluation *evaluation,
                                struct macro_argument argument, unsigned depth,
                                uint64_t *count) {
  const struct source_tokens *tokens =
      depth < NEST_MOST ? evaluation_find_tokens(evaluation, argument.file)
                        : NULL;
  const struct macro_definition *macro =
      tokens ? find_definition(evaluation, tokens, argument.file) : NULL;
  if (!macro)
    return false;
  bool more = argument.index >= macro->parameter_count;
  uint32_t parameter = more ? macro->parameter_count : argument.index;
  const struct parameter_use *use =
      (const struct parameter_use *)(void *)tokens->uses.data + macro->first;
  const struct parameter_use *end = use + macro->count;
  bool used = false;
  *count = 0;
  for (uint64_t place = 0; use != end; place = use++->place) {
    uint64_t one;
    if (use->parameter != parameter || use->place == place)
      continue;
    if (!find_use_count(evaluation, argument,
                        more ? argument.index - parameter : 0, use, depth,
                        &one))
      return false;
    *count = one > *count ? one : *count;
    used = true;
  }
  return used;
}

/* The arguments of a use of a macro, from its bracket. */
struct argument_walk {
  const struct region *site;
  uint64_t count; /* how often the macro ran */
  const struct source_token *first, *last; /* of the current argument */
  uint32_t index;
};

/* Adds the current argument, if it is in later lines than the macro's name. */
static void end_argument(struct evaluation *evaluation,
                         struct argument_walk *walk) {
  uint64_t count;
  const struct source_token *first = walk->first, *last = walk->last;
  if (first && (uint32_t)(last->place >> 32) > walk->site->begin.line &&
      find_argument_count(
          evaluation,
          (struct macro_argument){walk->site->expanded, walk->index}, 0,
          &count) &&
      count != walk->count) {
    const struct model_region made = {
        .span = {(uint32_t)(first->place >> 32), (uint32_t)first->place,
                 (uint32_t)(last->place >> 32),
                 (uint32_t)last->place + last->size},
        .count = count,
        .file = walk->site->file,
        .kind = MODEL_CODE,
        .added = 1};
    evaluation_append(evaluation, &evaluation->out->regions, &made,
                      sizeof made);
  }
  walk->first = NULL;
  walk->index++;
}

static void add_arguments(struct evaluation *evaluation,
                          const struct source_tokens *tokens,
                          struct argument_walk *walk) {
  const struct source_token *list = (const void *)tokens->list.data;
  const struct source_comma *commas = (const void *)tokens->commas.data;
  size_t count = tokens->list.size / sizeof *list, depth = 0;
  size_t comma_count = tokens->commas.size / sizeof *commas;
  uint64_t place = position_sort_key(walk->site->begin);
  size_t at = search_from(list, count, place, place) + 1;
  if (at >= count || list[at - 1].place != place ||
      list[at].kind != TOKEN_OPENS)
    return;
  size_t k = search_from(commas, comma_count, place, place);
  for (; at < count && evaluation_use_steps(evaluation, 1); at++) {
    const struct source_token *token = &list[at];
    for (; k < comma_count && commas[k].place < token->place; k++)
      if (depth == 1)
        end_argument(evaluation, walk);
    depth += token->kind == TOKEN_OPENS;
    depth -= token->kind == TOKEN_CLOSES;
    if (!depth)
      break;
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
    if (count.value && !count.cause)
      add_arguments(evaluation, tokens,
                    &(struct argument_walk){.site = site,
                                            .count = count.value});
  }
}
