/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/image and the reader of dumps. The first bytes choose a
 * firmware of any raw version, machine and plan, how its ELF is, and how its
 * counts come: in a dump, a core, bare, or as memory; the others are edits of
 * both files. Half of the edited dumps have their CRC made right. Or a file is
 * the input itself.
 *
 * What is not edited becomes the profile that the writer makes of the
 * firmware, byte for byte. Values of records that there are not are refused.
 * What is refused has a reason, and what to do.
 */
#include <stdarg.h>
#include <string.h>

#include "../join/make.h"
#include "dumpfile.h"
#include "error.h"
#include "input.h"
#include "image/image.h"
#include "slots_made.h"

enum { ROOM = 1 << 14, MEMORY = 0x1810, SLOTS_AT = 0x1400, GUARD_AT = 0x1808 };
enum { WORD_AT = 0x7800, STORAGE_AT = 0x7900 };
enum { CORRELATED = 1, NO_SYMBOLS = 2, NO_COMMENT = 4, LONGER = 8 };
enum { DUMP, CORE, BARE, PLACED, KINDS };

static struct firmware firmware;
static unsigned shape, kind, raw;
static bool edited, stray; /* a value is of no site */
static bool outcomes;      /* the host makes a bitmap of bytes */
static unsigned char elf_bytes[ROOM], counts[ROOM], memory[MEMORY];

/* Instead of base/error.c: silent. */

int report(const char *file, const char *format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  must(file && strstr(text, "; "), "an error has a file, and what to do");
  return 1;
}

int report_out_of_memory(const char *file) {
  return report(file, "%s", out_of_memory);
}

void warn(const char *file, const char *format, ...) {
  (void)file;
  (void)format;
}

char *make_printable(char *to, size_t room, const char *text) {
  snprintf(to, room, "%s", text);
  return to;
}

/* ---- what is linked ---- */

static void choose(struct input *input) {
  struct target target = machines[take(input) % machine_count];
  target.version = 7 + take(input) % 5;
  unsigned choice = take(input) % (plan_count + 2);
  const struct plan *plan = choice < plan_count    ? &plans[choice]
                            : choice == plan_count ? &everything_bytes
                                                   : &everything;
  if (plan->since > target.version ||
      (plan == &everything_bytes && target.version < 9))
    plan = &everything;
  outcomes = (plan->mode & OUTCOMES) != 0;
  shape = take(input) % 16;
  kind = take(input) % KINDS;
  raw = take(input) % 10;
  raw = raw < 5 ? 7 + raw : 0;
  compose(&firmware, &target, plan);
  if (take(input) % 8 == 0)
    firmware.word |= TEMPORAL;
  stray = choose_values(input, &firmware, shape & CORRELATED);
}

/* Records as correlated objects have them. */
static void correlate(void) {
  const struct target *target = &firmware.target;
  size_t size = record_offset(target, R_FIELDS);
  for (size_t at = 0; at < size_of(&firmware.image.records); at += size)
    for (unsigned field = R_COUNTER_PTR; field <= R_BITMAP_PTR; field++) {
      size_t to = record_offset(target, field);
      if (to == NOWHERE || field == R_UNIFORM_PTR || target->version == 7)
        continue;
      uint64_t value =
          load(target, firmware.records + at + to, record_width(target, field));
      if (value)
        store(target, firmware.records + at + to, record_width(target, field),
              value + firmware.records_address + at);
    }
}

static struct made_section section(const char *name, unsigned type,
                                   unsigned flags,
                                   const struct bareprof_span *span) {
  return (struct made_section){name,          type,        flags,
                               span->address, span->begin, size_of(span)};
}

/* The clang that writes a raw version, as .comment names it. */
static const char *compiler(void) {
  static const char *const names[] = {
      "clang version 13.0.1", "Debian clang version 14.0.6",
      "clang version 18.1.8 (2)", "GCC: (GNU) 12; clang version 22.1.0",
      "clang version 23.0.0"};
  return names[firmware.target.version - 7];
}

