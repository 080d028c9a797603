/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records, a line each.
 */
#include "json.h"

#include <inttypes.h>

#include "../base/json_string.h"
#include "shown.h"

/* A list whose elements, except the first, follow a comma. */
struct json_list {
  FILE *stream;
  bool more;
};

static const char *const json_kinds[VALUE_KINDS] = {"call", "memop", "vtable"};

static void json_next(struct json_list *list, const char *between) {
  if (list->more)
    fprintf(list->stream, ",%s", between);
  list->more = true;
}

/* Further members of an object: a key; with a number. */
static void json_put_key(FILE *stream, const char *key) {
  fprintf(stream, ",\"%s\":", key);
}

static void json_put_number(FILE *stream, const char *key, uint64_t number) {
  fprintf(stream, ",\"%s\":%" PRIu64, key, number);
}

/* A name, or null. */
static void json_put_reference(FILE *stream, const struct shown *shown,
                               uint64_t reference) {
  const char *name = reference_name(&shown->names, reference);
  if (name)
    json_put_string(stream, name);
  else
    fputs("null", stream);
}

/* ---- a record ---- */

static void put_site(FILE *stream, struct shown *shown, const struct site *site,
                     unsigned kind) {
  struct json_list list = {.stream = stream};
  rank_values(&shown->ranking, site);
  fputc('[', stream);
  for (uint32_t i = 0; i < site->count; i++) {
    struct value value = shown->ranking.list[i].value;
    json_next(&list, "");
    if (kind == VALUE_MEMOPS) {
      fprintf(stream, "{\"size\":%" PRIu64, value.value);
    } else {
      fputs("{\"name\":", stream);
      json_put_reference(stream, shown, value.value);
    }
    json_put_number(stream, "count", value.count);
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void put_sites(FILE *stream, struct shown *shown,
                      const struct counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct json_list list = {.stream = stream};
    json_put_key(stream, json_kinds[kind]);
    fputc('[', stream);
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      json_next(&list, "");
      put_site(stream, shown, &counts->more->sites[kind][i], kind);
    }
    fputc(']', stream);
  }
}

static void put_counters(FILE *stream, const struct counts *counts) {
  struct json_list list = {.stream = stream};
  json_put_key(stream, "counters");
  fputc('[', stream);
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    json_next(&list, "");
    fprintf(stream, "%" PRIu64, counts->counters[i]);
  }
  fputc(']', stream);
}

static void put_name_and_hash(FILE *stream, const struct row *row) {
  fputs("{\"name\":", stream);
  json_put_string(stream, row->function->name);
  fprintf(stream, ",\"hash\":\"0x%016" PRIx64 "\"", row->counts->hash);
}

/* all: nothing was asked for, and so it is everything. */
static void put_record(FILE *stream, struct shown *shown, const struct row *row,
                       const struct wishes *wishes) {
  const struct counts *counts = row->counts;
  const char *pseudo = pseudo_name(counts);
  bool all = !wish_any(wishes);
  put_name_and_hash(stream, row);
  json_put_number(stream, "records", row->hashes);
  if (pseudo)
    fprintf(stream, ",\"pseudo\":\"%s\"", pseudo);
  else
    json_put_number(stream, "most", row->most);
  if (row_suspicious(row))
    fputs(",\"suspicious\":true", stream);
  if ((all || wishes->counts) && !pseudo)
    put_counters(stream, counts);
  if (all || wishes->bitmaps) {
    json_put_key(stream, "bitmap");
    fputc('"', stream);
    show_id(stream,
            (struct bytes){counts->more->bitmap, counts->more->bitmap_size});
    fputc('"', stream);
  }
  if (all || wishes->values)
    put_sites(stream, shown, counts);
  fputc('}', stream);
}

/* ---- lists of them ---- */

