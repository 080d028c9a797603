/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a profile from an image and the image's counts in dumps, memory images,
 * cores and traces. raw_write.c writes the result. */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "dumpfile.h"
#include "profraw_write.h"
#include "snapshot.h"
#include "trace_counts.h"
#include "raw_version.h"

/* This bit of the version word says that records are in debug information. */
#define ELSEWHERE (UINT64_C(1) << 59)

/* Bits of image_join.warned. */
enum { WARNED_MCDC = 1, WARNED_MODULO = 2, WARNED_BOUNDS = 4 };

/* Returns whether this warning is the first of its kind, and marks the kind as
 * warned. */
static bool mark_warning_if_first(struct image_join *join, unsigned which) {
  bool first = !(join->warned & which);
  join->warned |= (unsigned char)which;
  return first;
}

/* Warns once that the profile is made without bitmaps. */
static void report_lost_mcdc(struct image_join *join) {
  struct buffer names;
  bool lost;
  const char *error = image_make_debug_names(join->elf, &names, &lost);
  if (!error && lost && mark_warning_if_first(join, WARNED_MCDC))
    warn(join->elf_name,
         "the records are in the debug information, and no symbols map MC/DC "
         "bitmaps to functions, so MC/DC is lost; pass the ELF that ran, "
         "unstripped, or compile with -profile-correlate=binary");
  buffer_free(&names);
}

/* Warns once that counts may be too low, because they are known modulo 2^32. */
static void set_folded_and_warn_modulo(struct image_join *join) {
  struct counter_widths widths;
  if (!join->begun)
    return;
  counter_width_read(&widths, join->elf);
  join->profile.header.folded = widths.folded;
  if (counter_width_is_modulo(&widths) &&
      mark_warning_if_first(join, WARNED_MODULO))
    counter_width_warn_modulo(join->elf_name, widths.placed.objects);
}

/* Shortens the sections that alignment made longer than the pieces of the dump.
 * This happens if the ELF has lost the symbols for the ends of the pieces. */
static void shorten_padded_pieces(struct image_join *join,
                                  const struct dump_header *dump) {
  static const char *const ends[] = {
      [BAREPROF_PIECE_COUNTERS] = "__stop___llvm_prf_cnts",
      [BAREPROF_PIECE_BITMAP] = "__stop___llvm_prf_bits"};
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++) {
    struct dump_piece *piece = &join->profile.header.pieces[i];
    uint64_t address, size = dump->pieces[i].size;
    uint64_t most = join->profile.header.packed ? 16 : 8;
    if (!join->dumps && size && size < piece->size &&
        piece->size - size < most &&
        !elf_find_symbol(join->elf, ends[i], &address))
      piece->size = size;
  }
}

/* Begins the profile, unless the profile has begun. `word` is the version word
 * of a dump, or 0. */
static int begin_profile_once(struct image_join *join, uint64_t word) {
  struct raw_version_evidence found;
  uint64_t version;
  if (join->begun)
    return 0;
  const char *error = raw_version_collect_evidence(join->elf, word, &found);
  if (!error)
    error = raw_version_choose(&found, word, 0, &version);
  /* If the evidence does not decide, the version is the user's choice. */
  if (error && join->raw && found.consistent)
    error = raw_version_choose(&found, word, join->raw, &version);
  if (!error)
    error = image_list_count_ranges(join->elf, version, &join->ranges);
  if (!error)
    error = image_read(&join->profile, join->elf, version);
  if (!error)
    report_lost_mcdc(join);
  join->begun = !error;
  set_folded_and_warn_modulo(join);
  return error ? report(join->elf_name, "%s", error) : 0;
}

/* Checks whether another input may be added. */
static int check_input_addable(const struct image_join *join,
                               const char *name) {
  return join->dumps && join->profile.header.version & BAREPROF_TEMPORAL
             ? report(name, "the counters hold the function order, which "
                            "cannot be added; join each dump separately")
             : 0;
}

/* Warns once that some counts of the image are lower bounds. */
static void report_lower_bounds(struct image_join *join) {
  if (snapshot_is_saturated(&join->profile) &&
      mark_warning_if_first(join, WARNED_BOUNDS))
    counter_width_warn_saturated(join->elf_name);
}

/* Adds counts that have the layout of the profile. */
static int add_counts(struct image_join *join, const char *name,
                      const struct snapshot *counts) {
  if (check_input_addable(join, name))
    return 1;
  bool done = true;
  if (join->dumps++)
    return snapshot_merge(&join->profile, counts) ? 0
                                                  : report_out_of_memory(name);
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (counts->parts[i].bytes)
      done &= snapshot_set_piece(&join->profile, i, counts->parts[i].bytes);
  done &= slots_merge(&join->profile, counts);
  return done ? 0 : report_out_of_memory(name);
}

