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
#include "../base/need.h"
#include "../base/number.h"
#include "../base/text.h"

size_t objectcode_find_index(const struct objectcode *of, uint64_t address) {
  size_t i = search_from(of->list, of->count, address, address);
  return i < of->count && of->list[i].address == address ? i : SIZE_MAX;
}

bool objectcode_add_move(struct objectcode *of, uint64_t from, uint64_t to) {
  const struct object_instruction *last =
      of->count ? &of->list[of->count - 1] : NULL;
  uint64_t end = last ? last->address + last->length : 0;
  if (from < end)
    of->moves[of->move_count++] = (struct moved_code){from, to, end - from};
  return from < end;
}

uint64_t objectcode_elf_address(const struct objectcode *of, uint64_t address) {
  if (objectcode_find_index(of, address) != SIZE_MAX)
    return address;
  for (size_t i = 0; i < of->move_count; i++)
    if (address - of->moves[i].to < of->moves[i].size)
      return address - of->moves[i].to + of->moves[i].from;
  return address;
}

static void add_instruction(struct objectcode *of,
                            const struct instruction *one, uint64_t address) {
  const struct code_symbol *symbol = probes_find_symbol(&of->probes, address);
  bool jumps = one->kind != INSTRUCTION_PLAIN;
  LIST_ADD(
      of->list, of->count,
      (struct object_instruction){
          .address = address,
          .target = one->direct ? one->target : 0,
          .symbol = symbol ? (uint32_t)(symbol - of->probes.symbols) + 1 : 0,
          .file = NO_LINE_FILE,
          .length = (uint8_t)one->length,
          .conditional = one->conditional,
          .predicated = one->predicated,
          .branch = one->kind == INSTRUCTION_BRANCH,
          .call = one->kind == INSTRUCTION_CALL,
          .synchronizes = one->synchronizes,
          .indirect = jumps && !one->direct && !one->returns});
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
    while (code_walk_next(&walk)) {
      code_complete_target(&of->code, &walk.instruction, walk.address);
      if (walk.instruction.tabled && !walk.instruction.direct)
        return "the symbol __jvt_base$ is missing, so the targets of cm.jt are "
               "not known; pass the ELF that ran, unstripped";
      add_instruction(of, &walk.instruction, walk.address);
    }
    begin = walk.bytes ? walk.at + 2 : end;
  }
  return NULL;
}

ORDER_BY(compare_instructions, struct object_instruction, x->address);

/* Sorts the instructions. If two sections have the same address (overlays),
 * only one instruction for each address stays, and gets the sum of the
 * counts. */
static void sort_unique_instructions(struct objectcode *of) {
  struct object_instruction *list = of->list;
  size_t kept = 0;
  sort_array(list, of->count, sizeof *list, compare_instructions);
  for (size_t i = 0; i < of->count; i++)
    if (kept && list[kept - 1].address == list[i].address)
      list[kept - 1].count = add_saturated(list[kept - 1].count, list[i].count);
    else
      list[kept++] = list[i];
  of->count = kept;
}

static void make_functions(struct objectcode *of) {
  of->function_count = of->probes.symbol_count + 1;
  of->functions =
      need_memory(calloc(of->function_count, sizeof *of->functions));
  of->functions[0].name = "(no symbol)";
  for (size_t i = 1; i < of->function_count; i++)
    of->functions[i].name = of->probes.symbols[i - 1].name;
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    struct object_function *function = &of->functions[one->symbol];
    function->jumps |= one->branch && one->indirect;
    if (one->symbol && !function->count++)
      function->first = i;
  }
  for (uint32_t i = 1; i < of->function_count; i++) {
    const struct code_symbol *owner =
        probes_find_part_owner(&of->probes, &of->probes.symbols[i - 1]);
    uint32_t number = owner ? (uint32_t)(owner - of->probes.symbols) + 1 : i;
    of->functions[i].owner = of->functions[number].count ? number : i;
    of->functions[of->functions[i].owner].jumps |= of->functions[i].jumps;
  }
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
  /* For each instruction; and one more, which is open, for code elsewhere. */
  struct instruction_inflow *inflows;
  bool *computed; /* for each instruction: its outcomes were computed */
};

/* Returns the index of the instruction that an outcome leads to; of->count if
 * the ELF has none there, or the target is unknown. */
static size_t find_successor(const struct objectcode *of, size_t number,
                             unsigned way) {
  const struct object_instruction *one = &of->list[number];
  size_t to = way == FALLS_THROUGH
                  ? objectcode_find_index(of, one->address + one->length)
              : one->target ? objectcode_find_index(of, one->target)
                            : SIZE_MAX;
  return to == SIZE_MAX ? of->count : to;
}

