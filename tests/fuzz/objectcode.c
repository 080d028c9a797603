/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: RISC-V programs made of bytes. Either the input runs such a
 * program, and the tool's outcomes of branches are the real ones; or the input
 * is a trace, of phrases, and the tool rejects it, or its numbers fit together.
 * A position-independent program runs elsewhere than it is linked: its counts
 * are the real ones, too, or the tool does not find where it ran.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "drafted.h"
#include "input.h"
#include "objectcode/objectcode.h"
#include "phrases.h"
#include "wire_coder.h"

enum {
  BASE = 0x1000,
  CODE_MOST = 200,
  SYMBOLS = 4,
  STEPS = 800,
  DEPTH = 32,
  MOVED_BY = 0x7000,
  ROOM = 1024
};

static const char *const phrases[] = {"bareprof-instructions 1\nbuild -\n",
                                      "bareprof-trace 1\nbuild 01\n",
                                      "i 1000 1 13 4\n",
                                      "i 1002 1 1 2\n",
                                      "i 1004 ffffffffffffffff 13 4\n",
                                      "i 1000 5 ",
                                      "e 1000 1 0 0\n",
                                      "e 1004 2 3 0\n",
                                      "e ",
                                      "o 2000\n",
                                      "o 2000 1 13 4\n",
                                      "v 1000\n",
                                      "i 1 2 3 4 5\n",
                                      "0x1000\n",
                                      "1004 3\n",
                                      "1002\n",
                                      "Trace 0: 0x7f0c [0/1000/0/0] a\n",
                                      "Stopped execution\n",
                                      "Trace 0: 0x1 [0/",
                                      "Columns: id, base, end, path\n",
                                      " 0, 0x1000, 0x2000, a\n",
                                      "BB Table: 1 bbs\n",
                                      "BB Table: 2 bbs\n\2",
                                      "OCSD_GEN_TRC_ELEM_TRACE_ON(\n",
                                      "OCSD_GEN_TRC_ELEM_EO_TRACE(\n",
                                      "OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec ",
                                      "range=0x1000:[0x1004] x) E \n",
                                      "range=0x1004:[0x1008] x) N \n",
                                      "\1\x10\1\1"};

/* ---- a program ---- */

static size_t put_code(unsigned char *at, unsigned what, unsigned offset) {
  uint32_t far = offset * 2 & 0x1E; /* forward, in halfwords */
  switch (what % 8) {
  case 0: /* beq, forward or back by 16 */
    store32(at,
            0x00000063 | (far & 0x1E) << 7 | (offset & 16 ? 0xFE000080 : 0) |
                (offset & 64 ? 0x5000 : 0),
            false);
    return 4;
  case 1: /* c.beqz */
    store_number(at, 0xC001 | (far & 6) << 2 | (far & 0x18) << 7, 2, false);
    return 2;
  case 2: /* jal to nowhere, or ra */
    store32(at, 0x0000006F | far << 20 | (offset & 16 ? 0x80 : 0), false);
    return 4;
  case 3:
    store32(at,
            offset & 1   ? 0x00008067
            : offset & 2 ? 0x00050067
                         : 0x000500E7,
            false);
    return 4;
  case 4: /* any bytes */
    store_number(at, what << 8 | offset, 2, false);
    return 2;
  case 5:
    store32(at, 0x13, false);
    return 4;
  default:
    store_number(at, 1, 2, false);
    return 2;
  }
}

static void make_program(struct input *input, struct buffer *file) {
  static const char *const names[SYMBOLS] = {"a", "b", "a.cold", "c"};
  unsigned char code[CODE_MOST];
  struct elf_symbol symbols[SYMBOLS];
  size_t size = 0, count = 0, wanted = 1 + take(input) % 48;
  for (size_t i = 0; i < wanted && size + 4 <= CODE_MOST; i++) {
    unsigned what = take(input), offset = take(input);
    if (count < SYMBOLS && (!i || what & 128)) {
      symbols[count] = (struct elf_symbol){
          .name = names[count], .value = BASE + size, .type = 2, .section = 1};
      count++;
    }
    size += put_code(code + size, what, offset);
  }
  for (size_t i = 0; i < count; i++)
    symbols[i].size =
        (i + 1 < count ? symbols[i + 1].value : BASE + size) - symbols[i].value;
  const struct elf_section text = {.name = ".text",
                                   .type = 1,
                                   .flags = 6,
                                   .address = BASE,
                                   .size = size,
                                   .align = 4,
                                   .bytes = code};
  const struct elf_draft draft = {.type = 2,
                                  .machine = ELF_RISCV,
                                  .sections = &text,
                                  .section_count = 1,
                                  .symbols = symbols,
                                  .symbol_count = count};
  drafted_append(file, &draft);
}

/* ---- a run ---- */

struct run {
  const struct objectcode *of;
  uint64_t counts[CODE_MOST], outcomes[CODE_MOST][BRANCH_WAYS];
  size_t returns[DEPTH], depth, at;
};

/* Where a register leads to: into the function, or to the start of any. */
static size_t any_target(struct input *input, const struct run *run,
                         uint32_t symbol, bool call) {
  const struct objectcode *of = run->of;
  unsigned what = take(input);
  const struct object_function *own = &of->functions[symbol];
  if (!call && what & 1 && symbol)
    return own->first + (what >> 1) % own->count;
  const struct object_function *other =
      &of->functions[1 + (what >> 1) % (of->function_count - 1)];
  return other->count ? other->first : SIZE_MAX;
}

/* Runs one instruction; false: the run is over. *whole: at a place that is
 * left as the tool expects. */
