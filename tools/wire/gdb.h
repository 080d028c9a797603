/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares a client of GDB's remote protocol, for QEMU, OpenOCD and the
 * programs of debug probes. The client reads and writes memory, reads
 * registers, sets breakpoints, and lets the target run. A server may answer
 * anything, so each answer is limited in size and time. Functions that return a
 * text return NULL or the error. A visit (below) does all steps from an ELF to
 * its counts.
 */
#ifndef BAREPROF_TOOLS_GDB_H
#define BAREPROF_TOOLS_GDB_H

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/error.h"
#include "../object/elf.h"
#include "port.h"

/* The connection to the GDB server. The client reads and writes bytes with
 * these functions. */
struct gdb_link {
  void *context;
  /* Returns the number of bytes read, 0 if no byte came within the time, or -1
   * if the connection has ended. */
  long (*read)(void *context, void *bytes, size_t size, int milliseconds);
  bool (*write)(void *context, const void *bytes, size_t size);
  /* Receives the text that the target prints through the debugger; may be NULL.
   */
  void (*text)(void *context, const unsigned char *bytes, size_t size);
};

enum gdb_state { GDB_STOPPED, GDB_RUNS, GDB_ENDED };

/* The sizes in bytes of the longest and the shortest packet, and of the packets
 * for a server that does not announce a size. */
enum { GDB_PACKET_MOST = 1 << 14, GDB_PACKET_LEAST = 64, GDB_PACKET = 400 };

struct gdb_client {
  struct gdb_link link; /* the caller sets the link; all other members are 0 at
                           first */
  char machine[24];     /* the target's architecture, as GDB calls it; empty:
                           unknown */
  bool m_profile;       /* the target is a Cortex-M */
  unsigned thread;      /* the number of the core that stopped last */
  uint64_t failed;      /* the address of the memory access that failed */
  /* The other members are only for gdb.c. */
  enum gdb_state state;
  size_t packet; /* the packet size that the server accepts */
  unsigned char got[4096];
  size_t got_at, got_size;
  size_t taken;         /* the number of bytes received since the last
                           command */
  uint64_t left, limit; /* left: the milliseconds left for answers; limit: the
                           deadline of the current answer, or 0 */
  unsigned char command[GDB_PACKET_MOST + 8], answer[GDB_PACKET_MOST + 1];
  size_t command_size, size; /* size: the number of bytes in the answer; a zero
                                byte follows them */
};

/* Connects to the server, which halts the target. */
const char *gdb_connect_and_halt(struct gdb_client *gdb);

/* Returns whether the target can run a program from this ELF. */
bool gdb_can_run_elf(const struct gdb_client *gdb, const struct elf *elf);

/* gdb_unreadable and gdb_unwritable are the errors for memory that cannot be
 * read or written; the server still answers afterwards. gdb_gone is the error
 * if the server has closed the connection. */
extern const char gdb_unreadable[], gdb_unwritable[], gdb_gone[];
const char *gdb_read_memory(struct gdb_client *gdb, uint64_t address,
                            void *bytes, size_t size);

/* Writes `size` bytes of the same value. */
const char *gdb_fill_memory(struct gdb_client *gdb, uint64_t address,
                            unsigned char value, size_t size);
const char *gdb_write_memory(struct gdb_client *gdb, uint64_t address,
                             const void *bytes, size_t size);

/* Reads `size` bytes at offset `at` of the register list, which starts with the
 * general registers and the PC. */
const char *gdb_read_registers(struct gdb_client *gdb, size_t at,
                               unsigned char *bytes, size_t size);

/* Finds the number of a system register of a Cortex-M. Returns false if the
 * server does not have the register. */
bool gdb_find_register(struct gdb_client *gdb, const char *name,
                       unsigned *number);

/* Reads the register with this number. */
const char *gdb_read_register(struct gdb_client *gdb, unsigned number,
                              unsigned char *bytes, size_t size);

/* Sets or removes a breakpoint. size is the length of the instruction in bytes.
 */
const char *gdb_change_breakpoint(struct gdb_client *gdb, uint64_t address,
                                  unsigned size, bool set);

/* Lets the target run, or execute one instruction if `one` is true. Call
 * gdb_wait_for_stop next. */
const char *gdb_resume(struct gdb_client *gdb, bool one);

/* Waits until the target stops or ends, at most this many milliseconds.
 * gdb->state holds the result. */
const char *gdb_wait_for_stop(struct gdb_client *gdb, int milliseconds);

/* Halts the target. */
const char *gdb_halt(struct gdb_client *gdb);

/* Disconnects from the target, which continues to run. */
const char *gdb_detach(struct gdb_client *gdb);

/* ---- gdb_counts.c ----
 *
 * Reads the counts of an ELF from the memory of a target through a GDB server.
 * Besides the counters and bitmaps, the functions read proofs that the target
 * runs this ELF: the guard word, the build id, and samples of the code.
 * Functions return NULL or the error. */

