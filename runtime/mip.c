/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw section of Machine IR Profile is RAM with a few bytes for each
 * function. This file sets the section to its initial value, checks the
 * section, and writes it to a sink. Sleds, the first instructions of functions,
 * and the helpers that sleds call (arch/mip_*.S) count in the section.
 * bareprof_mip.h documents the functions; mip_edges.c counts calls by call
 * site.
 */
#include "mip.h"

#include "image.h"
#include "shared.h"

/* Frees an entry of the table of edges. An edge counts the calls of one
 * function from one call site. Once the return address is 0, no search finds
 * the entry, so an interrupt between the stores uses another entry. Once the
 * callee is 0, the entry is free. */
static void clear_edge(volatile struct bareprof_mip_call *edge) {
  edge->return_address = 0;
  edge->count = 0;
  edge->callee = 0;
}

void bareprof_mip_fill_header(uint32_t header[BAREPROF_MIP_HEADER / 4]) {
  const struct bareprof_mip *mip = &bareprof_mip;
  const volatile struct bareprof_mip_unit *unit =
      mip->built ? mip->built : mip->unit;
  header[0] = BAREPROF_MIP_MAGIC;
  header[1] = BAREPROF_MIP_FILE(BAREPROF_MIP_RAW);
  header[2] = unit->profile_type;
  header[3] = unit->module_hash;
  header[4] = bareprof_build_id_hash();
  header[5] = BAREPROF_MIP_HEADER;
}

void bareprof_mip_reset(void) {
  const struct bareprof_mip *mip = &bareprof_mip;
  uintptr_t at = (uintptr_t)mip->begin;
  uint32_t header[BAREPROF_MIP_HEADER / 4];
  if (mip->begin == mip->end)
    return;
  bareprof_mip_fill_header(header);
  for (unsigned i = 0; i < BAREPROF_MIP_HEADER / 4; i += 2, at += 8)
    fill_word(at, header[i], header[i + 1], 0);
  /* The first half of each word, the count, is stored after the second half,
   * the time, so that no interrupt leaves a count without a time. */
  for (; at < (uintptr_t)mip->end; at += 8)
    fill_word(at, UINT32_MAX, UINT32_MAX, 0);
  if (mip->time)
    *mip->time = 1;
  if (mip->edges) {
    const struct bareprof_mip_edges *edges = mip->edges;
    *edges->lost = 0;
    for (size_t i = 0; i < edges->count; i++)
      clear_edge(&edges->table[i]);
  }
}

void bareprof_mip_init(void) { bareprof_mip_reset(); }

int bareprof_mip_check(void) {
  const struct bareprof_mip *mip = &bareprof_mip;
  uint32_t header[BAREPROF_MIP_HEADER / 4];
  if (mip->begin == mip->end)
    return mip->end ? BAREPROF_E_EMPTY : BAREPROF_E_NO_BOUNDS;
  bareprof_mip_fill_header(header);
  return __builtin_memcmp(mip->begin, header, sizeof header)
             ? BAREPROF_E_NOT_INIT
             : 0;
}

int bareprof_mip_write(const struct bareprof_sink *sink) {
  const struct bareprof_mip *mip = &bareprof_mip;
  int error = bareprof_mip_check();
  if (error)
    return error;
  error =
      sink->write(sink->context, mip->begin, (size_t)(mip->end - mip->begin));
  if (!error && mip->edges)
    error = mip->edges->write(sink);
  return bareprof_sink_error(error);
}

size_t bareprof_mip_size(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {bareprof_count_bytes, &size};
  return bareprof_mip_write(&sink) ? 0 : size;
}
