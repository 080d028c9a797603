/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The option `--sources` names the sources that should be in a report:
 * planned_sources.c reads them, expected.c decides the state of each source,
 * code_lines.c finds lines with code in a text, and expected_show.c prints the
 * states.
 */
#ifndef BAREPROF_TOOLS_EXPECTED_H
#define BAREPROF_TOOLS_EXPECTED_H

#include "../../base/storage.h"
#include "../../object/digest.h"
#include "../../object/elf.h"
#include "../coverage.h"
#include "../model/evaluate.h"

/* ---- planned_sources.c ---- */

enum planned_kind { PLANNED_CODE, PLANNED_ASSEMBLY, PLANNED_HEADER };

enum object_kind { OBJECT_NONE, OBJECT_BITCODE, OBJECT_ELF };

/* The facts about a source that the object file of its command shows. */
struct object_evidence {
  enum object_kind kind;
  bool code;        /* The object contains instructions. */
  bool linked;      /* An ELF contains a function of the source. */
  bool shared;      /* An ELF has a function of the object's mapping. */
  bool contrary;    /* An ELF has such a function, but from another source. */
  size_t own;       /* number of the source's functions in the mapping */
  size_t lacking;   /* number of functions in `own` that no ELF contains */
  size_t lost;      /* number of functions in `own` that ELFs count but do not
                       map */
  const char *file; /* the source that the object's symbols name */
  /* The open object, if the model may need functions from it. */
  struct file opened;
  struct elf elf;
  struct name_table names;
};

/* A source that should be in the report. If several commands compile the
 * source, each command has its own entry. */
struct planned_source {
  const char *name;    /* name of the source, absolute and tidied
                          (inputs/paths.h) */
  const char *object;  /* name of the object, absolute and tidied; or NULL */
  const char *program; /* folder of the program's objects; or NULL */
  enum planned_kind kind;
  bool unnamed; /* Only the object is known, so `name` is the object's name. */
  bool placed;  /* A linker map has sections of the object. */
  bool member;  /* The object is in an archive of a linker map. */
  /* Only expected.c uses the next fields. */
  size_t source; /* index in `sources`; SIZE_MAX: unknown */
  struct object_evidence seen;
};

/* The plan: all sources that should be in the report. */
struct planned_sources {
  struct planned_source *list;
  size_t count;
  struct map numbers; /* numbers the list's elements by name and object */
  struct arena texts;
};

/* Adds the sources of a compile_commands.json, a map of GNU ld or lld, a list
 * of files, or a folder. Returns 0, or reports the error and returns 1. */
int planned_read(struct planned_sources *planned, const char *what);
void planned_free(struct planned_sources *planned);

/* Adds the sources in a text. `name` is the file of the text; other names are
 * relative to the folder of this file. Returns NULL or the error. */
const char *planned_parse(struct planned_sources *planned, struct bytes text,
                          const char *name);

/* Returns the kind of a source, which the suffix of its name shows. */
enum planned_kind planned_source_kind(const char *name);

/* ---- expected.c ---- */

static inline uint64_t hash_text(const char *text) {
  return md5_low64(text, strlen(text));
}

/* The state of a source in the report. expected_state_texts describes the
 * states. */
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

/* The ways to find the functions and lines of a source that no ELF measures. */
enum counting_method {
  COUNTED_NOT,
  COUNTED_BY_MAPPING,
  COUNTED_BY_LINES,
  COUNTED_BY_TEXT
};

/* A source that is in the ELFs or in the plan. */
struct expected_source {
  const char *key;  /* the source's name on this machine, absolute and tidied */
  const char *name; /* the compiler's name, or the name in the plan */
  bool mapped;      /* A mapping has a function with code in the source. */
  bool coded;       /* A line table contains code from the source. */
  bool unit;        /* Debug information lists the source as a unit. */
  bool given;       /* The plan has the source, or a file that includes it. */
  bool hidden;      /* All code of the source is excluded. */
  /* The entry of the plan that says most about the source, or NULL. */
  struct planned_source *best;
  enum expected_state state;
  enum counting_method counting;
};

