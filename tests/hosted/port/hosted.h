/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The interfaces between the files of the POSIX port. Each program and each
 * shared library is a module, with its own copy of everything: the names are
 * hidden.
 */
#ifndef BAREPROF_HOSTED_H
#define BAREPROF_HOSTED_H

#include "profraw_write.h"
#include "values.h"
#include "weak_hooks.h"

/* identity.c: bareprof_running, which is writable here. */
extern struct bareprof_image bareprof_hosted_image;
/* Where this module is in memory; slide is not set. */
extern struct bareprof_slide bareprof_hosted_module;

static inline bool bareprof_hosted_is_here(uintptr_t address) {
  return address >= bareprof_hosted_module.begin &&
         address < bareprof_hosted_module.end;
}

/* The ELF header of this module, which is in its first segment. */
extern const unsigned char __ehdr_start[]
    __attribute__((weak, visibility("hidden")));

/* Whether a weak symbol is defined. In shared libraries gold makes the
 * address of one that is not that of the library. */
static inline bool bareprof_hosted_has(const void *symbol) {
  return symbol && symbol != __ehdr_start;
}

/* Additional errors of a merge, beside enum bareprof_error: the profile has
 * timestamps; its records or values are not as required. */
enum { BAREPROF_HOSTED_TEMPORAL = -100, BAREPROF_HOSTED_DAMAGED = -101 };

/* report.c: `LLVM Profile KIND: ` and the strings, of which NULL is the last,
 * as a line on standard error. KIND is Error, Warning or Note. */
void bareprof_hosted_report(const char *kind, ...);
/* What an error of a file is: an errno, which is positive; one of enum
 * bareprof_error; or one of the above. Silent on 0. */
void bareprof_hosted_report_error(const char *file, int error);

/* name.c: the file of profiles. choose is for the start: the environment,
 * otherwise the compiler's name, otherwise the default. set is the program's
 * own choice. Returns whether it differs from the previous one. */
bool bareprof_hosted_choose_name(void);
bool bareprof_hosted_set_name(const char *pattern);
/* Fills in the pattern: 0; or an errno, if there is no name or too long a
 * one. */
int bareprof_hosted_name(char *to, size_t size);
/* Whether the pattern has %m, and whether it has %c. */
bool bareprof_hosted_is_pool(void);
bool bareprof_hosted_is_continuous(void);

/* storage.c: bareprof_values, which is writable here. room.c makes room for it,
 * before any value occurs. */
extern struct bareprof_values bareprof_hosted_storage;
/* room.c: bareprof_values_write, with the most frequent values of each site, as
 * many as it may have. */
void bareprof_hosted_write_values(struct bareprof_writer *writer);
/* Makes room now, if the image has none yet and is to have it from calloc.
 * Whether there is some. */
bool bareprof_hosted_make_values(void);

/* reset.c: stops writing, until the counters are reset. */
extern bool bareprof_hosted_dumped;

/* signature.c: how many values compiler-rt has room for in this module; and
 * the number of %m, the same as compiler-rt's. */
uint64_t bareprof_hosted_nodes(void);
/* Whether all of these are its own. */
bool bareprof_hosted_has_no_nodes(void);
uint64_t bareprof_hosted_signature(void);

/* profile.c: the pieces to write of this module, also if bareprof_check_image
 * refuses: 0, or an error. *bare is for a dump without records. */
int bareprof_hosted_check(struct bareprof_profile *profile,
                          struct bareprof_image *bare);
int bareprof_hosted_write(const struct bareprof_sink *sink);
size_t bareprof_hosted_counters_at(void);

/* claims.c: whether a record counts into another function's counters. */
bool bareprof_hosted_is_shared(const struct bareprof_profile *profile);

/* merge.c: checks that a profile can be merged, and merges it: 0, or the
 * reason why not; then nothing has been added. */
int bareprof_hosted_match(const void *profile, size_t size);
int bareprof_hosted_merge(const void *profile, size_t size);

