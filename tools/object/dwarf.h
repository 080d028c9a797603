/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the debug information of a linked ELF: DWARF 2 to 5, 32-bit and 64-bit,
 * any machine. Call dwarf_open first. Then four groups of functions return:
 *   dwarf_lines_     addresses to files and lines
 *   dwarf_sources_   source files and their MD5
 *   dwarf_scopes_    addresses to functions, including inlined ones
 *   dwarf_counters_  counters of -profile-correlate=debug-info
 *
 *     struct dwarf dwarf;
 *     const char *error = dwarf_open(&dwarf, &elf);
 *     ...
 *     dwarf_close(&dwarf);
 *
 * Split DWARF (.dwo) and supplementary files are not read, so functions that
 * only they describe lack names. The memory is the size of the unpacked
 * sections, plus a small multiple of the size of the unit descriptions.
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

/* An address range, from `begin` up to `end`, which is excluded. */
struct dwarf_span {
  uint64_t begin, end;
};

/* An open ELF's debug information. Other files use only unit_count. */
struct dwarf {
  bool big, wide;
  struct bytes sections[DWARF_SECTIONS];
  unsigned char *memory[DWARF_SECTIONS]; /* owned copies of compressed
                                            sections */
  struct arena arena;                    /* the limit of the arena also limits
                                            each list */
  struct dwarf_unit *units;              /* the units, by ascending offset */
  size_t unit_count;
  struct dwarf_span *code; /* address ranges of code sections, ascending */
  size_t code_count;
  uint64_t first_size; /* size of the function at address 0, or 0 without such a
                          function */
};

/* Opens the debug information of an ELF. Returns NULL or the error. The caller
 * calls dwarf_close in both cases, and keeps the memory of the ELF file until
 * then. The struct elf is not needed after the call. */
const char *dwarf_open(struct dwarf *dwarf, const struct elf *elf);
extern const char dwarf_missing[]; /* the error of an ELF without any */
void dwarf_close(struct dwarf *dwarf);

/* Returns the source file of a unit as it is in the compiler's command line, or
 * "" if unknown. */
const char *dwarf_unit_source(const struct dwarf *dwarf, size_t unit);

/* Returns the folder that the compiler ran in, or "" if unknown. */
const char *dwarf_unit_folder(const struct dwarf *dwarf, size_t unit);

/* ---- dwarf_lines.c ----
 *
 * Finds the line, file and discriminator of an address. The code that the
 * linker dropped does not have rows.
 *
 *     struct dwarf_lines lines;
 *     const char *error = dwarf_lines_read(&lines, &dwarf);
 *     ...
 *     const struct dwarf_row *row = dwarf_lines_find_row(&lines, address);
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
  DWARF_END = 16 /* the row has no code: its address ends the code of the row
                    before */
};

/* A row of the line table. A row covers the addresses up to the next row's
 * address. The next row follows in memory. The last row of a sequence has
 * DWARF_END. */
struct dwarf_row {
  uint64_t address;
  uint32_t file; /* number of the file for dwarf_lines_path; 0: unknown */
  uint32_t line; /* number of the line; 0: the code does not belong to a line */
  uint32_t discriminator;
  uint16_t column; /* number of the column; 0: unknown */
  uint8_t flags;
};

/* Consecutive rows that cover an address range without gaps. */
struct dwarf_sequence {
  uint64_t begin, end; /* addresses of the sequence */
  size_t row;          /* index of the first row */
  size_t count;        /* number of rows, including the DWARF_END row */
};

struct dwarf_file {
  const char *name, *directory, *base; /* `base` is the folder to which
                                          `directory` is relative, or "" */
  /* The joined base, directory and name; NULL until a call needs the path. */
  char *path;
  const unsigned char *md5; /* 16-byte MD5 of the file's text; NULL: unknown */
  bool dropped;             /* The linker dropped code of the file. */
};

/* Maps the file numbers of a unit to indices of all files. */
struct dwarf_unit_files {
  uint64_t lines; /* offset of the unit's lines in .debug_line */
  size_t first;
  uint32_t count;
};

struct dwarf_lines {
  struct dwarf_row *rows;
  size_t row_count;
  struct dwarf_sequence *sequences; /* the sequences, sorted by address */
  size_t sequence_count;
  /* Only the dwarf*.c files use these members. */
  struct buffer row_buffer, sequence_buffer, files, units;
  struct arena paths;
};

/* Reads the line tables of all units. Returns NULL or the error. In both cases
 * the caller calls dwarf_lines_free, and keeps dwarf open until then. */
const char *dwarf_lines_read(struct dwarf_lines *lines,
                             const struct dwarf *dwarf);
void dwarf_lines_free(struct dwarf_lines *lines);

/* Returns the row that covers an address. If several rows begin at the address,
 * returns the last one. The next row follows in memory. Returns NULL if no code
 * is known at the address. */
const struct dwarf_row *dwarf_lines_find_row(const struct dwarf_lines *lines,
                                             uint64_t address);

/* Returns the first row in the range that has a line, or NULL. */
const struct dwarf_row *
dwarf_lines_first_row_in_span(const struct dwarf_lines *lines,
                              struct dwarf_span span);

