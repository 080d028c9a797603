/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Edges, which count calls by call site: the rest of the helpers
 * bareprof_mip_edge.
 */
#include "mip_edges.h"

/* Not static: arch/mip_edge.S and mip_edge_index.S call it. raw: count and
 * time of a function. */
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from);
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from) {
  const struct bareprof_mip_edges *edges = &hook_mip_edges;
  note_first(raw);
  count_up(raw, 1);
  if (edges) {
    volatile uint32_t *count = find_edge(edges, raw, from);
    count_up(count ? count : edges->lost, 1);
  }
}
