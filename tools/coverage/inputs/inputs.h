/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module reads the inputs of `bareprof report`: ELFs, console logs, dumps,
 * raw profiles, traces and cores. Each input is matched to its ELF by build id,
 * and the counts of one ELF are added up in a struct input_elf. coverage.c
 * makes the coverage from these structs.
 */
#ifndef BAREPROF_TOOLS_INPUTS_H
#define BAREPROF_TOOLS_INPUTS_H

#include <stddef.h>

#include "../../base/ere.h"
#include "../../base/file.h"
#include "../../image/dumpfile.h"
#include "../../image/image.h"
#include "../../image/snapshot.h"
#include "../../object/digest.h"
#include "../../object/names.h"
#include "../../profile/model.h"
#include "../../profile/raw.h"
#include "../../wire/reassembly.h"
#include "../../wire/frame.h"
#include "../model/coverage_model.h"

/* A log, dump or raw profile that the user passes. */
struct input_file {
  struct file file;
  bool dump;                  /* The file is not a log, but a .bpdump, .profraw,
                                 trace or core. */
  uint32_t test;              /* for a trace of object code, the index of its
                                 test */
  struct dump_header *firsts; /* the first dump of each sender in a log */
  size_t first_count;
};

struct input_files {
  struct input_file *list; /* the files, logs first */
  size_t count;
  uint64_t *dumps; /* snapshot_hash_counts of each dump in the logs */
  size_t dump_count;
  /* `copy` is the first file that equals an earlier file, `copied`; `copies` is
   * the number of such files. `in_log` is the first dump file whose dump is
   * also in a log; `in_logs` is the number of such files. */
  const char *copy, *copied, *in_log;
  size_t copies, in_logs;
};

/* Returns the name of the test in a file: the name of the file without folder
 * and extension. If several files have this name, their folders are added as
 * far as necessary. The caller frees the name. */
char *input_files_test_name(const struct input_files *given, const char *name);

/* Reads the counts of a raw profile (.profraw) that this runtime or another one
 * wrote. The snapshot is a lean dump, which contains only counts, because the
 * ELF has the function records and names. Returns NULL or the error; after an
 * error there is nothing to free. */
const char *inputs_parse_raw_profile(struct snapshot *snapshot,
                                     struct bytes file);

/* How a source file on this machine compares with the file that the ELF was
 * built from. */
enum source_state {
  SOURCE_SAME,
  SOURCE_CHANGED,
  SOURCE_UNKNOWN, /* The ELF lacks the file's MD5. */
  SOURCE_MISSING  /* The file is not on this machine. */
};

struct input_source {
  char *name; /* the compiler's name, tidied (paths.h) */
  char *here; /* name of the source on this machine */
  enum source_state state;
  unsigned char sha256[SHA256_SIZE]; /* hash of the file, if the file exists */
};

/* ---- active_calls.c ----
 *
 * This file finds the calls that were active when the counts were read. clang
 * counts the code after a call as soon as the call is reached;
 * model/active_counts.c corrects this.
 */

struct active_calls {
  size_t logged;        /* boots whose last dump came from a log */
  size_t halted;        /* boots whose counts were read from a halted core */
  struct buffer stacks; /* of halted cores: the words of gdb_stack_parse_note,
                           and after each core GDB_STACK_END */
  const char *dumps;    /* the function that sends the dump, if its callers are
                           unknown; else NULL */
  const char *unknown;  /* the outermost known function of a halted core, if its
                          callers are unknown; "": no function is known;
                          NULL: all callers are known */
  const char *leaves; /* a function that leaves others without a return, such as
                         longjmp; NULL: there is none */
  bool anywhere;      /* The code may have been anywhere at a dump. */
  bool unsure; /* Some calls may have returned: see struct active_call. */
  bool kept;   /* The chip may keep counts over a reset. */
  struct buffer calls; /* struct active_call; active_calls_collect fills it */
  struct arena texts;
};

/* An ELF among the inputs, with the counts that belong to it. */
struct input_elf {
  const char *name; /* the ELF's name, as the user wrote it */
  struct file file;
  struct elf elf;
  struct bytes build_id;
  unsigned char *digest; /* 16 allocated bytes for the build id */
  struct image_join join;
  size_t boots, dumps; /* number of boots that were added up; number of dumps of
                          these boots */
  /* The number of boots whose last dump may also stand for a later boot (see
   * boots.c). */
  size_t merged_dumps;
  unsigned release; /* clang release of the ELF; 0: unknown */
  char *stem;       /* stem of the ELF's file names in the report */
  bool dumped;      /* A dump of this build has arrived. */
  bool saturated;   /* see snapshot_is_saturated */
  struct profile
      profile; /* the counts, which input_make_and_write_profiles fills */
  struct name_table names; /* names of the ELF's functions */
  struct buffer dropped;   /* list of struct dropped_function: the functions
                              that the linker has dropped */
  struct scores_summary summary;
  struct input_source *sources; /* source of each row; see source.c */
  size_t changed;               /* number of sources that have changed */
  struct active_calls active;
};

