/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/profile/raw*. The input chooses a profile, how often it is
 * repeated, whether its records are in an ELF instead, and edits of both; or
 * the input is the file. What holds: a file that is refused adds nothing, one
 * that is not edited is read, again with and without what is kept of the file
 * before, and counts add up.
 */
#include <string.h>

#include "values.h"
#include "compose.h"
#include "make.h"
#include "object/digest.h"
#include "profiles.h"
#include "raw.h"

enum { MOST = 8192, EDITS_MOST = 24 };
#define LIMIT ((size_t)64 << 20)

static unsigned char file[MOST], elf_file[2 * MOST];
static size_t file_size, elf_size;
static struct firmware firmware;

static void put_value(struct firmware *to, struct input *input, unsigned slot,
                      unsigned site) {
  uint64_t owner = to->records_address + to->record_at[1];
  to->slots[slot] = (struct bareprof_value_slot){
      owner | BAREPROF_VALUE_OWNED | BAREPROF_VALUE_FROZEN,
      owner + 0x400 * take(input) % 4, 1 + take(input), site, 0};
}

static struct made_section section(const char *name, unsigned flags,
                                   const struct bareprof_span *span) {
  unsigned type = *name == '.' ? 7 : 1;
  return (struct made_section){name,          type,        flags,
                               span->address, span->begin, size_of(span)};
}

static uint64_t field(enum header_field name) {
  size_t at = header_offset(&firmware.target, name);
  return at == NOWHERE ? 0 : load(&firmware.target, file + at, 8);
}

/* Leaves the file only the header, with other sizes, and the counts. */
static void move_to_elf(void) {
  static const enum header_field gone[] = {H_NUM_DATA, H_NAMES_SIZE,
                                           H_NUM_VTABLES, H_VNAMES_SIZE};
  const struct target *target = &firmware.target;
  const struct bareprof_image *image = &firmware.image;
  const struct made_section sections[] = {
      section("__llvm_prf_data", 0, &image->records),
      section("__llvm_prf_cnts", 3, &image->counters),
      section("__llvm_prf_bits", 3, &image->bitmap),
      section("__llvm_prf_names", 0, &image->names),
      section(".note.gnu.build-id", 2, &image->build_id)};
  const struct made_elf made = {target, sections, 5, NULL, 0};
  elf_size = make_elf(elf_file, &made);
  size_t begin =
      header_offset(target, H_FIELDS) + (size_t)field(H_BINARY_IDS_SIZE);
  size_t records = size_of(&image->records);
  size_t end = begin + size_of(&image->counters) +
               (size_t)field(H_PAD_AFTER_COUNTERS) + size_of(&image->bitmap) +
               (size_t)field(H_PAD_AFTER_BITMAP);
  memmove(file + begin, file + begin + records, file_size - begin - records);
  file_size = end;
  for (unsigned i = 0; i < 4; i++)
    if (header_offset(target, gone[i]) != NOWHERE)
      store(target, file + header_offset(target, gone[i]), 8, 0);
}

/* Returns whether there is a profile. */
static bool compose_one(struct input *input) {
  static struct capture capture;
  unsigned what = take(input);
  const struct plan *plan = what % 3 == 0   ? &everything
                            : what % 3 == 1 ? &everything_bytes
                                            : &plans[what / 3 % plan_count];
  struct target target = machines[take(input) % machine_count];
  target.version = 7 + take(input) % 5;
  compose(&firmware, &target, plan);
  if (what & 128)
    firmware.word |= TEMPORAL;
  for (unsigned i = 0; plan == &everything && i < 4; i++)
    put_value(&firmware, input, 4 + i, i);
  if (capture_image(&capture, &firmware.image) ||
      file_size + capture.size > MOST)
    return false;
  memcpy(file + file_size, capture.bytes, capture.size);
  file_size += capture.size;
  return !(what & 128) && plan->since <= target.version;
}

