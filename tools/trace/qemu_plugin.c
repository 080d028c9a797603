/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A QEMU plugin that counts trace points or instructions. `bareprof trace
 * --plugin` prints this file. The file compiles without QEMU's headers:
 *
 *   cc -shared -fPIC -O2 plugin.c -o plugin.so
 *   qemu-system-arm ... -plugin ./plugin.so,list=LIST,out=TRACE
 *
 * LIST is the output of `bareprof trace --list`. The trace is written when QEMU
 * ends. Compile with -DQEMU_PLUGIN=2 for QEMU 9 and 10, and with
 * -DQEMU_PLUGIN=7 for QEMU 11 and later.
 *
 * The index of each decision is on a stack for its core, because decisions
 * nest: in calls and in interrupts. A task switch clears the stack. The
 * decisions on the stack are then lost, and the plugin counts how many were
 * lost.
 *
 * A list that begins with bareprof-code 1 has ranges of code (x BEGIN END), in
 * which each instruction is counted, and branches (b PLACE NEXT TARGET), whose
 * outcomes are recorded. The trace then has these lines:
 *
 *   i ADDRESS COUNT BYTES LENGTH   an instruction, and its bytes in memory
 *   v ADDRESS                      the bytes of the instruction changed
 *   o ADDRESS COUNT BYTES LENGTH   an instruction outside of all ranges; only
 *                                  its address if there are too many
 *   e PLACE FELL TAKEN UNKNOWN     a branch
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- QEMU's interface ---- */

#ifndef QEMU_PLUGIN
#define QEMU_PLUGIN 1
#endif

/* The latest interface version for which the functions below are right. Up to
 * version 6, a callback gets the plugin's id first. From version 7 on, it gets
 * the plugin's own pointer last. */
enum { LAST_KNOWN = QEMU_PLUGIN == 1 ? 1 : QEMU_PLUGIN < 7 ? 6 : 7 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_machine_info {
  const char *target;
  struct {
    int least, current;
  } version;
  bool system;
  struct {
    int cores, most;
  } of_system;
};
enum { NO_REGISTERS, ADD = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
                                                 size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
#if QEMU_PLUGIN < 7
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t,
                                           void (*)(uint64_t,
                                                    struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *),
                                    void *);
#else
void qemu_plugin_register_vcpu_tb_trans_cb(
    uint64_t, void (*)(struct qemu_plugin_tb *, void *), void *);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(void *), void *);
#endif
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                            void (*)(unsigned, void *), int,
                                            void *);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int,
                                                void *, uint64_t);

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
#if QEMU_PLUGIN == 1
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
#else
/* Up to interface version 2, this function returns a pointer instead. */
uintptr_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *,
                                size_t);
struct qemu_plugin_scoreboard;
struct scoreboard_entry {
  struct qemu_plugin_scoreboard *board;
  size_t offset;
};
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t);
uint64_t qemu_plugin_u64_sum(struct scoreboard_entry);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    struct qemu_plugin_insn *, int, struct scoreboard_entry, uint64_t);
#endif

#define SEEN __attribute__((visibility("default")))
SEEN extern int qemu_plugin_version;
SEEN int qemu_plugin_install(uint64_t, const struct qemu_machine_info *, int,
                             char **);
int qemu_plugin_version = QEMU_PLUGIN;

/* ---- trace points ---- */

enum { CORES = 64, DEEP = 4096, ID_ROOM = 140 };

/* FRAME is the decision number in a key that stands for a function's frame.
 * NO_BIT is the value of an entry that ends decisions without setting a bit. */
enum { FRAME = 0xFFFF };
#define NO_BIT UINT64_MAX

struct trace_point_entry {
  uint64_t address, key, value;
  char kind;
};

/* The trace points at one address. */
struct points_at_address {
  const struct trace_point_entry *first, *end;
  bool counts, decides;
  uint64_t count;      /* the count, if the machine has one core and the plugin
                          counts inline */
  uint64_t *counts_of; /* on several cores, a count for each core */
};

/* A hash table of numbers. A slot contains a number + 1, or 0 if it is free. */
struct number_set {
  uint64_t *list;
  size_t count, room; /* room: the number of slots, a power of 2 */
};

struct core_decisions {
  struct {
    uint64_t key, index;
  } stack[DEEP];
  unsigned depth;
  uint64_t lost, strange;
  struct number_set bits; /* the bits that this core has set */
};

