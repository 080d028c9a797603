/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command by itself, to be compiled with sanitizers.
 */
#include "commands.h"

int main(int argc, char **argv) {
  return command_doctor.run(&command_doctor, argc, argv);
}
