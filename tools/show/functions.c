/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line for each record, the name last:
 *       most      first  counters  hash                function
 *         33         12         2  0x0000000000000007  main
 * below it, what else was asked for.
 */
#include "functions.h"

#include <inttypes.h>

#include "lines.h"

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
  for (uint32_t i = 0; i < counts->bitmap_size; i++)
    line_add(&line, "%02x", counts->bitmap[i]);
  line_end(&line);
}

static double percent(uint64_t part, double whole) {
  return whole > 0 ? 100 * (double)part / whole : 0;
}

static void show_value(FILE *stream, const struct shown *shown, unsigned kind,
                       struct value value) {
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
  const struct site *site = &counts->sites[kind][at];
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
    show_value(stream, shown, kind, value);
  }
}

static void show_details(FILE *stream, struct shown *shown,
                         const struct row *row, const struct wishes *wishes) {
  const struct counts *counts = row->counts;
  if (row_suspicious(row))
    show_suspicious(stream, counts);
  if (wishes->counts && counts->counter_count && !pseudo_name(counts))
    show_counters(stream, counts);
  if (wishes->bitmaps && counts->bitmap_size)
    show_bitmap(stream, counts);
  for (unsigned kind = 0; wishes->values && kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->site_count[kind]; i++)
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
  for (size_t i = 0; i < part->row_count && count < most; i++)
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

void show_functions(FILE *stream, struct shown *shown, const struct part *part,
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

void show_hottest(FILE *stream, struct shown *shown, const struct part *part,
                  uint64_t most) {
  static const struct wishes none = {0};
  if (!show_list(stream, shown, part, &none, most))
    fputs("no function was counted\n", stream);
}
