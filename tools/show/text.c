/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sections that were asked for. One that is alone has no title: other
 * programs can read on from it.
 */
#include <inttypes.h>

#include "functions.h"
#include "lines.h"
#include "overview.h"

struct page {
  FILE *stream;
  struct shown *shown;
  const struct wishes *wishes;
  const struct part *part;
  bool titles;
  unsigned count; /* of titles */
};

static void title(struct page *page, const char *text) {
  if (!page->titles)
    return;
  fprintf(page->stream, "%s%s:\n", page->count++ ? "\n" : "", text);
}

static void show_covered(struct page *page) {
  const struct functions_list functions = page->shown->functions;
  title(page, "functions that ran");
  for (size_t i = 0; i < functions.count; i++)
    if (function_ran(functions.list[i], page->part) &&
        name_wished(functions.list[i], page->wishes)) {
      put_name(page->stream, functions.list[i]->name);
      fputc('\n', page->stream);
    }
}

/* How many sites have how many values. */
static void show_sites(struct page *page) {
  const struct site_totals *sites = page->part->sites;
  title(page, "values of a site, and how many sites have so many");
  fputs("values       calls      memops     vtables\n", page->stream);
  for (uint32_t i = 0; i <= page->shown->ranking.most; i++)
    if (sites[0].of_size[i] || sites[1].of_size[i] || sites[2].of_size[i])
      fprintf(page->stream,
              "%6" PRIu32 "  %10" PRIu64 "  %10" PRIu64 "  %10" PRIu64 "\n", i,
              sites[0].of_size[i], sites[1].of_size[i], sites[2].of_size[i]);
}

static void show_cutoffs(struct page *page) {
  const struct summary *summary = &page->part->summary;
  title(page, "of the total, so much is counted in so few places");
  fprintf(page->stream, "%10s  %20s  %10s  %8s\n", "part", "counts from",
          "places", "of all");
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    const struct summary_cutoff *cutoff = &summary->cutoffs[i];
    double of_all = summary->blocks ? 100.0 * (double)cutoff->blocks /
                                          (double)summary->blocks
                                    : 0;
    fprintf(page->stream, "%8.4f %%  %20" PRIu64 "  %10" PRIu64 "  %6.2f %%\n",
            cutoff->cutoff / 10000.0, cutoff->least, cutoff->blocks, of_all);
  }
}

static void show_traces(struct page *page) {
  const struct profile *profile = page->shown->profile;
  title(page, "order of first calls");
  if (!profile->trace_count)
    fputs("no traces\n", page->stream);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct trace *trace = &profile->traces[i];
    fprintf(page->stream,
            "trace %zu of %zu (runs: %" PRIu64 "), weight %" PRIu64
            ", %zu functions\n",
            i + 1, profile->trace_count, profile->trace_stream, trace->weight,
            trace->count);
    for (size_t j = 0; j < trace->count; j++) {
      const char *name =
          reference_name(&page->shown->names, trace->functions[j]);
      fprintf(page->stream, "%5zu  ", j + 1);
      put_name(page->stream, name ? name : "(not in this profile)");
      fputc('\n', page->stream);
    }
  }
}

static void show_ids(struct page *page) {
  const struct buffer *all = &page->shown->profile->ids;
  const struct bytes *ids = (const void *)all->data;
  title(page, "build ids");
  for (size_t i = 0; i < all->size / sizeof *ids; i++) {
    show_id(page->stream, ids[i]);
    fputc('\n', page->stream);
  }
  if (!all->size && page->titles)
    fputs("none\n", page->stream);
}

static void show_part(struct page *page) {
  const struct wishes *wishes = page->wishes;
  if (wishes->covered)
    show_covered(page);
  if (wishes->hottest) {
    title(page, "hottest functions");
    show_hottest(page->stream, page->shown, page->part, wishes->hottest);
  }
  if (wish_functions(wishes)) {
    title(page, wishes->hot ? "hot functions" : "functions");
    show_functions(page->stream, page->shown, page->part, wishes);
  }
  if (wishes->values)
    show_sites(page);
  if (wishes->cutoffs)
    show_cutoffs(page);
}

void show_profile_text(FILE *stream, struct shown *shown,
                       const struct wishes *wishes) {
  struct page page = {.stream = stream, .shown = shown, .wishes = wishes};
  int i = -1;
  if (!wish_any(wishes)) {
    show_overview(stream, shown, wishes);
    return;
  }
  page.titles = wish_functions(wishes) + wishes->values + wishes->covered +
                    wishes->cutoffs + wishes->traces + wishes->ids +
                    (wishes->hottest != 0) >
                1;
  while ((page.part = part_next(shown, wishes, &i)))
    show_part(&page);
  if (wishes->traces)
    show_traces(&page);
  if (wishes->ids)
    show_ids(&page);
}
