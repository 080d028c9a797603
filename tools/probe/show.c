/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes as text.
 */
#include "show.h"

#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "../base/error.h"
#include "../base/json_string.h"

const char *probe_name_shown(const struct probes *probes, uint64_t guid,
                             char room[PROBE_NAME_ROOM]) {
  const char *name = probes_name(probes, guid);
  if (name)
    return name;
  snprintf(room, PROBE_NAME_ROOM, "%" PRIu64, guid);
  return room;
}

/* Most names need no care. */
static bool is_plain(const char *name) {
  for (; *name; name++)
    if (*name <= ' ' || *name > '~')
      return false;
  return true;
}

static void put_name(FILE *stream, const struct probes *probes, uint64_t guid) {
  char room[PROBE_NAME_ROOM], shown[4096];
  const char *name = probe_name_shown(probes, guid, room);
  fputs(is_plain(name) ? name : printable(shown, sizeof shown, name), stream);
}

/* The frames of a probe, the outermost last; how many. */
static unsigned stack_of(const struct probe *probe,
                         const struct probe_frame *stack[PROBE_DEPTH_MOST]) {
  unsigned depth = 0;
  for (const struct probe_frame *f = probe->frame; f; f = f->parent)
    stack[depth++] = f;
  return depth;
}

/* " @ OUTERMOST:SITE @ ...", nothing if the probe is not inlined. */
static void put_context(FILE *stream, const struct probes *probes,
                        const struct probe *probe) {
  const struct probe_frame *stack[PROBE_DEPTH_MOST];
  unsigned depth = stack_of(probe, stack);
  while (depth) {
    const struct probe_frame *frame = stack[--depth];
    fputs(" @ ", stream);
    put_name(stream, probes, frame->guid);
    fprintf(stream, ":%" PRIu32, frame->site);
    if (frame->discriminator)
      fprintf(stream, ".%" PRIu32, frame->discriminator);
  }
}

/* A million of them take long by printf. Returns where it ends. */
static char *put_hex(char *to, uint64_t value) {
  int digits = 1;
  while (digits < 16 && value >> 4 * digits)
    digits++;
  while (digits-- > 0)
    *to++ = "0123456789abcdef"[value >> 4 * digits & 15];
  return to;
}

static void put_probe(FILE *stream, const struct probes *probes,
                      const struct probe *probe) {
  char line[32] = "  0x";
  fwrite(line, 1, (size_t)(put_hex(line + 4, probe->address) - line), stream);
  fprintf(stream, "  %3" PRIu32, probe->index);
  if (probe->discriminator)
    fprintf(stream, ".%" PRIu32, probe->discriminator);
  fprintf(stream, "  %-12s  ", probe_type_name(probe->type));
  put_name(stream, probes, probe->guid);
  if (probe->frame)
    put_context(stream, probes, probe);
  fputs(probe->flags & PROBE_DANGLING ? "  (dangling)\n" : "\n", stream);
}

/* ---- headings ---- */

static void put_identity(FILE *stream, const struct probes *probes,
                         uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  if (function)
    fprintf(stream, "GUID %" PRIu64 ", hash %" PRIu64, guid, function->hash);
  else
    fputs("no descriptor of its own", stream);
}

static void put_symbol(FILE *stream, const struct probes *probes,
                       const struct probe_symbol *symbol) {
  char shown[4096];
  if (!symbol) {
    fputs("\noutside of all functions:\n", stream);
    return;
  }
  fprintf(stream, "\n%s: 0x%" PRIx64 ", %" PRIu64 " bytes, ",
          printable(shown, sizeof shown, symbol->name), symbol->address,
          symbol->size);
  put_identity(stream, probes, symbol->guid);
  fputc('\n', stream);
}

static const char *why_lost(unsigned placed) {
  return placed == PROBE_NO_CODE ? "its code is gone"
                                 : "no symbol is where its code is";
}

static void show_lost(FILE *stream, const struct probes *probes) {
  uint32_t record = UINT32_MAX;
  if (!probes->lost_count)
    return;
  fputs("\nwithout a place; addresses count from the beginning of each:\n",
        stream);
  for (size_t i = 0; i < probes->lost_count; i++) {
    const struct probe *probe = &probes->lost[i];
    if (probe->record != record) {
      record = probe->record;
      const struct probe_record *from = &probes->records[record];
      put_name(stream, probes, from->guid);
      fprintf(stream, " (%s)\n", why_lost(from->placed));
    }
    put_probe(stream, probes, probe);
  }
}

static void show_inlined(FILE *stream, const struct probes *probes) {
  bool any = false;
  for (size_t i = 0; i < probes->function_count; i++) {
    const struct probe_function *function = &probes->functions[i];
    if (probe_has_code(probes, function->guid))
      continue;
    if (!any)
      fputs("\nwithout code of their own:\n", stream);
    any = true;
    fputs("  ", stream);
    put_name(stream, probes, function->guid);
    fputs(": ", stream);
    put_identity(stream, probes, function->guid);
    fputc('\n', stream);
  }
}

void probes_show(FILE *stream, const struct probes *probes) {
  const struct probe_symbol *symbol = NULL;
  fprintf(stream,
          "%zu functions, %zu probes; %" PRIu64 " bytes in the file, %" PRIu64
          " in the image\n",
          probes->function_count, probes->count + probes->lost_count,
          probes->bytes, probes->loaded);
  for (size_t i = 0; i < probes->count; i++) {
    const struct probe_symbol *now =
        probes_symbol(probes, probes->list[i].address);
    if (i == 0 || now != symbol)
      put_symbol(stream, probes, now);
    symbol = now;
    put_probe(stream, probes, &probes->list[i]);
  }
  show_lost(stream, probes);
  show_inlined(stream, probes);
}

