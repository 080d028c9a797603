/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * `--sources` says which sources should be in a report: planned_sources.c reads
 * them, expected.c decides the state of each source, and expected_show.c prints
 * the states.
 */
#ifndef BAREPROF_TOOLS_EXPECTED_H
#define BAREPROF_TOOLS_EXPECTED_H

#include "../../base/storage.h"
#include "../coverage.h"
#include "../model/evaluate.h"

/* ---- planned_sources.c ---- */

enum planned_kind { PLANNED_CODE, PLANNED_ASSEMBLY, PLANNED_HEADER };

enum object_kind { OBJECT_NONE, OBJECT_OTHER, OBJECT_BITCODE, OBJECT_ELF };

/* The facts that the object of a command shows about the command's source. */
struct object_evidence {
  enum object_kind kind;
  bool code;        /* The object has instructions. */
  bool linked;      /* An ELF has a function of the source. */
  bool shared;      /* An ELF has a function of its mapping, from any file. */
  bool contrary;    /* An ELF has the object's function from another source. */
  size_t own;       /* functions of the source in the object's mapping */
  size_t lacking;   /* functions among `own` that no ELF has */
  size_t lost;      /* functions among `own` that ELFs count, not map */
  const char *file; /* the file that the object's symbols name; or NULL */
};

/* A source that should be in the report; one for each command that compiles
 * it. */
struct planned_source {
  const char *name;    /* absolute and tidied (inputs/paths.h) */
  const char *object;  /* in the same form; NULL: unknown */
  const char *program; /* folder of a program's objects; NULL: unknown */
  enum planned_kind kind;
  bool command;            /* A command compiles the source. */
  bool placed;             /* A map has sections of the object. */
  bool member;             /* The object is in an archive of a map. */
  struct object_evidence seen; /* only expected.c uses this */
};

/* All sources that should be in the report. */
struct planned_sources {
  struct planned_source *list; /* sorted by name */
  size_t count;
  struct arena texts;
};

/* Adds the sources that a compile_commands.json, a map of GNU ld or lld, a list
 * of files, or a folder has. Returns 0, or reports the error and returns 1. */
int planned_read(struct planned_sources *planned, const char *what);
void planned_free(struct planned_sources *planned);

/* Adds the sources of a text. name: the text's file; other names are relative
 * to that file's folder. Returns NULL or the error. */
const char *planned_parse(struct planned_sources *planned, struct bytes text,
                          const char *name);

/* Sorts the list, and removes repeated entries. */
void planned_sort(struct planned_sources *planned);

/* Returns the kind of a source, from the suffix of its name. */
enum planned_kind planned_source_kind(const char *name);

/* ---- expected.c ---- */

/* The state of a source in the report. expected_state_texts has the states in
 * words. */
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
enum counting_method {
  COUNTED_NOT,
  COUNTED_BY_MAPPING,
  COUNTED_BY_LINES,
  COUNTED_BY_TEXT
};

/* A source that the ELFs or the plan have. */
struct expected_source {
  const char *key;  /* the source's name on this machine, absolute and tidied */
  const char *name; /* the compiler's, or the plan's */
  bool mapped;      /* A mapping's function has code in the source. */
  bool coded;       /* A line table has code of the source. */
  bool unit;        /* Debug information lists the source as compiled. */
  bool given;       /* The source is planned, or a planned one includes it. */
  bool listed;      /* The source has a state. */
  bool hidden;      /* All of the source is excluded. */
  enum expected_state state;
  enum counting_method counting;
};

/* Functions that no ELF has, for the model. */
struct added_functions {
  struct evaluation_input *list; /* further parts that the model evaluates */
  size_t count;
  struct added_object *objects; /* the objects, kept open for the list */
  struct map only;              /* functions of the objects that count */
  struct buffer lost; /* struct unmapped_function: functions that ELFs count */
};

enum { EXPECTED_MOST = 64 };

/* The sources that a report should have. `what` has the user's arguments;
 * expected_read_plan and expected_set_states set the other fields. */
struct expected_sources {
  const char *what[EXPECTED_MOST];
  size_t what_count; /* 0: the user did not give a plan */
  const struct coverage *coverage;
  struct planned_sources planned;
  size_t members; /* members of archives in maps, without a known source */
  struct expected_source *sources;
  size_t source_count;
  struct expected_source **list; /* sources with a state, sorted by name */
  size_t count;
  struct added_functions added;
  struct buffer variants; /* struct variant_line */
  /* Only expected.c uses the next fields. */
  bool found;         /* expected_set_states was called */
  bool has_programs;  /* A program of the plan has a linked object. */
  struct map numbers; /* keys to indexes in sources, from 1 on */
  struct map known;   /* the names of all ELFs, see enum known_key_kind */
  struct expected_elf *elfs;
  struct arena texts;
};

/* expected_read_plan reads the plan and the ELFs' sources. expected_set_states
 * decides the states and the additions, once each ELF has a model. Both return
 * 0, or report the error and return 1. */
int expected_read_plan(struct expected_sources *expected,
                       const struct coverage *coverage);
int expected_set_states(struct expected_sources *expected);
void expected_free(struct expected_sources *expected);

/* Finds the exclusions in added sources. Returns 0, or reports the error and
 * returns 1. */
int expected_add_exclusions(const struct coverage *coverage);

/* Marks the rows of added sources, and sources whose code is all excluded. Call
 * this when the model is complete. */
void expected_mark_rows(const struct coverage *coverage);

/* Makes the profile of the added functions from the ELFs' profiles; each of
 * these may be NULL. The caller frees *counts. */
void added_make_profile(const struct added_functions *added,
                        const struct profile *const *profiles, size_t count,
                        struct profile *counts);

/* Adjacent lines that are code in some ELFs, and that #if skips in others or in
 * all. A set of ELFs has a bit for each of the first 64. */
struct variant_line {
  uint64_t coded, skipped;
  size_t source;
  uint32_t line, last;
};

/* Collects the lines of one ELF's model for the variants, until
 * expected_set_states compares them. */
void expected_add_variant_lines(struct expected_sources *expected, size_t which,
                                const struct model *exported);

/* ---- expected_show.c ---- */

/* The states in words, and the ways in which sources were counted. */
extern const char *const expected_state_texts[EXPECTED_STATES],
    *const expected_way_texts[];

/* Prints how many sources are measured, lists the other sources by state, and
 * the lines that #if skips. */
void expected_print(const struct coverage *coverage,
                    const struct source_maps *paths);

/* Writes the states of the sources as an element of JSON. */
void expected_print_json(const struct coverage *coverage, FILE *stream);

#endif