static struct trace_point_entry *labels;
static struct points_at_address *places;
static size_t label_count, place_count;
static struct core_decisions *cores[CORES];
static int core_count = 1;
static bool failed; /* memory ran out, so the trace does not get an end line */
static char id[ID_ROOM];
static const char *out_name;

/* ---- sets ---- */

static bool number_set_add(struct number_set *set, uint64_t number);

static bool number_set_grow(struct number_set *set) {
  struct number_set old = *set;
  set->room = old.room ? 2 * old.room : 1024;
  set->list = calloc(set->room, sizeof *set->list);
  set->count = 0;
  if (!set->list)
    set->room = 0;
  for (size_t i = 0; i < old.room && set->list; i++)
    if (old.list[i])
      number_set_add(set, old.list[i] - 1);
  free(old.list);
  return set->list != NULL;
}

static bool number_set_add(struct number_set *set, uint64_t number) {
  if (2 * set->count >= set->room && !number_set_grow(set))
    return false;
  size_t at = (size_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
  for (;; at++) {
    uint64_t *place = &set->list[at & (set->room - 1)];
    if (*place == number + 1)
      return true;
    if (!*place) {
      *place = number + 1;
      set->count++;
      return true;
    }
  }
}

/* ---- decisions ---- */

/* Finds the trace point's decision in the stack and makes it the top. Drops the
 * decisions above, which the program has left with a jump. Returns false if the
 * decision had not begun or was dropped. */
static bool drop_to_decision(struct core_decisions *core,
                             const struct trace_point_entry *label) {
  unsigned top = core->depth;
  uint64_t frame = label->key | FRAME;
  while (top && core->stack[top - 1].key != label->key &&
         core->stack[top - 1].key != frame)
    top--;
  if (top && core->stack[top - 1].key != label->key)
    top = 0;
  core->strange += !top && !core->lost;
  core->depth = top ? top : core->depth;
  return top;
}

/* Begins a decision on the stack. If the stack is full, its lower half is
 * dropped, because a jump has usually left those decisions long ago. If a
 * dropped decision does continue later, its start is missing. */
static void begin_decision(struct core_decisions *core,
                           const struct trace_point_entry *label) {
  if (core->depth == DEEP) {
    core->depth = DEEP / 2;
    memcpy(core->stack, core->stack + DEEP / 2, DEEP / 2 * sizeof *core->stack);
  }
  core->stack[core->depth].key = label->key;
  core->stack[core->depth++].index = 0;
}

static void apply_decision_point(struct core_decisions *core,
                                 const struct trace_point_entry *label) {
  if (label->kind == 's') {
    core->lost += core->depth;
    core->depth = 0;
  } else if (label->kind == 'd') {
    begin_decision(core, label);
  } else if (label->kind == 'a') {
    if (drop_to_decision(core, label))
      core->stack[core->depth - 1].index += label->value;
  } else if (label->kind == 'e' && drop_to_decision(core, label)) {
    core->depth--;
    if (label->value != NO_BIT)
      failed |= !number_set_add(&core->bits,
                                label->value + core->stack[core->depth].index);
  }
}

static void handle_point_run(unsigned number, void *context) {
  struct points_at_address *place = context;
  unsigned at = number % CORES;
  if (place->counts_of)
    place->counts_of[at]++;
  for (const struct trace_point_entry *i = place->first; i < place->end; i++)
    if (i->kind != 'c')
      apply_decision_point(cores[at], i);
}

/* ---- code ---- */

static struct points_at_address *find_points_at_address(uint64_t address) {
  size_t first = 0, end = place_count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (places[middle].first->address < address)
      first = middle + 1;
    else
      end = middle;
  }
  return first < place_count && places[first].first->address == address
             ? &places[first]
             : NULL;
}

static void register_point_counting(struct qemu_plugin_tb *block) {
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *code = qemu_plugin_tb_get_insn(block, i);
    struct points_at_address *place =
        find_points_at_address(qemu_plugin_insn_vaddr(code));
    if (!place)
      continue;
#if QEMU_PLUGIN == 1
    if (place->counts && !place->counts_of)
      qemu_plugin_register_vcpu_insn_exec_inline(code, ADD, &place->count, 1);
#endif
    if (place->decides || place->counts_of)
      qemu_plugin_register_vcpu_insn_exec_cb(code, handle_point_run,
                                             NO_REGISTERS, place);
  }
}

/* ---- instructions ---- */

enum { PENDING = 256, OUTSIDE_ROOM = 1 << 18 };

