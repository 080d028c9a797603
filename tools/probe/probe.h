/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pseudo probes (clang -fpseudo-probe-for-profiling): each marks the place in
 * the code that belongs to a block or call of the source, at no cost in the
 * image. The section .pseudo_probe has the probes and the inlining,
 * .pseudo_probe_desc has the functions by name, and symbols have the addresses
 * of the code. probe_read.c reads them:
 *
 *     struct probes probes;
 *     const char *error = probes_read(&probes, &elf, PROBE_AUTO);
 *     ...
 *     probes_free(&probes);
 *
 * A GUID is the first half of the MD5 of a function's linkage name, md5_low64.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdio.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"

struct probe_name;

/* How the section .pseudo_probe is encoded. The file lacks a field for the
 * encoding. PROBE_AUTO looks at the first probe of each function, and tells the
 * first three encodings apart. */
enum probe_encoding {
  PROBE_AUTO,
  PROBE_DELTA,     /* clang 16 and later: the symbol has the address */
  PROBE_ABSOLUTE8, /* until clang 15: each function begins with an 8-byte
                      address */
  PROBE_ABSOLUTE4, /* like PROBE_ABSOLUTE8, with a 4-byte address */
  PROBE_RFC,       /* encoding of 2020: the inlinee's GUID comes before its call
                      site, differences are unsigned, addresses take 8 bytes */
  PROBE_RFC_LINES, /* like PROBE_RFC, but a call site is a line and a
                      discriminator */
  PROBE_ENCODINGS
};

enum probe_type { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_DIRECT_CALL };

/* Bits of probe.flags. */
enum {
  PROBE_DANGLING = 1, /* The block has lost all instructions: the probe is
                         before an instruction of another block, so it gets no
                         count, not even 0. */
  PROBE_TWINS = 2,    /* the place of the probe's record is a guess */
  PROBE_ADDRESSED = 4 /* the file has the probe's address instead of a
                         difference */
};

/* A bit of probe.attributes: the call leaves the function. LLVM's tools of 2020
 * and 2021 used this bit; in LLVM 14 and later it is reserved and never set. */
enum { PROBE_TAIL_CALL = 1 };

/* A descriptor in .pseudo_probe_desc. A function without code may have one,
 * because it was inlined. LTO renames symbols of internal functions, such as to
 * name.llvm.N: then only a record says where the code is. */
struct probe_function {
  uint64_t guid;
  uint64_t hash; /* hash of the control flow; !CFGChecksum in a profile */
  const char *name;
  bool has_code; /* a symbol has the function's name, or a record of the
                    function has a place */
};

/* One level of inlining: the call that the inlined code replaced. */
struct probe_inlining {
  const struct probe_inlining *parent; /* how the caller was inlined; NULL: not
                                       inlined */
  uint64_t guid;                    /* GUID of the caller */
  uint32_t site;          /* index of the call's probe in the caller, or line */
  uint32_t discriminator; /* discriminator for PROBE_RFC_LINES; else 0 */
};

/* One probe: it marks the place of a block or call of a source function in the
 * code. */
struct probe {
  uint64_t address;                /* address of the instruction after the
                                      probe; bit 0 clear */
  uint64_t guid;                   /* GUID of the source function */
  const struct probe_inlining
      *inlining;                   /* how the function was inlined here; NULL:
                                      not inlined */
  uint32_t index;                  /* number of the probe in its function, from
                                      1 */
  uint32_t discriminator;          /* the discriminator; 0: none */
  uint32_t record;                 /* index in probes.records */
  uint8_t type;                    /* enum probe_type, or another number up to
                                      15 */
  uint8_t attributes;              /* the 3 attribute bits from the file */
  uint8_t flags;
};

/* The results of placing a record. From PROBE_NO_SYMBOL on, the record does not
 * have a place. */
