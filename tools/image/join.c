/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Joins an image with its counts.
 */
#include "join.h"

#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../link/dumpfile.h"
#include "../link/profile.h"

/* Bytes of memory at an address. */
struct memory {
  struct bytes bytes;
  uint64_t address;
};

/* Where an address range lies in memory; NULL: not, or not all of it. */
static const unsigned char *find(const struct memory *memory, size_t count,
                                 uint64_t address, uint64_t size) {
  for (size_t i = 0; i < count; i++) {
    uint64_t offset = address - memory[i].address;
    if (address >= memory[i].address && offset <= memory[i].bytes.size &&
        size <= memory[i].bytes.size - offset)
      return memory[i].bytes.data + offset;
  }
  return NULL;
}

/* Begins the profile, if that is not done; word: of a dump, or 0. */
static int begin(struct join *join, uint64_t word) {
  struct witnesses found;
  uint64_t version;
  if (join->begun)
    return 0;
  const char *error = image_witnesses(join->elf, &found);
  if (!error)
    error = image_version(&found, word, 0, &version);
  /* The user decides what the witnesses do not. */
  if (error && join->raw && found.consistent)
    error = image_version(&found, word, join->raw, &version);
  if (!error)
    error = image_read(&join->profile, join->elf, version);
  join->begun = !error;
  return error ? report(join->elf_name, "%s", error) : 0;
}

static int add(struct join *join, const char *name,
               const struct snapshot *counts) {
  struct snapshot *profile = &join->profile;
  if (join->dumps && profile->header.version & BAREPROF_TEMPORAL)
    return report(name, "its counters hold the order of functions, which "
                        "cannot be added up; join each dump by itself");
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (!join->dumps && profile->parts[i].bytes)
      snapshot_constant(profile, i, counts->parts[i].bytes);
  if (join->dumps)
    snapshot_merge(profile, counts);
  join->dumps++;
  return 0;
}

static bool same_layout(const struct header *image, const struct header *dump) {
  bool same = image->wide == dump->wide &&
              image->big_endian == dump->big_endian &&
              image->version == dump->version;
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    same &= image->pieces[i].size == dump->pieces[i].size &&
            (image->pieces[i].address == dump->pieces[i].address ||
             image->pieces[i].size == 0);
  return same;
}

int join_dump(struct join *join, const char *name,
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
  if (id.size != header->build_id_size ||
      memcmp(id.data, header->build_id, id.size) != 0)
    return report(name,
                  "it is of another build than %s; give the ELF that "
                  "ran",
                  join->elf_name);
  if (!snapshot_whole(dump))
    return report(name, "it has gaps; receive it again, or give a whole one");
  if (begin(join, header->version))
    return 1;
  if (!same_layout(&join->profile.header, header))
    return report(name,
                  "its counters are not those of %s, although the build "
                  "id is; was the ELF changed after it was linked?",
                  join->elf_name);
  return add(join, name, dump);
}

/* What bareprof_init has left beside the counters, if memory shows it. */
static bool initialised(const struct join *join, const struct memory *memory,
                        size_t count) {
  const struct header *header = &join->profile.header;
  const struct piece *counters = &header->pieces[BAREPROF_PIECE_COUNTERS];
  uint64_t address;
  if (!elf_find_symbol(join->elf, "__bareprof_guard", &address) || !address)
    return true;
  const unsigned char *guard = find(memory, count, address, 8);
  uint32_t expected = ~(uint32_t)(counters->address + counters->size);
  return !guard || (uint32_t)load64(guard, header->big_endian) == expected;
}

/* Whether memory shows the note of another build than the ELF's. */
static bool other_build(const struct join *join, const struct memory *memory,
                        size_t count) {
  struct elf_section note;
  if (!elf_find_section(join->elf, ".note.gnu.build-id", &note) ||
      !note.bytes || !(note.flags & ELF_ALLOC))
    return false;
  const unsigned char *seen = find(memory, count, note.address, note.size);
  return seen && memcmp(seen, note.bytes, (size_t)note.size) != 0;
}

