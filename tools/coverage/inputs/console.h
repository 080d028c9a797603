/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Listens to a console, which is a command's output (QEMU, a flasher) or a
 * port, until each ELF has the wanted dumps. Shows the output without the
 * frames of dumps, and keeps the output in a log. Sends nothing to a port,
 * unless it is to ask.
 */
#ifndef BAREPROF_TOOLS_CONSOLE_H
#define BAREPROF_TOOLS_CONSOLE_H

#include "../../base/os.h"
#include "inputs.h"

struct console {
  /* From the command line. */
  char **command;   /* up to NULL; of no words with a port */
  const char *port; /* as of wire/port.h; or NULL */
  unsigned long baud;
  const char *log;  /* the file that gets all output */
  unsigned count;   /* complete dumps of each ELF before the command is ended */
  uint64_t timeout; /* ms that it may take; 0: until nothing is heard for
                       CONSOLE_PATIENCE */
  bool quiet;       /* show nothing of it */
  /* If not NULL, called at most each `every` ms, when whole dumps have come:
   * they are in the log by then. Returns 0, or 1 to end at once. */
  int (*look)(void *context);
  void *context;
  uint64_t every;
  bool asks; /* request dumps of the port, each `every` ms, if counts change;
                a last one at the end */
  void (*tick)(void *context); /* called some times a second; or NULL */
  bool endless; /* count dumps are enough, and yet more are listened to */
  /* The result. */
  size_t frames; /* of dumps, complete or not */
  size_t dumps;  /* complete dumps of the ELFs, of each up to count */
  bool refused;  /* the firmware refused a dump */
  /* If there were no frames: what is lost, or NULL; why there are none. */
  const char *lost, *lacks;
  bool ended;    /* The command ended by itself; then status is set. */
  bool closed;   /* the port has gone */
  struct os_losses losses; /* of the port */
  int status;              /* of it, for os.h */
  bool out_of_time;        /* the time was over before all dumps had come */
  bool unanswered; /* the last request, of a firmware that had answered */
};

enum { CONSOLE_PATIENCE = 60000 };

/* Runs the command, or listens to the port. The inputs have their ELFs already.
 * The command's child processes are ended with the command, also when a signal
 * ends bareprof.
 * Returns 0; or 1 if the command could not run, which is reported. Ctrl-C ends
 * only the command. */
int console_run(struct console *console, const struct inputs *inputs);

#endif
