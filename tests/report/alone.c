/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * alone PROGRAM ARGUMENT...: runs the program with no environment. A filter of
 * system calls ends it when it starts a process or another program. Exit
 * status 99: there is no such filter here.
 */
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(member) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define END BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define IF_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

int main(int argc, char **argv) {
  /* The one call below is told by the place of its argument. */
  static char room[4096];
  char *environment[] = {NULL};
  uintptr_t place = (uintptr_t)room;
  struct sock_filter filter[] = {
      LOAD(nr),
      IF_NOT(SYS_clone, 1), END,
      IF_NOT(SYS_execveat, 1), END,
#ifdef SYS_clone3
      IF_NOT(SYS_clone3, 1), END,
#endif
#ifdef SYS_fork
      IF_NOT(SYS_fork, 1), END,
      IF_NOT(SYS_vfork, 1), END,
#endif
      IF_NOT(SYS_execve, 5),
      LOAD(args[0]),
      IF_NOT((uint32_t)place, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
               offsetof(struct seccomp_data, args[0]) + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)((uint64_t)place >> 32), 1,
               0),
      END,
      ALLOW};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (argc < 2)
    return 2;
  snprintf(room, sizeof room, "%s", argv[1]);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    return 99;
  execve(room, argv + 1, environment);
  return 99;
}
