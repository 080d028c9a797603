/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Opens an ELF and undoes an earlier patch. Checks that the ELF has the parts
 * that sleds need. Writes the sleds that plan.c has made, bareprof_mip_unit,
 * the map, and the data with which the patch can be undone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/buffer.h"
#include "../../object/elf_write.h"
#include "../../object/digest.h"
#include "../mip_file.h"
#include "patch.h"

/* ==== A patched ELF keeps its original bytes in a separate section that is not
 * loaded, all little-endian:
 *
 *   "bareprof", u32 1, u32 0, u64 size of the file, its MD5;
 *   for each change: u64 offset, u64 size, the original bytes.
 *
 * The changes are undone from the last to the first. Then the file is cut to
 * the size of the original file. The MD5 detects changes that another tool has
 * made after the patch. */

enum { MAGIC = 8, HEADER = 40, CHANGE = 16 };

static const char magic[] = "bareprof";
static const char changed[] =
    "the ELF was changed after patching, as by strip or objcopy; patch the ELF "
    "as the linker wrote it";

static const char undo_section[] = ".bareprof_mip_plain";

/* ---- writing ---- */

static void append_undo_header(struct elf_patch *patch) {
  unsigned char header[HEADER] = {0};
  memcpy(header, magic, MAGIC);
  store32(header + 8, 1, false);
  store64(header + 16, patch->input.size, false);
  md5(header + 24, patch->input.data, patch->input.size);
  need_append(&patch->undo, header, sizeof header);
}

static void replace_with_undo(struct elf_patch *patch, uint64_t offset,
                              const unsigned char *bytes, size_t size) {
  unsigned char change[CHANGE];
  unsigned char *at = patch->file.data + offset;
  store64(change, offset, false);
  store64(change + 8, size, false);
  need_append(&patch->undo, change, sizeof change);
  need_append(&patch->undo, at, size);
  memcpy(at, bytes, size);
}

/* ---- reading ---- */

/* Checks the list of changes. Lists the offsets of the changes in the section.
 */
static const char *parse_undo_changes(struct bytes undo, uint64_t file_size,
                                      size_t **list, size_t *count) {
  *count = 0;
  *list = need_memory(malloc(undo.size / CHANGE * sizeof **list + 1));
  for (size_t at = HEADER; at < undo.size;) {
    if (undo.size - at < CHANGE)
      return changed;
    uint64_t offset = load64(undo.data + at, false);
    uint64_t size = load64(undo.data + at + 8, false);
    if (size > undo.size - at - CHANGE || offset > file_size ||
        size > file_size - offset)
      return changed;
    (*list)[(*count)++] = at;
    at += CHANGE + (size_t)size;
  }
  return NULL;
}

static const char *undo_changes(struct buffer *file, struct bytes undo) {
  unsigned char digest[16];
  size_t *list, count;
  if (undo.size < HEADER || memcmp(undo.data, magic, MAGIC) ||
      load32(undo.data + 8, false) != 1)
    return changed;
  uint64_t size = load64(undo.data + 16, false);
  /* The section comes after the original file. */
  if (size > (size_t)(undo.data - file->data))
    return changed;
  const char *error = parse_undo_changes(undo, size, &list, &count);
  while (!error && count--) {
    const unsigned char *change = undo.data + list[count];
    memcpy(file->data + load64(change, false), change + CHANGE,
           (size_t)load64(change + 8, false));
  }
  free(list);
  if (error)
    return error;
  md5(digest, file->data, (size_t)size);
  if (memcmp(digest, undo.data + 24, sizeof digest))
    return changed;
  file->size = (size_t)size;
  return NULL;
}

static const char *undo_patch(struct buffer *file) {
  struct elf elf;
  struct elf_section section;
  const char *error = elf_open(&elf, buffer_bytes(file));
  if (error || !elf_find_section(&elf, undo_section, &section))
    return error;
  struct bytes undo = {section.bytes, (size_t)section.size};
  return section.bytes ? undo_changes(file, undo) : changed;
}

#define FILE_MOST ((size_t)3 << 30)
#define MAP_MOST ((size_t)1 << 30)
#define UNDO_MOST ((size_t)1 << 30)

const char *const patch_helpers[PATCH_PLAIN] = {
    [PATCH_COVERAGE] = "bareprof_mip_cover_index",
    [PATCH_COUNTS] = "bareprof_mip_count_index",
    [PATCH_EDGES] = "bareprof_mip_edge_index",
    [PATCH_SAMPLED] = "bareprof_mip_step_index"};

static const char map_section[] = "__llvm_mipmap";
static const char stripped[] =
    "the ELF has no symbols; pass the ELF as the linker wrote it";

/* ---- opening ---- */

const char *patch_open_unpatched(struct elf_patch *patch, struct bytes file) {
  patch->input.limit = patch->file.limit = FILE_MOST;
  patch->map.limit = MAP_MOST;
  patch->undo.limit = UNDO_MOST;
  need_append(&patch->input, file.data, file.size);
  const char *error = undo_patch(&patch->input);
  if (!error)
    error = elf_open(&patch->elf, buffer_bytes(&patch->input));
  if (!error && (patch->elf.type == ELF_REL || patch->elf.type == ELF_CORE))
    error = "this is an object file or a core file; pass the linked ELF";
  return error ? error : patch_check_machine(&patch->elf);
}

