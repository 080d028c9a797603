/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The commands of `bareprof`.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include <stdbool.h>

#include "../base/options.h"
#include "../compare/comparison.h"
#include "../wire/gdb.h"

/* bareprof itself, with all its commands. */
extern const struct command command_bareprof;

extern const struct command command_cc, command_diff, command_doctor,
    command_extract, command_help, command_init, command_join, command_live, command_match,
    command_merge, command_mip, command_order, command_overlap, command_probes,
    command_receive, command_report, command_run, command_samples, command_show,
    command_tests_for, command_trace;

/* Commands below mip and probes. */
extern const struct command command_mip_cold, command_mip_covered,
    command_mip_create, command_mip_edges, command_mip_extract,
    command_mip_from_yaml, command_mip_hot, command_mip_info,
    command_mip_instrument, command_mip_merge, command_mip_patch,
    command_mip_prof, command_mip_show, command_mip_to_yaml,
    command_probes_lower;

/* The words of --encoding, by enum probe_encoding. */
extern const char *const probe_encodings[];

/* ---- compare_options ----
 *
 * The common part of commands on two profiles: A, B and some options.
 */

/* Comes first in a command's own arguments. */
struct compare_arguments {
  const char *names[SIDES];
  const char *out, *elf, *function;
  bool json, no_demangle;
};

/* Rows for the command's table. */
#define COMPARE_ROWS                                               \
  {.name = "json",                                                 \
   .help = "print JSON",                                           \
   OPTION(struct compare_arguments, json)},                        \
      {.name = "no-demangle",                                      \
       .help = "show C++ and Rust names as the compiler has them", \
       OPTION(struct compare_arguments, no_demangle)},             \
      {.name = "elf",                                              \
       .value = "ELF",                                             \
       .help = "the image of raw profiles without records",        \
       OPTION(struct compare_arguments, elf)},                     \
      OUTPUT_ROW("OUT", struct compare_arguments, out)

/* Takes all options, reads A and B and hands them to `compare`, with the
 * command's arguments. Returns the exit status. It is called again, and has
 * printed nothing, if the pair is wrong. */
typedef int compare_pair(const void *arguments, struct record_pair *pair);
int compare_run(const struct command *command, char **argv, int argc,
                struct compare_arguments *arguments, compare_pair *compare);

/* ---- receive_gdb.c ----
 *
 * bareprof receive --gdb: counts by a GDB server, without code on the target.
 */

struct gdb_settings {
  const char *server; /* HOST:PORT */
  const char *at, *until, *console;
  unsigned long baud;
  bool poison, reset, halt, quiet, increments;
  uint64_t timeout; /* ms; 0: none */
  uint64_t every;   /* ms; 0: read once */
  unsigned count;   /* of reads; 0: any */
  const char *out;
};

/* What is wrong with these settings, or NULL. */
const char *receive_gdb_wrong(const struct gdb_settings *settings);

/* Reads the counts of an ELF, and writes the profile. Returns the exit
 * status. */
int receive_gdb(const struct gdb_settings *settings, const char *elf_name);

#endif