/* The kinds of data in a range of the target's memory. Proofs are the guard
 * word, the build id, and value slots. */
enum counts_range_kind { COUNTS_COUNTERS, COUNTS_BITMAP, COUNTS_PROOF };

struct counts_range {
  uint64_t address, size;
  enum counts_range_kind kind;
};

struct gdb_counts {
  const struct elf *elf;
  struct counts_range *ranges;
  size_t count;
  unsigned element;      /* the size of a counter in bytes */
  uint64_t counters_end; /* the end of the last range of counters */
  uint64_t guard;        /* the address of the guard word; 0: the ELF lacks a
                            guard word */
  bool ones;             /* the initial value of a counter is 0xFF */
  bool proven;           /* the memory has proved that the target runs this
                            ELF */
  bool counted;          /* a counter differs from its initial value */
  uint64_t other;        /* the address where the target's code differs from the
                            ELF's code */
  bool blank;            /* the memory at the address `other` is blank */
};

/* The error if the target runs other code than the ELF's. */
extern const char gdb_counts_other[];

/* Finds the ranges in an ELF. The caller calls gdb_counts_free in any case. */
const char *gdb_counts_find_ranges(struct gdb_counts *counts,
                                   const struct elf *elf);
void gdb_counts_free(struct gdb_counts *counts);

/* Writes the initial values of counters, bitmaps and guard word, as
 * bareprof_init does. */
const char *gdb_counts_write_initial(const struct gdb_counts *counts,
                                     struct gdb_client *gdb);

/* Fills counters and bitmaps with 0xA5. If start-up code does not clear them,
 * this value remains and shows the fault. */
const char *gdb_counts_poison(const struct gdb_counts *counts,
                              struct gdb_client *gdb);

/* Reads the ranges into a core file in memory, which join_add_file parses. If
 * `poisoned` is true, a counter that start-up code has not cleared is an error.
 */
const char *gdb_counts_read(struct gdb_counts *counts, struct gdb_client *gdb,
                            bool poisoned, struct buffer *core);

/* Compares samples of the code with the ELF. If they match after
 * gdb_counts_read, the target runs this ELF, and the server's answers belong to
 * the commands. */
const char *gdb_counts_compare_code(struct gdb_counts *counts,
                                    struct gdb_client *gdb);

/* ---- gdb_stack.c ----
 *
 * Finds the active calls of the halted core, as far as they are certain. A list
 * has the address where the core is halted, then the calls, innermost first.
 * GDB_STACK_ENDED means that the program had ended itself, GDB_STACK_EXCEPTION
 * that an exception came at the next address. Callers put GDB_STACK_END after
 * the list of each core.
 */
enum { GDB_STACK_EXCEPTION = 1, GDB_STACK_ENDED = 3, GDB_STACK_END = 5 };

/* gdb_stack_add_note adds the calls to a core file that gdb_counts_read has
 * made. gdb_stack_parse_note appends the calls in a core file to a list of
 * uint64_t. Both return NULL or the error. */
const char *gdb_stack_add_note(struct gdb_client *gdb, const struct elf *elf,
                               bool ended, struct buffer *core);
const char *gdb_stack_parse_note(struct bytes file, struct buffer *list);

/* ---- gdb_visit.c: stops ----
 *
 * The stops of a visit. A target runs until it reaches a function, until it
 * ends, or until the time is over. */

enum stop_reason {
  STOP_AT,    /* the target has reached a function that the user named */
  STOP_START, /* the target has reached the entry point of an ELF again */
  STOP_EXIT,  /* the target has reached a function or trap that ends the
                 program */
  STOP_TRAP,  /* the target has reached a semihosting trap; a register tells
                 whether the trap ends the program */
  STOP_ASKED,
  STOP_TIME,
  STOP_OTHER /* the target has stopped without a breakpoint: a fault, or the
                program turned off the machine */
};

enum { STOPS_MOST = 256, AT_MOST = 16 };

struct stop_points {
  struct {
    uint64_t address;
    unsigned size;
    enum stop_reason why;
    size_t of;      /* the index of the ELF that the stop belongs to; SIZE_MAX:
                       the stop belongs to all ELFs */
    const char *at; /* the stop as the user wrote it, for STOP_AT */
    uint64_t cores; /* the bit mask of cores that have started at this stop, for
                       STOP_START */
  } list[STOPS_MOST];
  size_t count, met;     /* met: the index of the last stop that was reached */
  const struct elf *elf; /* any ELF of the target; only its machine is used */
  /* Returns whether the user wants to halt the target; may be NULL. */
  bool (*asked)(void *context);
  void *context;
  uint64_t timeout; /* the timeout in milliseconds; 0: none */
};

