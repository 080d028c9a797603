/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the result of shown_profile.h for people: an overview, or the wanted
 * sections. A single section is printed without a title, so that other programs
 * can read it.
 */
#include <inttypes.h>
#include <string.h>

#include "shown_profile.h"

/* ==== Each record has a line, which ends with the name:
 *       most      first  counters  hash                function
 *         33         12         2  0x0000000000000007  main
 * The details that the user wants follow below the line. */

enum { DETAIL = 14, SUSPICIOUS_MOST = 3 };

/* ---- the table ---- */

struct row_table_columns {
  uint64_t most, first, counters; /* the largest number of each column in all
                                     rows */
  int most_width, first_width, counters_width;
  bool hashes; /* some functions have several records */
};

static void update_column_maxima(struct row_table_columns *table,
                                 const struct shown_row *row) {
  table->hashes |= row->hashes > 1;
  if (row->counters > table->counters)
    table->counters = row->counters;
  if (row->pseudo)
    return;
  if (row->most > table->most)
    table->most = row->most;
  if (row->first > table->first)
    table->first = row->first;
}

static int column_width(const char *title, uint64_t largest) {
  int digits = (int)count_digits(largest), letters = (int)strlen(title);
  return digits > letters ? digits : letters;
}

static void fit_and_print_table_head(struct text_stream *to,
                                     struct row_table_columns *table) {
  table->most_width = column_width("  most", table->most);
  table->first_width = column_width(" first", table->first);
  table->counters_width = column_width("counters", table->counters);
  text_printf(to, "%*s  %*s  %*s  %-18s  %s%s\n", table->most_width, "most",
              table->first_width, "first", table->counters_width, "counters",
              "hash", table->hashes ? "hashes  " : "", "function");
}

static void print_table_row(struct text_stream *to,
                            const struct row_table_columns *table,
                            const struct shown_row *row) {
  if (row->pseudo) {
    text_printf(to, "%*s  %*s", table->most_width, row->pseudo,
                table->first_width, "-");
  } else {
    text_put_decimal(to, row->most, (size_t)table->most_width);
    text_put_string(to, "  ");
    text_put_decimal(to, row->first, (size_t)table->first_width);
  }
  text_put_string(to, "  ");
  text_put_decimal(to, row->counters, (size_t)table->counters_width);
  text_put_string(to, "  0x");
  text_put_hex64(to, row->hash);
  text_put_string(to, "  ");
  if (table->hashes)
    text_printf(to, "%6" PRIu32 "  ", row->hashes);
  text_put_printable_name(to, row->name);
  text_put_char(to, '\n');
}

/* ---- the details of a record ---- */

static void show_suspicious_counts(struct text_stream *to,
                                   const struct record_counts *counts) {
  struct wrapped_line line = show_line_begin(to, DETAIL, "    suspect");
  unsigned count = 0;
  for (uint32_t i = 0; i < counts->counter_count; i++)
    if (is_suspicious_count(counts->counters[i]) && ++count <= SUSPICIOUS_MOST)
      show_line_print_word(&line, "counter %" PRIu32 " is %" PRIu64, i,
                           counts->counters[i]);
  if (count > SUSPICIOUS_MOST)
    show_line_print_word(&line, "and %u more", count - SUSPICIOUS_MOST);
  show_line_end(&line);
}

static void show_counters(struct text_stream *to,
                          const struct record_counts *counts) {
  struct wrapped_line line = show_line_begin(to, DETAIL, "    counters");
  for (uint32_t i = 0; i < counts->counter_count; i++)
    show_line_print_number(&line, counts->counters[i]);
  show_line_end(&line);
}

static void show_bitmap(struct text_stream *to,
                        const struct record_counts *counts) {
  struct wrapped_line line = show_line_begin(to, DETAIL, "    bitmap");
  for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
    show_line_print_word(&line, "%02x", counts->more->bitmap[i]);
  show_line_end(&line);
}

static double compute_percent(uint64_t part, double whole) {
  return whole > 0 ? 100 * (double)part / whole : 0;
}

