/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/elf, and image/functions. The input is an ELF file;
 * or its first bytes choose one, of any raw version, machine and shape, and the
 * others are edits of it: of its headers, of the section headers, of anything.
 *
 * Of what is accepted, all that the reader hands out lies in the file, and
 * each function has its counters and bitmap inside the sections, and to
 * itself. What is not edited is accepted.
 */
#include <string.h>

#include "compose.h"
#include "image/dumpfile.h"
#include "input.h"
#include "digest.h"
#include "wrap.h"

enum { LIMIT = 1 << 16 };

static struct firmware firmware;
static unsigned char file[WRAP_ROOM];
static unsigned functions_wanted;

static size_t choose(struct input *input) {
  struct target target = machines[take(input) % machine_count];
  target.version = 7 + take(input) % 5;
  unsigned choice = take(input) % (plan_count + 1);
  const struct plan *plan = choice < plan_count ? &plans[choice] : &everything;
  if (plan->since > target.version)
    plan = &everything;
  unsigned shape = take(input) % WRAP_SHAPES;
  /* The records of 7 are the only ones here with addresses. */
  if (target.version > 7)
    shape &= ~(unsigned)WRAP_CORRELATED;
  compose(&firmware, &target, plan);
  functions_wanted = plan->functions;
  return wrap(file, &firmware, shape);
}

/* A place to edit: in the header and segment, in a section's header, or
 * anywhere. A multiple of what the fields there have as their size. */
static size_t choose_place(struct input *input, size_t size) {
  return take_place(input, size, 60, 160);
}

static size_t edit(struct input *input, size_t size) {
  const struct target *target = &firmware.target;
  while (more(input)) {
    unsigned what = take(input) % 5;
    size_t at = choose_place(input, size);
    unsigned width = 1u << take(input) % 4;
    if (at + width >= size)
      continue;
    if (what == 0)
      file[at] ^= take(input);
    else if (what == 1)
      store(target, file + at, width,
            load(target, file + at, width) + take_step(input));
    else if (what == 2)
      store(target, file + at, width, take_number(input, width));
    else if (what == 3)
      memmove(file + at, file + take_number(input, 2) % (size - width), width);
    else
      size = at + 1;
  }
  return size;
}

/* ---- what was read ---- */

static struct bytes block;

static void check_inside(const unsigned char *bytes, uint64_t size) {
  must(bytes >= block.data && bytes <= block.data + block.size &&
           size <= (size_t)(block.data + block.size - bytes),
       "what is handed out lies in the file");
}

static void check_name(const char *name) {
  if (*name)
    check_inside((const unsigned char *)name, strlen(name) + 1);
}

static void check_contents(const struct elf *elf,
                           const struct elf_section *section) {
  struct bytes contents;
  unsigned char *memory;
  unsigned sum = 0;
  if (!elf_read_contents(elf, section, LIMIT, &contents, &memory)) {
    must(contents.size <= LIMIT, "the limit of contents holds");
    if (!memory)
      check_inside(contents.data ? contents.data : block.data, contents.size);
    for (size_t i = 0; i < contents.size; i++)
      sum += contents.data[i];
    must(sum != 1u << 31, "this is never so, but all bytes are read");
  }
  free(memory);
}

static void check_elf(const struct elf *elf) {
  struct elf_section section;
  struct bytes id;
  uint64_t value;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    section = elf_section(elf, i);
    check_name(section.name);
    if (section.bytes)
      check_inside(section.bytes, section.size);
    check_contents(elf, &section);
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    if (segment.bytes)
      check_inside(segment.bytes, segment.file_size);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++)
    check_name(elf_symbol(elf, i).name);
  elf_find_symbol(elf, WRAP_SYMBOL, &value);
  if (elf_find_build_id(elf, &id))
    check_inside(id.data, id.size);
}

static void check_measured_functions(const struct elf *elf,
                                     const struct image_functions *functions) {
  struct elf_section counters, bitmap;
  uint64_t counters_end = 0, bitmap_end = 0;
  /* The tool takes counters of 4 bytes as 8 bytes each. */
  if (!elf_find_section(elf, "__llvm_prf_cnts", &counters) &&
      elf_find_section(elf, "__llvm_prf_cnt4", &counters))
    counters.size *= 2;
  elf_find_section(elf, "__llvm_prf_bits", &bitmap);
  for (size_t i = 0; i < functions->count; i++) {
    const struct image_function *f = &functions->list[i];
    uint64_t size = (uint64_t)f->counter_count * functions->counter_size;
    must(f->counter_count && f->counters >= counters_end &&
             f->counters <= counters.size &&
             size <= counters.size - f->counters,
         "a function has counters, inside and to itself");
    must(f->mcdc_byte_count < f->counter_count,
         "some counters are no bits of MC/DC");
    counters_end = f->counters + size;
    must(!f->name || md5_low64(f->name, strlen(f->name)) == f->name_ref,
         "a name is the right one");
    if (!f->bitmap_size)
      continue;
    must(f->bitmap >= bitmap_end && f->bitmap <= bitmap.size &&
             f->bitmap_size <= bitmap.size - f->bitmap,
         "a bitmap is inside and to itself");
    bitmap_end = f->bitmap + f->bitmap_size;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  bool whole = false;
  if (take(&input) % 4) {
    size = choose(&input);
    whole = !more(&input);
    size = edit(&input, size);
  } else {
    firmware.word = take(&input);
    size = (size_t)(input.end - input.at);
    if (size > sizeof file)
      size = sizeof file;
    if (size)
      memcpy(file, input.at, size);
  }
  /* In a block of its very size, for the sanitizer. */
  unsigned char *copy = malloc(size + !size);
  memcpy(copy, file, size);
  block = (struct bytes){copy, size};
  struct elf elf;
  struct image_functions functions = {0};
  const char *error = elf_open(&elf, block);
  if (!error) {
    check_elf(&elf);
    error = functions_read(&functions, &elf, firmware.word);
  }
  if (!error)
    check_measured_functions(&elf, &functions);
  must(!whole || (!error && functions.count == functions_wanted),
       "what a linker leaves is accepted");
  functions_free(&functions);
  free(copy);
  return 0;
}
