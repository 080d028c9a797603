/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares everything that the steps of the `bareprof cc` launcher share: the
 * compiler's jobs, a folder for temporary files, and the functions that change
 * what clang wrote. counted_job.c calls them in order. In names, `narrow`
 * stands for 32-bit counters.
 */
#ifndef CC_STEPS_H
#define CC_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/bytes.h"
#include "../base/map.h"
#include "../base/program.h"

/* ---- job.c ----
 *
 * Parses the programs that clang's driver would start, as `clang -###` prints
 * them. Also makes the arguments of the steps into which a job with counters is
 * divided. */

/* The kinds of programs that the driver starts. */
enum job_kind {
  JOB_OTHER,   /* the program assembles, links, preprocesses, or compiles
                  without a profile */
  JOB_COUNTS,  /* the program compiles, and clang's front end adds counters */
  JOB_STOPS,   /* like JOB_COUNTS, but without the pass that lowers counters;
                  with -save-temps, the next program runs this pass */
  JOB_PROMOTES /* the program compiles, and the optimiser adds counters (IR
                  PGO) */
};

/* One program that the driver would start. */
struct compiler_job {
  struct argument_list arguments; /* the first one is the program's path */
  enum job_kind kind;
  bool atomic;        /* the job has -fprofile-update=atomic */
  bool ir;            /* the input is LLVM IR, not C */
  bool object;        /* the output is an object, or bitcode with -flto */
  bool assembles;     /* the input is assembly, and the output an object */
  const char *input;  /* the input, which is the last argument; "-": standard
                         input */
  const char *output; /* the output; "-": standard output; NULL: none */
  const char *list;   /* the file that lists functions without counters, for
                         STEP_FRONT_AGAIN */
};

/* All programs of one command, in the order in which they run. */
struct compiler_jobs {
  struct compiler_job *list;
  size_t count;
};

/* The result of reading the driver's output. */
enum jobs_result {
  JOBS_READ,
  JOBS_NONE,   /* the output lacks a clang job: the command is another compiler,
                  or does nothing */
  JOBS_FAILED, /* the driver found an error */
  JOBS_BROKEN  /* a line with a job has an unexpected form */
};

/* Parses the driver's output, which is a string. The caller calls jobs_free in
 * any case. */
enum jobs_result jobs_parse(struct compiler_jobs *jobs, const char *text);

/* Prints the driver's warnings. */
void jobs_print_warnings(const char *text);

void jobs_free(struct compiler_jobs *jobs);

/* The three steps of a job with counters. The front end writes unoptimised IR.
 * The lowering of counters changes this IR. All the rest compiles the IR to the
 * job's output. The front end can write the IR as text. For trace points, the
 * last step writes assembly, which clang's assembler then reads. */
enum compile_step {
  STEP_FRONT,
  STEP_FRONT_TEXT,
  STEP_FRONT_AGAIN, /* compiles the same source again as text, without warnings
                       and other files */
  STEP_LOWER,
  STEP_REST,
  STEP_ASSEMBLY,
  STEP_OBJECT
};

/* Fills `arguments` with the command line of a step. If `output` is NULL, the
 * step writes the job's own output. */
void job_fill_step_arguments(const struct compiler_job *job,
                             enum compile_step step, const char *input,
                             const char *output,
                             struct argument_list *arguments);

/* Returns the name of the source, for messages; the job owns the name. */
const char *job_source_name(const struct compiler_job *job);

/* Returns whether the output is LLVM bitcode or IR instead of machine code. */
bool job_writes_bitcode(const struct compiler_job *job);

/* Returns the argument after the option, or NULL. */
const char *job_option_value(const struct compiler_job *job,
                             const char *option);

/* Returns whether the target has ELF objects, and addresses of 32 or 64 bits.
 */
bool job_has_elf_target(const struct compiler_job *job);

/* Inserts an option after -cc1, then its value unless the value is NULL. */
void job_insert_option(struct compiler_job *job, const char *option,
                       const char *value);

