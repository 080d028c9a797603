/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the result of shown.h as JSON, one record on each line. shown.h
 * describes the document.
 */
#include "shown.h"

#include <inttypes.h>

#include "../base/text.h"

/* A JSON list. A comma precedes each element except the first. */
struct json_list {
  struct text *to;
  bool more;
};

static const char *const json_kinds[VALUE_KINDS] = {"call", "memop", "vtable"};

static void json_next(struct json_list *list, const char *between) {
  if (list->more) {
    text_letter(list->to, ',');
    text_put(list->to, between);
  }
  list->more = true;
}

/* Prints the key of a further member; or the key and a number. */
static void json_put_key(struct text *to, const char *key) {
  text_put(to, ",\"");
  text_put(to, key);
  text_put(to, "\":");
}

static void json_put_number(struct text *to, const char *key, uint64_t number) {
  json_put_key(to, key);
  text_decimal(to, number, 0);
}

static void json_put_reference(struct text *to, const struct shown *shown,
                               uint64_t reference) {
  struct bytes name = shown_name(shown, reference);
  if (name.data)
    json_text_bytes(to, name);
  else
    text_put(to, "null");
}

/* ---- a record ---- */

static void put_site(struct text *to, struct shown *shown,
                     const struct site *site, unsigned kind) {
  struct json_list list = {.to = to};
  rank_values(&shown->ranking, site);
  text_letter(to, '[');
  for (uint32_t i = 0; i < site->count; i++) {
    struct value value = shown->ranking.list[i].value;
    json_next(&list, "");
    if (kind == VALUE_MEMOPS) {
      text_put(to, "{\"size\":");
      text_decimal(to, value.value, 0);
    } else {
      text_put(to, "{\"name\":");
      json_put_reference(to, shown, value.value);
    }
    json_put_number(to, "count", value.count);
    text_letter(to, '}');
  }
  text_letter(to, ']');
}

static void put_sites(struct text *to, struct shown *shown,
                      const struct counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct json_list list = {.to = to};
    json_put_key(to, json_kinds[kind]);
    text_letter(to, '[');
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      json_next(&list, "");
      put_site(to, shown, &counts->more->sites[kind][i], kind);
    }
    text_letter(to, ']');
  }
}

static void put_counters(struct text *to, const struct counts *counts) {
  struct json_list list = {.to = to};
  json_put_key(to, "counters");
  text_letter(to, '[');
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    json_next(&list, "");
    text_decimal(to, counts->counters[i], 0);
  }
  text_letter(to, ']');
}

static void put_name_and_hash(struct text *to, const struct shown_row *row) {
  text_put(to, "{\"name\":");
  json_text_bytes(to, row->name);
  text_put(to, ",\"hash\":\"0x");
  text_hex64(to, row->hash);
  text_letter(to, '"');
}

/* Prints a record, with all details if no section is wanted. */
static void put_record(struct text *to, struct shown *shown,
                       const struct shown_row *row,
                       const struct show_settings *settings) {
  const struct counts *counts = row_counts(shown, row);
  bool all = !wish_any(settings);
  put_name_and_hash(to, row);
  json_put_number(to, "records", row->hashes);
  if (row->pseudo)
    text_print(to, ",\"pseudo\":\"%s\"", row->pseudo);
  else
    json_put_number(to, "most", row->most);
  if (row_suspicious(row))
    text_put(to, ",\"suspicious\":true");
  if ((all || settings->counts) && !row->pseudo)
    put_counters(to, counts);
  if (all || settings->bitmaps) {
    json_put_key(to, "bitmap");
    text_letter(to, '"');
    show_id(to,
            (struct bytes){counts->more->bitmap, counts->more->bitmap_size});
    text_letter(to, '"');
  }
  if (all || settings->values)
    put_sites(to, shown, counts);
  text_letter(to, '}');
}

/* ---- lists of records ---- */

/* json_put_list: the wanted records. json_put_hottest: the first ones, without
 * pseudo counts. */