/* The functions that no ELF contains and that are added to the model. */
struct added_functions {
  struct evaluation_input *list; /* further inputs of the evaluation */
  size_t count;
  struct map only; /* functions that count, from all objects */
  struct map lost; /* name and hash of functions that ELFs count but do not
                      map */
};

enum { EXPECTED_MOST = 64 };

/* The sources that a report should have. `what` has the user's arguments;
 * expected_read_plan_and_elfs and expected_set_states_add_code fill the other
 * fields. */
struct expected_sources {
  const char *what[EXPECTED_MOST];
  size_t what_count; /* number of arguments; 0: the user gave no plan */
  const struct coverage *coverage;
  struct planned_sources planned;
  size_t members; /* number of archive members without a known source */
  struct expected_source *sources;
  size_t source_count;
  struct expected_source **list; /* the sources with a state, sorted by name */
  size_t count;
  struct added_functions added;
  struct buffer variants; /* list of struct variant_line */
  /* Only expected.c uses the next fields. */
  struct map numbers;  /* map from keys to indexes in `sources`, plus 1 */
  struct map known;    /* names in all ELFs, see enum known_key_kind */
  struct buffer lines; /* list of struct code_line: the ELFs' line tables */
  struct arena texts;
};

/* Returns the index of a source. Adds the source if its name is new. */
size_t expected_find_or_add_source(struct expected_sources *expected,
                                   const char *name);

/* expected_read_plan_and_elfs reads the plan and the sources of the ELFs.
 * expected_set_states_add_code sets the states and adds functions, once each
 * ELF has a model. Both return 0, or report the error and return 1. */
int expected_read_plan_and_elfs(struct expected_sources *expected,
                                const struct coverage *coverage);
int expected_set_states_add_code(struct expected_sources *expected);
void expected_free(struct expected_sources *expected);

/* Finds the exclusions in the added sources. Returns 0, or reports the error
 * and returns 1. */
int expected_find_exclusions(const struct coverage *coverage);

/* Marks the rows of added sources, and the sources whose code is all excluded.
 * Call this function when the model is complete. */
void expected_mark_added_rows(const struct coverage *coverage);

/* Makes the profile of the added functions from the profiles of the ELFs. Each
 * of these profiles may be NULL. The caller frees *counts. */
void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts);

/* ---- code_lines.c ---- */

/* A line with code in a source without a mapping. */
struct code_line {
  uint64_t source; /* index of the source */
  uint64_t line;
  const char *function; /* function that begins on the line, or NULL */
};

/* Appends the lines with code of a source's text. If `all` is set, includes the
 * lines in #if 0. Returns NULL or the error. */
const char *code_lines_append_source(const struct expected_sources *expected,
                                     size_t source, bool all,
                                     struct buffer *list);

/* Returns whether a label in an assembly source is a symbol in `known`, whose
 * keys end with `kind`. */
bool code_lines_have_known_label(const char *here, const struct map *known,
                                 unsigned kind);

/* Adjacent lines that are code in some ELFs, while #if skips them in other ELFs
 * or in all. Each of the first 64 ELFs has a bit in `coded` and `skipped`. */
struct variant_line {
  uint64_t coded, skipped;
  size_t source;
  uint32_t line, last;
};

/* Lists the lines of the ELFs' models that #if skips. Returns NULL or the
 * error. */
const char *variants_list(struct expected_sources *expected);

/* ---- expected_show.c ---- */

/* The states in words, and the ways in which functions and lines of sources
 * were found. */
extern const char *const expected_state_texts[EXPECTED_STATES],
    *const expected_way_texts[];

/* Prints how many sources are measured. Lists the other sources by state, and
 * the lines that #if skips. */
void expected_print(const struct coverage *coverage,
                    const struct source_maps *paths);

/* Writes the states of the sources as a JSON element. */
void expected_print_json(const struct coverage *coverage, FILE *stream);

#endif