/* Returns whether a dump has the layout of the profile. In a raw profile all
 * addresses are 0, so the addresses of a raw profile are not compared. */
static bool has_same_layout(const struct image_join *join,
                            const struct dump_header *dump) {
  const struct dump_header *image = &join->profile.header;
  uint64_t other = image->version ^ dump->version;
  /* The raw versions may differ: the user may have chosen one, and a compact
   * dump only says whether a counter has one byte. */
  if (join->raw)
    other = other >> 32 << 32;
  if (dump->compact)
    other &= BAREPROF_BYTE_COVERAGE;
  bool same = (dump->compact || image->wide == dump->wide) &&
              image->big_endian == dump->big_endian && other == 0;
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    same &= image->pieces[i].size == dump->pieces[i].size &&
            !dump->pieces[i].left_out &&
            (dump->compact || !dump->pieces[i].address ||
             image->pieces[i].address == dump->pieces[i].address ||
             image->pieces[i].size == 0);
  return same;
}

/* Reports that counts are from another build, and returns 1. */
static int report_other_build(const struct image_join *join, const char *name) {
  return report(name, "the build id does not match %s; pass the ELF that ran",
                join->elf_name);
}

/* Checks that the dump is complete, and of this build and layout. The first
 * dump starts the profile. */
static int check_dump_and_begin_profile(struct image_join *join,
                                        const char *name,
                                        const struct snapshot *dump) {
  const struct dump_header *header = &dump->header;
  unsigned char digest[16];
  struct bytes id;
  if (header->kind != BAREPROF_KIND_PROFILE)
    return report(
        name, "the dump has no profile; use bareprof mip or bareprof samples");
  if (!image_find_or_make_id(join->elf, &id, digest))
    return report(join->elf_name,
                  "the build id is missing, so the dump may come from another "
                  "build; link with --build-id");
  if (!elf_build_ids_match(id, header_build_id(header)))
    return report_other_build(join, name);
  if (!snapshot_is_complete(dump))
    return report(
        name,
        "the dump has gaps; receive the dump again, or pass a complete one");
  if (begin_profile_once(join, header->compact ? 0 : header->version))
    return 1;
  shorten_padded_pieces(join, header);
  const struct dump_piece *bitmap =
      &join->profile.header.pieces[BAREPROF_PIECE_BITMAP];
  if (header->compact && bitmap->size &&
      !header->pieces[BAREPROF_PIECE_BITMAP].size)
    return report(name,
                  "the dump has no MC/DC, although %s measures MC/DC, because "
                  "1-bit dumps contain no MC/DC; use bareprof_tiny_init_flags "
                  "and bareprof_tiny_send",
                  join->elf_name);
  if (has_same_layout(join, header))
    return 0;
  return report(name,
                "the build id matches %s, but the counter layout does not; "
                "pass the ELF as the linker wrote it",
                join->elf_name);
}

int join_dump(struct image_join *join, const char *name,
              const struct snapshot *dump) {
  return check_dump_and_begin_profile(join, name, dump) ||
         add_counts(join, name, dump);
}

/* ==== Reads counts from a copy of the target's memory: a debugger's copy, a
 * core, or bare counters. These copies lack a CRC, so the build id and the
 * guard word are checked if the copy contains them. */

/* A copy of memory that starts at an address, or the segments of a core. */
struct saved_memory {
  struct bytes bytes;
  uint64_t address;
  const struct elf *core;
  bool trace_only; /* the addresses are only for trace points, and are not on
                      the target */
};

static const unsigned char *find_range_in_bytes(struct bytes bytes, uint64_t at,
                                                uint64_t address,
                                                uint64_t size) {
  uint64_t offset = address - at;
  return bytes.data && address >= at && offset <= bytes.size &&
                 size <= bytes.size - offset
             ? bytes.data + offset
             : NULL;
}

/* Finds an address range in memory. Returns NULL if a part is missing. */
static const unsigned char *find_memory_range(const struct saved_memory *memory,
                                              uint64_t address, uint64_t size) {
  const unsigned char *found =
      find_range_in_bytes(memory->bytes, memory->address, address, size);
  for (uint64_t i = 0;
       memory->core && !found && i < memory->core->segment_count; i++) {
    struct elf_segment segment = elf_segment(memory->core, i);
    struct bytes bytes = {segment.bytes, (size_t)segment.file_size};
    if (segment.type == ELF_PT_LOAD)
      found = find_range_in_bytes(bytes, segment.address, address, size);
  }
  return found;
}