/* Returns whether the command has an -mllvm option with this name, which is
 * without dashes and may have a value. */
bool job_has_llvm_option(const struct compiler_job *job, const char *option);

/* Adds an -mllvm option (without its dash), unless the command already has the
 * option: clang 14 refuses an option that comes twice. */
void job_add_llvm_option(struct compiler_job *job, const char *option);

/* Adds options for byte counters, unless the user chose the opposite. Two
 * optimisations cost more with byte counters than they gain. When clang merges
 * several stores into one, each path to the store needs the address in a
 * register. When clang unrolls loops, it copies their stores. On Thumb,
 * +no-movt loads an address as a 4-byte constant, which replaces two
 * instructions (8 bytes). */
void job_add_byte_options(struct compiler_job *job);

/* Fills `arguments` with the command of the job as a whole, but with another
 * output. The other files that the back end writes, such as debug information,
 * get the name of this output and a number. */
void job_copy_command(const struct compiler_job *job, const char *output,
                      struct argument_list *arguments);

/* ---- job.c: running the compiler ---- */

/* Reports that a program cannot be run. Returns the exit status 1. */
int job_report_cannot_run(const char *program);

/* Runs a program, or a step of a job, with bareprof's standard input and
 * output. The program's messages go to the file `messages`. Returns the exit
 * status, or 128 plus the signal that ended the program. */
int job_run_arguments(const struct argument_list *arguments, FILE *messages);
int job_run_step(const struct compiler_job *job, enum compile_step step,
                 const char *input, const char *output, FILE *messages);

/* Copies the messages in a file, from its beginning, to standard error. */
void job_print_messages(FILE *messages);

/* Returns whether a line of the messages contains the words. Rewinds the file
 * before and after the search. Also rewinds the descriptor, because the next
 * program inherits its offset. */
bool job_has_message(FILE *messages, const char *words);

/* The job's option that names the file of -gsplit-dwarf. */
extern const char job_split_dwarf[];

/* Remove the files that a job writes, and a file, unless it is a link or a
 * device. The name may be NULL. */
void job_remove_outputs(const struct compiler_job *job);
void job_remove_file(const char *name);

/* ---- job.c: scratch files ----
 *
 * Manages the launcher's folder of temporary files.
 */

enum { PATH_ROOM = 4096 };

/* The launcher's folder. scratch_remove_folder removes it with its files. */
struct scratch_folder {
  char path[PATH_ROOM]; /* the folder's path; empty: no folder has been made */
};

/* Makes the folder. Returns 0, or prints the error and returns 1. */
int scratch_create_folder(struct scratch_folder *scratch);

/* Sets `path` to the path of a file in the folder. At most 30 characters of
 * `name` are used. */
void scratch_make_path(const struct scratch_folder *scratch, const char *name,
                       char path[PATH_ROOM]);

void scratch_remove_folder(const struct scratch_folder *scratch);

/* Moves the driver's temporary files to the folder. With -save-temps, there are
 * none. */
void scratch_redirect_jobs(const struct scratch_folder *scratch,
                           struct compiler_jobs *jobs);

/* ---- coverage_jobs.c ----
 *
 * Prepares the jobs of a project that was not written for profiles. `bareprof
 * cc` adds clang's coverage options, chooses the sources, changes each object
 * (--place=bss), and lists the functions that must not get counters.
 */

/* The values of --place and --coverage. These enums are their indices, and NULL
 * ends each list. With CC_ASKED, the launcher adds coverage only if the command
 * has clang's options. */
enum cc_counter_place { CC_PLACE_AUTO, CC_SECTIONS, CC_BSS };
enum cc_coverage { CC_ASKED, CC_LINES, CC_MCDC };
extern const char *const cc_places[], *const cc_coverages[];

enum { PATTERNS_MOST = 32 };

/* Regular expressions for the names of sources. A source gets counters if an
 * expression in `measure` matches its name, or if `measure` is empty. A source
 * never gets counters if an expression in `leave` matches. */
