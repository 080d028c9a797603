/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A QEMU plugin that writes the data of a Micro Trace Buffer: out=FILE. An
 * exception's entry is where code goes on elsewhere without a branch.
 *
 * Or what an ETM of version 4 would, without exceptions: etm=FILE. A branch is
 * an atom, and an address follows an indirect one that is taken. Source of the
 * packets: Embedded Trace Macrocell Architecture Specification ETMv4, 6.4.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../qemu_plugin.h"

int qemu_plugin_version = 1;

enum { PAGE = 1024 }; /* of M-profile, in QEMU */

struct block {
  uint32_t begin, last, end;
  bool branches; /* the last instruction may */
  bool atom, indirect; /* of an ETM */
};

static FILE *out;
static bool etm;
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

/* Of 32 bits, in Thumb: bit 0 is not in it. */
static void put_address(unsigned char head, uint32_t address) {
  const unsigned char packet[] = {head, (unsigned char)(address >> 1 & 0x7F),
                                  (unsigned char)(address >> 8),
                                  (unsigned char)(address >> 16),
                                  (unsigned char)(address >> 24)};
  fwrite(packet, sizeof packet, 1, out);
}

static void put_packets(const struct block *block) {
  static const unsigned char start[] = {0, 0, 0, 0, 0, 0, 0,    0, 0,
                                        0, 0, 0x80, 1, 1, 0, 0x04};
  bool taken = begun && !goes_on(block);
  if (!begun) {
    fwrite(start, sizeof start, 1, out);
    put_address(0x83, block->begin);
    putc(0, out); /* Its context: secure, privileged or not. */
  } else if (before.atom) {
    putc(taken || !before.branches ? 0xF7 : 0xF6, out);
    if (taken && before.indirect)
      put_address(0x9B, block->begin);
  } else if (taken) {
    abort(); /* an exception */
  }
}

static void ran(unsigned core, void *context) {
  const struct block *block = context;
  (void)core;
  if (etm)
    put_packets(block);
  else if (begun && !goes_on(block))
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

/* What an ETM has an atom for: branches, and ISB. */
static void classify(struct block *block, const struct qemu_plugin_insn *code) {
  static const char *const others[] = {"bic", "bfi", "bfc", "bkpt"};
  char *text = qemu_plugin_insn_disas(code);
  const char *operands = text + strcspn(text, " \t");
  const char *registers = operands + strspn(operands, " \t");
  bool isb = !strncmp(text, "isb", 3);
  bool pops = (!strncmp(text, "pop", 3) || !strncmp(text, "ldm", 3)) &&
              strstr(text, "pc}");
  block->indirect = !strncmp(text, "bx", 2) || !strncmp(text, "tb", 2) ||
                    (!strncmp(text, "blx", 3) && *registers != '#') || pops ||
                    !strncmp(registers, "pc,", 3);
  block->atom = *text == 'b' || !strncmp(text, "cb", 2) || isb ||
                block->indirect;
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    block->atom &= strncmp(text, others[i], strlen(others[i])) != 0;
  block->branches = block->atom && !isb;
  free(text);
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
  if (etm)
    classify(block, last);
  else
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
  etm = count == 1 && !strncmp(words[0], "etm=", 4);
  out = etm || (count == 1 && !strncmp(words[0], "out=", 4))
            ? fopen(words[0] + 4, "w")
            : NULL;
  if (!out)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
  qemu_plugin_register_atexit_cb(plugin, ended, NULL);
  return 0;
}
