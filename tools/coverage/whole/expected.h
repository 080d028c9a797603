/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The option `--sources` names the sources that should be in a report:
 * planned_sources.c reads them, expected.c decides the state of each source,
 * code_lines.c finds lines with code in a text, and expected_show.c prints the
 * states.
 */
#ifndef BAREPROF_TOOLS_EXPECTED_H
#define BAREPROF_TOOLS_EXPECTED_H

#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/storage.h"
#include "../../object/digest.h"
#include "../../object/elf.h"
#include "../coverage.h"
#include "../model/evaluate.h"

enum planned_kind { PLANNED_CODE, PLANNED_ASSEMBLY, PLANNED_HEADER };

/* An entry of the plan: a source, its object, or both. If several commands
 * compile a source to different objects, each object has its own entry. */
struct planned_source {
  const char *object; /* name of the object, absolute and tidied; or NULL */
  enum planned_kind kind;
  bool unnamed;  /* Only the object is known. */
  bool member;   /* The object is in an archive of a linker map. */
  size_t source; /* index in `sources`; SIZE_MAX: unknown */
  bool linked;   /* An ELF has a function of the source, or a linker map gives
                    addresses to the object's sections. */
  /* The next fields are facts that the object shows. */
  bool bitcode;  /* The object is LTO bitcode. */
  bool is_elf;   /* The object is an ELF. */
  bool code;     /* The object contains instructions. */
  bool shared;   /* An ELF maps a function of the object's mapping. */
  bool contrary; /* An ELF has such a function, but from another source. */
  bool own;      /* The mapping has functions of the source. */
  bool lacking;  /* No ELF contains some of these functions. */
  bool lost;     /* ELFs count some of these functions, but do not map them. */
  const char *compiled; /* name of the source in the mapping, or NULL */
  /* The open object, if the model may need functions from it. */
  struct file opened;
  struct elf elf;
  struct name_table names;
};

/* A line with code in a source. */
struct code_line {
  uint64_t line;
  const char *function; /* in a line table: function that begins on the line */
};

/* The states of a source: name, text, and whether its missing code counts. */
#define EXPECTED_STATE_LIST(X)                 \
  X(MEASURED, "measured", false)               \
  X(PART, "measured in part", true)            \
  X(PLAIN, "compiled without coverage", true)  \
  X(ASSEMBLY, "assembly", true)                \
  X(UNLINKED, "compiled but not linked", true) \
  X(OTHER, "of another program", false)        \
  X(DATA, "data only", false)                  \
  X(HEADER, "header", false)                   \
  X(BITCODE, "LTO bitcode", true)              \
  X(UNCOMPILED, "not compiled", true)          \
  X(MISSING, "missing on disk", true)          \
  X(UNPLANNED, "in an ELF but not planned", false)
enum expected_state {
#define EXPECTED_NAME(name, text, counts) EXPECTED_##name,
  EXPECTED_STATE_LIST(EXPECTED_NAME) EXPECTED_STATES
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
  bool unit;        /* Debug information lists the source as a unit. */
  bool dropped;     /* Debug information has lines that are not linked. */
  bool given;       /* The plan has the source, or a file that includes it. */
  bool labelled;    /* A label in the text is a symbol of an ELF. */
  bool by_text;     /* `lines` is from the text. */
  struct buffer lines; /* list of struct code_line, from line tables of ELFs or
                          from the text */
  /* The entry of the plan that says most about the source, or NULL. */
  struct planned_source *best;
  enum expected_state state;
  enum counting_method counting;
};

/* Adjacent lines that are code in some ELFs, while #if skips them in other ELFs
 * or in all. Each ELF has a bit; of more than 64 ELFs nothing is listed. */
struct variant_lines {
  size_t source;
  uint64_t first, last; /* `last` belongs to the lines */
  uint64_t coded, skipped;
};

