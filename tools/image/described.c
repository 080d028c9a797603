/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions out of debug information, and records out of these.
 */
#include "described.h"

#include <stdlib.h>
#include <string.h>

#include "../base/dwarf_counters.h"
#include "../base/md5.h"

static const char no_memory[] = "out of memory; close other programs";

/* A record of any version is no larger: so their section keeps to the limit
 * too. */
enum { RECORD_MOST = 72 };

struct function {
  uint64_t reference, hash, address;
  uint32_t count;
};

static const char *keep(struct described *described,
                        const struct buffer *list) {
  const struct dwarf_counters *functions =
      (const struct dwarf_counters *)list->data;
  size_t count = list->size / sizeof *functions;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct dwarf_counters *from = &functions[i];
    const struct function to = {
        md5_low64(from->name, strlen(from->name)), from->hash, from->address,
        from->count > UINT32_MAX ? UINT32_MAX : (uint32_t)from->count};
    error = buffer_append(&described->functions, &to, sizeof to);
  }
  if (!error && count)
    error = dwarf_counters_names(list, &described->names);
  described->count = count;
  return error ? "a profile section of it would be larger than 16 MB; is it "
                 "damaged?"
               : NULL;
}

const char *described_read(struct described *described, const struct elf *elf,
                           const struct elf_section *counters) {
  *described =
      (struct described){.functions = {.limit = PIECE_LIMIT / RECORD_MOST *
                                                sizeof(struct function)},
                         .names = {.limit = PIECE_LIMIT}};
  struct elf_section section;
  struct dwarf dwarf;
  if (!elf_find_section(elf, ".debug_info", &section))
    return NULL;
  struct buffer list = {.size = 0};
  const struct dwarf_span span = {counters->address,
                                  counters->address + counters->size};
  const char *error = dwarf_open(&dwarf, elf);
  if (!error)
    error = dwarf_counters_read(&dwarf, span, &list);
  if (!error)
    error = keep(described, &list);
  buffer_free(&list);
  dwarf_close(&dwarf);
  return error;
}

void described_free(struct described *described) {
  buffer_free(&described->functions);
  buffer_free(&described->names);
  described->count = 0;
}

static unsigned char *make_records(const struct described *described,
                                   const struct header *header,
                                   const struct bareprof_layout *layout) {
  const struct function *functions =
      (const struct function *)described->functions.data;
  bool big = header->big_endian;
  size_t size = layout->record_size;
  unsigned char *records = calloc(described->count + 1, size);
  for (size_t i = 0; i < described->count && records; i++) {
    unsigned char *to = records + i * size;
    uint64_t counters = functions[i].address;
    if (!(layout->fields & BAREPROF_ABSOLUTE))
      counters -= i * size;
    store64(to, functions[i].reference, big);
    store64(to + 8, functions[i].hash, big);
    store_number(to + 16, counters, header->wide ? 8 : 4, big);
    store32(to + layout->counts_at, functions[i].count, big);
  }
  return records;
}

static const char *take(struct snapshot *snapshot, unsigned piece,
                        unsigned char *bytes) {
  const struct header *header = &snapshot->header;
  unsigned element = header_element(header, piece);
  struct range all = {0, (uint32_t)(header->pieces[piece].size / element)};
  snapshot->parts[piece].bytes = bytes;
  return bytes && snapshot_know(snapshot, piece, all) ? NULL : no_memory;
}

const char *described_take(const struct described *described,
                           struct snapshot *snapshot,
                           const struct bareprof_layout *layout) {
  unsigned char *names = malloc(described->names.size);
  if (names)
    memcpy(names, described->names.data, described->names.size);
  const char *error = take(snapshot, BAREPROF_PIECE_NAMES, names);
  return error ? error
               : take(snapshot, BAREPROF_PIECE_RECORDS,
                      make_records(described, &snapshot->header, layout));
}