static void show_profiled_value(struct text_stream *to,
                                const struct shown_profile *shown,
                                unsigned kind, struct profiled_value value) {
  if (kind == VALUE_MEMOPS) {
    text_printf(to, "%" PRIu64 " bytes\n", value.value);
    return;
  }
  struct bytes name = shown_find_name(shown, value.value);
  if (name.data)
    text_put_printable_name(to, name);
  else if (value.value)
    text_printf(to, "(0x%016" PRIx64 ", not in this profile)", value.value);
  else
    text_put_string(to, "(not in this profile)");
  text_put_char(to, '\n');
}

static void show_value_site(struct text_stream *to, struct shown_profile *shown,
                            const struct record_counts *counts, unsigned kind,
                            uint32_t at) {
  static const char *const kinds[VALUE_KINDS] = {"call", "memop", "vtable"};
  const struct value_site *site = &counts->more->sites[kind][at];
  char label[40];
  double whole = 0;
  ranking_rank_site(&shown->ranking, site);
  for (uint32_t i = 0; i < site->count; i++)
    whole += (double)site->values[i].count;
  snprintf(label, sizeof label, "    %s %" PRIu32, kinds[kind], at);
  if (!site->count)
    text_printf(to, "%-*s  (no values)\n", DETAIL, label);
  for (uint32_t i = 0; i < site->count; i++) {
    struct profiled_value value = shown->ranking.list[i].value;
    text_printf(to, "%-*s  %10" PRIu64 "  %6.2f %%  ", DETAIL, i ? "" : label,
                value.count, compute_percent(value.count, whole));
    show_profiled_value(to, shown, kind, value);
  }
}

