/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files of probe/ share these declarations: the symbol names of
 * probe_read.c, and the tree of probe_lower.c.
 */
#ifndef PROBE_PROBE_INSIDE_H
#define PROBE_PROBE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/storage.h"
#include "probe.h"

/* The largest size of a section, and the most probes, that are read. */
enum { PROBE_SECTION_MOST = 1 << 28, PROBE_COUNT_MOST = 1 << 25 };

/* ---- probe_read.c ---- */

/* A symbol that names code, for searches by GUID. */
struct symbol_by_guid {
  uint64_t guid, address;
  const char *name;
  uint32_t number; /* index in the symbol table */
  /* Only the first entry of each GUID uses these members. */
  uint32_t count; /* number of symbols with this GUID */
  uint32_t last;  /* index of the last symbol in the symbol table with this
                     GUID, counted from 0 among the symbols of the GUID */
  uint32_t taken; /* number of records that were placed at a symbol with this
                     GUID */
};

/* Returns the first symbol with a GUID, in order of address, or NULL. The other
 * symbols with this GUID follow the first one in memory. */
struct symbol_by_guid *probe_find_guid_symbols(const struct probes *probes,
                                               uint64_t guid);

/* The layout of the section .pseudo_probe. */
struct probe_layout {
  unsigned encoding;
  unsigned pointer; /* size of a pointer in bytes: 4 or 8 */
  bool big;
};

/* ---- probe_lower.c: the tree ----
 *
 * This part puts probes into the order of .pseudo_probe. Each function with
 * code has a body, which is called a record. Each function that was inlined
 * into a body has a body inside it.
 *
 *     struct probe_tree tree;
 *     probe_tree_init(&tree);
 *     number = probe_tree_find_or_add_body(&tree, &body);    outermost first
 *     probe_tree_add_probe(&tree, number, probe);     for each probe
 *     error = probe_tree_walk(&tree, &visitor);
 *     probe_tree_free(&tree);
 */

#define PROBE_NO_BODY UINT32_MAX

/* A function with code, or a function inlined at one call site. */
struct probe_body {
  uint64_t guid;
  uint32_t parent;              /* number of the body around this body;
                                   PROBE_NO_BODY if this body is a record */
  uint32_t site, discriminator; /* call site in the body around this body; in a
                                   record, a number that the caller chooses to
                                   sort the records */
  /* probe_tree_walk sets the next members. */
  uint32_t first, count;       /* range of the body's probes */
  uint32_t child, child_count; /* range of the bodies inside this body, in the
                                  order of the walk */
};

/* The bodies and their probes, which probe_tree_free frees. */
struct probe_tree {
  struct buffer bodies, probes;
  struct map numbers; /* map from the MD5 of a body's content to the number of
                         the body */
  uint32_t probe_count;
};

void probe_tree_init(struct probe_tree *tree);

/* Returns the number of an equal body. If there is none, adds this body. */
uint32_t probe_tree_find_or_add_body(struct probe_tree *tree,
                                     const struct probe_body *body);

/* Adds a probe to a body. The caller chooses the probe's number. */
void probe_tree_add_probe(struct probe_tree *tree, uint32_t body,
                          uint32_t probe);

/* The functions that the walk calls in the order of the file: for a body, then
 * for its probes in the order in which they were added. The bodies inside
 * follow, sorted by GUID and site.
 */
struct probe_visitor {
  void *context;
  const char *(*body)(void *context, const struct probe_body *body);
  const char *(*probe)(void *context, uint32_t probe);
};
const char *probe_tree_walk(struct probe_tree *tree,
                            const struct probe_visitor *visitor);

void probe_tree_free(struct probe_tree *tree);

#endif
