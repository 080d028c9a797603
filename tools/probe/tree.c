/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Bodies by hash, and once all are there, in order.
 */
#include "probe_inside.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"

struct site_placed {
  uint32_t body, probe;
};

void probe_tree_new(struct probe_tree *tree) {
  *tree = (struct probe_tree){.bodies = {.limit = (size_t)1 << 31},
                              .probes = {.limit = (size_t)1 << 31},
                              .numbers = {.limit = UINT32_MAX - 1}};
}

void probe_tree_free(struct probe_tree *tree) {
  buffer_free(&tree->bodies);
  buffer_free(&tree->probes);
  map_free(&tree->numbers);
}

/* ---- making ---- */

static uint64_t key_of(const struct probe_body *body) {
  unsigned char bytes[20];
  store64(bytes, body->guid, false);
  store32(bytes + 8, body->parent, false);
  store32(bytes + 12, body->site, false);
  store32(bytes + 16, body->discriminator, false);
  return md5_low64(bytes, sizeof bytes);
}

const char *probe_tree_body(struct probe_tree *tree,
                            const struct probe_body *body, uint32_t *number) {
  bool is_new;
  size_t place =
      map_number(&tree->numbers, (uint64_t[3]){key_of(body)}, &is_new);
  *number = (uint32_t)place - 1;
  return !place   ? out_of_memory
         : is_new ? buffer_append(&tree->bodies, body, sizeof *body)
                  : NULL;
}

const char *probe_tree_add(struct probe_tree *tree, uint32_t body,
                           uint32_t probe) {
  struct site_placed placed = {body, probe};
  tree->probe_count++;
  return buffer_append(&tree->probes, &placed, sizeof placed);
}

/* ---- the order of the file ---- */

static int bodies_by_place(const void *left, const void *right) {
  const struct probe_body *a = *(const struct probe_body *const *)left;
  const struct probe_body *b = *(const struct probe_body *const *)right;
  int order = compare_numbers(a->parent, b->parent);
  if (!order && a->parent == PROBE_NO_BODY)
    order = compare_numbers(a->site, b->site);
  if (!order)
    order = compare_numbers(a->guid, b->guid);
  if (!order)
    order = compare_numbers(a->site, b->site);
  return order ? order : compare_numbers(a->discriminator, b->discriminator);
}

struct tree_walk {
  struct probe_body *bodies;
  const struct probe_body **order; /* children of one parent together */
  uint32_t *probes;                /* those of one body together */
};

static void find_children(const struct probe_tree *tree,
                          struct tree_walk *walk) {
  for (uint32_t i = 0; i < tree->numbers.count; i++)
    walk->order[i] = &walk->bodies[i];
  sort(walk->order, tree->numbers.count, sizeof *walk->order, bodies_by_place);
  for (uint32_t i = 0; i < tree->numbers.count; i++) {
    if (walk->order[i]->parent == PROBE_NO_BODY)
      continue;
    struct probe_body *parent = &walk->bodies[walk->order[i]->parent];
    if (!parent->child_count++)
      parent->child = i;
  }
}

static void find_probes(const struct probe_tree *tree, struct tree_walk *walk) {
  const struct site_placed *placed =
      (const struct site_placed *)tree->probes.data;
  uint32_t first = 0;
  for (uint32_t i = 0; i < tree->probe_count; i++)
    walk->bodies[placed[i].body].count++;
  for (uint32_t i = 0; i < tree->numbers.count; i++) {
    walk->bodies[i].first = first;
    first += walk->bodies[i].count;
    walk->bodies[i].count = 0;
  }
  for (uint32_t i = 0; i < tree->probe_count; i++) {
    struct probe_body *body = &walk->bodies[placed[i].body];
    walk->probes[body->first + body->count++] = placed[i].probe;
  }
}

static const char *visit_body(const struct tree_walk *walk,
                              const struct probe_body *body,
                              const struct probe_visitor *visitor) {
  const char *error = visitor->body(visitor->context, body);
  for (uint32_t i = 0; !error && i < body->count; i++)
    error = visitor->probe(visitor->context, walk->probes[body->first + i]);
  return error;
}

/* One record; the stack has the children that are still to come. */
static const char *visit_record(const struct tree_walk *walk,
                                const struct probe_body *record,
                                const struct probe_visitor *visitor) {
  uint32_t next[PROBE_DEPTH_MOST + 1], end[PROBE_DEPTH_MOST + 1];
  unsigned depth = 0;
  const struct probe_body *body = record;
  for (;;) {
    const char *error = visit_body(walk, body, visitor);
    if (error)
      return error;
    if (depth == PROBE_DEPTH_MOST)
      return "it is inlined more than 1,000 deep; inline less";
    next[depth] = body->child;
    end[depth++] = body->child + body->child_count;
    while (depth && next[depth - 1] == end[depth - 1])
      depth--;
    if (!depth)
      return NULL;
    body = walk->order[next[depth - 1]++];
  }
}

const char *probe_tree_walk(struct probe_tree *tree,
                            const struct probe_visitor *visitor) {
  struct tree_walk walk = {.bodies = (struct probe_body *)tree->bodies.data};
  const char *error = NULL;
  walk.order = calloc(tree->numbers.count + (size_t)1, sizeof(void *));
  walk.probes = calloc(tree->probe_count + (size_t)1, sizeof *walk.probes);
  if (!walk.order || !walk.probes)
    error = out_of_memory;
  for (uint32_t i = 0; !error && i < tree->numbers.count; i++)
    walk.bodies[i].child_count = walk.bodies[i].count = 0;
  if (!error) {
    find_children(tree, &walk);
    find_probes(tree, &walk);
  }
  for (uint32_t i = 0; !error && i < tree->numbers.count; i++)
    if (walk.order[i]->parent == PROBE_NO_BODY)
      error = visit_record(&walk, walk.order[i], visitor);
  free(walk.order);
  free(walk.probes);
  return error;
}