struct code_cell {
  uint64_t count;
  uint64_t *counts_of; /* for several cores, if the plugin cannot count inline:
                          a count for each core */
  uint32_t bytes, slot;
  unsigned char length, varies;
};

struct code_range {
  uint64_t begin, end;
  struct code_cell *cells; /* the cells; each stands for 2 bytes of code */
};

enum { FELL, TAKEN, UNKNOWN, OUTCOMES };

struct branch_outcome_counts {
  uint64_t place, next, target;
  uint64_t (*outcomes)[OUTCOMES]; /* the outcomes on each core */
};

/* The branches of a core that have run and wait for one of their successors. An
 * interrupt adds its own branches on top. The interrupt's code may reach the
 * same successor over another path. If this code has run any watched code, the
 * outcome of the branch below is unknown. */
struct waiting_branches {
  struct {
    struct branch_outcome_counts *branch;
    uint64_t since; /* the number of steps when the branch ran */
  } list[PENDING];
  uint64_t steps; /* the number of watched branches and successors so far */
  unsigned count;
};

static bool counts_code, copies_bytes;
static struct code_range *ranges;
static struct branch_outcome_counts *branches;
static uint64_t *successors; /* the addresses of the successors of all branches,
                                ascending */
static size_t range_count, branch_count, successor_count;
/* A hash table of the addresses outside of all ranges, each + 1, and their
 * cells. The table never grows, because several cores may translate code at the
 * same time. */
static uint64_t *outside;
static struct code_cell *outside_cells;
static size_t outside_count;
static bool outside_full; /* code outside was not counted */
static struct waiting_branches *waiting;
#if QEMU_PLUGIN > 1
static struct qemu_plugin_scoreboard *board;
#endif

