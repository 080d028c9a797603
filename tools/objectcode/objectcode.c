/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes all code of an ELF, assigns it to functions, writes the list for the
 * QEMU plugin, and computes counts and outcomes from the plugin's trace. The
 * head of ../trace/qemu_plugin.c describes the lines of list and trace.
 */
#include "objectcode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../base/text.h"
#include "../object/digest.h"

size_t objectcode_find_index(const struct objectcode *of, uint64_t address) {
  size_t i = search_from(of->list, of->count, address, address);
  return i < of->count && of->list[i].address == address ? i : SIZE_MAX;
}

const char *objectcode_add_move(struct objectcode *of, uint64_t from,
                                uint64_t to) {
  const struct object_instruction *last =
      of->count ? &of->list[of->count - 1] : NULL;
  uint64_t end = last ? last->address + last->length : 0;
  if (from >= end)
    return "--moved FROM=TO: the ELF has no code at or after FROM";
  if (of->move_count == sizeof of->moves / sizeof *of->moves)
    return "too many --moved";
  of->moves[of->move_count++] = (struct moved_code){from, to, end - from};
  return NULL;
}

uint64_t objectcode_elf_address(const struct objectcode *of, uint64_t address) {
  if (objectcode_find_index(of, address) != SIZE_MAX)
    return address;
  for (size_t i = 0; i < of->move_count; i++)
    if (address - of->moves[i].to < of->moves[i].size)
      return address - of->moves[i].to + of->moves[i].from;
  return address;
}

static void add_decoded_instruction(struct objectcode *of,
                                    const struct code_walk *walk) {
  struct instruction one = walk->instruction;
  const struct code_symbol *symbol =
      probes_find_symbol(&of->probes, walk->address);
  code_join_auipc(&of->code, &one, walk->address);
  bool jumps = one.kind != INSTRUCTION_PLAIN;
  LIST_ADD(
      of->list, of->count,
      (struct object_instruction){
          .address = walk->address,
          .target = one.direct ? one.target : 0,
          .symbol = symbol ? (uint32_t)(symbol - of->probes.symbols) + 1 : 0,
          .length = (uint8_t)one.length,
          .conditional = one.conditional,
          .predicated = one.predicated,
          .branch = one.kind == INSTRUCTION_BRANCH,
          .call = one.kind == INSTRUCTION_CALL,
          .ends = one.kind == INSTRUCTION_BRANCH && !one.conditional,
          .synchronizes = one.synchronizes,
          .indirect = jumps && !one.direct && !one.returns});
}

/* Adds the instructions of a section. Unknown bytes are data without a mapping
 * symbol; the walk skips such bytes, a halfword at a time. */
static const char *decode_section(struct objectcode *of,
                                  const struct elf_section *section) {
  uint64_t begin = section->address, end = begin + section->size;
  if (end < begin)
    return "a section reaches beyond the end of memory; link the ELF again";
  while (begin < end) {
    struct code_walk walk;
    code_walk_begin(&walk, &of->code, begin, end);
    while (code_walk_next(&walk))
      add_decoded_instruction(of, &walk);
    begin = walk.bytes ? walk.at + 2 : end;
  }
  return NULL;
}

ORDER_BY(compare_instructions, struct object_instruction, x->address);

/* Sorts the instructions. If two sections have the same address (overlays),
 * only one instruction for each address stays. */
static void sort_unique_instructions(struct objectcode *of) {
  size_t kept = 0;
  sort_array(of->list, of->count, sizeof *of->list, compare_instructions);
  for (size_t i = 0; i < of->count; i++)
    if (!kept || of->list[kept - 1].address != of->list[i].address)
      of->list[kept++] = of->list[i];
  of->count = kept;
}

/* Adds an executed instruction to the list of a blind ELF, whose code was not
 * decoded. */
static void add_executed_instruction(struct objectcode *of, uint64_t address,
                                     uint64_t length, uint64_t count) {
  size_t number = objectcode_find_index(of, address);
  if (number != SIZE_MAX) {
    of->list[number].count = add_saturated(of->list[number].count, count);
    return;
  }
  bool in_order = !of->count || of->list[of->count - 1].address < address;
  LIST_ADD(of->list, of->count,
           (struct object_instruction){
               .address = address, .length = (uint8_t)length, .count = count});
  if (!in_order)
    sort_unique_instructions(of);
}

