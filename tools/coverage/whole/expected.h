/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `--sources` says which sources should be in a report. These files find out
 * what became of each:
 *
 *   planned_sources.c      reads the expected sources: commands, map, folder
 *   seen_sources.c         reads what the ELFs, and the commands' objects, have
 *   expected.c        decides the state of each source
 *   added_functions.c        adds functions that no ELF has to the model
 *   expected_lines.c  finds lines with code in sources without a mapping
 *   variants.c     finds lines that #if skips in some ELFs or in all
 *   expected_show.c   prints the states
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
#include "../model/evaluate.h"

/* ---- planned_sources.c ---- */

enum planned_kind { PLANNED_CODE, PLANNED_ASSEMBLY, PLANNED_HEADER };

/* A source that should be in the report; one for each command that compiles
 * it. */
struct planned_source {
  const char *name;    /* absolute and tidied */
  const char *object;  /* likewise; NULL: unknown */
  const char *program; /* folder of a program's objects; NULL: unknown */
  enum planned_kind kind;
  bool command; /* Something compiles it. */
  bool placed;  /* A map has sections of its object. */
  bool member;  /* The object is in an archive of a map. */
};

/* All that should be in the report. */
struct planned_sources {
  struct planned_source *list; /* sorted by name */
  size_t count;
  struct arena texts;
  /* Members of archives in maps, whose sources are unknown. */
  size_t members;
};

/* Adds the sources that a compile_commands.json, a map of GNU ld or lld, a list
 * of files, or a folder has. Returns 0, or reports the error and returns 1. */
int planned_read(struct planned_sources *planned, const char *what);
void planned_free(struct planned_sources *planned);

/* The same for a text. name: its file; other names are relative to its folder.
 * Returns NULL or the error. */
const char *planned_parse(struct planned_sources *planned, struct bytes text,
                          const char *name);

/* Returns the kind of a source, from the suffix of its name. */
enum planned_kind planned_source_kind(const char *name);
/* Whether a file of this name counts as a source if a folder is planned. */
bool planned_is_source(const char *name);

/* ---- seen_sources.c ----
 *
 * Reads the sources that the ELFs know. The key of a source is its name on this
 * machine, absolute and tidied.
 */

/* A source, as the ELFs and the plan know it. */
struct seen_file {
  const char *key, *name; /* name: the compiler's */
  bool mapped;            /* A function of a mapping has code in it. */
  bool coded;             /* A line table has code of it. */
  bool unit;              /* Debug information says it was compiled. */
  bool given;             /* The source is planned, or a planned source includes
                             it. */
};

/* An ELF and its line table. */
struct seen_elf {
  const struct elf *elf;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  uint32_t *numbers; /* for each file of `lines`: 1 + its index in seen's
                        files */
};

/* The sources and functions of all ELFs. */
struct seen_sources {
  const struct source_maps *paths;
  const struct inputs *inputs;
  struct map numbers; /* keys to indexes in files, from 1 on */
  struct seen_file *files;
  size_t file_count;
  struct map functions; /* by name and file; by name and hash */
  struct map names;     /* functions' names to 1 + the index of their file */
  struct map symbols;   /* names of symbols with code */
  struct arena texts;
  struct seen_elf *elfs;
  size_t elf_count;
};

/* Reads all ELFs. Returns NULL or the error. The caller frees *seen in both
 * cases. */
const char *seen_read(struct seen_sources *seen, const struct inputs *inputs,
                      const struct source_maps *paths);
void seen_free(struct seen_sources *seen);

/* Returns the index of a source in files. A new name gets a new index. */
size_t seen_file_number(struct seen_sources *seen, const char *name);
/* The same for a file of the mapping's current function. Returns SIZE_MAX if
 * the mapping is damaged. */
size_t seen_mapping_file(struct seen_sources *seen, struct mapping *mapping,
                         uint32_t file);
static inline size_t seen_function_file(struct seen_sources *seen,
                                        struct mapping *mapping) {
  return seen_mapping_file(seen, mapping, 0);
}

/* seen_has_function: whether an ELF's mapping has the current function in this
 * file. seen_is_unmapped: whether an ELF counts the function, and no ELF maps
 * it. If two objects define one function, the linker may keep the counters of
 * one and the mapping of the other. */
bool seen_has_function(const struct seen_sources *seen,
                       const struct mapping *mapping, size_t file);
bool seen_is_unmapped(const struct seen_sources *seen,
                      const struct mapping *mapping);

/* Returns the counts of a function in a profile, or NULL. */
const struct record_counts *seen_find_counts(const struct profile *profile,
                                             uint64_t name, uint64_t hash);

enum object_kind { OBJECT_NONE, OBJECT_OTHER, OBJECT_BITCODE, OBJECT_ELF };

/* What the object of a command shows about one source. */
struct seen_object {
  enum object_kind kind;
  bool code;      /* It has instructions. */
  bool linked;    /* An ELF has a function of the source. */
  bool shared;    /* An ELF has a function of its mapping, from any file. */
  bool contrary;  /* An ELF has its function from another source. */
  size_t mapped;  /* functions in its mapping, of any source */
  size_t own;     /* of these, functions of the source */
  size_t lacking; /* of own: functions that no ELF has */
  size_t lost;    /* of own: functions that an ELF counts and none maps */
  const char *file; /* the file that its symbols name; or NULL */
};

/* Reads an object. file: the index of its source; SIZE_MAX: the source is
 * unknown. */
struct seen_object seen_read_object(struct seen_sources *seen, const char *name,
                                    size_t file);

/* ---- added_functions.c ----
 *
 * Adds the functions that no ELF has to the model: an object's functions with
 * their mapping, others with their lines only.
 */

