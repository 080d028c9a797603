/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof, the host tool: the table of its commands.
 */
#include <string.h>

#include "../base/file.h"
#include "../base/interrupt.h"
#include "../base/os.h"
#include "bareprof.h"
#include "commands.h"

static const struct command *const commands[] = {
    &command_run,     &command_live,   &command_report,  &command_doctor,
    &command_receive, &command_join,   &command_trace,   &command_extract,
    &command_tests_for,                                           /* coverage */
    &command_merge,   &command_show,   &command_diff,    &command_overlap,
    &command_order,   &command_match,                             /* profiles */
    &command_samples, &command_probes, &command_mip,              /* samples */
    &command_cc,      &command_help,   NULL};

static const struct command_group groups[] = {
    {&command_run, "Coverage"},
    {&command_merge, "Profiles"},
    {&command_samples, "Samples, and functions that ran"},
    {&command_cc, "Compiling, and help"},
    {0}};

const struct command command_bareprof = {
    .name = "",
    .usage = "COMMAND [options] FILE...",
    .below = commands,
    .groups = groups,
    .notes = "`bareprof COMMAND --help` lists the options, `bareprof "
             "--version` prints the version.\nExit status: 0 done, 1 the input "
             "is bad or incomplete, 2 wrong usage.",
    .examples = "bareprof doctor fw.elf\n"
                "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof report fw.elf console.log --fail-under lines=80"};

/* Returns the exit status: standard output may have failed. A reader that
 * closes the pipe has seen enough. */
static int finish(int status) {
  return !os_reader_gone() && flush_standard_output() ? 1 : status;
}

/* Under this name the tool is a compiler launcher without further words. */
static bool is_launcher(const char *path) {
  const char *name = os_base(path);
  size_t size = strlen("bareprof-cc");
  return os_same_name(name, "bareprof-cc", size) &&
         (!name[size] || strcmp(name + size, os_program_end) == 0);
}

int main(int argc, char **argv) {
  os_begin(&argc, &argv);
  interrupt_catch();
  if (argc > 0 && is_launcher(argv[0]))
    return finish(command_cc.run(&command_cc, argc, argv));
  if (argc > 1 &&
      (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
    printf("bareprof %d.%d.%d\n", BAREPROF_VERSION >> 16,
           BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
    return finish(0);
  }
  return finish(commands_run(&command_bareprof, argc, argv));
}