static void show_record_details(struct text_stream *to,
                                struct shown_profile *shown,
                                const struct shown_row *row,
                                const struct show_settings *settings) {
  if (!shown_row_is_suspicious(row) && !settings->counts &&
      !settings->bitmaps && !settings->values)
    return;
  const struct record_counts *counts = shown_row_find_counts(shown, row);
  if (shown_row_is_suspicious(row))
    show_suspicious_counts(to, counts);
  if (settings->counts && row->counters && !row->pseudo)
    show_counters(to, counts);
  if (settings->bitmaps && counts->more->bitmap_size)
    show_bitmap(to, counts);
  for (unsigned kind = 0; settings->values && kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      show_value_site(to, shown, counts, kind, i);
}

/* ---- lists ---- */

/* Returns whether a row is in the list of wanted functions, or in the list of
 * the hottest functions. */
static bool is_row_listed(const struct shown_profile *shown,
                          const struct shown_row *row,
                          const struct profile_part *part,
                          const struct show_settings *settings) {
  return show_wants_functions(settings)
             ? shown_row_is_wanted(shown, row, part, settings)
             : !row->pseudo;
}

/* Lists at most `most` rows. Returns how many rows were listed. */
static uint64_t show_row_list(struct text_stream *to,
                              struct shown_profile *shown,
                              const struct profile_part *part,
                              const struct show_settings *settings,
                              uint64_t most) {
  struct row_table_columns table = {0};
  uint64_t count = 0, done = 0;
  for (size_t i = 0; i < part->listed && count < most; i++) {
    /* if all rows are listed, the order of memory is faster than the order of
     * heat */
    const struct shown_row *row =
        most == UINT64_MAX ? &part->rows[i] : shown_part_row(part, i);
    if (is_row_listed(shown, row, part, settings)) {
      update_column_maxima(&table, row);
      count++;
    }
  }
  if (count)
    fit_and_print_table_head(to, &table);
  for (size_t i = 0; done < count; i++) {
    shown_part_prefetch(part, i);
    if (is_row_listed(shown, shown_part_row(part, i), part, settings)) {
      print_table_row(to, &table, shown_part_row(part, i));
      show_record_details(to, shown, shown_part_row(part, i), settings);
      done++;
    }
  }
  return count;
}

static void show_functions(struct text_stream *to, struct shown_profile *shown,
                           const struct profile_part *part,
                           const struct show_settings *settings) {
  uint64_t others = shown->parts[!part->context_sensitive].names;
  if (show_row_list(to, shown, part, settings, UINT64_MAX))
    return;
  if (part->context_sensitive || part->row_count || !others)
    text_put_string(to, "no such function\n");
  else
    text_printf(to,
                "no such function; %" PRIu64
                " context-sensitive ones are shown by --cs\n",
                others);
}

static void show_hottest_functions(struct text_stream *to,
                                   struct shown_profile *shown,
                                   const struct profile_part *part,
                                   uint64_t most) {
  static const struct show_settings none = {0};
  if (!show_row_list(to, shown, part, &none, most))
    text_put_string(to, "no function was counted\n");
}

/* ==== The overview has lines with a label and a value, then the hottest
 * functions. */

enum { LABEL = 19 };

/* ---- the file ---- */

static void show_format_and_modes(struct text_stream *to,
                                  const struct shown_profile *shown) {
  const struct profile_file_kind *file = &shown->file;
  unsigned flags = shown->profile->flags;
  struct wrapped_line line = show_line_begin(to, LABEL, "format");
  show_line_print_word(&line, "%s", shown_format_name(file));
  if (file->version)
    show_line_print_word(&line, "version %u", file->version);
  if (file->format == FORMAT_RAW)
    show_line_print_word(&line, "(%d bit, %s endian)", file->wide ? 64 : 32,
                         file->big ? "big" : "little");
  show_line_end(&line);
  line = show_line_begin(to, LABEL, "counted by");
  for (unsigned i = 0; i < SHOW_MODES; i++)
    if (flags & show_modes[i].flag)
      show_line_print_word(&line, "%s%s", show_modes[i].about,
                           flags & ~(2 * show_modes[i].flag - 1) ? ";" : "");
  show_line_end(&line);
}

static void show_traces_ids_and_memory(struct text_stream *to,
                                       const struct shown_profile *shown) {
  const struct profile *profile = shown->profile;
  const struct bytes *ids = (const void *)profile->ids.data;
  if (profile->trace_count)
    text_printf(to, "%-*s%zu, of %" PRIu64 " runs\n", LABEL, "traces",
                profile->trace_count, profile->run_count);
  for (size_t i = 0; i < profile->ids.size / sizeof *ids; i++) {
    text_printf(to, "%-*s", LABEL, i ? "" : "build ids");
    show_print_hex(to, ids[i]);
    text_put_char(to, '\n');
  }
  if (profile->memprof.size)
    text_printf(to, "%-*sversion %u, %zu bytes (merge keeps it)\n", LABEL,
                "memory profile", profile->memprof_version,
                profile->memprof.size);
}

/* ---- a part ---- */

static void show_count_that_ran(struct text_stream *to, const char *label,
                                uint64_t all, uint64_t run) {
  text_printf(to, "%-*s%" PRIu64 ", %" PRIu64 " of them ran (%.1f %%)\n", LABEL,
              label, all, run, compute_percent(run, (double)all));
}

static void show_site_totals(struct text_stream *to,
                             const struct profile_part *part) {
  static const char *const kinds[VALUE_KINDS] = {
      "indirect calls", "memory operations", "vtables"};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    const struct site_totals *sites = &part->sites[kind];
    if (sites->sites)
      text_printf(to,
                  "%-*s%" PRIu64 " sites, %" PRIu64 " with values, %" PRIu64
                  " values\n",
                  LABEL, kinds[kind], sites->sites, sites->with_values,
                  sites->values);
  }
}

