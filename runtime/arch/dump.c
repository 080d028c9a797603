/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines compiler-rt's functions that write a profile to a named file. The
 * functions use semihosting: the debugger or QEMU writes the file on the host.
 * Without a debugger or QEMU, a semihosting call faults; such programs call
 * bareprof_write with a sink of their own.
 */
#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "profile/instr_prof_interface.h"

/* Instrumented objects define this name if a compiler option gives one.
 * Patterns such as %m are not expanded, because they are for many processes on
 * one disk. */
extern const char __llvm_profile_filename[];
const char __llvm_profile_filename[] __attribute__((weak)) = "default.profraw";

static const char *chosen_name;

void __llvm_profile_set_filename(const char *name) { chosen_name = name; }

int __llvm_profile_write_file(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  const char *name = chosen_name ? chosen_name : __llvm_profile_filename;
  /* No file is created if bareprof_write would return an error. */
  if (bareprof_size() == 0 || bareprof_semihosting_open(&file, name))
    return -1;
  int error = bareprof_write(&sink);
  int close_error = bareprof_semihosting_close(&file);
  return error || close_error ? -1 : 0;
}

int __llvm_profile_dump(void) { return __llvm_profile_write_file(); }
