/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handlers call only functions that POSIX allows in handlers. They read slots
 * that are consistent at any time: a signal may interrupt a thread or another
 * handler anywhere.
 */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 16, MAPS = 256 };

static _Atomic(const char *) files[FILES];

/* begin is set last, and cleared first. */
static struct {
  atomic_flag taken;
  _Atomic(uintptr_t) begin;
  size_t size;
  const char *name;
} maps[MAPS];

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* ---- the end ---- */

static void remove_files(void) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *path = files[i];
    if (path)
      unlink(path);
  }
}

/* A shell sees the signal's status. */
static void end(int number) {
  remove_files();
  signal(number, SIG_DFL);
  raise(number);
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action, before;
  if (sigaction(number, NULL, &before) || before.sa_handler == SIG_IGN)
    return;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void interrupt_catch(void) {
  for (unsigned i = 0; i < SIGNALS; i++)
    handle(signals[i], end);
  signal(SIGPIPE, SIG_IGN);
}

/* ---- files ---- */

void interrupt_remove(const char *path) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&files[i], &none, path))
      return;
  }
}

void interrupt_keep(const char *path) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *this = path;
    if (path && atomic_compare_exchange_strong(&files[i], &this, NULL))
      return;
  }
}

/* ---- delays ---- */

static unsigned delays;
static sigset_t before_delay;

static void delayed(sigset_t *set) {
  sigemptyset(set);
  for (unsigned i = 0; i < SIGNALS; i++)
    sigaddset(set, signals[i]);
}

void interrupt_delay(void) {
  sigset_t set;
  delayed(&set);
  if (delays++ == 0)
    sigprocmask(SIG_BLOCK, &set, &before_delay);
}

void interrupt_resume(void) {
  if (--delays == 0)
    sigprocmask(SIG_SETMASK, &before_delay, NULL);
}

bool interrupt_waits(void) {
  sigset_t set;
  bool waits = false;
  sigpending(&set);
  for (unsigned i = 0; i < SIGNALS; i++)
    waits = waits || sigismember(&set, signals[i]) == 1;
  return waits;
}

/* ---- maps ---- */

static void say(const char *text) {
  /* If this fails, the error cannot be reported. */
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return;
}

/* Names reach the terminal as text, without the functions of report(). */
static void say_name(const char *name) {
  for (; *name; name++) {
    unsigned char byte = (unsigned char)*name;
    char one[2] = {byte < 0x20 || byte == 0x7F ? '?' : *name, 0};
    say(one);
  }
}

static void break_off(int number, siginfo_t *info, void *context) {
  uintptr_t at = (uintptr_t)info->si_addr;
  (void)context;
  for (unsigned i = 0; i < MAPS; i++) {
    uintptr_t begin = maps[i].begin;
    if (!begin || at < begin || at - begin >= maps[i].size)
      continue;
    remove_files();
    say("bareprof: ");
    say_name(maps[i].name);
    say(": became shorter while it was read; wait until it is whole\n");
    _exit(1);
  }
  end(number);
}

void interrupt_map(const void *bytes, size_t size, const char *name) {
  static atomic_flag caught = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&caught)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = break_off;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
  }
  for (unsigned i = 0; i < MAPS; i++)
    if (!atomic_flag_test_and_set(&maps[i].taken)) {
      maps[i].size = size;
      maps[i].name = name;
      maps[i].begin = (uintptr_t)bytes;
      return;
    }
}

void interrupt_unmap(const void *bytes) {
  for (unsigned i = 0; i < MAPS; i++)
    if (maps[i].begin == (uintptr_t)bytes) {
      maps[i].begin = 0;
      atomic_flag_clear(&maps[i].taken);
      return;
    }
}
