/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The header: u64 each, the later ones from a version on,
 *   magic, version and variant, 0, kind of hashes, offset of the hash table,
 *   8: of the memory profile, 9: of build ids, 10: of traces, 12: of names of
 *   vtables
 * All of a file is looked at before anything of it is added.
 */
#include "indexed_read.h"

#include <string.h>

#include "indexed_read_inside.h"

static const char cut[] = "it is cut short; copy it again";

/* Once it was in the byte order of the machine that wrote it; it never is of
 * any but these. */
static const unsigned char magic[8] = {0xFF, 'l', 'p', 'r',
                                       'o',  'f', 'i', 0x81};

bool indexed_is(struct bytes file) {
  return file.size >= 8 && memcmp(file.data, magic, 8) == 0;
}

static void read_word(struct indexed *indexed, uint64_t word) {
  indexed->version = (unsigned)(word & UINT32_MAX);
  indexed->memory = word >> 62 & 1;
  indexed->flags = profile_flags(word);
}

const char *indexed_open(struct indexed *indexed, struct bytes file) {
  static const unsigned char since[] = {1, 8, 9, 10, 12};
  *indexed = (struct indexed){.file = file};
  if (!indexed_is(file))
    return "it is no indexed profile; give a .profdata";
  if (file.size < 40)
    return cut;
  read_word(indexed, indexed_load(indexed, 8));
  if (indexed->version < 1 || indexed->version > INDEXED_VERSION_LAST)
    return "its version is not 1 to 13; use a newer bareprof";
  if (indexed_load(indexed, 24) != 0)
    return "its names are hashed by another function than MD5; use a newer "
           "bareprof";
  size_t *const offsets[] = {&indexed->table, &indexed->memprof, &indexed->ids,
                             &indexed->traces, &indexed->vtables};
  for (unsigned i = 0; i < 5 && indexed->version >= since[i]; i++) {
    uint64_t offset = 0;
    if (!indexed_has(indexed, 32 + 8 * i, 8))
      return cut;
    offset = indexed_load(indexed, 32 + 8 * i);
    if (!indexed_has(indexed, offset, 0))
      return cut;
    *offsets[i] = (size_t)offset;
  }
  if (!indexed->memory)
    indexed->memprof = 0;
  if (!(indexed->flags & PROFILE_TEMPORAL))
    indexed->traces = 0;
  return NULL;
}

const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events) {
  struct indexed indexed;
  const char *error = indexed_open(&indexed, file);
  if (!error)
    error = indexed_functions(&indexed, NULL, weight, NULL);
  if (!error)
    error = indexed_rest(&indexed, NULL, weight);
  if (!error && indexed.memory && profile->memprof.size)
    error = "it has a memory profile, and so has a file before; give one such "
            "file";
  if (!error && (!indexed.memory || indexed.flags & PROFILE_IR))
    error = profile_join_flags(profile, indexed.flags);
  if (error)
    return error;
  error = indexed_functions(&indexed, profile, weight, events);
  return error ? error : indexed_rest(&indexed, profile, weight);
}
