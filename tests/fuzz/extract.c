/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/object/elf_write, and tools/extract/keep, which calls it.
 * The input is edits of an ELF of tests/tools/wrap.h, which its first bytes
 * choose; or the sections and symbols of a draft.
 *
 * What is written is read back, and is the draft: each section with its bytes,
 * each symbol, local ones first. What is kept of any ELF can be written.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include <string.h>

#include "extract/elf_subset.h"
#include "elf_write.h"
#include "input.h"
#include "wrap.h"

static struct firmware firmware;
static unsigned char file[WRAP_ROOM];
static struct elf_subset keep, again;
static struct elf_section sections[8];
static struct elf_symbol symbols[8];

/* ---- a draft ---- */

/* Contents and names are pieces of the input itself, as names ended by the
 * zero that stands behind it. */
static unsigned char text[1024];
static size_t text_size;

static const char *take_name(struct input *input) {
  static const char *const names[] = {
      "__llvm_prf_cnts",  "__llvm_prf_data",  "__llvm_covmap",
      ".comment",         ".debug_str",       ".note.gnu.build-id",
      "__bareprof_guard", "__bareprof_begin", "__llvm_profile_raw_version"};
  unsigned count = sizeof names / sizeof *names, choice = take(input);
  if (choice < 128)
    return names[choice % count];
  return (const char *)text + take(input) % (text_size + 1);
}

/* Often near to others. */
static uint64_t take_address(struct input *input, unsigned width) {
  return take(input) % 4 ? take(input) : take_number(input, width);
}

static void take_section(struct input *input, bool wide,
                         struct elf_section *section) {
  static const unsigned types[] = {1, ELF_SHT_NOTE, ELF_SHT_NOBITS, 15};
  unsigned width = wide ? 8 : 4;
  size_t at = take(input) % (text_size + 1);
  *section = (struct elf_section){.name = take_name(input),
                                  .type = types[take(input) % 4],
                                  .flags = take_number(input, width),
                                  .address = take_address(input, width),
                                  .size = take(input) % (text_size + 1 - at),
                                  .align = take_number(input, width),
                                  .entry_size = take_number(input, width),
                                  .bytes = text + at};
  if (section->type == ELF_SHT_NOBITS) {
    section->bytes = NULL;
    section->size = take_number(input, width);
  }
}

static void take_symbol(struct input *input, bool wide,
                        struct elf_symbol *symbol) {
  unsigned width = wide ? 8 : 4;
  *symbol = (struct elf_symbol){.name = take_name(input),
                                .value = take_address(input, width),
                                .size = take_number(input, width),
                                .section = (uint16_t)take_number(input, 2),
                                .binding = take(input) % 16,
                                .type = take(input) % 16};
}

static struct elf_draft take_draft(struct input *input) {
  unsigned shape = take(input);
  struct elf_draft draft = {.wide = shape & 1, .big = shape & 2};
  draft.type = (uint16_t)take_number(input, 2);
  /* Of a core no section is read. */
  draft.type = draft.type == ELF_CORE ? 0 : draft.type;
  draft.machine = (uint16_t)take_number(input, 2);
  draft.flags = (uint32_t)take_number(input, 4);
  draft.section_count = take(input) % 8;
  draft.symbol_count = take(input) % 8;
  text_size = (size_t)(input->end - input->at);
  if (text_size >= sizeof text)
    text_size = sizeof text - 1;
  if (text_size)
    memcpy(text, input->at, text_size);
  text[text_size] = 0;
  for (size_t i = 0; i < draft.section_count; i++)
    take_section(input, draft.wide, &sections[i]);
  for (size_t i = 0; i < draft.symbol_count; i++)
    take_symbol(input, draft.wide, &symbols[i]);
  draft.sections = sections;
  draft.symbols = symbols;
  return draft;
}

/* ---- what is written, what is kept ---- */

static void check_section(const struct elf_section *draft,
                          const struct elf_section *written) {
  must(!strcmp(draft->name, written->name) && draft->type == written->type &&
           draft->flags == written->flags &&
           draft->address == written->address && draft->size == written->size &&
           draft->align == written->align &&
           draft->entry_size == written->entry_size,
       "a section is read as it was written");
  must(!draft->bytes == !written->bytes, "contents are there, or not");
  must(!draft->bytes || draft->size == 0 ||
           !memcmp(draft->bytes, written->bytes, (size_t)draft->size),
       "a section has its bytes");
}

