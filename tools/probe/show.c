/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes as text.
 */
#include "show.h"

#include <inttypes.h>

#include "../base/error.h"

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

void probe_show_context(FILE *stream, const struct probes *probes,
                        const struct probe *probe) {
  const struct probe_frame *stack[PROBE_DEPTH_MOST];
  unsigned depth = 0;
  for (const struct probe_frame *f = probe->frame; f; f = f->parent)
    stack[depth++] = f;
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
    probe_show_context(stream, probes, probe);
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