struct coverage_options {
  unsigned place, coverage;
  const char *measure[PATTERNS_MOST], *leave[PATTERNS_MOST];
  size_t measure_count, leave_count;
};

/* Adds clang's options for coverage to the command's arguments. */
void cc_add_coverage_options(const struct coverage_options *cover,
                             struct argument_list *arguments);

/* Prints the settings that affect the content of objects, for compiler caches.
 */
void cc_print_coverage_options(const struct coverage_options *cover);

/* Removes the profile options from jobs whose source is not measured. With
 * --place=bss, also removes clang's runtime from links, and value profiling
 * from IR PGO. Sets *changed if the driver itself would now run different jobs.
 * Returns NULL, or the error of an invalid pattern. */
const char *cc_drop_or_add_job_options(const struct coverage_options *cover,
                                       struct compiler_jobs *jobs,
                                       bool *changed);

/* Finds naked functions with counters in the front end's module, because
 * counting would destroy their registers. Writes the functions to a list for
 * -fprofile-list, and the first names to `names`. Returns the number of
 * functions. */
size_t cc_list_naked_functions(struct bytes module, FILE *list,
                               char names[100]);

/* Applies place_object to the object that a job wrote. Other outputs stay as
 * they are, but bitcode with IR PGO is an error. If `traces` is true, the
 * counters are trace points. Returns 0, or prints the error and returns 1. */
int cc_move_output_counters(const struct compiler_job *job, bool traces,
                            bool verbose);

/* ---- narrow.c ----
 *
 * Changes LLVM IR, as text, after clang 13 to 23 has lowered the profile
 * intrinsics, so that an increment changes only the counter's low 32 bits. An
 * increment is
 *
 *   %pgocount = load i64, ptr @__profc_f, align 8
 *   %1 = add i64 %pgocount, 1
 *   store i64 %1, ptr @__profc_f, align 8
 *
 * or `%1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8`. All other
 * lines stay as they are. Pointers may have types (i64*, in clang 13 and 14),
 * the counter's address may have a bias (-runtime-counter-relocation), and the
 * addend may be a value. */

/* The values of --counters. */
enum cc_counter_kind {
  CC_AUTO,
  CC_64,
  CC_32,
  CC_32_ATOMIC,
  CC_32_PACKED,
  CC_BYTES,
  CC_TRACE
};

/* The values of --mcdc. */
enum cc_outcome_form { CC_OUTCOMES_AUTO, CC_OUTCOMES_BITS, CC_OUTCOMES_BYTES };

/* The settings and the counts of narrow_module. */
struct counter_narrowing {
  bool packed;     /* counters have 32 bits, so the function must recognise
                      every increment */
  bool atomic;     /* a 32-bit increment is one atomic instruction */
  size_t narrowed; /* the number of increments that now have 32 bits */
  size_t left;     /* the number of increments that stay 64-bit. Such increments
                      are correct, but an error if packed */
};

/* Writes the changed module. Appends the section .bareprof.counters and
 * symbols, which tell the linker and the host tool how wide the counters are.
 * Ignores errors of `out`. Returns NULL or an error, also if the text has
 * counters but no known increment or, if packed is set, an unknown use of a
 * counter. */
const char *narrow_module(struct counter_narrowing *narrow, struct bytes module,
                          FILE *out);

/* Writes module assembly with a note for the host tool: the words `width` and
 * `number`, and the name of the source. ../image/snapshot.h describes the note,
 * and counter_width.c reads it. */
void narrow_print_counter_note(FILE *out, const char *width, size_t number,
                               struct bytes source);

/* ---- place_object.c ----
 *
 * Changes an object that clang wrote so that any linker script places its
 * profile. Counters and bitmaps become .bss.bareprof_c and .bss.bareprof_b: the
 * vendor's script puts them into .bss, and the vendor's start-up code clears
 * them. Function data (__llvm_covdata; __llvm_covdat4 with 4-byte counters,
 * __llvm_covdat1 with byte counters, __llvm_covdat0 with trace points) and
 * names are not loaded any more, and function data holds addresses instead of
 * distances. A version word moves to .bareprof.version, which no linker drops.
 * References to the profile runtime become weak. The link excludes the
 * constructors with which clang 13 to 17 registers functions. */