/* Finds the address of the guard word, which bareprof_init fills. Returns false
 * if the image lacks a guard word. */
static bool find_guard_address(const struct image_join *join,
                               uint64_t *address) {
  return elf_find_symbol(join->elf, "__bareprof_guard", address) && *address;
}

/* Returns the size of a piece on the target, in bytes. */
static uint64_t target_piece_size(const struct image_join *join,
                                  unsigned piece) {
  const struct dump_header *header = &join->profile.header;
  bool packed = header->packed && piece == BAREPROF_PIECE_COUNTERS;
  return header->pieces[piece].size / (packed ? 2 : 1);
}

/* Returns false if the guard word shows that the program has not called
 * bareprof_init. */
static bool is_profile_initialised(const struct image_join *join,
                                   const struct saved_memory *memory) {
  const struct dump_header *header = &join->profile.header;
  const struct dump_piece *counters = &header->pieces[BAREPROF_PIECE_COUNTERS];
  uint64_t address;
  if (memory->trace_only || !find_guard_address(join, &address))
    return true;
  const unsigned char *guard = find_memory_range(memory, address, 8);
  uint32_t expected =
      ~(uint32_t)(counters->address +
                  target_piece_size(join, BAREPROF_PIECE_COUNTERS));
  return !guard || (uint32_t)load64(guard, header->big_endian) == expected;
}

/* Returns whether the counters may have started at zero. Random content of RAM
 * at power-up is mostly higher than any count of a program. If the memory has a
 * guard word, only the guard word decides. */
static bool may_have_started_at_zero(const struct image_join *join,
                                     const struct saved_memory *memory,
                                     const struct snapshot *counts) {
  const struct dump_header *header = &counts->header;
  const unsigned char *at = counts->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_element_count(header, BAREPROF_PIECE_COUNTERS);
  uint64_t address;
  if ((find_guard_address(join, &address) &&
       find_memory_range(memory, address, 8)) ||
      header->version & BAREPROF_TEMPORAL ||
      header_element_size(header, BAREPROF_PIECE_COUNTERS) != 8)
    return true;
  for (; count; count--, at += 8)
    if (load64(at, header->big_endian) >> 48)
      return false;
  return true;
}

/* Returns whether the memory contains the build id of another ELF. */
static bool has_other_build_id(const struct image_join *join,
                               const struct saved_memory *memory) {
  struct elf_section note;
  if (memory->trace_only ||
      !elf_find_section(join->elf, ".note.gnu.build-id", &note) ||
      !note.bytes || !(note.flags & ELF_ALLOC))
    return false;
  const unsigned char *seen =
      find_memory_range(memory, note.address, note.size);
  return seen && memcmp(seen, note.bytes, (size_t)note.size) != 0;
}

/* Converts the target's bytes to a piece of counts in a snapshot. Returns false
 * if memory runs out. */
static bool set_count_piece(struct snapshot *counts, unsigned piece,
                            const unsigned char *bytes) {
  bool big = counts->header.big_endian;
  if (piece != BAREPROF_PIECE_COUNTERS || !counts->header.packed)
    return snapshot_set_piece(counts, piece, bytes);
  size_t count = header_element_count(&counts->header, piece);
  unsigned char *wide = malloc(8 * count + 1);
  for (size_t i = 0; wide && i < count; i++)
    store64(wide + 8 * i, load32(bytes + 4 * i, big), big);
  bool done = wide && snapshot_set_piece(counts, piece, wide);
  free(wide);
  return done;
}

static int copy_piece_ranges(const struct image_join *join, const char *name,
                             const struct saved_memory *memory, unsigned piece,
                             unsigned char *to) {
  for (size_t i = 0; i < join->ranges.count; i++) {
    const struct image_range *range = &join->ranges.list[i];
    /* A range exceeds its piece if a dump has shown where the piece ends. */
    uint64_t end = target_piece_size(join, piece);
    if (range->piece != piece || range->offset >= end)
      continue;
    uint64_t left = end - range->offset;
    uint64_t size = range->size < left ? range->size : left;
    const unsigned char *bytes =
        find_memory_range(memory, range->address, size);
    if (!bytes)
      return report(name,
                    "the memory image lacks some %s, which are at 0x%llx to "
                    "0x%llx; save this memory, too",
                    piece == BAREPROF_PIECE_COUNTERS ? "counters" : "bitmaps",
                    (unsigned long long)range->address,
                    (unsigned long long)(range->address + size));
    memcpy(to + range->offset, bytes, (size_t)size);
  }
  return 0;
}

