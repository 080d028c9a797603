/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The text. A finding is a line or two:
 *   error   D012 counters-missing: what is wrong; the mend
 */
#include "show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "../base/error.h"
#include "../base/json_string.h"
#include "costs.h"

enum { COLUMNS = 80 };

const char *kind_name(enum kind kind) {
  static const char *const names[] = {"bare",       "full",  "lean",
                                      "correlated", "debug", "lost"};
  return names[kind];
}

/* Prints words up to the last column, from column `at` on, the following lines
 * indented. */
static void print_wrapped(FILE *stream, unsigned indent, size_t at,
                          const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void print_wrapped(FILE *stream, unsigned indent, size_t at,
                          const char *format, ...) {
  char raw[FINDING_ROOM + 100], text[sizeof raw];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  const char *word = printable(text, sizeof text, raw);
  size_t column = at;
  while (*word) {
    /* Spaces before a word are its own: columns stay what they are. */
    size_t spaces = strspn(word, " ");
    size_t length = spaces + strcspn(word + spaces, " ");
    if (column && column + length > COLUMNS) {
      fprintf(stream, "\n%*s", (int)indent, "");
      column = indent;
      word += spaces;
      length -= spaces;
    }
    fwrite(word, 1, length, stream);
    column += length;
    word += length;
  }
  fputc('\n', stream);
}

static void show_image(FILE *stream, const char *file,
                       const struct facts *facts) {
  static const char *const kinds[] = {
      "no counters",
      "full image",
      "lean image",
      "lean image by -profile-correlate=binary",
      "counters, records in the debug information",
      "counters without records"};
  char functions[64] = "", raw[64] = "", hex[64] = "";
  struct bytes id;
  if (facts->functions.count)
    snprintf(functions, sizeof functions, ", %zu function%s",
             facts->functions.count, facts->functions.count == 1 ? "" : "s");
  if (facts->version)
    snprintf(raw, sizeof raw, ", raw version %" PRIu32,
             (uint32_t)facts->version);
  if (elf_build_id(facts->elf, &id)) {
    size_t used = (size_t)snprintf(hex, sizeof hex, ", build id ");
    for (size_t i = 0; i < id.size && i < 4; i++)
      used +=
          (size_t)snprintf(hex + used, sizeof hex - used, "%02x", id.data[i]);
    snprintf(hex + used, sizeof hex - used, "%s", id.size > 4 ? "..." : "");
  }
  print_wrapped(stream, 2, 0, "%.500s: %s%s%s%s", file, kinds[facts->kind],
                functions, raw, hex);
}

/* A sum and its parts, of which those that are 0 are left out. */
struct share {
  const char *name;
  uint64_t size;
};

static void show_sum(FILE *stream, const char *what, const struct share *parts,
                     size_t count) {
  char text[500] = "";
  size_t used = 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += parts[i].size;
    if (parts[i].size)
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s%s %" PRIu64,
                           used ? ", " : ": ", parts[i].name, parts[i].size);
  }
  print_wrapped(stream, 10, 0, "  %-6s  %" PRIu64 " bytes%s", what, sum, text);
}

/* Whether the code records values, who does it, and how much of it. */
static void show_values(FILE *stream, const struct facts *facts) {
  static const char *const hooks[] = {"no hooks", "bareprof's hooks",
                                      "hooks that do nothing",
                                      "hooks of another runtime"};
  char slots[80] = "";
  if (!facts->sites)
    return;
  if (facts->hooks == OUR_HOOKS)
    snprintf(slots, sizeof slots,
             ", %" PRIu32 " slots, at most %" PRIu32 " values a site",
             facts->storage.count, facts->storage.ways);
  print_wrapped(stream, 10, 0, "  values  %" PRIu64 " sites, %s%s",
                facts->sites, hooks[facts->hooks], slots);
}

static void show_costs(FILE *stream, const struct facts *facts) {
  const struct costs c = costs_of(facts);
  const struct share ram[] = {{"counters", c.counters},
                              {"bitmaps", c.bitmap},
                              {"values", c.values},
                              {"guard", c.guard}};
  const struct share flash[] = {
      {"records", c.records},          {"names", c.names},
      {"vtables", c.vtables},          {"coverage map", c.maps},
      {"initial counters", c.initial}, {"runtime (by its symbols)", c.runtime}};
  show_sum(stream, "RAM", ram, sizeof ram / sizeof *ram);
  show_values(stream, facts);
  show_sum(stream, "flash", flash, sizeof flash / sizeof *flash);
  if (costs_saved(&c))
    print_wrapped(stream, 10, 0,
                  "  lean    would save %" PRIu64
                  " bytes of flash, by bareprof-lean.ld",
                  costs_saved(&c));
  char full[64] = "";
  if (facts->kind == FULL)
    snprintf(full, sizeof full, ", %" PRIu64 " to %" PRIu64 " full", c.full[0],
             c.full[1]);
  print_wrapped(stream, 10, 0,
                "  wire    %" PRIu64 " to %" PRIu64
                " bytes lean%s, a third more as TEXT (estimated)",
                c.lean[0], c.lean[1], full);
  if (c.stack)
    print_wrapped(stream, 10, 0,
                  "  stack   %u bytes at most and your sink's, by the budgets "
                  "of what is linked",
                  c.stack);
}

