/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names of a profile: the section __llvm_prf_names (and __llvm_covnames,
 * __llvm_prf_vns, and the like in indexed profiles), read once into a table
 * from the MD5 of a name, which records have, to the name.
 *
 * The section consists of the objects' parts, each
 *   ULEB128 bytes of the text; ULEB128 bytes when compressed, or 0; the text
 * with zeros between them. The text, by zlib or as it is, is names separated
 * by 0x01.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "../base/storage.h"
#include "../base/bytes.h"

/* More than any program has, and too little to exhaust a machine. */
#define NAMES_BYTES_MOST (64u << 20)
#define NAMES_COUNT_MOST (4u << 20)

struct names {
  struct buffer text;  /* the names, each ended by a zero */
  struct buffer index; /* struct name_record, by ascending reference */
};

/* Reads a section. Returns NULL or the error. The caller frees *names in both
 * cases, and need not initialise it before. */
const char *names_read(struct names *names, struct bytes section);

/* Counts the objects' parts. false: the last is not whole. */
bool names_parts(struct bytes section, size_t *count);

/* Returns the name of a NameRef, or NULL. The name lives as long as names. */
const char *names_find(const struct names *names, uint64_t reference);

/* The same without sorting, for callers that want names in the section's order:
 * compilers write names in the order of records. names_next returns the first
 * name with this reference from number *next on, and sets *next behind it;
 * NULL: there is none. After that, names_sort sorts, as names_read does. */
const char *names_read_in_order(struct names *names, struct bytes section);
const char *names_next(const struct names *names, size_t *next,
                       uint64_t reference);
void names_sort(struct names *names);

/* The number of names, and each name by ascending reference. A name of several
 * objects occurs several times. */
size_t names_count(const struct names *names);
const char *names_at(const struct names *names, size_t i);

void names_free(struct names *names);

/* ---- plain names ----
 *
 * Names of functions as the source has them.
 */

/* The name without what compilers append, and of _ZL4namei.__uniq.123, which
 * -funique-internal-linkage-names makes also of C's, what is in the middle.
 * A part of name. */
struct bytes plain_name(const char *name);

/* The digits behind .__uniq. in a name: a number that
 * -funique-internal-linkage-names makes of the file's name. Empty: none. */
struct bytes unique_number(struct bytes name);

#endif
