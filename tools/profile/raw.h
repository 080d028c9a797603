/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Raw profiles (.profraw), as programs write them: versions 5 and 7 to 11, of
 * any pointer width and byte order, several in one file.
 */
#ifndef BAREPROF_TOOLS_RAW_H
#define BAREPROF_TOOLS_RAW_H

#include "../base/bytes.h"
#include "../object/elf.h"
#include "model.h"
#include "../object/names.h"
#include "../image/snapshot.h"
#include "../image/record.h"

/* Whether the 8 bytes are a magic in this byte order. *wide: the profile has
 * pointers of 8 bytes. */
bool raw_magic(const unsigned char *at, bool big, bool *wide);

/* Whether the file begins like a raw profile. */
bool raw_is(struct bytes file);

/* The common part of files of one build. With this cache, the next file of the
 * build needs no lookup of each function, so a thousand profiles take little
 * longer than reading the files. Belongs to one profile; free the cache before
 * the profile. Begin with {0}. */
enum { RAW_BUILDS = 8 };
struct snapshot;
struct raw_build;
struct raw_cache {
  struct raw_build *builds[RAW_BUILDS];
  unsigned next;          /* the next one to be replaced */
  struct snapshot *image; /* of elf and this version word; or NULL */
  const struct elf *elf;
  uint64_t word;
};

void raw_cache_free(struct raw_cache *cache);

struct raw_options {
  uint64_t weight;         /* counts are multiplied by it; 0: as by 1 */
  const struct elf *elf;   /* for files without records; or NULL */
  struct raw_cache *cache; /* or NULL */
  bool last; /* no file follows: the cache need not keep its build; the file's
                bytes last as long as the profile */
  const struct read_events *events; /* or NULL */
};

/* Adds the file's content. Returns NULL or the error. After an error nothing
 * was added, unless memory ran out midway. */
const char *raw_read(struct profile *profile, struct bytes file,
                     const struct raw_options *options);

struct raw {
  struct bytes file;
  bool big, wide;
  unsigned pointer;              /* bytes */
  unsigned version;              /* 5, 7 to 11 */
  unsigned flags;                /* enum profile_flag */
  bool correlated;               /* records and names are the ELF's */
  struct bareprof_layout layout; /* of the version */
  struct record_form form;       /* of its records */
  uint64_t fields[BAREPROF_FIELDS];
  struct bytes ids, records, counters, bitmap, names, vtables, vtable_names;
  size_t at; /* how far it has been read: to the value data */
  const struct elf *elf;
  struct snapshot *image; /* if correlated; may be the cache's */
};

/* Finds the pieces of the profile at offset `at`. Returns NULL or the error. In
 * both cases the caller calls raw_close if raw_correlate was called. */
const char *raw_open(struct raw *raw, struct bytes file, size_t at);

/* Frees the cached data of an ELF. */
void raw_cache_drop_image(struct raw_cache *cache);

/* Takes the next id from the beginning of ids, which is raw->ids at first.
 * false: the ids are damaged. */
bool raw_next_id(const struct raw *raw, struct bytes *ids, struct bytes *id);

static inline unsigned raw_counter_size(const struct raw *raw) {
  return raw->flags & PROFILE_BYTES ? 1 : 8;
}

static inline size_t raw_record_count(const struct raw *raw) {
  return raw->records.size / raw->layout.record_size;
}

/* Its name's MD5; 0: there is no such record. */
static inline uint64_t raw_reference(const struct raw *raw, size_t number) {
  return number < raw_record_count(raw)
             ? load64(raw->records.data + number * raw->layout.record_size,
                      raw->big)
             : 0;
}

#endif
