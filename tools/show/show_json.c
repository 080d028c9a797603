/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the result of shown_profile.h as JSON, one record on each line.
 * shown_profile.h describes the document.
 */
#include "shown_profile.h"

#include <inttypes.h>

/* A JSON list. Each element except the first has a comma before it. */
struct json_list_state {
  struct text_stream *to;
  bool more;
};

static const char *const json_kinds[VALUE_KINDS] = {"call", "memop", "vtable"};

static void json_begin_element(struct json_list_state *list,
                               const char *between) {
  if (list->more) {
    text_put_char(list->to, ',');
    text_put_string(list->to, between);
  }
  list->more = true;
}

/* Prints the key of the next member. json_print_number also prints the
 * number. */
static void json_print_key(struct text_stream *to, const char *key) {
  text_put_string(to, ",\"");
  text_put_string(to, key);
  text_put_string(to, "\":");
}

static void json_print_number(struct text_stream *to, const char *key,
                              uint64_t number) {
  json_print_key(to, key);
  text_put_decimal(to, number, 0);
}

static void json_print_referenced_name(struct text_stream *to,
                                       const struct shown_profile *shown,
                                       uint64_t reference) {
  struct bytes name = shown_find_name(shown, reference);
  if (name.data)
    json_put_quoted_bytes(to, name);
  else
    text_put_string(to, "null");
}

/* ---- a record ---- */

static void print_value_site(struct text_stream *to,
                             struct shown_profile *shown,
                             const struct value_site *site, unsigned kind) {
  struct json_list_state list = {.to = to};
  ranking_rank_site(&shown->ranking, site);
  text_put_char(to, '[');
  for (uint32_t i = 0; i < site->count; i++) {
    struct profiled_value value = shown->ranking.list[i].value;
    json_begin_element(&list, "");
    if (kind == VALUE_MEMOPS) {
      text_put_string(to, "{\"size\":");
      text_put_decimal(to, value.value, 0);
    } else {
      text_put_string(to, "{\"name\":");
      json_print_referenced_name(to, shown, value.value);
    }
    json_print_number(to, "count", value.count);
    text_put_char(to, '}');
  }
  text_put_char(to, ']');
}

static void print_sites_by_kind(struct text_stream *to,
                                struct shown_profile *shown,
                                const struct record_counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct json_list_state list = {.to = to};
    json_print_key(to, json_kinds[kind]);
    text_put_char(to, '[');
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      json_begin_element(&list, "");
      print_value_site(to, shown, &counts->more->sites[kind][i], kind);
    }
    text_put_char(to, ']');
  }
}

static void print_counters(struct text_stream *to,
                           const struct record_counts *counts) {
  struct json_list_state list = {.to = to};
  json_print_key(to, "counters");
  text_put_char(to, '[');
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    json_begin_element(&list, "");
    text_put_decimal(to, counts->counters[i], 0);
  }
  text_put_char(to, ']');
}

static void print_row_opening(struct text_stream *to,
                              const struct shown_row *row) {
  text_put_string(to, "{\"name\":");
  json_put_quoted_bytes(to, row->name);
  text_put_string(to, ",\"hash\":\"0x");
  text_put_hex64(to, row->hash);
  text_put_char(to, '"');
}

/* Prints a record. If no section is wanted, prints all details. */
static void print_record(struct text_stream *to, struct shown_profile *shown,
                         const struct shown_row *row,
                         const struct show_settings *settings) {
  const struct record_counts *counts = shown_row_find_counts(shown, row);
  bool all = !show_wants_section(settings);
  print_row_opening(to, row);
  json_print_number(to, "records", row->hashes);
  if (row->pseudo)
    text_printf(to, ",\"pseudo\":\"%s\"", row->pseudo);
  else
    json_print_number(to, "most", row->most);
  if (shown_row_is_suspicious(row))
    text_put_string(to, ",\"suspicious\":true");
  if ((all || settings->counts) && !row->pseudo)
    print_counters(to, counts);
  if (all || settings->bitmaps) {
    json_print_key(to, "bitmap");
    text_put_char(to, '"');
    show_print_hex(
        to, (struct bytes){counts->more->bitmap, counts->more->bitmap_size});
    text_put_char(to, '"');
  }
  if (all || settings->values)
    print_sites_by_kind(to, shown, counts);
  text_put_char(to, '}');
}

