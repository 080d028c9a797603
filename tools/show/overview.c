/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A label and what it is, a line each; then the hottest functions.
 */
#include "overview.h"

#include <inttypes.h>

#include "functions.h"
#include "lines.h"

enum { LABEL = 19, HOTTEST = 10 };

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

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void show_run(FILE *stream, const char *label, uint64_t all,
                     uint64_t run) {
  fprintf(stream, "%-*s%" PRIu64 ", %" PRIu64 " of them ran (%.1f %%)\n", LABEL,
          label, all, run, percent(run, all));
}

static void show_sites(FILE *stream, const struct part *part) {
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

static void show_part(FILE *stream, const struct part *part) {
  show_run(stream, "functions", part->names, part->names_run);
  if (part->row_count != part->names)
    fprintf(stream, "%-*s%zu; some functions have several hashes\n", LABEL,
            "records", part->row_count);
  show_run(stream, "counters", part->counters, part->counters_run);
  show_counts(stream, part);
  if (part->bitmaps)
    fprintf(stream, "%-*s%" PRIu64 " byte%s in %" PRIu64 " record%s\n", LABEL,
            "MC/DC bitmaps", part->bitmap_bytes, plural(part->bitmap_bytes),
            part->bitmaps, plural(part->bitmaps));
  show_sites(stream, part);
  show_odd(stream, part);
}

/* ---- all ---- */

static const char idle[] =
    "nothing ran: was the profile written at the end, of the same run?\n";
static const char empty[] =
    "no functions: was the code built with -fprofile-instr-generate or\n"
    "-fprofile-generate, and did the linker keep its sections? `bareprof\n"
    "doctor ELF` finds out. If the records are in the ELF only, say --elf.\n";

void show_overview(FILE *stream, struct shown *shown,
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
    show_part(stream, part);
    if (part->summary.most) {
      fputs("\nhottest functions:\n", stream);
      show_hottest(stream, shown, part, HOTTEST);
    } else if (!part->names_run) {
      fprintf(stream, "\n%s", idle);
    }
  }
}
