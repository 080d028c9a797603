/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text for people: an overview, or the sections that were asked for. One
 * that is alone has no title: other programs can read on from it.
 */
#include <inttypes.h>

#include "lines.h"
#include "shown.h"

/* ==== A line for each record, the name last:
 *       most      first  counters  hash                function
 *         33         12         2  0x0000000000000007  main
 * below it, what else was asked for. */

enum { DETAIL = 14, SUSPICIOUS_MOST = 3 };

/* ---- the table ---- */

struct table {
  int most, first, counters;
  bool hashes; /* some function has several records */
};

static int wider(int width, uint64_t number) {
  int digits = digits_of(number);
  return digits > width ? digits : width;
}

static uint64_t first_of(const struct row *row) {
  return row->counts->counter_count ? row->counts->counters[0] : 0;
}

static void table_widen(struct table *table, const struct row *row) {
  table->counters = wider(table->counters, row->counts->counter_count);
  table->hashes |= row->hashes > 1;
  if (pseudo_name(row->counts))
    return;
  table->most = wider(table->most, row->most);
  table->first = wider(table->first, first_of(row));
}

static const struct table narrow = {.most = 6, .first = 6, .counters = 8};

static void table_head(FILE *stream, const struct table *table) {
  fprintf(stream, "%*s  %*s  %*s  %-18s  %s%s\n", table->most, "most",
          table->first, "first", table->counters, "counters", "hash",
          table->hashes ? "hashes  " : "", "function");
}

static void table_row(FILE *stream, const struct table *table,
                      const struct row *row) {
  const struct counts *counts = row->counts;
  const char *pseudo = pseudo_name(counts);
  if (pseudo)
    fprintf(stream, "%*s  %*s", table->most, pseudo, table->first, "-");
  else
    fprintf(stream, "%*" PRIu64 "  %*" PRIu64, table->most, row->most,
            table->first, first_of(row));
  fprintf(stream, "  %*" PRIu32 "  0x%016" PRIx64 "  ", table->counters,
          counts->counter_count, counts->hash);
  if (table->hashes)
    fprintf(stream, "%6" PRIu32 "  ", row->hashes);
  put_name(stream, row->function->name);
  fputc('\n', stream);
}

/* ---- what a record has ---- */

static void show_suspicious(FILE *stream, const struct counts *counts) {
  struct line line = line_begin(stream, DETAIL, "    suspect");
  unsigned count = 0;
  for (uint32_t i = 0; i < counts->counter_count; i++)
    if (count_suspicious(counts->counters[i]) && ++count <= SUSPICIOUS_MOST)
      line_add(&line, "counter %" PRIu32 " is %" PRIu64, i,
               counts->counters[i]);
  if (count > SUSPICIOUS_MOST)
    line_add(&line, "and %u more", count - SUSPICIOUS_MOST);
  line_end(&line);
}

static void show_counters(FILE *stream, const struct counts *counts) {
  struct line line = line_begin(stream, DETAIL, "    counters");
  for (uint32_t i = 0; i < counts->counter_count; i++)
    line_add(&line, "%" PRIu64, counts->counters[i]);
  line_end(&line);
}

static void show_bitmap(FILE *stream, const struct counts *counts) {
  struct line line = line_begin(stream, DETAIL, "    bitmap");
  for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
    line_add(&line, "%02x", counts->more->bitmap[i]);
  line_end(&line);
}

static double percent(uint64_t part, double whole) {
  return whole > 0 ? 100 * (double)part / whole : 0;
}

static void show_value_of(FILE *stream, const struct shown *shown,
                          unsigned kind, struct value value) {
  if (kind == VALUE_MEMOPS) {
    fprintf(stream, "%" PRIu64 " bytes\n", value.value);
    return;
  }
  const char *name = reference_name(&shown->names, value.value);
  if (name)
    put_name(stream, name);
  else if (value.value)
    fprintf(stream, "(0x%016" PRIx64 ", not in this profile)", value.value);
  else
    fputs("(not in this profile)", stream);
  fputc('\n', stream);
}

static void show_site(FILE *stream, struct shown *shown,
                      const struct counts *counts, unsigned kind, uint32_t at) {
  static const char *const kinds[VALUE_KINDS] = {"call", "memop", "vtable"};
  const struct site *site = &counts->more->sites[kind][at];
  char label[40];
  double whole = 0;
  rank_values(&shown->ranking, site);
  for (uint32_t i = 0; i < site->count; i++)
    whole += (double)site->values[i].count;
  snprintf(label, sizeof label, "    %s %" PRIu32, kinds[kind], at);
  if (!site->count)
    fprintf(stream, "%-*s  (no values)\n", DETAIL, label);
  for (uint32_t i = 0; i < site->count; i++) {
    struct value value = shown->ranking.list[i].value;
    fprintf(stream, "%-*s  %10" PRIu64 "  %6.2f %%  ", DETAIL, i ? "" : label,
            value.count, percent(value.count, whole));
    show_value_of(stream, shown, kind, value);
  }
}