void show_text(FILE *stream, const char *file, const struct facts *facts,
               const struct findings *findings) {
  show_image(stream, file, facts);
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    static const enum paint colours[] = {PAINT_RED, PAINT_YELLOW, PAINT_GREEN};
    fputs(paint(stream, colours[finding->severity]), stream);
    fprintf(stream, "%-7s", severity_name(finding->severity));
    fputs(paint(stream, PAINT_END), stream);
    print_wrapped(stream, 2, 7, " D%03d %s: %s", finding->code,
                  finding_name(finding->code), finding->text);
  }
  if (!findings->count)
    fputs("nothing found that would be in the way of a profile\n", stream);
  if (facts->sections[CNTS].size)
    show_costs(stream, facts);
}

/* ==== The JSON (RFC 8259). */

static void put_numbers(FILE *stream, const char *name, const char *const *keys,
                        const uint64_t *values, size_t count) {
  fprintf(stream, "\"%s\":{", name);
  for (size_t i = 0; i < count; i++)
    fprintf(stream, "%s\"%s\":%" PRIu64, i ? "," : "", keys[i], values[i]);
  fputc('}', stream);
}

static void put_costs(FILE *stream, const struct facts *facts) {
  static const char *const ram_keys[] = {"counters", "bitmaps", "values",
                                         "guard"};
  static const char *const flash_keys[] = {"records",          "names",
                                           "vtables",          "coverage_map",
                                           "initial_counters", "runtime"};
  const struct costs c = costs_of(facts);
  const uint64_t ram[] = {c.counters, c.bitmap, c.values, c.guard};
  const uint64_t flash[] = {c.records, c.names,   c.vtables,
                            c.maps,    c.initial, c.runtime};
  fputs(",\"costs\":{", stream);
  put_numbers(stream, "ram", ram_keys, ram, 4);
  fputc(',', stream);
  put_numbers(stream, "flash", flash_keys, flash, 6);
  fprintf(stream,
          ",\"lean_saves\":%" PRIu64 ",\"wire_estimate\":{\"lean\":[%" PRIu64
          ",%" PRIu64 "]",
          costs_saved(&c), c.lean[0], c.lean[1]);
  if (facts->kind == FULL)
    fprintf(stream, ",\"full\":[%" PRIu64 ",%" PRIu64 "]", c.full[0],
            c.full[1]);
  fputc('}', stream);
  if (c.stack)
    fprintf(stream, ",\"stack\":%u", c.stack);
  fputc('}', stream);
}

static void put_facts(FILE *stream, const struct facts *facts) {
  struct bytes id;
  fprintf(stream, ",\"kind\":\"%s\"", kind_name(facts->kind));
  if (facts->version)
    fprintf(stream, ",\"raw_version\":%" PRIu32, (uint32_t)facts->version);
  if (facts->functions.count)
    fprintf(stream, ",\"functions\":%zu", facts->functions.count);
  if (facts->sites) {
    static const char *const hooks[] = {"none", "bareprof", "stubs", "other"};
    fprintf(stream, ",\"values\":{\"sites\":%" PRIu64 ",\"hooks\":\"%s\"",
            facts->sites, hooks[facts->hooks]);
    if (facts->hooks == OUR_HOOKS)
      fprintf(stream, ",\"slots\":%" PRIu32 ",\"ways\":%" PRIu32,
              facts->storage.count, facts->storage.ways);
    fputc('}', stream);
  }
  if (elf_build_id(facts->elf, &id)) {
    fputs(",\"build_id\":\"", stream);
    for (size_t i = 0; i < id.size; i++)
      fprintf(stream, "%02x", id.data[i]);
    fputc('"', stream);
  }
}

void show_json(FILE *stream, const char *file, const struct facts *facts,
               const struct findings *findings) {
  fputs("{\"file\":", stream);
  json_put_string(stream, file);
  if (facts)
    put_facts(stream, facts);
  fputs(",\"findings\":[", stream);
  for (size_t i = 0; i < findings->count; i++) {
    const struct finding *finding = &findings->list[i];
    fprintf(stream,
            "%s{\"code\":\"D%03d\",\"name\":\"%s\",\"severity\":\"%s\","
            "\"text\":",
            i ? "," : "", finding->code, finding_name(finding->code),
            severity_name(finding->severity));
    json_put_string(stream, finding->text);
    fputc('}', stream);
  }
  fputc(']', stream);
  if (facts && facts->sections[CNTS].size)
    put_costs(stream, facts);
  fputc('}', stream);
}
