/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Debug information of a linked ELF: DWARF 2 to 5 of 32 and 64 bits, of any
 * machine. First it is opened. These functions read it:
 *   dwarf_lines_     addresses to files and lines
 *   dwarf_sources_   files and their MD5
 *   dwarf_scopes_    addresses to functions, inlined ones too
 *   dwarf_counters_  counters of -profile-correlate=debug-info
 *
 *     struct dwarf dwarf;
 *     const char *error = dwarf_open(&dwarf, &elf);
 *     ...
 *     dwarf_close(&dwarf);
 *
 * Split DWARF (.dwo) and supplementary files are not read: their functions have
 * no names here. Memory: the unpacked sections, and a small multiple of the
 * units' descriptions.
 */
#ifndef BASE_DWARF_H
#define BASE_DWARF_H

#include "../base/storage.h"
#include "elf.h"

enum dwarf_section {
  DWARF_INFO,
  DWARF_ABBREV,
  DWARF_LINE,
  DWARF_STR,
  DWARF_LINE_STR,
  DWARF_STR_OFFSETS,
  DWARF_ADDR,
  DWARF_RANGES,
  DWARF_RNGLISTS,
  DWARF_SECTIONS
};

/* Addresses from begin up to, not including, end. */
struct dwarf_span {
  uint64_t begin, end;
};

/* Only for the dwarf*.c files. */
struct dwarf {
  bool big, wide;
  struct bytes sections[DWARF_SECTIONS];
  unsigned char *memory[DWARF_SECTIONS]; /* of those that were compressed */
  struct arena arena;                    /* its limit is that of all lists */
  struct dwarf_unit *units;              /* ascending */
  size_t unit_count;
  struct dwarf_span *code; /* sections that have any, ascending */
  size_t code_count;
  uint64_t first_size; /* of the function at address 0; 0: none is there */
};

/* Returns NULL or the error. The caller calls dwarf_close in both cases. The
 * memory of elf is needed until then, struct elf itself is not. */
const char *dwarf_open(struct dwarf *dwarf, const struct elf *elf);
void dwarf_close(struct dwarf *dwarf);

/* The source that a unit was compiled from, as the compiler was given it; "":
 * not known. */
const char *dwarf_unit_source(const struct dwarf *dwarf, size_t unit);

/* The folder that the compiler ran in; "": not known. */
const char *dwarf_unit_folder(const struct dwarf *dwarf, size_t unit);

/* ==== The line, file and discriminator of an address. Code that the linker has
 * dropped has no rows.
 *
 *     struct dwarf_lines lines;
 *     const char *error = dwarf_lines_read(&lines, &dwarf);
 *     ...
 *     const struct dwarf_row *row = dwarf_lines_find(&lines, address);
 *     if (row)
 *       printf("%s:%u", dwarf_lines_path(&lines, row->file), row->line);
 *
 * A row takes 24 bytes of memory, and at least one byte of the file, usually
 * three. */

enum dwarf_row_flag {
  DWARF_STATEMENT = 1,
  DWARF_BLOCK = 2,
  DWARF_PROLOGUE_END = 4,
  DWARF_EPILOGUE_BEGIN = 8,
  DWARF_END = 16 /* no code: the address is the end of the row before */
};

/* A row is valid from its address up to the address of the next row, which lies
 * behind it in memory. The last row has DWARF_END. */
struct dwarf_row {
  uint64_t address;
  uint32_t file; /* see dwarf_lines_path; 0: not known */
  uint32_t line; /* 0: of no line */
  uint32_t discriminator;
  uint16_t column; /* 0: not known */
  uint8_t flags;
};

/* Rows without a gap. */
struct dwarf_sequence {
  uint64_t begin, end; /* addresses */
  size_t row;          /* the first */
  size_t count;        /* with the one at the end */
};

struct dwarf_file {
  const char *name, *directory, *base; /* base: where directory is; or "" */
  char *path;                          /* all together, once it is wanted */
  const unsigned char *md5; /* 16 bytes, of its text; NULL: not known */
};

/* Where the files of a unit begin. */
struct dwarf_unit_files {
  uint64_t lines; /* offset in .debug_line */
  size_t first;
  uint32_t count;
};

struct dwarf_lines {
  struct dwarf_row *rows;
  size_t row_count;
  struct dwarf_sequence *sequences; /* ascending */
  size_t sequence_count;
  /* Of use to the dwarf*.c files only. */
  struct buffer row_buffer, sequence_buffer, files, units;
  struct arena paths;
};

/* Returns NULL or the error. The caller calls dwarf_lines_free in both cases.
 * dwarf must live as long as lines. */
const char *dwarf_lines_read(struct dwarf_lines *lines,
                             const struct dwarf *dwarf);