/* Sets the count of an outcome. The other outcome of the branch gets the rest
 * of the branch's count. Both lead to instructions, where they now are known
 * entries. A count below 0 is huge as an unsigned number. */
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
  struct instruction_inflow *next =
      &solving->inflows[find_successor(of, number, FALLS_THROUGH)];
  struct instruction_inflow *target =
      &solving->inflows[find_successor(of, number, GOES)];
  if (one->call || one->conditional || one->synchronizes)
    next->unknown++;
  else if (!one->branch)
    next->sure += one->count;
  next->open |= one->call && one->conditional;
  if (one->conditional)
    target->unknown++;
  else
    target->sure += one->count;
}

/* Returns whether an instruction may be entered without a count: through a jump
 * table, which may lead anywhere in its function; through a pointer or an
 * exception, which leads to a function's entry; or in another part of a
 * function, from a table of the function. */
static bool has_uncounted_entry(const struct outcome_solver *solving,
                                size_t number) {
  const struct object_instruction *one = &solving->of->list[number];
  const struct object_function *function = &solving->of->functions[one->symbol];
  return !one->symbol || function->jumps || function->first == number ||
         function->owner != one->symbol || strstr(function->name, ".cold");
}

static bool solve_outcome(struct outcome_solver *solving, size_t number,
                          unsigned way) {
  const struct object_instruction *one = &solving->of->list[number];
  size_t to = find_successor(solving->of, number, way);
  if (one->known || solving->inflows[to].open ||
      solving->inflows[to].unknown != 1)
    return false;
  solving->computed[number] = true;
  set_outcome_count(solving, number, way,
                    solving->of->list[to].count - solving->inflows[to].sure);
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
      const struct instruction_inflow *inflow = &solving->inflows[to];
      if (!inflow->open && !inflow->unknown &&
          inflow->sure != of->list[to].count)
        of->functions[of->list[i].symbol].refused = true;
    }
}

/* Computes outcomes from counts. The number of entries into an instruction
 * equals its count, and so does the sum of a branch's outcomes. The function
 * solves the equations that have one unknown. Outcomes that are known before
 * stay. A call before the run, when all counts are 0, shows which outcomes can
 * be computed. */
static void solve_unknown_outcomes(struct objectcode *of) {
  struct outcome_solver solving = {
      .of = of,
      .inflows = need_memory(calloc(of->count + 1, sizeof *solving.inflows)),
      .computed = need_memory(calloc(of->count + 1, sizeof *solving.computed))};
  solving.inflows[of->count].open = true;
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
  free(solving.computed);
}

const char *objectcode_open(struct objectcode *of, const struct elf *elf) {
  *of = (struct objectcode){.elf = elf};
  const char *error = code_open(&of->code, elf);
  if (!error && (elf->machine == ELF_X86 || elf->machine == ELF_X86_64))
    error = "object code of x86 is not supported; pass an ELF for Arm, AArch64 "
            "or RISC-V";
  of->lacks_marks = !of->code.mark_count && (elf->machine == ELF_ARM ||
                                             elf->machine == ELF_AARCH64);
  if (!error)
    error = probes_read_symbols(&of->probes, elf, true);
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
  dwarf_scopes_free(&of->scopes);
  dwarf_lines_free(&of->rows);
  dwarf_close(&of->dwarf);
  free(of->functions);
  free(of->list);
  probes_free(&of->probes);
  code_close(&of->code);
}

/* ---- list and trace of the plugin ---- */

static const char first_line[] = "bareprof-instructions 1\n";
const char objectcode_other[] =
    "the code that ran differs from the ELF; pass the ELF that ran";

/* Prints the code from move->from on, and its watched branches, at the
 * addresses where the code runs. */
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

void objectcode_write_plugin_list(const struct objectcode *list, size_t count,
                                  FILE *out) {
  fputs("bareprof-code 1\nbuild -\n", out);
  for (size_t i = 0; i < count; i++) {
    print_code_ranges(&list[i], &(struct moved_code){0, 0, UINT64_MAX}, out);
    for (size_t k = 0; k < list[i].move_count; k++)
      print_code_ranges(&list[i], &list[i].moves[k], out);
  }
  fputs("end\n", out);
}

/* A trace is visited twice: first to check that all of it fits the ELF, then to
 * add its counts. */
struct code_trace {
  struct objectcode *of;
  struct trace_line *list; /* sorted by address, the first number */
  size_t count;
  bool adds;      /* true in the second visit */
  uint64_t shift; /* how far the whole ELF was moved, if its bytes show it */
  size_t fitting; /* number of instructions that are in the ELF */
};

ORDER_BY(compare_trace_lines, struct trace_line, x->values[0]);

