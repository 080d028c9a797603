/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A disassembly line by line. Of both tools, the line of an instruction begins
 * with blanks, its address in hexadecimal, and a colon.
 */
#include <inttypes.h>
#include <string.h>

#include "show.h"

/* The words of llvm-profgen, with its blanks. */
static void put(FILE *stream, const struct probes *probes,
                const struct probe *probe) {
  char room[PROBE_NAME_ROOM];
  fprintf(stream, " [Probe]:\tFUNC: %s Index: %" PRIu32 "  ",
          probe_name_shown(probes, probe->guid, room), probe->index);
  if (probe->discriminator)
    fprintf(stream, "Discriminator: %" PRIu32 "  ", probe->discriminator);
  fprintf(stream, "Type: %s  ", probe_type_name(probe->type));
  if (probe->frame) {
    fputs("Inlined:", stream);
    probe_show_context(stream, probes, probe);
  }
  fputs(probe->flags & PROBE_DANGLING ? "Dangling\n" : "\n", stream);
}

static int digit_of(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool address_of(const char *line, size_t size, uint64_t *address) {
  size_t i = 0, digits = 0;
  *address = 0;
  while (i < size && (line[i] == ' ' || line[i] == '\t'))
    i++;
  for (; i < size && digit_of(line[i]) >= 0; i++, digits++)
    *address = *address << 4 | (unsigned)digit_of(line[i]);
  /* A heading of GNU objdump may end in a colon too, but not be a number. */
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
        put(stream, probes, &probes->list[i]);
      last = address;
    }
    fwrite(at, 1, size, stream);
    at += size;
  }
  return inserted;
}
