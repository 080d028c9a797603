/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/mip/patch, tools/object/elf_write. The input's first
 * bytes choose a machine and a mode; the others edit an ELF of six functions
 * with nops, or what that becomes when it is patched: of its headers and
 * symbols, of its code, of anything. Or the input is the ELF.
 *
 * What is accepted is patched in a way that can be undone to the byte, changes
 * nothing but nops, the unit and the header, and has a map that is accepted
 * too, with as many functions. What is not edited is accepted.
 */
#include <string.h>

#include "mip/mip_file.h"
#include "mip/patch/patch.h"
#include "input.h"

enum {
  ROOM = 8192,
  TEXT = 0x100, /* places in the file, and offsets from its address */
  UNIT = 0x300,
  SYMBOLS = 0x310,
  NAMES = 0x500,
  HEADERS = 0x600,
  FUNCTIONS = 6,
  STEP = 64,
  BASE = 0x40000000
};

static unsigned char file[ROOM];
static size_t file_size;
static bool wide;

/* ---- an ELF ---- */

static const struct machine {
  uint16_t machine;
  bool wide, thumb;
  unsigned char nop[8], nop_size;
} machines[] = {
    {40, false, true, {0x00, 0xBF}, 2},
    {40, false, true, {0xC0, 0x46}, 2},
    {40, false, false, {0x00, 0xF0, 0x20, 0xE3}, 4},
    {183, true, false, {0x1F, 0x20, 0x03, 0xD5}, 4},
    {243, false, false, {0x01, 0x00}, 2},
    {243, true, false, {0x13, 0x00, 0x00, 0x00}, 4}};

static unsigned char *put(unsigned char *at, uint64_t value, unsigned size) {
  store_number(at, value, size, false);
  return at + size;
}

/* An address, offset or size. */
static unsigned char *put_wide(unsigned char *at, uint64_t value) {
  return put(at, value, wide ? 8 : 4);
}

static void put_header(const struct machine *machine) {
  const unsigned char id[16] = {0x7F, 'E', 'L', 'F', wide ? 2 : 1, 1, 1};
  memcpy(file, id, sizeof id);
  unsigned char *at = put(file + 16, 2, 2);
  at = put(at, machine->machine, 2);
  at = put(at, 1, 4);
  at = put_wide(at, BASE + TEXT);
  at = put_wide(at, wide ? 64 : 52);
  at = put_wide(at, HEADERS);
  at = put(at, 0, 4);
  at = put(at, wide ? 64 : 52, 2);
  at = put(at, wide ? 56 : 32, 2);
  at = put(at, 1, 2);
  at = put(at, wide ? 64 : 40, 2);
  at = put(at, 4, 2);
  at = put(at, 3, 2);
  /* The segment is all of the file. */
  at = put(at, 1, 4);
  if (wide)
    at = put(at, 5, 4);
  at = put_wide(at, 0);
  at = put_wide(at, BASE);
  at = put_wide(at, BASE);
  at = put_wide(at, HEADERS);
  at = put_wide(at, HEADERS);
  if (!wide)
    at = put(at, 5, 4);
  put_wide(at, 8);
}

static unsigned char *put_section(unsigned char *at, const uint64_t fields[8]) {
  at = put(at, fields[0], 4); /* name */
  at = put(at, fields[1], 4); /* type */
  at = put_wide(at, fields[2]);
  at = put_wide(at, fields[2] ? BASE + fields[3] : 0);
  at = put_wide(at, fields[3]);
  at = put_wide(at, fields[4]); /* size */
  at = put(at, fields[5], 4);   /* link */
  at = put(at, 0, 4);
  at = put_wide(at, 8);
  return put_wide(at, fields[6]); /* size of an entry */
}

static unsigned name_end;

static unsigned add_name(const char *name) {
  unsigned at = name_end;
  memcpy(file + NAMES + at, name, strlen(name) + 1);
  name_end += (unsigned)strlen(name) + 1;
  return at;
}

static unsigned char *put_symbol(unsigned char *at, const char *name,
                                 uint64_t value, unsigned type) {
  unsigned size = type == 2 ? STEP : 8;
  at = put(at, add_name(name), 4);
  if (!wide) {
    at = put_wide(at, value);
    at = put_wide(at, size);
  }
  at = put(at, 0x10 | type, 1);
  at = put(at, 0, 1);
  at = put(at, 1, 2);
  if (wide) {
    at = put_wide(at, value);
    at = put_wide(at, size);
  }
  return at;
}

static uint64_t put_symbols(bool thumb) {
  static const char *const names[FUNCTIONS] = {"one",
                                               "two",
                                               "three",
                                               "bareprof_mip_cover_index",
                                               "bareprof_mip_count_index",
                                               "bareprof_mip_edge_index"};
  unsigned char *at = file + SYMBOLS + (wide ? 24 : 16);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    at = put_symbol(at, names[i], BASE + TEXT + i * STEP + thumb, 2);
  at = put_symbol(at, "other", BASE + TEXT + thumb, 2);
  at = put_symbol(at, "bareprof_mip_unit", BASE + UNIT, 1);
  at = put_symbol(at, "__bareprof_mip_begin", BASE + 0x10000, 0);
  at = put_symbol(at, "__bareprof_mip_end", BASE + 0x10048, 0);
  return (uint64_t)(at - file) - SYMBOLS;
}

