/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A visit to a target by its GDB server: prepares its counts, lets the target
 * run until a stop, reads the counts, and leaves.
 */
#ifndef BAREPROF_TOOLS_GDB_VISIT_H
#define BAREPROF_TOOLS_GDB_VISIT_H

#include "gdb_counts.h"
#include "gdb_stops.h"
#include "port.h"

/* An ELF that runs on the target. */
struct visited {
  const char *name;
  struct gdb_counts counts;
  struct buffer core; /* the result, for join_file */
};

struct visit {
  /* From the caller; all else is 0 at first. */
  const char *at;  /* the function to stop at, or NULL */
  bool ends;       /* stop where the program ends */
  bool init;       /* set initial values first; see counts_init */
  bool poison;     /* see counts_poison */
  bool runs;       /* let the target run before the read */
  struct gdb gdb;  /* its link */
  struct stops stops; /* asked, context, timeout */
  /* Result. */
  enum stop why;
  const char *about; /* the ELF that an error is about; NULL: the server */
  /* Only for gdb_visit.c. */
  struct visited *list;
  size_t count;
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
