/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared by the readers and by lower.c.
 */
#ifndef PROBE_PROBE_INSIDE_H
#define PROBE_PROBE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/storage.h"
#include "probe.h"

/* The largest size of a section, and the most probes. */
enum { PROBE_SECTION_MOST = 1 << 28, PROBE_COUNT_MOST = 1 << 25 };

struct probe_name {
  uint64_t guid, address;
  const char *name;
  uint32_t number; /* in the symbol table */
  /* Of the first of a GUID: */
  uint32_t count; /* symbols of the same */
  uint32_t last;  /* the last of these in the symbol table, from 0 */
  uint32_t taken; /* records that got one of these symbols */
};

/* The first symbol of a GUID, by address, or NULL: there is none. */
struct probe_name *probe_names_find(const struct probes *probes, uint64_t guid);

/* Reads the section .pseudo_probe, once there are symbols. */
struct probe_layout {
  unsigned encoding;
  unsigned pointer; /* bytes: 4 or 8 */
  bool big;
};

/* ---- lower.c: the tree ----
 *
 * Probes in the order of .pseudo_probe: a body for each function with code,
 * inside it a body for each function inlined there, and so on.
 *
 *     struct probe_tree tree;
 *     probe_tree_new(&tree);
 *     error = probe_tree_body(&tree, &body, &number);  of each, outermost first
 *     error = probe_tree_add(&tree, number, probe);    of each probe
 *     error = probe_tree_walk(&tree, &visitor);
 *     probe_tree_free(&tree);
 *
 * The functions return NULL or the error.
 */

#define PROBE_NO_BODY UINT32_MAX

struct probe_body {
  uint64_t guid;
  uint32_t parent;              /* PROBE_NO_BODY: this is a whole record */
  uint32_t site, discriminator; /* where in the parent; of a record, a number
                                   of the caller's: records come by it */
  /* Made by the walk. */
  uint32_t first, count;       /* of its probes */
  uint32_t child, child_count; /* in the order of the walk */
};

struct probe_tree {
  struct buffer bodies, probes;
  struct map numbers; /* of bodies, by their MD5 */
  uint32_t probe_count;
};

void probe_tree_new(struct probe_tree *tree);

/* Returns the number of an equal body, or of a new one. */
const char *probe_tree_body(struct probe_tree *tree,
                            const struct probe_body *body, uint32_t *number);

/* A probe is a number of the caller's. */
const char *probe_tree_add(struct probe_tree *tree, uint32_t body,
                           uint32_t probe);

/* Calls come in the order of the file: a body, its probes in the order of
 * addition, the bodies inside it by GUID and site. */
struct probe_visitor {
  void *context;
  const char *(*body)(void *context, const struct probe_body *body);
  const char *(*probe)(void *context, uint32_t probe);
};
const char *probe_tree_walk(struct probe_tree *tree,
                            const struct probe_visitor *visitor);

void probe_tree_free(struct probe_tree *tree);

#endif