static size_t link_elf(void) {
  static unsigned char map[16], word[8], storage[32];
  const struct target *target = &firmware.target;
  const struct bareprof_image *image = &firmware.image;
  bool correlated = shape & CORRELATED;
  store(target, map + 12, 4, target->version < 9 ? 5 : 6);
  store(target, word, 8, firmware.word);
  store_storage(storage, &firmware, firmware.counters_address + SLOTS_AT);
  struct made_section sections[] = {
      section("__llvm_prf_cnts", 8, 3, &image->counters),
      section("__llvm_prf_bits", 8, 3, &image->bitmap),
      section(correlated ? "__llvm_covdata" : "__llvm_prf_data", 1, 0,
              &image->records),
      section(correlated ? "__llvm_covnames" : "__llvm_prf_names", 1, 0,
              &image->names),
      section("__llvm_prf_vtab", 1, 0, &image->vtables),
      section("__llvm_prf_vns", 1, 0, &image->vtable_names),
      section(".note.gnu.build-id", 7, 2, &image->build_id),
      {firmware.word >> 32 ? ".other" : "__llvm_covmap", 1, 0, 0, map,
       sizeof map},
      {".rodata", 1, 2, WORD_AT, word, sizeof word},
      {".rodata", 1, 2, STORAGE_AT, storage, sizeof storage},
      {shape & NO_COMMENT ? ".debug_str" : ".comment", 1, 0, 0, compiler(),
       strlen(compiler()) + 1}};
  uint64_t end = image->counters.address + size_of(&image->counters);
  const struct made_symbol symbols[] = {
      {"__llvm_profile_raw_version", WORD_AT},
      {"bareprof_values", STORAGE_AT},
      {"__bareprof_guard", image->counters.address + GUARD_AT},
      {"__stop___llvm_prf_cnts", end}};
  /* As alignment makes it; the symbol tells. */
  if (shape & LONGER && !(shape & NO_SYMBOLS))
    sections[0].size = (sections[0].size + 15) / 8 * 8;
  struct made_elf made = {target, sections, 11, symbols,
                          shape & NO_SYMBOLS ? 0 : 4};
  return make_elf(elf_bytes, &made);
}

/* ---- what comes off the target ---- */

static void fill_memory(void) {
  const struct bareprof_image *image = &firmware.image;
  size_t size = size_of(&image->counters), bits = size_of(&image->bitmap);
  uint32_t end = (uint32_t)(image->counters.address + size);
  memset(memory, 0, sizeof memory);
  memcpy(memory, image->counters.begin, size);
  if (bits)
    memcpy(memory + (image->bitmap.address - image->counters.address),
           image->bitmap.begin, bits);
  store(&firmware.target, memory + GUARD_AT, 8, (uint32_t)~end);
  store_slots(memory + SLOTS_AT, &firmware);
}

static size_t bring(void) {
  fill_memory();
  if (kind == DUMP)
    return make_dump(counts, &firmware);
  if (kind == CORE) {
    const struct bareprof_image *image = &firmware.image;
    const struct made_section sections[] = {
        section("", 1, 0, &image->build_id),
        {"", 1, 0, image->counters.address, memory, sizeof memory}};
    const struct made_elf made = {&firmware.target, sections, 2, NULL, 0};
    return make_core(counts, &made);
  }
  memcpy(counts, memory, sizeof memory);
  /* Bare counters may go as far as the guard. */
  return sizeof memory;
}

/* ---- edits ---- */

