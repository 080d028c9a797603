/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the launcher's steps share: the job, a folder for it, and the modes that
 * change what clang made.
 */
#ifndef CC_MODES_H
#define CC_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/bytes.h"
#include "../base/map.h"
#include "../base/program.h"

/* ---- job.c ----
 *
 * The programs that clang's driver would start, as `clang -###` prints them,
 * and what becomes of those that count.
 */

/* What a program of the driver does. */
enum job_kind {
  JOB_OTHER,   /* assembles, links, preprocesses, compiles without a profile */
  JOB_COUNTS,  /* compiles, and clang's front end counts regions */
  JOB_PROMOTES /* compiles, and counts edges (IR PGO) */
};

struct job {
  struct arguments arguments; /* the first one is the program's path */
  enum job_kind kind;
  bool atomic;        /* -fprofile-update=atomic */
  bool ir;            /* the input is LLVM's own language, not C */
  bool object;        /* the output is an object, or bitcode in its place */
  bool assembles;     /* the input is assembly, and the output an object */
  const char *input;  /* the last argument; "-": standard input */
  const char *output; /* "-": standard output; NULL: none */
  const char *list;   /* of functions that do not count: STEP_FRONT_AGAIN */
};

struct jobs {
  struct job *list;
  size_t count;
};

/* What the driver printed. */
enum jobs_read {
  JOBS_READ,
  JOBS_NONE,   /* no job of clang's: another compiler, or nothing to do */
  JOBS_FAILED, /* the driver found an error */
  JOBS_BROKEN  /* a job is written in a way that is not known */
};

/* Reads the text, which ends in a zero. */
enum jobs_read jobs_read(struct jobs *jobs, const char *text);

/* Whether it was gcc's driver that printed this. */
bool jobs_are_of_gcc(const char *text);

/* Whether the compiler merges the counters of inlined functions, as clang 21
 * alone does: the linker's --gc-sections then drops the records of these. */
bool jobs_merge_counters(const char *text);

/* Prints the driver's warnings. */
void jobs_show_warnings(const char *text);

void jobs_free(struct jobs *jobs);

/* The three steps of a job that counts: the front end, whose output is IR as
 * the front end leaves it; the lowering of counters, from IR to IR; all the
 * rest, from IR to the job's output. The first may write IR as text; the last
 * may end with assembly, which clang's assembler then takes. */
enum step {
  STEP_FRONT,
  STEP_FRONT_TEXT,
  STEP_FRONT_AGAIN, /* text, for the same source: no warnings, no other files */
  STEP_LOWER,
  STEP_REST,
  STEP_ASSEMBLY,
  STEP_OBJECT
};

/* Fills arguments for a step. output: NULL for the job's own. */
void job_step(const struct job *job, enum step step, const char *input,
              const char *output, struct arguments *arguments);

/* The source, for messages. */
const char *job_source(const struct job *job);

/* Whether the output is LLVM's own language, not code. */
bool job_is_bitcode(const struct job *job);

/* The file of its own that debug information goes to; NULL: none. */
const char *job_split(const struct job *job);

/* Adds an option and its value, or NULL, behind -cc1. */
void job_add(struct job *job, const char *option, const char *value);

/* Adds options, unless the user chose the opposite, since two optimisations
 * cost more with flags than they gain: clang makes one store of several, whose
 * address then takes a register on each way there, and copies loops with their
 * stores. On Thumb, an address takes 4 bytes and one instruction then, not 8
 * and two. */
void job_stores_flags(struct job *job);

/* Adds the option that keeps counters apart, unless the user chose. */
extern const char job_merge_off[];
void job_keeps_counters(struct job *job);

/* The job itself, with another output. */
void job_again(const struct job *job, const char *output,
               struct arguments *arguments);

/* ---- job.c ----
 *
 * Runs the compiler.
 */

/* Reports that a program cannot be run. Returns 1. */
int cannot_run(const char *program);

/* Runs a program that shares our input and output. Returns its exit status. */
int run_arguments(const struct arguments *arguments, FILE *messages);
int run_step(const struct job *job, enum step step, const char *input,
             const char *output, FILE *messages);

void show_messages(FILE *messages);

/* ---- scratch files ----
 *
 * The launcher's folder of temporary files.
 */

enum { PATH_ROOM = 4096 };

struct scratch {
  char path[PATH_ROOM]; /* empty: not made */
};

/* Returns 0, or prints the error and returns 1. */
int scratch_begin(struct scratch *scratch);

/* The path of a file in it, whose name is short. */
void scratch_path(const struct scratch *scratch, const char *name,
                  char path[PATH_ROOM]);

