/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One walk over the code of each function.
 */
#include "facts.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../sample/code.h"

enum { SIZE_MOST = 1 << 20, CALLS_MOST = 1 << 28 };

ORDER_BY(by_address, struct routine, x->address, ~x->end);

/* The functions; those of assembly may have no size, and end where the next
 * one begins. */
static void read_routines(struct calls *calls, const struct code *code) {
  const struct elf *elf = code->elf;
  size_t count = 0;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t at = code_address(code, symbol.value);
    if (symbol.type == ELF_FUNCTION && elf_has_code(elf, symbol.section) &&
        symbol.size < SIZE_MOST)
      calls->list[count++] =
          (struct routine){symbol.name, at, at + symbol.size, false};
  }
  sort(calls->list, count, sizeof *calls->list, by_address);
  for (size_t i = 0; i < count; i++)
    if (!calls->count ||
        calls->list[calls->count - 1].address != calls->list[i].address)
      calls->list[calls->count++] = calls->list[i];
  for (size_t i = 0; i < calls->count; i++) {
    struct routine *routine = &calls->list[i];
    uint64_t next = i + 1 < calls->count ? routine[1].address : routine->end;
    if (routine->end == routine->address && next - routine->end < SIZE_MOST)
      routine->end = next;
  }
}

size_t calls_find(const struct calls *calls, uint64_t address) {
  size_t at = search_from(calls->list, calls->count, address, address);
  return at < calls->count && calls->list[at].address == address ? at
                                                                 : calls->count;
}

static bool read_calls(struct calls *calls, const struct code *code,
                       uint32_t from) {
  const struct routine *routine = &calls->list[from];
  struct code_walk walk;
  for (code_walk(&walk, code, routine->address, routine->end);
       code_next(&walk);) {
    struct instruction instruction = walk.instruction;
    code_join(code, &instruction, walk.address);
    size_t to = instruction.direct ? calls_find(calls, instruction.target)
                                   : calls->count;
    struct code_call call = {from, (uint32_t)to};
    if (to != calls->count && to != from &&
        buffer_add(&calls->memory, &call, sizeof call))
      return false;
  }
  return true;
}

bool calls_read(struct calls *calls, const struct facts *facts) {
  const struct elf *elf = facts->elf;
  struct code code;
  *calls = (struct calls){.memory.limit = CALLS_MOST};
  calls->list = calloc((size_t)elf->symbol_count + 1, sizeof *calls->list);
  bool known =
      !code_open(&code, elf) && calls->list && elf->symbol_count < UINT32_MAX;
  if (known)
    read_routines(calls, &code);
  for (uint32_t i = 0; known && i < calls->count; i++)
    known = read_calls(calls, &code, i);
  code_close(&code);
  calls->calls = (const struct code_call *)(const void *)calls->memory.data;
  calls->call_count = calls->memory.size / sizeof *calls->calls;
  return known;
}

void calls_free(struct calls *calls) {
  free(calls->list);
  buffer_free(&calls->memory);
}

void calls_clear(struct calls *calls) {
  for (size_t i = 0; i < calls->count; i++)
    calls->list[i].marked = false;
}

void calls_spread(struct calls *calls, bool up) {
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < calls->call_count; i++) {
      struct routine *from = &calls->list[calls->calls[i].from];
      struct routine *to = &calls->list[calls->calls[i].to];
      struct routine *reached = up ? from : to;
      if ((up ? to : from)->marked && !reached->marked)
        more = reached->marked = true;
    }
  }
}