static void make(const struct machine *machine) {
  memset(file, 0, sizeof file);
  wide = machine->wide;
  name_end = 1;
  for (unsigned i = 0; i < FUNCTIONS * STEP; i++)
    file[TEXT + i] = i % STEP < 16 ? machine->nop[i % machine->nop_size] : 0xAA;
  put_header(machine);
  uint64_t size = put_symbols(machine->thumb);
  unsigned text = add_name(".text"), names = add_name(".strtab");
  unsigned char *at = file + HEADERS + (wide ? 64 : 40);
  at = put_section(at, (uint64_t[8]){text, 1, 6, TEXT, SYMBOLS - TEXT});
  at = put_section(at,
                   (uint64_t[8]){text, 2, 0, SYMBOLS, size, 3, wide ? 24 : 16});
  at = put_section(at, (uint64_t[8]){names, 3, 0, NAMES, HEADERS - NAMES});
  file_size = (size_t)(at - file);
}

/* ---- edits ---- */

static void edit(struct input *input) {
  while (more(input)) {
    unsigned where = take(input), what = take(input);
    size_t at = take_number(input, 2);
    if (where % 4 == 0)
      at %= 0x100;
    else if (where % 4 == 1)
      at = TEXT + at % (SYMBOLS - TEXT);
    else if (where % 4 == 2)
      at = SYMBOLS + at % (NAMES - SYMBOLS);
    at %= file_size;
    if (!edit_byte(input, file + at, what))
      file_size = at + 1;
  }
}

/* ---- what is patched ---- */

static void check_map(const struct elf_patch *patch) {
  struct mip_profile map;
  const char *error =
      mip_map_parse(&map, (struct bytes){patch->map.data, patch->map.size});
  must(!error && map.function_count == patch->done,
       "the map is accepted, and has the functions");
  for (size_t i = 0; i < map.function_count; i++)
    must(map.functions[i].raw < patch->end - patch->begin,
         "raw bytes are in the section");
  mip_profile_free(&map);
}

/* Whether a byte of the file may differ. */
static bool may_change(const struct elf_patch *patch, size_t at) {
  if (at < 64 || (at >= patch->unit && at - patch->unit < 8))
    return true;
  for (size_t i = 0; i < patch->function_count; i++) {
    const struct patch_function *f = &patch->functions[i];
    uint64_t begin = f->offset + f->marker;
    if (!f->skip && at >= begin && at - begin < f->nops && f->needs <= f->nops)
      return true;
  }
  return false;
}

static void check_patched(const struct elf_patch *patch) {
  struct elf_patch again = {0};
  must(patch->file.size > patch->input.size, "something is added");
  for (size_t i = 0; i < patch->input.size; i++)
    must(patch->file.data[i] == patch->input.data[i] || may_change(patch, i),
         "only nops, unit and header change");
  check_map(patch);
  const char *error = patch_open_unpatched(
      &again, (struct bytes){patch->file.data, patch->file.size});
  must(!error && again.input.size == patch->input.size &&
           !memcmp(again.input.data, patch->input.data, patch->input.size),
       "what is patched can be undone");
  patch_free(&again);
}

/* keep: what is made is the file that the edits are of. */
static bool run(struct bytes bytes, enum patch_mode mode, unsigned choice,
                bool keep) {
  static const char *const parts[] = {"o", "t"};
  static const char *names[] = {"two", "other"};
  struct patch_choice chosen = {parts, choice & 3 ? (choice & 3) - 1 : 0, names,
                                choice >> 2 & 1 ? 2 : 0};
  struct elf_patch patch = {0};
  const char *error = patch_open_unpatched(&patch, bytes);
  if (!error)
    error = patch_find_runtime_symbols(&patch, mode);
  if (!error)
    error = patch_list_functions(&patch);
  patch_sort_names(&chosen);
  if (!error) {
    patch_choose_functions(&patch, &chosen);
    error = patch_make_sleds(&patch);
  }
  if (!error) {
    patch_set_unit_hash(&patch, "a.out", &chosen);
    error = patch_apply_sleds(&patch);
  }
  if (!error)
    check_patched(&patch);
  if (!error && keep) {
    must(patch.file.size <= sizeof file, "there is room");
    memcpy(file, patch.file.data, file_size = patch.file.size);
  }
  must(!error || strlen(error) > 8, "an error says what is wrong");
  patch_free(&patch);
  return !error;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  unsigned first = take(&input), second = take(&input);
  enum patch_mode mode = (enum patch_mode)(first / 16 % 3);
  bool made = first % 16 < 14;
  if (made) {
    make(&machines[first % (sizeof machines / sizeof *machines)]);
  } else {
    file_size = (size_t)(input.end - input.at);
    if (file_size)
      memcpy(file, input.at, file_size);
  }
  bool whole = made && !more(&input) && second % 8 == 0;
  if (made && second & 8)
    run((struct bytes){file, file_size}, PATCH_COVERAGE, 0, true);
  if (made)
    edit(&input);
  /* In a block of its very size, for the sanitizer. */
  unsigned char *copy = malloc(file_size + !file_size);
  memcpy(copy, file, file_size);
  bool accepted = run((struct bytes){copy, file_size}, mode, second % 8, false);
  must(!whole || accepted, "what a linker leaves is patched");
  free(copy);
  return 0;
}