static void show_details(FILE *stream, struct shown *shown,
                         const struct row *row, const struct wishes *wishes) {
  const struct counts *counts = row->counts;
  if (row_suspicious(row))
    show_suspicious(stream, counts);
  if (wishes->counts && counts->counter_count && !pseudo_name(counts))
    show_counters(stream, counts);
  if (wishes->bitmaps && counts->more->bitmap_size)
    show_bitmap(stream, counts);
  for (unsigned kind = 0; wishes->values && kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      show_site(stream, shown, counts, kind, i);
}

/* ---- lists ---- */

/* Whether a row is in the list: of what was asked for, or of the hottest. */
static bool listed(const struct row *row, const struct part *part,
                   const struct wishes *wishes) {
  return wish_functions(wishes) ? row_wished(row, part, wishes)
                                : !pseudo_name(row->counts);
}

/* Returns how many there are; no more than that are listed. */
static uint64_t show_list(FILE *stream, struct shown *shown,
                          const struct part *part, const struct wishes *wishes,
                          uint64_t most) {
  struct table table = narrow;
  uint64_t count = 0, done = 0;
  for (size_t i = 0; i < part->listed && count < most; i++)
    if (listed(&part->rows[i], part, wishes)) {
      table_widen(&table, &part->rows[i]);
      count++;
    }
  if (count)
    table_head(stream, &table);
  for (size_t i = 0; done < count; i++)
    if (listed(&part->rows[i], part, wishes)) {
      table_row(stream, &table, &part->rows[i]);
      show_details(stream, shown, &part->rows[i], wishes);
      done++;
    }
  return count;
}

static void show_functions(FILE *stream, struct shown *shown,
                           const struct part *part,
                           const struct wishes *wishes) {
  uint64_t others = shown->parts[!part->context_sensitive].names;
  if (show_list(stream, shown, part, wishes, UINT64_MAX))
    return;
  if (part->context_sensitive || part->row_count || !others)
    fputs("no such function\n", stream);
  else
    fprintf(stream,
            "no such function; %" PRIu64
            " context-sensitive ones are shown by --cs\n",
            others);
}

static void show_hottest(FILE *stream, struct shown *shown,
                         const struct part *part, uint64_t most) {
  static const struct wishes none = {0};
  if (!show_list(stream, shown, part, &none, most))
    fputs("no function was counted\n", stream);
}

/* ==== A label and what it is, a line each; then the hottest functions. */

enum { LABEL = 19 };

const struct mode show_modes[SHOW_MODES] = {
    {PROFILE_FRONT_END, "front_end", "front end (-fprofile-instr-generate)"},
    {PROFILE_IR, "ir", "IR (-fprofile-generate)"},
    {PROFILE_CS, "context_sensitive", "context sensitive"},
    {PROFILE_ENTRY_FIRST, "entry_first", "entry counted first"},
    {PROFILE_BYTES, "single_byte", "a byte each: whether it ran"},
    {PROFILE_ENTRY_ONLY, "entry_only", "function entries only"},
    {PROFILE_TEMPORAL, "temporal", "order of first calls"},
    {PROFILE_LOOP_ENTRIES, "loop_entries", "loop entries"},
    {PROFILE_CORRELATED, "correlated", "records from the ELF"}};

const char *format_name(const struct profile_file *file) {
  static const char *const names[] = {"raw", "indexed", "text"};
  return names[file->format];
}

void show_id(FILE *stream, struct bytes id) {
  for (size_t i = 0; i < id.size; i++)
    fprintf(stream, "%02x", id.data[i]);
}

/* ---- the file ---- */

static void show_kind(FILE *stream, const struct shown *shown) {
  const struct profile_file *file = &shown->file;
  unsigned flags = shown->profile->flags;
  struct line line = line_begin(stream, LABEL, "format");
  line_add(&line, "%s", format_name(file));
  if (file->version)
    line_add(&line, "version %u", file->version);
  if (file->format == FORMAT_RAW)
    line_add(&line, "(%d bit, %s endian)", file->wide ? 64 : 32,
             file->big ? "big" : "little");
  line_end(&line);
  line = line_begin(stream, LABEL, "counted by");
  for (unsigned i = 0; i < SHOW_MODES; i++)
    if (flags & show_modes[i].flag)
      line_add(&line, "%s%s", show_modes[i].about,
               flags & ~(2 * show_modes[i].flag - 1) ? ";" : "");
  line_end(&line);
}

static void show_rest(FILE *stream, const struct shown *shown) {
  const struct profile *profile = shown->profile;
  const struct bytes *ids = (const void *)profile->ids.data;
  if (profile->trace_count)
    fprintf(stream, "%-*s%zu, of %" PRIu64 " runs\n", LABEL, "traces",
            profile->trace_count, profile->trace_stream);
  for (size_t i = 0; i < profile->ids.size / sizeof *ids; i++) {
    fprintf(stream, "%-*s", LABEL, i ? "" : "build ids");
    show_id(stream, ids[i]);
    fputc('\n', stream);
  }
  if (profile->memprof.size)
    fprintf(stream, "%-*sversion %u, %zu bytes (merge keeps it)\n", LABEL,
            "memory profile", profile->memprof_version, profile->memprof.size);
}

/* ---- a part ---- */

static void show_run(FILE *stream, const char *label, uint64_t all,
                     uint64_t run) {
  fprintf(stream, "%-*s%" PRIu64 ", %" PRIu64 " of them ran (%.1f %%)\n", LABEL,
          label, all, run, percent(run, (double)all));
}

static void show_site_totals(FILE *stream, const struct part *part) {
  static const char *const kinds[VALUE_KINDS] = {
      "indirect calls", "memory operations", "vtables"};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    const struct site_totals *sites = &part->sites[kind];
    if (sites->sites)
      fprintf(stream,
              "%-*s%" PRIu64 " sites, %" PRIu64 " with values, %" PRIu64
              " values\n",
              LABEL, kinds[kind], sites->sites, sites->with_values,
              sites->values);
  }
}

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void show_odd(FILE *stream, const struct part *part) {
  if (part->pseudo)
    fprintf(stream, "%-*s%" PRIu64 " record%s: just hot or warm, not counted\n",
            LABEL, "pseudo counts", part->pseudo, plural(part->pseudo));
  if (part->suspicious)
    fprintf(stream,
            "%-*s%" PRIu64
            " record%s with counts beyond reason: overwritten, or torn?\n",
            LABEL, "suspect", part->suspicious, plural(part->suspicious));
}

