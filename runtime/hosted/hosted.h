/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the POSIX port have of each other. Each program and each
 * shared library has a copy of its own of all of it, a module: the names are
 * hidden.
 */
#ifndef BAREPROF_HOSTED_H
#define BAREPROF_HOSTED_H

#include "../layout.h"

/* identity.c: bareprof_running, as what it is: writable. */
extern struct bareprof_image bareprof_hosted_image;
/* Where this module is in memory. */
bool bareprof_hosted_is_here(uintptr_t address);

/* report.c: `bareprof: FILE: what is wrong; what to do` on standard error. */
void bareprof_hosted_report(const char *file, const char *what,
                            const char *then);
/* The same for an error: an errno, which is positive, with what to do then;
 * or one of enum bareprof_error. Silent on 0. */
void bareprof_hosted_report_error(const char *file, int error,
                                  const char *then);

/* name.c: where profiles go. choose is for the start: the environment, else
 * the compiler's name, else the default; set is the program's own choice. */
void bareprof_hosted_choose_name(void);
void bareprof_hosted_set_name(const char *pattern);
/* Fills in the pattern: 0, or -1 if there is no name, which is reported. */
int bareprof_hosted_name(char *to, size_t size);
/* Whether the pattern has %m, and whether it has %c. */
bool bareprof_hosted_is_pool(void);
bool bareprof_hosted_is_continuous(void);

/* storage.c: bareprof_values, as what it is: writable. values.c makes room
 * for it, before any value is seen. */
extern struct bareprof_values bareprof_hosted_storage;
void bareprof_hosted_make_values(void);

/* signature.c: how many values compiler-rt has room for in this module; and
 * the number of %m, the same as compiler-rt's. */
uint64_t bareprof_hosted_nodes(void);
uint64_t bareprof_hosted_signature(void);

/* profile.c: as bareprof_write, _match and _merge, and for images without
 * records or without anything. counters_at is the offset of the counters. */
int bareprof_hosted_write(const struct bareprof_sink *sink);
int bareprof_hosted_match(const void *profile, size_t size);
int bareprof_hosted_merge(const void *profile, size_t size);
size_t bareprof_hosted_counters_at(void);

/* moved.c: gives a profile of this build the addresses of this process. */
void bareprof_hosted_settle(unsigned char *profile, size_t size);

/* output.c: a profile to a descriptor, from where it stands: 0 or an error of
 * bareprof, or a positive errno. */
int bareprof_hosted_put_file(int file);

/* pool.c: opens a file that several processes add to, and locks it; -1 and
 * errno if that cannot be done. Closing it opens the lock. name is written to
 * on the way. */
int bareprof_hosted_open_pool(char *name);
int bareprof_hosted_lock(int file, bool on);
/* Has a function use what is in the file, if anything; as if this process had
 * written it. Its error, or an errno. */
int bareprof_hosted_read_file(int file, int (*use)(const void *, size_t));
/* Merges and writes the profile in the place of what was there: as above. */
int bareprof_hosted_put_pool(int file);

/* continuous.c: has the counters in the file from now on, if it can, and says
 * so if not. Whether they are. */
void bareprof_hosted_go_continuous(void);
void bareprof_hosted_map(int file, const char *name, bool pool);
bool bareprof_hosted_is_mapped(void);

/* file.c: at exit: __llvm_profile_write_file, silent if all is written. */
void bareprof_hosted_write_last(void);

#endif
