/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A client of GDB's remote protocol, for QEMU, OpenOCD and programs of debug
 * probes. It reads and writes memory, reads registers, sets breakpoints, and
 * lets the target run. The server may answer anything: each answer is bounded
 * in size and in time. Functions return NULL or the error.
 */
#ifndef BAREPROF_TOOLS_GDB_H
#define BAREPROF_TOOLS_GDB_H

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../base/error.h"
#include "../object/elf.h"
#include "port.h"

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
  char machine[24];      /* the target's, as GDB calls it; "": not known */
  bool m_profile;        /* it is a Cortex-M */
  unsigned thread;       /* the number of the core that stopped last */
  uint64_t failed;       /* where memory could not be read or written */
  /* Only for gdb.c. */
  enum gdb_state state;
  size_t packet; /* that the server takes */
  unsigned char got[4096];
  size_t got_at, got_size;
  size_t taken; /* bytes since the last command */
  uint64_t left, limit; /* ms that answers may still take; until when, or 0 */
  unsigned char command[GDB_PACKET_MOST + 8], answer[GDB_PACKET_MOST + 1];
  size_t command_size, size; /* size: of the answer, which ends in a zero */
};

/* Greets the server, which halts the target. */
const char *gdb_begin(struct gdb *gdb);

/* Whether a program of this ELF may run on the target. */
bool gdb_fits(const struct gdb *gdb, const struct elf *elf);

/* The errors of memory that cannot be read or written; then the server still
 * answers. gdb_gone: the server has ended. */
extern const char gdb_unreadable[], gdb_unwritable[], gdb_gone[];
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

/* Reads the register of this number. */
const char *gdb_register(struct gdb *gdb, unsigned number,
                         unsigned char *bytes, size_t size);

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

/* ---- gdb_counts.c ----
 *
 * The counts of an ELF in the memory of a target that a GDB server shows. Only
 * the ranges of counters and bitmaps are read, with what proves them: the guard
 * word, the build id, samples of the code. Functions return NULL or the error.
 */

/* What a range of the target's memory has. A proof is the guard word, the build
 * id, or value slots. */
enum counts_kind { COUNTS_COUNTERS, COUNTS_BITMAP, COUNTS_PROOF };

struct counts_range {
  uint64_t address, size;
  enum counts_kind kind;
};

struct gdb_counts {
  const struct elf *elf;
  struct counts_range *ranges;
  size_t count;
  unsigned element;      /* bytes of a counter */
  uint64_t counters_end; /* of the last range of counters */
  uint64_t guard;        /* its address; 0: there is none */
  bool ones;             /* counters begin at 0xFF */
  bool proven;           /* the target was seen to run this ELF */
  bool counted;          /* a counter was another than at first */
  uint64_t other;        /* where code is not that of the ELF, */
  bool blank;            /* but nothing at all */
};

/* The error of another code on the target. */
extern const char counts_other[];

/* Finds the ranges. The caller calls counts_free in any case. */
const char *counts_find(struct gdb_counts *counts, const struct elf *elf);
void counts_free(struct gdb_counts *counts);

/* Gives counters, bitmaps and the guard word their initial value, as
 * bareprof_init does. */
const char *counts_init(const struct gdb_counts *counts, struct gdb *gdb);

/* Fills counters and bitmaps with 0xA5, which start-up code has to clear. */
const char *counts_poison(const struct gdb_counts *counts, struct gdb *gdb);

/* Reads the ranges into the image of a core, for join_file. poisoned: a counter
 * that nobody cleared is an error. */
const char *counts_take(struct gdb_counts *counts, struct gdb *gdb,
                        bool poisoned, struct buffer *core);

/* Compares samples of the code. After counts_take that shows that the target
 * runs this ELF, and that each answer was to its question. */
const char *counts_compare(struct gdb_counts *counts, struct gdb *gdb);

/* ---- stops ----
 *
 * Lets a target run by a GDB server until it reaches a function, ends, or was
 * given enough time. Functions that return a text return NULL or the error.
 */

enum stop {
  STOP_AT,   /* at the function that the user named */
  STOP_START, /* where an ELF begins, again */
  STOP_EXIT, /* at a function, or at a trap, that ends the program */
  STOP_TRAP, /* semihosting; ends the program if a register says so */
  STOP_ASKED,
  STOP_TIME,
  STOP_OTHER /* by itself: a fault, or the program turned the machine off */
};

enum { STOPS_MOST = 256, AT_MOST = 16 };

