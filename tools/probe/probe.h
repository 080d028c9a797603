/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pseudo probes (clang -fpseudo-probe-for-profiling): places in the code that
 * stand for a block or call of the source, without any cost in the image.
 * .pseudo_probe has the probes and the inlining, .pseudo_probe_desc has the
 * functions by name, and the symbols have the places of the code. In memory:
 *
 *     struct probes probes;
 *     const char *error = probes_read(&probes, &elf, PROBE_AUTO);
 *     ...
 *     probes_free(&probes);
 *
 * GUID: the first half of the MD5 of a function's linkage name, md5_low64.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdio.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"

struct probe_name;

/* The encoding of the section .pseudo_probe. No file names it: AUTO looks at
 * the first probe of each function, and distinguishes the first three
 * encodings. */
enum probe_encoding {
  PROBE_AUTO,
  PROBE_DELTA,     /* clang 16 and later: no address, but the symbol's */
  PROBE_ABSOLUTE8, /* until clang 15: each function begins with an address */
  PROBE_ABSOLUTE4, /* of as many bytes as the machine's pointers */
  PROBE_RFC,       /* 2020: GUID of the inlinee before its call site, unsigned
                      differences, 8 bytes of address */
  PROBE_RFC_LINES, /* the same, a site being a line and a discriminator */
  PROBE_ENCODINGS
};

enum probe_type { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_DIRECT_CALL };

/* In probe.flags. */
enum {
  PROBE_DANGLING = 1, /* Its block has no instruction left: the probe stands
                         before another block's instruction, and gets neither
                         a count nor a zero. */
  PROBE_TWINS = 2,    /* of a record whose place is a guess */
  PROBE_ADDRESSED = 4 /* the file has its address, no difference */
};

/* In probe.attributes: the call leaves the function. LLVM's tools of 2020 and
 * 2021 knew it; LLVM 14 and later have it reserved, and set it nowhere. */
enum { PROBE_TAIL_CALL = 1 };

/* One of .pseudo_probe_desc. A function without code may have a descriptor
 * because it was inlined. LTO gives internal functions another symbol, such as
 * name.llvm.N: then only a record says where the code is. */
struct probe_function {
  uint64_t guid;
  uint64_t hash; /* of its control flow: !CFGChecksum of a profile */
  const char *name;
  bool has_code; /* a symbol has its name, or a record of it has a place */
};

/* Where the code of an inlined function comes from. */
struct probe_frame {
  const struct probe_frame *parent; /* NULL: the caller was not inlined */
  uint64_t guid;                    /* of the caller */
  uint32_t site;          /* index of the caller's call probe, or the line */
  uint32_t discriminator; /* of PROBE_RFC_LINES; else 0 */
};

struct probe {
  uint64_t address;                /* of the next instruction; bit 0 clear */
  uint64_t guid;                   /* of its function in the source */
  const struct probe_frame *frame; /* how the function was inlined here;
                                      NULL: not inlined */
  uint32_t index;                  /* in its function, from 1 */
  uint32_t discriminator;          /* 0: none */
  uint32_t record;                 /* number in probes.records */
  uint8_t type;                    /* enum probe_type, or a number to 15 */
  uint8_t attributes;              /* the 3 bits as they are in the file */
  uint8_t flags;
};

/* How a record was placed. From PROBE_NO_SYMBOL on, records have no place. */
enum probe_placed {
  PROBE_PLACED,
  PROBE_GUESSED,     /* several symbols have that name, and the numbers of
                        symbols and records differ: it is at the last */
  PROBE_NO_SYMBOL,   /* no symbol has the GUID */
  PROBE_NO_CODE,     /* its code is gone: the linker left it at address 0 */
  PROBE_DISAGREEING, /* some of its probes are outside of all code */
};

/* One function as it lies in the code, or a part of it, which then has a
 * symbol of its own. */
struct probe_record {
  uint64_t guid;     /* of the function in the source */
  uint64_t fragment; /* GUID of the code's symbol if different, otherwise 0:
                        the sentinel */
  uint64_t address;  /* where the symbol is; 0 if there is none */
  uint64_t offset;   /* where the record is in the section */
  uint32_t count;    /* probes, without the sentinel */
  uint8_t placed;    /* enum probe_placed */
  uint8_t encoding;  /* enum probe_encoding, never PROBE_AUTO */
};

/* A symbol of code. */
struct probe_symbol {
  uint64_t address; /* bit 0 clear, also of Thumb code */
  uint64_t size;    /* 0 in the file: until the next, or the section's end */
  uint64_t guid;
  const char *name;
};

struct probes {
  const struct probe_function *functions; /* by ascending GUID, each once */
  size_t function_count;
  const struct probe *list; /* by ascending address; those of one address as
                               they are in the file. Without sentinels. */
  size_t count;
  const struct probe *lost; /* those of records without a place: address is
                               the distance from its start, or what the file
                               says */
  size_t lost_count;
  const struct probe_record *records; /* as they are in the file */
  size_t record_count;
  const struct probe_symbol *symbols; /* by ascending address, one for each,
                                         which do not overlap */
  size_t symbol_count;
  uint64_t bytes;    /* of both sections */
  uint64_t loaded;   /* of these, loaded by the image: 0 */
  uint64_t repeated; /* descriptors of one GUID with another hash */
  bool no_symtab;    /* the ELF has no symbols */
  /* Only for probe/. */
  struct probe_name *names; /* all symbols of code, by GUID and address */
  size_t name_count;
  struct arena arena;
  struct buffer list_memory, lost_memory, record_memory;
};