/* The records that were asked for; the first ones, without pseudo counts. */
static void json_put_list(FILE *stream, struct shown *shown,
                          const struct part *part,
                          const struct wishes *wishes) {
  struct json_list list = {.stream = stream};
  fputs(",\n\"list\":[\n", stream);
  for (size_t i = 0; i < part->listed; i++)
    if (!wish_any(wishes) || row_wished(&part->rows[i], part, wishes)) {
      json_next(&list, "\n");
      put_record(stream, shown, &part->rows[i], wishes);
    }
  fputs("]", stream);
}

static void json_put_hottest(FILE *stream, const struct part *part,
                             uint64_t most) {
  struct json_list list = {.stream = stream};
  fputs(",\n\"hottest\":[\n", stream);
  for (size_t i = 0; i < part->listed && most; i++) {
    if (pseudo_name(part->rows[i].counts))
      continue;
    json_next(&list, "\n");
    put_name_and_hash(stream, &part->rows[i]);
    json_put_number(stream, "most", part->rows[i].most);
    fputc('}', stream);
    most--;
  }
  fputs("]", stream);
}

/* ==== Written as it goes: a record a line. */

/* ---- sections of a part ---- */

static void put_covered(FILE *stream, const struct shown *shown,
                        const struct part *part, const struct wishes *wishes) {
  const struct functions_list functions = shown->functions;
  struct json_list list = {.stream = stream};
  fputs(",\n\"covered\":[\n", stream);
  for (size_t i = 0; i < functions.count; i++)
    if (function_ran(functions.list[i], part) &&
        name_wished(functions.list[i], wishes)) {
      json_next(&list, "\n");
      json_put_string(stream, functions.list[i]->name);
    }
  fputs("]", stream);
}

static void put_summary(FILE *stream, const struct part *part, bool cutoffs) {
  const struct summary *summary = &part->summary;
  fprintf(stream, ",\n\"summary\":{\"records\":%" PRIu64, summary->functions);
  json_put_number(stream, "counters", summary->blocks);
  json_put_number(stream, "most_first", summary->most_entry);
  json_put_number(stream, "most_others", summary->most_internal);
  json_put_number(stream, "most", summary->most);
  json_put_number(stream, "total", summary->total);
  json_put_number(stream, "hot", part_hot(part));
  if (cutoffs)
    fputs(",\n\"cutoffs\":[", stream);
  for (unsigned i = 0; cutoffs && i < SUMMARY_CUTOFFS; i++)
    fprintf(stream,
            "%s\n{\"cutoff\":%" PRIu32 ",\"least\":%" PRIu64
            ",\"counters\":%" PRIu64 "}",
            i ? "," : "", summary->cutoffs[i].cutoff, summary->cutoffs[i].least,
            summary->cutoffs[i].blocks);
  fputs(cutoffs ? "]}" : "}", stream);
}

static void put_site_totals(FILE *stream, const struct shown *shown,
                            const struct part *part) {
  fputs(",\n\"sites\":{", stream);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    const struct site_totals *sites = &part->sites[kind];
    struct json_list list = {.stream = stream};
    fprintf(stream, "%s\"%s\":{\"sites\":%" PRIu64, kind ? ",\n" : "",
            json_kinds[kind], sites->sites);
    json_put_number(stream, "with_values", sites->with_values);
    json_put_number(stream, "values", sites->values);
    json_put_key(stream, "histogram");
    fputc('[', stream);
    for (uint32_t i = 0; i <= shown->ranking.most; i++)
      if (sites->of_size[i]) {
        json_next(&list, "");
        fprintf(stream, "[%" PRIu32 ",%" PRIu64 "]", i, sites->of_size[i]);
      }
    fputs("]}", stream);
  }
  fputc('}', stream);
}