static const char *plural_ending(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void show_pseudo_and_suspect_counts(struct text_stream *to,
                                           const struct profile_part *part) {
  if (part->pseudo)
    text_printf(to, "%-*s%" PRIu64 " record%s: just hot or warm, not counted\n",
                LABEL, "pseudo counts", part->pseudo,
                plural_ending(part->pseudo));
  if (part->suspicious)
    text_printf(to,
                "%-*s%" PRIu64
                " record%s with counts beyond reason: overwritten, or torn?\n",
                LABEL, "suspect", part->suspicious,
                plural_ending(part->suspicious));
}

static void show_highest_counts(struct text_stream *to,
                                const struct profile_part *part) {
  const struct profile_summary *summary = &part->summary;
  text_printf(to, "%-*s%" PRIu64 "\n%-*s%" PRIu64 "\n", LABEL, "highest first",
              summary->most_entry, LABEL, "highest other",
              summary->most_internal);
  text_printf(to, "%-*s%s%" PRIu64 "\n", LABEL, "total count",
              part->total_cut
                  ? "the sum is above 2^64, and is shown modulo 2^64: "
                  : "",
              summary->total);
}

static void show_bitmap_totals(struct text_stream *to,
                               const struct profile_part *part,
                               enum profile_bitmaps bitmaps) {
  const char *of = bitmaps == BITMAPS_18   ? ", of LLVM 18"
                   : bitmaps == BITMAPS_19 ? ", of LLVM 19 or later"
                                           : "";
  if (part->bitmaps)
    text_printf(to, "%-*s%" PRIu64 " byte%s in %" PRIu64 " record%s%s\n", LABEL,
                "MC/DC bitmaps", part->bitmap_bytes,
                plural_ending(part->bitmap_bytes), part->bitmaps,
                plural_ending(part->bitmaps), of);
}

static void show_part_overview(struct text_stream *to,
                               const struct profile_part *part,
                               enum profile_bitmaps bitmaps) {
  show_count_that_ran(to, "functions", part->names, part->names_run);
  if (part->row_count != part->names)
    text_printf(to,
                "%-*s%zu; some functions have records with different hashes\n",
                LABEL, "records", part->row_count);
  show_count_that_ran(to, "counters", part->counters, part->counters_run);
  show_highest_counts(to, part);
  show_bitmap_totals(to, part, bitmaps);
  show_site_totals(to, part);
  show_pseudo_and_suspect_counts(to, part);
}

/* ---- the overview ---- */

static const char idle[] =
    "nothing ran: was the profile written after the code ran, in the same "
    "boot?\n";
static const char empty[] =
    "no functions: was the code built with -fprofile-instr-generate "
    "or\n-fprofile-generate, and did the linker keep its sections? Check "
    "with\n`bareprof doctor ELF`. If only the ELF has the records, add --elf "
    "ELF.\n";

static void show_overview(struct text_stream *to, struct shown_profile *shown,
                          const struct show_settings *settings) {
  const struct profile_part *part;
  int i = -1;
  text_put_printable_name(to, bytes_of_text(settings->file));
  text_put_string(to, "\n\n");
  show_format_and_modes(to, shown);
  show_traces_ids_and_memory(to, shown);
  while ((part = shown_part_find_next(shown, settings, &i))) {
    text_printf(to, "\n%s",
                part->context_sensitive ? "context sensitive:\n" : "");
    if (!shown->parts[0].names && !shown->parts[1].names) {
      text_put_string(to, empty);
      continue;
    }
    show_part_overview(to, part, shown->profile->bitmaps);
    if (part->summary.most) {
      text_put_string(to, "\nhottest functions:\n");
      show_hottest_functions(to, shown, part, HOTTEST);
    } else if (!part->names_run) {
      text_printf(to, "\n%s", idle);
    }
  }
}

/* ==== The next functions print the sections that the user wants. */

struct section_printer {
  struct text_stream *to;
  struct shown_profile *shown;
  const struct show_settings *settings;
  const struct profile_part *part;
  bool titles;
  unsigned count; /* the number of titles printed so far */
};

static void print_section_title(struct section_printer *page,
                                const char *text) {
  if (!page->titles)
    return;
  text_printf(page->to, "%s%s:\n", page->count++ ? "\n" : "", text);
}

static void show_covered_names(struct section_printer *page) {
  const struct profile_part *part = page->part;
  print_section_title(page, "functions that ran");
  for (size_t i = 0; i < part->covered_count; i++) {
    const struct shown_row *row = &part->rows[part->covered[i].item];
    text_put_printable_name(page->to, row->name);
    text_put_char(page->to, '\n');
  }
}

/* Prints, for each number of values, how many sites have this number of values.
 */
static void show_site_histogram(struct section_printer *page) {
  const struct site_totals *sites = page->part->sites;
  print_section_title(page, "numbers of values, and how many sites have them");
  text_put_string(page->to, "values       calls      memops     vtables\n");
  for (uint32_t i = 0; i <= page->shown->ranking.most; i++)
    if (sites[0].of_size[i] || sites[1].of_size[i] || sites[2].of_size[i])
      text_printf(page->to,
                  "%6" PRIu32 "  %10" PRIu64 "  %10" PRIu64 "  %10" PRIu64 "\n",
                  i, sites[0].of_size[i], sites[1].of_size[i],
                  sites[2].of_size[i]);
}

static void show_cutoffs(struct section_printer *page) {
  const struct profile_summary *summary = &page->part->summary;
  print_section_title(page,
                      "parts of the total count, and how many counters hold "
                      "them");
  text_printf(page->to, "%10s  %20s  %10s  %8s\n", "part", "counts from",
              "counters", "of all");
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    const struct summary_cutoff *cutoff = &summary->cutoffs[i];
    text_printf(page->to, "%8.4f %%  %20" PRIu64 "  %10" PRIu64 "  %6.2f %%\n",
                cutoff->cutoff / 10000.0, cutoff->least, cutoff->blocks,
                compute_percent(cutoff->blocks, (double)summary->blocks));
  }
}