/* ---- lists of records ---- */

static void print_record_list(struct text_stream *to,
                              struct shown_profile *shown,
                              const struct profile_part *part,
                              const struct show_settings *settings) {
  struct json_list_state list = {.to = to};
  text_put_string(to, ",\n\"list\":[\n");
  for (size_t i = 0; i < part->listed; i++) {
    const struct shown_row *row = shown_part_row(part, i);
    shown_part_prefetch(part, i);
    if (!show_wants_section(settings) ||
        shown_row_is_wanted(shown, row, part, settings)) {
      json_begin_element(&list, "\n");
      print_record(to, shown, row, settings);
    }
  }
  text_put_string(to, "]");
}

/* Prints the first records in the order of heat, without pseudo counts. */
static void print_hottest_functions(struct text_stream *to,
                                    const struct profile_part *part,
                                    uint64_t most) {
  struct json_list_state list = {.to = to};
  text_put_string(to, ",\n\"hottest\":[\n");
  for (size_t i = 0; i < part->listed && most; i++) {
    const struct shown_row *row = shown_part_row(part, i);
    if (row->pseudo)
      continue;
    json_begin_element(&list, "\n");
    print_row_opening(to, row);
    json_print_number(to, "most", row->most);
    text_put_char(to, '}');
    most--;
  }
  text_put_string(to, "]");
}

/* ==== The document is written piece by piece. */

/* ---- sections of a part ---- */

static void print_covered_names(struct text_stream *to,
                                const struct profile_part *part) {
  struct json_list_state list = {.to = to};
  text_put_string(to, ",\n\"covered\":[\n");
  for (size_t i = 0; i < part->covered_count; i++) {
    const struct shown_row *row = &part->rows[part->covered[i].item];
    json_begin_element(&list, "\n");
    json_put_quoted_bytes(to, row->name);
  }
  text_put_string(to, "]");
}

static void print_summary(struct text_stream *to,
                          const struct profile_part *part, bool cutoffs) {
  const struct profile_summary *summary = &part->summary;
  text_printf(to, ",\n\"summary\":{\"records\":%" PRIu64, summary->functions);
  json_print_number(to, "counters", summary->blocks);
  json_print_number(to, "most_first", summary->most_entry);
  json_print_number(to, "most_others", summary->most_internal);
  json_print_number(to, "most", summary->most);
  json_print_number(to, "total", summary->total);
  json_print_number(to, "hot", shown_part_hot_threshold(part));
  if (cutoffs)
    text_put_string(to, ",\n\"cutoffs\":[");
  for (unsigned i = 0; cutoffs && i < SUMMARY_CUTOFFS; i++)
    text_printf(to,
                "%s\n{\"cutoff\":%" PRIu32 ",\"least\":%" PRIu64
                ",\"counters\":%" PRIu64 "}",
                i ? "," : "", summary->cutoffs[i].cutoff,
                summary->cutoffs[i].least, summary->cutoffs[i].blocks);
  text_put_string(to, cutoffs ? "]}" : "}");
}

static void print_site_totals(struct text_stream *to,
                              const struct shown_profile *shown,
                              const struct profile_part *part) {
  text_put_string(to, ",\n\"sites\":{");
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    const struct site_totals *sites = &part->sites[kind];
    struct json_list_state list = {.to = to};
    text_printf(to, "%s\"%s\":{\"sites\":%" PRIu64, kind ? ",\n" : "",
                json_kinds[kind], sites->sites);
    json_print_number(to, "with_values", sites->with_values);
    json_print_number(to, "values", sites->values);
    json_print_key(to, "histogram");
    text_put_char(to, '[');
    for (uint32_t i = 0; i <= shown->ranking.most; i++)
      if (sites->of_size[i]) {
        json_begin_element(&list, "");
        text_printf(to, "[%" PRIu32 ",%" PRIu64 "]", i, sites->of_size[i]);
      }
    text_put_string(to, "]}");
  }
  text_put_char(to, '}');
}