/* The setting of place_object, and the sizes of the sections that it placed. */
struct placed_sizes {
  bool traces; /* the caller sets this if the counters are trace points, which
                  have addresses but take no memory */
  uint64_t counters, bitmaps; /* the bytes in .bss */
  uint64_t data; /* the bytes in .data, because their initial value is not
                    zero */
};

/* Returns whether the bytes are a relocatable ELF object, which place_object
 * can change. */
bool place_is_elf_object(struct bytes file);

/* Changes the object in *file. An object without a profile stays as it is, and
 * sizes->counters and sizes->data are 0. Returns NULL or the error; after an
 * error the buffer's contents are unusable. */
const char *place_object(struct placed_sizes *sizes, struct buffer *file);

/* Changes bitcode as place_object changes an object. The module is text, and
 * clang has lowered its counters with -profile-correlate=binary, so function
 * data and names need no change. Returns NULL or the error. */
extern const char place_needs_19[];
const char *place_module_profile(struct bytes file, FILE *out);

/* ---- trace_ir.c ----
 *
 * Inserts trace points instead of counters: wherever clang would count, the
 * code gets a label, and no instruction. A trace tells how often each address
 * ran. ../image/linked_points.c reads the section with the trace points.
 *
 * A module is changed three times. In the front end's module, calls of
 * intrinsics become labels, but each function keeps one increment, so that
 * clang still writes its function data. In the lowered module, this increment
 * is removed. In the assembly, each label is moved to an instruction to which
 * no other code jumps: the next instruction of its block, or a nop.
 *
 * In the IR, a label is inline assembly with a nop, so the code generator
 * reserves an instruction for it when it computes branch distances. */

/* The trace points of a module. Begin with trace_points_none. The three
 * functions work on the same struct. */
struct trace_points {
  struct trace_point *list;
  size_t count;
  size_t kept; /* the number of increments that stay, one for each function */
  bool wide;   /* the target's addresses take 8 bytes */
  size_t nops; /* the number of labels that keep their nop */
  struct arena memory;
};
extern const struct trace_points trace_points_none;

/* Each function writes the changed text, and returns NULL or the error. The
 * functions ignore errors of `out`. */
const char *trace_points_insert(struct trace_points *points,
                                struct bytes module, FILE *out);
const char *trace_points_rewrite_lowered(const struct trace_points *points,
                                         struct bytes module, FILE *out);

void trace_points_free(struct trace_points *points);

/* ---- trace_assembly.c ---- */

/* Changes the assembly that clang makes of the lowered module. */
const char *trace_points_rewrite_assembly(struct trace_points *points,
                                          struct bytes assembly, FILE *out);

/* ---- counter_expressions.c ---- */

/* Checks a line that names the compiler, and sets *raw to the version of raw
 * profiles that the compiler writes. Accepts all other lines. Returns NULL or
 * the error. */
struct text_part;
const char *cc_parse_raw_version(struct text_part line, unsigned *raw);

/* ---- byte_counters.c ----
 *
 * Replaces 8-byte counters with byte counters. Changes the IR before clang
 * lowers its intrinsics, so that counting is a store without a load. The
 * coverage mapping subtracts counters, which byte counters cannot do. So each
 * region that has a difference gets a byte counter of its own, in its block or
 * in a new block on its edge. The new counters are numbered after clang's own
 * counters in the mapping, so every reader of clang's single-byte coverage can
 * read them.
 *
 * A byte counter that other byte counters imply gets no store: the mapping has
 * the sum of the others instead. Another object may have the same function with
 * different byte counters, as an inline copy or from a source that was compiled
 * twice. So the hash of the function's structure tells which byte counters it
 * has, and symbols include this hash: linkers keep the mapping, counters and
 * function data of each version. */

