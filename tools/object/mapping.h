/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage mapping of a linked ELF (__llvm_covmap, __llvm_covfun): regions
 * of each function with their counters. Reads version 6 (clang 13), and later
 * ones of the same form; MC/DC came with version 7 (clang 18).
 *
 *     error = mapping_open(&mapping, &elf);
 *     while (!error && mapping_next(&mapping, &error))
 *       ... mapping.regions ...
 *     mapping_close(&mapping);
 */
#ifndef BASE_MAPPING_H
#define BASE_MAPPING_H

#include "../base/storage.h"
#include "elf.h"

enum region_kind {
  REGION_CODE,
  REGION_EXPANSION, /* a macro or an included file */
  REGION_SKIPPED,
  REGION_GAP,
  REGION_BRANCH,      /* a condition that counts for no decision */
  REGION_DECISION,    /* of MC/DC */
  REGION_MCDC_BRANCH, /* a condition of a decision */
  REGION_KINDS,
  REGION_EXCLUDED = REGION_KINDS /* in no mapping: it does not count */
};

/* The two low bits say what the others are a number of. */
enum counter_kind {
  COUNTER_ZERO,
  COUNTER_PLAIN, /* a counter; 0 is that of the function */
  COUNTER_LESS,  /* an expression: left less right */
  COUNTER_SUM
};

struct source_position {
  uint32_t line, column; /* from 1 on */
};

/* Orders places in a file. */
static inline uint64_t place_order(struct source_position place) {
  return (uint64_t)place.line << 32 | place.column;
}

struct region {
  uint32_t file; /* number in the function */
  enum region_kind kind;
  struct source_position begin, end; /* end: behind the last character */
  uint64_t counter;                  /* of code, gaps; of branches if true */
  uint64_t other;                    /* of branches if false */
  uint32_t expanded; /* of an expansion: the file that it leads to */
  /* Of a decision: where its bits begin, how many conditions. Of a condition:
   * its number, that of the next if true, if false. */
  uint32_t numbers[3];
};

struct expression {
  uint64_t left, right; /* counters */
};

struct mapping {
  /* The function at hand, until the next call. */
  struct region *regions;
  size_t region_count;
  struct expression *expressions;
  size_t expression_count;
  size_t file_count;
  struct buffer files; /* uint64_t for each file: its number in the object */
  struct bytes record; /* all of it, without padding behind */
  struct bytes body;   /* of it, what is behind the files */
  uint64_t name;       /* the MD5 of the function's name, low 64 bits */
  uint64_t hash;       /* of its structure; 0: in this object nothing uses it */
  uint64_t reference;  /* of the object's list of files */
  bool mcdc;           /* of a version that has MC/DC */
  bool broken;         /* Of the regions only the function's body is read. */
  struct bytes records; /* of all functions */
  /* Only for mapping.c. */
  bool big;
  struct bytes names;
  unsigned char *memory[3]; /* of both sections, of the names unpacked last */
  struct bytes unpacked;    /* these, */
  const void *unpacked_of;  /* and in which form they are in the ELF */
  struct buffer region_list, expression_list, parts;
  size_t at; /* of the next function */
};

/* Returns NULL or the error. The caller calls mapping_close in both cases. An
 * ELF without a mapping, or with one of an earlier version, has no functions.
 */
const char *mapping_open(struct mapping *mapping, const struct elf *elf);
void mapping_close(struct mapping *mapping);

/* Reads the next function. Of one that clang wrote wrongly the body alone.
 * false: there is none, or *error is set. */
bool mapping_next(struct mapping *mapping, const char **error);

/* The same without its regions: only its record, name, hash and reference. */
bool mapping_next_record(struct mapping *mapping, const char **error);
/* Reads the regions that this left out. Returns NULL or the error. */
const char *mapping_regions(struct mapping *mapping);
/* Whether the function at hand, with its regions, is as clang writes one that a
 * source has and does not use. The hash of a function that is used may be 0 as
 * well: of one without a branch. */
bool mapping_unused(const struct mapping *mapping);
/* Goes back to the first function. */
void mapping_rewind(struct mapping *mapping);

/* Sets *name to the absolute name of a file of the function, or to the
 * compiler's own if its folder is not known. The caller frees the name. Returns
 * NULL or the error. */
const char *mapping_file(struct mapping *mapping, uint32_t file, char **name);

enum { MAPPING_HEADER = 28 }; /* of a record */

/* Reads the function of a record that is not in an ELF, as mapping_next does.
 * The caller has set the limits of the lists. Returns NULL or the error. */
const char *mapping_record(struct mapping *mapping, struct bytes record);

/* Adds the function at hand to records, with padding behind. The caller may
 * have changed regions and files: regions are in the order of their files and
 * lines. Returns NULL or the error. */
const char *mapping_write(const struct mapping *mapping, struct buffer *to);

/* How many objects have a mapping, and the names of their files, from 0 on, as
 * the compiler had them. false: there is none. */
size_t mapping_objects(const struct mapping *mapping);
bool mapping_object_file(struct mapping *mapping, size_t object, uint64_t file,
                         struct bytes *name);

/* Counts in how many objects each file is: in the map's values, from bit 32 on,
 * by the MD5 of its name as of mapping_file. Returns NULL or the error. */
const char *mapping_listed(struct mapping *mapping, struct map *counts);

/* The error of a mapping that no compiler writes. */
extern const char mapping_damaged[];

#endif