/* ---- the parts that the ELF must have ---- */

static const char *find_raw_section(struct elf_patch *patch) {
  struct elf_section section;
  if (!elf_find_symbol(&patch->elf, "__bareprof_mip_begin", &patch->begin) ||
      !elf_find_symbol(&patch->elf, "__bareprof_mip_end", &patch->end)) {
    if (!elf_find_section(&patch->elf, "__llvm_mipraw", &section))
      return "the raw section is missing; INCLUDE bareprof-mip.ld in the "
             "linker script";
    patch->begin = section.address;
    patch->end = section.address + section.size;
  }
  return patch->end < patch->begin
             ? "the raw section ends before it begins; INCLUDE "
               "bareprof-mip.ld in the linker script"
             : NULL;
}

/* Checks that the ELF lacks map records, which instrumented assembly would add.
 * Without such assembly, the map has at most a header. */
static const char *check_no_map(const struct elf_patch *patch) {
  struct elf_section section;
  return elf_find_section(&patch->elf, map_section, &section) &&
                 section.size > 24
             ? "the ELF has a map already, because its assembly has sleds; "
               "link the ELF without sleds"
             : NULL;
}

static const char *find_unit_offset(struct elf_patch *patch) {
  uint64_t address;
  const unsigned char *unit = NULL;
  if (elf_find_symbol(&patch->elf, "bareprof_mip_unit", &address))
    unit = elf_bytes_at(&patch->elf, address, 8);
  if (!unit)
    return "bareprof_mip_unit is missing; call bareprof_mip_init of "
           "libbareprof.a in the program";
  patch->unit = (uint64_t)(unit - patch->input.data);
  return NULL;
}

const char *patch_find_runtime_symbols(struct elf_patch *patch,
                                       enum patch_mode mode) {
  patch->mode = mode;
  if (patch->elf.symbol_count < 2)
    return stripped;
  const char *error = check_no_map(patch);
  if (!error)
    error = find_raw_section(patch);
  if (!error)
    error = find_unit_offset(patch);
  elf_find_symbol(&patch->elf, patch_helpers[mode], &patch->helper);
  return error;
}

/* ---- writing ---- */

uint32_t patch_profile_type(enum patch_mode mode) {
  static const uint32_t types[PATCH_PLAIN] = {
      [PATCH_COVERAGE] = MIP_COVERAGE,
      [PATCH_COUNTS] = MIP_TIMES | MIP_CALLS,
      [PATCH_EDGES] = MIP_TIMES | MIP_CALLS | MIP_RETURNS,
      [PATCH_SAMPLED] = MIP_TIMES | MIP_CALLS | MIP_RETURNS | MIP_SAMPLED};
  return types[mode];
}

static const char *add_map_record(struct mip_profile *map,
                                  const struct elf_patch *patch,
                                  const struct patch_function *from) {
  unsigned slot = mip_entry_size(patch_profile_type(patch->mode));
  struct mip_function function = {
      .raw = mip_header_size(MIP_A) + (uint64_t)from->index * slot,
      .size = from->size > UINT32_MAX ? UINT32_MAX : (uint32_t)from->size};
  struct mip_function *added;
  struct bytes name = {(const unsigned char *)from->name, strlen(from->name)};
  if (!patch_distance_fits(patch->begin, from->address,
                           patch->elf.wide ? 32 : 34, &function.address))
    return "the section __llvm_mipraw is more than 2 GB away from the code; "
           "place the section closer in the linker script";
  return mip_add_function(map, &function, name, &added);
}

static const char *make_patch_map(struct elf_patch *patch) {
  struct mip_profile map;
  const char *error = NULL;
  mip_profile_init(&map);
  map.type = patch_profile_type(patch->mode);
  map.hash = patch->hash;
  map.build = mip_build_hash(&patch->elf);
  for (size_t i = 0; i < patch->function_count && !error; i++)
    if (!patch->functions[i].skip)
      error = add_map_record(&map, patch, &patch->functions[i]);
  if (!error)
    mip_map_append(&map, &patch->map);
  mip_profile_free(&map);
  return error;
}

const char *patch_apply_sleds(struct elf_patch *patch) {
  unsigned char unit[8];
  need_append(&patch->file, patch->input.data, patch->input.size);
  const char *error = make_patch_map(patch);
  if (error)
    return error;
  append_undo_header(patch);
  /* elf_append_sections changes the ELF header. */
  replace_with_undo(patch, 0, patch->input.data, patch->elf.wide ? 64 : 52);
  store32(unit, patch_profile_type(patch->mode), false);
  store32(unit + 4, patch->hash, false);
  replace_with_undo(patch, patch->unit, unit, sizeof unit);
  for (size_t i = 0; i < patch->function_count; i++) {
    const struct patch_function *function = &patch->functions[i];
    if (!function->skip)
      replace_with_undo(patch, function->offset + function->marker,
                        function->sled, function->needs);
  }
  const struct elf_section_addition additions[] = {
      {map_section, {patch->map.data, patch->map.size}},
      {undo_section, {patch->undo.data, patch->undo.size}}};
  return elf_append_sections(&patch->file, additions, 2);
}

void patch_free(struct elf_patch *patch) {
  buffer_free(&patch->input);
  buffer_free(&patch->file);
  buffer_free(&patch->map);
  buffer_free(&patch->undo);
  free(patch->functions);
  patch->functions = NULL;
}
