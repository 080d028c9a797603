/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A client of GDB's remote protocol, for QEMU, OpenOCD and programs of debug
 * probes. It reads and writes memory, reads registers, sets breakpoints, and
 * lets the target run. The server may answer anything: each answer is bounded
 * in size and in time. Functions return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_GDB_H
#define BAREPROF_TOOLS_GDB_H

#include "../base/bytes.h"
#include "../base/prints.h"

/* How bytes move. */
struct gdb_link {
  void *context;
  /* Returns how many bytes came; 0: none in so many milliseconds; -1: no more
   * will come. */
  long (*read)(void *context, void *bytes, size_t size, int milliseconds);
  bool (*write)(void *context, const void *bytes, size_t size);
  /* Text that the target prints through the debugger; or NULL. */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
};

enum gdb_state { GDB_STOPPED, GDB_RUNS, GDB_ENDED };

/* The longest packet, and the default of servers that do not tell theirs. */
enum { GDB_PACKET_MOST = 1 << 14, GDB_PACKET_LEAST = 64, GDB_PACKET = 400 };

struct gdb {
  struct gdb_link link; /* from the caller; all else is 0 at first */
  /* Only for gdb.c. */
  enum gdb_state state;
  size_t packet; /* that the server takes */
  unsigned char got[4096];
  size_t got_at, got_size;
  size_t taken; /* bytes since the last command */
  unsigned char command[GDB_PACKET_MOST + 8], answer[GDB_PACKET_MOST + 1];
  size_t command_size, size; /* size: of the answer, which ends in a zero */
};

/* Greets the server, which halts the target. */
const char *gdb_begin(struct gdb *gdb);

/* The error of memory that cannot be read; then the server still answers. */
extern const char gdb_unreadable[];
const char *gdb_read(struct gdb *gdb, uint64_t address, void *bytes,
                     size_t size);

/* Writes `size` bytes, all of this value. */
const char *gdb_fill(struct gdb *gdb, uint64_t address, unsigned char value,
                     size_t size);
const char *gdb_write(struct gdb *gdb, uint64_t address, const void *bytes,
                      size_t size);

/* Reads `size` bytes at this place of the list of registers, whose first ones
 * are the general registers and the PC. */
const char *gdb_registers(struct gdb *gdb, size_t at, unsigned char *bytes,
                          size_t size);

/* Sets a breakpoint, or removes it. size: bytes of the instruction. */
const char *gdb_break(struct gdb *gdb, uint64_t address, unsigned size,
                      bool set);

/* Lets the target run, or execute one instruction. Then wait. */
const char *gdb_go(struct gdb *gdb, bool one);

/* Waits until the target stops or has ended, which gdb->state tells, at most so
 * many milliseconds. */
const char *gdb_wait(struct gdb *gdb, int milliseconds);

/* Halts the target. */
const char *gdb_halt(struct gdb *gdb);

/* Leaves the target to itself; it runs on. */
const char *gdb_detach(struct gdb *gdb);

#endif