struct stops {
  struct {
    uint64_t address;
    unsigned size;
    enum stop why;
    size_t of;      /* the ELF that it is of; SIZE_MAX: all */
    const char *at; /* STOP_AT: the user's word */
    uint64_t cores; /* STOP_START: those that have begun there */
  } list[STOPS_MOST];
  size_t count, met; /* met: the last one */
  const struct elf *elf; /* one of the target's: its machine */
  /* Whether the target is to be halted; or NULL. */
  bool (*asked)(void *context);
  void *context;
  uint64_t timeout; /* ms; 0: none */
};

/* Stops at a function, or at an address that begins with 0x; on Arm, bit 0 says
 * Thumb. of: as in the list. false: the ELF has no such symbol, or there are
 * too many stops. */
bool stops_at(struct stops *stops, const struct elf *elf, const char *symbol,
              enum stop why, size_t of);

/* ---- gdb_visit.c ----
 *
 * A visit to a target by its GDB server: prepares its counts, lets the target
 * run until a stop, reads the counts, and leaves.
 */

/* An ELF that runs on the target. */
struct visited {
  const char *name;
  struct gdb_counts counts;
  struct buffer core; /* the result, for join_file */
  bool read;          /* at its own stop */
  bool absent;        /* its code was not in the memory at reset */
};

enum { WHERE_ROOM = 500 };

struct visit {
  /* From the caller; all else is 0 at first. */
  const char *const *at; /* functions to stop at: FUNCTION, or ELF:FUNCTION */
  size_t at_count;       /* up to AT_MOST */
  bool until;            /* a text of the console ends it */
  uint64_t most;         /* ms in all, for what is told; 0: no end */
  /* Gets the counts of an ELF that begins again; or NULL. Returns 0 or 1. */
  int (*earlier)(void *context, const struct visit *visit, size_t which);
  bool ends;          /* stop where the program ends: QEMU, from reset on */
  bool init;          /* set initial values first; see counts_init */
  bool poison;        /* see counts_poison */
  bool runs;          /* let the target run before the read */
  struct gdb gdb;     /* its link */
  struct stops stops; /* asked, context, timeout */
  /* Result. */
  enum stop why;
  const char *about; /* the ELF that an error is about; NULL: the server */
  size_t restarts;   /* how often an ELF has begun again */
  char where[WHERE_ROOM]; /* where the core stands, if that tells something */
  bool fault;             /* in the handler of a fault */
  bool moved;             /* in code that is linked for another address */
  /* Only for gdb_visit.c. */
  struct visited *list;
  size_t count;
  uint32_t found; /* bit i: an ELF has the function of at[i] */
};

/* Adds an ELF. Returns 0, or reports the error and returns 1. */
int visit_elf(struct visit *visit, const char *name, const struct elf *elf);

/* Prepares, lets run and reads; the target is halted then. Returns NULL or the
 * error. */
const char *visit_run(struct visit *visit);

/* Lets the target run on; so many milliseconds later, or when it is asked to
 * halt, the counts are read again. Between both, the caller may work. */
const char *visit_resume(struct visit *visit);
const char *visit_again(struct visit *visit, uint64_t milliseconds);

/* After visit_run with a timeout: goes on for so long, or to another stop. */
const char *visit_on(struct visit *visit);

/* Says which ELFs nothing on the target proves. */
void visit_tell(const struct visit *visit);

void visit_free(struct visit *visit);

/* ---- gdb_where.c ---- */

/* Says that the target runs, and when it is read. */
void visit_tell_begin(const struct visit *visit);

/* Says in visit->where where the halted core stands. */
void gdb_where(struct visit *visit);

/* Reports the error of a visit; 1. source: the server. */
extern const char visit_other_machine[];
int visit_fail(const struct visit *visit, const char *source,
               const char *error);

/* The first of --at that was not reached, after another stop; or NULL. */
const char *visit_missed(const struct visit *visit);

/* Reports that nothing of this ELF counted; 1. */
int visit_silent(const struct visit *visit, size_t i);

/* ---- parts of links ---- */

/* Bytes of a port, for a link. */
bool visit_send(struct port *port, const void *bytes, size_t size);

/* Looks for a text in what a console prints. */
enum { UNTIL_MOST = 255 };
struct until {
  const char *text; /* of 1 to UNTIL_MOST bytes; NULL: none */
  char last[UNTIL_MOST];
  size_t held;
  bool seen;
};
void until_feed(struct until *until, const unsigned char *bytes, size_t size);

#endif