/* Finds the functions that cold code (NAME.cold) was split off. The first pass
 * records the names of functions, the second names cold code. */
static void set_cold_code_owners(struct objectcode *of) {
  struct map known = {.limit = (size_t)1 << 30};
  for (unsigned pass = 0; pass < 2; pass++)
    for (uint32_t i = 1; i < of->function_count; i++) {
      struct object_function *one = &of->functions[i];
      const char *cold = strstr(one->name, ".cold");
      size_t size = cold ? (size_t)(cold - one->name) : strlen(one->name);
      if (!pass)
        one->owner = i;
      if (!one->count || !pass == (cold != NULL))
        continue;
      uint64_t *number = need_memory(
          map_find_or_add(&known, md5_low64(one->name, size), size, 0));
      if (pass && *number) {
        struct object_function *owner = &of->functions[*number];
        one->owner = (uint32_t)*number;
        one->part = owner->part;
        owner->part = i;
      } else
        *number = i;
    }
  map_free(&known);
}

static void make_functions(struct objectcode *of) {
  of->function_count = of->probes.symbol_count + 1;
  of->functions =
      need_memory(calloc(of->function_count, sizeof *of->functions));
  of->functions[0].name = "(no symbol)";
  for (size_t i = 1; i < of->function_count; i++)
    of->functions[i].name = of->probes.symbols[i - 1].name;
  for (size_t i = 0; i < of->count; i++) {
    struct object_function *function = &of->functions[of->list[i].symbol];
    if (of->list[i].symbol && !function->count++)
      function->first = i;
  }
  set_cold_code_owners(of);
}

/* ---- outcomes from counts ---- */

/* How often the run entered one instruction from other instructions. */
struct instruction_inflow {
  uint64_t sure;    /* number of entries with known counts */
  uint32_t unknown; /* number of entries with unknown counts */
  bool open;        /* The instruction may also be entered without any count. */
};

struct outcome_solver {
  struct objectcode *of;
  struct instruction_inflow *inflows; /* for each instruction */
  bool *jumps;    /* for each symbol: jumps through a register */
  bool *computed; /* for each instruction: its outcomes were computed */
};

/* Returns the index of the instruction that an outcome leads to, or SIZE_MAX.
 * */
static size_t find_successor(const struct objectcode *of, size_t number,
                             unsigned way) {
  const struct object_instruction *one = &of->list[number];
  if (way == FALLS_THROUGH)
    return objectcode_find_index(of, one->address + one->length);
  return one->target ? objectcode_find_index(of, one->target) : SIZE_MAX;
}

/* Sets the count of an outcome. The other outcome of the branch gets the rest
 * of the branch's count. Both lead to instructions, where they now are known
 * entries. */
static void set_outcome_count(struct outcome_solver *solving, size_t number,
                              unsigned way, uint64_t count) {
  struct object_instruction *one = &solving->of->list[number];
  uint64_t rest = one->count - count;
  if (count > one->count) {
    solving->of->functions[one->symbol].refused = true;
    count = rest = 0;
  }
  one->outcomes[way] = count;
  one->outcomes[!way] = rest;
  one->known = true;
  for (unsigned i = 0; i < BRANCH_WAYS; i++) {
    size_t to = find_successor(solving->of, number, i);
    if (to == SIZE_MAX)
      continue;
    solving->inflows[to].unknown--;
    solving->inflows[to].sure += one->outcomes[i];
  }
}

/* Adds the entries that an instruction makes to its successors. A call may
 * never return, and a task that is switched away may never continue, so the
 * entry into the next instruction is then unknown. */
static void add_successor_inflows(struct outcome_solver *solving,
                                  size_t number) {
  const struct objectcode *of = solving->of;
  const struct object_instruction *one = &of->list[number];
  size_t next = find_successor(of, number, FALLS_THROUGH);
  size_t target = find_successor(of, number, GOES);
  struct instruction_inflow *inflows = solving->inflows;
  if (next != SIZE_MAX && (one->call || one->conditional || one->synchronizes))
    inflows[next].unknown++;
  else if (next != SIZE_MAX && !one->ends)
    inflows[next].sure += one->count;
  if (next != SIZE_MAX && one->call && one->conditional)
    inflows[next].open = true;
  if (target != SIZE_MAX && one->conditional)
    inflows[target].unknown++;
  else if (target != SIZE_MAX)
    inflows[target].sure += one->count;
}

