/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The command by itself, to be compiled with sanitizers.
 */
int command_doctor(int argc, char **argv);

int main(int argc, char **argv) { return command_doctor(argc, argv); }
