/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the notes about counters that `bareprof cc` leaves in objects
 * (snapshot.h). Converts the counters of images with bareprof_fold to counts.
 * `bareprof doctor`, `join` and `report` print the result.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../object/mapping.h"
#include "../object/names.h"
#include "fold/fold.h"
#include "image.h"
#include "trace_counts.h"
#include "raw_version.h"

/* The unread part of a section, whose strings end with zeros. */
struct section_text_cursor {
  const char *at, *end;
};

static bool skip_word(struct section_text_cursor *text, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(text->end - text->at) < size || memcmp(text->at, word, size))
    return false;
  text->at += size;
  return true;
}

/* Parses a decimal number and the blank after it. */
static bool parse_number_and_blank(struct section_text_cursor *text,
                                   uint64_t *value) {
  const char *begin = text->at;
  for (*value = 0; text->at != text->end && *text->at >= '0' &&
                   *text->at <= '9' && *value < UINT32_MAX;
       text->at++)
    *value = *value * 10 + (uint64_t)(*text->at - '0');
  return text->at != begin && skip_word(text, " ");
}

static void add_object_to_group(struct object_group *width,
                                struct bytes source) {
  enum { MOST = sizeof width->source - 1 };
  if (width->objects++)
    return;
  if (source.size > MOST) {
    source.data += source.size - MOST;
    source.size = MOST;
  }
  memcpy(width->source, source.data, source.size);
}

/* The first words of the notes, and the kind of counters for each word.
 * WIDTH_KINDS stands for the notes of --place=bss. The first NARROW words mean
 * 32-bit increments. */
static const struct {
  const char *word;
  enum counter_width_kind kind;
} width_words[] = {{"32 ", WIDTH_8},        {"32-atomic ", WIDTH_8},
                   {"32-packed ", WIDTH_4}, {"32-packed-atomic ", WIDTH_4},
                   {"64 ", WIDTH_8},        {"byte ", WIDTH_1},
                   {"trace ", WIDTH_0},     {"bss ", WIDTH_KINDS}};

static struct bytes rest_of_text(struct section_text_cursor text) {
  return (struct bytes){(const unsigned char *)text.at,
                        (size_t)(text.end - text.at)};
}

/* Parses a note that `bareprof cc` has put into an object, such as "32 0
 * main.c": the width or `bss`; how many 8-byte increments are left, or with
 * `bss` the raw version; and the source. */
static void parse_object_note(struct counter_widths *widths,
                              struct section_text_cursor text) {
  struct section_text_cursor whole = text;
  uint64_t left = 0;
  if (text.at == text.end)
    return;
  if (skip_word(&text, "fold") && text.at == text.end) {
    widths->folded = true;
    return;
  }
  text = whole;
  enum { WORDS = sizeof width_words / sizeof *width_words, NARROW = 4 };
  unsigned word = 0;
  while (word < WORDS && !skip_word(&text, width_words[word].word))
    word++;
  if (word == WORDS || !parse_number_and_blank(&text, &left)) {
    add_object_to_group(&widths->other, rest_of_text(whole));
    return;
  }
  struct bytes source = rest_of_text(text);
  enum counter_width_kind kind = width_words[word].kind;
  add_object_to_group(
      kind < WIDTH_KINDS ? &widths->kinds[kind] : &widths->placed, source);
  if (kind >= WIDTH_KINDS && left > 0 && left < 32)
    widths->raw |= UINT32_C(1) << left;
  if (word >= NARROW)
    return;
  bool atomic = word & 1, packed = word >= 2;
  add_object_to_group(&widths->narrow, source);
  if (packed)
    add_object_to_group(&widths->packed, source);
  if (!atomic)
    add_object_to_group(&widths->torn, source);
  if (!atomic && !packed)
    add_object_to_group(&widths->plain, source);
  if (left)
    add_object_to_group(&widths->partly, source);
  widths->left += left;
}

/* Returns the notes of all objects, or empty bytes if the notes cannot be read.
 * The caller frees *memory. */
static struct bytes read_object_notes(const struct elf *elf,
                                      unsigned char **memory) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  *memory = NULL;
  if (!elf_find_section(elf, ".bareprof.counters", &section) ||
      elf_read_contents(elf, &section, PIECE_LIMIT, &bytes, memory))
    bytes.size = 0;
  return bytes;
}

static struct bytes remove_first_string(struct bytes *strings) {
  struct bytes text = *strings;
  const unsigned char *zero = memchr(text.data, 0, text.size);
  if (zero)
    text.size = (size_t)(zero - text.data);
  strings->data += text.size + (zero != NULL);
  strings->size -= text.size + (zero != NULL);
  return text;
}