static int join_memories(struct join *join, const char *name,
                         const struct memory *memory, size_t count) {
  struct snapshot counts;
  int status = 0;
  if (begin(join, 0))
    return 1;
  if (other_build(join, memory, count))
    return report(name,
                  "it is of another build than %s; give the ELF that "
                  "ran",
                  join->elf_name);
  if (!initialised(join, memory, count))
    return report(name, "its counters were never initialised; call "
                        "bareprof_init before the first instrumented function");
  if (!snapshot_new(&counts, &join->profile.header))
    return report(name, "out of memory; close other programs");
  for (unsigned i = BAREPROF_PIECE_COUNTERS;
       i <= BAREPROF_PIECE_BITMAP && !status; i++) {
    const struct piece *piece = &counts.header.pieces[i];
    const unsigned char *bytes =
        find(memory, count, piece->address, piece->size);
    if (piece->size && !bytes)
      status = report(name,
                      "it does not have all %s, which are at 0x%llx to "
                      "0x%llx; save that memory, too",
                      i == BAREPROF_PIECE_COUNTERS ? "counters" : "bitmaps",
                      (unsigned long long)piece->address,
                      (unsigned long long)(piece->address + piece->size));
    else if (piece->size)
      snapshot_constant(&counts, i, bytes);
  }
  if (!status)
    status = add(join, name, &counts);
  snapshot_free(&counts);
  return status;
}

int join_memory(struct join *join, const char *name, struct bytes memory,
                uint64_t address) {
  struct memory one = {memory, address};
  return join_memories(join, name, &one, 1);
}

static int join_core(struct join *join, const char *name,
                     const struct elf *core) {
  enum { MEMORIES_MOST = 256 };
  struct memory memory[MEMORIES_MOST];
  size_t count = 0;
  if (core->big != join->elf->big || core->wide != join->elf->wide ||
      core->machine != join->elf->machine)
    return report(name,
                  "it is a core of another machine than %s; give the "
                  "ELF that ran",
                  join->elf_name);
  for (uint64_t i = 0; i < core->segment_count && count < MEMORIES_MOST; i++) {
    struct elf_segment segment = elf_segment(core, i);
    if (segment.type == ELF_PT_LOAD && segment.bytes)
      memory[count++] = (struct memory){
          {segment.bytes, (size_t)segment.file_size}, segment.address};
  }
  return join_memories(join, name, memory, count);
}

int join_file(struct join *join, const char *name, struct bytes file) {
  struct elf elf;
  if (dumpfile_is(file)) {
    struct snapshot dump;
    const char *error = dumpfile_read(&dump, file);
    if (error)
      return report(name, "%s", error);
    int status = join_dump(join, name, &dump);
    snapshot_free(&dump);
    return status;
  }
  if (file.size >= 4 && memcmp(file.data, "\177ELF", 4) == 0) {
    const char *error = elf_open(&elf, file);
    if (error)
      return report(name, "%s", error);
    if (elf.type != ELF_CORE)
      return report(name, "it is an ELF, but no core; give dumps behind the "
                          "ELF that ran");
    return join_core(join, name, &elf);
  }
  if (begin(join, 0))
    return 1;
  return join_memory(
      join, name, file,
      join->profile.header.pieces[BAREPROF_PIECE_COUNTERS].address);
}

int join_write(struct join *join, const char *out) {
  struct output output;
  const char *error =
      join->raw ? image_convert(&join->profile, join->raw) : NULL;
  if (error)
    return report(join->elf_name, "%s", error);
  if (output_open(&output, out))
    return 1;
  error = profile_write(&join->profile, output.stream);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(join->elf_name, "%s", error);
}

void join_free(struct join *join) {
  if (join->begun)
    snapshot_free(&join->profile);
}
