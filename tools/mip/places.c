/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A call is before its return address, and the return address may belong to the
 * next function. So the lookup uses a byte of the call.
 */
#include "mip_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/compare.h"
#include "files.h"

/* ---- functions by address ---- */

/* Addresses are signed; this keeps their order. */
static uint64_t place_of(int64_t address) {
  return (uint64_t)address ^ (uint64_t)INT64_MIN;
}

static const char *sort_functions(struct mip_places *places) {
  const struct mip_profile *profile = places->profile;
  size_t count = profile->function_count;
  places->by_address = malloc((count + 1) * sizeof *places->by_address);
  if (!places->by_address)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    places->by_address[i] = (struct mip_place){
        place_of(profile->functions[i].address), (uint32_t)i};
  qsort(places->by_address, count, sizeof *places->by_address,
        mip_compare_places);
  return NULL;
}

/* Whether or not bit 0 says Thumb. */
int64_t mip_call_of(int64_t from) {
  return from > INT64_MIN + 2 ? (from & ~INT64_C(1)) - 1 : from;
}

/* The function of the profile that a call is in, or NULL. */
static const struct mip_function *find_function(const struct mip_places *places,
                                                int64_t call) {
  size_t i = search_behind(places->by_address, places->profile->function_count,
                           at, place_of(call));
  if (!i)
    return NULL;
  const struct mip_function *function =
      &places->profile->functions[places->by_address[i - 1].number];
  return (uint64_t)call - (uint64_t)function->address < function->size
             ? function
             : NULL;
}

const struct mip_function *mip_caller_function(const struct mip_places *places,
                                               int64_t from) {
  return find_function(places, mip_call_of(from));
}

/* ---- symbols ---- */

static int compare_symbols(const void *left, const void *right) {
  const struct mip_symbol *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return strcmp(a->name, b->name);
}

static const char *sort_symbols(struct mip_places *places) {
  const struct elf *elf = &places->elf;
  uint64_t mask = elf->machine == ELF_ARM ? ~UINT64_C(1) : ~UINT64_C(0);
  struct mip_symbol *list =
      malloc((size_t)(elf->symbol_count + 1) * sizeof *list);
  if (!list)
    return out_of_memory;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section && *symbol.name)
      list[places->symbol_count++] =
          (struct mip_symbol){symbol.value & mask, symbol.size, symbol.name};
  }
  qsort(list, places->symbol_count, sizeof *list, compare_symbols);
  places->symbols = list;
  return NULL;
}

const char *mip_caller(const struct mip_places *places, int64_t from) {
  int64_t call = mip_call_of(from);
  const struct mip_function *function = find_function(places, call);
  if (function || !places->open)
    return function ? function->name : NULL;
  uint64_t address = mip_address(places, call);
  size_t next =
      search_behind(places->symbols, places->symbol_count, address, address);
  if (!next)
    return NULL;
  const struct mip_symbol *symbol = &places->symbols[next - 1];
  return address - symbol->address < symbol->size ? symbol->name : NULL;
}

static bool has_symbol(const struct mip_places *places,
                       const struct mip_function *function) {
  const struct mip_symbol key = {mip_address(places, function->address), 0,
                                 function->name};
  return bsearch(&key, places->symbols, places->symbol_count, sizeof key,
                 compare_symbols);
}

/* ---- the build ---- */

static const char *check_map(const struct mip_places *places) {
  struct mip_profile map;
  const char *error = mip_load_bytes(&map, places->file.bytes);
  if (!error)
    error = mip_same_build(places->profile, &map);
  mip_free(&map);
  return error;
}

/* By the map, if it is there; else by the symbols. */
static const char *check_build(const struct mip_places *places) {
  struct elf_section section;
  const struct mip_profile *profile = places->profile;
  uint32_t build = mip_build_of(&places->elf);
  if (profile->build && build && profile->build != build)
    return "its build id is another than the profile's; give the ELF of the "
           "profile's build";
  if (elf_find_section(&places->elf, "__llvm_mipmap", &section) &&
      section.bytes && section.size)
    return check_map(places);
  for (size_t i = 0; places->symbol_count && i < profile->function_count; i++)
    if (!has_symbol(places, &profile->functions[i]))
      return "its functions are elsewhere than the profile's: it is of another "
             "build; give the ELF of the profile's build";
  return NULL;
}