enum probe_placement {
  PROBE_PLACED,
  PROBE_GUESSED,     /* several symbols have the name, but not as many as there
                        are records; the record was placed at the last symbol */
  PROBE_NO_SYMBOL,   /* no symbol has the GUID */
  PROBE_NO_CODE,     /* the linker dropped the code, and left address 0 */
  PROBE_DISAGREEING, /* some of the probes are outside all code */
};

/* The probes of one function's code; or of a part that was split off and has
 * its own symbol. */
struct probe_record {
  uint64_t guid;     /* GUID of the source function */
  uint64_t fragment; /* GUID of the code's symbol, from the sentinel: a probe
                        that names the symbol; 0: the same as guid */
  uint64_t address;  /* address of the symbol; 0: unknown */
  uint64_t offset;   /* offset of the record in the section */
  uint32_t count;    /* probes, not counting the sentinel */
  uint8_t placed;    /* enum probe_placement */
  uint8_t encoding;  /* enum probe_encoding, never PROBE_AUTO */
};

/* A symbol that names code. */
struct probe_symbol {
  uint64_t address; /* bit 0 is clear, also for Thumb code */
  uint64_t size;    /* if the file says 0, up to the next symbol or the
                       section's end */
  uint64_t guid;
  const char *name;
};

/* All probes of an ELF, with their functions and symbols. */
struct probes {
  const struct probe_function *functions; /* sorted by GUID; each GUID once */
  size_t function_count;
  const struct probe *list; /* sorted by address, then in the order of the file;
                               without sentinels */
  size_t count;
  const struct probe *lost; /* probes whose records lack a place; address is the
                               distance from the record's start, or the number
                               in the file */
  size_t lost_count;
  const struct probe_record *records; /* the records in the order of the file */
  size_t record_count;
  const struct probe_symbol *symbols; /* sorted by address, without overlaps;
                                         one for each address */
  size_t symbol_count;
  uint64_t bytes;    /* size of both sections */
  uint64_t loaded;   /* how many of these bytes the image loads, which should be
                        0 */
  uint64_t repeated; /* descriptors whose GUID has another hash, too */
  bool no_symtab;    /* the ELF lacks symbols */
  /* Only the files of probe/ use the other members. */
  struct probe_name *names; /* all symbols of code, sorted by GUID and
                               address */
  size_t name_count;
  struct arena arena;
  struct buffer list_memory, lost_memory, record_memory;
};

/* Reads all probes. Returns NULL or the error. The caller calls probes_free in
 * both cases, and need not initialise *probes. Names of symbols point into elf.
 * Time is linear, except for sorting. The ELF's size bounds the memory, and
 * PROBE_DEPTH_MOST bounds the number of frames of a probe.
 *
 * Rejects an ELF without probes, an object that is not linked yet, and an ELF
 * without symbols if the encoding needs them. Records without a place are not
 * an error. */
enum { PROBE_DEPTH_MOST = 1000 };
const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding);
/* Reads only the symbols. The ELF need not have probes. */
const char *probes_read_symbols(struct probes *probes, const struct elf *elf);
void probes_free(struct probes *probes);

/* Returns the function with this GUID, or NULL. */
const struct probe_function *probes_find_function(const struct probes *probes,
                                                  uint64_t guid);

/* Like probes_find_function; but code that was split off a function (its symbol
 * has the function's name and .cold) counts as the function. Inlined calls in
 * split-off code have the split-off part as caller. */
const struct probe_function *
probes_find_whole_function(const struct probes *probes, uint64_t guid);

/* Returns the function's name; without a descriptor the name of a symbol; or
 * NULL. */
const char *probes_function_name(const struct probes *probes, uint64_t guid);

/* Returns the GUID of the function that a symbol's code belongs to: the GUID of
 * the symbol if this GUID has a descriptor, otherwise the GUID from the record
 * of the first probe. */
uint64_t probes_owner_guid(const struct probes *probes,
                           const struct probe_symbol *symbol);

/* Returns the symbol with this GUID. Returns NULL if no symbol or several
 * symbols have the GUID. */
