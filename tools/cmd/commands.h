/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares all commands of `bareprof`. A command is defined in the file with
 * its name, except run and live (report.c), init (init_project.c), probes lower
 * (probes.c) and some of mip (mip_info.c, mip_whole.c, mip_covered.c). main.c
 * runs command_bareprof, whose table in help.c lists all other commands.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include <stdbool.h>

#include "../base/options.h"

/* The command bareprof itself, which contains all other commands. */
extern const struct command command_bareprof;

extern const struct command command_cc, command_doctor, command_explain,
    command_extract, command_help, command_init, command_join, command_live,
    command_match, command_merge, command_mip, command_order, command_overlap,
    command_probes, command_receive, command_report, command_run,
    command_samples, command_show, command_tests_for, command_trace;

/* Subcommands of mip and probes. */
extern const struct command command_mip_cold, command_mip_covered,
    command_mip_create, command_mip_edges, command_mip_extract, command_mip_hot,
    command_mip_info, command_mip_instrument, command_mip_merge,
    command_mip_patch, command_mip_prof, command_mip_show, command_probes_lower;

/* The values of --encoding, indexed by enum probe_encoding; NULL ends them. */
extern const char *const probe_encodings[];

/* ---- receive_gdb.c ----
 *
 * Implements bareprof receive --port gdb: reads the counters through a GDB
 * server, without code on the target.
 */

/* The options of bareprof receive that apply to a GDB server. */
struct gdb_settings {
  const char *server; /* the address of the server as HOST:PORT */
  /* The symbol, and the text of the console, at which to read the counters; and
   * the port of the console. NULL: not given. */
  const char *at, *until, *console;
  unsigned long baud;
  bool poison, reset, halt, quiet, increments, allow_missing;
  uint64_t timeout; /* the limit in ms; 0: no limit */
  uint64_t every;   /* the interval between reads in ms; 0: read once */
  unsigned count;   /* the number of reads; 0: no limit */
  const char *out;
};

/* Returns the error if settings exclude or need each other, otherwise NULL. */
const char *receive_gdb_check_settings(const struct gdb_settings *settings);

/* Reads the counters of the ELF from the target and writes the profile. Returns
 * the exit status. */
int receive_gdb_counters(const struct gdb_settings *settings,
                         const char *elf_name);

#endif
