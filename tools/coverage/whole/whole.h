/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `--sources`: which sources should be in a report, and what became of each.
 *
 *   compile_commands.json, a map, a folder, a list    planned.c
 *   ELFs, by mapping, lines and symbols; objects      seen.c
 *   a state of each source                            whole.c
 *   functions that no ELF has, for the model          added.c
 */
#ifndef BAREPROF_TOOLS_WHOLE_H
#define BAREPROF_TOOLS_WHOLE_H

#include "../../base/storage.h"
#include "../../object/dwarf.h"
#include "../../object/mapping.h"
#include "../../object/names.h"
#include "../../profile/model.h"
#include "../inputs/inputs.h"
#include "../inputs/paths.h"
#include "../model/model_inside.h"

/* ---- planned.c ---- */

enum planned_kind { PLANNED_CODE, PLANNED_ASSEMBLY, PLANNED_HEADER };

/* A source that should be in the report, once for each command. */
struct planned_source {
  const char *name;    /* absolute and tidied */
  const char *object;  /* the same; NULL: not known */
  const char *program; /* folder of a program's objects; NULL: not known */
  enum planned_kind kind;
  bool command; /* Something compiles it. */
  bool placed;  /* A map has sections of its object. */
  bool member;  /* of an archive in a map */
};

struct planned {
  struct planned_source *list; /* by name */
  size_t count;
  struct arena texts;
  size_t members; /* of archives in maps: their sources are not known */
};

/* Reads a compile_commands.json, a map of GNU ld or lld, a list of files, or
 * lists the sources in a folder. Returns 0, or reports the error and returns 1.
 */
int planned_read(struct planned *planned, const char *what);
void planned_free(struct planned *planned);

/* The same of a file's text. Returns NULL or the error. */
const char *planned_text(struct planned *planned, struct bytes text,
                         const char *name);

/* What the name of a file says. */
enum planned_kind planned_kind_of(const char *name);
/* Whether a folder's file of that name is a source. */
bool planned_is_source(const char *name);

/* ---- seen.c ----
 *
 * What the ELFs know of sources. A source's key is its name on this machine,
 * absolute and tidied.
 */

struct seen_file {
  const char *key, *name; /* name: the compiler's */
  bool mapped;            /* A function of the mapping is in it. */
  bool coded;             /* The line table has code of it. */
  bool unit;              /* The debug information says it was compiled. */
  bool given;             /* It is one of the planned, or a part of one. */
};

struct seen_elf {
  const struct elf *elf;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  uint32_t *numbers; /* of each file of the lines, in files; and 1 */
};

struct seen {
  const struct paths *paths;
  const struct inputs *inputs;
  struct map numbers; /* keys to numbers in files */
  struct seen_file *files;
  size_t file_count;
  struct map functions; /* name and number of the file; name and hash */
  struct map names;     /* of functions, to the number of a file, and 1 */
  struct map symbols;   /* names of functions with code */
  struct arena texts;
  struct seen_elf *elfs;
  size_t elf_count;
};

/* Reads all ELFs. Returns NULL or the error. The caller frees *seen in both
 * cases. */
const char *seen_read(struct seen *seen, const struct inputs *inputs,
                      const struct paths *paths);
void seen_free(struct seen *seen);

/* The number of a source by its name, which gets one. */
size_t seen_number(struct seen *seen, const char *name);
/* A file of the function at hand of a mapping; SIZE_MAX: that is damaged. */
size_t seen_mapping_file(struct seen *seen, struct mapping *mapping,
                         uint32_t file);
static inline size_t seen_function_file(struct seen *seen,
                                        struct mapping *mapping) {
  return seen_mapping_file(seen, mapping, 0);
}

/* Whether an ELF's mapping has the function at hand in this file; whether an
 * ELF counts it, and none maps it: of two objects that define one function,
 * linkers may keep the mapping of the other. */
bool seen_has(const struct seen *seen, const struct mapping *mapping,
              size_t file);
bool seen_lost(const struct seen *seen, const struct mapping *mapping);

/* What a profile has of a function; or NULL. */
const struct counts *seen_counts(const struct profile *profile, uint64_t name,
                                 uint64_t hash);

enum object_kind { OBJECT_NONE, OBJECT_OTHER, OBJECT_BITCODE, OBJECT_ELF };

/* What an object says of one source. */
struct seen_object {
  enum object_kind kind;
  bool code;      /* It has instructions. */
  bool linked;    /* A function of the source is in an ELF. */
  bool shared;    /* An ELF has a function of something that it includes. */
  bool contrary;  /* An ELF has a function of that name of another source. */
  size_t mapped;  /* functions of its mapping, of any source */
  size_t own;     /* of the source */
  size_t lacking; /* of these, those that no ELF has */
  size_t lost;    /* of these, those that an ELF counts and does not map */
  const char *file; /* the name of the symbol for the source; or NULL */
};

