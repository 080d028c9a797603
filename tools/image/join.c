/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Joins an image with its counts. Those of memory are in join_memory.c.
 */
#include "join.h"

#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "dumpfile.h"
#include "raw_write.h"
#include "slots.h"
#include "join_inside.h"

/* The version word's bit that the records are in debug information. */
#define ELSEWHERE (UINT64_C(1) << 59)

static const char no_memory[] = "out of memory; close other programs";

/* Said once: the profile is made, without them. */
static void tell_lost(const struct join *join) {
  struct buffer names;
  bool lost;
  const char *error = image_names(join->elf, &names, &lost);
  if (!error && lost)
    report(join->elf_name,
           "MC/DC is lost: its records are in the debug information, and no "
           "symbols say whose the bitmaps are; give the ELF as it was linked, "
           "or compile with -profile-correlate=binary");
  buffer_free(&names);
}

/* Where the ELF has lost the symbols that end them, a section is longer than
 * what a dump has, by alignment. */
static void adopt_ends(struct join *join, const struct header *dump) {
  static const char *const ends[] = {
      [BAREPROF_PIECE_COUNTERS] = "__stop___llvm_prf_cnts",
      [BAREPROF_PIECE_BITMAP] = "__stop___llvm_prf_bits"};
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++) {
    struct piece *piece = &join->profile.header.pieces[i];
    uint64_t address, size = dump->pieces[i].size;
    if (!join->dumps && size && size < piece->size && piece->size - size < 8 &&
        !elf_find_symbol(join->elf, ends[i], &address))
      piece->size = size;
  }
}

int join_begin(struct join *join, uint64_t word) {
  struct witnesses found;
  uint64_t version;
  if (join->begun)
    return 0;
  const char *error = image_witnesses(join->elf, word, &found);
  if (!error)
    error = image_version(&found, word, 0, &version);
  /* The user decides what the witnesses do not. */
  if (error && join->raw && found.consistent)
    error = image_version(&found, word, join->raw, &version);
  if (!error)
    error = image_read(&join->profile, join->elf, version);
  if (!error)
    tell_lost(join);
  join->begun = !error;
  return error ? report(join->elf_name, "%s", error) : 0;
}

/* Exchanges what two snapshots of one layout have of the counts. */
static void exchange(struct snapshot *a, struct snapshot *b) {
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++) {
    struct part part = a->parts[i];
    a->parts[i] = b->parts[i];
    b->parts[i] = part;
  }
}

/* Whether there may be one more. */
static int check_add(const struct join *join, const char *name) {
  return join->dumps && join->profile.header.version & BAREPROF_TEMPORAL
             ? report(name, "its counters hold the order of functions, which "
                            "cannot be added up; join each dump by itself")
             : 0;
}

int join_take(struct join *join, const char *name, struct snapshot *counts) {
  if (check_add(join, name))
    return 1;
  bool done = true;
  if (join->dumps++) {
    done = snapshot_merge(&join->profile, counts);
  } else {
    exchange(&join->profile, counts);
    done = slots_merge(&join->profile, counts);
  }
  return done ? 0 : report(name, "%s", no_memory);
}

static bool same_layout(const struct join *join, const struct header *dump) {
  const struct header *image = &join->profile.header;
  uint64_t other = image->version ^ dump->version;
  /* The raw version may have been decided; a compact dump has only the size
   * of counters. */
  if (join->raw)
    other = other >> 32 << 32;
  if (dump->cut)
    other &= BAREPROF_BYTE_COVERAGE;
  bool same = (dump->cut || image->wide == dump->wide) &&
              image->big_endian == dump->big_endian && other == 0;
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    same &= image->pieces[i].size == dump->pieces[i].size &&
            !dump->pieces[i].left_out &&
            (dump->cut || image->pieces[i].address == dump->pieces[i].address ||
             image->pieces[i].size == 0);
  return same;
}

static int check_dump(struct join *join, const char *name,
                      const struct snapshot *dump) {
  const struct header *header = &dump->header;
  struct bytes id;
  if (header->kind != BAREPROF_KIND_PROFILE)
    return report(name, "it is not a dump of a profile; see bareprof mip and "
                        "bareprof samples");
  if (!elf_build_id(join->elf, &id))
    return report(join->elf_name,
                  "it has no build id, and so may be of any build; link with "
                  "--build-id");
  if (!elf_is_build(join->elf, header_id(header)))
    return join_other_build(join, name);
  if (!snapshot_whole(dump))
    return report(name, "it has gaps; receive it again, or give a whole one");
  if (join_begin(join, header->cut ? 0 : header->version))
    return 1;
  adopt_ends(join, header);
  if (!same_layout(join, header))
    return report(name,
                  "its counters are not those of %s, although the build "
                  "id is; was the ELF changed after it was linked?",
                  join->elf_name);
  return 0;
}

int join_other_build(const struct join *join, const char *name) {
  return report(name, "it is of another build than %s; give the ELF that ran",
                join->elf_name);
}

int join_dump(struct join *join, const char *name,
              const struct snapshot *dump) {
  if (check_dump(join, name, dump) || check_add(join, name))
    return 1;
  bool done = true;
  if (join->dumps++)
    return snapshot_merge(&join->profile, dump) ? 0
                                                : report(name, "%s", no_memory);
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (dump->parts[i].bytes)
      done &= snapshot_constant(&join->profile, i, dump->parts[i].bytes);
  done &= slots_merge(&join->profile, dump);
  return done ? 0 : report(name, "%s", no_memory);
}

int join_file(struct join *join, const char *name, struct bytes file) {
  struct snapshot dump;
  if (file.size >= 4 && memcmp(file.data, "\177ELF", 4) == 0)
    return join_core(join, name, file);
  if (file.size >= 4 && memcmp(file.data, "\xFBMIP", 4) == 0)
    return report(name, "it is a file of MIP; see bareprof mip");
  if (!dumpfile_is(file))
    return join_bare(join, name, file);
  const char *error = dumpfile_read(&dump, file);
  if (error)
    return report(name, "%s", error);
  int status = check_dump(join, name, &dump);
  if (!status)
    status = join_take(join, name, &dump);
  snapshot_free(&dump);
  return status;
}

int join_write(struct join *join, const char *out) {
  struct output output;
  const char *error =
      join->raw ? image_convert(&join->profile, join->elf, join->raw) : NULL;
  if (error)
    return report(join->elf_name, "%s", error);
  if (output_open(&output, out))
    return 1;
  /* Now they are in the profile. */
  join->profile.header.version &= ~ELSEWHERE;
  error = profile_write(&join->profile, output.stream);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(join->elf_name, "%s", error);
}

void join_free(struct join *join) {
  if (join->begun)
    image_free(&join->profile, join->elf);
}
