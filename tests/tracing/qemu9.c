/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Imitates QEMU 9 and later for a plugin: has only the functions of interfaces
 * 2 to 7 that are in its header. Runs the trace points of a program in the
 * order of a Micro Trace Buffer's branches.
 *
 *   qemu9 PLUGIN LIST BRANCHES OUT VERSION [THREADS]
 *
 * With THREADS, imitates the user mode, where each of the threads runs all.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096 };

struct qemu_plugin_insn {
  uint64_t address;
  void (*run[2])(unsigned core, void *context);
  void *context[2];
  unsigned calls;
  uint64_t *count;
};

static struct qemu_plugin_insn code[MOST];
static size_t count;
static void *translates, *ends, *given;
static int current;
static unsigned threads = 1;

size_t qemu_plugin_tb_n_insns(const void *block) {
  (void)block;
  return count;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const void *block, size_t i) {
  (void)block;
  return &code[i];
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *one) {
  return one->address;
}

/* Interface 7 has a context, which other interfaces do not pass. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, void *call,
                                           void *context) {
  (void)plugin;
  translates = call;
  given = current < 7 ? NULL : context;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *one,
                                            void (*call)(unsigned, void *),
                                            int flags, void *context) {
  (void)flags;
  one->run[one->calls] = call;
  one->context[one->calls++] = context;
}

void qemu_plugin_register_atexit_cb(uint64_t plugin, void *call,
                                    void *context) {
  (void)plugin, (void)context;
  ends = call;
}

static void read_addresses(FILE *list) {
  char line[256];
  unsigned long address;
  while (count < MOST && fgets(line, sizeof line, list))
    if (line[1] == ' ' && sscanf(line + 2, "%lx", &address) == 1 &&
        (!count || code[count - 1].address != address))
      code[count++].address = address;
}

static void run_branches(FILE *branches) {
  uint32_t words[2], from = UINT32_MAX;
  while (fread(words, sizeof words, 1, branches)) {
    uint32_t end = (words[0] & ~1u) + !(words[0] & 1);
    for (size_t i = 0; i < count && from < 0xF0000000 && end < 0xF0000000; i++)
      for (unsigned k = 0;
           k < threads && code[i].address >= from && code[i].address < end;
           k++) {
        if (code[i].count)
          ++*code[i].count;
        for (unsigned n = 0; n < code[i].calls; n++)
          code[i].run[n](k, code[i].context[n]);
      }
    from = words[1] & ~1u;
  }
}

/* A scoreboard, which has the counts of one core. */
struct entry {
  char *board;
  size_t offset;
};

char *qemu_plugin_scoreboard_new(size_t size) { return calloc(1, size); }

uint64_t qemu_plugin_u64_sum(struct entry of) {
  return *(uint64_t *)(void *)(of.board + of.offset);
}

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    struct qemu_plugin_insn *one, int how, struct entry of, uint64_t more) {
  if (how == 0 && more == 1)
    one->count = (uint64_t *)(void *)(of.board + of.offset);
}

int main(int argc, char **argv) {
  struct {
    const char *target;
    int least, current;
    bool system;
    int cores, most;
  } machine = {"arm", 2, argc > 5 ? atoi(argv[5]) : 0, argc < 7, 1, 1};
  threads = argc > 6 ? (unsigned)atoi(argv[6]) : 1;
  current = machine.current;
  machine.least = current < 7 ? 2 : 7;
  char list[1000], out[1000], *words[] = {list, out};
  void *plugin = argc > 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
  FILE *labels = plugin ? fopen(argv[2], "r") : NULL;
  FILE *branches = labels ? fopen(argv[3], "r") : NULL;
  if (!branches) {
    fprintf(stderr, "qemu9: %s\n", plugin ? "no file" : dlerror());
    return 2;
  }
  int (*install)(uint64_t, const void *, int, char **) =
      (int (*)(uint64_t, const void *, int, char **))dlsym(
          plugin, "qemu_plugin_install");
  const int *version = dlsym(plugin, "qemu_plugin_version");
  snprintf(list, sizeof list, "list=%s", argv[2]);
  snprintf(out, sizeof out, "out=%s", argv[4]);
  if (*version < machine.least || *version > machine.current ||
      install(1, &machine, 2, words))
    return 1;
  read_addresses(labels);
  if (current < 7)
    ((void (*)(uint64_t, void *))translates)(1, NULL);
  else
    ((void (*)(void *, void *))translates)(NULL, given);
  run_branches(branches);
  if (current < 7)
    ((void (*)(uint64_t, void *))ends)(1, NULL);
  else
    ((void (*)(void *))ends)(NULL);
  return 0;
}

/* What only instructions need, which are not counted here. */
size_t qemu_plugin_insn_size(const void *code);
uintptr_t qemu_plugin_insn_data(const void *code, void *to, size_t size);

size_t qemu_plugin_insn_size(const void *code) { return code ? 2 : 0; }
uintptr_t qemu_plugin_insn_data(const void *code, void *to, size_t size) {
  (void)to;
  return code ? size : 0;
}
