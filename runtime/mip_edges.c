/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts calls by call site. An edge is a callee and a return address, and has
 * a count. The helpers bareprof_mip_edge and bareprof_mip_edge_index call
 * bareprof_mip_call for each call; mip.c writes the edges after the raw
 * section. mip_edges.h has the table.
 */
#include "mip_edges.h"

/* `raw` points to the count and the time of the called function, `from` is the
 * return address. */
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from);
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from) {
  const struct bareprof_mip_edges *edges = &hook_mip_edges;
  number_first_call(raw);
  add_to_call_count(raw, 1);
  if (edges) {
    volatile uint32_t *count = find_or_add_edge(edges, raw, from);
    add_to_call_count(count ? count : edges->lost, 1);
  }
}

/* ---- the file of edges ----
 *
 * The header has the same fields as the header of a raw section:
 *
 *   24 bytes  header, of file type 4
 *   u32       entries
 *   u32       calls that found no entry; 2^32 - 2 means this many or more
 *   then for each entry, in any order
 *   u32       offset of the callee's bytes in the raw section
 *   i32       return address minus the address of the raw section
 *   u32       calls; entries of the same edge add up
 *   zeros up to a multiple of 8
 *
 * The file follows the raw section at a multiple of 8. Return addresses lack
 * bit 0, which marks Thumb state on Arm. */

static int put_bytes(const struct bareprof_sink *sink, const void *bytes,
                     size_t size) {
  return size ? sink->write(sink->context, bytes, size) : 0;
}

/* Returns how many entries are in use. No entry becomes free while the file is
 * written, so put_edge_entries finds at least this many. */
static uint32_t count_used_edges(const struct bareprof_mip_edges *edges) {
  uint32_t count = 0;
  for (size_t i = 0; i < edges->count; i++)
    count += edges->table[i].count != 0;
  return count;
}

/* Sends `count` used entries, or fewer if the table has fewer. Addresses become
 * distances from the raw section, as the host expects. */
static int put_edge_entries(const struct bareprof_sink *sink,
                            const struct bareprof_mip_edges *edges,
                            uint32_t count) {
  uint32_t begin = (uint32_t)(uintptr_t)bareprof_mip.begin;
  const struct bareprof_mip_call *at = edges->table;
  const struct bareprof_mip_call *end = at + edges->count;
  int error = 0;
  for (; count && at != end && !error; at++) {
    struct bareprof_mip_call edge = *at;
    if (edge.count == 0)
      continue;
    edge.callee -= begin;
    edge.return_address -= begin;
    error = put_bytes(sink, &edge, sizeof edge);
    count--;
  }
  return error;
}

int bareprof_mip_edges_write(const struct bareprof_sink *sink) {
  static const uint32_t zeros[2];
  const struct bareprof_mip *mip = &bareprof_mip;
  uint32_t head[BAREPROF_MIP_HEADER / 4 + 2];
  size_t size = (size_t)(mip->end - mip->begin);
  uint32_t count = count_used_edges(mip->edges);
  bareprof_mip_fill_header(head);
  head[1] = BAREPROF_MIP_FILE(BAREPROF_MIP_RET);
  head[BAREPROF_MIP_HEADER / 4] = count;
  head[BAREPROF_MIP_HEADER / 4 + 1] = *mip->edges->lost;
  int error = put_bytes(sink, zeros, -size & 7);
  if (!error)
    error = put_bytes(sink, head, sizeof head);
  if (!error)
    error = put_edge_entries(sink, mip->edges, count);
  return error ? error : put_bytes(sink, zeros, 4 * (count & 1));
}
