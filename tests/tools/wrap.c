/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A writer of small ELF files: header, one segment, contents, section
 * headers, in this order. Only the checksum is taken from the tool.
 */
#include "wrap.h"

#include <string.h>

#include "inflate.h"

struct section {
  const char *name;
  unsigned type, flags, link, align, entry_size;
  uint64_t address;
  const void *bytes; /* NULL: none in the file */
  size_t size;
  size_t offset; /* in the file, as it comes out */
};

struct writer {
  const struct target *target;
  unsigned char *start;
  size_t at;
  struct section sections[12];
  unsigned count;
};

enum { NULL_TYPE, PROGBITS, SYMTAB, STRTAB, NOTE = 7, NOBITS = 8 };

static void put(struct writer *w, uint64_t value, unsigned size) {
  store(w->target, w->start + w->at, size, value);
  w->at += size;
}

static void put_wide(struct writer *w, uint64_t value) {
  put(w, value, w->target->pointer);
}

static struct section *add(struct writer *w, const char *name, unsigned type,
                           const struct bareprof_span *span) {
  struct section *section = &w->sections[w->count++];
  *section = (struct section){.name = name, .type = type, .align = 4};
  if (span) {
    section->address = span->address;
    section->bytes = type == NOBITS ? NULL : span->begin;
    section->size = size_of(span);
  }
  return section;
}

static void put_contents(struct writer *w, struct section *section) {
  w->at = (w->at + 7) / 8 * 8;
  section->offset = w->at;
  if (section->bytes)
    memcpy(w->start + w->at, section->bytes, section->size);
  w->at += section->bytes ? section->size : 0;
}

/* The names as one stored block of zlib, behind an ELF's header for that. */
static void compress(struct writer *w, struct section *names) {
  struct writer to = {.target = w->target, .start = w->start + w->at};
  uint32_t sum = inflate_adler32(names->bytes, names->size);
  put(&to, 1, 4);
  if (w->target->pointer == 8)
    put(&to, 0, 4);
  put_wide(&to, names->size);
  put_wide(&to, 1);
  static const unsigned char begin[] = {0x78, 0x01, 0x01};
  memcpy(to.start + to.at, begin, 3);
  to.at += 3;
  for (unsigned i = 0; i < 2; i++) {
    size_t size = i ? ~names->size : names->size;
    to.start[to.at++] = (unsigned char)size;
    to.start[to.at++] = (unsigned char)(size >> 8);
  }
  memcpy(to.start + to.at, names->bytes, names->size);
  to.at += names->size;
  for (unsigned shift = 32; shift; shift -= 8)
    to.start[to.at++] = (unsigned char)(sum >> (shift - 8));
  names->bytes = to.start;
  names->size = to.at;
  names->flags = 0x800;
  w->at += to.at;
}

static size_t symbols(struct writer *w, unsigned char *to, uint64_t value) {
  struct writer s = {.target = w->target, .start = to};
  s.at = w->target->pointer == 8 ? 24 : 16;
  memset(to, 0, s.at);
  for (unsigned binding = 0; binding < 2; binding++) {
    uint64_t this_value = binding ? value : 0x77;
    put(&s, 1, 4);
    if (w->target->pointer == 4) {
      put(&s, this_value, 4);
      put(&s, 8, 4);
    }
    put(&s, binding << 4 | 1, 1);
    put(&s, 0, 1);
    put(&s, 2, 2);
    if (w->target->pointer == 8) {
      put(&s, this_value, 8);
      put(&s, 8, 8);
    }
  }
  return s.at;
}

static void put_section(struct writer *w, const struct section *section,
                        const char *names) {
  const char *name = names + 1;
  while (strcmp(name, section->name))
    name += strlen(name) + 1;
  put(w, (uint64_t)(name - names), 4);
  put(w, section->type, 4);
  put_wide(w, section->flags);
  put_wide(w, section->address);
  put_wide(w, section->offset);
  put_wide(w, section->size);
  put(w, section->link, 4);
  put(w, section->type ? 0 : 1, 4);
  put_wide(w, section->align);
  put_wide(w, section->entry_size);
}