void dwarf_lines_free(struct dwarf_lines *lines);

/* Returns the row of an address (the last of several at one address). The next
 * row follows in memory. NULL: no code is known there. */
const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *lines,
                                         uint64_t address);

/* Returns the first row with a line in the span, or NULL. */
const struct dwarf_row *dwarf_lines_in(const struct dwarf_lines *lines,
                                       struct dwarf_span span);

/* Returns the compiler's path, absolute if the compiler's folder is known; "":
 * unknown, or out of memory. The path lives as long as lines. */
const char *dwarf_lines_path(struct dwarf_lines *lines, uint32_t file);

/* ==== The files of all units, without their rows: those that DWARF 5 gives an
 * MD5, which clang does. A file of several units is there several times. */

struct dwarf_source {
  char *path; /* the compiler's, as of dwarf_lines_path; may be changed */
  const unsigned char *md5; /* 16 bytes, as long as dwarf lives */
};

struct dwarf_sources {
  struct buffer list; /* struct dwarf_source */
  struct arena paths;
};

/* Returns NULL or the error. The caller calls dwarf_sources_free in both cases.
 */
const char *dwarf_sources_read(struct dwarf_sources *sources,
                               const struct dwarf *dwarf);
void dwarf_sources_free(struct dwarf_sources *sources);

/* ==== The function of an address, and the calls through which it was inlined
 * there.
 *
 *     struct dwarf_scopes scopes;
 *     const char *error = dwarf_scopes_read(&scopes, &dwarf);
 *     ...
 *     struct dwarf_frame frames[DWARF_FRAMES];
 *     size_t count = dwarf_frames(&scopes, &lines, address, frames);
 *
 * A scope takes 16 bytes of memory, and a span 16 or 32. Frames are read on
 * request. */

/* Deeper chains are cut on the callers' side. */
enum { DWARF_FRAMES = 64 };

struct dwarf_scope;

struct dwarf_segment {
  uint64_t begin; /* up to where the next one begins */
  uint32_t scope; /* the innermost; 0: none */
};

struct dwarf_scopes {
  const struct dwarf *dwarf;
  struct dwarf_scope *list; /* from 1 on */
  struct dwarf_segment *segments;
  size_t segment_count;
  struct buffer scope_buffer, segment_buffer;
};

struct dwarf_frame {
  const char *name;     /* the linkage name, or the name in the source */
  const char *plain;    /* the name in the source; both "": not known */
  uint32_t declared;    /* the line where the function begins; 0: not known */
  uint32_t declared_in; /* the file, see dwarf_lines_path */
  uint32_t file, line;  /* of the frame's place: of the address, in frame 0, */
  uint32_t discriminator; /* or of the call to the frame before it */
  uint16_t column;
  bool inlined; /* into the next frame */
};

/* Finds the first function with code from begin up to end: its names and its
 * declaration. Inlined functions do not count. false: none is known. */
bool dwarf_function(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, struct dwarf_span span,
                    struct dwarf_frame *function);

/* Returns NULL or the error. The caller calls dwarf_scopes_free in both cases.
 * dwarf must live as long as scopes. */
const char *dwarf_scopes_read(struct dwarf_scopes *scopes,
                              const struct dwarf *dwarf);
void dwarf_scopes_free(struct dwarf_scopes *scopes);

/* Finds the frames of an address, the innermost function first. If only the
 * line is known (possible with -g1), there is one frame without a name; 0:
 * nothing is known. Names live as long as dwarf. */
size_t dwarf_frames(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, uint64_t address,
                    struct dwarf_frame frames[DWARF_FRAMES]);

/* ==== The functions of a program compiled with -profile-correlate=debug-info
 * (-debug-info-correlate up to clang 21), which has no records and no names:
 * the debug information describes each function's counters instead. */

struct dwarf_counters {
  const char *name;     /* lives as long as dwarf */
  const char *variable; /* the same; of its counters, without __profc_ */
  uint64_t hash;        /* of the function's structure */
  uint64_t address;     /* of its counters */
  uint64_t count;       /* of counters */
};

/* Finds functions whose counters begin in the span, by ascending address, one
 * for each address. list holds struct dwarf_counters. The span from 0 to
 * UINT64_MAX keeps all functions, including functions that the linker has
 * dropped. Returns NULL or the error. The caller frees list in both cases. */
const char *dwarf_counters_read(const struct dwarf *dwarf,
                                struct dwarf_span span, struct buffer *list);

/* Adds their names in the form of the section __llvm_prf_names. Returns NULL or
 * the error. */
const char *dwarf_counters_names(const struct buffer *list,
                                 struct buffer *names);

#endif
