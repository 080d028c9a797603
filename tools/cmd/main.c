/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts bareprof, the host tool: runs the command that its arguments name.
 */
#include <string.h>

#include "../base/file.h"
#include "../base/program.h"
#include "../base/os.h"
#include "bareprof.h"
#include "commands.h"

/* Returns whether the tool was started as bareprof-cc. Under this name, the
 * tool is the compiler launcher. */
static bool is_cc_launcher(const char *path) {
  const char *name = os_base_name(path);
  size_t size = strlen("bareprof-cc");
  return os_are_same_name(name, "bareprof-cc", size) &&
         (!name[size] || strcmp(name + size, os_program_end) == 0);
}

int main(int argc, char **argv) {
  os_prepare_program(&argc, &argv);
  interrupt_catch_signals();
  if (argc > 0 && is_cc_launcher(argv[0]))
    exit_after_flush(command_cc.run(&command_cc, argc, argv));
  if (argc > 1 &&
      (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
    printf("bareprof %d.%d.%d\n", BAREPROF_VERSION >> 16,
           BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
    exit_after_flush(0);
  }
  exit_after_flush(command_run_subcommand(&command_bareprof, argc, argv));
}