/* The kinds of keys in expected->known. In a key, names are MD5s. */
enum known_key_kind {
  KNOWN_ADDED,     /* a function that is added to the model, and its source */
  KNOWN_IN_SOURCE, /* a function of an ELF, and the index of a source with its
                      code */
  KNOWN_BY_HASH,   /* a function of an ELF, and its hash */
  KNOWN_FUNCTION,  /* a function of an ELF; the value is its source's index +
                      1 */
  KNOWN_SYMBOL,    /* a symbol of an ELF with code */
  KNOWN_PROGRAM,   /* a program of the plan with an object that is linked; 0
                      stands for any */
  KNOWN_SOURCE,    /* the name of a source and its length; the value is the
                      index + 1 */
  KNOWN_PLANNED    /* an object and the index of its source; the value is the
                      index in the plan + 1 */
};

enum { EXPECTED_MOST = 64 };

/* The sources that a report should have. `what` has the user's arguments;
 * expected_read_elfs_and_plan and expected_set_states_add_code fill the other
 * fields. */
struct expected_sources {
  const char *what[EXPECTED_MOST];
  size_t what_count; /* number of arguments; 0: the user gave no plan */
  const struct coverage *coverage;
  struct planned_source *plan;
  size_t plan_count;
  bool planned;   /* The current argument names a source or an object. */
  size_t members; /* number of archive members without a known source */
  struct expected_source *sources;
  size_t source_count;
  struct expected_source **list; /* the sources with a state, sorted by name */
  size_t count;
  struct evaluation_input *added; /* functions of sources that no ELF has */
  size_t added_count;
  struct variant_lines *variants;
  size_t variant_count;
  bool failed; /* A file cannot be read; this was reported. */
  /* Only the files in whole/ use the next fields. */
  struct map known; /* see enum known_key_kind */
  struct map lost;  /* name and hash of added functions that ELFs count */
  struct arena texts;
};

/* ---- planned_sources.c ---- */

/* Adds the sources of a compile_commands.json, a map of GNU ld or lld, a list
 * of files, or a folder. Returns 0, or reports the error and returns 1. */
int plan_read(struct expected_sources *expected, const char *what);

/* Adds the sources in a text. `name` is the file of the text; other names are
 * relative to the folder of this file. Returns NULL or the error. */
const char *plan_parse(struct expected_sources *expected, struct bytes text,
                       const char *name);

/* Returns the kind of a source, which the suffix of its name shows. */
enum planned_kind planned_source_kind(const char *name);

/* ---- expected.c ---- */

static inline uint64_t hash_text(const char *text) {
  return md5_low64(text, strlen(text));
}

/* expected_read_elfs_and_plan reads the sources of the ELFs and of the plan.
 * expected_set_states_add_code sets the states and adds functions, once each
 * ELF has a model. Both return 0, or report the error and return 1. */
int expected_read_elfs_and_plan(struct expected_sources *expected,
                                const struct coverage *coverage);
int expected_set_states_add_code(struct expected_sources *expected);
void expected_free(struct expected_sources *expected);

/* Returns the index of a source. Adds the source if its name is new. */
size_t expected_find_or_add_source(struct expected_sources *expected,
                                   const char *name);

/* Returns the value of a key, which is added with the value 0 if it is new. The
 * pointer is valid until the next call. */
static inline uint64_t *expected_find_or_add(struct expected_sources *expected,
                                             uint64_t name, uint64_t more,
                                             enum known_key_kind kind) {
  return need_memory(map_find_or_add(&expected->known, name, more, kind));
}

/* Marks the rows of added sources, and removes sources whose code is all
 * excluded from the list. Call this function when the model is complete. */
void expected_mark_added_rows(const struct coverage *coverage);

/* Makes the profile of the added functions from the profiles of the ELFs. Each
 * of these profiles may be NULL. The caller frees *counts. */
void expected_make_profile(const struct expected_sources *expected,
                           const struct profile *const *profiles, size_t count,
                           struct profile *counts);

/* ---- code_lines.c ---- */

/* Lists the lines with code of a source's text. A source that does not exist
 * has one line. */
void code_lines_read_text(struct expected_sources *expected,
                          struct expected_source *source);

/* Lists the lines of the ELFs' models that #if skips. */
void variants_list(struct expected_sources *expected);

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
