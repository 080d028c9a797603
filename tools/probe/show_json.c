/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes as JSON. A GUID is a string: as a number many readers round it.
 */
#include <inttypes.h>

#include "../base/json_string.h"
#include "show.h"

static void put_name(FILE *stream, const struct probes *probes, uint64_t guid) {
  char room[PROBE_NAME_ROOM];
  json_put_string(stream, probe_name_shown(probes, guid, room));
}

static void put_context(FILE *stream, const struct probes *probes,
                        const struct probe *probe) {
  const struct probe_frame *stack[PROBE_DEPTH_MOST];
  unsigned depth = 0;
  if (!probe->frame)
    return;
  for (const struct probe_frame *f = probe->frame; f; f = f->parent)
    stack[depth++] = f;
  fputs(",\"inlined\":", stream);
  for (char before = '['; depth; before = ',') {
    const struct probe_frame *frame = stack[--depth];
    fprintf(stream, "%c{\"function\":", before);
    put_name(stream, probes, frame->guid);
    fprintf(stream, ",\"site\":%" PRIu32, frame->site);
    if (frame->discriminator)
      fprintf(stream, ",\"discriminator\":%" PRIu32, frame->discriminator);
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void put_probe(FILE *stream, const struct probes *probes,
                      const struct probe *probe) {
  fprintf(stream,
          "{\"address\":%" PRIu64 ",\"index\":%" PRIu32
          ",\"type\":\"%s\",\"function\":",
          probe->address, probe->index, probe_type_name(probe->type));
  put_name(stream, probes, probe->guid);
  fprintf(stream, ",\"guid\":\"%" PRIu64 "\"", probe->guid);
  if (probe->discriminator)
    fprintf(stream, ",\"discriminator\":%" PRIu32, probe->discriminator);
  if (probe->attributes)
    fprintf(stream, ",\"attributes\":%u", (unsigned)probe->attributes);
  if (probe->flags & PROBE_DANGLING)
    fputs(",\"dangling\":true", stream);
  put_context(stream, probes, probe);
  fputc('}', stream);
}

static void put_functions(FILE *stream, const struct probes *probes) {
  fputs("\"functions\":[", stream);
  for (size_t i = 0; i < probes->function_count; i++) {
    const struct probe_function *function = &probes->functions[i];
    fprintf(stream, "%s\n{\"name\":", i ? "," : "");
    json_put_string(stream, function->name);
    fprintf(stream,
            ",\"guid\":\"%" PRIu64 "\",\"hash\":\"%" PRIu64 "\",\"code\":%s}",
            function->guid, function->hash,
            probe_has_code(probes, function->guid) ? "true" : "false");
  }
  fputs("]", stream);
}

static void put_symbol(FILE *stream, const struct probe_symbol *symbol) {
  if (!symbol) {
    fputs("{\"symbol\":null,\"probes\":[", stream);
    return;
  }
  fputs("{\"symbol\":", stream);
  json_put_string(stream, symbol->name);
  fprintf(stream, ",\"address\":%" PRIu64 ",\"size\":%" PRIu64 ",\"probes\":[",
          symbol->address, symbol->size);
}

void probes_show_json(FILE *stream, const struct probes *probes) {
  const struct probe_symbol *symbol = NULL;
  fprintf(stream, "{\"bytes\":%" PRIu64 ",\"loaded\":%" PRIu64 ",\n",
          probes->bytes, probes->loaded);
  put_functions(stream, probes);
  fputs(",\n\"code\":[", stream);
  for (size_t i = 0; i < probes->count; i++) {
    const struct probe_symbol *now =
        probes_symbol(probes, probes->list[i].address);
    bool begins = i == 0 || now != symbol;
    if (begins) {
      fputs(i ? "]},\n" : "\n", stream);
      put_symbol(stream, now);
    }
    symbol = now;
    fputs(begins ? "\n" : ",\n", stream);
    put_probe(stream, probes, &probes->list[i]);
  }
  fputs(probes->count ? "]}],\n\"lost\":[" : "],\n\"lost\":[", stream);
  for (size_t i = 0; i < probes->lost_count; i++) {
    fputs(i ? ",\n" : "\n", stream);
    put_probe(stream, probes, &probes->lost[i]);
  }
  fputs("]}\n", stream);
}
