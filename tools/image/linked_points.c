/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the trace points of an image (trace_counts.h). The section of trace
 * points is not loaded, so GNU ld keeps the entries of functions that it drops.
 * In these entries the address of the code is 0.
 */
#include "trace_counts.h"

#include <stdlib.h>

#include "../base/compare.h"
#include "../base/error.h"

enum { ENTRIES_MOST = 1 << 24 };

bool linked_points_present(const struct elf *elf) {
  struct elf_section section;
  return elf_find_section(elf, LABELS_SECTION, &section);
}

ORDER_BY(by_code, struct linked_trace_point, x->code, x->number);

bool linked_points_is_code(const struct elf *elf, uint64_t address) {
  bool any = false;
  for (uint64_t i = 1; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    bool code = elf_section_has_code(elf, (uint32_t)i);
    if (code && address - section.address < section.size)
      return true;
    any |= code;
  }
  return !any;
}

/* Adds the entry of a trace point, unless the entry's code is not linked.
 * Returns NULL or the error. */
static const char *add_trace_point(struct linked_trace_points *labels,
                                   const struct elf *elf,
                                   const unsigned char *at) {
  static const char damaged[] = "a trace point is outside of its code or its "
                                "counters; pass the ELF as the linker wrote it";
  unsigned pointer = elf->wide ? 8 : 4;
  uint64_t code = load_number(at, pointer, elf->big);
  uint64_t target = load_number(at + pointer, pointer, elf->big);
  uint32_t what = load32(at + 2 * pointer, elf->big);
  struct linked_trace_point label = {
      .code = elf->machine == ELF_ARM ? code & ~UINT64_C(1) : code,
      .target = target,
      .value = what & LABEL_VALUE_MOST,
      .decision = load32(at + 2 * pointer + 4, elf->big),
      .number = labels->count,
      .kind = (enum linked_point_kind)(what >> LABEL_KIND_SHIFT)};
  if (!label.code)
    return NULL;
  if (label.kind > LABEL_ENDS)
    return "the ELF has trace points of an unknown kind; upgrade bareprof";
  if (!linked_points_is_code(elf, label.code) ||
      target - labels->counts_address > labels->size ||
      (label.kind == LABEL_COUNTER &&
       labels->counts_address + labels->size - target <
           label.value + UINT64_C(8)))
    return damaged;
  if (label.kind == LABEL_COUNTER)
    label.target += label.value;
  labels->list[labels->count++] = label;
  return NULL;
}

ORDER_BY(by_value, uint64_t, *x);

/* Returns an error if two functions have the same address. */
static const char *check_no_folded_functions(const struct elf *elf) {
  struct elf_section section;
  struct bytes bytes;
  unsigned char *memory = NULL;
  size_t step = elf->wide ? 8 : 4, count = 0;
  bool folded = false;
  if (!elf_find_section(elf, LABELS_BODIES, &section))
    return NULL;
  const char *error =
      elf_read_contents(elf, &section, ENTRIES_MOST * step, &bytes, &memory);
  uint64_t *list = error ? NULL : calloc(bytes.size / step + 1, sizeof *list);
  if (!error && !list)
    error = out_of_memory;
  for (size_t at = 0; !error && bytes.size - at >= step; at += step) {
    uint64_t body = load_number(bytes.data + at, step, elf->big);
    list[count] = elf->machine == ELF_ARM ? body & ~UINT64_C(1) : body;
    /* The address of a dropped function is 0, or 0 plus an offset. */
    count += list[count] != 0 && linked_points_is_code(elf, list[count]);
  }
  if (!error)
    sort_array(list, count, sizeof *list, by_value);
  for (size_t i = 1; i < count && !error; i++)
    folded |= list[i] == list[i - 1];
  free(list);
  free(memory);
  return folded ? "the linker folded identical functions, so their counts "
                  "cannot be separated; link without --icf"
                : error;
}

/* Adds a function that switches tasks. Returns false if the ELF lacks it. */
static bool add_task_switch(struct linked_trace_points *labels,
                            const struct elf *elf, const char *name) {
  uint64_t code;
  if (!elf_find_symbol(elf, name, &code))
    return false;
  labels->list[labels->count] = (struct linked_trace_point){
      .code = elf->machine == ELF_ARM ? code & ~UINT64_C(1) : code,
      .number = labels->count,
      .kind = LABEL_SWITCHES};
  labels->count++;
  return true;
}

/* These functions switch tasks in FreeRTOS, Zephyr, ThreadX, NuttX, RTX and
 * RT-Thread, or jump out of other functions. */
static const char *const known_switches[] = {"vTaskSwitchContext",
                                             "z_arm_pendsv",
                                             "z_riscv_switch",
                                             "z_arm64_context_switch",
                                             "arch_switch",
                                             "_tx_thread_schedule",
                                             "arm_switchcontext",
                                             "osRtxThreadSwitch",
                                             "rt_schedule",
                                             "up_switch_context",
                                             "longjmp",
                                             "_longjmp",
                                             "siglongjmp",
                                             "_Unwind_RaiseException",
                                             NULL};

static size_t count_names(const char *const *names) {
  size_t count = 0;
  while (names && names[count])
    count++;
  return count;
}

const char *linked_points_read(struct linked_trace_points *labels,
                               const struct elf *elf,
                               const char *const *switches) {
  static char unknown[300];
  size_t more = count_names(known_switches) + count_names(switches);
  struct elf_section section, counts;
  struct bytes entries;
  unsigned char *memory = NULL;
  size_t step = elf->wide ? 24 : 16;
  *labels = (struct linked_trace_points){0};
  if (!elf_find_section(elf, LABELS_SECTION, &section) ||
      !elf_find_section(elf, LABELS_COUNTS, &counts))
    return "the ELF has no trace points; compile with bareprof cc "
           "--counters=trace, or use --object-code";
  labels->counts_address = counts.address;
  labels->size = counts.size;
  const char *error =
      elf_read_contents(elf, &section, ENTRIES_MOST * step, &entries, &memory);
  if (!error)
    labels->list = calloc(entries.size / step + more, sizeof *labels->list);
  if (!error && !labels->list)
    error = out_of_memory;
  for (size_t at = 0; !error && entries.size - at >= step; at += step)
    error = add_trace_point(labels, elf, entries.data + at);
  if (!error)
    error = check_no_folded_functions(elf);
  for (size_t i = 0; !error && known_switches[i]; i++)
    (void)add_task_switch(labels, elf, known_switches[i]);
  for (; !error && switches && *switches; switches++)
    if (!add_task_switch(labels, elf, *switches)) {
      snprintf(unknown, sizeof unknown,
               "the ELF has no function %.200s; correct --switch", *switches);
      error = unknown;
    }
  free(memory);
  if (!error)
    sort_array(labels->list, labels->count, sizeof *labels->list, by_code);
  return error;
}

size_t linked_points_find_from_address(const struct linked_trace_points *labels,
                                       uint64_t code) {
  return search_from(labels->list, labels->count, code, code);
}

void linked_points_free(struct linked_trace_points *labels) {
  free(labels->list);
  *labels = (struct linked_trace_points){0};
}