/* ==== Probes as JSON. A GUID is a string: as a number many readers round it.
 */

static void json_put_name(FILE *stream, const struct probes *probes,
                          uint64_t guid) {
  char room[PROBE_NAME_ROOM];
  json_put_string(stream, probe_name_shown(probes, guid, room));
}

static void json_put_context(FILE *stream, const struct probes *probes,
                             const struct probe *probe) {
  const struct probe_frame *stack[PROBE_DEPTH_MOST];
  unsigned depth = stack_of(probe, stack);
  if (!depth)
    return;
  fputs(",\"inlined\":", stream);
  for (char before = '['; depth; before = ',') {
    const struct probe_frame *frame = stack[--depth];
    fprintf(stream, "%c{\"function\":", before);
    json_put_name(stream, probes, frame->guid);
    fprintf(stream, ",\"site\":%" PRIu32, frame->site);
    if (frame->discriminator)
      fprintf(stream, ",\"discriminator\":%" PRIu32, frame->discriminator);
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void json_put_probe(FILE *stream, const struct probes *probes,
                           const struct probe *probe) {
  fprintf(stream,
          "{\"address\":%" PRIu64 ",\"index\":%" PRIu32
          ",\"type\":\"%s\",\"function\":",
          probe->address, probe->index, probe_type_name(probe->type));
  json_put_name(stream, probes, probe->guid);
  fprintf(stream, ",\"guid\":\"%" PRIu64 "\"", probe->guid);
  if (probe->discriminator)
    fprintf(stream, ",\"discriminator\":%" PRIu32, probe->discriminator);
  if (probe->attributes)
    fprintf(stream, ",\"attributes\":%u", (unsigned)probe->attributes);
  if (probe->flags & PROBE_DANGLING)
    fputs(",\"dangling\":true", stream);
  json_put_context(stream, probes, probe);
  fputc('}', stream);
}

static void json_put_functions(FILE *stream, const struct probes *probes) {
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

static void json_put_symbol(FILE *stream, const struct probe_symbol *symbol) {
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
  json_put_functions(stream, probes);
  fputs(",\n\"code\":[", stream);
  for (size_t i = 0; i < probes->count; i++) {
    const struct probe_symbol *now =
        probes_symbol(probes, probes->list[i].address);
    bool begins = i == 0 || now != symbol;
    if (begins) {
      fputs(i ? "]},\n" : "\n", stream);
      json_put_symbol(stream, now);
    }
    symbol = now;
    fputs(begins ? "\n" : ",\n", stream);
    json_put_probe(stream, probes, &probes->list[i]);
  }
  fputs(probes->count ? "]}],\n\"lost\":[" : "],\n\"lost\":[", stream);
  for (size_t i = 0; i < probes->lost_count; i++) {
    fputs(i ? ",\n" : "\n", stream);
    json_put_probe(stream, probes, &probes->lost[i]);
  }
  fputs("]}\n", stream);
}

/* ==== A disassembly line by line. Of both tools, the line of an instruction
 * begins with blanks, its address in hexadecimal, and a colon. */

/* The words of llvm-profgen, with its blanks. */
static void put_annotation(FILE *stream, const struct probes *probes,
                           const struct probe *probe) {
  char room[PROBE_NAME_ROOM];
  fprintf(stream, " [Probe]:\tFUNC: %s Index: %" PRIu32 "  ",
          probe_name_shown(probes, probe->guid, room), probe->index);
  if (probe->discriminator)
    fprintf(stream, "Discriminator: %" PRIu32 "  ", probe->discriminator);
  fprintf(stream, "Type: %s  ", probe_type_name(probe->type));
  if (probe->frame) {
    fputs("Inlined:", stream);
    put_context(stream, probes, probe);
  }
  fputs(probe->flags & PROBE_DANGLING ? "Dangling\n" : "\n", stream);
}

static bool address_of(const char *line, size_t size, uint64_t *address) {
  size_t i = 0, digits = 0;
  *address = 0;
  while (i < size && (line[i] == ' ' || line[i] == '\t'))
    i++;
  for (; i < size && digit_of((unsigned char)line[i]) < 16; i++, digits++)
    *address = *address << 4 | digit_of((unsigned char)line[i]);
  /* A heading of GNU objdump may end in a colon too; it is no number. */
  return digits && digits <= 16 && i < size && line[i] == ':' &&
         (i + 1 == size || line[i + 1] == ' ' || line[i + 1] == '\t');
}

size_t probes_annotate(FILE *stream, const struct probes *probes,
                       struct bytes disassembly, size_t *between) {
  const char *at = (const char *)disassembly.data;
  const char *end = at + disassembly.size;
  uint64_t last = UINT64_MAX, address;
  size_t inserted = 0;
  *between = 0;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t size = newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);
    if (address_of(at, size, &address)) {
      size_t i = probes_from(probes, address);
      if (last < address &&
          probes_symbol(probes, last) == probes_symbol(probes, address))
        *between += i - probes_from(probes, last + 1);
      for (; i < probes->count && probes->list[i].address == address;
           i++, inserted++)
        put_annotation(stream, probes, &probes->list[i]);
      last = address;
    }
    fwrite(at, 1, size, stream);
    at += size;
  }
  return inserted;
}
