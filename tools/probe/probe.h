/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A pseudo probe (clang -fpseudo-probe-for-profiling) marks the place in the
 * code that belongs to a block or call of the source, at no cost in the image.
 * The section .pseudo_probe has the probes and the inlining, .pseudo_probe_desc
 * has the functions by name, and symbols have the addresses of the code.
 * probe_read.c reads them:
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

struct symbol_by_guid;

/* The encodings of the section .pseudo_probe. The file does not say which
 * encoding it uses. With PROBE_AUTO, the first probe of each function shows
 * which of the next three encodings is used. */
enum probe_encoding {
  PROBE_AUTO,
  PROBE_DELTA,     /* clang 16 and later: a symbol has the function's address */
  PROBE_ABSOLUTE8, /* until clang 15: each function begins with an 8-byte
                      address */
  PROBE_ABSOLUTE4, /* the same as PROBE_ABSOLUTE8, but with a 4-byte address */
  PROBE_RFC,       /* encoding of 2020: the inlinee's GUID comes before its call
                      site, differences are unsigned, addresses take 8 bytes */
  PROBE_RFC_LINES, /* the same as PROBE_RFC, but a call site is a line and a
                      discriminator */
  PROBE_ENCODINGS
};

enum probe_type { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_DIRECT_CALL };

/* Bits of probe.flags. */
enum {
  PROBE_DANGLING = 1, /* The block has lost all its instructions. The probe
                         stands before an instruction of another block, so it
                         has no count, not even 0. */
  PROBE_TWINS = 2,    /* The place of the probe's record is a guess. */
  PROBE_ADDRESSED = 4 /* The file has the probe's address instead of a
                         difference. */
};

/* A bit of probe.attributes: the call leaves the function. LLVM's tools of 2020
 * and 2021 used this bit; in LLVM 14 and later it is reserved and never set. */
enum { PROBE_TAIL_CALL = 1 };

/* A descriptor in .pseudo_probe_desc. A function without code may have a
 * descriptor, because it was inlined. LTO renames the symbols of internal
 * functions, for example to name.llvm.N. Then only a record has the code's
 * place. */
struct probe_function {
  uint64_t guid;
  uint64_t hash; /* hash of the control flow; !CFGChecksum in a profile */
  const char *name;
  bool has_code; /* A symbol has the function's name, or a record of the
                    function has a place. */
};

/* One level of inlining: the call that the inlined code replaced. */
struct probe_inlining {
  const struct probe_inlining *parent; /* the level around this one; NULL if the
                                          caller was not inlined */
  uint64_t guid;                       /* GUID of the caller */
  uint32_t site;          /* index of the call's probe in the caller, or the
                             line of the call */
  uint32_t discriminator; /* discriminator of the call, or 0 */
};

/* One probe: it marks the place of a block or call of a source function in the
 * code. */
struct probe {
  uint64_t address; /* address of the instruction after the probe; bit 0 is
                       clear */
  uint64_t guid;    /* GUID of the source function */
  const struct probe_inlining *inlining; /* levels of inlining around the probe;
                                            NULL if not inlined */
  uint32_t index;         /* number of the probe in its function, from 1 */
  uint32_t discriminator; /* discriminator of the probe, or 0 */
  uint32_t record;        /* index in probes.records */
  uint8_t type;           /* enum probe_type, or another number up to 15 */
  uint8_t attributes;     /* the 3 attribute bits from the file */
  uint8_t flags;
};

/* The results when a record is placed in the code. From PROBE_NO_SYMBOL on, the
 * record does not have a place. */
enum probe_placement {
  PROBE_PLACED,
  PROBE_GUESSED,     /* Several symbols have the name, but the number of records
                        differs. The record was placed at the last symbol. */
  PROBE_NO_SYMBOL,   /* No symbol has the GUID. */
  PROBE_NO_CODE,     /* The linker dropped the code, and left address 0. */
  PROBE_DISAGREEING, /* Some of the probes are outside of all code. */
};

/* The probes in the code of one function, or in a part that was split off and
 * has its own symbol. */
