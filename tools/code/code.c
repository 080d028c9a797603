/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file walks over instructions. The file chooses the decoder for the
 * machine, and skips data.
 */
#include "code.h"

#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"

enum { MARK_LIMIT = 1 << 28 };

static const struct instruction_decoder {
  uint16_t number;
  bool marked; /* Mapping symbols separate data from code. */
  bool (*read)(struct instruction *to, const struct instruction_set *set,
               struct bytes code, uint64_t address);
} machines[] = {{ELF_ARM, true, instruction_decode_arm},
                {ELF_AARCH64, true, instruction_decode_arm},
                {ELF_RISCV, true, instruction_decode_riscv},
                {ELF_X86_64, false, instruction_decode_x86},
                {ELF_X86, false, instruction_decode_x86}};

static const struct instruction_decoder *find_decoder(uint16_t number) {
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (machines[i].number == number)
      return &machines[i];
  return NULL;
}

bool instruction_decode(struct instruction *instruction,
                        const struct instruction_set *set, struct bytes code,
                        uint64_t address) {
  const struct instruction_decoder *machine = find_decoder(set->machine);
  if (!machine || !machine->read(instruction, set, code, address))
    return false;
  instruction->ends = set->machine != ELF_ARM &&
                      !instruction->conditional &&
                      instruction->kind != INSTRUCTION_PLAIN;
  return true;
}

/* If two symbols have one address, the first marks an empty part, such as code
 * that the linker has relaxed away. Assemblers list them in order. */
ORDER_BY(compare_marks, struct code_mapping_symbol, x->address, x->number);

/* Returns whether a name is a mapping symbol, such as "$t", "$t.3", or RISC-V's
 * "$xrv32i2p1". */
static bool is_mapping_symbol(const struct elf_code *code, const char *name) {
  if (name[0] != '$' || !strchr("taxd", name[1]) || !name[1])
    return false;
  return !name[2] || name[2] == '.' ||
         (name[1] == 'x' && code->set.machine == ELF_RISCV);
}

static const char *read_mapping_symbols(struct elf_code *code) {
  const struct elf *elf = code->elf;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (!is_mapping_symbol(code, symbol.name) ||
        !elf_section_has_code(elf, symbol.section))
      continue;
    struct code_mapping_symbol mark = {symbol.value, (uint32_t)i,
                                       (unsigned char)symbol.name[1]};
    const char *error =
        buffer_append_bytes(&code->mark_memory, &mark, sizeof mark);
    if (error)
      return error;
  }
  code->mark_count =
      code->mark_memory.size / sizeof(struct code_mapping_symbol);
  sort_array(code->mark_memory.data, code->mark_count,
             sizeof(struct code_mapping_symbol), compare_marks);
  code->marks = (const void *)code->mark_memory.data;
  return NULL;
}

/* Returns the instruction set in the attributes of a RISC-V ELF, such as
 * "rv32i2p1_c2p0"; "" if the ELF lacks it. Only this attribute is text, so the
 * search for "rv" finds no other. */
static const char *find_riscv_arch(const struct elf *elf) {
  struct elf_section section;
  bool has = elf_find_section(elf, ".riscv.attributes", &section);
  for (uint64_t i = 0; has && section.bytes && i + 2 < section.size; i++)
    if (memcmp(section.bytes + i, "rv", 2) == 0 &&
        memchr(section.bytes + i, 0, (size_t)(section.size - i)))
      return (const char *)section.bytes + i;
  return "";
}

/* Sets which extension has the encodings of c.fsdsp. Code with C and D cannot
 * have Zcmp or Zcmt. Without attributes, the float ABI may show D. */
static void set_riscv_extensions(struct instruction_set *set,
                                 const struct elf *elf) {
  enum { DOUBLE_ABI = 4 };
  const char *arch = find_riscv_arch(elf);
  size_t bare = strcspn(arch, "_"), known = strcspn(arch, "dg");
  set->zcmp = strstr(arch, "zcmp") != NULL;
  set->zcmt = strstr(arch, "zcmt") != NULL;
  set->doubles = strstr(arch, "_d") || known < bare || elf->flags & DOUBLE_ABI;
}

const char *code_open(struct elf_code *code, const struct elf *elf) {
  /* EF_ARM_BE8 says that data is big-endian and code is not. */
  bool swapped = elf->machine == ELF_ARM && elf->flags & 0x00800000;
  *code = (struct elf_code){.elf = elf,
                            .set = {.machine = elf->machine,
                                    .wide = elf->wide,
                                    .big = elf->big && !swapped},
                            .mark_memory = {.limit = MARK_LIMIT}};
  const struct instruction_decoder *machine = find_decoder(elf->machine);
  if (elf->machine == ELF_RISCV)
    set_riscv_extensions(&code->set, elf);
  if (code->set.zcmt)
    elf_find_symbol(elf, "__jvt_base$", &code->jump_table);
  if (!machine)
    return "the instruction set of this machine is not supported; pass an ELF "
           "for Arm, AArch64, RISC-V or x86";
  return machine->marked ? read_mapping_symbols(code) : NULL;
}

void code_close(struct elf_code *code) { buffer_free(&code->mark_memory); }

uint64_t code_clear_thumb_bit(const struct elf_code *code, uint64_t address) {
  return code->set.machine == ELF_ARM ? address & ~UINT64_C(1) : address;
}

