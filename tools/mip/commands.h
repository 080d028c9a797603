/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The commands of `bareprof mip`. Each gets the arguments from its own name
 * on, and returns the exit status: 0 done; 1 the input is bad or incomplete,
 * one line on standard error has said why; 2 wrong usage. In options and
 * complaints a command is called by both words, such as "mip show".
 */
#ifndef MIP_COMMANDS_H
#define MIP_COMMANDS_H

int mip_cold(int argc, char **argv);
int mip_covered(int argc, char **argv);
int mip_create(int argc, char **argv);
int mip_edges(int argc, char **argv);
int mip_extract(int argc, char **argv);
int mip_from_yaml(int argc, char **argv);
int mip_hot(int argc, char **argv);
int mip_info(int argc, char **argv);
int mip_instrument(int argc, char **argv);
int mip_merge(int argc, char **argv);
int mip_patch(int argc, char **argv);
int mip_show(int argc, char **argv);
int mip_to_yaml(int argc, char **argv);

#endif
