/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the names of a profile from section __llvm_prf_names (or
 * __llvm_covnames, __llvm_prf_vns, and similar parts of indexed profiles). The
 * result is a table that finds a name from its MD5, which function data
 * contains.
 *
 * The section has a part for each object:
 *   ULEB128 size of the text; ULEB128 size when compressed, or 0; the text
 * Zeros may be between the parts. The text, compressed with zlib or plain,
 * consists of names separated by 0x01.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "../base/storage.h"
#include "../base/bytes.h"

/* The largest size of all names together, and the largest number of names. The
 * limits are above the needs of any program, but any host has the memory. */
#define NAMES_BYTES_MOST (64u << 20)
#define NAMES_COUNT_MOST (4u << 20)

struct name_table {
  struct buffer text;  /* the names, each with a zero after it */
  struct buffer index; /* elements: struct indexed_name, by ascending
                          reference */
};

/* Reads a section of names. Returns NULL or the error. The caller frees *names
 * in both cases, and need not initialise *names. */
const char *names_read(struct name_table *names, struct bytes section);

/* Counts the parts of a section; each object has one part. Returns false if the
 * last part is incomplete. */
bool names_count_object_parts(struct bytes section, size_t *count);

/* Returns the name with this MD5 (a NameRef), or NULL. The name is valid as
 * long as `names`. */
const char *names_find(const struct name_table *names, uint64_t reference);

/* Returns the number of times that a name is listed. Each object with the name
 * lists the name once. */
size_t names_count_occurrences(const struct name_table *names,
                               uint64_t reference);

/* Reads a section of names without sorting, for callers that need the names in
 * the section's order: compilers write names and function data in the same
 * order. names_find_next returns the first name with this reference from index
 * *next on, or NULL, and sets *next to the index after the name. names_sort
 * then sorts the names as names_read does. */
const char *names_read_in_order(struct name_table *names, struct bytes section);
const char *names_find_next(const struct name_table *names, size_t *next,
                            uint64_t reference);
void names_sort(struct name_table *names);

/* The first function returns the number of names. The second one returns each
 * name, in the order of the references. If several objects have a name, the
 * name is listed several times. */
size_t names_count(const struct name_table *names);
const char *names_at(const struct name_table *names, size_t i);

void names_free(struct name_table *names);

/* ---- plain names ----
 *
 * Turns names of functions into names as they are in the source. */

/* Returns the beginning of a name, without the suffixes that compilers append.
 * With -funique-internal-linkage-names, clang also mangles C names, such as
 * _ZL4namei.__uniq.123; then the function returns only `name`. */
struct bytes names_source_name(const char *name);

/* Returns the digits after .__uniq. in a name. -funique-internal-linkage-names
 * derives these digits from the file's name. Returns empty bytes if the name
 * lacks the digits. */
struct bytes names_uniq_digits(struct bytes name);

#endif