/* Adds the calls in which a core was halted. Returns NULL or the error. */
const char *active_calls_add_core(struct active_calls *active,
                                  struct bytes core);

/* Fills subject->active.calls with the calls that were active. */
void active_calls_collect(struct input_elf *subject);
void active_calls_free(struct active_calls *active);

struct tests;

struct inputs {
  struct input_elf *subjects;
  size_t count;
  bool allow_missing; /* Missing data is allowed. */
  bool object_code;   /* The ELFs need no mapping and no build id. */
  bool traced;        /* Sets object_code if the first ELF lacks a mapping. */
  struct object_lines *object; /* the object code of all ELFs, which has lines;
                                  or NULL */
  struct tests *tests;         /* receives each dump; may be NULL */
  /* The next fields are the state of inputs.c. The caller sets them to zeros,
   * except `polled` and `headless_log` for the log of a port. evidence.json
   * lists the files of `given`. */
  struct dump_header *unpaired; /* header of each build without an ELF */
  size_t unpaired_count;
  struct input_files given;
  const char *log;          /* name of the log that is being read */
  size_t found;             /* number of dumps of any build in that log, with
                               refused ones */
  size_t logs_without_dump; /* number of logs without a dump */
  const char *headless_log; /* a log whose beginning may be missing; or NULL */
  bool polled; /* Requests for dumps, also for lost parts, were sent while the
                  log was written. */
  bool warned_uncounted; /* The user was warned that dumps lack ordinals. */
  bool refused;          /* The firmware refused a dump. */
  bool failed;           /* An error occurred that no option allows. */
  unsigned left_out;     /* number of errors that only --allow-missing allows */
};

/* ---- inputs.c ---- */

/* Adds the dumps of a log. Messages call the log `shown`. Returns 0, or reports
 * the error and returns 1. */
int inputs_read_log(struct inputs *inputs, const char *name, const char *shown);

/* Adds the counts in a core to the ELF with this number. Returns 0, or reports
 * the error and returns 1. */
int inputs_add_core(struct inputs *inputs, size_t number, struct bytes core);

/* Reads all files except the ELFs, and adds their counts to the ELFs, which
 * inputs_open_elfs must have opened. Reports each error or missing file in one
 * line. Returns 0 if the report can be made; then ELFs without counts have been
 * removed. */
int inputs_read_and_add_files(struct inputs *inputs, char **names,
                              size_t count);
void inputs_free(struct inputs *inputs);

/* ---- inputs_elf.c ---- */

/* Checks that all files exist. Returns 0, or reports the first missing file and
 * returns 1. */
int inputs_check_readable(char **names, size_t count);

/* Returns whether a file is an ELF but not a core. Only a regular file can be
 * an ELF here, because ELFs are mapped into memory. */
bool inputs_is_elf(const char *name);
static inline bool inputs_is_core(struct bytes file) {
  return file.size >= 18 && memcmp(file.data, "\177ELF", 4) == 0 &&
         load16(file.data + 16, file.data[5] == 2) == ELF_CORE;
}

/* Opens the ELFs among the files. Returns 0, or reports the error and returns
 * 1. */
int inputs_open_elfs(struct inputs *inputs, char **names, size_t count);

/* Returns the ELF with this build id, or NULL. */
struct input_elf *inputs_find_elf(const struct inputs *inputs, struct bytes id);

/* Returns the latest clang release that the ELF names (.comment, debug
 * information) and that writes this raw version. Returns 0 if there is none. */
unsigned inputs_clang_release(const struct elf *elf, unsigned raw);

/* Makes and writes the raw profile of an ELF, and an indexed profile for the
 * llvm-cov of the ELF's compiler. Reads the counts into subject->profile and
 * the function names into subject->names. Returns 0, or reports the error and
 * returns 1. */
int input_make_and_write_profiles(struct input_elf *subject, const char *raw,
                                  const char *indexed);

/* input_dropped_count returns how many functions the linker has dropped from an
 * ELF. inputs_is_function_dropped returns whether the linker has dropped this
 * function, and all ELFs lack counts of the function. */
static inline size_t input_dropped_count(const struct input_elf *subject) {
  return subject->dropped.size / sizeof(struct dropped_function);
}
bool inputs_is_function_dropped(const struct inputs *inputs, const char *name);

/* Makes a profile of the counts that were added up in subject->join. Returns 0,
 * or reports the error and returns 1. The caller frees the profile in both
 * cases. */
int input_make_and_check_profile(const struct input_elf *subject,
                                 struct profile *profile);

/* ---- console.c ----
 *
 * This file reads a console: the output of a command (QEMU, a flasher), or a
 * port. Reading ends when each ELF has the wanted number of dumps. The output
 * is shown without dump frames, and all of it is written to a log. Only
 * requests are written to a port.
 */