static void json_put_list(struct text *to, struct shown *shown,
                          const struct show_section *part,
                          const struct show_settings *settings) {
  struct json_list list = {.to = to};
  text_put(to, ",\n\"list\":[\n");
  for (size_t i = 0; i < part->listed; i++) {
    const struct shown_row *row = part_row(part, i);
    part_ahead(part, i);
    if (!wish_any(settings) || row_wished(shown, row, part, settings)) {
      json_next(&list, "\n");
      put_record(to, shown, row, settings);
    }
  }
  text_put(to, "]");
}

static void json_put_hottest(struct text *to, const struct show_section *part,
                             uint64_t most) {
  struct json_list list = {.to = to};
  text_put(to, ",\n\"hottest\":[\n");
  for (size_t i = 0; i < part->listed && most; i++) {
    const struct shown_row *row = part_row(part, i);
    if (row->pseudo)
      continue;
    json_next(&list, "\n");
    put_name_and_hash(to, row);
    json_put_number(to, "most", row->most);
    text_letter(to, '}');
    most--;
  }
  text_put(to, "]");
}

/* ==== The document, written piece by piece. */

/* ---- sections of a part ---- */

static void put_covered(struct text *to, const struct show_section *part) {
  struct json_list list = {.to = to};
  text_put(to, ",\n\"covered\":[\n");
  for (size_t i = 0; i < part->covered_count; i++) {
    const struct shown_row *row = &part->rows[part->covered[i].item];
    json_next(&list, "\n");
    json_text_bytes(to, row->name);
  }
  text_put(to, "]");
}

static void put_summary(struct text *to, const struct show_section *part,
                        bool cutoffs) {
  const struct counts_summary *summary = &part->summary;
  text_print(to, ",\n\"summary\":{\"records\":%" PRIu64, summary->functions);
  json_put_number(to, "counters", summary->blocks);
  json_put_number(to, "most_first", summary->most_entry);
  json_put_number(to, "most_others", summary->most_internal);
  json_put_number(to, "most", summary->most);
  json_put_number(to, "total", summary->total);
  json_put_number(to, "hot", part_hot(part));
  if (cutoffs)
    text_put(to, ",\n\"cutoffs\":[");
  for (unsigned i = 0; cutoffs && i < SUMMARY_CUTOFFS; i++)
    text_print(to,
               "%s\n{\"cutoff\":%" PRIu32 ",\"least\":%" PRIu64
               ",\"counters\":%" PRIu64 "}",
               i ? "," : "", summary->cutoffs[i].cutoff,
               summary->cutoffs[i].least, summary->cutoffs[i].blocks);
  text_put(to, cutoffs ? "]}" : "}");
}

static void put_site_totals(struct text *to, const struct shown *shown,
                            const struct show_section *part) {
  text_put(to, ",\n\"sites\":{");
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    const struct site_totals *sites = &part->sites[kind];
    struct json_list list = {.to = to};
    text_print(to, "%s\"%s\":{\"sites\":%" PRIu64, kind ? ",\n" : "",
               json_kinds[kind], sites->sites);
    json_put_number(to, "with_values", sites->with_values);
    json_put_number(to, "values", sites->values);
    json_put_key(to, "histogram");
    text_letter(to, '[');
    for (uint32_t i = 0; i <= shown->ranking.most; i++)
      if (sites->of_size[i]) {
        json_next(&list, "");
        text_print(to, "[%" PRIu32 ",%" PRIu64 "]", i, sites->of_size[i]);
      }
    text_put(to, "]}");
  }
  text_letter(to, '}');
}