static int copy_memory_counts(const struct image_join *join, const char *name,
                              const struct saved_memory *memory,
                              struct snapshot *counts) {
  int status = 0;
  for (unsigned i = BAREPROF_PIECE_COUNTERS;
       i <= BAREPROF_PIECE_BITMAP && !status; i++) {
    uint64_t size = target_piece_size(join, i);
    unsigned char *bytes = size ? malloc((size_t)size) : NULL;
    if (size && !bytes)
      return report_out_of_memory(name);
    if (size)
      status = copy_piece_ranges(join, name, memory, i, bytes);
    if (size && !status && !set_count_piece(counts, i, bytes))
      status = report_out_of_memory(name);
    free(bytes);
  }
  return status;
}

/* ---- value slots ---- */

/* Loads a value slot. If a hook was filling the slot, the slot lacks its value.
 */
static void load_target_slot(struct bareprof_value_slot *slot,
                             const unsigned char *at, const struct elf *elf) {
  unsigned pointer = elf->wide ? 8 : 4;
  slot->owner = load_number(at, pointer, elf->big);
  slot->value = load_number(at + pointer, pointer, elf->big);
  slot->count = load_number(at + 2 * pointer, pointer, elf->big);
  slot->site = (uint32_t)load_number(at + 3 * pointer, pointer / 2, elf->big);
  slot->owner &= ~BAREPROF_VALUE_FROZEN;
  if (!(slot->owner & BAREPROF_VALUE_OWNED))
    slot->owner = 0;
}

static int copy_value_slots(const struct image_join *join, const char *name,
                            const struct saved_memory *memory,
                            struct snapshot *counts) {
  struct slot_storage storage;
  if (memory->trace_only || !slots_find_storage(join->elf, &storage) ||
      !storage.count)
    return 0;
  if (storage.count > PIECE_LIMIT / SLOT_BYTES)
    return report(join->elf_name, PIECE_TOO_LARGE);
  uint64_t size = (uint64_t)storage.count * storage.slot_size;
  const unsigned char *at = find_memory_range(memory, storage.address, size);
  if (!at) {
    warn(name,
         "the memory image lacks value slots, at 0x%llx to 0x%llx, so values "
         "are left out; save all memory as one image",
         (unsigned long long)storage.address,
         (unsigned long long)(storage.address + size));
    return 0;
  }
  struct value_slots slots = {calloc(storage.count, sizeof *slots.list),
                              storage.count};
  for (uint32_t i = 0; slots.list && i < slots.count; i++)
    load_target_slot(&slots.list[i], at + (size_t)i * storage.slot_size,
                     join->elf);
  bool done = slots.list && slots_replace(counts, &slots);
  free(slots.list);
  return done ? 0 : report_out_of_memory(name);
}

/* Adds the counts in the target's memory, unless the memory shows that the
 * counters were not initialised, or belong to another build. */
static int add_memory_counts(struct image_join *join, const char *name,
                             const struct saved_memory *memory) {
  struct snapshot counts;
  if (begin_profile_once(join, 0))
    return 1;
  if (has_other_build_id(join, memory))
    return report_other_build(join, name);
  struct dump_header header = join->profile.header;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out =
        i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP;
  if (!snapshot_init(&counts, &header))
    return report_out_of_memory(name);
  int status = copy_memory_counts(join, name, memory, &counts);
  if (!status && counts.header.folded)
    snapshot_unfold(&counts);
  if (!status)
    status = copy_value_slots(join, name, memory, &counts);
  if (!status && !is_profile_initialised(join, memory))
    status = report(
        name, "the memory lacks this ELF's guard; call bareprof_init before "
              "the first instrumented function, or pass the right address and "
              "the ELF that ran");
  if (!status && !may_have_started_at_zero(join, memory, &counts))
    status =
        report(name, "a count is above 2^48, so the counters were not cleared "
                     "at boot; see bareprof doctor, or pass the right address");
  if (!status)
    status = add_counts(join, name, &counts);
  snapshot_free(&counts);
  return status;
}

int join_add_memory(struct image_join *join, const char *name,
                    struct bytes memory, uint64_t address) {
  const struct saved_memory all = {.bytes = memory, .address = address};
  return add_memory_counts(join, name, &all);
}