struct console {
  /* The caller sets the next fields. */
  char **command;   /* words of the command, then NULL; may be empty */
  const char *port; /* name of the port for port_open (wire/port.h); or NULL */
  unsigned long baud;
  const char *log;  /* name of the file to which all output is written */
  unsigned count;   /* number of complete dumps of each ELF to wait for */
  uint64_t timeout; /* limit in ms; 0 means until nothing has arrived for
                       CONSOLE_PATIENCE */
  bool quiet;       /* The output is not shown. */
  /* Called after complete dumps were written to the log, at most once every
   * `every` ms. Returns 0, or 1 to end at once. May be NULL. */
  int (*on_dumps)(void *context);
  void *context;
  uint64_t every;
  bool polls; /* Requests for dumps are sent to the port every `every` ms while
                 counts change, and once more at the end. */
  void (*tick)(void *context); /* called several times a second; may be NULL */
  bool endless;                /* The console is read on after `count` dumps. */
  /* The next fields are the result. */
  size_t frames; /* number of dump frames, including incomplete ones */
  size_t dumps;  /* number of complete dumps, at most `count` for each ELF */
  bool refused;  /* The firmware refused a dump. */
  /* A description of lost data, or NULL; the reason why the output lacks a
   * frame. */
  const char *lost, *lacks;
  bool ended;       /* The command ended on its own; `status` is set. */
  int status;       /* exit status of the command, as in base/os.h */
  bool out_of_time; /* The timeout came before all wanted dumps. */
  bool unanswered;  /* The firmware answered requests, but not the last one. */
};

enum { CONSOLE_PATIENCE = 60000 };

/* Runs the command or reads the port. The ELFs of the inputs must be open.
 * Returns 0; or reports that the command could not run and returns 1. Ctrl-C
 * ends only the command. The child processes of the command end with the
 * command, even if a signal ends bareprof. */
int console_listen(struct console *console, const struct inputs *inputs);

/* ---- boots.c ----
 *
 * This file finds the boots of the firmware in a console log. Each dump of a
 * boot includes the counts of its earlier dumps, so only the last complete dump
 * is used. Boots are told apart by core, image and boot number. A counter or
 * bitmap that has decreased also shows a new boot, and so does an ordinal that
 * occurs again.
 *
 * Without a boot number and an ordinal, a later boot may by chance have all
 * counts of an earlier boot. One dump then stands for both boots: all covered
 * code is there, but counts may be missing.
 */

/* A problem in a log. */
enum log_problem_kind {
  TROUBLE_GAPS,     /* A dump has gaps that no other dump fills. */
  TROUBLE_PASSED,   /* A dump has gaps; a later dump of its boot is complete. */
  TROUBLE_LOST,     /* Something else was lost: see `lost`. */
  TROUBLE_REFUSED,  /* The firmware refused to send a dump. */
  TROUBLE_MISSING,  /* Dumps or names were lost: see reassembly.h. */
  TROUBLE_UNCOUNTED /* A boot does not number its dumps. */
};

/* Besides its kind, a problem has only the field that belongs to the kind. */
struct log_problem {
  enum log_problem_kind kind;
  const struct snapshot *dump;
  const char *lost;
  const struct answer *answer;
  const struct missing_ordinal_range *missing;
  const struct dump_header *header;
};

/* The callbacks of boots_parse_log. `wanted` and `boot_ended` are required, and
 * if `dump` is set also `unsure` and `lost_name`; the others may be NULL. */
struct boots_events {
  void *context;
  /* Returns whether to use a dump, which may be incomplete. May fill the pieces
   * of the dump that are also in the ELF. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* Called when a boot has ended. `last` is its last complete dump, `dumps` the
   * number of its dumps. `untold` is the number of dumps that may belong to
   * another boot, although the last dump contains all their counts. */
  void (*boot_ended)(void *context, const struct snapshot *last, size_t dumps,
                     size_t untold);
  void (*trouble)(void *context, const struct log_problem *trouble);
  /* Called for each dump header. May set header->boot to 0, so that the boot
   * number is ignored. */
  void (*header)(void *context, struct dump_header *header);
  /* Called for each complete dump, in the order of the log; the dump has only
   * the counts. `before` is the previous dump of the boot, or NULL if this dump
   * is the first one or the counters were reset. `name` is the name of the
   * test, or NULL. A repeated dump is left out unless it has a name. */
  void (*dump)(void *context, const char *name, const struct snapshot *dump,
               const struct snapshot *before);
  /* Called instead of `dump` if a dump or a name before this dump is lost. */
  void (*unsure)(void *context, const char *name, const struct snapshot *dump,
                 const struct snapshot *before);
  /* Called if the dump with this name is lost. */
  void (*lost_name)(void *context, const char *name);
  bool joins;                /* The beginning of the log may be missing. */
  bool polls;                /* Requests were sent: see reassembly.h. */
  const struct ere *pattern; /* pattern of lines that name a dump; or NULL */
};

/* Reads a log and calls the events. Returns NULL or the error. Sets *lacks, if
 * `lacks` is not NULL, to the reason why the log does not contain a dump. */
const char *boots_parse_log(struct bytes log, const struct boots_events *events,
                            const char **lacks);

/* Calls `header` for each dump header in a log. Returns NULL or the error. */
const char *boots_parse_headers(struct bytes log,
                                void (*header)(void *context,
                                               struct dump_header *header),
                                void *context);

#endif
