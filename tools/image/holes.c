/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Holes: listed, and filled from the ELF.
 */
#include "holes.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/error.h"
#include "functions.h"

/* Functions named for one hole; more are counted. */
enum { NAMED_MOST = 8, HOLES_MOST = 1000 };

void holes_fill(struct snapshot *snapshot, const struct elf *elf) {
  const struct header *header = &snapshot->header;
  if (!elf_is_build(elf, header_id(header)))
    return;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct piece *piece = &header->pieces[i];
    const unsigned char *bytes = elf_at(elf, piece->address, piece->size);
    if (!piece_changes(i) && snapshot->parts[i].bytes && bytes)
      snapshot_constant(snapshot, i, bytes);
  }
}

/* Whether a hole has counters or bitmap bytes of a function. */
static bool touches(const struct function *function,
                    const struct functions *functions,
                    const struct hole *hole) {
  uint64_t begin = function->bitmap;
  uint64_t size = function->bitmap_size;
  uint64_t first = hole->first;
  uint64_t end = first + hole->count;
  if (hole->piece == BAREPROF_PIECE_COUNTERS) {
    begin = function->counters;
    size = (uint64_t)function->counter_count * functions->counter_size;
    first *= functions->counter_size;
    end *= functions->counter_size;
  }
  return begin < end && first < begin + size;
}

static void list_functions(const struct functions *functions,
                           const struct hole *hole) {
  size_t count = 0;
  if (hole->piece != BAREPROF_PIECE_COUNTERS &&
      hole->piece != BAREPROF_PIECE_BITMAP)
    return;
  for (size_t i = 0; i < functions->count; i++) {
    const struct function *function = &functions->list[i];
    char shown[256];
    if (!touches(function, functions, hole) || count++ >= NAMED_MOST)
      continue;
    fprintf(stderr, "%s", count == 1 ? ": " : ", ");
    if (function->name)
      fprintf(stderr, "%s", printable(shown, sizeof shown, function->name));
    else
      fprintf(stderr, "0x%016" PRIx64, function->name_ref);
  }
  if (count > NAMED_MOST)
    fprintf(stderr, " and %zu more", count - NAMED_MOST);
}

/* A compact dump does not say what raw version its records are of: the first
 * that they survive. */
static const char *read_functions(struct functions *functions,
                                  const struct elf *elf,
                                  const struct header *header) {
  const char *error = NULL;
  if (!header->cut)
    return functions_read(functions, elf, header->version);
  for (unsigned raw = BAREPROF_RAW_VERSION_LAST;
       raw >= BAREPROF_RAW_VERSION_FIRST; raw--) {
    error = functions_read(functions, elf, header->version | raw);
    if (!error)
      break;
    functions_free(functions);
  }
  return error;
}

void holes_list(const struct snapshot *snapshot, const char *elf_name,
                const struct elf *elf) {
  static const char *const profile[] = {
      "words of records", "counters",         "bitmap bytes",
      "bytes of names",   "words of vtables", "bytes of vtable names",
      "value slots"};
  static const char *const mip[] = {"words of the header", "raw bytes",
                                    "bytes of edges"};
  static const char *const samples[] = {"entries", "numbers"};
  unsigned kind = snapshot->header.kind;
  const char *const *names = kind == BAREPROF_KIND_MIP       ? mip
                             : kind == BAREPROF_KIND_SAMPLES ? samples
                                                             : profile;
  struct functions functions = {0};
  struct hole hole = {0, 0, 0};
  size_t count = 0;
  if (names != profile)
    elf = NULL; /* It has nothing to say. */
  if (elf && !elf_is_build(elf, header_id(&snapshot->header))) {
    report(elf_name, "it is not the build that sent the dump; give that one");
  } else if (elf) {
    const char *error = read_functions(&functions, elf, &snapshot->header);
    if (error)
      report(elf_name, "%s", error);
  }
  for (; snapshot_hole(snapshot, &hole); hole.first += hole.count) {
    const struct header *header = &snapshot->header;
    if (count++ >= HOLES_MOST)
      continue;
    fprintf(
        stderr, "  missing: %" PRIu32 " of %" PRIu64 " %s, from %" PRIu32 " on",
        hole.count,
        header->pieces[hole.piece].size / header_element(header, hole.piece),
        names[hole.piece], hole.first);
    list_functions(&functions, &hole);
    fputc('\n', stderr);
  }
  if (count > HOLES_MOST)
    fprintf(stderr, "  and %zu more\n", count - HOLES_MOST);
  functions_free(&functions);
}