static void print_profile_part(struct text_stream *to,
                               struct shown_profile *shown,
                               const struct profile_part *part,
                               const struct show_settings *settings) {
  bool all = !show_wants_section(settings);
  text_printf(to, ",\n\"%s\":{\"functions\":%" PRIu64,
              part->context_sensitive ? "context_sensitive" : "regular",
              part->names);
  json_print_number(to, "functions_run", part->names_run);
  json_print_number(to, "records", part->row_count);
  json_print_number(to, "pseudo", part->pseudo);
  json_print_number(to, "suspicious", part->suspicious);
  json_print_number(to, "counters", part->counters);
  json_print_number(to, "counters_run", part->counters_run);
  json_print_number(to, "bitmap_bytes", part->bitmap_bytes);
  print_summary(to, part, all || settings->cutoffs);
  if (all || settings->values)
    print_site_totals(to, shown, part);
  if (settings->covered)
    print_covered_names(to, part);
  if (settings->hottest)
    print_hottest_functions(to, part, settings->hottest);
  if (all || show_wants_functions(settings))
    print_record_list(to, shown, part, settings);
  text_put_char(to, '}');
}

/* ---- the document ---- */

static void print_document_opening(struct text_stream *to,
                                   const struct shown_profile *shown,
                                   const struct show_settings *settings) {
  const struct profile_file_kind *file = &shown->file;
  struct json_list_state list = {.to = to};
  text_put_string(to, "{\"file\":");
  json_put_text(to, settings->file);
  text_printf(to, ",\"format\":\"%s\"", shown_format_name(file));
  if (file->version)
    json_print_number(to, "version", file->version);
  if (shown->profile->has_bitmaps)
    json_print_number(
        to, "mcdc_llvm",
        shown->profile->bitmaps >= BITMAPS_18 ? shown->profile->bitmaps : 0);
  if (file->format == FORMAT_RAW)
    text_printf(to, ",\"bits\":%d,\"endian\":\"%s\"", file->wide ? 64 : 32,
                file->big ? "big" : "little");
  text_put_string(to, ",\"modes\":[");
  for (unsigned i = 0; i < SHOW_MODES; i++)
    if (shown->profile->flags & show_modes[i].flag) {
      json_begin_element(&list, "");
      text_printf(to, "\"%s\"", show_modes[i].name);
    }
  text_put_char(to, ']');
}

static void print_traces(struct text_stream *to,
                         const struct shown_profile *shown) {
  const struct profile *profile = shown->profile;
  text_printf(to, ",\n\"traces\":{\"runs\":%" PRIu64 ",\"list\":[",
              profile->run_count);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct temporal_trace *trace = &profile->traces[i];
    struct json_list_state list = {.to = to};
    text_printf(to, "%s{\"weight\":%" PRIu64 ",\"functions\":[",
                i ? ",\n" : "\n", trace->weight);
    for (size_t j = 0; j < trace->count; j++) {
      json_begin_element(&list, "");
      json_print_referenced_name(to, shown, trace->functions[j]);
    }
    text_put_string(to, "]}");
  }
  text_put_string(to, "]}");
}

static void print_build_ids(struct text_stream *to,
                            const struct profile *profile) {
  const struct bytes *ids = (const void *)profile->ids.data;
  text_put_string(to, ",\n\"build_ids\":[");
  for (size_t i = 0; i < profile->ids.size / sizeof *ids; i++) {
    text_put_string(to, i ? ",\"" : "\"");
    show_print_hex(to, ids[i]);
    text_put_char(to, '"');
  }
  text_put_char(to, ']');
}

static void print_document(struct text_stream *to, struct shown_profile *shown,
                           const struct show_settings *settings) {
  const struct profile *profile = shown->profile;
  const struct profile_part *part;
  bool all = !show_wants_section(settings);
  int i = -1;
  print_document_opening(to, shown, settings);
  while ((part = shown_part_find_next(shown, settings, &i)))
    print_profile_part(to, shown, part, settings);
  if (all || settings->traces)
    print_traces(to, shown);
  if (all || settings->ids)
    print_build_ids(to, profile);
  if (profile->memprof.size)
    text_printf(to,
                ",\n\"memory_profile\":{\"version\":%u,"
                "\"bytes\":%zu}",
                profile->memprof_version, profile->memprof.size);
  text_put_string(to, "}\n");
}

void show_profile_json(FILE *stream, struct shown_profile *shown,
                       const struct show_settings *settings) {
  struct text_stream text;
  text_begin(&text, stream);
  print_document(&text, shown, settings);
  text_flush(&text);
}
