/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof init` must know of a linker script of GNU ld: regions,
 * symbols, and in which region each output section is. All else is skipped.
 */
#ifndef INIT_SCRIPT_H
#define INIT_SCRIPT_H

#include <stdio.h>

#include "../base/file.h"

struct ld_region {
  struct bytes name;     /* or an alias, with the tokens of its region */
  size_t origin, length; /* expressions: their first tokens */
};

struct ld_section {
  struct bytes region, load_region;
  size_t address;         /* a token */
  bool has_bss, has_text; /* patterns that take those of all objects */
  bool loads_at;          /* AT(address) */
  uint64_t stack; /* bytes and 1 to the region's end, of an address there */
};

/* An assignment; `.` is a symbol too. */
struct ld_symbol {
  struct bytes name;
  size_t value;   /* a token */
  size_t section; /* its own or the last one before: index + 1; or 0 */
  bool is_name;   /* The value is another symbol's. */
  bool busy;      /* Its value is being computed. */
};

enum { SCRIPT_FILES = 64 };

struct script {
  const char *const *folders;      /* for INCLUDE, to NULL; the caller's */
  struct file files[SCRIPT_FILES]; /* what it includes */
  struct bytes *tokens;            /* names, numbers, texts, signs */
  struct ld_region *regions;
  struct ld_section *sections;
  struct ld_symbol *symbols;
  size_t file_count, token_count, region_count, section_count, symbol_count;
  bool has_phdrs, has_preinit;
  bool has_ours;  /* INCLUDE bareprof.ld or the like */
  bool gnu_only;  /* lld needs what for-lld.awk makes of it. */
  char said[500]; /* the error, if it has a name in it */
};

/* Reads an open script, with what it includes. Returns NULL or the error. The
 * caller frees it, also after an error. */
const char *script_read(struct script *script, struct bytes text);
void script_free(struct script *script);

/* The region, or alias, of this name, or NULL. */
const struct ld_region *script_region(const struct script *script,
                                      struct bytes name);
/* The last assignment to this name, or NULL. */
struct ld_symbol *script_symbol(const struct script *script, struct bytes name);

/* Where a region is, unless that depends on the link. */
bool script_extent(const struct script *script, const struct ld_region *region,
                   uint64_t *origin, uint64_t *length);
/* The bytes and 1 from a place, an expression, to the end of a region, in the
 * second half of that. 1: it depends on the link, and is counted from a
 * region's length. 0: it is no such place. */
uint64_t script_to_end(const struct script *script, struct bytes region,
                       size_t token);

/* ---- regions.c ---- */

/* Where a heap from `end` ends, in a script that names such an end. */
enum init_heap { HEAP_ASKED, HEAP_LIMITED, HEAP_OPEN };

/* Where in the counters' RAM a name of a heap is: nowhere, after the data, or
 * at the end. */
enum heap_place { HEAP_NOWHERE, HEAP_BEHIND, HEAP_AT_END };
enum { HEAP_NAMES = 13 };

/* What regions.ld says. */
struct init_plan {
  const char *ram_name, *rom_name; /* the user's word, or NULL */
  unsigned heap;                   /* enum init_heap */
  struct bytes ram, rom;
  uint64_t ram_size, rom_size; /* of regions of their own; else 0 */
  uint64_t stack;              /* behind that in RAM */
  bool has_heap;               /* The script names its begin. */
  enum heap_place places[HEAP_NAMES];
};

/* Decides what the script leaves open. Returns NULL, or what the user must
 * say. */
const char *init_decide(struct init_plan *plan, struct script *script);
void init_regions(FILE *out, const struct init_plan *plan);

#endif
