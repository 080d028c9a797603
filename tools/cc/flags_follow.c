/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A flag is dropped by one of two rules. Forward: all ways from its place reach
 * places that come behind it on every way. Backward: all ways to its place come
 * through places from which all ways lead to it. The flag is set if one of
 * those is set. No call is in between, so a function that has called a dump,
 * or is left in a call, shows what it would show with all flags; and no way in
 * between goes in a circle, which could be without end.
 */
#include "flags_inside.h"
#include "ways.h"

/* A walk gives up behind so many nodes. */
enum { WALK_MOST = 4000, PLACES_MOST = 1 << 14 };

enum rule { TO_LATER, TO_ONE, TO_EARLIER };

struct walk {
  enum rule rule;
  uint32_t from, to;
};

struct frame {
  uint32_t node, arc;
};

/* The state of a node: of which walk, and whether the walk is still on a way
 * through it. */
struct seen {
  uint32_t walk;
  bool open;
};

struct follower {
  struct body *body;
  struct ways ways;
  struct seen *seen[2];
  struct frame *stacks[2];
  uint32_t walks;
  struct buffer hits; /* size_t: places */
};

static bool walk_all(struct follower *follower, const struct walk *walk);

static const struct flag_place *place_of(const struct follower *follower,
                                         uint32_t node) {
  uint32_t place = follower->ways.nodes[node].place;
  return place == WAY_NONE ? NULL : body_places(follower->body) + place;
}

/* Whether the walk ends well at a node. */
static bool is_hit(struct follower *follower, const struct walk *walk,
                   uint32_t node) {
  if (walk->rule == TO_ONE || node == walk->from)
    return walk->rule == TO_ONE && node == walk->to;
  const struct flag_place *place = place_of(follower, node);
  if (!place || place->dropped ||
      place->function != place_of(follower, walk->from)->function)
    return false;
  if (walk->rule == TO_LATER)
    return ways_dominate(&follower->ways, walk->from, node);
  const struct walk back = {TO_ONE, node, walk->from};
  return walk_all(follower, &back);
}

/* Whether the walk must not go through a node. */
static bool is_end(const struct follower *follower, const struct walk *walk,
                   uint32_t node) {
  const struct way_node *it = &follower->ways.nodes[node];
  bool last = walk->rule == TO_EARLIER ? it->in == it[1].in
                                       : it->out == it[1].out;
  return last || it->call || node == walk->from ||
         (walk->rule == TO_LATER &&
          !ways_dominate(&follower->ways, walk->from, node));
}

/* Enters a node: a hit, a node that is known, or a new one to go on from.
 * false: the walk fails. */
static bool enter(struct follower *follower, const struct walk *walk,
                  uint32_t number, uint32_t node, uint32_t *depth) {
  unsigned which = walk->rule == TO_ONE;
  struct seen *seen = &follower->seen[which][node];
  if (follower->ways.nodes[node].dominator == WAY_NONE)
    return true; /* no way leads here */
  if (seen->walk == number)
    return !seen->open;
  *seen = (struct seen){number, false};
  if (is_hit(follower, walk, node)) {
    size_t place = follower->ways.nodes[node].place;
    return which || !buffer_add(&follower->hits, &place, sizeof place);
  }
  if (is_end(follower, walk, node))
    return false;
  seen->open = true;
  const struct way_node *it = &follower->ways.nodes[node];
  follower->stacks[which][(*depth)++] =
      (struct frame){node, walk->rule == TO_EARLIER ? it->in : it->out};
  return true;
}

/* Whether all ways hit. Fills follower->hits, except by TO_ONE. */
static bool walk_all(struct follower *follower, const struct walk *walk) {
  const struct ways *ways = &follower->ways;
  unsigned which = walk->rule == TO_ONE;
  bool back = walk->rule == TO_EARLIER;
  uint32_t depth = 0, steps = 0, number = ++follower->walks;
  struct frame *stack = follower->stacks[which];
  const struct way_node *from = &ways->nodes[walk->from];
  if (!which)
    follower->hits.size = 0;
  if (back ? from->in == from[1].in : from->out == from[1].out)
    return false;
  stack[depth++] = (struct frame){walk->from, back ? from->in : from->out};
  while (depth && steps++ < WALK_MOST) {
    struct frame *top = &stack[depth - 1];
    const struct way_node *node = &ways->nodes[top->node];
    if (top->arc == (back ? node[1].in : node[1].out)) {
      follower->seen[which][top->node].open = false;
      depth--;
      continue;
    }
    uint32_t next = (back ? ways->before : ways->next)[top->arc++];
    if (!enter(follower, walk, number, next, &depth))
      return false;
  }
  return !depth && (which || follower->hits.size);
}

/* Drops the flag of a place, if it follows from others. */
static const char *try_drop(struct follower *follower, size_t number) {
  struct body *body = follower->body;
  struct flag_place *place = body_places(body) + number;
  uint32_t node = follower->ways.of_place[number];
  if (!place->function->follows || node == WAY_NONE ||
      follower->ways.nodes[node].dominator == WAY_NONE)
    return NULL;
  const struct walk later = {TO_LATER, node, node},
                    earlier = {TO_EARLIER, node, node};
  if (!walk_all(follower, &later) && !walk_all(follower, &earlier))
    return NULL;
  const struct buffer *hits = &follower->hits;
  place->dropped = true;
  place->from = body->from.size / sizeof(size_t);
  const char *error = buffer_append(&body->from, hits->data, hits->size);
  place->last = body->from.size / sizeof(size_t);
  return error ? error : buffer_append(&body->drops, &number, sizeof number);
}

static const char *drop_all(struct follower *follower) {
  const struct ways *ways = &follower->ways;
  const char *error = NULL;
  for (uint32_t i = 0; i < ways->count && !error; i++)
    if (ways->nodes[i].place != WAY_NONE)
      error = try_drop(follower, ways->nodes[i].place);
  return error;
}

/* Whether some function may lose flags. Its mapping says what follows. */
static bool any_follows(const struct body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++) {
    struct differences_of *function = body_places(body)[i].function;
    function->follows = function->alone && function->mapping.size;
    any |= function->follows;
  }
  return any;
}

const char *flags_follow(struct body *body) {
  struct follower follower = {.body = body, .hits = {.limit = FLAGS_MOST}};
  if (body->reader->keeps || body_place_count(body) > PLACES_MOST ||
      !any_follows(body))
    return NULL;
  const char *error = ways_make(&follower.ways, body);
  size_t count = follower.ways.count + 1;
  for (unsigned i = 0; i < 2 && !error; i++) {
    follower.seen[i] = calloc(count, sizeof *follower.seen[i]);
    follower.stacks[i] = malloc(count * sizeof *follower.stacks[i]);
    if (!follower.seen[i] || !follower.stacks[i])
      error = out_of_memory;
  }
  if (!error)
    error = drop_all(&follower);
  for (unsigned i = 0; i < 2; i++) {
    free(follower.seen[i]);
    free(follower.stacks[i]);
  }
  buffer_free(&follower.hits);
  ways_free(&follower.ways);
  return error;
}