/* Where the pieces of a profile of this module's version begin. */
struct bareprof_hosted_pieces {
  size_t records;
  size_t counters;
  size_t bitmap;
  size_t names;
  size_t vtables;
  size_t vtable_names;
  size_t values;
};

int bareprof_hosted_find_pieces(struct bareprof_hosted_pieces *pieces,
                                const unsigned char *profile, size_t size);

/* output.c: bytes in memory, at first all 0; with _free behind _make_room,
 * _make and _read, whatever these return. */
struct bareprof_hosted_bytes {
  unsigned char *at;
  size_t size;
  size_t room;
};

/* So many bytes in all, those that are new 0: 0, or an errno. */
int bareprof_hosted_make_room(struct bareprof_hosted_bytes *bytes, size_t room);
/* The profile; the contents of a file. 0 or an error of bareprof, or an
 * errno. */
int bareprof_hosted_make(struct bareprof_hosted_bytes *bytes);
int bareprof_hosted_read(int file, struct bareprof_hosted_bytes *bytes);
void bareprof_hosted_free(struct bareprof_hosted_bytes *bytes);
/* The profile to a descriptor, from where it stands: likewise. */
int bareprof_hosted_put_file(int file);

/* rebase.c: a field of a profile's header; 0 if this version has none. */
uint64_t bareprof_hosted_field(const unsigned char *header, unsigned field);
/* Gives our profile the addresses of one that has been merged. Where their
 * value data begin; or 0, if their pieces are not as long as ours. */
size_t bareprof_hosted_keep_addresses(const struct bareprof_hosted_bytes *ours,
                                      const unsigned char *theirs);

/* replace.c: whether a file is empty, or has a profile that was not written
 * to its end; and a new profile in the place of the old one, which is what
 * the file has. values: where the value data of both begin, or 0. Writes to
 * both. */
bool bareprof_hosted_is_new(const struct bareprof_hosted_bytes *bytes);
int bareprof_hosted_replace(int file, const struct bareprof_hosted_bytes *old,
                            const struct bareprof_hosted_bytes *made,
                            size_t values);

/* pool.c: opens a file that several processes add to, and locks it; -1 and
 * errno if that cannot be done. Closing it opens the lock. name is written to
 * on the way. */
int bareprof_hosted_open_pool(char *name);
int bareprof_hosted_lock(int file, bool on);
/* Merges the profile, and writes the result in place of the file's contents: 0,
 * or an error. */
int bareprof_hosted_put_pool(int file);
/* Has this process's profile in an empty file, or one of this build. */
int bareprof_hosted_begin_pool(int file);

/* continuous.c: has the counters in the file from now on, if it can, and says
 * so if not. */
void bareprof_hosted_go_continuous(void);
int bareprof_hosted_map(int file, const char *name, bool pool);

/* Options of the port, as weak_hooks.h has the runtime's. */

/* storage.c, unless the program brings its own BAREPROF_VALUES. For room.c,
 * which has nothing to make then. */
BAREPROF_WEAK(bareprof_hosted_storage,
              struct bareprof_values hook_hosted_storage);
/* room.c, by file.c, or a hook of values. For profile.c: without, there is no
 * choice of values to make. */
BAREPROF_WEAK(bareprof_hosted_write_values,
              void hook_hosted_write_values(struct bareprof_writer *writer));
/* The same for merge.c: without, there is room, or never will be. */
BAREPROF_WEAK(bareprof_hosted_make_values, bool hook_hosted_make_values(void));

/* output.c, by file.c. For claims.c: without, no memory is asked for. */
BAREPROF_WEAK(bareprof_hosted_make_room,
              int hook_hosted_make_room(struct bareprof_hosted_bytes *bytes,
                                        size_t room));
BAREPROF_WEAK(bareprof_hosted_free,
              void hook_hosted_free(struct bareprof_hosted_bytes *bytes));

#endif