static bool step(struct input *input, struct run *run, bool *whole) {
  const struct object_instruction *one = &run->of->list[run->at];
  size_t next = objectcode_find_index(run->of, one->address + one->length);
  size_t target =
      one->target ? objectcode_find_index(run->of, one->target) : SIZE_MAX;
  unsigned way = one->conditional ? take(input) & 1 : GOES;
  run->counts[run->at]++;
  *whole = false;
  if (one->conditional)
    run->outcomes[run->at][way]++;
  if (one->call && run->depth == DEPTH)
    return false;
  if (one->call)
    run->returns[run->depth++] = next;
  if (one->indirect)
    run->at = any_target(input, run, one->symbol, one->call);
  else if (!one->branch && !one->call)
    run->at = next;
  else if (one->target)
    run->at = way == GOES ? target : next;
  else if (way == FALLS_THROUGH)
    run->at = next;
  else if ((*whole = !run->depth))
    return false;
  else
    run->at = run->returns[--run->depth];
  return run->at != SIZE_MAX;
}

static bool make_run(struct input *input, struct run *run, FILE *out) {
  const struct objectcode *of = run->of;
  bool whole = false;
  for (unsigned i = 0; i < STEPS && step(input, run, &whole); i++) {
  }
  bool moved = of->elf->type == ELF_DYN;
  fprintf(out, "%sbuild -\n", "bareprof-instructions 1\n");
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    uint64_t bytes = 0;
    memcpy(&bytes, elf_bytes_at(of->elf, one->address, one->length),
           one->length < 4 ? one->length : 4);
    if (run->counts[i])
      fprintf(out, "%c %" PRIx64 " %" PRIx64 " %" PRIx64 " %x\n",
              moved ? 'o' : 'i', one->address + (moved ? MOVED_BY : 0),
              run->counts[i], bytes, one->length);
    if (one->watched && !moved)
      fprintf(out, "e %" PRIx64 " %" PRIx64 " %" PRIx64 " 0\n", one->address,
              run->outcomes[i][FALLS_THROUGH], run->outcomes[i][GOES]);
  }
  return whole;
}

/* ---- what must hold ---- */

static void check(const struct objectcode *of, const struct run *run) {
  for (size_t i = 0; i < of->count; i++) {
    const struct object_instruction *one = &of->list[i];
    bool refused = of->functions[one->symbol].refused;
    if (run)
      must(!refused && one->count == run->counts[i],
           "what ran does not contradict itself, and has its count");
    if (!one->conditional || refused || !one->known)
      continue;
    must(one->outcomes[GOES] + one->outcomes[FALLS_THROUGH] == one->count,
         "outcomes add up");
    if (run)
      must(one->outcomes[GOES] == run->outcomes[i][GOES],
           "outcomes are those of the run");
  }
  for (size_t i = 0; i < of->function_count; i++) {
    const struct instruction_sums *one = &of->functions[i].sums;
    must(one->ran <= one->count && one->both + one->unknown <= one->branches,
         "a function has no more than it has");
  }
}

static void trace_text(struct input *input, bool traced, char **text,
                       size_t *length, struct run *run, bool *whole) {
  *whole = false;
  if (traced) {
    *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, input->at,
                         (size_t)(input->end - input->at), length);
    return;
  }
  FILE *out = open_memstream(text, length);
  *whole = make_run(input, run, out);
  fclose(out);
}

static void read_all(struct input *input, bool traced, struct objectcode *of) {
  struct run run = {.of = of};
  char *text = NULL, end[20];
  size_t length = 0;
  bool whole;
  trace_text(input, traced, &text, &length, &run, &whole);
  struct buffer trace = {.limit = 1 << 20};
  snprintf(end, sizeof end, "end %" PRIx32 "\n",
           bareprof_crc32(0, (const unsigned char *)text, length));
  must(!buffer_append_bytes(&trace, text, length) &&
           !buffer_append_bytes(&trace, end, strlen(end)),
       "there is room");
  const struct bytes file = {trace.data, trace.size};
  const struct trace_options how = {.least = length & 1};
  unsigned form = traced ? length % (PCS_ETM + 3) : PCS_ETM + 1;
  if (form == PCS_COUNT)
    (void)objectcode_add_move(of, BASE + length % 7, length);
  const char *error =
      form > PCS_ETM
          ? objectcode_add_trace(of, file)
          : objectcode_add_pcs(of, (struct bytes){(void *)text, length},
                               (enum pc_list_form)form, &how);
  if (!error)
    objectcode_compute_outcomes(of);
  must(!error || !whole || of->elf->type == ELF_DYN, "a run is taken");
  if (!error)
    check(of, whole ? &run : NULL);
  buffer_free(&trace);
  free(text);
}

/* Programs are longer than the fuzzer's inputs: the bytes after the input
 * follow from it. */
static void extend(unsigned char bytes[ROOM], const uint8_t *data,
                   size_t size) {
  uint32_t state = 2463534242;
  for (size_t i = 0; i < ROOM; i++) {
    state = (state ^ (i < size ? data[i] : 0)) + 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    bytes[i] = i < size ? data[i] : (unsigned char)(state >> 8);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  unsigned char bytes[ROOM];
  bool traced = size && *data & 1;
  size = size < ROOM ? size : ROOM;
  extend(bytes, data, size);
  struct input input = {bytes, bytes + (traced ? size : ROOM)};
  struct buffer file = {.limit = 1 << 13};
  struct objectcode of;
  struct elf elf;
  make_program(&input, &file);
  must(!elf_open(&elf, (struct bytes){file.data, file.size}), "it is an ELF");
  elf.type = size && *data & 2 ? ELF_DYN : elf.type;
  elf.entry = BASE;
  if (!objectcode_open(&of, &elf) && of.list[0].symbol)
    read_all(&input, traced, &of);
  objectcode_close(&of);
  buffer_free(&file);
  return 0;
}
