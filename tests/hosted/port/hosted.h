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
/* The addresses of this module in memory; its member `slide` is not set. */
extern struct bareprof_slide bareprof_hosted_module;

static inline bool bareprof_hosted_is_here(uintptr_t address) {
  return address >= bareprof_hosted_module.begin &&
         address < bareprof_hosted_module.end;
}

/* The ELF header of this module, which is in its first segment. */
extern const unsigned char __ehdr_start[]
    __attribute__((weak, visibility("hidden")));

/* Returns whether a weak symbol is defined. In shared libraries, gold gives an
 * undefined weak symbol the address of the library. */
static inline bool bareprof_hosted_has(const void *symbol) {
  return symbol && symbol != __ehdr_start;
}

/* Errors of a merge that enum bareprof_error lacks: the profile has timestamps;
 * its records or values are damaged. */
enum { BAREPROF_HOSTED_TEMPORAL = -100, BAREPROF_HOSTED_DAMAGED = -101 };

/* report.c: prints `LLVM Profile KIND: ` and the strings on standard error.
 * KIND is Error, Warning or Note. The last argument must be NULL. */
void bareprof_hosted_report(const char *kind, ...);
/* Reports an error with a file: an errno (above 0), an enum bareprof_error, or
 * an error from the enum above. Prints nothing if error is 0. */
void bareprof_hosted_report_error(const char *file, int error);

/* name.c: chooses the file for profiles. choose is for the start, and uses the
 * environment's name, the compiler's name, or the default, in this order. set
 * uses the name that the program gives. Both return whether the name is new. */
bool bareprof_hosted_choose_name(void);
bool bareprof_hosted_set_name(const char *pattern);
/* Expands the pattern to a file name. Returns 0, or an errno if the name is
 * missing or too long. */
int bareprof_hosted_name(char *to, size_t size);
/* is_pool returns whether the pattern has %m, is_continuous whether it has %c.
 */
bool bareprof_hosted_is_pool(void);
bool bareprof_hosted_is_continuous(void);

/* storage.c: bareprof_values, which is writable here. room.c allocates its
 * slots before the first value. */
extern struct bareprof_values bareprof_hosted_storage;
/* room.c: does the same as bareprof_values_write, but writes only the most
 * frequent values of each site, up to the limit that the user chose. */
void bareprof_hosted_write_values(struct bareprof_writer *writer);
/* Allocates the slots with calloc, if the image lacks them and the start has
 * not mapped them. Returns whether the image has slots. */
bool bareprof_hosted_make_values(void);

/* reset.c: if true, no profile is written until the counters are reset. */
extern bool bareprof_hosted_dumped;

/* signature.c: nodes returns for how many values compiler-rt would have memory
 * in this module. signature returns the number of %m, the same as
 * compiler-rt's. */
uint64_t bareprof_hosted_nodes(void);
/* Returns whether no object has nodes of its own, so that compiler-rt would
 * have only the nodes of its pool. */
bool bareprof_hosted_has_no_nodes(void);
uint64_t bareprof_hosted_signature(void);

/* profile.c: sets the pieces of this module's profile. Accepts some images that
 * bareprof_check_image refuses. *bare is scratch memory for an image without
 * records, to which *profile may refer. Returns 0 or the error. */
int bareprof_hosted_check(struct bareprof_profile *profile,
                          struct bareprof_image *bare);
int bareprof_hosted_write(const struct bareprof_sink *sink);
size_t bareprof_hosted_counters_at(void);

/* claims.c: returns whether a record claims another function's counters. */
bool bareprof_hosted_is_shared(const struct bareprof_profile *profile);

/* merge.c: match checks whether a profile can be merged, merge also merges it.
 * Both return 0, or the error, after which nothing was added. */
int bareprof_hosted_match(const void *profile, size_t size);
int bareprof_hosted_merge(const void *profile, size_t size);

/* The offsets of a profile's pieces. The profile has this module's version. */
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

