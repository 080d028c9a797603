/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Handles signals. The handlers call only functions that POSIX allows in
 * handlers, and read lists that are consistent at all times, because a signal
 * may interrupt a thread or another handler anywhere. program.h is the
 * interface.
 */
#include "program.h"

#include <stdatomic.h>
#include <stdint.h>

#include "os.h"

enum { FILES = 16, MAPS = 256 };

static _Atomic(const char *) files[FILES];

/* The mapped files. A signal may come at any time, so `begin` is set last and
 * cleared first. */
static struct {
  atomic_flag taken;
  _Atomic(uintptr_t) begin;
  size_t size;
  const char *name;
} maps[MAPS];

/* ---- the end of the program ---- */

static void remove_unfinished_files(void) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *path = files[i];
    if (path)
      os_remove(path);
  }
}

void interrupt_catch_signals(void) {
  os_catch_signals(remove_unfinished_files);
}

/* ---- files ---- */

void interrupt_add_file(const char *path) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&files[i], &none, path))
      return;
  }
}

void interrupt_forget_file(const char *path) {
  for (unsigned i = 0; i < FILES; i++) {
    const char *this = path;
    if (path && atomic_compare_exchange_strong(&files[i], &this, NULL))
      return;
  }
}

/* ---- delays ---- */

static unsigned delays;

void interrupt_delay_signals(void) {
  if (delays++ == 0)
    os_delay_signals();
}

void interrupt_resume_signals(void) {
  if (--delays == 0)
    os_resume_signals();
}

bool interrupt_is_pending(void) { return os_is_signal_pending(); }

/* ---- maps ---- */

/* Prints a name as plain text. The function report may not be called in a
 * handler. */
static void write_printable_name(const char *name) {
  for (; *name; name++) {
    unsigned char byte = (unsigned char)*name;
    char one[2] = {byte < 0x20 || byte == 0x7F ? '?' : *name, 0};
    os_write_error(one);
  }
}

/* Returns the index of the map that contains the address, or MAPS if no map
 * contains it. */
static unsigned find_map_index(uintptr_t at) {
  unsigned i = 0;
  while (i < MAPS && (!maps[i].begin || at < maps[i].begin ||
                      at - maps[i].begin >= maps[i].size))
    i++;
  return i;
}

static void exit_for_broken_map(uintptr_t at) {
  unsigned i = find_map_index(at);
  if (i == MAPS)
    return;
  remove_unfinished_files();
  os_write_error("bareprof: ");
  write_printable_name(maps[i].name);
  os_write_error(
      ": the file became shorter while bareprof read it; run the command "
      "again once the file is complete\n");
  os_exit_now(1);
}

bool interrupt_has_map(const void *bytes) {
  return find_map_index((uintptr_t)bytes) != MAPS;
}

void interrupt_add_map(const void *bytes, size_t size, const char *name) {
  static atomic_flag caught = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&caught))
    os_catch_mapped_file_fault(exit_for_broken_map);
  for (unsigned i = 0; i < MAPS; i++)
    if (!atomic_flag_test_and_set(&maps[i].taken)) {
      maps[i].size = size;
      maps[i].name = name;
      maps[i].begin = (uintptr_t)bytes;
      return;
    }
}

void interrupt_forget_map(const void *bytes) {
  for (unsigned i = 0; i < MAPS; i++)
    if (maps[i].begin == (uintptr_t)bytes) {
      maps[i].begin = 0;
      atomic_flag_clear(&maps[i].taken);
      return;
    }
}
