/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A place is a key: the file's MD5, the beginning, the end.
 */
#include "constants.h"

#include <stdlib.h>

#include "../base/error.h"
#include "../object/md5.h"
#include "paths.h"

enum { CONSTANTS_MOST = 1 << 24 };

static uint64_t pack(uint32_t line, uint32_t column) {
  return (uint64_t)line << 32 | column;
}

static const char *add(struct constants *constants,
                       const struct mapping *mapping,
                       const struct region *region) {
  char *name = NULL;
  const char *error = mapping_file(mapping, region->file, &name);
  if (error)
    return error;
  if (*name == '/')
    paths_tidy(name);
  uint64_t *sides = map_at(&constants->sides, md5_low64(name, strlen(name)),
                           pack(region->begin.line, region->begin.column),
                           pack(region->end.line, region->end.column));
  free(name);
  if (!sides)
    return out_of_memory;
  *sides |= (region->counter == COUNTER_ZERO ? 1u : 0u) |
            (region->other == COUNTER_ZERO ? 2u : 0u);
  return NULL;
}

const char *constants_read(struct constants *constants, const struct elf *elf) {
  struct mapping mapping;
  constants->sides.limit = CONSTANTS_MOST;
  const char *error = mapping_open(&mapping, elf);
  while (!error && mapping_next(&mapping, &error))
    for (size_t i = 0; i < mapping.region_count && !error; i++) {
      const struct region *region = &mapping.regions[i];
      if ((region->kind == REGION_BRANCH ||
           region->kind == REGION_MCDC_BRANCH) &&
          (region->counter == COUNTER_ZERO || region->other == COUNTER_ZERO))
        error = add(constants, &mapping, region);
    }
  mapping_close(&mapping);
  return error;
}

unsigned constants_at(const struct constants *constants, const char *name,
                      const struct span *span) {
  char tidy[4096];
  size_t size = strlen(name);
  if (!constants->sides.count || size >= sizeof tidy)
    return 0;
  memcpy(tidy, name, size + 1);
  if (*tidy == '/')
    paths_tidy(tidy);
  const uint64_t *sides = map_find(
      &constants->sides, md5_low64(tidy, strlen(tidy)),
      pack(span->line, span->column), pack(span->end_line, span->end_column));
  return sides ? (unsigned)*sides : 0;
}

void constants_free(struct constants *constants) {
  map_free(&constants->sides);
}