/* Returns the compiler's path of a file. The path is absolute if the compiler's
 * folder is known, and "" if the file is unknown or memory ran out. The path is
 * valid as long as `lines`. */
const char *dwarf_lines_path(struct dwarf_lines *lines, uint32_t file);

/* ---- dwarf_lines.c: sources ----
 *
 * Lists the source files of all units. Files are listed only with an MD5
 * of their text, which DWARF 5 has and clang writes. A file of several units is
 * listed several times. */

struct dwarf_source {
  char *path; /* the path that dwarf_lines_path gives; the caller may modify
                 it */
  const unsigned char *md5; /* the 16-byte MD5, valid as long as dwarf */
};

struct dwarf_sources {
  struct buffer list; /* sources; elements are struct dwarf_source */
  struct arena paths;
};

/* Lists the source files. Returns NULL or the error. The caller calls
 * dwarf_sources_free in both cases. */
const char *dwarf_sources_read(struct dwarf_sources *sources,
                               const struct dwarf *dwarf);
void dwarf_sources_free(struct dwarf_sources *sources);

/* ---- dwarf_scopes.c ----
 *
 * Finds the function at an address, and the chain of calls through which
 * this function was inlined.
 *
 *     struct dwarf_scopes scopes;
 *     const char *error = dwarf_scopes_read(&scopes, &dwarf);
 *     ...
 *     struct dwarf_frame frames[DWARF_FRAMES];
 *     size_t count = dwarf_find_frames(&scopes, &lines, address, frames);
 *
 * A scope takes 16 bytes of memory, and an address range 16 or 32. The frames
 * themselves are read only on request. */

/* The most frames of an address. If the chain of callers is longer, the
 * outermost callers are left out. */
enum { DWARF_FRAMES = 64 };

struct dwarf_scope;

struct dwarf_scope_segment {
  uint64_t begin; /* address of the segment, which ends where the next segment
                     begins */
  uint32_t scope; /* index of the innermost scope, or 0 */
};

struct dwarf_scopes {
  const struct dwarf *dwarf;
  struct dwarf_scope *list; /* the scopes, from index 1 on */
  struct dwarf_scope_segment *segments;
  size_t segment_count;
  struct buffer scope_buffer, segment_buffer;
};

struct dwarf_frame {
  const char *name;     /* the linkage name, or the source name without a
                           linkage name */
  const char *plain;    /* the source name; both names are "" if unknown */
  uint32_t declared;    /* line of the function's declaration; 0: unknown */
  uint32_t declared_in; /* file of the declaration, for dwarf_lines_path */
  /* In frame 0, the position of the address. In the other frames, the position
   * of the call to the frame before. */
  uint32_t file, line;
  uint32_t discriminator;
  uint16_t column;
  bool inlined; /* the function was inlined into the function of the next
                   frame */
};

/* Finds the first function that has code in the range, with its names and its
 * declaration. Inlined functions are skipped. Returns false if no function is
 * known in the range. */
bool dwarf_find_function(const struct dwarf_scopes *scopes,
                         const struct dwarf_lines *lines,
                         struct dwarf_span span, struct dwarf_frame *function);

/* Reads the functions and the calls that were inlined. Returns NULL or the
 * error. The caller calls dwarf_scopes_free in both cases, and keeps dwarf open
 * as long as it uses scopes. */
const char *dwarf_scopes_read(struct dwarf_scopes *scopes,
                              const struct dwarf *dwarf);
void dwarf_scopes_free(struct dwarf_scopes *scopes);

/* Finds the frames of an address, starting with the innermost function. If only
 * the line is known (possible with -g1), the name of the only frame is "".
 * Returns the number of frames, or 0 if nothing is known. Names are valid as
 * long as `dwarf`. */
size_t dwarf_find_frames(const struct dwarf_scopes *scopes,
                         const struct dwarf_lines *lines, uint64_t address,
                         struct dwarf_frame frames[DWARF_FRAMES]);

/* ---- dwarf_counters.c ----
 *
 * Finds the counters of a program compiled with
 * -profile-correlate=debug-info (-debug-info-correlate up to clang 21). A
 * program of this kind lacks function data and names. Instead its debug
 * information describes each function's counters. */

struct dwarf_function_counters {
  const char *name;     /* name of the function, valid as long as dwarf */
  const char *variable; /* name of the counters without __profc_, valid as long
                           as dwarf */
  uint64_t hash;        /* structural hash of the function */
  uint64_t address;     /* address of the first counter */
  uint64_t count;       /* number of counters */
};

/* Finds the functions whose counters begin in the range, sorted by address.
 * Keeps one function of an address; the range from 0 to UINT64_MAX keeps one of
 * each name, and functions that the linker dropped. `list` becomes an array of
 * struct dwarf_function_counters. Returns NULL or the error. The caller frees
 * list in both cases. */
const char *dwarf_counters_read(const struct dwarf *dwarf,
                                struct dwarf_span span, struct buffer *list);

/* Appends the functions' names to names, encoded as in section
 * __llvm_prf_names. Returns NULL or the error. */
const char *dwarf_counters_append_names(const struct buffer *list,
                                        struct buffer *names);

#endif
