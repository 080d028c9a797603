/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What an object that a command has made says of its source.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "whole.h"

enum { OBJECT_MOST = 1 << 30, SYMBOL_FILE = 4 };

static bool is_bitcode(struct bytes file) {
  return file.size >= 4 && (!memcmp(file.data, "BC\xC0\xDE", 4) ||
                            load32(file.data, false) == 0x0B17C0DE);
}

static void look_mapping(struct seen *seen, const struct elf *elf, size_t file,
                         struct seen_object *object) {
  struct mapping mapping;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next(&mapping, &error)) {
    size_t number = seen_function_file(seen, &mapping);
    bool has = seen_has(seen, &mapping, number);
    bool lost = number == file && !has && seen_lost(seen, &mapping);
    object->mapped++;
    object->shared |= has && mapping.hash;
    object->linked |= has && mapping.hash && number == file;
    object->own += number == file;
    object->lacking += number == file && !has && !lost;
    object->lost += lost;
    /* What it includes is a part of it. */
    for (uint32_t i = 0; i < mapping.file_count && !error; i++) {
      number = seen_mapping_file(seen, &mapping, i);
      if (number == SIZE_MAX)
        error = mapping_damaged;
      else
        seen->files[number].given = true;
    }
  }
  mapping_close(&mapping);
  need(error == out_of_memory ? NULL : seen);
}

/* Only global functions: the name of a static one says little. */
static void look_symbols(struct seen *seen, const struct elf *elf, size_t file,
                         struct seen_object *object) {
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t name = md5_low64(symbol.name, strlen(symbol.name));
    if (symbol.type == SYMBOL_FILE && !object->file)
      object->file = need_copy(&seen->texts, symbol.name);
    if (!symbol.section || !symbol.binding || !*symbol.name ||
        !elf_has_code(elf, symbol.section) ||
        !map_find(&seen->symbols, name, 0, 0))
      continue;
    uint64_t *of = map_find(&seen->names, name, 0, 0);
    bool weak = symbol.binding == 2;
    if (of && *of && *of - 1 != file && file != SIZE_MAX)
      object->contrary |= !weak;
    else
      object->linked |= !weak;
  }
}

static void look_elf(struct seen *seen, struct bytes bytes, size_t file,
                     struct seen_object *object) {
  struct elf elf;
  if (elf_open(&elf, bytes) || elf.type != ELF_REL)
    return;
  object->kind = OBJECT_ELF;
  for (uint64_t i = 0; i < elf.section_count; i++) {
    struct elf_section section = elf_section(&elf, i);
    object->code |= section.size && section.flags & ELF_ALLOC &&
                    section.flags & ELF_CODE;
  }
  look_mapping(seen, &elf, file, object);
  look_symbols(seen, &elf, file, object);
}

struct seen_object object_look(struct seen *seen, const char *name,
                               size_t file) {
  struct seen_object object = {.kind = OBJECT_NONE};
  struct os_facts facts;
  struct file in;
  if (!name || !os_look(name, &facts) || facts.kind != OS_FILE ||
      !os_can_read(name))
    return object;
  object.kind = OBJECT_OTHER;
  if (!facts.size || file_map(&in, name, OBJECT_MOST))
    return object;
  if (is_bitcode(in.bytes))
    object.kind = OBJECT_BITCODE;
  else
    look_elf(seen, in.bytes, file, &object);
  file_close(&in);
  return object;
}
