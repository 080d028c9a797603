/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The commands of `bareprof`, one file each.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "../base/options.h"

/* bareprof itself, with all its commands. */
extern const struct command command_bareprof;

extern const struct command command_cc, command_diff, command_doctor,
    command_extract, command_help, command_join, command_live, command_match,
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

#endif
