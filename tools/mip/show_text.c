/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile as a table. Columns that its type has nothing for are left out.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/error.h"
#include "rank.h"
#include "show.h"

/* Edges of each function begin here. */
struct table {
  struct mip_view *view;
  size_t edge;
};

static void put_line(struct mip_view *view, const char *path, unsigned line) {
  fputs("  ", view->stream);
  put_printable(view->stream, path);
  fprintf(view->stream, ":%u", line);
}

static void put_place(struct mip_view *view, int64_t distance) {
  const char *path;
  unsigned line;
  if (mip_line(&view->places, distance, &path, &line))
    put_line(view, path, line);
}

static void put_head(const struct mip_view *view) {
  const struct mip_profile *profile = &view->profile;
  if (mip_has_counts(profile))
    fprintf(view->stream, "%12s", "calls");
  fprintf(view->stream, "%6s", "runs");
  if (profile->type & MIP_TIMES)
    fprintf(view->stream, "%9s", "order");
  if (profile->type & MIP_BLOCKS)
    fprintf(view->stream, "%10s", "blocks");
  fprintf(view->stream, "%16s%8s  function\n", "address", "bytes");
}

/* The entry is a block, too. */
static void put_blocks_count(FILE *stream,
                             const struct mip_function *function) {
  char text[32];
  uint64_t ran = function->runs != 0;
  for (uint32_t i = 0; i < function->block_count; i++)
    ran += function->blocks[i].covered;
  snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, ran,
           (uint64_t)function->block_count + 1);
  fprintf(stream, "%10s", text);
}

static void put_function(struct mip_view *view,
                         const struct mip_function *function) {
  const struct mip_profile *profile = &view->profile;
  char address[MIP_ADDRESS_ROOM];
  const char *path;
  unsigned line;
  FILE *stream = view->stream;
  if (mip_has_counts(profile))
    fprintf(stream, "%12" PRIu64, function->calls);
  fprintf(stream, "%6" PRIu32, function->runs);
  if (profile->type & MIP_TIMES && mip_rank(function) > 0)
    fprintf(stream, "%9.1f", mip_rank(function));
  else if (profile->type & MIP_TIMES)
    fprintf(stream, "%9s", "-");
  if (profile->type & MIP_BLOCKS)
    put_blocks_count(stream, function);
  fprintf(stream, "%16s%8" PRIu32 "  ",
          mip_address_text(&view->places, function->address, address),
          function->size);
  put_printable(stream, function->name);
  if (mip_function_line(&view->places, function, &path, &line))
    put_line(view, path, line);
  fputc('\n', stream);
}

static void put_blocks(struct mip_view *view,
                       const struct mip_function *function) {
  for (uint32_t i = 0; i < function->block_count; i++) {
    const struct mip_block *block = &function->blocks[i];
    fprintf(view->stream, "        block +0x%" PRIx32 "  %s", block->offset,
            block->covered ? "ran" : "did not run");
    put_place(view, function->address + block->offset);
    fputc('\n', view->stream);
  }
}

static void put_edge(struct mip_view *view, const struct mip_edge *edge) {
  char address[MIP_ADDRESS_ROOM];
  const char *name = mip_caller(&view->places, edge->from);
  fprintf(view->stream, "        %" PRIu64 " from %s", edge->count,
          mip_address_text(&view->places, edge->from, address));
  if (name) {
    fputs(" in ", view->stream);
    put_printable(view->stream, name);
  }
  put_place(view, mip_call_of(edge->from));
  fputc('\n', view->stream);
}

static void put_edges(struct table *table, uint32_t number, bool shown) {
  const struct mip_profile *profile = &table->view->profile;
  for (; table->edge < profile->edge_count &&
         profile->edges[table->edge].callee == number;
       table->edge++)
    if (shown)
      put_edge(table->view, &profile->edges[table->edge]);
}

const char *mip_show_text(struct mip_view *view, const char *text) {
  const struct mip_profile *profile = &view->profile;
  struct table table = {view, 0};
  put_head(view);
  for (uint32_t i = 0; i < profile->function_count; i++) {
    const struct mip_function *function = &profile->functions[i];
    bool shown = strstr(function->name, text);
    if (shown)
      put_function(view, function);
    /* Of those that did not run, no block did. */
    if (shown && function->runs && profile->type & MIP_BLOCKS)
      put_blocks(view, function);
    put_edges(&table, i, shown);
  }
  if (profile->lost)
    fprintf(view->stream,
            "%" PRIu64 " calls found no room in the target's table\n",
            profile->lost);
  return NULL;
}