static int add_core_counts(struct image_join *join, const char *name,
                           struct bytes file) {
  struct elf core;
  const char *error = elf_open(&core, file);
  if (error && core.type == ELF_CORE)
    error = "the core file is damaged or truncated; save the core file again";
  if (error)
    return report(name, "%s", error);
  if (core.type != ELF_CORE)
    return report(name, "this ELF is not a core file; first pass the ELF that "
                        "ran, then the dumps");
  if (core.big != join->elf->big || core.wide != join->elf->wide ||
      core.machine != join->elf->machine)
    return report(
        name,
        "the core file is from another machine than %s; pass the ELF that ran",
        join->elf_name);
  const struct saved_memory memory = {.core = &core};
  return add_memory_counts(join, name, &memory);
}

/* Adds counts from a file without addresses. The file has the counters, the
 * bitmap, and memory up to the guard word. Another size is an error. */
static int add_bare_counters(struct image_join *join, const char *name,
                             struct bytes file) {
  if (begin_profile_once(join, 0))
    return 1;
  const struct dump_piece *counters =
      &join->profile.header.pieces[BAREPROF_PIECE_COUNTERS];
  const struct dump_piece *bitmap =
      &join->profile.header.pieces[BAREPROF_PIECE_BITMAP];
  uint64_t most = target_piece_size(join, BAREPROF_PIECE_COUNTERS), guard;
  if (bitmap->size)
    most = bitmap->address + bitmap->size - counters->address;
  most = (most + 7) / 8 * 8;
  if (find_guard_address(join, &guard) && guard - counters->address >= most)
    most = guard + 8 - counters->address;
  if (file.size > most && file_has_frames(file))
    return report(name, "this is a console log; pass it to bareprof report, or "
                        "first to bareprof receive");
  if (file.size > most)
    return report(
        name,
        "this is neither a dump nor a core, and larger than the counters (%llu "
        "bytes); pass a memory image with --memory FILE@ADDRESS",
        (unsigned long long)most);
  return join_add_memory(join, name, file, counters->address);
}

/* ---- files ---- */

int join_add_trace(struct image_join *join, const char *name,
                   const struct trace_counts *traced) {
  const struct saved_memory memory = {
      .bytes = {traced->counts, (size_t)traced->size},
      .address = traced->address,
      .trace_only = true};
  int status = add_memory_counts(join, name, &memory);
  if (!status && traced->lost)
    warn(name,
         "decisions were cut %llu times, by a task switch or a jump, so their "
         "outcomes are unknown: MC/DC is at least the value shown",
         (unsigned long long)traced->lost);
  return status;
}

static int add_trace_file(struct image_join *join, const char *name,
                          struct bytes file) {
  struct trace_counts traced;
  const char *error = trace_counts_read(&traced, join->elf, file);
  int status =
      error ? report(name, "%s", error) : join_add_trace(join, name, &traced);
  free(traced.counts);
  return status;
}

int join_add_file(struct image_join *join, const char *name,
                  struct bytes file) {
  struct snapshot dump;
  if (file.size >= 4 && memcmp(file.data, "\177ELF", 4) == 0)
    return add_core_counts(join, name, file);
  if (file.size >= 4 && memcmp(file.data, "\xFBMIP", 4) == 0)
    return report(name, "this is a MIP file; use bareprof mip");
  if (file_is_raw_profile(file))
    return report(name,
                  "this is a raw profile; pass it to bareprof merge, with "
                  "--elf %s if the profile has no records",
                  join->elf_name);
  if (trace_file_has_magic(file))
    return add_trace_file(join, name, file);
  if (!dumpfile_is_dump(file))
    return add_bare_counters(join, name, file);
  const char *error = dumpfile_read(&dump, file);
  if (error)
    return report(name, "%s", error);
  int status = join_dump(join, name, &dump);
  snapshot_free(&dump);
  return status;
}

int join_write(struct image_join *join, const char *out) {
  struct output_file output;
  const char *error =
      join->raw ? image_convert_version(&join->profile, join->elf, join->raw)
                : NULL;
  if (error)
    return report(join->elf_name, "%s", error);
  if (output_open(&output, out))
    return 1;
  report_lower_bounds(join);
  /* The profile contains the records, even if the records of the image are in
   * debug information. */
  join->profile.header.version &= ~ELSEWHERE;
  error = raw_write_profile(&join->profile, output.stream);
  return output_commit_or_report(&output, join->elf_name, error);
}

void join_free(struct image_join *join) {
  free(join->ranges.list);
  if (join->begun)
    image_free(&join->profile, join->elf);
}