/* Reads an object; file: the number of the source, or SIZE_MAX: which is its
 * own is not known. */
struct seen_object object_look(struct seen *seen, const char *name,
                               size_t file);

/* ---- added.c ----
 *
 * Functions that no ELF has.
 */

struct added_lost {
  uint64_t name, hash;
};

/* Begins as {0}. */
struct added {
  struct evaluated *list; /* what the model also gets */
  size_t count;
  struct added_object *objects; /* of the list */
  struct map only;              /* their functions that count */
  struct added_lost *lost;      /* functions that an ELF counts */
  size_t lost_count;
  struct arena texts;
};

struct whole;

/* Adds functions of an object that are in a source and in no ELF's mapping.
 * *count: how many. Returns NULL or the error. */
const char *added_object(struct whole *whole, const char *object, size_t file,
                         size_t *count);

void added_function(struct added *added,
                    const struct absent_function *function);

/* Makes its counts, taken from the ELFs' profiles, any of which may be NULL.
 * The caller frees *counts. */
void added_counts(const struct added *added,
                  const struct profile *const *profiles, size_t count,
                  struct profile *counts);
void added_free(struct added *added);

/* ---- whole.c ---- */

enum whole_state {
  WHOLE_MEASURED,
  WHOLE_PART,
  WHOLE_PLAIN,
  WHOLE_ASSEMBLY,
  WHOLE_UNLINKED,
  WHOLE_OTHER,
  WHOLE_DATA,
  WHOLE_HEADER,
  WHOLE_BITCODE,
  WHOLE_UNCOMPILED,
  WHOLE_MISSING,
  WHOLE_UNPLANNED,
  WHOLE_STATES
};

/* How functions and lines of a source were counted that is not measured. */
enum whole_way { WHOLE_NOT, WHOLE_MAPPING, WHOLE_LINES, WHOLE_TEXT };

struct whole_source {
  const char *name; /* as the compiler, or the plan, has it */
  enum whole_state state;
  enum whole_way way;
  const char *object; /* that says so, or NULL */
  uint32_t planned, count; /* its commands, in the plan */
  size_t file; /* its number in seen */
  bool hidden; /* All of it is excluded. */
};

enum { WHOLES_MOST = 64 };

struct whole {
  const char *what[WHOLES_MOST];
  size_t what_count; /* 0: nothing is planned */
  struct planned planned;
  struct seen seen;
  struct added added;
  struct whole_source *list; /* by name */
  size_t count;
  struct buffer variants; /* struct variant_line */
  bool settled;           /* the variants */
};

/* ---- variants.c ----
 *
 * Lines, from one to another, that are code in some ELFs and skipped by #if in
 * others, or in all: sets of ELFs by number, up to 64.
 */

struct variant_line {
  uint64_t coded, skipped;
  size_t file; /* its number in seen */
  uint32_t line, last;
  bool code; /* by the text */
};

/* Notes the lines of one ELF's model, until they are settled. Returns NULL or
 * the error. */
const char *variants_note(struct whole *whole, size_t which,
                          const struct exported *exported);
const char *variants_settle(struct whole *whole);

struct coverage;

/* Reads what is planned, and what the ELFs know. Then, once each ELF has a
 * model: finds the states, and what is added. Return 0, or report the error and
 * return 1. */
int whole_begin(struct whole *whole, const struct coverage *coverage);
int whole_find(struct whole *whole, const struct coverage *coverage);
void whole_free(struct whole *whole);

/* Finds what is excluded in sources that are added. Returns 0, or reports the
 * error and returns 1. */
int whole_exclude(const struct coverage *coverage);

/* Marks the rows of sources that it has added, and sources that are excluded.
 * Call it once the model is complete. */
void whole_mark(const struct coverage *coverage);

/* ---- whole_lines.c ----
 *
 * Adds functions and lines of a source without a mapping: by the line tables of
 * the ELFs, or else by its text. Returns NULL or the error.
 */
const char *lines_add(struct whole *whole, struct whole_source *source);

struct line_at {
  uint64_t line;
  const char *function; /* that begins there; or NULL */
};

/* Adds the lines of a text that have code to a list of struct line_at; all:
 * those in #if 0 too. Returns NULL or the error. */
const char *lines_of_text(const char *here, bool all, struct buffer *list);

/* Whether an ELF has code of a name that is a label in a text of assembly. */
bool lines_are_linked(const struct seen *seen, const char *here);

/* ---- whole_show.c ---- */

/* The state in words, and how it was counted. */
extern const char *const whole_texts[WHOLE_STATES], *const whole_ways[];

/* Prints what is not measured, by state. */
void whole_print(const struct coverage *coverage, const struct paths *paths);

void variants_print(const struct coverage *coverage,
                    const struct paths *paths);

/* Writes an element of the JSON; elements of a list of it. */
void variants_json(const struct coverage *coverage, FILE *stream);
void whole_json(const struct coverage *coverage, FILE *stream);

#endif