void counter_width_read(struct counter_widths *widths, const struct elf *elf) {
  unsigned char *memory;
  struct bytes strings = read_object_notes(elf, &memory);
  memset(widths, 0, sizeof *widths);
  while (strings.size) {
    struct bytes one = remove_first_string(&strings);
    const char *at = (const char *)one.data;
    parse_object_note(widths, (struct section_text_cursor){at, at + one.size});
  }
  free(memory);
}

/* ---- kinds ---- */

const char *const placed_records[] = {"__llvm_covdata", "__llvm_covdat4",
                                      "__llvm_covdat1", "__llvm_covdat0", NULL};

/* Returns the number of strings that end with the name of a file. */
static size_t count_notes_of_file(struct bytes strings, struct bytes file) {
  size_t count = 0;
  while (strings.size) {
    struct bytes one = remove_first_string(&strings);
    const unsigned char *end = one.data + one.size - file.size;
    count += one.size > file.size && end[-1] == ' ' &&
             !memcmp(end, file.data, file.size);
  }
  return count;
}

/* Names an object that lacks a note, with a file from the object's mapping.
 * Does nothing if a file of the object has more than `most` notes. */
static void name_unnoted_object(struct mapping *mapping, size_t object,
                                struct bytes strings, size_t most,
                                struct object_group *others) {
  struct bytes file, first = {NULL, 0};
  for (uint64_t i = 0; mapping_object_file_name(mapping, object, i, &file);
       i++) {
    if (count_notes_of_file(strings, file) > most)
      return;
    first = i ? first : file;
  }
  if (!others->objects)
    add_object_to_group(others, first);
}

/* Returns the number of objects that have names of functions. An ELF may have
 * several sections with this name, loaded and unloaded. */
static size_t count_objects_with_names(const struct elf *elf) {
  size_t all = 0;
  for (uint64_t i = 1; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    struct bytes names;
    unsigned char *memory = NULL;
    size_t parts = 0;
    if ((!strcmp(section.name, "__llvm_prf_names") ||
         !strcmp(section.name, "__llvm_covnames")) &&
        !elf_read_contents(elf, &section, PIECE_LIMIT, &names, &memory))
      (void)names_count_object_parts(names, &parts);
    free(memory);
    all += parts;
  }
  return all;
}

/* Counts the objects besides the `noted` ones. Names one that has a mapping. */
static void set_unnoted_objects(const struct elf *elf, size_t most,
                                size_t noted, struct object_group *others) {
  unsigned char *memory;
  struct bytes strings = read_object_notes(elf, &memory);
  struct mapping mapping;
  size_t all = count_objects_with_names(elf);
  if (all > noted && !mapping_open(&mapping, elf))
    for (size_t i = mapping_object_count(&mapping); i--;)
      name_unnoted_object(&mapping, i, strings, most, others);
  if (all > noted) {
    others->objects = all - noted;
    mapping_close(&mapping);
  }
  free(memory);
}

/* The list of objects for an error message. */
struct mixed_objects_text {
  char text[500];
  size_t used, count;
};

/* Finds the kinds of counters from notes, sections and the version word. Byte
 * counters of other compilers, and byte counters with --place=sections, are in
 * the section of 8-byte counters. Only the version word shows that these
 * counters are bytes, and `strip` removes the word. */
static void find_counter_kinds(const struct elf *elf,
                               const struct counter_widths *widths,
                               bool seen[WIDTH_KINDS]) {
  const struct object_group *kinds = widths->kinds;
  bool byte_counters =
      kinds[WIDTH_1].objects || raw_version_word(elf) & BAREPROF_BYTE_COVERAGE;
  bool four = elf_has_section(elf, "__llvm_prf_cnt4"), placed = false;
  for (unsigned i = 0; i < WIDTH_KINDS; i++) {
    bool records = i != WIDTH_8 && elf_has_section(elf, placed_records[i]);
    seen[i] = kinds[i].objects || records;
    placed |= records;
  }
  seen[WIDTH_4] |= four;
  seen[WIDTH_1] |= byte_counters;
  /* Earlier releases of bareprof used this section for all kinds but one. */
  if (elf_has_section(elf, placed_records[WIDTH_8]))
    seen[placed                       ? WIDTH_8
         : linked_points_present(elf) ? WIDTH_0
         : byte_counters              ? WIDTH_1
                                      : WIDTH_8] = true;
  /* A linker script may put all counters into this section. */
  if (elf_has_section(elf, "__llvm_prf_cnts") && (four || !seen[WIDTH_4]))
    seen[byte_counters ? WIDTH_1 : WIDTH_8] = true;
}

