/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip: lists its subcommands.
 */
#include "commands.h"

static const struct command *const commands[] = {&command_mip_instrument,
                                                 &command_mip_patch,
                                                 &command_mip_prof,
                                                 &command_mip_extract,
                                                 &command_mip_create,
                                                 &command_mip_merge,
                                                 &command_mip_show,
                                                 &command_mip_covered,
                                                 &command_mip_hot,
                                                 &command_mip_cold,
                                                 &command_mip_edges,
                                                 &command_mip_info,
                                                 NULL};

const struct command command_mip = {
    .name = "mip",
    .summary =
        "measure coverage, calls and call order with any compiler, GCC too",
    .examples = "bareprof mip patch fw.elf -o patched.elf\n"
                "bareprof mip covered run.mip",
    .usage = "COMMAND [options] FILE...",
    .about =
        "Measures which functions of a program ran, how often and in which "
        "order, for programs of any compiler. Code that records calls is added "
        "to assembly (`bareprof mip instrument`) or to the linked ELF "
        "(`bareprof mip patch`). MIP is short for Machine IR Profile.",
    .subcommands = commands,
    .notes = "`bareprof mip COMMAND --help` describes a subcommand and its "
             "options."};