static void put_part(FILE *stream, struct shown *shown, const struct part *part,
                     const struct wishes *wishes) {
  bool all = !wish_any(wishes);
  fprintf(stream, ",\n\"%s\":{\"functions\":%" PRIu64,
          part->context_sensitive ? "context_sensitive" : "regular",
          part->names);
  json_put_number(stream, "functions_run", part->names_run);
  json_put_number(stream, "records", part->row_count);
  json_put_number(stream, "pseudo", part->pseudo);
  json_put_number(stream, "suspicious", part->suspicious);
  json_put_number(stream, "counters", part->counters);
  json_put_number(stream, "counters_run", part->counters_run);
  json_put_number(stream, "bitmap_bytes", part->bitmap_bytes);
  put_summary(stream, part, all || wishes->cutoffs);
  if (all || wishes->values)
    put_site_totals(stream, shown, part);
  if (wishes->covered)
    put_covered(stream, shown, part, wishes);
  if (wishes->hottest)
    json_put_hottest(stream, part, wishes->hottest);
  if (all || wish_functions(wishes))
    json_put_list(stream, shown, part, wishes);
  fputc('}', stream);
}

/* ---- the document ---- */

static void put_file(FILE *stream, const struct shown *shown,
                     const struct wishes *wishes) {
  const struct profile_file *file = &shown->file;
  struct json_list list = {.stream = stream};
  fputs("{\"file\":", stream);
  json_put_string(stream, wishes->file);
  fprintf(stream, ",\"format\":\"%s\"", format_name(file));
  if (file->version)
    json_put_number(stream, "version", file->version);
  if (shown->profile->has_bitmaps)
    json_put_number(
        stream, "mcdc_llvm",
        shown->profile->bitmaps >= BITMAPS_18 ? shown->profile->bitmaps : 0);
  if (file->format == FORMAT_RAW)
    fprintf(stream, ",\"bits\":%d,\"endian\":\"%s\"", file->wide ? 64 : 32,
            file->big ? "big" : "little");
  fputs(",\"modes\":[", stream);
  for (unsigned i = 0; i < SHOW_MODES; i++)
    if (shown->profile->flags & show_modes[i].flag) {
      json_next(&list, "");
      fprintf(stream, "\"%s\"", show_modes[i].name);
    }
  fputc(']', stream);
}

static void put_traces(FILE *stream, const struct shown *shown) {
  const struct profile *profile = shown->profile;
  fprintf(stream, ",\n\"traces\":{\"runs\":%" PRIu64 ",\"list\":[",
          profile->trace_stream);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct trace *trace = &profile->traces[i];
    struct json_list list = {.stream = stream};
    fprintf(stream, "%s{\"weight\":%" PRIu64 ",\"functions\":[",
            i ? ",\n" : "\n", trace->weight);
    for (size_t j = 0; j < trace->count; j++) {
      json_next(&list, "");
      json_put_reference(stream, shown, trace->functions[j]);
    }
    fputs("]}", stream);
  }
  fputs("]}", stream);
}

static void put_ids(FILE *stream, const struct profile *profile) {
  const struct bytes *ids = (const void *)profile->ids.data;
  fputs(",\n\"build_ids\":[", stream);
  for (size_t i = 0; i < profile->ids.size / sizeof *ids; i++) {
    fputs(i ? ",\"" : "\"", stream);
    show_id(stream, ids[i]);
    fputc('"', stream);
  }
  fputc(']', stream);
}

void show_profile_json(FILE *stream, struct shown *shown,
                       const struct wishes *wishes) {
  const struct profile *profile = shown->profile;
  const struct part *part;
  bool all = !wish_any(wishes);
  int i = -1;
  put_file(stream, shown, wishes);
  while ((part = part_next(shown, wishes, &i)))
    put_part(stream, shown, part, wishes);
  if (all || wishes->traces)
    put_traces(stream, shown);
  if (all || wishes->ids)
    put_ids(stream, profile);
  if (profile->memprof.size)
    fprintf(stream,
            ",\n\"memory_profile\":{\"version\":%u,"
            "\"bytes\":%zu}",
            profile->memprof_version, profile->memprof.size);
  fputs("}\n", stream);
}
