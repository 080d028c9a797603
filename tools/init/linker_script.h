/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of a GNU ld linker script that `bareprof init` needs: regions,
 * symbols, and the region of each output section. linker_script.c skips
 * everything else. region_plan.c decides from these what regions.ld says.
 */
#ifndef INIT_LINKER_SCRIPT_H
#define INIT_LINKER_SCRIPT_H

#include <stdio.h>

#include "../base/file.h"

/* A region of MEMORY, or an alias of one. Members that name a token are indices
 * in script.tokens. */
struct ld_region {
  struct bytes name;     /* name of the region, or of an alias that has the
                            region's tokens */
  size_t origin, length; /* first tokens of their expressions */
};

/* An output section. */
struct ld_section {
  struct bytes region, load_region;
  size_t address;         /* token after the name, where an address may be */
  bool has_bss, has_text; /* the section has input patterns for .bss or .text of
                             all objects */
  bool loads_at;          /* the section has AT(address) */
  uint64_t stack; /* 1 + bytes from the section to its region's end, if an
                     address puts it near there; else 0 */
};

/* An assignment to a symbol, or to `.`. */
struct ld_symbol {
  struct bytes name;
  size_t value;   /* first token of the assigned value */
  size_t section; /* 1 + index of the section that contains or precedes it; 0:
                     none */
  bool is_name;   /* the value is only another symbol's name */
  bool busy;      /* the value is being computed; stops cycles */
};

enum { SCRIPT_FILES = 64 };

/* A script that was read. Set folders, and all other members to zero. */
struct linker_script {
  struct bytes text;
  const char *const *folders;      /* folders where INCLUDE searches; NULL ends
                                      them; the caller owns them */
  struct file files[SCRIPT_FILES]; /* the files that INCLUDE has read */
  struct bytes *tokens;            /* names, numbers, strings, operators */
  struct ld_region *regions;
  struct ld_section *sections;
  struct ld_symbol *symbols;
  size_t file_count, token_count, region_count, section_count, symbol_count;
  bool has_phdrs, has_preinit;
  bool has_ours;  /* the script includes a script of bareprof */
  bool gnu_only;  /* lld needs the script as for-lld.awk rewrites it */
  char said[500]; /* room for an error that contains a name */
};

/* Reads the text of a script, and the files that it includes. Tokens point into
 * the text. Returns NULL or the error. The caller calls script_free, also after
 * an error. */
const char *script_parse(struct linker_script *script, struct bytes text);
void script_free(struct linker_script *script);

/* Returns the region or alias of this name, or NULL. */
const struct ld_region *script_find_region(const struct linker_script *script,
                                           struct bytes name);
/* Returns the last assignment to this name, or NULL. */
struct ld_symbol *script_find_symbol(const struct linker_script *script,
                                     struct bytes name);

/* Computes where a region is. Returns false if only the link decides that. */
bool script_region_extent(const struct linker_script *script,
                          const struct ld_region *region, uint64_t *origin,
                          uint64_t *length);
/* Returns 1 + the bytes from an address to the end of a region, if the address
 * is in the region's second half. token: first token of the address. 1: the
 * address is computed from the length of a region, but only the link decides
 * the value. 0: any other address. */
uint64_t script_distance_to_end(const struct linker_script *script,
                                struct bytes region, size_t token);

/* ---- region_plan.c ---- */

/* Whether a heap that starts at `end` stops at the end symbol that the script
 * defines for it. HEAP_ASKED: the user must say. */
enum init_heap { HEAP_ASKED, HEAP_LIMITED, HEAP_OPEN };

/* Where a heap symbol is in the RAM that gets the counters: nowhere, after the
 * data, or at the end. */
enum heap_place { HEAP_NOWHERE, HEAP_AFTER_DATA, HEAP_AT_END };
enum { HEAP_NAMES = 13 };

/* The plan from which init_print_regions writes regions.ld. */
struct init_plan {
  const char *ram_name, *rom_name; /* the user's choice, or NULL */
  unsigned heap;                   /* enum init_heap */
  struct bytes ram, rom;
  uint64_t ram_size, rom_size; /* sizes of new regions for bareprof; 0: none */
  uint64_t stack;              /* bytes from the end of that RAM region to the
                                  end of RAM */
  bool has_heap;               /* false: the user has to start the heap
                                  after the counters */
  enum heap_place places[HEAP_NAMES];
};

/* Decides the regions and the heap. Returns NULL, or a question that the user
 * must answer with an option. */
const char *init_decide_plan(struct init_plan *plan,
                             struct linker_script *script);
/* Writes regions.ld. The caller checks the stream for errors. */
void init_print_regions(FILE *out, const struct init_plan *plan);

#endif