/* Whether an instruction may be entered without a count: through a jump table,
 * which may lead anywhere in its function; through a pointer or an exception,
 * which leads to a function's entry; or in split-off code, from a table of its
 * function. */
static bool has_uncounted_entry(const struct outcome_solver *solving,
                                size_t number) {
  const struct object_instruction *one = &solving->of->list[number];
  const struct object_function *function = &solving->of->functions[one->symbol];
  return !one->symbol || solving->jumps[one->symbol] ||
         function->first == number || strstr(function->name, ".cold") ||
         solving->of->list[number].address ==
             solving->of->probes.symbols[one->symbol - 1].address;
}

static bool solve_outcome(struct outcome_solver *solving, size_t number,
                          unsigned way) {
  const struct object_instruction *one = &solving->of->list[number];
  size_t to = find_successor(solving->of, number, way);
  if (to == SIZE_MAX || one->known || solving->inflows[to].open ||
      solving->inflows[to].unknown != 1)
    return false;
  uint64_t all = solving->of->list[to].count, sure = solving->inflows[to].sure;
  if (sure > all)
    solving->of->functions[one->symbol].refused = true;
  solving->computed[number] = true;
  set_outcome_count(solving, number, way, sure > all ? 0 : all - sure);
  return true;
}

static void solve_outcomes(struct outcome_solver *solving) {
  const struct objectcode *of = solving->of;
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = 0; i < of->count; i++)
      if (of->list[i].conditional && !of->list[i].call)
        changes |= solve_outcome(solving, i, FALLS_THROUGH) ||
                   solve_outcome(solving, i, GOES);
  }
}

/* Refuses functions whose computed outcomes contradict the counts. A fault
 * leaves code in the middle of a block, and its handler may return elsewhere.
 * Computed outcomes are then wrong: at one of their targets, the sum of the
 * entries does not fit the count. */
static void refuse_contradictions(struct outcome_solver *solving) {
  struct objectcode *of = solving->of;
  for (size_t i = 0; i < of->count; i++)
    for (unsigned way = 0; solving->computed[i] && way < BRANCH_WAYS; way++) {
      size_t to = find_successor(of, i, way);
      const struct instruction_inflow *inflow =
          &solving->inflows[to != SIZE_MAX ? to : 0];
      if (to != SIZE_MAX && !inflow->open && !inflow->unknown &&
          inflow->sure != of->list[to].count)
        of->functions[of->list[i].symbol].refused = true;
    }
}

/* Computes outcomes from counts. The number of entries into an instruction
 * equals its count, and so does the sum of a branch's outcomes. If such an
 * equation has one unknown, this solves it; known outcomes stay. A call before
 * the run, when all counts are 0, shows which outcomes can be computed. */
static void solve_unknown_outcomes(struct objectcode *of) {
  struct outcome_solver solving = {
      .of = of,
      .inflows = need_memory(calloc(of->count + 1, sizeof *solving.inflows)),
      .jumps =
          need_memory(calloc(of->function_count + 1, sizeof *solving.jumps)),
      .computed = need_memory(calloc(of->count + 1, sizeof *solving.computed))};
  for (size_t i = 0; i < of->count; i++)
    if (of->list[i].branch && of->list[i].indirect)
      solving.jumps[of->list[i].symbol] = true;
  for (size_t i = 0; i < of->count; i++) {
    add_successor_inflows(&solving, i);
    solving.inflows[i].open |= has_uncounted_entry(&solving, i);
  }
  for (size_t i = 0; i < of->count; i++)
    if (of->list[i].known)
      set_outcome_count(&solving, i, FALLS_THROUGH,
                        of->list[i].outcomes[FALLS_THROUGH]);
  solve_outcomes(&solving);
  refuse_contradictions(&solving);
  free(solving.inflows);
  free(solving.jumps);
  free(solving.computed);
}