static size_t edit(struct input *input, unsigned char *file, size_t size) {
  unsigned edits = take(input) % 4;
  while (more(input) && edits--) {
    unsigned what = take(input) % 5;
    size_t at = take_place(input, size, 80, 240);
    unsigned width = 1u << take(input) % 4;
    if (at + width >= size)
      continue;
    edited = true;
    uint64_t value = load(&firmware.target, file + at, width);
    if (what == 0)
      file[at] ^= (unsigned char)take(input);
    else if (what == 1)
      store(&firmware.target, file + at, width, value + take_step(input));
    else if (what == 2)
      store(&firmware.target, file + at, width, take_number(input, width));
    else if (what == 3)
      memmove(file + at, file + take_number(input, 2) % (size - width), width);
    else
      size = at + 1;
  }
  return size;
}

static size_t all_of(struct input *input, unsigned char *file) {
  size_t size = (size_t)(input->end - input->at);
  edited = true;
  if (size > ROOM)
    size = ROOM;
  if (size)
    memcpy(file, input->at, size);
  return size;
}

/* ---- the join ---- */

/* In a block of its very size, for the sanitizer. */
static struct bytes block(const unsigned char *bytes, size_t size) {
  unsigned char *copy = malloc(size + !size);
  memcpy(copy, bytes, size);
  return (struct bytes){copy, size};
}

static int add(struct image_join *join, struct bytes file) {
  return kind == PLACED
             ? join_add_memory(join, "memory", file, firmware.counters_address)
             : join_add_file(join, "file", file);
}

/* The same dump once more, as it comes by the wire. */
static int add_again(struct image_join *join, struct bytes file) {
  struct snapshot dump;
  if (kind != DUMP)
    return add(join, file);
  must(!dumpfile_read(&dump, file), "what was read is read again");
  int status = join_dump(join, "dump", &dump);
  snapshot_free(&dump);
  return status;
}

/* What is not edited and not converted is what the writer makes of it. */
static void compare(const struct image_join *join) {
  static struct capture expected;
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  must(stream != NULL, "there is memory");
  const char *error = raw_write_profile(&join->profile, stream);
  fclose(stream);
  must(!error == !stray, "the profile is written, but with stray values");
  if (!stray && !outcomes && !(shape & CORRELATED)) {
    must(!capture_image(&expected, &firmware.image), "the image is right");
    must(size == expected.size && memcmp(bytes, expected.bytes, size) == 0,
         "the profile is the writer's");
  }
  free(bytes);
}

/* A dump without a build id is nobody's; without symbols, the guard and the
 * word are not known, and the section may be longer than the counters. */
static bool must_work(void) {
  return !edited && !(shape & NO_SYMBOLS) &&
         (kind != DUMP || size_of(&firmware.image.build_id));
}

static void run(struct bytes elf_file, struct bytes file) {
  struct elf elf;
  if (elf_open(&elf, elf_file)) {
    must(edited, "a linked ELF is opened");
    return;
  }
  struct image_join join = {.elf = &elf, .elf_name = "elf", .raw = raw};
  bool added = !add(&join, file);
  must(added || !must_work(), "what nobody edited is joined");
  if (added && must_work())
    compare(&join);
  if (added && !edited && !(shape & NO_SYMBOLS))
    must(add_again(&join, file) == (firmware.word >> 63),
         "dumps add up, but for the order of functions");
  if (added)
    join_write(&join, "/dev/null");
  join_free(&join);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  unsigned whole = take(&input) % 8;
  edited = false;
  choose(&input);
  if (shape & CORRELATED)
    correlate();
  size_t elf_size = link_elf(), counts_size = bring();
  elf_size = edit(&input, elf_bytes, elf_size);
  bool renew = take(&input) % 2;
  counts_size = edit(&input, counts, counts_size);
  if (whole == 0)
    elf_size = all_of(&input, elf_bytes);
  else if (whole == 1)
    counts_size = all_of(&input, counts);
  if (kind == DUMP && renew)
    make_crc(counts, counts_size);
  struct bytes elf_file = block(elf_bytes, elf_size);
  struct bytes file = block(counts, counts_size);
  run(elf_file, file);
  free((void *)(uintptr_t)elf_file.data);
  free((void *)(uintptr_t)file.data);
  return 0;
}
