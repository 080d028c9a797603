/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the names of a profile: section __llvm_prf_names (and __llvm_covnames,
 * __llvm_prf_vns, and the like in indexed profiles). The result is a table from
 * the MD5 of a name, which function data contains, to the name.
 *
 * The section has a part for each object:
 *   ULEB128 bytes of the text; ULEB128 bytes when compressed, or 0; the text
 * with zeros between the parts. The text, compressed with zlib or plain,
 * consists of names separated by 0x01.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "../base/storage.h"
#include "../base/bytes.h"

/* More than any program has, but too little to exhaust a machine. */
#define NAMES_BYTES_MOST (64u << 20)
#define NAMES_COUNT_MOST (4u << 20)

struct name_table {
  struct buffer text;  /* the names, each with a zero after it */
  struct buffer index; /* struct indexed_name, by ascending reference */
};

/* Reads a section. Returns NULL or the error. The caller frees *names in both
 * cases, and need not initialise *names. */
const char *names_read(struct name_table *names, struct bytes section);

/* Counts the objects' parts. Returns false if the last part is incomplete. */
bool names_count_parts(struct bytes section, size_t *count);

/* Returns the name with a NameRef (the MD5), or NULL. The name lives as long as
 * names. */
const char *names_find(const struct name_table *names, uint64_t reference);

/* How many times a name is listed: each object lists its own once. */
size_t names_count_listed(const struct name_table *names, uint64_t reference);

/* Reads without sorting, for callers that need names in the section's order:
 * compilers write names and function data in the same order. names_find_next
 * returns the first name with this reference from index *next on, and sets
 * *next to the index after it; NULL if there is none. names_sort then sorts, as
 * names_read does. */
const char *names_read_in_order(struct name_table *names, struct bytes section);
const char *names_find_next(const struct name_table *names, size_t *next,
                            uint64_t reference);
void names_sort(struct name_table *names);

/* The number of names, and each name by ascending reference. A name that
 * several objects have is listed several times. */
size_t names_count(const struct name_table *names);
const char *names_at(const struct name_table *names, size_t i);

void names_free(struct name_table *names);

/* ---- plain names ----
 *
 * Names of functions as they are in the source.
 */

/* Returns the part of a name before any suffix that compilers append. With
 * -funique-internal-linkage-names, clang mangles C names too, such as
 * _ZL4namei.__uniq.123; then only the name inside is returned. */
struct bytes names_plain_name(const char *name);

/* Returns the digits after .__uniq. in a name, which
 * -funique-internal-linkage-names derives from the file's name. Empty if there
 * are none. */
struct bytes names_unique_number(struct bytes name);

#endif