static const char *parse_code_trace(struct code_trace *trace,
                                    struct bytes file) {
  while (file.size) {
    struct trace_line line;
    if (!trace_pop_and_parse_line(&file, &line) || line.word.size != 1 ||
        !strchr("ioev", *line.word.data) ||
        (line.count != TRACE_NUMBERS &&
         (line.count != 1 || !strchr("ov", *line.word.data))))
      return trace_broken;
    if (*line.word.data != 'v')
      LIST_ADD(trace->list, trace->count, line);
    else if (trace->count)
      trace->list[trace->count - 1].varies = true;
  }
  sort_array(trace->list, trace->count, sizeof *trace->list,
             compare_trace_lines);
  return NULL;
}

static uint64_t to_elf_address(const struct code_trace *trace,
                               uint64_t address) {
  return trace->shift ? address - trace->shift
                      : objectcode_elf_address(trace->of, address);
}

/* Checks or adds an instruction. The length comes from the ELF, because QEMU
 * 7.2 reports 4 bytes for a 2-byte instruction right before the end of a page.
 * An ELF without mapping symbols does not have the length, so only 2 bytes are
 * compared. Code outside of the plugin's list is in the ELF if the ELF or a
 * part of it was moved. A wild jump runs the ELF's data: the call of a null
 * pointer runs the vector table. */
static const char *check_or_add_instruction(struct code_trace *trace,
                                            const struct trace_line *from) {
  struct objectcode *of = trace->of;
  const uint64_t *values = from->values;
  uint64_t address = to_elf_address(trace, values[0]);
  size_t number = objectcode_find_index(of, address), size = 2;
  bool outside = *from->word.data == 'o', blind = of->lacks_marks;
  bool foreign = blind ? outside : number == SIZE_MAX;
  bool whole = from->count == TRACE_NUMBERS;
  struct object_instruction *one = blind || foreign ? NULL : &of->list[number];
  unsigned char bytes[4];
  of->varied += trace->adds && from->varies && !foreign;
  if (whole && !values[1])
    return NULL;
  if (!whole && !foreign)
    return "the trace lacks counts of code in this ELF; pass all ELFs that "
           "run, and --moved FROM=TO for moved code, to bareprof run --trace";
  if (one)
    size = one->length < 4 ? one->length : 4;
  store32(bytes, (uint32_t)values[2], false);
  const unsigned char *here = elf_bytes_at(of->elf, address, size);
  bool same = whole && here && memcmp(here, bytes, size) == 0;
  if (foreign) {
    of->outside += trace->adds && (outside || trace->shift || same);
    return same || from->varies || (outside && !trace->shift) ||
                   ((of->several || trace->shift) &&
                    !linked_points_is_code(of->elf, address))
               ? NULL
               : objectcode_other;
  }
  if (!here || (!from->varies && !same))
    return objectcode_other;
  trace->fitting++;
  if (trace->adds && one)
    one->count = add_saturated(one->count, values[1]);
  else if (trace->adds)
    LIST_ADD(of->list, of->count,
             (struct object_instruction){.address = address,
                                         .length = (uint8_t)values[3],
                                         .count = values[1]});
  return NULL;
}

/* Checks or adds the outcomes of a branch. If the trace has unknown outcomes of
 * the branch, all of its outcomes count as unknown. The branch may belong to
 * another ELF, because the plugin watches the branches of all ELFs. */
static const char *check_or_add_outcomes(const struct code_trace *trace,
                                         const struct trace_line *from) {
  const struct objectcode *of = trace->of;
  const uint64_t *values = from->values;
  size_t number = objectcode_find_index(of, to_elf_address(trace, values[0]));
  if (of->lacks_marks)
    return NULL;
  if (number == SIZE_MAX || !of->list[number].watched)
    return of->several || trace->shift ? NULL : objectcode_other;
  struct object_instruction *one = &of->list[number];
  for (unsigned way = 0; trace->adds && way < BRANCH_WAYS; way++)
    one->outcomes[way] = add_saturated(one->outcomes[way], values[1 + way]);
  one->outcome_lost |= trace->adds && values[3];
  return NULL;
}

/* Checks or adds the lines of a trace from one index up to another. */
static const char *check_or_add_trace_lines(struct code_trace *trace,
                                            size_t from, size_t end) {
  const char *error = NULL;
  trace->fitting = 0;
  for (size_t i = from; i < end && !error; i++)
    error = *trace->list[i].word.data == 'e'
                ? check_or_add_outcomes(trace, &trace->list[i])
                : check_or_add_instruction(trace, &trace->list[i]);
  return error;
}

/* Finds how far position-independent code was moved, if the code did not run
 * where it is linked. --moved says the distance. Otherwise each address of the
 * trace is tried as the ELF's entry point: the distance is right if all code
 * that ran within the ELF has the ELF's bytes. Returns NULL or the error. */