const char *objectcode_open(struct objectcode *of, const struct elf *elf) {
  *of = (struct objectcode){.elf = elf};
  const char *error = code_open(&of->code, elf);
  of->lacks_marks = !of->code.mark_count && (elf->machine == MACHINE_ARM ||
                                             elf->machine == MACHINE_AARCH64);
  if (!error)
    error = probes_read_symbols(&of->probes, elf);
  for (uint32_t i = 0; !error && i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (!of->lacks_marks && elf_section_has_code(elf, i) && section.bytes &&
        section.size)
      error = decode_section(of, &section);
  }
  if (error)
    return error;
  sort_unique_instructions(of);
  if (!of->count && !of->lacks_marks)
    return "no code found; pass the linked ELF";
  make_functions(of);
  solve_unknown_outcomes(of);
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    one->watched = one->conditional && one->target && !one->known;
    one->known = false;
  }
  return NULL;
}

void objectcode_close(struct objectcode *of) {
  free(of->functions);
  free(of->list);
  probes_free(&of->probes);
  code_close(&of->code);
}

/* ---- list and trace of the plugin ---- */

static const char first_line[] = "bareprof-instructions 1\n";
const char objectcode_other[] =
    "the code that ran differs from the ELF; pass the ELF that ran";

/* Prints the code from an address on, and its watched branches, as it ran at
 * another address. */
static void print_code_ranges(const struct objectcode *of,
                              const struct moved_code *move, FILE *out) {
  uint64_t by = move->to - move->from;
  for (uint32_t i = 0; i < of->elf->section_count; i++) {
    struct elf_section section = elf_section(of->elf, i);
    uint64_t begin = section.address, end = begin + section.size;
    begin = begin > move->from ? begin : move->from;
    if (elf_section_has_code(of->elf, i) && section.bytes && begin < end)
      fprintf(out, "x %" PRIx64 " %" PRIx64 "\n", begin + by, end + by);
  }
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    if (one->watched && one->address - move->from < move->size)
      fprintf(out, "b %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", one->address + by,
              one->address + one->length + by, one->target + by);
  }
}

void objectcode_write_plugin_list(const struct objectcode *const *list,
                                  size_t count, FILE *out) {
  enum { ID_MOST = 64 };
  char hex[2 * ID_MOST + 1] = "-";
  struct bytes id;
  if (elf_find_build_id(list[0]->elf, &id) && id.size && id.size <= ID_MOST)
    format_hex(hex, id.data, id.size);
  fprintf(out, "bareprof-code 1\nbuild %s\n", hex);
  for (size_t i = 0; i < count; i++) {
    print_code_ranges(list[i], &(struct moved_code){0, 0, UINT64_MAX}, out);
    for (size_t k = 0; k < list[i]->move_count; k++)
      print_code_ranges(list[i], &list[i]->moves[k], out);
  }
  fputs("end\n", out);
}

/* A trace is read twice: first to check that all of it fits the ELF, then to
 * add its counts. */
struct trace_pass {
  struct objectcode *of;
  bool adds;      /* true in the second pass */
  bool varies;    /* The bytes at the address changed during the run. */
  bool foreign;   /* The last instruction of the trace is not in the ELF. */
  uint64_t shift; /* how far the whole ELF was moved, if its bytes show it */
  size_t fitting; /* number of instructions of the trace that are in the ELF */
};

/* Returns the index of the instruction at an address that ran, or SIZE_MAX.
 * SIZE_MAX is not an error if the address may belong to another ELF. */
static size_t find_executed_instruction(const struct trace_pass *taking,
                                        uint64_t address, const char **error) {
  const struct objectcode *of = taking->of;
  address = taking->shift ? address - taking->shift
                          : objectcode_elf_address(of, address);
  size_t number = objectcode_find_index(of, address);
  bool elsewhere = of->several || taking->shift;
  for (uint32_t i = 0; elsewhere && i < of->elf->section_count; i++)
    elsewhere = !elf_section_has_code(of->elf, i) ||
                address - elf_section(of->elf, i).address >=
                    elf_section(of->elf, i).size;
  *error = number == SIZE_MAX && !elsewhere ? objectcode_other : NULL;
  return number;
}

