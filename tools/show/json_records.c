/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records, a line each.
 */
#include "json_inside.h"

#include <inttypes.h>

#include "../base/json_string.h"
#include "overview.h"

const char *const json_kinds[VALUE_KINDS] = {"call", "memop", "vtable"};

void json_next(struct json_list *list, const char *between) {
  if (list->more)
    fprintf(list->stream, ",%s", between);
  list->more = true;
}

void json_put_key(FILE *stream, const char *key) {
  fprintf(stream, ",\"%s\":", key);
}

void json_put_number(FILE *stream, const char *key, uint64_t number) {
  fprintf(stream, ",\"%s\":%" PRIu64, key, number);
}

void json_put_reference(FILE *stream, const struct shown *shown,
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
    for (uint32_t i = 0; i < counts->site_count[kind]; i++) {
      json_next(&list, "");
      put_site(stream, shown, &counts->sites[kind][i], kind);
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
    show_id(stream, (struct bytes){counts->bitmap, counts->bitmap_size});
    fputc('"', stream);
  }
  if (all || wishes->values)
    put_sites(stream, shown, counts);
  fputc('}', stream);
}

/* ---- lists of them ---- */

void json_put_list(FILE *stream, struct shown *shown, const struct part *part,
                   const struct wishes *wishes) {
  struct json_list list = {.stream = stream};
  fputs(",\n\"list\":[\n", stream);
  for (size_t i = 0; i < part->row_count; i++)
    if (!wish_any(wishes) || row_wished(&part->rows[i], part, wishes)) {
      json_next(&list, "\n");
      put_record(stream, shown, &part->rows[i], wishes);
    }
  fputs("]", stream);
}

void json_put_hottest(FILE *stream, const struct part *part, uint64_t most) {
  struct json_list list = {.stream = stream};
  fputs(",\n\"hottest\":[\n", stream);
  for (size_t i = 0; i < part->row_count && most; i++) {
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
