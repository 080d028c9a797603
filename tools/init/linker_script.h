/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a linker script of GNU ld or lld for `bareprof init`, decides which of
 * its regions get the counters and records, and writes regions.ld.
 */
#ifndef INIT_LINKER_SCRIPT_H
#define INIT_LINKER_SCRIPT_H

#include "../base/bytes.h"
#include "../base/storage.h"

enum { SCRIPT_LIMIT = 1 << 20 }; /* the most bytes of a script */

/* Bits: what a script or an output section contains. */
enum script_fact {
  FACT_BSS = 1,     /* input patterns for .bss of all objects */
  FACT_TEXT = 2,    /* input patterns for .text of all objects */
  FACT_LOADS = 4,   /* the section has AT(address) */
  FACT_PREINIT = 8, /* the script places .preinit_array */
  FACT_PHDRS = 16,  /* the script has program headers */
  FACT_GNU = 32     /* lld needs the script as for-lld.awk rewrites it */
};

/* Whether a heap that starts at `end` stops at the end symbol that the script
 * defines for it. HEAP_ASKED: the user must say. */
enum init_heap { HEAP_ASKED, HEAP_LIMITED, HEAP_OPEN };

/* A region of MEMORY, or an alias. */
struct ld_region {
  const char *name;
  size_t real;             /* the index of the region that the name denotes */
  uint64_t origin, length; /* UINT64_MAX: only the link decides */
};

struct ld_script {
  /* What the user said. All other members are zero at first. */
  struct bytes text;
  const char *folders[8]; /* where INCLUDE searches */
  size_t folder_count;
  const char *ram_name, *rom_name; /* or NULL */
  unsigned heap;                   /* enum init_heap */

  /* What the script says. */
  unsigned facts, files; /* bits of enum script_fact; included files */
  struct ld_region *regions;
  struct ld_section *sections;
  struct ld_symbol *symbols;
  size_t region_count, section_count, symbol_count;

  /* What follows from that. */
  const struct ld_region *ram, *rom;
  uint64_t ram_size, rom_size; /* sizes of new regions for bareprof; 0: none */
  uint64_t stack; /* bytes from the end of that RAM region to the end of RAM */
  bool names_heap;
  const char *lines; /* regions.ld */

  /* The state of the parser. */
  struct arena texts;          /* all names and errors */
  const char **tokens, **at;   /* names, numbers, operators; the next one */
  size_t token_count, section; /* section: index of the current one */
  unsigned steps;              /* of the expression that is being computed */
  bool has_length;             /* the expression has the length of a region */
};

/* Reads the text of a struct ld_script, and decides. Raises an error, or a
 * question that the user must answer with an option. The memory lives until the
 * program ends. */
void script_parse_and_plan(void *script);

#endif
