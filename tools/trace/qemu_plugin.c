/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin of QEMU that counts labels. `bareprof trace --plugin` prints this
 * file, which needs no header of QEMU:
 *
 *   cc -shared -fPIC -O2 plugin.c -o plugin.so
 *   qemu-system-arm ... -plugin ./plugin.so,list=LIST,out=TRACE
 *
 * LIST is what `bareprof trace --list` prints. The trace is written when QEMU
 * ends. With -DQEMU_PLUGIN=2, for QEMU 9 and 10; with -DQEMU_PLUGIN=7, for QEMU
 * 11 and later.
 *
 * A decision's index is kept on a stack for each core, because decisions nest:
 * in calls, and in interrupts. Where tasks are switched the stack is left; what
 * was on it is lost, and is counted.
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

/* Up to this one the functions below are alike. From 7 on a call back has what
 * the plugin gave last, and before that the plugin's number first. */
enum { LAST_KNOWN = QEMU_PLUGIN == 1 ? 1 : QEMU_PLUGIN < 7 ? 6 : 7 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct trace_machine {
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

#define SEEN __attribute__((visibility("default")))
SEEN extern int qemu_plugin_version;
SEEN int qemu_plugin_install(uint64_t, const struct trace_machine *, int,
                             char **);
int qemu_plugin_version = QEMU_PLUGIN;

/* ---- labels ---- */

enum { CORES = 64, DEEP = 4096, ID_ROOM = 140 };

/* Of a key, the number of a function's frame; of an end, the value of none. */
enum { FRAME = 0xFFFF };
#define NO_BIT UINT64_MAX

struct trace_label {
  uint64_t address, key, value;
  char kind;
};

/* Of one address. */
struct counted_address {
  const struct trace_label *first, *end;
  bool counts, decides;
  uint64_t count;      /* of one core, inline */
  uint64_t *counts_of; /* of several */
};

struct core {
  struct {
    uint64_t key, index;
  } stack[DEEP];
  unsigned depth;
  uint64_t lost, strange;
};

static struct trace_label *labels;
static struct counted_address *places;
static size_t label_count, place_count;
static struct core *cores[CORES];
static uint64_t *bits;             /* that are set */
static size_t bit_count, bit_room; /* a power of 2 */
static int core_count = 1;
static bool failed; /* there was no memory: the trace gets no end */
static char id[ID_ROOM];
static const char *out_name;

/* ---- bits ---- */

static bool bit_add(uint64_t bit);

static bool bits_grow(void) {
  uint64_t *old = bits;
  size_t room = bit_room;
  bit_room = room ? 2 * room : 1024;
  bits = calloc(bit_room, sizeof *bits);
  bit_count = 0;
  for (size_t i = 0; bits && i < room; i++)
    if (old[i])
      bit_add(old[i] - 1);
  free(old);
  return bits != NULL;
}

/* A hash table of bit + 1. */
static bool bit_add(uint64_t bit) {
  if (2 * bit_count >= bit_room && !bits_grow())
    return false;
  size_t at = (size_t)((bit * UINT64_C(0x9E3779B97F4A7C15)) >> 20);
  for (;; at++) {
    uint64_t *place = &bits[at & (bit_room - 1)];
    if (*place == bit + 1)
      return true;
    if (!*place) {
      *place = bit + 1;
      bit_count++;
      return true;
    }
  }
}

/* ---- decisions ---- */

/* Leaves the label's decision on top: those above it were left by a jump.
 * false: it had not begun, or was cut. */
static bool is_open(struct core *core, const struct trace_label *label) {
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

/* Those at the bottom of a full stack were left by jumps long ago, as a rule.
 * If not, they go on later without a begin. */
static void begin(struct core *core, const struct trace_label *label) {
  if (core->depth == DEEP) {
    core->depth = DEEP / 2;
    memcpy(core->stack, core->stack + DEEP / 2, DEEP / 2 * sizeof *core->stack);
  }
  core->stack[core->depth].key = label->key;
  core->stack[core->depth++].index = 0;
}

static void decide(struct core *core, const struct trace_label *label) {
  if (label->kind == 's') {
    core->lost += core->depth;
    core->depth = 0;
  } else if (label->kind == 'd') {
    begin(core, label);
  } else if (label->kind == 'a') {
    if (is_open(core, label))
      core->stack[core->depth - 1].index += label->value;
  } else if (label->kind == 'e' && is_open(core, label)) {
    core->depth--;
    if (label->value != NO_BIT)
      failed |= !bit_add(label->value + core->stack[core->depth].index);
  }
}

static void run_place(unsigned number, void *context) {
  struct counted_address *place = context;
  unsigned at = number % CORES;
  if (place->counts_of)
    place->counts_of[at]++;
  for (const struct trace_label *i = place->first; i < place->end; i++)
    if (i->kind != 'c')
      decide(cores[at], i);
}

/* ---- code ---- */

static struct counted_address *find(uint64_t address) {
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

static void translate(struct qemu_plugin_tb *block) {
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct qemu_plugin_insn *code = qemu_plugin_tb_get_insn(block, i);
    struct counted_address *place = find(qemu_plugin_insn_vaddr(code));
    if (!place)
      continue;
#if QEMU_PLUGIN == 1
    if (place->counts && !place->counts_of)
      qemu_plugin_register_vcpu_insn_exec_inline(code, ADD, &place->count, 1);
#endif
    if (place->decides || place->counts_of)
      qemu_plugin_register_vcpu_insn_exec_cb(code, run_place, NO_REGISTERS,
                                             place);
  }
}

/* ---- the trace ---- */

static uint32_t crc = 0xFFFFFFFF;

static void put(FILE *out, const char *word, const uint64_t *values,
                int count) {
  char line[ID_ROOM + 64];
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

static void put_id(FILE *out) {
  char word[ID_ROOM + 8];
  snprintf(word, sizeof word, "build %s", id);
  put(out, word, NULL, 0);
}

static void put_counts(FILE *out) {
  uint64_t lost = 0, strange = 0;
  for (size_t i = 0; i < place_count; i++) {
    uint64_t values[2] = {places[i].first->address, places[i].count};
    for (int k = 0; places[i].counts_of && k < CORES; k++)
      values[1] += places[i].counts_of[k];
    if (places[i].counts && values[1])
      put(out, "c", values, 2);
  }
  for (size_t i = 0; i < bit_room; i++) {
    uint64_t bit = bits[i] - 1;
    if (bits[i])
      put(out, "b", &bit, 1);
  }
  for (int i = 0; i < CORES && cores[i]; i++) {
    lost += cores[i]->lost;
    strange += cores[i]->strange;
  }
  if (lost)
    put(out, "lost", &lost, 1);
  if (strange)
    put(out, "strange", &strange, 1);
}

static void end(void) {
  FILE *out = fopen(out_name, "w");
  if (!out) {
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
    return;
  }
  put(out, "bareprof-trace 1", NULL, 0);
  put_id(out);
  put_counts(out);
  if (!failed)
    fprintf(out, "end %" PRIx32 "\n", ~crc);
  if (fclose(out))
    fprintf(stderr, "bareprof's plugin: cannot write %s\n", out_name);
}

/* ---- the calls of an interface ---- */

#if QEMU_PLUGIN < 7
static void translated(uint64_t plugin, struct qemu_plugin_tb *block) {
  (void)plugin;
  translate(block);
}
static void ended(uint64_t plugin, void *context) {
  (void)plugin, (void)context;
  end();
}
#else
static void translated(struct qemu_plugin_tb *block, void *context) {
  (void)context;
  translate(block);
}
static void ended(void *context) {
  (void)context;
  end();
}
#endif

/* ---- the list ---- */

static bool read_list(FILE *list) {
  char line[256], word[16];
  bool whole = false;
  if (!fgets(line, sizeof line, list) ||
      strcmp(line, "bareprof-labels 1\n") != 0 ||
      fscanf(list, "build %139s ", id) != 1)
    return false;
  while (!whole && fgets(line, sizeof line, list)) {
    struct trace_label label = {0, 0, 0, 0};
    whole = strcmp(line, "end\n") == 0;
    if (whole || sscanf(line, "%15s %" SCNx64 " %" SCNx64 " %" SCNx64, word,
                        &label.address, &label.key, &label.value) < 2)
      continue;
    label.kind = word[0];
    if ((label_count & (label_count - 1)) == 0) {
      size_t room = label_count ? 2 * label_count : 1;
      labels = realloc(labels, room * sizeof *labels);
    }
    if (!labels)
      return false;
    labels[label_count++] = label;
  }
  return whole;
}

/* The list is in the order of addresses. */
static bool find_places(void) {
  places = calloc(label_count + 1, sizeof *places);
  for (size_t i = 0; places && i < label_count; i++) {
    struct counted_address *last = &places[place_count - (place_count != 0)];
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

/* One core counts inline. Several would count in one word at the same time. */
static bool make_room(void) {
  bool done = true, inlined = QEMU_PLUGIN == 1 && core_count == 1;
  for (int i = 0; i < CORES; i++)
    if (i < core_count)
      done &= (cores[i] = calloc(1, sizeof *cores[i])) != NULL;
  for (size_t i = 0; done && i < place_count; i++)
    if (places[i].counts && !inlined)
      done = (places[i].counts_of = calloc(CORES, sizeof(uint64_t))) != NULL;
  return done && bits_grow();
}

int qemu_plugin_install(uint64_t plugin, const struct trace_machine *machine,
                        int count, char **words) {
  const char *list_name = NULL;
  if (machine->version.current > LAST_KNOWN) {
    fprintf(stderr,
            "bareprof's plugin: this QEMU's interface is version %d, and %d "
            "to %d are known; use another QEMU\n",
            machine->version.current, QEMU_PLUGIN, LAST_KNOWN);
    return 1;
  }
  for (int i = 0; i < count; i++) {
    if (strncmp(words[i], "list=", 5) == 0)
      list_name = words[i] + 5;
    else if (strncmp(words[i], "out=", 4) == 0)
      out_name = strdup(words[i] + 4);
  }
  if (machine->system && machine->of_system.most > 1)
    core_count = machine->of_system.most;
  FILE *list = list_name ? fopen(list_name, "r") : NULL;
  bool done = out_name && list && core_count <= CORES && read_list(list) &&
              find_places() && make_room();
  if (list)
    fclose(list);
  if (!done) {
    fprintf(stderr, "bareprof's plugin: give list=FILE, of bareprof trace "
                    "--list, and out=FILE; up to 64 cores\n");
    return 1;
  }
#if QEMU_PLUGIN < 7
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
#else
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated, NULL);
#endif
  qemu_plugin_register_atexit_cb(plugin, ended, NULL);
  return 0;
}