static void put_segment(struct writer *w, const struct section *note) {
  bool wide = w->target->pointer == 8;
  w->at = wide ? 64 : 52;
  put(w, 4, 4);
  if (wide)
    put(w, 4, 4);
  put_wide(w, note->offset);
  put_wide(w, note->address);
  put_wide(w, note->address + 0x1000);
  put_wide(w, note->size);
  put_wide(w, note->size);
  if (!wide)
    put(w, 4, 4);
  put_wide(w, 4);
}

static void put_header(struct writer *w, uint64_t sections, unsigned shape) {
  const struct target *target = w->target;
  bool wide = target->pointer == 8, extended = shape & WRAP_EXTENDED;
  const unsigned char id[16] = {
      0x7F, 'E', 'L', 'F', wide ? 2 : 1, target->big ? 2 : 1, 1};
  memcpy(w->start, id, sizeof id);
  w->at = sizeof id;
  put(w, 2, 2);
  put(w, 40, 2);
  put(w, 1, 4);
  put_wide(w, 0x1234);
  put_wide(w, wide ? 64 : 52);
  put_wide(w, sections);
  put(w, 0x05000200, 4);
  put(w, wide ? 64 : 52, 2);
  put(w, wide ? 56 : 32, 2);
  put(w, extended ? 0xFFFF : 1, 2);
  put(w, wide ? 64 : 40, 2);
  put(w, extended ? 0 : w->count, 2);
  put(w, extended ? 0xFFFF : w->count - 1, 2);
}

static void add_profile(struct writer *w, const struct firmware *firmware,
                        unsigned shape) {
  const struct bareprof_image *image = &firmware->image;
  bool correlated = shape & WRAP_CORRELATED;
  add(w, "__llvm_prf_cnts", NOBITS, &image->counters);
  add(w, "__llvm_prf_bits", NOBITS, &image->bitmap);
  add(w, correlated ? "__llvm_covdata" : "__llvm_prf_data", PROGBITS,
      &image->records);
  struct section *names =
      add(w, correlated ? "__llvm_covnames" : "__llvm_prf_names", PROGBITS,
          &image->names);
  if (shape & WRAP_COMPRESSED)
    compress(w, names);
  add(w, ".note.gnu.build-id", shape & WRAP_SEGMENT ? PROGBITS : NOTE,
      &image->build_id);
}

size_t wrap(unsigned char *to, const struct firmware *firmware,
            unsigned shape) {
  static const char symbol_names[] = "\0" WRAP_SYMBOL;
  struct writer w = {.target = &firmware->target, .start = to};
  memset(to, 0, WRAP_ROOM);
  bool wide = firmware->target.pointer == 8;
  w.at = wide ? 64 + 56 : 52 + 32;
  add(&w, "", NULL_TYPE, NULL);
  add_profile(&w, firmware, shape);
  unsigned char table[3 * 24];
  struct section *section = add(&w, ".symtab", SYMTAB, NULL);
  section->bytes = table;
  section->size = symbols(&w, table, firmware->counters_address);
  section->link = w.count;
  section->entry_size = wide ? 24 : 16;
  section = add(&w, ".strtab", STRTAB, NULL);
  section->bytes = symbol_names;
  section->size = sizeof symbol_names;
  section = add(&w, ".shstrtab", STRTAB, NULL);

  char names[256] = {0};
  size_t size = 1;
  for (unsigned i = 0; i < w.count; i++) {
    size_t length = strlen(w.sections[i].name) + 1;
    memcpy(names + size, w.sections[i].name, length);
    size += length;
  }
  section->bytes = names;
  section->size = size;
  for (unsigned i = 1; i < w.count; i++)
    put_contents(&w, &w.sections[i]);
  size_t headers = w.at = (w.at + 7) / 8 * 8;
  if (shape & WRAP_EXTENDED) {
    w.sections[0].size = w.count;
    w.sections[0].link = w.count - 1;
  }
  for (unsigned i = 0; i < w.count; i++)
    put_section(&w, &w.sections[i], names);
  size_t end = w.at;
  put_segment(&w, &w.sections[5]);
  put_header(&w, headers, shape);
  return end;
}
