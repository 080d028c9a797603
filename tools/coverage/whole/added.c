/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The model is made of ELFs alone, so what no ELF has becomes one: records of
 * objects as they are, and records of a region for each function whose lines
 * are known otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/error.h"
#include "../../base/file.h"
#include "../../base/map.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "../../object/elf_write.h"
#include "whole.h"

enum {
  ADDED_MOST = 1 << 30,
  MAP_HEADER = 16,
  MAP_VERSION = 5, /* version 6, as the file has it */
  LINE_WIDTH = 1 << 16 /* past the end of any line */
};

void added_begin(struct added *added, bool big) {
  *added = (struct added){.big = big,
                          .maps.limit = ADDED_MOST,
                          .records.limit = ADDED_MOST,
                          .names.limit = ADDED_MOST,
                          .lost.limit = ADDED_MOST};
}

void added_free(struct added *added) {
  buffer_free(&added->maps);
  buffer_free(&added->records);
  buffer_free(&added->names);
  names_free(&added->by_name);
  buffer_free(&added->lost);
  free(added->image);
  *added = (struct added){.image = NULL};
}

static const char *align(struct buffer *to) {
  static const unsigned char zeros[8];
  return buffer_add(to, zeros, (size_t)(up_to_8(to->size) - to->size));
}

static const char *put_number(struct buffer *to, uint64_t value) {
  const char *error = NULL;
  do {
    unsigned char byte = (unsigned char)(value & 0x7F);
    value >>= 7;
    byte |= value ? 0x80 : 0;
    error = buffer_add(to, &byte, 1);
  } while (value && !error);
  return error;
}

/* ---- objects ---- */

/* Adds a section of an object as it is. */
static const char *put_section(struct buffer *to, const struct elf *elf,
                               const char *name) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  unsigned char *memory = NULL;
  const char *error =
      elf_find_section(elf, name, &section)
          ? elf_contents(elf, &section, ADDED_MOST, &bytes, &memory)
          : NULL;
  if (!error && bytes.size)
    error = buffer_add(to, bytes.data, bytes.size);
  free(memory);
  return error ? error : align(to);
}

static const char *put_records(struct added *added, struct seen *seen,
                               const struct elf *elf, size_t file,
                               size_t *count) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next(&mapping, &error)) {
    size_t number = seen_function_file(seen, &mapping);
    const struct added_lost lost = {mapping.name, mapping.hash};
    if (number != file || seen_has(seen, &mapping, number))
      continue;
    if (seen_lost(seen, &mapping) &&
        buffer_add(&added->lost, &lost, sizeof lost)) {
      error = out_of_memory;
      break;
    }
    error = buffer_add(&added->records, mapping.record.data,
                          mapping.record.size);
    if (!error)
      error = align(&added->records);
    ++*count;
  }
  mapping_close(&mapping);
  return error;
}

const char *added_object(struct added *added, struct seen *seen,
                         const char *object, size_t file, size_t *count) {
  struct file in;
  struct elf elf;
  *count = 0;
  if (file_map(&in, object, ADDED_MOST))
    return "an object cannot be read";
  const char *error = elf_open(&elf, in.bytes);
  if (!error && elf.big == added->big)
    error = put_records(added, seen, &elf, file, count);
  if (!error && *count)
    error = put_section(&added->maps, &elf, "__llvm_covmap");
  if (!error && *count)
    error = put_section(&added->names, &elf, "__llvm_prf_names");
  if (!error && *count)
    error = put_section(&added->names, &elf, "__llvm_covnames");
  file_close(&in);
  return error;
}

/* ---- lines ---- */