/* The result of the changes. Begin with byte_counters_none.
 * byte_counters_insert and byte_lowered_rewrite_module work on the same
 * struct. */
struct byte_counters {
  bool keeps;      /* the caller sets this to also store byte counters that
                      other byte counters imply */
  bool bytes;      /* the caller sets this to use a byte counter for each bit of
                      MC/DC */
  size_t stores;   /* the number of stores, except for MC/DC */
  size_t outcomes; /* the number of stores to MC/DC's bytes */
  size_t dropped;  /* the number of byte counters without a store */
  bool copied;     /* the lowering may duplicate code, because a function is
                      alwaysinline */
  bool split;      /* the lowering may also remove blocks, because a function is
                      a coroutine */
  char where[100]; /* the name of the function that an error is about; empty:
                      unknown */
  /* map of the numbers that byte_lowered_rewrite_module checks. A key is the
   * MD5 of a symbol; see byte_lowered.c */
  struct map functions;
};
extern const struct byte_counters byte_counters_none;

/* Writes the changed module. Ignores errors of `out`. Returns NULL or the
 * error. */
const char *byte_counters_insert(struct byte_counters *result,
                                 struct bytes module, FILE *out);

/* ---- byte_lowered.c ---- */

/* Changes the module again after clang has lowered its intrinsics: changes
 * symbols, and the stores to MC/DC's bytes. Checks that clang lowered every
 * byte counter. Returns NULL or the error. */
const char *byte_lowered_rewrite_module(const struct byte_counters *planned,
                                        struct bytes module, FILE *out);

/* ---- counted_job.c ----
 *
 * Runs a job with counters so that they have another width, in three steps: the
 * front end, the lowering of counters, and all the rest. Between the steps, the
 * functions above change the IR. */

/* The values of --counters; enum cc_counter_kind has their indices, NULL ends
 * the list. */
extern const char *const cc_widths[];

/* The values of --mcdc; enum cc_outcome_form has their indices, NULL ends the
 * list. */
extern const char *const cc_outcomes[];

/* The options and the command of `bareprof cc`. */
struct cc_command {
  struct coverage_options cover;
  unsigned counters;   /* a value of enum cc_counter_kind */
  unsigned outcomes;   /* a value of enum cc_outcome_form, but not AUTO */
  bool fallback;       /* behave like clang if the IR has an unexpected form */
  bool verbose;        /* print how many increments were changed */
  bool keep_implied;   /* also store byte counters that other byte counters
                          imply */
  bool keep_promotion; /* let clang keep IR PGO's counters in registers */
  char **command;      /* the compiler and its arguments; NULL ends the list */
};

/* A job with counters. The caller sets the first four fields. */
struct counted_job {
  const struct cc_command *launch;
  const struct scratch_folder *scratch;
  struct compiler_job *job;
  bool merges; /* the compiler merges the counters of inlined functions into one
                  global variable. Only clang 21 does; then the linker's
                  --gc-sections drops the function data of inlined functions */
  /* the changes of the job's code */
  struct trace_points traces;
  struct byte_counters bytes;
};

/* With this option, clang 21 does not merge counters. */
extern const char cc_merge_off[];

/* Returns the reason why the job cannot have these counters, or NULL if it
 * can. */
const char *counted_job_find_refusal(const struct counted_job *counted);

/* Runs the job. Returns the exit status. After an error, removes the outputs.
 */
int counted_job_run(struct counted_job *counted);

/* ---- launch.c ----
 *
 * Asks the driver for its jobs (`clang -###`), and runs these jobs. */

/* Runs the command. Returns the exit status of the command, or 1 after an error
 * that was reported. If the front end adds no counters, the compiler replaces
 * bareprof, and the function does not return. */
int launch_run_command(struct cc_command *launch);

/* Prints everything, besides arguments and sources, that affects the command's
 * objects: bareprof, the compiler, --counters. Compiler caches need this text.
 * Returns an exit status. */
int launch_print_fingerprint(const struct cc_command *launch);

#endif