void scratch_end(const struct scratch *scratch);

/* The driver's temporary files get a place in the folder. Files of -save-temps
 * stay where they are. */
void scratch_take(const struct scratch *scratch, struct jobs *jobs,
                  char *const *command);

/* ---- cover.c ----
 *
 * What `bareprof cc` adds to a project that knows nothing of profiles: clang's
 * flags, the choice of sources, a look at each object (--place=bss), and the
 * functions that cannot count.
 */

/* The words of --place and --coverage, by these enums; NULL ends them. */
enum cc_place { CC_PLACE_AUTO, CC_SECTIONS, CC_BSS };
enum cc_coverage { CC_ASKED, CC_LINES, CC_MCDC }; /* ASKED: by the command */
extern const char *const cc_places[], *const cc_coverages[];

enum { PATTERNS_MOST = 32 };

/* Regular expressions of sources' names. A source is measured that one of
 * `measure` matches (or there is none) and none of `leave`. */
struct cover {
  unsigned place, coverage;
  const char *measure[PATTERNS_MOST], *leave[PATTERNS_MOST];
  size_t measure_count, leave_count;
};

/* Adds clang's flags for coverage. */
void cover_arguments(const struct cover *cover, struct arguments *arguments);

/* Prints what objects depend on, for caches. */
void cover_print(const struct cover *cover);

/* Takes the profile out of jobs whose source is not measured, and with
 * --place=bss clang's runtime out of links, and values out of profiles. Returns
 * NULL or the error: a pattern is none. *changed: the driver's own jobs would
 * do something else. */
const char *cover_choose(const struct cover *cover, struct jobs *jobs,
                         bool *changed);

/* Finds naked functions that count, in a module of the front end: they would
 * destroy registers. Writes a list for -fprofile-list. Returns their number;
 * names: the first of them. */
size_t cover_naked(struct bytes module, FILE *list, char names[100]);

/* Changes the object that a job wrote, as place.c says. Other outputs stay.
 * Returns 0, or prints the error and returns 1. */
struct placing {
  bool labels, verbose;
};
int cover_place(const struct job *job, const char *source,
                const struct placing *how);

/* ---- narrow.c ----
 *
 * Narrows the counting in LLVM's assembly language: what clang 13 to 22 writes
 * once the profile's intrinsics are lowered. An increment is
 *
 *   %pgocount = load i64, ptr @__profc_f, align 8
 *   %1 = add i64 %pgocount, 1
 *   store i64 %1, ptr @__profc_f, align 8
 *
 * or `%1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8`. It becomes
 * one of the counter's low 32 bits. All other lines pass as they are. Pointers
 * may have types (i64*, as in clang 13 and 14), addresses may be moved (by
 * -runtime-counter-relocation), and steps may be values.
 */

/* The words of --counters. */
enum cc_counters {
  CC_AUTO,
  CC_64,
  CC_32,
  CC_32_ATOMIC,
  CC_32_PACKED,
  CC_FLAGS,
  CC_LABELS
};

/* The words of --mcdc. */
enum cc_outcomes { CC_OUTCOMES_AUTO, CC_OUTCOMES_BITS, CC_OUTCOMES_BYTES };

struct narrow {
  bool packed;     /* counters have 32 bits: all increments must be known */
  bool atomic;     /* 32-bit increments are single atomic instructions */
  size_t narrowed; /* increments of 32 bits */
  size_t left;     /* increments that stay as they are: 64 bits, and right;
                      packed: an error */
};

/* Writes the module, and behind it what says the width of its counters, to the
 * linker and to the host: section .bareprof.counters and two symbols. Ignores
 * errors of out. Returns NULL or the error: this is no such module, or there
 * are counters but no increment is known; packed: not all are known. */
const char *narrow_module(struct narrow *narrow, struct bytes module,
                          FILE *out);

/* Writes what says to the host what the object's counters are; see
 * ../image/snapshot.h, widths.c. A string of the assembler, in one of LLVM. */
void width_note(FILE *out, const char *width, size_t left, struct bytes source);

/* ---- counters of 4 bytes ----
 *
 * Makes counters of 4 bytes out of those of 8, in LLVM's assembly language: the
 * arrays and each address in them. Increments still have 64 bits afterwards:
 * narrow_module changes those.
 */

/* ---- place.c ----
 *
 * Changes an object of clang's so that any linker script places its profile:
 * counters and bitmaps become .bss.bareprof_c and .bss.bareprof_b, which the
 * vendor's script puts into its .bss, and the vendor's start-up code clears.
 * Records (__llvm_covdata; of 4-byte counters __llvm_covdat4, of flags
 * __llvm_covdat1, of labels __llvm_covdat0) and names are no longer loaded, and
 * records have addresses, not distances. The version word, if there is one,
 * goes to .bareprof.version, where no linker drops it. References to the
 * profile's runtime become weak. Constructors that register functions (of clang
 * 13 to 17) are excluded from the link.
 */