static const char *find_base(struct mip_places *places) {
  struct elf_section section;
  if (elf_find_symbol(&places->elf, "__bareprof_mip_begin", &places->base))
    return NULL;
  if (!elf_find_section(&places->elf, "__llvm_mipraw", &section))
    return "it has no section __llvm_mipraw; give the linked image of the "
           "profile";
  places->base = section.address;
  return NULL;
}

static const char *open_elf(struct mip_places *places) {
  const char *error = elf_open(&places->elf, places->file.bytes);
  if (!error)
    error = find_base(places);
  if (!error)
    error = sort_symbols(places);
  if (!error)
    error = check_build(places);
  if (!error)
    error = dwarf_open(&places->dwarf, &places->elf);
  if (!error)
    error = dwarf_lines_read(&places->lines, &places->dwarf);
  return error ? error : dwarf_scopes_read(&places->scopes, &places->dwarf);
}

int mip_places_open(struct mip_places *places,
                    const struct mip_profile *profile, const char *name) {
  *places = (struct mip_places){.profile = profile};
  const char *error = sort_functions(places);
  if (error)
    return report(name, "%s", error);
  if (!name)
    return 0;
  if (file_map(&places->file, name, MIP_FILE_LIMIT))
    return 1;
  places->open = true;
  error = open_elf(places);
  return error ? report(name, "%s", error) : 0;
}

void mip_places_close(struct mip_places *places) {
  if (places->open) {
    dwarf_scopes_free(&places->scopes);
    dwarf_lines_free(&places->lines);
    dwarf_close(&places->dwarf);
    file_close(&places->file);
  }
  free(places->symbols);
  free(places->by_address);
}

/* ---- addresses ---- */

uint64_t mip_address(const struct mip_places *places, int64_t distance) {
  uint64_t address = places->base + (uint64_t)distance;
  if (places->open && !places->elf.wide)
    address = (uint32_t)address;
  if (places->open && places->elf.machine == ELF_ARM)
    address &= ~UINT64_C(1);
  return address;
}

char *mip_address_text(const struct mip_places *places, int64_t distance,
                       char text[MIP_ADDRESS_ROOM]) {
  uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
  if (places->open)
    snprintf(text, MIP_ADDRESS_ROOM, "0x%08" PRIx64,
             mip_address(places, distance));
  else
    snprintf(text, MIP_ADDRESS_ROOM, "raw%c0x%" PRIx64,
             distance < 0 ? '-' : '+', size);
  return text;
}

/* The place of a file and a line. */
static bool put_line(struct mip_places *places, uint32_t file, uint32_t number,
                     const char **path, unsigned *line) {
  *path = dwarf_lines_path(&places->lines, file);
  *line = number;
  return **path != '\0';
}

bool mip_line(struct mip_places *places, int64_t distance, const char **path,
              unsigned *line) {
  const struct dwarf_row *row =
      places->open
          ? dwarf_lines_find(&places->lines, mip_address(places, distance))
          : NULL;
  return row && row->line && put_line(places, row->file, row->line, path, line);
}

bool mip_function_line(struct mip_places *places,
                       const struct mip_function *function, const char **path,
                       unsigned *line) {
  struct dwarf_frame frame;
  if (!places->open)
    return false;
  uint64_t begin = mip_address(places, function->address);
  struct dwarf_span span = {begin, begin + function->size};
  if (dwarf_function(&places->scopes, &places->lines, span, &frame) &&
      frame.declared &&
      put_line(places, frame.declared_in, frame.declared, path, line))
    return true;
  const struct dwarf_row *row = dwarf_lines_in(&places->lines, span);
  return row && put_line(places, row->file, row->line, path, line);
}
