/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a command (QEMU, a flasher, `cat /dev/ttyACM0`) as a console: what it
 * says is shown without the frames of dumps, and kept in a log, until each ELF
 * has the dumps that are wanted.
 */
#ifndef BAREPROF_TOOLS_CONSOLE_H
#define BAREPROF_TOOLS_CONSOLE_H

#include "inputs.h"

struct console {
  /* From the command line. */
  char **command;   /* up to NULL */
  const char *log;  /* the file that gets all it says */
  unsigned count;   /* whole dumps of each ELF, behind which it is ended */
  uint64_t timeout; /* ms that it may take; 0: until nothing is heard for
                       CONSOLE_PATIENCE */
  bool quiet;       /* show nothing of it */
  /* What came of it. */
  size_t frames;    /* of dumps, whole or not */
  size_t dumps;     /* whole ones, of the ELFs */
  bool refused;     /* the firmware refused a dump */
  bool ended;       /* the command, by itself; then */
  int status;       /* of it, as waitpid has it */
  bool out_of_time; /* before all dumps had come */
};

enum { CONSOLE_PATIENCE = 60000 };

/* Runs it. The inputs have their ELFs already. What it starts is ended with
 * it, also when a signal ends us. 0, or 1: it could not be run; that is
 * reported. Ctrl-C ends the command, and no more. */
int console_run(struct console *console, const struct inputs *inputs);

#endif