/* Appends the number of objects, and their kind of counters, to the list. */
static void append_objects_and_kind(struct mixed_objects_text *mixed,
                                    const struct object_group *width,
                                    const char *what) {
  char more[40] = "";
  if (width->objects > 1)
    snprintf(more, sizeof more, " and %zu more", width->objects - 1);
  mixed->used += (size_t)snprintf(
      mixed->text + mixed->used, sizeof mixed->text - mixed->used,
      "%s%s%s with %s", mixed->count++ ? ", " : "",
      *width->source ? width->source : "others", more, what);
}

static void append_counter_kinds(struct mixed_objects_text *mixed,
                                 const struct elf *elf,
                                 struct counter_widths *widths) {
  static const char *const names[] = {"8-byte counters", "4-byte counters",
                                      "byte counters", "trace points"};
  struct object_group *kinds = widths->kinds;
  bool seen[WIDTH_KINDS];
  find_counter_kinds(elf, widths, seen);
  size_t narrow =
      kinds[WIDTH_4].objects + kinds[WIDTH_1].objects + kinds[WIDTH_0].objects;
  if (narrow && !kinds[WIDTH_8].objects)
    set_unnoted_objects(elf, 0, narrow, &kinds[WIDTH_8]);
  seen[WIDTH_8] |= kinds[WIDTH_8].objects != 0;
  for (unsigned i = 0; i < WIDTH_KINDS; i++)
    if (seen[i])
      append_objects_and_kind(mixed, &kinds[i], names[i]);
}

const char *counter_width_describe_mixed(const struct elf *elf) {
  static _Thread_local struct mixed_objects_text mixed;
  struct counter_widths widths;
  struct object_group others = {0, ""};
  mixed.used = mixed.count = 0;
  counter_width_read(&widths, elf);
  append_counter_kinds(&mixed, elf, &widths);
  if (mixed.count < 2 && widths.placed.objects &&
      elf_has_section(elf, "__llvm_prf_data")) {
    mixed.used = mixed.count = 0;
    set_unnoted_objects(elf, 1, widths.placed.objects, &others);
    append_objects_and_kind(&mixed, &widths.placed, "--place=bss");
    append_objects_and_kind(&mixed, &others, "--place=sections");
  }
  return mixed.count > 1 ? mixed.text : NULL;
}

const char *counter_width_mix_error(const struct elf *elf) {
  static _Thread_local char error[600];
  const char *objects = counter_width_describe_mixed(elf);
  if (objects)
    snprintf(error, sizeof error,
             "objects have different counters: %s; rebuild all (make clean)",
             objects);
  return objects ? error : NULL;
}

bool counter_width_is_modulo(const struct counter_widths *widths) {
  return !widths->folded && (widths->narrow.objects || widths->other.objects);
}

void counter_width_warn_modulo(const char *file, bool placed) {
  char shown[256];
  fprintf(stderr,
          "bareprof: %s: counts are modulo 2^32, because some counters have 32 "
          "bits; for larger counts use %s\n",
          make_printable(shown, sizeof shown, file),
          placed ? "bareprof cc --counters=64" : "bareprof_fold");
}

uint64_t counter_width_unfold(const struct dump_header *header,
                              uint64_t counter) {
  if (!header->packed)
    return bareprof_unfold_count(counter);
  return counter < BAREPROF_FOLD_LEAST ? counter : BAREPROF_FOLD_LEAST;
}

bool snapshot_is_saturated(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  const unsigned char *at = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_element_count(header, BAREPROF_PIECE_COUNTERS);
  if (!at || !header->packed || !header->folded)
    return false;
  for (; count; count--, at += 8)
    if (load64(at, header->big_endian) >= BAREPROF_FOLD_LEAST)
      return true;
  return false;
}

void counter_width_warn_saturated(const char *file) {
  char shown[256];
  fprintf(stderr,
          "bareprof: %s: counts from 2^31 on mean \"at least\": 4-byte "
          "counters stop there\n",
          make_printable(shown, sizeof shown, file));
}

void counter_width_warn_stopped(const char *file) {
  warn(file, "4-byte counters stop at 2^31, so later counts are missing, as if "
             "the code had not run; reset the counters, or use 8-byte "
             "counters");
}

void snapshot_warn_stopped_once(const struct snapshot *snapshot,
                                const char *file, bool *warned) {
  if (*warned || !snapshot_is_saturated(snapshot))
    return;
  counter_width_warn_stopped(file);
  *warned = true;
}

void snapshot_unfold(struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  unsigned char *at = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_element_count(header, BAREPROF_PIECE_COUNTERS);
  if (!at || header_element_size(header, BAREPROF_PIECE_COUNTERS) != 8)
    return;
  for (; count; count--, at += 8)
    store64(at, counter_width_unfold(header, load64(at, header->big_endian)),
            header->big_endian);
}
