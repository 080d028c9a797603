/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The JSON (RFC 8259).
 */
#include "show.h"

#include <inttypes.h>

#include "../base/json_string.h"
#include "costs.h"

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