/* The names of a list of one file, after its header. */
static const char *put_file(struct added *added, const char *file,
                            uint64_t *reference) {
  size_t size = strlen(file), begin = added->maps.size;
  unsigned char header[MAP_HEADER] = {0};
  struct buffer strings = {.limit = ADDED_MOST};
  struct buffer *to = &added->maps;
  const char *error = put_number(&strings, 0);
  if (!error)
    error = put_number(&strings, size);
  if (!error)
    error = buffer_add(&strings, file, size);
  if (!error)
    error = buffer_add(to, header, sizeof header);
  if (!error)
    error = put_number(to, 2);
  if (!error)
    error = put_number(to, strings.size);
  if (!error)
    error = put_number(to, 0);
  if (!error)
    error = buffer_add(to, strings.data, strings.size);
  buffer_free(&strings);
  if (error)
    return error;
  size_t bytes = to->size - begin - MAP_HEADER;
  *reference = md5_low64(to->data + begin + MAP_HEADER, bytes);
  store32(to->data + begin + 4, (uint32_t)bytes, added->big);
  store32(to->data + begin + 12, MAP_VERSION, added->big);
  return align(to);
}

/* All of the lines are one region, of which those between do not count. */
static const char *put_regions(struct buffer *list,
                               const struct added_function *function) {
  const uint32_t *lines = function->lines;
  struct region region = {.counter = COUNTER_PLAIN, .begin = {lines[0], 1}};
  region.end = (struct source_position){lines[function->count - 1], LINE_WIDTH};
  const char *error = buffer_add(list, &region, sizeof region);
  for (size_t i = 1; i < function->count && !error; i++) {
    struct region skipped = {.kind = REGION_SKIPPED,
                             .begin = {lines[i - 1] + 1, 1},
                             .end = {lines[i] - 1, LINE_WIDTH}};
    if (lines[i] > lines[i - 1] + 1)
      error = buffer_add(list, &skipped, sizeof skipped);
  }
  return error;
}

const char *added_function(struct added *added,
                           const struct added_function *function) {
  size_t size = strlen(function->name);
  uint64_t reference = 0, index = 1;
  unsigned char header[MAPPING_HEADER] = {0};
  struct buffer regions = {.limit = ADDED_MOST};
  struct mapping mapping = {.big = added->big,
                            .record = {header, sizeof header},
                            .file_count = 1,
                            .files = {.data = (unsigned char *)&index}};
  const char *error = put_file(added, function->file, &reference);
  if (!error)
    error = put_regions(&regions, function);
  store64(header, md5_low64(function->name, size), added->big);
  store64(header + 12, 1, added->big);
  store64(header + 20, reference, added->big);
  mapping.regions = (struct region *)(void *)regions.data;
  mapping.region_count = regions.size / sizeof *mapping.regions;
  if (!error)
    error = mapping_write(&mapping, &added->records);
  buffer_free(&regions);
  if (!error)
    error = put_number(&added->names, size);
  if (!error)
    error = put_number(&added->names, 0);
  if (!error)
    error = buffer_add(&added->names, function->name, size);
  return error ? error : align(&added->names);
}

/* ---- all ---- */

const char *added_settle(struct added *added) {
  const struct elf_section sections[] = {
      {.name = "__llvm_covmap",
       .type = 1,
       .align = 8,
       .size = added->maps.size,
       .bytes = added->maps.data},
      {.name = "__llvm_covfun",
       .type = 1,
       .align = 8,
       .size = added->records.size,
       .bytes = added->records.data}};
  const struct elf_draft draft = {.wide = true,
                                  .big = added->big,
                                  .type = 2,
                                  .machine = ELF_X86_64,
                                  .sections = sections,
                                  .section_count = 2};
  size_t size = 0;
  if (!added->records.size)
    return NULL;
  FILE *stream = os_memory_begin(&added->image, &size);
  if (!stream)
    return out_of_memory;
  const char *error = elf_write(&draft, stream);
  if (!os_memory_end(stream, &added->image, &size) || error)
    return error ? error : out_of_memory;
  error = elf_open(&added->elf, (struct bytes){(unsigned char *)added->image,
                                               size});
  return error ? error
               : names_read(&added->by_name, (struct bytes){added->names.data,
                                                     added->names.size});
}
