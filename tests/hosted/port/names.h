/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of compiler-rt that are not in profile/instr_prof_interface.h.
 * They are hidden: each module calls its own.
 */
#ifndef BAREPROF_HOSTED_NAMES_H
#define BAREPROF_HOSTED_NAMES_H

#include <stdint.h>
#include <stdio.h>

#define BAREPROF_INSTR_PROF_ALWAYS 1
#include "profile/instr_prof_interface.h"

/* Sets the name again, from LLVM_PROFILE_FILE or the compiler. */
void __llvm_profile_initialize_file(void);
/* Does the same, and registers the function that writes the profile at exit.
 * Later registrations do nothing. */
void __llvm_profile_initialize(void);
int __llvm_profile_register_write_file_atexit(void);

/* Returns the current name, which the caller frees; or "", which the caller
 * must not free, if the name is missing. */
const char *__llvm_profile_get_filename(void);
/* Returns the folder of the name with its slash, or "". */
const char *__llvm_profile_get_path_prefix(void);

/* From now on, no profile is written until the counters are reset. */
void __llvm_profile_set_dumped(void);
/* Writes profiles to this file from now on: merges them into the file's
 * profile, or appends them. Returns 0; or 1 if the file cannot be used. The
 * function of LLVM 18 and earlier returns nothing. */
int __llvm_profile_set_file_object(FILE *file, int merge);

/* Returns whether the name has %c. */
int __llvm_profile_is_continuous_mode_enabled(void);

/* Makes the folders above a file, with the mode that was set; at first 0755. */
void __llvm_profile_recursive_mkdir(char *path);
void __llvm_profile_set_dir_mode(unsigned mode);
unsigned __llvm_profile_get_dir_mode(void);

/* Returns the number that replaces %m. */
uint64_t lprofGetLoadModuleSignature(void);

/* The compiler driver refers to this symbol, which links the port. */
extern int __llvm_profile_runtime;

#endif