/* Adds an instruction of the trace. The ELF gives the length, because QEMU 7.2
 * reports 4 bytes for a 2-byte instruction right before the end of a page. A
 * blind ELF lacks the length, so only 2 bytes are compared. Code outside of the
 * plugin's list is in the ELF if the ELF or a part of it was moved. */
static const char *
check_or_add_traced_instruction(struct trace_pass *taking,
                                const struct trace_line *line) {
  struct objectcode *of = taking->of;
  const uint64_t *values = line->values;
  const char *error;
  size_t number = find_executed_instruction(taking, values[0], &error);
  size_t size = 2;
  bool outside = trace_line_equals_word(line, "o");
  struct object_instruction *one = NULL;
  unsigned char bytes[4];
  taking->foreign = of->lacks_marks ? outside : number == SIZE_MAX;
  if (line->count == TRACE_NUMBERS && !values[1])
    return NULL;
  of->outside += taking->foreign && taking->adds && (outside || taking->shift);
  if (taking->foreign)
    return taking->varies || (outside && !taking->shift) ? NULL : error;
  if (line->count == 1)
    return "too much code ran outside of the ELF, and was not counted; pass "
           "--moved FROM=TO to bareprof run --trace";
  if (!of->lacks_marks) {
    one = &of->list[number];
    size = one->length < 4 ? one->length : 4;
  }
  store32(bytes, (uint32_t)values[2], false);
  const unsigned char *here =
      elf_bytes_at(of->elf, one ? one->address : values[0], size);
  if (!here || (!taking->varies && memcmp(here, bytes, size) != 0))
    return objectcode_other;
  taking->fitting++;
  if (taking->adds && one)
    one->count = add_saturated(one->count, values[1]);
  else if (taking->adds)
    add_executed_instruction(of, values[0], values[3], values[1]);
  return NULL;
}

/* Adds the outcomes of a branch. If the trace has unknown outcomes of the
 * branch, all of its outcomes count as unknown. */
static const char *check_or_add_traced_outcomes(const struct trace_pass *taking,
                                                const uint64_t values[4]) {
  struct objectcode *of = taking->of;
  const char *error;
  size_t number = find_executed_instruction(taking, values[0], &error);
  /* The plugin watched the branches where the ELF has them. */
  if (taking->shift)
    return NULL;
  if (number == SIZE_MAX || of->lacks_marks)
    return of->lacks_marks ? NULL : error;
  struct object_instruction *one = &of->list[number];
  if (!one->watched)
    return objectcode_other;
  if (!taking->adds)
    return NULL;
  one->outcomes[FALLS_THROUGH] =
      add_saturated(one->outcomes[FALLS_THROUGH], values[1]);
  one->outcomes[GOES] = add_saturated(one->outcomes[GOES], values[2]);
  one->outcome_lost |= values[3] != 0;
  return NULL;
}

static const char *check_or_add_trace_lines(struct trace_pass *taking,
                                            struct bytes file) {
  struct objectcode *of = taking->of;
  const char *error = NULL;
  while (!error && file.size) {
    struct trace_line line;
    if (!trace_pop_and_parse_line(&file, &line))
      return trace_broken;
    taking->varies = file.size && *file.data == 'v';
    if ((trace_line_equals_word(&line, "i") && line.count == TRACE_NUMBERS) ||
        (trace_line_equals_word(&line, "o") &&
         (line.count == 1 || line.count == TRACE_NUMBERS)))
      error = check_or_add_traced_instruction(taking, &line);
    else if (trace_line_equals_word(&line, "e") && line.count == 4)
      error = check_or_add_traced_outcomes(taking, line.values);
    else if (trace_line_equals_word(&line, "v") && line.count == 1)
      of->varied += taking->adds && !taking->foreign;
    else
      error = trace_broken;
  }
  return error;
}

/* Finds how far position-independent code was moved, if it did not run where it
 * is linked. The ELF's entry is where its instruction ran, and all that ran in
 * the code of the ELF has the ELF's bytes. Returns NULL or the error. */