static const char *find_load_shift(struct code_trace *trace) {
  enum { EQUAL_LEAST = 8 };
  struct objectcode *of = trace->of;
  const struct object_instruction *last = &of->list[of->count - 1];
  uint64_t entry = code_clear_thumb_bit(&of->code, of->elf->entry);
  size_t places = 0;
  if (of->moves->size) {
    trace->shift = of->moves->to - of->moves->from;
    return check_or_add_trace_lines(trace, 0, trace->count);
  }
  for (size_t i = 0; i < trace->count; i++) {
    uint64_t shift = trace->shift = trace->list[i].values[0] - entry;
    if (!shift || check_or_add_trace_lines(trace, i, i + 1) || !trace->fitting)
      continue;
    size_t from = search_from(trace->list, trace->count, values[0],
                              of->list->address + shift);
    size_t end = search_after(trace->list, trace->count, values[0],
                              last->address + shift);
    if (check_or_add_trace_lines(trace, from, end) ||
        trace->fitting < EQUAL_LEAST)
      continue;
    places++;
    of->shift = shift;
  }
  trace->shift = of->shift = places == 1 ? of->shift : 0;
  return places == 1   ? check_or_add_trace_lines(trace, 0, trace->count)
         : places      ? "the code of this position-independent ELF ran at "
                         "several addresses; name one with --moved FROM=TO"
         : of->several ? objectcode_other
                       : "the code of this position-independent ELF is at no "
                         "address of the trace; pass the ELF that ran, or name "
                         "its address with --moved FROM=TO";
}

static void add_to_sums(struct instruction_sums *to,
                        const struct object_instruction *one, bool known) {
  bool goes = one->outcomes[GOES], falls = one->outcomes[FALLS_THROUGH];
  to->count++;
  to->ran += one->count != 0;
  to->predicated += one->predicated && !one->conditional;
  to->branches += one->conditional;
  if (one->conditional && known) {
    to->both += goes && falls;
    to->outcomes += (size_t)goes + falls;
  }
  to->unknown += one->conditional && !known;
}

static void sum_instructions(struct objectcode *of) {
  of->total = (struct instruction_sums){0};
  for (size_t i = 0; i < of->function_count; i++)
    of->functions[i].sums = of->total;
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    bool known = objectcode_knows_outcomes(of, one);
    if (object_instruction_counts(one)) {
      add_to_sums(&of->functions[one->symbol].sums, one, known);
      add_to_sums(&of->total, one, known);
    }
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
    if (of->counts_are_0_or_1)
      one->count = one->count != 0;
    one->known = (one->watched || of->in_order) && !one->outcome_lost &&
                 !of->counts_are_0_or_1 && one->count >= fell &&
                 one->count - fell == one->outcomes[GOES];
  }
  /* A list in order may be a part of a run, whose counts do not add up. */
  if (!of->counts_are_0_or_1 && of->counts && !of->in_order)
    solve_unknown_outcomes(of);
  sum_instructions(of);
}

const char *objectcode_add_trace(struct objectcode *of, struct bytes file) {
  struct code_trace trace = {.of = of};
  size_t moves = of->move_count;
  struct bytes build;
  const char *error = trace_remove_frame(&file, first_line, &build);
  if (!error)
    error = parse_code_trace(&trace, file);
  if (!error) {
    error = check_or_add_trace_lines(&trace, 0, trace.count);
    /* Another ELF that is linked for the same addresses was moved. */
    if (error && of->several && moves) {
      of->move_count = 0;
      error = check_or_add_trace_lines(&trace, 0, trace.count);
    }
    if ((error || !trace.fitting) && of->elf->type == ELF_DYN &&
        !of->lacks_marks)
      error = find_load_shift(&trace);
  }
  if (!error && (of->several || trace.shift) && !trace.fitting)
    error = objectcode_other;
  if (!error) {
    trace.adds = of->counts = true;
    of->traces++;
    check_or_add_trace_lines(&trace, 0, trace.count);
    if (of->lacks_marks)
      sort_unique_instructions(of);
  }
  of->move_count = moves;
  free(trace.list);
  return error;
}

void objectcode_clear_counts(struct objectcode *of) {
  for (size_t i = 0; i < of->count; i++) {
    struct object_instruction *one = &of->list[i];
    one->count = one->outcomes[GOES] = one->outcomes[FALLS_THROUGH] = 0;
    one->outcome_lost = false;
  }
  for (size_t i = 0; i < of->function_count; i++)
    of->functions[i].refused = false;
  of->in_order = of->counts_are_0_or_1 = of->counts = false;
  of->outside = of->varied = of->traces = 0;
}