const struct probe_symbol *probes_find_only_symbol(const struct probes *probes,
                                                   uint64_t guid);

/* Returns the index of the first probe at or after this address. */
size_t probes_index_from(const struct probes *probes, uint64_t address);

/* Returns the first probe in a symbol's code, or NULL. */
const struct probe *probes_first_in_symbol(const struct probes *probes,
                                           const struct probe_symbol *symbol);

/* Returns the GUID of the function whose code has the probe: the probe's
 * function, or the outermost caller into which the function was inlined. */
uint64_t probe_outermost_guid(const struct probe *probe);

/* Returns the symbol that contains this address, or NULL. */
const struct probe_symbol *probes_find_symbol(const struct probes *probes,
                                              uint64_t address);

/* Returns LLVM's name for the type, such as "Block". */
const char *probe_type_name(unsigned type);

/* ---- probe_show.c ----
 *
 * Prints probes.
 */

/* Prints the functions in the order of their code, with their probes. */
void probes_print_text(FILE *stream, const struct probes *probes);
void probes_print_json(FILE *stream, const struct probes *probes);

/* Returns the name of a function, owned by probes; or the GUID as text, in
 * room. */
enum { PROBE_NAME_ROOM = 32 };
const char *probe_name_or_guid(const struct probes *probes, uint64_t guid,
                               char room[PROBE_NAME_ROOM]);

/* The state of annotating a disassembly. All members are zero at first. */
struct annotation_state {
  size_t inserted; /* probes printed */
  size_t between;  /* probes inside an instruction, which no line shows */
  /* These members are about the last instruction, if `any` is set: */
  bool any;
  uint64_t last;                     /* address of that instruction */
  size_t next;                       /* index of the first probe after that
                                        instruction */
  const struct probe_symbol *symbol; /* the symbol that contains that
                                        instruction, or NULL */
};

/* Copies a disassembly of llvm-objdump or GNU objdump, and inserts the probes
 * before each instruction, in the format of llvm-profgen. The disassembly may
 * come in several calls, each with complete lines. */
void probes_annotate_lines(FILE *stream, const struct probes *probes,
                           struct bytes lines, struct annotation_state *so_far);

/* Prints one line for each kind of fault in the probes, with the remedy.
 * Returns the number of lines. */
unsigned probes_print_faults(FILE *stream, const struct probes *probes,
                             const struct elf *elf);

/* The number of times that a fault was seen, and the GUID of the first function
 * with it. */
struct probe_fault {
  size_t count;
  uint64_t guid;
};

/* The result of probe_find_misplaced. */
struct probe_misplacements {
  struct probe_fault relaxed; /* RISC-V: functions that the linker shortened
                               before a probe whose address counts from an
                               earlier one */
  struct probe_fault inside;  /* probes inside an instruction */
  struct probe_fault outside; /* probes outside the symbol of their record */
};

/* Compares probes with the code. Checks the starts of instructions on RISC-V,
 * whose instructions show their length, and on AArch64 and Arm, whose
 * instructions are aligned. */
void probe_find_misplaced(struct probe_misplacements *misplaced,
                          const struct probes *probes, const struct elf *elf);

/* ---- probe_lower.c ----
 *
 * Turns the .pseudoprobe directives in clang's assembly into data that any
 * assembler accepts. Only clang's assembler knows the directives, and it
 * rejects them on Arm.
 */

enum probe_lowering_mode {
  LOWER_AUTO,    /* absolute for RISC-V, otherwise delta */
  LOWER_DELTA,   /* differences, as in clang 16 and later */
  LOWER_ABSOLUTE /* an address for each probe, which stays correct if the linker
                    relaxes; only for little-endian targets */
};

/* Copies assembly, with a label instead of each directive, and the section
 * .pseudo_probe at the end. Returns NULL, or the error and its line in *line
 * (0: no particular line). After an error the output is unusable. */
const char *probes_lower_assembly(FILE *stream, struct bytes assembly,
                                  enum probe_lowering_mode how, size_t *line);

#endif