static const char *find_load_shift(struct objectcode *of, struct bytes file,
                                   uint64_t *shift) {
  enum { EQUAL_LEAST = 8 };
  uint64_t entry = code_clear_thumb_bit(&of->code, of->elf->entry);
  struct trace_pass linked = {.of = of};
  struct trace_line line;
  size_t places = 0;
  if (of->elf->type != ELF_DYN || of->move_count || of->lacks_marks ||
      (!check_or_add_trace_lines(&linked, file) && linked.fitting))
    return NULL;
  for (struct bytes left = file;
       left.size && trace_pop_and_parse_line(&left, &line);) {
    struct trace_pass pass = {.of = of, .shift = line.values[0] - entry};
    if (line.count != 4 || trace_line_equals_word(&line, "e") || !pass.shift ||
        check_or_add_traced_instruction(&pass, &line) || !pass.fitting)
      continue;
    pass.fitting = 0;
    if (check_or_add_trace_lines(&pass, file) || pass.fitting < EQUAL_LEAST)
      continue;
    places++;
    *shift = of->shift = pass.shift;
  }
  if (places == 1)
    return NULL;
  *shift = of->shift = 0;
  return places > 1    ? "the code of this position-independent ELF ran at "
                         "several addresses; name one with --moved FROM=TO"
         : of->several ? objectcode_other
                       : "the code of this position-independent ELF is at no "
                         "address of the trace; pass the ELF that ran, or name "
                         "its address with --moved FROM=TO";
}

static void sum_function_counts(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    struct object_function *to = &of->functions[one->symbol];
    /* Vector tables are between code, and lack a function symbol. */
    if (!one->symbol && !one->count)
      continue;
    to->count += !one->symbol;
    bool known = !one->count || (one->known && !to->refused);
    to->ran += one->count != 0;
    to->predicated += one->predicated && !one->conditional;
    to->branches += one->conditional;
    to->unknown += one->conditional && !known;
    to->both += one->conditional && known && one->outcomes[GOES] &&
                one->outcomes[FALLS_THROUGH];
    if (one->conditional && known)
      to->outcomes +=
          (one->outcomes[GOES] != 0) + (one->outcomes[FALLS_THROUGH] != 0);
    if (i == to->first)
      to->entered = one->count;
  }
}

bool objectcode_is_trace(struct bytes file) {
  const unsigned char *at = file.data;
  return skip_prefix(&at, at + file.size, first_line);
}

void objectcode_compute_outcomes(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    uint64_t fell = one->outcomes[FALLS_THROUGH];
    one->known = (one->watched || of->in_order) && !one->outcome_lost &&
                 !of->counts_are_0_or_1 && one->count >= fell &&
                 one->count - fell == one->outcomes[GOES];
  }
  if (!of->counts_are_0_or_1 && of->counts)
    solve_unknown_outcomes(of);
  sum_function_counts(of);
}

const char *objectcode_add_trace(struct objectcode *of, struct bytes file) {
  const char *error = trace_check_and_remove_crc(&file);
  if (error)
    return error;
  const unsigned char *at = file.data, *end = at + file.size;
  if (!skip_prefix(&at, end, first_line))
    return trace_unknown;
  const unsigned char *build = at;
  at = memchr(at, '\n', (size_t)(end - at));
  if (!at || !skip_prefix(&build, end, "build "))
    return trace_broken;
  const struct bytes lines = {at + 1, (size_t)(end - at - 1)};
  struct trace_pass taking = {.of = of};
  error = find_load_shift(of, lines, &taking.shift);
  error = error ? error : check_or_add_trace_lines(&taking, lines);
  if (!error && of->several && !taking.fitting)
    error = objectcode_other;
  taking.adds = of->counts = true;
  return error ? error : check_or_add_trace_lines(&taking, lines);
}

void objectcode_clear_counts(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    one->count = one->outcomes[GOES] = one->outcomes[FALLS_THROUGH] = 0;
    one->outcome_lost = false;
  }
  for (size_t i = 0; i < of->function_count; i++) {
    struct object_function *one = &of->functions[i];
    *one = (struct object_function){.name = one->name,
                                    .first = one->first,
                                    .count = i ? one->count : 0,
                                    .owner = one->owner,
                                    .part = one->part};
  }
  of->in_order = of->counts_are_0_or_1 = of->counts = false;
  of->outside = of->varied = 0;
}