static void put_part(struct text *to, struct shown *shown,
                     const struct show_section *part,
                     const struct show_settings *settings) {
  bool all = !wish_any(settings);
  text_print(to, ",\n\"%s\":{\"functions\":%" PRIu64,
             part->context_sensitive ? "context_sensitive" : "regular",
             part->names);
  json_put_number(to, "functions_run", part->names_run);
  json_put_number(to, "records", part->row_count);
  json_put_number(to, "pseudo", part->pseudo);
  json_put_number(to, "suspicious", part->suspicious);
  json_put_number(to, "counters", part->counters);
  json_put_number(to, "counters_run", part->counters_run);
  json_put_number(to, "bitmap_bytes", part->bitmap_bytes);
  put_summary(to, part, all || settings->cutoffs);
  if (all || settings->values)
    put_site_totals(to, shown, part);
  if (settings->covered)
    put_covered(to, part);
  if (settings->hottest)
    json_put_hottest(to, part, settings->hottest);
  if (all || wish_functions(settings))
    json_put_list(to, shown, part, settings);
  text_letter(to, '}');
}

/* ---- the document ---- */

static void put_file(struct text *to, const struct shown *shown,
                     const struct show_settings *settings) {
  const struct profile_file *file = &shown->file;
  struct json_list list = {.to = to};
  text_put(to, "{\"file\":");
  json_text_string(to, settings->file);
  text_print(to, ",\"format\":\"%s\"", format_name(file));
  if (file->version)
    json_put_number(to, "version", file->version);
  if (shown->profile->has_bitmaps)
    json_put_number(
        to, "mcdc_llvm",
        shown->profile->bitmaps >= BITMAPS_18 ? shown->profile->bitmaps : 0);
  if (file->format == FORMAT_RAW)
    text_print(to, ",\"bits\":%d,\"endian\":\"%s\"", file->wide ? 64 : 32,
               file->big ? "big" : "little");
  text_put(to, ",\"modes\":[");
  for (unsigned i = 0; i < SHOW_MODES; i++)
    if (shown->profile->flags & show_modes[i].flag) {
      json_next(&list, "");
      text_print(to, "\"%s\"", show_modes[i].name);
    }
  text_letter(to, ']');
}

static void put_traces(struct text *to, const struct shown *shown) {
  const struct profile *profile = shown->profile;
  text_print(to, ",\n\"traces\":{\"runs\":%" PRIu64 ",\"list\":[",
             profile->trace_stream);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct trace *trace = &profile->traces[i];
    struct json_list list = {.to = to};
    text_print(to, "%s{\"weight\":%" PRIu64 ",\"functions\":[",
               i ? ",\n" : "\n", trace->weight);
    for (size_t j = 0; j < trace->count; j++) {
      json_next(&list, "");
      json_put_reference(to, shown, trace->functions[j]);
    }
    text_put(to, "]}");
  }
  text_put(to, "]}");
}

static void put_ids(struct text *to, const struct profile *profile) {
  const struct bytes *ids = (const void *)profile->ids.data;
  text_put(to, ",\n\"build_ids\":[");
  for (size_t i = 0; i < profile->ids.size / sizeof *ids; i++) {
    text_put(to, i ? ",\"" : "\"");
    show_id(to, ids[i]);
    text_letter(to, '"');
  }
  text_letter(to, ']');
}

static void put_all(struct text *to, struct shown *shown,
                    const struct show_settings *settings) {
  const struct profile *profile = shown->profile;
  const struct show_section *part;
  bool all = !wish_any(settings);
  int i = -1;
  put_file(to, shown, settings);
  while ((part = part_next(shown, settings, &i)))
    put_part(to, shown, part, settings);
  if (all || settings->traces)
    put_traces(to, shown);
  if (all || settings->ids)
    put_ids(to, profile);
  if (profile->memprof.size)
    text_print(to,
               ",\n\"memory_profile\":{\"version\":%u,"
               "\"bytes\":%zu}",
               profile->memprof_version, profile->memprof.size);
  text_put(to, "}\n");
}

void show_profile_json(FILE *stream, struct shown *shown,
                       const struct show_settings *settings) {
  struct text text;
  text_begin(&text, stream);
  put_all(&text, shown, settings);
  text_flush(&text);
}