struct probe_record {
  uint64_t guid;     /* GUID of the source function */
  uint64_t fragment; /* GUID of the code's symbol, from the sentinel (a probe
                        that names the symbol); 0 if it is the same as `guid` */
  uint64_t address;  /* address of the symbol; 0 if unknown */
  uint32_t count;    /* number of probes, not counting the sentinel */
  uint8_t placed;    /* enum probe_placement */
  uint8_t encoding;  /* enum probe_encoding, never PROBE_AUTO */
};

/* A symbol that names code. */
struct code_symbol {
  uint64_t address; /* address; bit 0 is clear, also for Thumb code */
  uint64_t size;    /* size of the code; if the file says 0, the distance to the
                       next symbol or the end of the section */
  uint64_t guid;
  const char *name;
};

/* All probes of an ELF, with their functions and symbols. */
struct probes {
  const struct probe_function *functions; /* the functions, sorted by GUID; each
                                             GUID occurs once */
  size_t function_count;
  const struct probe *list; /* the probes without sentinels, sorted by address,
                               then in the order of the file */
  size_t count;
  const struct probe *lost; /* probes whose records lack a place. An address is
                               the distance from the record's start or, if the
                               file has absolute addresses, the number there */
  size_t lost_count;
  const struct probe_record *records; /* the records in the order of the file */
  size_t record_count;
  const struct code_symbol *symbols; /* the symbols, sorted by address, without
                                        overlaps; one for each address */
  size_t symbol_count;
  uint64_t bytes;    /* size of both sections in bytes */
  uint64_t loaded;   /* how many of these bytes the image loads; should be 0 */
  uint64_t repeated; /* number of further descriptors of a GUID that have
                        another hash */
  bool no_symtab;    /* The ELF lacks symbols. */
  /* Only the files of probe/ use the other members. */
  struct symbol_by_guid *names; /* all symbols of code, sorted by GUID and
                                   address */
  size_t name_count;
  struct arena arena;
  struct buffer list_memory, lost_memory, record_memory;
};

/* ---- probe_read.c ---- */

/* Reads all probes. Returns NULL or the error. The caller calls probes_free in
 * both cases, and need not initialise *probes. The names of symbols point into
 * `elf`. Time is linear, except for sorting. The ELF's size bounds the memory,
 * and PROBE_DEPTH_MOST bounds the number of frames of a probe.
 *
 * Rejects an ELF without probes, an object that is not linked yet, and an ELF
 * without symbols if the encoding needs them. Records without a place are not
 * an error. */
enum { PROBE_DEPTH_MOST = 1000 };
const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding);
/* Reads only the symbols. The ELF need not have probes. An inner symbol, such
 * as a second entry in assembly, divides the function around it. If `parts` is
 * set, the code after the inner symbol is another element of probes->symbols,
 * with the name of the function; otherwise this code lacks a symbol. */
const char *probes_read_symbols(struct probes *probes, const struct elf *elf,
                                bool parts);
void probes_free(struct probes *probes);

/* Returns the function with this GUID, or NULL. */
const struct probe_function *probes_find_function(const struct probes *probes,
                                                  uint64_t guid);

/* Like probes_find_function, but code that was split off a function (its symbol
 * has the function's name and .cold) counts as the function. For calls that
 * were inlined into split-off code, the split-off part is the caller. */
const struct probe_function *
probes_find_function_or_parent(const struct probes *probes, uint64_t guid);

/* Returns the name of a function. If the function lacks a descriptor, returns
 * the name of its symbol, or NULL. */
const char *probes_function_name(const struct probes *probes, uint64_t guid);

/* Returns the GUID of the function that the code of a symbol belongs to. The
 * result is the GUID of the symbol if that GUID has a descriptor, and otherwise
 * the GUID in the record of the first probe. */
uint64_t probes_guid_of_symbol(const struct probes *probes,
                               const struct code_symbol *symbol);

/* Returns the symbol with this GUID, or NULL if none or several symbols have
 * it. */
const struct code_symbol *probes_find_unique_symbol(const struct probes *probes,
                                                    uint64_t guid);

/* Returns the function that a part belongs to: for cold code (NAME.cold), the
 * first function of this name, or NULL if no function has the name; for code
 * after an inner symbol, the function around it; otherwise the symbol itself.
 */
