/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tests the ELF reader and the reader of functions with made ELFs: every raw
 * version, width, byte order and shape; complete, truncated, with a wrong
 * version, and wrong in one place.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compose.h"
#include "image/dumpfile.h"
#include "wrap.h"

static struct firmware firmware;

/* The function of the plan that f must be. */
static void expect_function(const struct plan *plan, unsigned i,
                            const struct image_function *f) {
  expect_true(f->name && !strcmp(f->name, function_names[i]));
  expect(function_hash(i), f->hash);
  expect(firmware.counters_at[i], f->counters);
  expect(plan->function[i].counters, f->counter_count);
  expect(plan->mode & OUTCOMES ? plan->function[i].bitmap : 0,
         f->mcdc_byte_count);
  bool bitmap = firmware.target.version >= 9 && plan->function[i].bitmap &&
                !(plan->mode & OUTCOMES);
  expect(bitmap ? plan->function[i].bitmap : 0, f->bitmap_size);
  expect(bitmap ? firmware.bitmap_at[i] : 0, f->bitmap);
}

static void expect_functions(const struct plan *plan, const struct elf *elf) {
  struct image_functions functions;
  const char *error = functions_read(&functions, elf, firmware.word);
  if (expect_true(!error) && expect(plan->functions, functions.count))
    for (unsigned i = 0; i < plan->functions; i++)
      expect_function(plan, i, &functions.list[i]);
  functions_free(&functions);
}

static void expect_elf(const struct plan *plan, const struct elf *elf) {
  struct elf_section section;
  uint64_t value = 0;
  struct bytes id = {0};
  expect(2, elf->type);
  expect(40, elf->machine);
  expect(firmware.target.big, elf->big);
  expect(firmware.target.pointer == 8, elf->wide);
  expect(9, elf->section_count);
  expect(1, elf->segment_count);
  expect_true(elf_find_section(elf, "__llvm_prf_cnts", &section));
  expect(firmware.counters_address, section.address);
  expect(firmware.counters_at[plan->functions], section.size);
  expect_true(!section.bytes);
  expect_true(!elf_find_section(elf, "__llvm_prf_cnt", &section));
  expect_true(elf_find_symbol(elf, WRAP_SYMBOL, &value));
  expect(firmware.counters_address, value);
  expect_true(!elf_find_symbol(elf, "start", &value));
  expect(plan->build_id != 0, elf_find_build_id(elf, &id));
  expect(plan->build_id, id.size);
  if (id.size == plan->build_id && id.size)
    expect(0, memcmp(id.data, firmware.build_id + 16, id.size));
}

static void check_elf(unsigned version) {
  static unsigned char bytes[WRAP_ROOM];
  check_begin("raw %u in every ELF: sections, build id, functions", version);
  for (unsigned m = 0; m < machine_count; m++)
    for (unsigned p = 0; p <= plan_count; p++)
      for (unsigned shape = 0; shape < WRAP_SHAPES; shape++) {
        const struct plan *plan = p < plan_count ? &plans[p] : &everything;
        struct target target = machines[m];
        target.version = version;
        /* The records of 7 are the only ones here with addresses. */
        if (plan->since > version || (shape & WRAP_CORRELATED && version > 7))
          continue;
        compose(&firmware, &target, plan);
        size_t size = wrap(bytes, &firmware, shape);
        struct elf elf;
        check_where("%s, %s, shape %u", target_name(&target), plan->name,
                    shape);
        if (!expect_true(!elf_open(&elf, (struct bytes){bytes, size})))
          continue;
        expect_elf(plan, &elf);
        expect_functions(plan, &elf);
      }
  check_end();
}

static void check_cut(void) {
  static unsigned char bytes[WRAP_ROOM];
  check_begin("an ELF cut short anywhere is refused");
  for (unsigned m = 0; m < machine_count; m++) {
    struct target target = machines[m];
    target.version = 10;
    compose(&firmware, &target, &everything);
    size_t size = wrap(bytes, &firmware, 0);
    for (size_t i = 0; i < size; i++) {
      /* In a block of its own, for the sanitizer. */
      unsigned char *block = malloc(i + !i);
      memcpy(block, bytes, i);
      struct elf elf;
      check_where("%s, %zu bytes", target_name(&target), i);
      expect_true(elf_open(&elf, (struct bytes){block, i}) != NULL);
      expect(0, elf.section_count + elf.segment_count + elf.symbol_count);
      free(block);
    }
  }
  check_end();
}