/* output.c: bytes in memory. All members are 0 at first. Call _free after
 * _make_room, _make and _read, even if these return an error. */
struct bareprof_hosted_bytes {
  unsigned char *at;
  size_t size;
  size_t room;
};

/* Grows the memory to `room` bytes; the new bytes are 0. Returns 0 or an errno.
 */
int bareprof_hosted_make_room(struct bareprof_hosted_bytes *bytes, size_t room);
/* make gets this process's profile, read gets the contents of a file. Both
 * return 0, an enum bareprof_error or an errno. */
int bareprof_hosted_make(struct bareprof_hosted_bytes *bytes);
int bareprof_hosted_read(int file, struct bareprof_hosted_bytes *bytes);
void bareprof_hosted_free(struct bareprof_hosted_bytes *bytes);
/* Writes this process's profile at the descriptor's position. Returns the same
 * as make and read. */
int bareprof_hosted_put_file(int file);

/* rebase.c: returns a field of a profile's header, or 0 if this version lacks
 * the field. */
uint64_t bareprof_hosted_field(const unsigned char *header, unsigned field);
/* Copies the addresses in `theirs`, a profile that was merged, to our profile.
 * Returns the offset of the value data; or 0, without a copy, if the pieces of
 * both do not have equal sizes. */
size_t bareprof_hosted_keep_addresses(const struct bareprof_hosted_bytes *ours,
                                      const unsigned char *theirs);

/* replace.c: is_new returns whether a file is empty, or has a profile that was
 * not written completely. replace writes the profile `made` over `old`, the
 * contents of the file. `values` is the offset of the value data in both, or 0.
 * The call changes the bytes of both. */
bool bareprof_hosted_is_new(const struct bareprof_hosted_bytes *bytes);
int bareprof_hosted_replace(int file, const struct bareprof_hosted_bytes *old,
                            const struct bareprof_hosted_bytes *made,
                            size_t values);

/* pool.c: opens and locks a file to which several processes add. Returns the
 * descriptor, or -1 and sets errno. close() also releases the lock. The call
 * changes `name`, and restores it. */
int bareprof_hosted_open_pool(char *name);
int bareprof_hosted_lock(int file, bool on);
/* Adds this process's profile to the profile in the file. Returns 0 or the
 * error. */
int bareprof_hosted_put_pool(int file);
/* Writes this process's profile if the file is empty. A file with a profile of
 * this build stays unchanged. Returns 0 or the error. */
int bareprof_hosted_begin_pool(int file);

/* continuous.c: maps the file as the memory of the counters, so that each count
 * is in the file at once. Reports why, if that is impossible. */
void bareprof_hosted_go_continuous(void);
int bareprof_hosted_map(int file, const char *name, bool pool);

/* Options of the port, like the runtime's options in weak_hooks.h. The symbol
 * of an option that is not linked is 0. */

/* storage.c defines the storage, for room.c. A program with BAREPROF_VALUES
 * brings its own storage, and room.c allocates nothing. */
BAREPROF_WEAK(bareprof_hosted_storage,
              struct bareprof_values hook_hosted_storage);
/* file.c and the hooks of values link room.c. profile.c calls the function; if
 * it is not linked, all values are written. */
BAREPROF_WEAK(bareprof_hosted_write_values,
              void hook_hosted_write_values(struct bareprof_writer *writer));
/* merge.c calls this function, linked like the one above; if it is not linked,
 * memory for values cannot be allocated later. */
BAREPROF_WEAK(bareprof_hosted_make_values, bool hook_hosted_make_values(void));

/* file.c links output.c. claims.c calls these functions; if they are not
 * linked, claims.c must not allocate memory. */
BAREPROF_WEAK(bareprof_hosted_make_room,
              int hook_hosted_make_room(struct bareprof_hosted_bytes *bytes,
                                        size_t room));
BAREPROF_WEAK(bareprof_hosted_free,
              void hook_hosted_free(struct bareprof_hosted_bytes *bytes));

#endif