const struct code_symbol *
probes_find_part_owner(const struct probes *probes,
                       const struct code_symbol *symbol);

/* Returns the index of the first probe at this address or after it. */
size_t probes_index_from(const struct probes *probes, uint64_t address);

/* Returns the first probe in the code of a symbol, or NULL. */
const struct probe *probes_first_in_symbol(const struct probes *probes,
                                           const struct code_symbol *symbol);

/* Returns the GUID of the function whose code contains the probe: the probe's
 * function, or the outermost caller into which that function was inlined. */
uint64_t probe_outermost_guid(const struct probe *probe);

/* Returns the symbol that contains this address, or NULL. */
const struct code_symbol *probes_find_symbol(const struct probes *probes,
                                             uint64_t address);

/* Returns LLVM's name for a type of probe, such as "Block". */
const char *probe_type_name(unsigned type);

/* ---- probe_show.c ----
 *
 * This file prints probes.
 */

/* Print the functions in the order of their code, with their probes. */
void probes_print_text(FILE *stream, const struct probes *probes);
void probes_print_json(FILE *stream, const struct probes *probes);

/* Returns the name of a function, which `probes` owns, or the GUID as text,
 * which is stored in `room`. */
enum { PROBE_NAME_ROOM = 32 };
const char *probe_name_or_guid(const struct probes *probes, uint64_t guid,
                               char room[PROBE_NAME_ROOM]);

/* The state while a disassembly is annotated. All members are zero at first. */
struct annotation_state {
  size_t inserted; /* number of probes that were printed */
  size_t between;  /* number of probes inside an instruction, not printed */
  /* These members are about the last instruction, if `any` is set. */
  bool any;
  uint64_t last;                    /* address of the last instruction */
  size_t next;                      /* index of the first probe after the last
                                        instruction */
  const struct code_symbol *symbol; /* symbol that contains the last
                                        instruction, or NULL */
};

/* Copies a disassembly of llvm-objdump or GNU objdump, and inserts the probes
 * before each instruction, in the format of llvm-profgen. The disassembly may
 * come in several calls, each with complete lines. */
void probes_annotate_lines(FILE *stream, const struct probes *probes,
                           struct bytes lines, struct annotation_state *so_far);

/* ---- probe_check.c ---- */

/* Prints one line for each kind of fault in the probes, with the remedy.
 * Returns the number of lines. */
unsigned probes_print_faults(FILE *stream, const struct probes *probes,
                             const struct elf *elf);

/* The number of times that a fault was seen, and the GUID of the first function
 * with it. */
struct probe_faults {
  size_t count;
  uint64_t guid;
};

/* The faults that probe_find_misplaced finds. */
struct probe_misplacements {
  struct probe_faults relaxed; /* functions that the linker shortened on RISC-V
                                 before a probe whose address is relative to an
                                 earlier probe */
  struct probe_faults inside;  /* probes that are inside an instruction */
  struct probe_faults outside; /* probes outside the symbol of their record */
};

/* Compares probes with the code. Checks the starts of instructions on RISC-V,
 * whose instructions show their length, and on AArch64 and Arm, whose
 * instructions are aligned. */
void probe_find_misplaced(struct probe_misplacements *misplaced,
                          const struct probes *probes, const struct elf *elf);

/* ---- probe_lower.c ----
 *
 * This file turns the .pseudoprobe directives in clang's assembly into data
 * that any assembler accepts. Only clang's assembler knows the directives, and
 * rejects them on Arm.
 */

enum probe_lowering_mode {
  LOWER_AUTO,  /* LOWER_ABSOLUTE for RISC-V, otherwise LOWER_DELTA */
  LOWER_DELTA, /* The data contains differences, as in clang 16 and later. */
  /* The data contains an address for each probe, which stays correct if the
   * linker shortens code. Only little-endian targets support this mode. */
  LOWER_ABSOLUTE
};

/* Copies assembly, and puts a label in the place of each directive and the
 * section .pseudo_probe at the end. Returns NULL, or the error, and then sets
 * *line to its line (0 if it has none). After an error, the output is
 * unusable. */
const char *probes_lower_assembly(FILE *stream, struct bytes assembly,
                                  enum probe_lowering_mode how, size_t *line);

#endif