/* Reads all probes. Returns NULL or the error. The caller frees *probes in both
 * cases, and need not initialise it before. The names of symbols stay in elf.
 * Time is linear, except for sorting. Memory is bounded by the ELF's size, and
 * a walk from a probe to its outermost caller by PROBE_DEPTH_MOST.
 *
 * Refuses an ELF without probes, an object that is not linked yet, and an ELF
 * without symbols if the encoding needs them. Records without a place are no
 * error. */
enum { PROBE_DEPTH_MOST = 1000 };
const char *probes_read(struct probes *probes, const struct elf *elf,
                        unsigned encoding);
/* Only symbols, of an ELF that may have no probes. */
const char *probes_read_symbols(struct probes *probes, const struct elf *elf);
void probes_free(struct probes *probes);

/* The function of that GUID, or NULL. */
const struct probe_function *probes_function(const struct probes *probes,
                                             uint64_t guid);

/* The same, except that code split off a function (named after it, with .cold)
 * counts as that function. Inlined calls in split-off code have it as their
 * caller. */
const struct probe_function *probes_described(const struct probes *probes,
                                              uint64_t guid);

/* Returns the function's name; without a descriptor the name of a symbol, or
 * NULL. */
const char *probes_name(const struct probes *probes, uint64_t guid);

/* The GUID of the function that a symbol's code is of: by its name or, if that
 * has no descriptor, by the record of its first probe. */
uint64_t probes_owner(const struct probes *probes,
                      const struct probe_symbol *symbol);

/* The symbol of that GUID, or NULL: there is none, or several have the name. */
const struct probe_symbol *probes_only(const struct probes *probes,
                                       uint64_t guid);

/* Returns the index of the first probe at this address or behind it. */
size_t probes_from(const struct probes *probes, uint64_t address);

/* The first probe in the code of a symbol, or NULL. */
const struct probe *probes_first(const struct probes *probes,
                                 const struct probe_symbol *symbol);

/* The GUID of the function that a probe's code belongs to: its own, or that of
 * the outermost caller that it was inlined into. */
uint64_t probe_outermost(const struct probe *probe);

/* The symbol that this address is in, or NULL. */
const struct probe_symbol *probes_symbol(const struct probes *probes,
                                         uint64_t address);

/* "Block" and so on, as LLVM says it. */
const char *probe_type_name(unsigned type);

/* ---- probe_show.c ----
 *
 * Output about probes.
 */

/* Functions as they lie in the code, with their probes, as text or JSON. */
void probes_show(FILE *stream, const struct probes *probes);
void probes_show_json(FILE *stream, const struct probes *probes);

/* The name of a function, or its GUID, which fills room. Owned by probes or
 * written to room. */
enum { PROBE_NAME_ROOM = 32 };
const char *probe_name_shown(const struct probes *probes, uint64_t guid,
                             char room[PROBE_NAME_ROOM]);

/* How far a disassembly is annotated. Begins with zeros. */
struct probe_annotated {
  size_t inserted; /* probes */
  size_t between;  /* probes inside an instruction, which are above no line */
  /* Of the last instruction, if any: */
  bool any;
  uint64_t last;                     /* its address */
  size_t next;                       /* the first probe behind it */
  const struct probe_symbol *symbol; /* that it is in, or NULL */
};

/* Copies a disassembly of llvm-objdump or GNU objdump, and prints the probes
 * before each instruction above it, in the words of llvm-profgen. It may come
 * in pieces of whole lines. */
void probes_annotate(FILE *stream, const struct probes *probes,
                     struct bytes lines, struct probe_annotated *so_far);

/* Prints one line for each fault of this ELF's probes, with what to do. Returns
 * the number of lines. */
unsigned probes_check(FILE *stream, const struct probes *probes,
                      const struct elf *elf);

/* How often, and the GUID of the first. */
struct probe_seen {
  size_t count;
  uint64_t guid;
};

struct probe_misplaced {
  struct probe_seen
      relaxed;              /* functions that a linker shortened before a probe,
                                with probes that count from one another
                                (RISC-V) */
  struct probe_seen inside; /* probes inside of an instruction */
  struct probe_seen outside; /* probes outside of their record's symbol */
};

/* Checks probes against the code. Instructions are checked if their length is
 * known: RISC-V; AArch64 and Arm have a fixed length. */
void probe_misplaced_find(struct probe_misplaced *misplaced,
                          const struct probes *probes, const struct elf *elf);

/* ---- lower.c ----
 *
 * Turns .pseudoprobe directives in clang's assembly into data for any
 * assembler. Only clang's own assembler knows the directives, and on Arm it
 * does not either.
 */

enum probe_lowering {
  LOWER_AUTO,    /* addresses for RISC-V, otherwise differences */
  LOWER_DELTA,   /* differences, as clang 16 and later */
  LOWER_ABSOLUTE /* each probe by its address, which stays correct when the
                    linker relaxes; little-endian targets */
};

/* Copies assembly, with a label in place of each directive and the section
 * .pseudo_probe at the end. Returns NULL, or the error and its line in *line
 * (0: no particular line). After an error the output is unusable. */
const char *probes_lower(FILE *stream, struct bytes assembly,
                         enum probe_lowering how, size_t *line);

#endif