struct cc_placing {
  bool labels; /* from the caller: counters get addresses, and no memory */
  uint64_t counters, bitmaps; /* bytes of .bss */
  uint64_t data; /* bytes that are not zero at first, and so stay in .data */
};

/* Whether the bytes begin like an ELF object, which place_object reads. */
bool place_is_object(struct bytes file);

/* Changes the object. One without a profile stays as it is: then
 * place->counters and place->data are 0. Returns NULL or the error; after an
 * error the file is unusable. */
const char *place_object(struct cc_placing *place, struct buffer *file);

/* The same for a module of LLVM's assembly language whose counters are lowered
 * for clang's own correlation: of the link's optimiser, records and names are
 * as they have to be. Returns NULL or the error. */
extern const char place_needs_19[];
const char *place_module(struct bytes file, FILE *out);

/* ---- labels.c ----
 *
 * Labels in the place of counters: an address for each place where clang would
 * count, and no instruction. A trace says how often each address ran; see
 * ../image/code_labels.c, which reads the section that this writes.
 *
 * Three rewritings of one module: of what clang's front end made, where calls
 * of intrinsics become labels, and one increment a function stays, so that
 * clang still makes its records; of what clang lowered, where that increment
 * goes; of the assembly, where a label gets its room: an instruction of its own
 * block behind it, or a nop.
 *
 * The text of a label counts as one instruction, so the code generator leaves
 * that room in the reach of its branches.
 */

/* Begins as labels_none; the same for all three. */
struct labels {
  struct buffer list;  /* struct label */
  struct buffer names; /* of functions */
  size_t kept;         /* increments, one a function */
  bool wide;           /* the target's addresses have 8 bytes */
  size_t nops;
};
extern const struct labels labels_none;

/* Each returns NULL or the error, and ignores errors of out. */
const char *labels_module(struct labels *labels, struct bytes module,
                          FILE *out);
const char *labels_lowered(const struct labels *labels, struct bytes module,
                           FILE *out);
const char *labels_assembly(struct labels *labels, struct bytes assembly,
                            FILE *out);

void labels_free(struct labels *labels);

/* ---- differences.c ----
 *
 * What a module of clang's front end must have before it is written again: all
 * calls that count are known, and are those that the coverage mapping names.
 * Each returns NULL or the error.
 */
const char *check_module(struct bytes module);

/* The same of a line that names the compiler: sets *raw to the raw version of
 * its profiles. Other lines are right. */
struct part;
const char *check_compiler(struct part line, unsigned *raw);

/* ---- flags.c ----
 *
 * Makes flags of one byte out of counters, in LLVM's assembly language, before
 * clang lowers its intrinsics: a store, and no load. A mapping subtracts
 * counters, which flags cannot do. So each place that a difference counts gets
 * a flag of its own: in its block, or in a new block on its edge. The mapping
 * refers to these, behind clang's own counters, so all readers of clang's
 * single-byte coverage read it.
 *
 * A flag that follows from others has no store: the mapping has their sum in
 * its place. Another object may have the same function with other flags: an
 * inline copy, or one source that was compiled twice. So the hash of the
 * function's structure tells which flags it has, and symbols have this hash:
 * linkers keep the mapping, the counters and the record of each.
 */

/* Begins as flags_none; the same for both rewritings. */
struct flags {
  bool keeps;      /* from the caller: flags that follow from others, too */
  bool bytes;      /* from the caller: a flag for each bit of MC/DC */
  size_t flags;    /* stores, without those of MC/DC */
  size_t outcomes; /* stores of MC/DC's bytes */
  size_t dropped;  /* places without a store */
  bool copied;     /* code may have copies once it is lowered: alwaysinline */
  bool split;      /* or fewer blocks, too: coroutines */
  char where[100]; /* the function that an error is of; empty: not known */
  struct map functions; /* by the MD5 of their symbol: see cover.c */
};
extern const struct flags flags_none;

/* Writes the module. Ignores errors of out. Returns NULL or the error. */
const char *flags_module(struct flags *flags, struct bytes module, FILE *out);

/* ---- cover.c ----
 *
 * The same once clang has lowered its intrinsics: the stores of MC/DC's bytes,
 * and the symbols. Counts what clang made of all flags.
 */
const char *flags_lowered(const struct flags *flags, struct bytes module,
                          FILE *out);

#endif