/* Where records differ, by size or by what they have: not where nothing but
 * padding does. */
static void check_other_version(void) {
  static unsigned char bytes[WRAP_ROOM];
  check_begin("records of another version than said are refused");
  for (unsigned m = 0; m < machine_count; m++)
    for (unsigned is = 7; is <= 11; is++)
      for (unsigned said = 6; said <= 12; said++) {
        struct target target = machines[m];
        target.version = is;
        compose(&firmware, &target, &everything);
        struct elf elf;
        struct image_functions functions;
        size_t size = wrap(bytes, &firmware, 0);
        check_where("%s, said %u", target_name(&target), said);
        expect_true(!elf_open(&elf, (struct bytes){bytes, size}));
        expect(is != said, functions_read(&functions, &elf, said) != NULL);
        functions_free(&functions);
      }
  check_end();
}

/* What is wrong with an image: from replaced by to. */
static const struct {
  const char *what; /* a part of the message */
  const char *from, *to;
  size_t size;
  unsigned shape;
} edits[] = {
    {"this is not an ELF", "\177ELF", "\177ELV", 4, 0},
    {"the ELF is damaged", "\177ELF\2", "\177ELF\3", 5, 0},
    {"the ELF is damaged", ".shstrtab\0", ".shstrtab!", 10, 0},
    {"an object", "\2\0\x28\0\1\0\0\0", "\1\0\x28\0\1\0\0\0", 8, 0},
    {"counters, but neither records", "__llvm_prf_data", "__llvm_prf_dato", 15,
     0},
    {"no counters found", "prf_cnts\0", "prf_cntz\0", 9, 0},
    {"only some objects were compiled with -profile-correlate",
     ".note.gnu.build-id", "__llvm_prf_data\0\0", 18, WRAP_CORRELATED},
    /* The type in the section's header. */
    {"have no contents", "\x22\0\0\0\1\0\0\0", "\x22\0\0\0\x08\0\0\0", 8, 0},
    {"function names are damaged", "\x16\0alpha", "\xff\0alpha", 7, 0},
    {"compressed data is damaged", "alpha", "alphA", 5, WRAP_COMPRESSED},
    {"compressed data is truncated", "\x18\0\xe7\xff", "\x38\0\xc7\xff", 4,
     WRAP_COMPRESSED},
    {"compressed, but not with zlib", "\1\0\0\0\0\0\0\0\x18",
     "\2\0\0\0\0\0\0\0\x18", 9, WRAP_COMPRESSED},
    {"the ELF is damaged", "\x18\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78",
     "\x19\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78", 17, WRAP_COMPRESSED},
    {"compressed data is larger", "\x18\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78",
     "\x17\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78", 17, WRAP_COMPRESSED},
    {"the ELF is damaged", "\x18\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78",
     "\x00\x7f\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x78", 17, WRAP_COMPRESSED},
};

static void replace_all(unsigned char *bytes, size_t size, unsigned edit) {
  for (size_t i = 0; i + edits[edit].size <= size; i++)
    if (!memcmp(bytes + i, edits[edit].from, edits[edit].size))
      memcpy(bytes + i, edits[edit].to, edits[edit].size);
}

static void check_wrong_images(void) {
  static unsigned char bytes[WRAP_ROOM];
  const struct target target = {7, 8, 0};
  check_begin("images without a part, or with a wrong one, are refused");
  for (unsigned i = 0; i < sizeof edits / sizeof *edits; i++) {
    struct elf elf;
    struct image_functions functions = {0};
    compose(&firmware, &target, &everything);
    size_t size = wrap(bytes, &firmware, edits[i].shape);
    replace_all(bytes, size, i);
    const char *error = elf_open(&elf, (struct bytes){bytes, size});
    if (!error)
      error = functions_read(&functions, &elf, firmware.word);
    check_where("%s: %s", edits[i].what, error ? error : "accepted");
    expect_true(error && strstr(error, edits[i].what));
    functions_free(&functions);
  }
  check_end();
}

int main(void) {
  for (unsigned version = 7; version <= 11; version++)
    check_elf(version);
  check_cut();
  check_other_version();
  check_wrong_images();
  return 0;
}
