/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: counts from ranges and branches of any program. Counted places
 * are instructions, in order; tail calls are jumps, and their number is
 * bounded.
 */
#include <string.h>

#include "input.h"
#include "sample/branches/flow.h"
#include "sample/build.h"

enum { BASE = 0x1000, CODE_MOST = 256, SYMBOLS_MOST = 8 };

static unsigned char image[64 + 2 * 64 + CODE_MOST];
static struct code_symbol symbols[SYMBOLS_MOST];
static unsigned char starts[CODE_MOST]; /* of instructions */
static size_t start_count;

static void hold(bool property, const char *what) {
  if (property)
    return;
  fprintf(stderr, "property: %s\n", what);
  abort();
}

/* ---- a program ---- */

/* Instructions by bytes: calls, returns, jumps, and others. */
static size_t make_code(struct input *input, unsigned char *code,
                        size_t *symbol_count) {
  size_t size = 0, wanted = take(input) % 64;
  *symbol_count = start_count = 0;
  for (size_t i = 0; i < wanted && size + 8 < CODE_MOST; i++) {
    unsigned what = take(input);
    unsigned char *at = code + size;
    starts[start_count++] = (unsigned char)size;
    if ((i == 0 || what & 128) && *symbol_count < SYMBOLS_MOST)
      symbols[(*symbol_count)++] = (struct code_symbol){
          .address = BASE + size, .guid = *symbol_count + 1, .name = "f"};
    switch (what % 8) {
    case 0:
      *at = 0xC3;
      size += 1;
      break;
    case 1: /* call, jump: there or back */
    case 2:
      *at = what % 8 == 1 ? 0xE8 : 0xE9;
      store_number(at + 1, (uint64_t)(int64_t)(signed char)take(input), 4,
                   false);
      size += 5;
      break;
    case 3:
      at[0] = 0xFF;
      at[1] = what & 8 ? 0xD0 : 0xE0;
      size += 2;
      break;
    case 4:
      at[0] = 0x74;
      at[1] = (unsigned char)take(input);
      size += 2;
      break;
    case 5: /* no instruction */
      *at = what & 8 ? 0x06 : 0x90;
      size += 1;
      break;
    default:
      *at = 0x90;
      size += 1;
    }
  }
  return size;
}

static void make_program(struct input *input, struct sampled_program *program) {
  static const unsigned char begin[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  unsigned char *section = image + 64 + 64;
  size_t count, size;
  memset(image, 0, sizeof image);
  size = make_code(input, image + 64 + 2 * 64, &count);
  for (size_t i = 0; i < count; i++)
    symbols[i].size = (i + 1 < count ? symbols[i + 1].address : BASE + size) -
                      symbols[i].address;
  memcpy(image, begin, sizeof begin);
  store_number(image + 16, 2, 2, false);
  store_number(image + 18, ELF_X86_64, 2, false);
  store_number(image + 40, 64, 8, false);
  store_number(image + 58, 64, 2, false);
  store_number(image + 60, 2, 2, false);
  store_number(section + 4, 1, 4, false);
  store_number(section + 8, 6, 8, false);
  store_number(section + 16, BASE, 8, false);
  store_number(section + 24, 64 + 2 * 64, 8, false);
  store_number(section + 32, size, 8, false);
  *program = (struct sampled_program){0};
  hold(!elf_open(&program->elf, (struct bytes){image, sizeof image}),
       "it is an ELF");
  hold(!code_open(&program->code, &program->elf), "its code is known");
  program->probes.symbols = symbols;
  program->probes.symbol_count = count;
}

/* ---- samples ---- */

/* Mostly of an instruction. */
static uint64_t take_address(struct input *input) {
  unsigned byte = take(input);
  return BASE + (byte < 240 && start_count ? starts[byte % start_count] : byte);
}

static void make_flow(struct input *input, struct branch_flow *flow) {
  uint32_t context = 0;
  while (more(input)) {
    unsigned what = take(input);
    uint64_t from = take_address(input), to = take_address(input);
    if (what & 1)
      hold(!flow_add_jump(flow, from, to, context, what), "a branch is taken");
    else if (from <= to)
      hold(!flow_add_range(flow, from, to, context, what + 1),
           "a range is taken");
    if (what & 2)
      context =
          flow_find_or_add_call_context(flow, from, what & 4 ? context : 0);
  }
}

/* ---- what must hold ---- */

static void check_tails(struct sampled_program *program,
                        const struct branch_flow *flow,
                        const struct flow_entry *jumps, size_t count) {
  uint64_t found[TAILS_MOST];
  struct tail_calls tails;
  tails_collect_calls_and_jumps(&tails, program, flow);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < program->probes.symbol_count; k++) {
      size_t between = tails_find_jumps_between(&tails, jumps[i].begin,
                                                symbols[k].address, found);
      hold(between <= TAILS_MOST, "tail calls are bounded");
      while (between-- > 0) {
        const struct listed_instruction *one =
            listing_find_at(&program->listing, found[between]);
        hold(one && listed_always_jumps(one), "a tail call is a jump");
      }
    }
  tails_free(&tails);
}

static void check(struct samples *samples, struct sampled_program *program) {
  struct listing *listing = &program->listing;
  struct samples ran;
  size_t range_count, jump_count;
  struct flow_entry *ranges =
      flow_list_sorted_entries(&samples->flow.ranges, &range_count);
  struct flow_entry *jumps =
      flow_list_sorted_entries(&samples->flow.jumps, &jump_count);
  branches_expand_ranges(&ran, listing, ranges, range_count);
  for (size_t i = 0; i < ran.count; i++) {
    hold(listing_find_at(listing, ran.list[i].pc), "instructions are counted");
    hold(!i || ran.list[i - 1].pc < ran.list[i].pc, "they are in order");
  }
  check_tails(program, &samples->flow, jumps, jump_count);
  samples_free(&ran);
  free(ranges);
  free(jumps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct sampled_program program;
  struct samples samples;
  make_program(&input, &program);
  samples_begin(&samples);
  make_flow(&input, &samples.flow);
  listing_begin(&program.listing, &program.probes, &program.code);
  check(&samples, &program);
  listing_free(&program.listing);
  samples_free(&samples);
  code_close(&program.code);
  return 0;
}
