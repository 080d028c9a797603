/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the coverage mapping of a linked ELF (__llvm_covmap, __llvm_covfun):
 * the regions of each function and their counters. Supports version 6 (clang
 * 13) and later versions in the same format; version 7 (clang 18) added MC/DC.
 *
 *     error = mapping_open(&mapping, &elf);
 *     while (!error && mapping_next_function(&mapping, &error))
 *       ... mapping.regions ...
 *     mapping_close(&mapping);
 *
 * coverage/model/ turns regions and counts into lines, branches and decisions.
 */
#ifndef BASE_MAPPING_H
#define BASE_MAPPING_H

#include "../base/storage.h"
#include "elf.h"

enum region_kind {
  REGION_CODE,
  REGION_EXPANSION, /* an expansion of a macro, or an included file */
  REGION_SKIPPED,
  REGION_GAP,
  REGION_BRANCH,      /* a condition outside MC/DC decisions */
  REGION_DECISION,    /* an MC/DC decision */
  REGION_MCDC_BRANCH, /* a condition of an MC/DC decision */
  REGION_KINDS
};

/* A counter in the mapping is a number. The number's two low bits are the kind,
 * the other bits are an index. */
enum counter_kind {
  COUNTER_ZERO,
  COUNTER_PLAIN, /* a counter of the function; counter 0 counts calls */
  COUNTER_LESS,  /* an expression: left minus right */
  COUNTER_SUM
};

struct source_position {
  uint32_t line, column; /* numbers of the line and the column, counted from
                            1 */
};

/* Returns a number for sorting positions in a file. */
static inline uint64_t position_sort_key(struct source_position place) {
  return (uint64_t)place.line << 32 | place.column;
}

struct region {
  uint32_t file; /* index in the file list of the function */
  enum region_kind kind;
  struct source_position begin, end; /* `end` is the position after the last
                                        character */
  /* The counter of code and gaps. For branches, the counter of the true
   * outcome. */
  uint64_t counter;
  uint64_t other;    /* for branches, the counter of the false outcome */
  uint32_t expanded; /* for an expansion, the index of the file that is
                        expanded */
  /* For a decision, the index of its first bit and the number of its
   * conditions. For a condition, its id, and the ids of the condition after a
   * true and after a false outcome. */
  uint32_t numbers[3];
};

struct counter_expression {
  uint64_t left, right; /* the two counters that are added or subtracted */
};

struct mapping {
  /* The data of the current function, which are valid until the next call. */
  struct region *regions;
  size_t region_count;
  struct counter_expression *expressions;
  size_t expression_count;
  size_t file_count;
  /* Elements are uint64_t. For each file of the function, the index in the
   * object's files. */
  struct buffer files;
  struct bytes record;  /* the whole record, without padding */
  struct bytes body;    /* the part of the record after the files */
  uint64_t name;        /* low 64 bits of the MD5 of the function's name */
  uint64_t hash;        /* structural hash; 0: the object does not use the
                           function */
  uint64_t reference;   /* identifies the object's list of files */
  bool mcdc;            /* the version of the mapping supports MC/DC */
  bool broken;          /* only the region of the function's body could be
                           read */
  struct bytes records; /* records of all functions */
  /* Only mapping.c uses these members. */
  bool big;
  struct bytes names;
  unsigned char *memory[3]; /* contents of __llvm_covmap and __llvm_covfun, and
                               the unpacked file names */
  struct bytes unpacked;    /* the file names that were unpacked last */
  const void *unpacked_of;  /* address in the ELF of these names in packed
                               form */
  struct buffer region_list, expression_list, parts;
  size_t at; /* offset of the next function */
};

/* Opens the coverage mapping of an ELF. Returns NULL or the error. The caller
 * calls mapping_close in both cases. An ELF without a mapping, or with a
 * mapping of an earlier version, gives no functions. */
const char *mapping_open(struct mapping *mapping, const struct elf *elf);
void mapping_close(struct mapping *mapping);

/* Reads the next function. If clang wrote the function's regions wrongly, reads
 * only the region of the body. Returns false at the end, or if *error is set.
 */
bool mapping_next_function(struct mapping *mapping, const char **error);

/* Reads only record, name, hash and reference of the next function. */
bool mapping_next_record(struct mapping *mapping, const char **error);
/* Reads the regions of the current function after mapping_next_record. Returns
 * NULL or the error. */
const char *mapping_read_regions(struct mapping *mapping);
/* Returns whether the current function, after its regions were read, looks like
 * a function that its source does not use. The hash is not enough to decide: a
 * used function without a branch may also have hash 0. */
bool mapping_function_is_unused(const struct mapping *mapping);
/* Goes back to the first function. */
void mapping_rewind(struct mapping *mapping);

/* Sets *name to the absolute name of a file of the function. If the compiler's
 * folder is unknown, *name is the name that the compiler had. The caller frees
 * the name. Returns NULL or the error. */
const char *mapping_make_file_name(struct mapping *mapping, uint32_t file,
                                   char **name);

enum { MAPPING_HEADER = 28 }; /* size of a record's header */

/* Reads a function like mapping_next_function, from a record that is not in an
 * ELF. The caller has set the limits of the lists. Returns NULL or the error.
 */
const char *mapping_read_record(struct mapping *mapping, struct bytes record);

/* Appends the record of the current function, with padding, to the records in
 * `to`. The caller may have changed the regions and files of the function. The
 * regions must be ordered by file and line. Returns NULL or the error. */
const char *mapping_append_record(const struct mapping *mapping,
                                  struct buffer *to);

/* The first function returns the number of objects that have a mapping. The
 * second one sets *name to the name of an object's file, as the compiler had
 * it, and returns false if the file does not exist. File indices start at 0. */
size_t mapping_object_count(const struct mapping *mapping);
bool mapping_object_file_name(struct mapping *mapping, size_t object,
                              uint64_t file, struct bytes *name);

/* Counts how many objects contain each file. A key of the map is the MD5 of the
 * name that mapping_make_file_name makes. The upper 32 bits of a value are the
 * number of objects. Returns NULL or the error. */
const char *mapping_count_file_objects(struct mapping *mapping,
                                       struct map *counts);

/* The error message for a mapping that no compiler would write. */
extern const char mapping_damaged[];

#endif
