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
#include <signal.h>
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
#define UNUSED __attribute__((unused))
#if QEMU_PLUGIN < 7
#define ID_FIRST UNUSED uint64_t plugin,
#define OWN_LAST
#define NULL_LAST
#else
#define ID_FIRST
#define OWN_LAST , UNUSED void *own
#define NULL_LAST , NULL
#endif

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_machine_info { /* with the members of QEMU's own struct */
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
void qemu_plugin_register_vcpu_tb_trans_cb(
    uint64_t,
    void (*)(ID_FIRST struct qemu_plugin_tb *block OWN_LAST) OWN_LAST);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(ID_FIRST void *own),
                                    void *);
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

/* ---- counts ---- */

enum { CORES = 64 };

static int core_count = 1;
static bool failed; /* memory ran out, so the trace does not get an end line */
/* Each count has a slot: an index in the array of each core. If there is one
 * core, QEMU 9 and later count instructions in the scoreboard instead. */
static uint32_t slot_count;
static uint64_t *counts[CORES];
#if QEMU_PLUGIN > 1
static struct qemu_plugin_scoreboard *board;
#endif

/* Returns the index of a core's data. In user mode, each thread is a core, and
 * there may be too many of them. */
static unsigned find_core(unsigned vcpu) {
  failed |= vcpu >= CORES;
  return vcpu % CORES;
}

static void add_one(unsigned vcpu, void *slot) {
  counts[find_core(vcpu)][(uintptr_t)slot]++;
}

/* Makes QEMU count an instruction: inline for one core. Several cores would
 * increment the same word at the same time; and QEMU 10 and 11 hang or crash
 * if they count inline in a scoreboard while cores take turns. */
static void register_count(struct qemu_plugin_insn *code, uint32_t slot) {
  if (core_count > 1) {
    qemu_plugin_register_vcpu_insn_exec_cb(code, add_one, NO_REGISTERS,
                                           (void *)(uintptr_t)slot);
    return;
  }
#if QEMU_PLUGIN == 1
  qemu_plugin_register_vcpu_insn_exec_inline(code, ADD, &counts[0][slot], 1);
#else
  struct scoreboard_entry entry = {board, slot * sizeof(uint64_t)};
  qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(code, ADD, entry, 1);
#endif
}

static uint64_t sum_counts(uint32_t slot) {
  uint64_t sum = 0;
#if QEMU_PLUGIN > 1
  if (board)
    sum = qemu_plugin_u64_sum(
        (struct scoreboard_entry){board, slot * sizeof sum});
#endif
  for (int i = 0; i < core_count; i++)
    sum += counts[i][slot];
  return sum;
}

static bool allocate_counts(void) {
  bool done = true;
  for (int i = 0; done && i < core_count; i++)
    done = (counts[i] = calloc(slot_count + 1, sizeof *counts[i])) != NULL;
#if QEMU_PLUGIN > 1
  if (core_count == 1)
    board = qemu_plugin_scoreboard_new((slot_count + 1) * sizeof(uint64_t));
#endif
  return done;
}

/* ---- sets ---- */

/* A hash table of numbers. A place contains a number + 1, or 0 if it is free.
 * The table never grows, because several cores may add numbers at the same
 * time. */
struct number_set {
  uint64_t *list;
  size_t count, room; /* room: the number of places, a power of 2 */
};

/* Returns the index of the place of a number; SIZE_MAX for any number if half
 * of the places are used. */
