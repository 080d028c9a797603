/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A QEMU plugin that imitates the error correction of RAM after a power-on: a
 * word that was never completely written cannot be read, nor partly written,
 * since the write would read its rest.
 *   begin=ADDRESS,end=ADDRESS   the RAM
 *   unit=4|8                    bytes of a word that has a code of its own
 *   out=FILE                    a line for each access that would fault, by the
 *                               instruction; the last line is the number of
 *                               words that were written
 * An instruction that stores two registers writes one word: QEMU shows both
 * stores.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../qemu_plugin.h"

int qemu_plugin_version = 1;

enum { RAM_MOST = 1 << 16, NO_REGISTERS = 0, LOADS_AND_STORES = 3 };

static FILE *out;
static uint64_t begin, end, unit = 4;
static bool written[RAM_MOST];

/* The word that an instruction has written the first part of. */
static struct {
  uint64_t code, size, word;
} half;

static void faults(const char *what, uint64_t code, uint64_t at) {
  fprintf(out, "%s at 0x%llx by 0x%llx\n", what, (unsigned long long)at,
          (unsigned long long)code);
}

static bool is_whole(uint64_t word) { return written[word * unit]; }

static void give_up(void) {
  if (half.size)
    faults("written in part", half.code, begin + half.word * unit);
  half.size = 0;
}

static void store(uint64_t code, uint64_t at, uint64_t size) {
  uint64_t word = at / unit;
  if (half.size && (half.code != code || half.word != word))
    give_up();
  if (is_whole(word))
    return;
  half.code = code, half.word = word, half.size += size;
  if (half.size < unit)
    return;
  half.size = 0;
  for (uint64_t i = 0; i < size || i < unit; i++)
    written[word * unit + i] = true;
}

static void touched(unsigned core, uint32_t how, uint64_t address,
                    void *context) {
  uint64_t code = (uint64_t)(uintptr_t)context;
  uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(how);
  (void)core;
  if (address < begin || address >= end)
    return;
  uint64_t at = address - begin;
  if (qemu_plugin_mem_is_store(how)) {
    store(code, at, size);
    return;
  }
  give_up();
  for (uint64_t word = at / unit; word <= (at + size - 1) / unit; word++)
    if (!is_whole(word))
      faults("read", code, begin + word * unit);
}

static void translated(uint64_t plugin, struct qemu_plugin_tb *code) {
  (void)plugin;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(code); i++) {
    struct qemu_plugin_insn *one = qemu_plugin_tb_get_insn(code, i);
    qemu_plugin_register_vcpu_mem_cb(
        one, touched, NO_REGISTERS, LOADS_AND_STORES,
        (void *)(uintptr_t)qemu_plugin_insn_vaddr(one));
  }
}

static void ended(uint64_t plugin, void *context) {
  unsigned long words = 0;
  (void)plugin, (void)context;
  give_up();
  for (uint64_t word = 0; word < (end - begin) / unit; word++)
    words += is_whole(word);
  fprintf(out, "%lu\n", words);
  fclose(out);
}

int qemu_plugin_install(uint64_t id, const void *info, int count, char **what) {
  (void)info;
  for (int i = 0; i < count; i++) {
    const char *value = strchr(what[i], '=');
    if (!value++)
      return 1;
    if (!strncmp(what[i], "begin=", 6))
      begin = strtoull(value, NULL, 0);
    else if (!strncmp(what[i], "end=", 4))
      end = strtoull(value, NULL, 0);
    else if (!strncmp(what[i], "unit=", 5))
      unit = strtoull(value, NULL, 0);
    else if (!strncmp(what[i], "out=", 4))
      out = fopen(value, "w");
  }
  if (!out || begin % unit || end % unit || end <= begin ||
      end - begin > RAM_MOST)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