static void show_traces(struct section_printer *page) {
  const struct profile *profile = page->shown->profile;
  print_section_title(page, "order of first calls");
  if (!profile->trace_count)
    text_put_string(page->to, "no traces\n");
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct temporal_trace *trace = &profile->traces[i];
    text_printf(page->to,
                "trace %zu of %zu (runs: %" PRIu64 "), weight %" PRIu64
                ", %zu functions\n",
                i + 1, profile->trace_count, profile->run_count, trace->weight,
                trace->count);
    for (size_t j = 0; j < trace->count; j++) {
      struct bytes name = shown_find_name(page->shown, trace->functions[j]);
      text_printf(page->to, "%5zu  ", j + 1);
      text_put_printable_name(
          page->to, name.data ? name : bytes_of_text("(not in this profile)"));
      text_put_char(page->to, '\n');
    }
  }
}

static void show_build_ids(struct section_printer *page) {
  const struct buffer *all = &page->shown->profile->ids;
  const struct bytes *ids = (const void *)all->data;
  print_section_title(page, "build ids");
  for (size_t i = 0; i < all->size / sizeof *ids; i++) {
    show_print_hex(page->to, ids[i]);
    text_put_char(page->to, '\n');
  }
  if (!all->size && page->titles)
    text_put_string(page->to, "none\n");
}

static void show_part_sections(struct section_printer *page) {
  const struct show_settings *settings = page->settings;
  if (settings->covered)
    show_covered_names(page);
  if (settings->hottest) {
    print_section_title(page, "hottest functions");
    show_hottest_functions(page->to, page->shown, page->part,
                           settings->hottest);
  }
  if (show_wants_functions(settings)) {
    print_section_title(page, settings->hot ? "hot functions" : "functions");
    show_functions(page->to, page->shown, page->part, settings);
  }
  if (settings->values)
    show_site_histogram(page);
  if (settings->cutoffs)
    show_cutoffs(page);
}

static void show_sections_or_overview(struct text_stream *to,
                                      struct shown_profile *shown,
                                      const struct show_settings *settings) {
  struct section_printer page = {
      .to = to, .shown = shown, .settings = settings};
  int i = -1;
  if (!show_wants_section(settings)) {
    show_overview(to, shown, settings);
    return;
  }
  page.titles = show_wants_functions(settings) + settings->values +
                    settings->covered + settings->cutoffs + settings->traces +
                    settings->ids + (settings->hottest != 0) >
                1;
  while ((page.part = shown_part_find_next(shown, settings, &i)))
    show_part_sections(&page);
  if (settings->traces)
    show_traces(&page);
  if (settings->ids)
    show_build_ids(&page);
}

void show_profile_text(FILE *stream, struct shown_profile *shown,
                       const struct show_settings *settings) {
  struct text_stream text;
  text_begin(&text, stream);
  show_sections_or_overview(&text, shown, settings);
  text_flush(&text);
}
