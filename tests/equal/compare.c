/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One process, two runtimes: the profile that compiler-rt writes into a
 * zeroed buffer, and ours of the same sections, byte by byte; then what
 * reset and merge of either do to the counters and bitmaps. Not
 * instrumented itself.
 *
 * Differences that are meant, each asserted to be exactly this:
 * - Value data. compiler-rt's write_buffer leaves them out although records
 *   announce them, and llvm-profdata refuses its file. Ours continues with
 *   an entry for each record with sites. Up to there both are equal.
 * - compiler-rt's size for a buffer forgets the padding behind the names of
 *   vtables: up to 7 bytes less than it writes.
 *
 * - compiler-rt 13 writes no binary id, although the format has room for it
 *   (raw 7) and llvm-profdata-13 reads one. Ours has it; without the field
 *   that gives its size and the id itself both are equal.
 *
 * compare FILE [THING...]: leaves our profile in FILE; one line on what is
 * wrong, also if one of the things is not in it.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bareprof.h"
#include "work.h"

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
void __llvm_profile_reset_counters(void);

enum { ROOM = 1 << 16 };
static char theirs[ROOM];
static unsigned char ours[ROOM], state[3][ROOM];
static struct bareprof_image image;

static void fail(const char *what, size_t a, size_t b) {
  printf("%s: theirs %zu, ours %zu\n", what, a, b);
  exit(1);
}

/* The note of the build id, which bareprof.ld would bound. */
static int find_note(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_NOTE)
      continue;
    const unsigned char *at =
        (const unsigned char *)(info->dlpi_addr + header->p_vaddr);
    const unsigned char *end = at + header->p_memsz;
    while (at < end) {
      const ElfW(Nhdr) *note = (const void *)at;
      size_t note_size = sizeof *note + (note->n_namesz + 3u) / 4 * 4 +
                         (note->n_descsz + 3u) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4) {
        image.build_id = (struct bareprof_span){at, at + note_size};
        return 1;
      }
      at += note_size;
    }
  }
  return 1; /* the program itself is the first */
}

static size_t size_of(const struct bareprof_span *span) {
  return (size_t)(span->end - span->begin);
}

static size_t write_ours(void) {
  struct bareprof_memory memory = {ours, ours + ROOM};
  const struct bareprof_sink sink = {bareprof_memory_write, &memory};
  int error = bareprof_write_image(&image, &sink);
  if (error) {
    printf("refused: %d\n", error);
    exit(1);
  }
  return (size_t)(memory.next - ours);
}

/* Bytes of header and pieces by the header's numbers: without value data. */
static size_t fixed_size(void) {
  uint64_t header[16];
  memcpy(header, theirs, sizeof header);
  unsigned version = (unsigned)header[1];
  size_t records = size_of(&image.records);
  size_t counters = size_of(&image.counters);
#define PADDED(n) (((size_t)(n) + 7) / 8 * 8)
  size_t pieces = header[2] + records + counters + header[6];
  if (version < 9)
    return 88 + pieces + PADDED(header[7]);
  pieces += header[7] + header[8] + PADDED(header[9]);
  if (version < 10)
    return 112 + pieces;
  return 128 + pieces + PADDED(size_of(&image.vtables)) + PADDED(header[14]);
}

/* Takes the binary id out of our profile of size bytes, where theirs has none
 * by its nature. Returns the size that is left. */
static size_t drop_build_id(size_t size) {
  uint64_t header[11], id = 0;
  memcpy(header, ours, sizeof header);
  if (header[1] << 32 >> 32 == 7) {
    id = header[2];
    memset(ours + 16, 0, 8);
    memmove(ours + 88, ours + 88 + id, size - 88 - id);
  }
  return size - id;
}