/* A function that an ELF counts and no ELF maps. */
struct added_unmapped {
  uint64_t name, hash;
};

/* What is added to the model. Begins as {0}. */
struct added_functions {
  struct evaluate_input *list; /* further parts that the model evaluates */
  size_t count;
  struct added_object *objects; /* kept open for the list */
  struct map only;              /* functions of the objects that count */
  struct added_unmapped *lost;  /* their counts are in the ELFs' profiles */
  size_t lost_count;
  struct arena texts;
};

struct expected_sources;

/* Adds the functions of an object that are in this source and in no ELF's
 * mapping. *count: how many there are. Returns NULL or the error. */
const char *added_add_object(struct expected_sources *whole, const char *object,
                             size_t file, size_t *count);

/* Adds a function whose lines are known. Copies *function. */
void added_add_function(struct added_functions *added,
                        const struct absent_function *function);

/* Makes the profile of the added functions from the ELFs' profiles, of which
 * any may be NULL. The caller frees *counts. */
void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts);
void added_free(struct added_functions *added);

/* ---- expected.c ---- */

/* What became of a source. expected_state_texts has the states in words. */
enum expected_state {
  EXPECTED_MEASURED,
  EXPECTED_PART,
  EXPECTED_PLAIN,
  EXPECTED_ASSEMBLY,
  EXPECTED_UNLINKED,
  EXPECTED_OTHER,
  EXPECTED_DATA,
  EXPECTED_HEADER,
  EXPECTED_BITCODE,
  EXPECTED_UNCOMPILED,
  EXPECTED_MISSING,
  EXPECTED_UNPLANNED,
  EXPECTED_STATES
};

/* How the functions and lines of a source that no ELF measures were found. */
enum expected_way {
  COUNTED_NOT,
  COUNTED_BY_MAPPING,
  COUNTED_BY_LINES,
  COUNTED_BY_TEXT
};

/* A source with its state. */
struct expected_source {
  const char *name; /* the compiler's name, or the plan's */
  enum expected_state state;
  enum expected_way way;
  const char *object; /* the object that shows the state, or NULL */
  uint32_t planned, count; /* commands: first index in the plan, number */
  size_t file; /* its index in seen's files */
  bool hidden; /* All of it is excluded. */
};

enum { EXPECTED_MOST = 64 };

/* The sources that a report should have. `what` has the user's arguments; the
 * rest is found. */
struct expected_sources {
  const char *what[EXPECTED_MOST];
  size_t what_count; /* 0: nothing is planned */
  struct planned_sources planned;
  struct seen_sources seen;
  struct added_functions added;
  struct expected_source *list; /* sorted by name */
  size_t count;
  struct buffer variants; /* struct variant_line */
  bool settled;           /* variants_finish was called */
};

/* ---- variants.c ----
 *
 * Finds lines that are code in some ELFs, and that #if skips in others or in
 * all. A set of ELFs has a bit for each of the first 64.
 */

/* Adjacent lines, which the same ELFs compile and the same ELFs skip. */
struct variant_line {
  uint64_t coded, skipped;
  size_t file; /* its index in seen's files */
  uint32_t line, last;
  bool code; /* The text has code there. */
};

/* Collects the lines of one ELF's model, until variants_finish compares them.
 * Both return NULL or the error. */
const char *variants_add_elf(struct expected_sources *whole, size_t which,
                             const struct model *exported);
const char *variants_finish(struct expected_sources *whole);

struct coverage;

/* expected_begin reads the plan and the ELFs' sources. expected_find decides
 * the states and the additions, once each ELF has a model. Both return 0, or
 * report the error and return 1. */
int expected_begin(struct expected_sources *whole,
                   const struct coverage *coverage);
int expected_find(struct expected_sources *whole,
                  const struct coverage *coverage);
void expected_free(struct expected_sources *whole);

/* Finds the exclusions in added sources. Returns 0, or reports the error and
 * returns 1. */
int expected_exclude(const struct coverage *coverage);

/* Marks the rows of added sources, and sources that are excluded as a whole.
 * Call it once the model is complete. */
void expected_mark_rows(const struct coverage *coverage);

/* ---- expected_lines.c ----
 *
 * Adds the functions and lines of a source without a mapping. They come from
 * the ELFs' line tables, or else from the source's text. Sets source->way.
 * Returns NULL or the error.
 */
const char *expected_add_lines(struct expected_sources *whole,
                               struct expected_source *source);

/* A line with code. */
struct code_line {
  uint64_t line;
  const char *function; /* the function that begins there; or NULL */
};

/* Appends the lines of a text that have code to a list of struct code_line.
 * all: also lines in #if 0. Returns NULL or the error. */
const char *expected_text_lines(const char *here, bool all,
                                struct buffer *list);

/* Whether a label of an assembly source names code in an ELF. */
bool expected_has_linked_label(const struct seen_sources *seen,
                               const char *here);

/* ---- expected_show.c ---- */

/* The states in words, and the ways in which sources were counted. */
extern const char *const expected_state_texts[EXPECTED_STATES],
    *const expected_way_texts[];

/* Prints how many sources are measured, and lists the others by state. */
void expected_print(const struct coverage *coverage,
                    const struct source_maps *paths);

/* Prints the lines that #if skips. */
void variants_print(const struct coverage *coverage,
                    const struct source_maps *paths);

/* variants_write_json writes the elements of a JSON list; expected_write_json
 * writes the JSON element with all sources, and that list. */
void variants_write_json(const struct coverage *coverage, FILE *stream);
void expected_write_json(const struct coverage *coverage, FILE *stream);

#endif
