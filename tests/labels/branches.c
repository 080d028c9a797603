/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin of QEMU that writes what a Micro Trace Buffer would: out=FILE. An
 * exception's entry is where code goes on elsewhere without a branch. Uses
 * QEMU's interface as tools/trace/qemu_plugin.c declares it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
                                                 size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_tb_trans_cb(
    uint64_t, void (*)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *,
                                          void (*)(unsigned, void *), int,
                                          void *);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *),
                                    void *);
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t, const void *, int, char **);
int qemu_plugin_version = 1;

enum { PAGE = 1024 }; /* of M-profile, in QEMU */

struct block {
  uint32_t begin, last, end;
  bool branches; /* the last instruction may */
};

static FILE *out;
static struct block before;
static bool begun, written;

static void put(uint32_t source, uint32_t target) {
  uint32_t words[2] = {source, target | !written};
  written = true;
  fwrite(words, sizeof words, 1, out);
}

/* Where an instruction of 4 bytes crosses a page, QEMU takes its first half for
 * a part of the one before it. */
static bool goes_on(const struct block *block) {
  return block->begin == before.end ||
         (block->begin == before.end - 2 && before.end % PAGE == 0);
}

static void ran(unsigned core, void *context) {
  const struct block *block = context;
  (void)core;
  if (begun && !goes_on(block))
    put(before.branches ? before.last : before.end | 1, block->begin);
  before = *block;
  begun = true;
}

static bool may_branch(const struct qemu_plugin_insn *code) {
  char *text = qemu_plugin_insn_disas(code);
  bool branches = !text || *text == 'b' || !strncmp(text, "cb", 2) ||
                  !strncmp(text, "tb", 2) || strstr(text, "pc") != NULL;
  free(text);
  return branches;
}

static void translated(uint64_t plugin, struct qemu_plugin_tb *code) {
  struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(code, 0);
  struct qemu_plugin_insn *last =
      qemu_plugin_tb_get_insn(code, qemu_plugin_tb_n_insns(code) - 1);
  struct block *block = malloc(sizeof *block);
  (void)plugin;
  if (!block)
    return;
  block->begin = (uint32_t)qemu_plugin_insn_vaddr(first);
  block->last = (uint32_t)qemu_plugin_insn_vaddr(last);
  block->end = block->last + (uint32_t)qemu_plugin_insn_size(last);
  block->branches = may_branch(last);
  qemu_plugin_register_vcpu_tb_exec_cb(code, ran, 0, block);
}

static void ended(uint64_t plugin, void *context) {
  (void)plugin, (void)context;
  if (fclose(out))
    abort();
}

int qemu_plugin_install(uint64_t plugin, const void *machine, int count,
                        char **words) {
  (void)machine;
  out = count == 1 && !strncmp(words[0], "out=", 4) ? fopen(words[0] + 4, "w")
                                                   : NULL;
  if (!out)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
  qemu_plugin_register_atexit_cb(plugin, ended, NULL);
  return 0;
}