static void show_counts(FILE *stream, const struct part *part) {
  const struct summary *summary = &part->summary;
  fprintf(stream, "%-*s%" PRIu64 "\n%-*s%" PRIu64 "\n", LABEL, "highest first",
          summary->most_entry, LABEL, "highest other", summary->most_internal);
  fprintf(stream, "%-*s%s%" PRIu64 "\n", LABEL, "total count",
          part->total_cut ? "beyond 2^64; modulo that it is " : "",
          summary->total);
}

static void show_bitmaps(FILE *stream, const struct part *part,
                         enum profile_bitmaps bitmaps) {
  const char *of = bitmaps == BITMAPS_18   ? ", of LLVM 18"
                   : bitmaps == BITMAPS_19 ? ", of LLVM 19 or later"
                                           : "";
  if (part->bitmaps)
    fprintf(stream, "%-*s%" PRIu64 " byte%s in %" PRIu64 " record%s%s\n", LABEL,
            "MC/DC bitmaps", part->bitmap_bytes, plural(part->bitmap_bytes),
            part->bitmaps, plural(part->bitmaps), of);
}

static void show_part_overview(FILE *stream, const struct part *part,
                               enum profile_bitmaps bitmaps) {
  show_run(stream, "functions", part->names, part->names_run);
  if (part->row_count != part->names)
    fprintf(stream, "%-*s%zu; some functions have several hashes\n", LABEL,
            "records", part->row_count);
  show_run(stream, "counters", part->counters, part->counters_run);
  show_counts(stream, part);
  show_bitmaps(stream, part, bitmaps);
  show_site_totals(stream, part);
  show_odd(stream, part);
}

/* ---- all ---- */

static const char idle[] =
    "nothing ran: was the profile written at the end, of the same run?\n";
static const char empty[] =
    "no functions: was the code built with -fprofile-instr-generate or\n"
    "-fprofile-generate, and did the linker keep its sections? `bareprof\n"
    "doctor ELF` finds out. If the records are in the ELF only, say --elf.\n";

static void show_overview(FILE *stream, struct shown *shown,
                          const struct wishes *wishes) {
  const struct part *part;
  int i = -1;
  put_name(stream, wishes->file);
  fputs("\n\n", stream);
  show_kind(stream, shown);
  show_rest(stream, shown);
  while ((part = part_next(shown, wishes, &i))) {
    fprintf(stream, "\n%s",
            part->context_sensitive ? "context sensitive:\n" : "");
    if (!shown->functions.count) {
      fputs(empty, stream);
      continue;
    }
    show_part_overview(stream, part, shown->profile->bitmaps);
    if (part->summary.most) {
      fputs("\nhottest functions:\n", stream);
      show_hottest(stream, shown, part, HOTTEST);
    } else if (!part->names_run) {
      fprintf(stream, "\n%s", idle);
    }
  }
}

/* ==== The sections that were asked for. */

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
    fprintf(page->stream, "%8.4f %%  %20" PRIu64 "  %10" PRIu64 "  %6.2f %%\n",
            cutoff->cutoff / 10000.0, cutoff->least, cutoff->blocks,
            percent(cutoff->blocks, (double)summary->blocks));
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