/* ---- gdb_visit.c ----
 *
 * A visit to a target through its GDB server prepares the counts, lets the
 * target run until a stop, reads the counts, and disconnects. */

/* One ELF that runs on the target. */
struct gdb_visit_elf {
  const char *name;
  struct gdb_counts counts;
  struct buffer core; /* the counts in a core file, which join_add_file
                         parses */
  bool read;          /* the counts were read at a stop of this ELF */
  bool absent;        /* the code of the ELF was not in memory at reset */
};

enum { WHERE_ROOM = 500 };

struct gdb_visit {
  /* The caller sets the next members; all others are 0 at first. */
  const char *const *at; /* the functions to stop at, as FUNCTION or
                            ELF:FUNCTION */
  size_t at_count;       /* the number of functions, at most AT_MOST */
  bool until;            /* a text on the console can end the visit */
  uint64_t most;         /* the time limit in ms, for messages; 0: unlimited */
  /* Receives the counts of an ELF before the ELF restarts; may be NULL. Returns
   * 0, or 1 after an error. */
  int (*on_restart)(void *context, const struct gdb_visit *visit, size_t which);
  bool ends;   /* the visit stops where the program ends; for QEMU, which
                         starts at reset */
  bool init;   /* the visit first writes initial values; see
                gdb_counts_write_initial */
  bool poison; /* the visit poisons the counters; see
                         gdb_counts_poison */
  bool runs;   /* the target runs before the counts are read */
  struct gdb_client gdb;    /* the caller sets its link */
  struct stop_points stops; /* the caller sets the members asked, context and
                               timeout */
  /* The next members are the result of the visit. */
  enum stop_reason why;
  const char *about; /* the name of the ELF that an error is about; NULL: the
                        server */
  size_t restarts;   /* the number of times that an ELF has restarted */
  char where[WHERE_ROOM]; /* the place where the core is halted, if this helps
                             the user */
  bool fault;             /* the core is in a fault handler */
  bool moved;             /* the code runs at another address than its link
                             address */
  /* The other members are only for gdb_visit.c. */
  struct gdb_visit_elf *list;
  size_t count;
  uint32_t found; /* bit i: an ELF contains the function at[i] */
};

/* Adds an ELF. Returns 0, or reports the error and returns 1. */
int gdb_visit_add_elf(struct gdb_visit *visit, const char *name,
                      const struct elf *elf);

/* Prepares the counts, lets the target run, and reads the counts. Leaves the
 * target halted. Returns NULL or the error. */
const char *gdb_visit_run(struct gdb_visit *visit);

/* gdb_visit_resume lets the target run on, while the caller may do other work.
 * gdb_visit_wait_and_read reads the counts again after so many milliseconds, or
 * earlier if the user wants to halt the target. */
const char *gdb_visit_resume(struct gdb_visit *visit);
const char *gdb_visit_wait_and_read(struct gdb_visit *visit,
                                    uint64_t milliseconds);

/* Lets the target run on after gdb_visit_run has timed out, until the timeout
 * or another stop. */
const char *gdb_visit_continue_and_read(struct gdb_visit *visit);

/* Reports the ELFs for which nothing in memory proved that the target runs
 * them. */
void gdb_visit_warn_unproven(const struct gdb_visit *visit);

void gdb_visit_free(struct gdb_visit *visit);

/* ---- gdb_where.c ---- */

/* Tells the user that the target runs, and when the counts will be read. */
void gdb_visit_print_begin(const struct gdb_visit *visit);

/* Writes to visit->where where the core is halted. */
void gdb_where_describe(struct gdb_visit *visit);

/* Reports the error of a visit and returns 1. `source` is the name of the
 * server. */
extern const char gdb_visit_other_machine[];
int gdb_visit_report_error(const struct gdb_visit *visit, const char *source,
                           const char *error);

/* Returns the first stop of --at that was set, or NULL. Call this function only
 * after a stop of another kind: then the target has not reached the stop of
 * --at. */
const char *gdb_visit_find_missed_stop(const struct gdb_visit *visit);

/* Reports that no counter of this ELF has counted, and returns 1. */
int gdb_visit_report_no_counts(const struct gdb_visit *visit, size_t i);

/* ---- gdb_visit.c: helpers for links ---- */

/* Sends bytes to a port, for gdb_link.write. Returns false after an error. */
bool gdb_visit_write_to_port(struct port *port, const void *bytes, size_t size);

/* Searches the output of a console for a text. */
enum { UNTIL_MOST = 255 };
struct console_searcher {
  const char *text; /* the text to find, 1 to UNTIL_MOST bytes; NULL: no
                       search */
  char last[UNTIL_MOST];
  size_t held;
  bool seen;
};
void gdb_search_console(struct console_searcher *until,
                        const unsigned char *bytes, size_t size);

#endif