/* That the mode is what its name says. */
static bool has(const char *what, size_t size) {
  if (!strcmp(what, "sites"))
    return size > fixed_size();
  if (!strcmp(what, "vtables"))
    return size_of(&image.vtables) && size_of(&image.vtable_names);
  if (!strcmp(what, "bitmap"))
    return size_of(&image.bitmap) != 0;
  if (!strcmp(what, "bytes"))
    return *image.version >> 60 & 1;
  if (!strcmp(what, "id"))
    return size_of(&image.build_id) != 0;
  return false;
}

static void compare_profiles(size_t size) {
  size_t fixed = fixed_size();
  size_t announced = __llvm_profile_get_size_for_buffer();
  size_t forgotten = (8 - size_of(&image.vtable_names) % 8) % 8;
  if (announced + forgotten != fixed)
    fail("size", announced + forgotten, fixed);
  for (size_t i = 0; i < fixed; i++)
    if ((unsigned char)theirs[i] != ours[i])
      fail("a byte differs, at", i, i);
  if (size < fixed)
    fail("size without values", fixed, size);
  /* Value data: entries that fill the rest, with no value in them. */
  while (fixed < size) {
    uint32_t entry[2];
    memcpy(entry, ours + fixed, sizeof entry);
    if (entry[0] < 16 || entry[0] % 8 || entry[0] > size - fixed ||
        entry[1] < 1 || entry[1] > 3)
      fail("value data", fixed, entry[0]);
    fixed += entry[0];
  }
}

static void save_state(unsigned char *to) {
  size_t counters = size_of(&image.counters);
  memcpy(to, image.counters.begin, counters);
  memcpy(to + counters, image.bitmap.begin, size_of(&image.bitmap));
}

static void restore_state(const unsigned char *from) {
  size_t counters = size_of(&image.counters);
  memcpy((void *)(uintptr_t)image.counters.begin, from, counters);
  if (size_of(&image.bitmap))
    memcpy((void *)(uintptr_t)image.bitmap.begin, from + counters,
           size_of(&image.bitmap));
}

static void compare_states(const char *what) {
  size_t size = size_of(&image.counters) + size_of(&image.bitmap);
  for (size_t i = 0; i < size; i++)
    if (state[1][i] != state[2][i])
      fail(what, state[1][i], state[2][i]);
}

/* Both from the same counts: dumped, reset, run less, the dump merged. */
static void compare_merges(size_t size) {
  bareprof_reset_image(&image);
  work(1);
  save_state(state[0]);
  int their_error = __llvm_profile_merge_from_buffer(theirs, fixed_size());
  save_state(state[1]);
  restore_state(state[0]);
  int our_error = bareprof_merge_image(&image, ours, size);
  save_state(state[2]);
  if (*image.version >> 63) {
    /* Theirs refuses temporal profiles. */
    if (!their_error || our_error)
      fail("temporal merge", (size_t)their_error, (size_t)-our_error);
    return;
  } else if (their_error || our_error) {
    fail("merge", (size_t)their_error, (size_t)-our_error);
  }
  compare_states("merged byte");
}

static void compare_resets(void) {
  __llvm_profile_reset_counters();
  save_state(state[1]);
  restore_state(state[0]);
  bareprof_reset_image(&image);
  save_state(state[2]);
  compare_states("reset byte");
}

int main(int count, char **arguments) {
  image = bareprof_running;
  dl_iterate_phdr(find_note, NULL);
  work(20);
  if (__llvm_profile_write_buffer(theirs))
    fail("write_buffer", 1, 0);
  size_t size = write_ours();
  for (int i = 2; i < count; i++)
    if (!has(arguments[i], size))
      fail(arguments[i], 0, 0);
  FILE *file = count > 1 ? fopen(arguments[1], "wb") : NULL;
  if (file) {
    fwrite(ours, 1, size, file);
    fclose(file);
  }
  compare_profiles(drop_build_id(size));
  size = write_ours();
  compare_merges(size);
  compare_resets();
  /* Values were seen, so nothing is left for the library's own exit. */
  return 0;
}