static void check_symbols(const struct elf_draft *draft,
                          const struct elf *elf) {
  uint64_t at = 1;
  for (unsigned global = 0; global < 2; global++)
    for (size_t i = 0; i < draft->symbol_count; i++) {
      const struct elf_symbol *symbol = &draft->symbols[i];
      if ((symbol->binding != 0) != global)
        continue;
      struct elf_symbol written = elf_symbol(elf, at++);
      must(!strcmp(symbol->name, written.name) &&
               symbol->value == written.value && symbol->size == written.size &&
               symbol->section == written.section &&
               symbol->binding == written.binding &&
               symbol->type == written.type,
           "a symbol is read as it was written");
    }
  must(at == elf->symbol_count, "there are no more symbols");
}

/* Reads and checks it, until the caller frees *bytes. */
static struct elf write_draft(const struct elf_draft *draft, char **bytes) {
  size_t size = 0;
  struct elf elf;
  FILE *stream = open_memstream(bytes, &size);
  const char *error = stream ? elf_write(draft, stream) : "no stream";
  must(stream && !fclose(stream) && !error, "a draft can be written");
  error = elf_open(&elf, (struct bytes){(unsigned char *)*bytes, size});
  must(!error, "what is written can be read");
  must(elf.wide == draft->wide && elf.big == draft->big &&
           elf.type == draft->type && elf.machine == draft->machine &&
           elf.flags == draft->flags && !elf.segment_count &&
           elf.section_count == draft->section_count + 4,
       "the header is read as it was written");
  for (size_t i = 0; i < draft->section_count; i++) {
    struct elf_section written = elf_section(&elf, i + 1);
    check_section(&draft->sections[i], &written);
  }
  check_symbols(draft, &elf);
  return elf;
}

static struct elf_draft draft_of(const struct elf *elf,
                                 const struct elf_subset *kept) {
  return (struct elf_draft){
      elf->wide,           elf->big,      elf->type,
      elf->machine,        elf->flags,    kept->sections,
      kept->section_count, kept->symbols, kept->symbol_count};
}

/* What is kept of an ELF can be written; and of that, as much is kept. */
static bool check_keep(const struct elf *elf) {
  if (elf_subset_collect(&keep, elf))
    return false;
  char *bytes;
  struct elf_draft draft = draft_of(elf, &keep);
  struct elf written = write_draft(&draft, &bytes);
  must(!elf_subset_collect(&again, &written), "what is written can be kept");
  must(again.section_count == keep.section_count &&
           again.symbol_count == keep.symbol_count,
       "what is kept is kept again");
  free(bytes);
  return true;
}

static void keep_wrapped(struct input *input) {
  struct target target = machines[take(input) % machine_count];
  target.version = 7 + take(input) % 5;
  compose(&firmware, &target, &everything);
  unsigned shape = take(input) % WRAP_SHAPES;
  if (target.version > 7)
    shape &= ~(unsigned)WRAP_CORRELATED;
  size_t size = wrap(file, &firmware, shape);
  bool whole = !more(input);
  while (more(input)) {
    size_t at = take_number(input, 2) % size;
    file[at] ^= take(input);
  }
  /* In a block of its very size, for the sanitizer. */
  unsigned char *copy = malloc(size);
  memcpy(copy, file, size);
  struct elf elf;
  /* The command refuses a core, before anything is kept of it. */
  bool kept = !elf_open(&elf, (struct bytes){copy, size}) &&
              elf.type != ELF_CORE && check_keep(&elf);
  must(!whole || (kept && keep.symbol_count == 2 &&
                  elf_subset_find_section(&keep, ".note.gnu.build-id")),
       "of what a linker leaves, bounds and build id are kept");
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  if (take(&input) % 2) {
    keep_wrapped(&input);
  } else {
    char *bytes;
    struct elf_draft draft = take_draft(&input);
    struct elf elf = write_draft(&draft, &bytes);
    check_keep(&elf);
    free(bytes);
  }
  return 0;
}
