/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The commands of `bareprof`, a file each. A command gets the arguments from
 * its own name on, and returns the exit status: 0 done; 1 the input is bad or
 * incomplete, one line on standard error has said why; 2 wrong usage.
 */
#ifndef BAREPROF_TOOLS_COMMANDS_H
#define BAREPROF_TOOLS_COMMANDS_H

int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_extract(int argc, char **argv);
int command_join(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_mip(int argc, char **argv);
int command_order(int argc, char **argv);
int command_overlap(int argc, char **argv);
int command_probes(int argc, char **argv);
int command_receive(int argc, char **argv);
int command_report(int argc, char **argv);
int command_samples(int argc, char **argv);
int command_show(int argc, char **argv);

#endif