static bool edit(struct input *input) {
  bool edited = false;
  for (unsigned i = 0; more(input) && i < EDITS_MOST && file_size; i++) {
    unsigned what = take(input);
    edited = true;
    if (elf_size && what & 1) {
      elf_file[take_place(input, elf_size, 100, 240)] =
          (unsigned char)take(input);
      continue;
    }
    what /= 2;
    size_t at = take_place(input, file_size, 100, 64);
    if (!edit_byte(input, &file[at], what) && what > 100)
      file_size = at + 1;
  }
  return edited;
}

/* Makes the file, and perhaps its ELF. Returns whether it must be read. */
static bool make(struct input *input) {
  bool whole = true;
  file_size = elf_size = 0;
  unsigned what = take(input);
  if (what % 8 == 0) {
    file_size = (size_t)(input->end - input->at) % MOST;
    if (file_size)
      memcpy(file, input->at, file_size);
    return false;
  }
  /* Several may be of kinds that do not mix. */
  unsigned count = 1 + (what > 200);
  for (unsigned i = 0; i < count; i++)
    whole = compose_one(input) && whole;
  if (whole && count == 1 && what > 150)
    move_to_elf();
  return !edit(input) && whole && count == 1;
}

static void add_again(struct profile *profile, struct bytes bytes,
                      struct raw_options *options) {
  uint64_t once = sum_of(profile);
  must(!raw_parse_into(profile, bytes, options), "it is read again");
  must(events || sum_of(profile) == 2 * once, "counts add up");
  options->cache = NULL;
  must(!raw_parse_into(profile, bytes, options), "also without a cache");
  must(events || sum_of(profile) == 3 * once, "counts add up");
}

/* Reads the file as the last one, so that the profile uses its bytes; then adds
 * it to that. Elf as in options. */
static void read_last(struct bytes bytes, const struct elf *elf,
                      const char *error, uint64_t once) {
  struct raw_options options = {.elf = elf, .last = true};
  uint64_t before = md5_low64(bytes.data, bytes.size);
  struct profile profile;
  profile_init(&profile, LIMIT);
  const char *other = raw_parse_into(&profile, bytes, &options);
  must(!error == !other, "as the last the same is read");
  must(error || sum_of(&profile) == once, "as the last counts are the same");
  options.last = false;
  must(error || !raw_parse_into(&profile, bytes, &options),
       "it is read behind");
  must(error || events || sum_of(&profile) == 2 * once, "they add up behind");
  must(md5_low64(bytes.data, bytes.size) == before, "the file is unchanged");
  profile_free(&profile);
}

/* Of its very size, for the sanitizer. */
static struct bytes copy(const unsigned char *bytes, size_t size) {
  unsigned char *block = malloc(size + !size);
  memcpy(block, bytes, size);
  return (struct bytes){block, size};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct addition_handler listener = {event, NULL};
  struct input input = {data, data + size};
  bool whole = make(&input);
  struct bytes bytes = copy(file, file_size);
  struct bytes elf_bytes = copy(elf_file, elf_size);
  struct raw_cache cache = {0};
  struct raw_options options = {.events = &listener, .cache = &cache};
  struct profile profile;
  struct elf elf;
  if (elf_size && !elf_open(&elf, elf_bytes))
    options.elf = &elf;
  profile_init(&profile, LIMIT);
  events = 0;
  const char *error = raw_parse_into(&profile, bytes, &options);
  must(!whole || !error, "what the runtime writes is read");
  must(!error || (profile.function_count == 0 && !profile.flags),
       "what is refused adds nothing");
  uint64_t once = sum_of(&profile);
  if (!error)
    add_again(&profile, bytes, &options);
  read_last(bytes, options.elf, error, once);
  raw_cache_free(&cache);
  profile_free(&profile);
  free((void *)(uintptr_t)bytes.data);
  free((void *)(uintptr_t)elf_bytes.data);
  return 0;
}