uint64_t code_clean_return_address(const struct elf_code *code,
                                   uint64_t returns, uint64_t pc) {
  if (code->set.machine == ELF_AARCH64 && (returns ^ pc) > UINT32_MAX &&
      !elf_bytes_at(code->elf, returns - 4, 4))
    return (pc & ~(uint64_t)UINT32_MAX) | (returns & UINT32_MAX);
  return code_clear_thumb_bit(code, returns);
}

/* Returns the number of mapping symbols at an address or before it. */
static size_t count_marks_until_address(const struct elf_code *code,
                                        uint64_t address) {
  return search_after(code->marks, code->mark_count, address, address);
}

static void apply_mapping_symbols(struct code_walk *walk) {
  const struct elf_code *code = walk->code;
  for (; walk->mark < code->mark_count &&
         code->marks[walk->mark].address <= walk->at;
       walk->mark++) {
    unsigned char letter = code->marks[walk->mark].letter;
    walk->data = letter == 'd';
    if (!walk->data)
      walk->thumb = letter == 't';
  }
}

void code_walk_begin(struct code_walk *walk, const struct elf_code *code,
                     uint64_t begin, uint64_t end) {
  *walk = (struct code_walk){.code = code, .at = begin, .end = end};
  walk->begin = begin;
  walk->thumb = code->set.machine == ELF_ARM;
  walk->mark = count_marks_until_address(code, begin);
  if (walk->mark)
    walk->mark--;
  walk->bytes = elf_bytes_at(code->elf, begin, end - begin);
}

bool code_walk_next(struct code_walk *walk) {
  struct instruction_set set = walk->code->set;
  if (!walk->bytes)
    return false;
  apply_mapping_symbols(walk);
  while (walk->data && walk->at < walk->end) {
    uint64_t next = walk->mark < walk->code->mark_count
                        ? walk->code->marks[walk->mark].address
                        : walk->end;
    walk->at = next < walk->end ? next : walk->end;
    walk->predicated = 0;
    apply_mapping_symbols(walk);
  }
  if (walk->at >= walk->end)
    return false;
  set.thumb = walk->thumb;
  struct bytes left = {walk->bytes + (walk->at - walk->begin),
                       (size_t)(walk->end - walk->at)};
  if (!instruction_decode(&walk->instruction, &set, left, walk->at))
    return false;
  if (walk->predicated) {
    walk->predicated--;
    walk->instruction.predicated = true;
    walk->instruction.conditional = walk->instruction.kind != INSTRUCTION_PLAIN;
  } else {
    walk->predicated = walk->instruction.governs;
  }
  walk->address = walk->at;
  walk->at += walk->instruction.length;
  return true;
}

/* ---- calls ---- */

static bool is_thumb_at(const struct elf_code *code, uint64_t address) {
  size_t until = count_marks_until_address(code, address);
  while (until && code->marks[until - 1].letter == 'd')
    until--;
  return code->set.machine == ELF_ARM &&
         (!until || code->marks[until - 1].letter == 't');
}

void code_complete_target(const struct elf_code *code, struct instruction *call,
                          uint64_t address) {
  unsigned size = code->set.wide ? 8 : 4;
  const unsigned char *at =
      call->tabled && code->jump_table
          ? elf_bytes_at(code->elf, code->jump_table + size * call->target,
                         size)
          : NULL;
  if (at)
    instruction_set_target(call, call->kind, load_number(at, size, false));
  if (code->set.machine != ELF_RISCV || call->direct || call->length != 4)
    return;
  at = elf_bytes_at(code->elf, address - 4, 8);
  if (!at)
    return;
  uint32_t high = load32(at, false), low = load32(at + 4, false);
  if ((high & 0x7F) != 0x17 || (high >> 7 & 31) != (low >> 15 & 31))
    return;
  uint64_t target = address - 4 + code_sign_extend(high & 0xFFFFF000, 32) +
                    code_sign_extend(low >> 20, 12);
  instruction_set_target(call, call->kind,
                         code->set.wide ? target : target & UINT32_MAX);
}

bool code_find_call_before(const struct elf_code *code, uint64_t returns,
                           struct instruction *call, uint64_t *address) {
  static const unsigned char lengths[] = {4, 2, 5, 6, 3, 7, 8};
  struct instruction_set set = code->set;
  set.thumb = is_thumb_at(code, returns - 1);
  for (size_t i = 0; i < sizeof lengths; i++) {
    unsigned length = lengths[i];
    const unsigned char *at = elf_bytes_at(code->elf, returns - length, length);
    if (!at ||
        !instruction_decode(call, &set, (struct bytes){at, length},
                            returns - length) ||
        call->length != length || call->kind != INSTRUCTION_CALL)
      continue;
    *address = returns - length;
    code_complete_target(code, call, *address);
    return true;
  }
  return false;
}

bool code_find_first_page(const struct elf *elf, uint64_t *address) {
  enum { PAGE = 0x1000, SEGMENTS_MOST = 64 };
  for (uint64_t i = 0; i < elf->segment_count && i < SEGMENTS_MOST; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    if (segment.type != ELF_PT_LOAD)
      continue;
    for (uint64_t k = 0; k < elf->section_count; k++) {
      struct elf_section section = elf_section(elf, k);
      if (!(section.flags & ELF_CODE) || !section.size ||
          section.address - segment.address >= segment.memory_size)
        continue;
      *address = segment.address & ~(uint64_t)(PAGE - 1);
      return true;
    }
  }
  return false;
}