static size_t number_set_find_or_add(struct number_set *set, uint64_t number) {
  size_t at = (size_t)((number * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
  if (2 * set->count >= set->room)
    return SIZE_MAX;
  for (;; at++) {
    uint64_t *place = &set->list[at &= set->room - 1];
    uint64_t found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (!found &&
        __atomic_compare_exchange_n(place, &found, number + 1, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      __atomic_add_fetch(&set->count, 1, __ATOMIC_RELAXED);
      return at;
    }
    if (found == number + 1)
      return at;
  }
}

static bool number_set_allocate(struct number_set *set, size_t room) {
  *set = (struct number_set){calloc(room, sizeof *set->list), 0, room};
  return set->list != NULL;
}

/* ---- trace points ---- */

enum { DEEP = 4096, ID_ROOM = 140, BITS_ROOM = 1 << 22 };

/* FRAME is the decision number in a key that stands for a function's frame.
 * NO_BIT is the value of an entry that ends decisions without setting a bit. */
enum { FRAME = 0xFFFF };
#define NO_BIT UINT64_MAX

struct trace_point_entry {
  uint64_t address, key, value; /* key: identifies a decision in a function */
  char kind; /* c: count; d, a, e: begin a decision, add to its index, end it;
                s: switch tasks */
};

struct core_decisions {
  struct {
    uint64_t key, index;
  } stack[DEEP];
  unsigned depth;
  uint64_t lost, strange; /* decisions that a task switch has dropped; points
                             whose decision had not begun */
};

/* The trace points, sorted by address; each one's index is also its slot. */
static struct trace_point_entry *points;
static size_t point_count;
static struct core_decisions *cores; /* one for each core */
static struct number_set bits;       /* the bits that any core has set */
static char id[ID_ROOM];
static const char *out_name;

/* ---- decisions ---- */

/* Finds the trace point's decision in the stack and makes it the top. Drops the
 * decisions above, which the program has left with a jump. Returns false if the
 * decision had not begun or was dropped. */
static bool drop_to_decision(struct core_decisions *core,
                             const struct trace_point_entry *point) {
  unsigned top = core->depth;
  uint64_t frame = point->key | FRAME;
  while (top && core->stack[top - 1].key != point->key &&
         core->stack[top - 1].key != frame)
    top--;
  if (top && core->stack[top - 1].key != point->key)
    top = 0;
  core->strange += !top && !core->lost;
  core->depth = top ? top : core->depth;
  return top;
}

/* Begins a decision on the stack. If the stack is full, its lower half is
 * dropped, because a jump has usually left those decisions long ago. If a
 * dropped decision does continue later, its start is missing. */
static void begin_decision(struct core_decisions *core,
                           const struct trace_point_entry *point) {
  if (core->depth == DEEP) {
    core->depth = DEEP / 2;
    memcpy(core->stack, core->stack + DEEP / 2, DEEP / 2 * sizeof *core->stack);
  }
  core->stack[core->depth].key = point->key;
  core->stack[core->depth++].index = 0;
}

static void apply_decision_point(struct core_decisions *core,
                                 const struct trace_point_entry *point) {
  if (point->kind == 's') {
    core->lost += core->depth;
    core->depth = 0;
  } else if (point->kind == 'd') {
    begin_decision(core, point);
  } else if (point->kind == 'a') {
    if (drop_to_decision(core, point))
      core->stack[core->depth - 1].index += point->value;
  } else if (point->kind == 'e' && drop_to_decision(core, point)) {
    core->depth--;
    if (point->value != NO_BIT)
      failed |= number_set_find_or_add(
                    &bits, point->value + core->stack[core->depth].index) ==
                SIZE_MAX;
  }
}

/* Returns the trace point after `point` at the same address, or NULL. */
static struct trace_point_entry *
find_next_at_address(struct trace_point_entry *point) {
  return point + 1 < points + point_count && point[1].address == point->address
             ? point + 1
             : NULL;
}

/* Applies the trace points at an address, except those that count (c). */
static void apply_decision_points(unsigned vcpu, void *first) {
  for (struct trace_point_entry *i = first; i; i = find_next_at_address(i))
    if (i->kind != 'c')
      apply_decision_point(&cores[find_core(vcpu)], i);
}

/* ---- code ---- */

static int compare_addresses(const void *left, const void *right) {
  const struct trace_point_entry *a = left, *b = right;
  return (a->address > b->address) - (a->address < b->address);
}

/* The first trace point at an address counts for all of them. */
static void register_point_counting(struct qemu_plugin_tb *block) {
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *code = qemu_plugin_tb_get_insn(block, i);
    const struct trace_point_entry at = {qemu_plugin_insn_vaddr(code), 0, 0, 0};
    struct trace_point_entry *first =
        point_count ? bsearch(&at, points, point_count, sizeof *points,
                              compare_addresses)
                    : NULL;
    bool counts_any = false, decides = false;
    while (first && first > points && first[-1].address == at.address)
      first--;
    for (struct trace_point_entry *k = first; k; k = find_next_at_address(k)) {
      counts_any |= k->kind == 'c';
      decides |= k->kind != 'c';
    }
    if (counts_any)
      register_count(code, (uint32_t)(first - points));
    if (decides)
      qemu_plugin_register_vcpu_insn_exec_cb(code, apply_decision_points,
                                             NO_REGISTERS, first);
  }
}

/* ---- instructions ---- */

enum { PENDING = 256, OUTSIDE_ROOM = 1 << 18 };
#define NO_SLOT UINT32_MAX

struct code_range {
  uint64_t begin, end;
  uint32_t slot; /* slot of the first 2 bytes of code; each 2 have a slot */
};

enum { FELL, TAKEN, UNKNOWN, OUTCOMES };

struct branch_outcome_counts {
  uint64_t place, next, target; /* `next` and `target` become slots */
  uint32_t slot;                /* the first of the slots of its outcomes */
};

struct code_cell {
  struct branch_outcome_counts *branch; /* the watched branch, or NULL */
  uint32_t bytes;
  unsigned char length, varies;
  bool succeeds; /* a watched branch may lead to this instruction */
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
static size_t range_count, branch_count;
static struct code_cell *cells; /* the instructions, by slot */
static struct number_set outside; /* the addresses outside of all ranges */
static uint32_t outside_slot;     /* slot of the first place in `outside` */
static bool outside_full;         /* code outside was not counted */
static struct waiting_branches *waiting; /* one for each core */

/* Returns the slot of the instruction at an address. Returns NO_SLOT if
 * `outside` is full. */
static uint32_t find_or_add_slot(uint64_t address) {
  for (size_t i = 0; i < range_count; i++)
    if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
      return ranges[i].slot + (uint32_t)((address - ranges[i].begin) / 2);
  size_t at = number_set_find_or_add(&outside, address);
  outside_full |= at == SIZE_MAX;
  return at == SIZE_MAX ? NO_SLOT : outside_slot + (uint32_t)at;
}

static void count_outcome(unsigned vcpu,
                          const struct branch_outcome_counts *branch,
                          unsigned outcome) {
  counts[find_core(vcpu)][branch->slot + outcome]++;
}

static void push_waiting_branch(unsigned vcpu, void *context) {
  struct waiting_branches *of = &waiting[find_core(vcpu)];
  struct branch_outcome_counts *branch = context;
  if (of->count == PENDING) { /* the oldest branches were left long ago */
    count_outcome(vcpu, of->list->branch, UNKNOWN);
    memmove(of->list, of->list + 1, --of->count * sizeof *of->list);
  }
  of->list[of->count].since = ++of->steps;
  of->list[of->count++].branch = branch;
}

/* Finds the waiting branch that has led to the instruction with this slot. */
static void resolve_branch_outcome(unsigned vcpu, void *context) {
  struct waiting_branches *of = &waiting[find_core(vcpu)];
  uint64_t slot = (uintptr_t)context;
  for (unsigned i = of->count; i-- > 0;) {
    struct branch_outcome_counts *branch = of->list[i].branch;
    if (branch->next != slot && branch->target != slot)
      continue;
    count_outcome(vcpu, branch,
                  of->list[i].since != of->steps ? UNKNOWN
                  : branch->next == slot         ? FELL
                                                 : TAKEN);
    of->count--;
    memmove(of->list + i, of->list + i + 1, (of->count - i) * sizeof *of->list);
    break;
  }
  of->steps++;
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

static void register_code_counting(struct qemu_plugin_tb *block) {
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *code = qemu_plugin_tb_get_insn(block, i);
    uint32_t slot = find_or_add_slot(qemu_plugin_insn_vaddr(code));
    if (slot == NO_SLOT)
      continue;
    /* Only the first instruction of a block can come after a branch. */
    if (i == 0 && cells[slot].succeeds)
      qemu_plugin_register_vcpu_insn_exec_cb(
          code, resolve_branch_outcome, NO_REGISTERS, (void *)(uintptr_t)slot);
    if (cells[slot].branch)
      qemu_plugin_register_vcpu_insn_exec_cb(code, push_waiting_branch,
                                             NO_REGISTERS, cells[slot].branch);
    note_instruction_bytes(code, &cells[slot]);
    register_count(code, slot);
  }
}

static bool prepare_code_counting(void) {
  for (size_t i = 0; i < range_count; i++) {
    ranges[i].slot = slot_count;
    slot_count += (uint32_t)((ranges[i].end - ranges[i].begin) / 2) + 1;
  }
  outside_slot = slot_count;
  slot_count += OUTSIDE_ROOM;
  cells = calloc(slot_count, sizeof *cells);
  waiting = calloc((size_t)core_count, sizeof *waiting);
  if (!number_set_allocate(&outside, OUTSIDE_ROOM) || !waiting || !cells)
    return false;
  for (struct branch_outcome_counts *i = branches; i < branches + branch_count;
       i++) {
    uint32_t place = find_or_add_slot(i->place);
    i->next = find_or_add_slot(i->next);
    i->target = find_or_add_slot(i->target);
    if (place == NO_SLOT || i->next == NO_SLOT || i->target == NO_SLOT)
      return false;
    cells[place].branch = i;
    cells[i->next].succeeds = cells[i->target].succeeds = true;
    i->slot = slot_count;
    slot_count += OUTCOMES;
  }
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

static void write_trace_results(FILE *out) {
  uint64_t lost = 0, strange = 0;
  for (uint32_t i = 0; i < point_count; i++) {
    uint64_t values[2] = {points[i].address, sum_counts(i)};
    if (values[1])
      write_trace_line(out, "c", values, 2);
  }
  for (size_t i = 0; i < BITS_ROOM; i++) {
    uint64_t bit = bits.list[i] - 1;
    if (bits.list[i])
      write_trace_line(out, "b", &bit, 1);
  }
  for (int i = 0; i < core_count; i++) {
    lost += cores[i].lost;
    strange += cores[i].strange;
  }
  if (lost)
    write_trace_line(out, "lost", &lost, 1);
  if (strange)
    write_trace_line(out, "strange", &strange, 1);
}

static void write_cell_count(FILE *out, const char *word, uint64_t address,
                             uint32_t slot) {
  const struct code_cell *cell = &cells[slot];
  uint64_t values[4] = {address, sum_counts(slot), cell->bytes, cell->length};
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
                       ranges[i].slot + (uint32_t)((at - ranges[i].begin) / 2));
  for (uint32_t i = 0; i < OUTSIDE_ROOM; i++) {
    uint64_t address = outside.list[i] - 1;
    if (outside_full && cells[outside_slot + i].length)
      write_trace_line(out, "o", &address, 1);
    else if (!outside_full)
      write_cell_count(out, "o", address, outside_slot + i);
  }
  for (int i = 0; i < core_count; i++)
    while (waiting[i].count)
      count_outcome(0, waiting[i].list[--waiting[i].count].branch, UNKNOWN);
  for (size_t i = 0; i < branch_count; i++) {
    uint64_t values[1 + OUTCOMES] = {branches[i].place};
    for (int k = 0; k < OUTCOMES; k++)
      values[1 + k] = sum_counts(branches[i].slot + (uint32_t)k);
    write_trace_line(out, "e", values, 1 + OUTCOMES);
  }
}

static void write_trace(void) {
  FILE *out = fopen(out_name, "w");
  char build[ID_ROOM + 8];
  if (!out) {
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
    return;
  }
  write_trace_line(out,
                   counts_code ? "bareprof-instructions 1" : "bareprof-trace 1",
                   NULL, 0);
  snprintf(build, sizeof build, "build %s", id);
  write_trace_line(out, build, NULL, 0);
  if (counts_code)
    write_code_counts(out);
  else
    write_trace_results(out);
  if (!failed)
    fprintf(out, "end %" PRIx32 "\n", ~crc);
  if (fclose(out))
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
}

/* ---- callbacks ---- */

static void
on_block_translated(ID_FIRST struct qemu_plugin_tb *block OWN_LAST) {
  (counts_code ? register_code_counting : register_point_counting)(block);
}

static void on_qemu_end(ID_FIRST UNUSED void *own) { write_trace(); }

/* QEMU aborts if an Armv7-M core locks up. abort() then ends QEMU, because it
 * resets the handler. */
static void on_qemu_abort(int number) {
  signal(number, SIG_DFL);
  write_trace();
}

/* ---- the list ---- */

/* Appends an element to a list, which doubles when it is full. Returns the
 * list, or NULL if memory runs out. */
static void *append_element(void *list, size_t *count, const void *element,
                            size_t size) {
  if ((*count & (*count - 1)) == 0)
    list = realloc(list, (*count ? 2 * *count : 1) * size);
  failed |= !list;
  if (list)
    memcpy((char *)list + (*count)++ * size, element, size);
  return list;
}

/* Reads a range of code, a watched branch or a trace point. */
static void read_list_line(const char *line) {
  uint64_t a, b = 0, c = 0;
  char word[16] = "";
  int count =
      sscanf(line, "%15s %" SCNx64 " %" SCNx64 " %" SCNx64, word, &a, &b, &c);
  if (!counts_code && count >= 2)
    points = append_element(points, &point_count,
                            &(struct trace_point_entry){a, b, c, *word},
                            sizeof *points);
  else if (counts_code && *word == 'x' && count == 3 && a < b)
    ranges = append_element(ranges, &range_count,
                            &(struct code_range){a, b, 0}, sizeof *ranges);
  else if (counts_code && *word == 'b' && count == 4)
    branches = append_element(branches, &branch_count,
                              &(struct branch_outcome_counts){a, b, c, 0},
                              sizeof *branches);
}

static bool read_list(FILE *list) {
  char line[256];
  if (!fgets(line, sizeof line, list))
    return false;
  counts_code = strcmp(line, "bareprof-code 1\n") == 0;
  if ((!counts_code && strcmp(line, "bareprof-labels 1\n") != 0) ||
      fscanf(list, "build %139s ", id) != 1)
    return false;
  while (!failed && fgets(line, sizeof line, list)) {
    if (strcmp(line, "end\n") == 0)
      return true;
    read_list_line(line);
  }
  return false;
}

static bool prepare_point_counting(void) {
  slot_count = (uint32_t)point_count;
  cores = calloc((size_t)core_count, sizeof *cores);
  return cores && number_set_allocate(&bits, BITS_ROOM);
}

/* Reads the list, and allocates memory. Returns NULL or the error. */
static const char *find_setup_error(const char *list_name, FILE *list) {
  if (!list_name || !out_name)
    return "needs list=FILE, from bareprof trace --list, and out=FILE";
  if (!list)
    return "cannot read the list; check the path in list=";
  if (core_count > CORES)
    return "more than 64 cores; start QEMU with fewer";
  if (!read_list(list) && !failed)
    return "the list is damaged; make it again with bareprof trace --list";
  if (failed ||
      !(counts_code ? prepare_code_counting : prepare_point_counting)() ||
      !allocate_counts())
    return "not enough memory; close other programs";
  return NULL;
}

int qemu_plugin_install(uint64_t plugin,
                        const struct qemu_machine_info *machine, int count,
                        char **words) {
  const char *list_name = NULL;
  if (machine->version.current > LAST_KNOWN) {
    fprintf(stderr,
            "bareprof's plugin: this QEMU has plugin interface %d, but the "
            "plugin supports %d to %d; compile the plugin with "
            "-DQEMU_PLUGIN=%d, or use an earlier QEMU\n",
            machine->version.current, QEMU_PLUGIN, LAST_KNOWN,
            machine->version.current < 7 ? 2 : 7);
    return 1;
  }
  for (int i = 0; i < count; i++) {
    if (strncmp(words[i], "list=", 5) == 0)
      list_name = words[i] + 5;
    else if (strncmp(words[i], "out=", 4) == 0)
      out_name = strdup(words[i] + 4);
  }
  copies_bytes = machine->version.current > 2;
  if (!machine->system || machine->of_system.most > 1)
    core_count = machine->system ? machine->of_system.most : CORES;
  FILE *list = list_name ? fopen(list_name, "r") : NULL;
  const char *wrong = find_setup_error(list_name, list);
  if (list)
    fclose(list);
  if (wrong) {
    fprintf(stderr, "bareprof's plugin: %s\n", wrong);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_block_translated NULL_LAST);
  qemu_plugin_register_atexit_cb(plugin, on_qemu_end, NULL);
  signal(SIGABRT, on_qemu_abort);
  return 0;
}
