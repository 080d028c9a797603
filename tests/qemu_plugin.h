/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of QEMU's plugin interface, version 1, that the tests' plugins use.
 * The tool's own, tools/trace/qemu_plugin.c, is one file for users, and
 * declares its part.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
void qemu_plugin_register_vcpu_mem_cb(
    struct qemu_plugin_insn *,
    void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
bool qemu_plugin_mem_is_store(uint32_t);
unsigned qemu_plugin_mem_size_shift(uint32_t);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *),
                                    void *);
extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t, const void *, int, char **);

#endif