static int compare_first_numbers(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static struct code_cell *find_code_cell(uint64_t address) {
  for (size_t i = 0; i < range_count; i++)
    if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
      return &ranges[i].cells[(address - ranges[i].begin) / 2];
  return NULL;
}

static struct code_cell *find_outside_cell(uint64_t address) {
  size_t at = (size_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
  if (2 * outside_count >= OUTSIDE_ROOM) {
    outside_full = true;
    return NULL;
  }
  for (;; at++) {
    uint64_t found = 0;
    at &= OUTSIDE_ROOM - 1;
    if (__atomic_compare_exchange_n(&outside[at], &found, address + 1, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      __atomic_add_fetch(&outside_count, 1, __ATOMIC_RELAXED);
    else if (found != address + 1)
      continue;
    return &outside_cells[at];
  }
}

static void note_branch_run(unsigned number, void *context) {
  struct waiting_branches *of = &waiting[number % CORES];
  struct branch_outcome_counts *branch = context;
  if (of->count == PENDING) { /* the oldest branches were left long ago */
    of->list->branch->outcomes[number % CORES][UNKNOWN]++;
    memmove(of->list, of->list + 1, --of->count * sizeof *of->list);
  }
  of->list[of->count].since = ++of->steps;
  of->list[of->count++].branch = branch;
}

static void resolve_branch_outcome(unsigned number, void *context) {
  struct waiting_branches *of = &waiting[number % CORES];
  uint64_t address = *(uint64_t *)context;
  for (unsigned i = of->count; i-- > 0;) {
    struct branch_outcome_counts *branch = of->list[i].branch;
    if (branch->next != address && branch->target != address)
      continue;
    branch->outcomes[number % CORES][of->list[i].since != of->steps ? UNKNOWN
                                     : branch->next == address      ? FELL
                                                                    : TAKEN]++;
    of->count--;
    memmove(of->list + i, of->list + i + 1, (of->count - i) * sizeof *of->list);
    break;
  }
  of->steps++;
}

static void count_cell_run(unsigned number, void *context) {
  struct code_cell *cell = context;
  cell->counts_of[number % CORES]++;
}

static void register_instruction_count(struct qemu_plugin_insn *code,
                                       struct code_cell *cell) {
#if QEMU_PLUGIN == 1
  if (core_count == 1) {
    qemu_plugin_register_vcpu_insn_exec_inline(code, ADD, &cell->count, 1);
    return;
  }
  if (!cell->counts_of)
    cell->counts_of = calloc(CORES, sizeof *cell->counts_of);
  failed |= !cell->counts_of;
  if (cell->counts_of)
    qemu_plugin_register_vcpu_insn_exec_cb(code, count_cell_run, NO_REGISTERS,
                                           cell);
#else
  (void)count_cell_run;
  struct scoreboard_entry entry = {board, cell->slot * sizeof(uint64_t)};
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(code, ADD, entry, 1);
#endif
}

static void note_instruction_bytes(struct qemu_plugin_insn *code,
                                   struct code_cell *cell) {
  uint32_t bytes = 0;
  size_t length = qemu_plugin_insn_size(code), size = length < 4 ? length : 4;
#if QEMU_PLUGIN == 1
  memcpy(&bytes, qemu_plugin_insn_data(code), size);
#else
  uintptr_t at = qemu_plugin_insn_data(code, &bytes, size);
  if (!copies_bytes)
    memcpy(&bytes, (const void *)at, size);
#endif
  cell->varies |= cell->length && cell->bytes != bytes;
  cell->bytes = bytes;
  cell->length = (unsigned char)length;
}

static void register_branch_callbacks(struct qemu_plugin_insn *code,
                                      uint64_t address, bool first) {
  uint64_t *successor = first && successor_count
                            ? bsearch(&address, successors, successor_count,
                                      sizeof *successors, compare_first_numbers)
                            : NULL;
  struct branch_outcome_counts *branch =
      branch_count ? bsearch(&address, branches, branch_count, sizeof *branches,
                             compare_first_numbers)
                   : NULL;
  if (successor)
    qemu_plugin_register_vcpu_insn_exec_cb(code, resolve_branch_outcome,
                                           NO_REGISTERS, successor);
  if (branch)
    qemu_plugin_register_vcpu_insn_exec_cb(code, note_branch_run, NO_REGISTERS,
                                           branch);
}

static void register_code_counting(struct qemu_plugin_tb *block) {
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *code = qemu_plugin_tb_get_insn(block, i);
    uint64_t address = qemu_plugin_insn_vaddr(code);
    struct code_cell *cell = find_code_cell(address);
    register_branch_callbacks(code, address, i == 0);
    cell = cell ? cell : find_outside_cell(address);
    if (cell) {
      note_instruction_bytes(code, cell);
      register_instruction_count(code, cell);
    }
  }
}

static bool prepare_code_counting(void) {
  size_t slots = 0;
  waiting = calloc(CORES, sizeof *waiting);
  successors = calloc(2 * branch_count + 1, sizeof *successors);
  outside = calloc(OUTSIDE_ROOM, sizeof *outside);
  outside_cells = calloc(OUTSIDE_ROOM, sizeof *outside_cells);
  if (!waiting || !outside || !outside_cells || !successors)
    return false;
  while (slots < OUTSIDE_ROOM) {
    outside_cells[slots].slot = (uint32_t)slots;
    slots++;
  }
  for (size_t i = 0; i < range_count; i++) {
    size_t count = (size_t)(ranges[i].end - ranges[i].begin) / 2 + 1;
    ranges[i].cells = calloc(count, sizeof *ranges[i].cells);
    if (!ranges[i].cells)
      return false;
    for (size_t k = 0; k < count; k++)
      ranges[i].cells[k].slot = (uint32_t)slots++;
  }
  for (size_t i = 0; i < branch_count; i++) {
    branches[i].outcomes = calloc(CORES, sizeof *branches[i].outcomes);
    if (!branches[i].outcomes)
      return false;
    successors[successor_count++] = branches[i].next;
    successors[successor_count++] = branches[i].target;
  }
  qsort(branches, branch_count, sizeof *branches, compare_first_numbers);
  qsort(successors, successor_count, sizeof *successors, compare_first_numbers);
#if QEMU_PLUGIN > 1
  board = qemu_plugin_scoreboard_new((slots + 1) * sizeof(uint64_t));
#endif
  return true;
}

/* ---- the trace ---- */

static uint32_t crc = 0xFFFFFFFF;

static void write_trace_line(FILE *out, const char *word,
                             const uint64_t *values, int count) {
  char line[ID_ROOM + 128];
  int size = snprintf(line, sizeof line, "%s", word);
  for (int i = 0; i < count; i++)
    size += snprintf(line + size, sizeof line - (size_t)size, " %" PRIx64,
                     values[i]);
  line[size++] = '\n';
  for (int i = 0; i < size; i++) {
    crc ^= (unsigned char)line[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
  }
  fwrite(line, 1, (size_t)size, out);
}

static void write_id_line(FILE *out) {
  char word[ID_ROOM + 8];
  snprintf(word, sizeof word, "build %s", id);
  write_trace_line(out, word, NULL, 0);
}

static void write_point_counts(FILE *out) {
  uint64_t lost = 0, strange = 0;
  for (size_t i = 0; i < place_count; i++) {
    uint64_t values[2] = {places[i].first->address, places[i].count};
    for (int k = 0; places[i].counts_of && k < CORES; k++)
      values[1] += places[i].counts_of[k];
    if (places[i].counts && values[1])
      write_trace_line(out, "c", values, 2);
  }
  for (int i = 0; i < CORES && cores[i]; i++) {
    const struct number_set *bits = &cores[i]->bits;
    for (size_t k = 0; k < bits->room; k++) {
      uint64_t bit = bits->list[k] - 1;
      if (bits->list[k])
        write_trace_line(out, "b", &bit, 1);
    }
    lost += cores[i]->lost;
    strange += cores[i]->strange;
  }
  if (lost)
    write_trace_line(out, "lost", &lost, 1);
  if (strange)
    write_trace_line(out, "strange", &strange, 1);
}

static void write_cell_count(FILE *out, const char *word, uint64_t address,
                             struct code_cell *cell) {
  uint64_t values[4] = {address, cell->count, cell->bytes, cell->length};
#if QEMU_PLUGIN > 1
  values[1] = qemu_plugin_u64_sum(
      (struct scoreboard_entry){board, cell->slot * sizeof *values});
#endif
  for (int i = 0; cell->counts_of && i < CORES; i++)
    values[1] += cell->counts_of[i];
  if (!cell->length)
    return;
  write_trace_line(out, word, values, 4);
  if (cell->varies)
    write_trace_line(out, "v", values, 1);
}

static void write_code_counts(FILE *out) {
  for (size_t i = 0; i < range_count; i++)
    for (uint64_t at = ranges[i].begin; at < ranges[i].end; at += 2)
      write_cell_count(out, "i", at,
                       &ranges[i].cells[(at - ranges[i].begin) / 2]);
  for (size_t i = 0; i < OUTSIDE_ROOM; i++) {
    uint64_t address = outside[i] - 1;
    if (outside[i] && outside_full)
      write_trace_line(out, "o", &address, 1);
    else if (outside[i])
      write_cell_count(out, "o", address, &outside_cells[i]);
  }
  for (int i = 0; i < CORES; i++)
    while (waiting[i].count)
      waiting[i].list[--waiting[i].count].branch->outcomes[i][UNKNOWN]++;
  for (size_t i = 0; i < branch_count; i++) {
    uint64_t values[1 + OUTCOMES] = {branches[i].place, 0, 0, 0};
    for (int k = 0; k < CORES; k++)
      for (int o = 0; o < OUTCOMES; o++)
        values[1 + o] += branches[i].outcomes[k][o];
    write_trace_line(out, "e", values, 1 + OUTCOMES);
  }
}

static void write_trace(void) {
  FILE *out = fopen(out_name, "w");
  if (!out) {
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
    return;
  }
  write_trace_line(out,
                   counts_code ? "bareprof-instructions 1" : "bareprof-trace 1",
                   NULL, 0);
  write_id_line(out);
  if (counts_code)
    write_code_counts(out);
  else
    write_point_counts(out);
  if (!failed)
    fprintf(out, "end %" PRIx32 "\n", ~crc);
  if (fclose(out))
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
}

/* ---- callbacks, by interface version ---- */

#if QEMU_PLUGIN < 7
static void on_block_translated(uint64_t plugin, struct qemu_plugin_tb *block) {
  (void)plugin;
  (counts_code ? register_code_counting : register_point_counting)(block);
}
static void on_qemu_end(uint64_t plugin, void *context) {
  (void)plugin, (void)context;
  write_trace();
}
#else
static void on_block_translated(struct qemu_plugin_tb *block, void *context) {
  (void)context;
  (counts_code ? register_code_counting : register_point_counting)(block);
}
static void on_qemu_end(void *context) {
  (void)context;
  write_trace();
}
#endif

/* ---- the list ---- */

/* Makes space for one more element in a list, which doubles when it is full.
 * Returns NULL if memory runs out. */
static void *reserve_list_element(void *list, size_t *count, size_t size) {
  if ((*count & (*count - 1)) == 0)
    list = realloc(list, (*count ? 2 * *count : 1) * size);
  ++*count;
  return list;
}

static bool read_code_list(FILE *list) {
  char line[256];
  while (fgets(line, sizeof line, list)) {
    uint64_t a, b, c;
    if (strcmp(line, "end\n") == 0)
      return true;
    if (sscanf(line, "x %" SCNx64 " %" SCNx64, &a, &b) == 2 && a < b) {
      ranges = reserve_list_element(ranges, &range_count, sizeof *ranges);
      if (!ranges)
        return false;
      ranges[range_count - 1] = (struct code_range){a, b, NULL};
    } else if (sscanf(line, "b %" SCNx64 " %" SCNx64 " %" SCNx64, &a, &b, &c) ==
               3) {
      branches =
          reserve_list_element(branches, &branch_count, sizeof *branches);
      if (!branches)
        return false;
      branches[branch_count - 1] =
          (struct branch_outcome_counts){a, b, c, NULL};
    }
  }
  return false;
}

static bool read_plugin_list(FILE *list) {
  char line[256], word[16];
  bool whole = false;
  if (!fgets(line, sizeof line, list))
    return false;
  counts_code = strcmp(line, "bareprof-code 1\n") == 0;
  if ((!counts_code && strcmp(line, "bareprof-labels 1\n") != 0) ||
      fscanf(list, "build %139s ", id) != 1)
    return false;
  if (counts_code)
    return read_code_list(list) && prepare_code_counting();
  while (!whole && fgets(line, sizeof line, list)) {
    struct trace_point_entry label = {0, 0, 0, 0};
    whole = strcmp(line, "end\n") == 0;
    if (whole || sscanf(line, "%15s %" SCNx64 " %" SCNx64 " %" SCNx64, word,
                        &label.address, &label.key, &label.value) < 2)
      continue;
    label.kind = word[0];
    labels = reserve_list_element(labels, &label_count, sizeof *labels);
    if (!labels)
      return false;
    labels[label_count - 1] = label;
  }
  return whole;
}

/* Groups the trace points by address. The list is sorted by address. */
static bool group_points_by_address(void) {
  places = calloc(label_count + 1, sizeof *places);
  for (size_t i = 0; places && i < label_count; i++) {
    struct points_at_address *last = &places[place_count - (place_count != 0)];
    if (!place_count || last->first->address != labels[i].address) {
      last = &places[place_count++];
      last->first = &labels[i];
    }
    last->end = &labels[i] + 1;
    last->counts |= labels[i].kind == 'c';
    last->decides |= labels[i].kind != 'c';
  }
  return places != NULL;
}

/* Allocates counts for each core, unless a single core counts inline. Several
 * cores would increment the same word at the same time. */
static bool allocate_core_counts(void) {
  bool done = true, inlined = QEMU_PLUGIN == 1 && core_count == 1;
  for (int i = 0; i < CORES; i++)
    if (i < core_count)
      done &= (cores[i] = calloc(1, sizeof *cores[i])) != NULL;
  for (size_t i = 0; done && i < place_count; i++)
    if (places[i].counts && !inlined)
      done = (places[i].counts_of = calloc(CORES, sizeof(uint64_t))) != NULL;
  return done;
}

int qemu_plugin_install(uint64_t plugin,
                        const struct qemu_machine_info *machine, int count,
                        char **words) {
  const char *list_name = NULL;
  if (machine->version.current > LAST_KNOWN) {
    fprintf(stderr,
            "bareprof's plugin: the plugin interface of this QEMU has version "
            "%d, but %d to %d are supported; use another QEMU\n",
            machine->version.current, QEMU_PLUGIN, LAST_KNOWN);
    return 1;
  }
  for (int i = 0; i < count; i++) {
    if (strncmp(words[i], "list=", 5) == 0)
      list_name = words[i] + 5;
    else if (strncmp(words[i], "out=", 4) == 0)
      out_name = strdup(words[i] + 4);
  }
  copies_bytes = machine->version.current > 2;
  if (machine->system && machine->of_system.most > 1)
    core_count = machine->of_system.most;
  FILE *list = list_name ? fopen(list_name, "r") : NULL;
  bool done = out_name && list && core_count <= CORES &&
              read_plugin_list(list) && group_points_by_address() &&
              allocate_core_counts();
  if (list)
    fclose(list);
  if (!done) {
    fprintf(stderr, "bareprof's plugin: needs list=FILE, from bareprof trace "
                    "--list, and out=FILE; supports up to 64 cores\n");
    return 1;
  }
#if QEMU_PLUGIN < 7
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_block_translated);
#else
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_block_translated, NULL);
#endif
  qemu_plugin_register_atexit_cb(plugin, on_qemu_end, NULL);
  return 0;
}
