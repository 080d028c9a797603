/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip edges: prints the dynamic call graph of a .mip profile, as text
 * or for Graphviz. Calls through pointers are included.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/text.h"
#include "../mip/mip_view.h"
#include "commands.h"

struct arguments {
  struct mip_view view;
  bool sites, dot;
};

struct call_graph_edge {
  const char *caller, *callee;
  uint64_t count;
  int64_t from; /* the return address in the caller */
};

/* Returns a copy of the caller's name. If the caller is unknown, returns the
 * return address as text. */
static char *copy_caller_name(struct mip_view *view, int64_t from,
                              struct arena *arena) {
  char text[MIP_ADDRESS_ROOM];
  const char *name = mip_caller_name(&view->locator, from);
  if (!name)
    name = mip_format_address(&view->locator, from, text);
  return need_copy(arena, name);
}

static int compare_edge_names(const void *left, const void *right) {
  const struct call_graph_edge *a = left, *b = right;
  int order = strcmp(a->caller, b->caller);
  if (!order)
    order = strcmp(a->callee, b->callee);
  return order ? order : (a->from > b->from) - (a->from < b->from);
}

static int compare_edge_counts(const void *left, const void *right) {
  const struct call_graph_edge *a = left, *b = right;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return compare_edge_names(left, right);
}

static size_t sort_and_merge_edges(struct call_graph_edge *list, size_t count,
                                   bool sites) {
  size_t kept = 0;
  qsort(list, count, sizeof *list, compare_edge_names);
  for (size_t i = 0; i < count; i++)
    if (!sites && kept && !strcmp(list[kept - 1].caller, list[i].caller) &&
        !strcmp(list[kept - 1].callee, list[i].callee))
      list[kept - 1].count = add_saturated(list[kept - 1].count, list[i].count);
    else
      list[kept++] = list[i];
  qsort(list, kept, sizeof *list, compare_edge_counts);
  return kept;
}

/* ---- as text ---- */

static void print_edge(struct mip_view *view,
                       const struct call_graph_edge *edge, bool sites) {
  const char *path;
  unsigned line;
  char address[MIP_ADDRESS_ROOM];
  fprintf(view->stream, "%12" PRIu64 "  ", edge->count);
  print_printable(view->stream, edge->caller);
  fputs(" -> ", view->stream);
  print_printable(view->stream, edge->callee);
  if (sites)
    fprintf(view->stream, "  %s",
            mip_format_address(&view->locator, edge->from, address));
  if (sites && mip_find_line(&view->locator, mip_call_address(edge->from),
                             &path, &line)) {
    fputs("  ", view->stream);
    print_printable(view->stream, path);
    fprintf(view->stream, ":%u", line);
  }
  fputc('\n', view->stream);
}

static void print_dot_edge(struct mip_view *view,
                           const struct call_graph_edge *edge) {
  fputs("  ", view->stream);
  json_print_string(view->stream, edge->caller);
  fputs(" -> ", view->stream);
  json_print_string(view->stream, edge->callee);
  fprintf(view->stream, " [label=\"%" PRIu64 "\"];\n", edge->count);
}

/* ---- the command ---- */

static void print_edge_notes(const struct mip_view *view, const char *mark) {
  if (view->profile.type & MIP_SAMPLED)
    fprintf(view->stream, "%scounts are estimates from samples\n", mark);
  if (view->profile.lost)
    fprintf(view->stream,
            "%scalls that found no room in the target's table: %" PRIu64 "\n",
            mark, view->profile.lost);
}

static void print_edges(struct mip_view *view,
                        const struct arguments *arguments,
                        const struct call_graph_edge *list, size_t count) {
  if (arguments->dot)
    fputs("digraph calls {\n", view->stream);
  for (size_t i = 0; i < count; i++)
    if (arguments->dot)
      print_dot_edge(view, &list[i]);
    else
      print_edge(view, &list[i], arguments->sites);
  print_edge_notes(view, arguments->dot ? "  // " : "# ");
  if (arguments->dot)
    fputs("}\n", view->stream);
}

static const char *print_call_graph(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  const struct mip_profile *profile = &view->profile;
  struct arena arena = {.limit = (size_t)1 << 32};
  struct call_graph_edge *list =
      need_memory(malloc((profile->edge_count + 1) * sizeof *list));
  for (size_t i = 0; i < profile->edge_count; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    list[i] = (struct call_graph_edge){
        copy_caller_name(view, edge->from, &arena),
        profile->functions[edge->callee].name, edge->count, edge->from};
  }
  print_edges(
      view, arguments, list,
      sort_and_merge_edges(list, profile->edge_count, arguments->sites));
  arena_free(&arena);
  free(list);
  return NULL;
}

static int run_mip_edges(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.sites = false};
  char **files = options_parse(command, argc, argv, &arguments);
  return mip_view_show_profile(&arguments.view, *files, print_call_graph,
                               &arguments);
}

static const struct option_row options[] = {
    {"sites", 's', NULL, "list each call site separately",
     OPTION(struct arguments, sites)},
    {"dot", 'd', NULL, "print a graph for Graphviz dot",
     OPTION(struct arguments, dot)},
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_edges = {
    .name = "mip edges",
    .summary = "list callers and callees with counts, as text or DOT",
    .examples = "bareprof mip edges run.mip",
    .usage = "P.mip [options]",
    .about =
        "Lists callers and callees with the number of calls, most calls first. "
        "The caller is the function that contains the return address of the "
        "call; bareprof looks the address up in the profile, and otherwise in "
        "the ELF. If no function contains the return address, the list shows "
        "the address. For a tail call, the return address is where the called "
        "function returns to. If calls did not fit into the table on the "
        "target, the last line says how many.",
    RUNS(run_mip_edges, options, 1, 1, "one profile")};
