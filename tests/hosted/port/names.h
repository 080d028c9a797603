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

/* Takes the name from LLVM_PROFILE_FILE or the compiler again. */
void __llvm_profile_initialize_file(void);
/* That, and the writing at exit, which is there once however often. */
void __llvm_profile_initialize(void);
int __llvm_profile_register_write_file_atexit(void);

/* The name as it is now, from malloc: the caller frees it. "", which is not
 * to be freed, if there is none. */
const char *__llvm_profile_get_filename(void);
/* The folder in it with its slash, or "". */
const char *__llvm_profile_get_path_prefix(void);

/* Nothing more is to be written, until the counters are reset. */
void __llvm_profile_set_dumped(void);
/* Profiles go to file, which is merged into or written behind what it has: 0,
 * or 1 if they cannot. LLVM 18 and earlier return nothing. */
int __llvm_profile_set_file_object(FILE *file, int merge);

/* Whether the name has %c. */
int __llvm_profile_is_continuous_mode_enabled(void);

/* Makes the folders on the way to a file; the mode is 0755 if not set. */
void __llvm_profile_recursive_mkdir(char *path);
void __llvm_profile_set_dir_mode(unsigned mode);
unsigned __llvm_profile_get_dir_mode(void);

/* The number of %m. */
uint64_t lprofGetLoadModuleSignature(void);

/* Any object may ask for it; the driver does: it brings the port in. */
extern int __llvm_profile_runtime;

#endif
