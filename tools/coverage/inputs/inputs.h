/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inputs of `bareprof report`: ELFs, console logs, dumps, raw profiles,
 * traces and cores. Each input is matched to its ELF by build id, and the
 * counts of one ELF are added up in a struct input_elf. coverage.c continues
 * with the subjects.
 */
#ifndef BAREPROF_TOOLS_INPUTS_H
#define BAREPROF_TOOLS_INPUTS_H

#include <stddef.h>

#include "../../base/ere.h"
#include "../../base/file.h"
#include "../../base/os.h"
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
struct given_file {
  struct file file;
  bool dump;                  /* not a log: .bpdump, .profraw, trace or core */
  struct dump_header *firsts; /* the first dump of each sender; only for logs */
  size_t first_count;
};

struct given_files {
  struct given_file *list; /* logs first */
  size_t count;
  uint64_t *dumps; /* snapshot_hash of each dump in the logs */
  size_t dump_count;
  /* copy: the first file that equals an earlier file, `copied`; copies: the
   * number of such files. in_log: the first dump file whose dump is also in a
   * log; in_logs: the number of such files. */
  const char *copy, *copied, *in_log;
  size_t copies, in_logs;
};

/* Returns the name of a file's test: the file name without folder and
 * extension. If several files have this name, their folders are added as far as
 * necessary. The caller frees the name. */
char *given_files_test_name(const struct given_files *given, const char *name);

/* Reads the counts of a raw profile (.profraw) that this runtime or another one
 * wrote. The snapshot is a lean dump: only counts, as the ELF has the function
 * records and names. Returns NULL or the error; after an error there is nothing
 * to free. */
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
  char *here; /* name on this machine */
  enum source_state state;
  unsigned char sha256[SHA256_SIZE]; /* only if the file is here */
};

/* ---- active_calls.c ----
 *
 * The calls that were active when the counts were read. clang counts the code
 * after a call as soon as the call is reached; model/active.c corrects this.
 */

/* An address in a chain of calls that was active when counts were read. */
struct active_address {
  uint64_t address;
  uint32_t times; /* number of added dumps in which it was active */
  bool called;    /* false: the position where the core was halted */
  bool last;      /* the outermost known call of a halted core */
};

struct active_calls {
  size_t logged;       /* boots whose last dump came from a log */
  size_t halted;       /* boots whose counts were read from a halted core */
  struct buffer chain; /* struct active_address: of halted cores, then of
                           logs; each innermost first */
  const char *dumps;   /* the function that sends the dump, if its callers are
                           unknown; else NULL */
  struct buffer calls; /* struct active_call, once active_calls_find has run */
  struct arena texts;
};

/* An ELF among the inputs, and its counts: a subject of the report. */
struct input_elf {
  const char *name; /* the user's name of the ELF */
  struct file file;
  struct elf elf;
  struct bytes build_id;
  unsigned char *digest; /* 16 bytes from malloc, to which build_id may point */
  struct image_join join;
  size_t boots, dumps; /* number of boots that were added up, and of their
                           dumps */
  /* number of boots whose last dump may also stand for a later boot (see
   * boots.c) */
  size_t merged_dumps;
  unsigned release;        /* clang release that compiled the ELF; 0: unknown */
  char *stem;              /* name of the ELF's files in the report */
  bool dumped;             /* A dump of this build has come. */
  struct profile profile;  /* the counts; input_write_profiles fills them */
  struct name_table names; /* names of the ELF's functions */
  struct buffer dropped;   /* functions without code: struct dropped_function */
  struct scores_summary summary;
  struct input_source *sources; /* one for each row of summary; see source.c */
  size_t changed;         /* number of sources that have changed */
  const struct object_model *object; /* takes the place of a coverage mapping;
                                        or NULL */
  struct active_calls active;
};

/* Adds the calls in which a core was halted. Returns NULL or the error. */
const char *active_calls_add_core(struct active_calls *active,
                                  struct bytes core);

/* Fills subject->active.calls with the calls that were active. */
void active_calls_find(struct input_elf *subject);
void active_calls_free(struct active_calls *active);

struct tests;

struct inputs {
  struct input_elf *subjects;
  size_t count;
  bool allow_missing; /* --allow-missing: continue with the available data */
  bool object_code;   /* ELFs need no mapping or build id. */
  const struct object_model *object; /* one model of all ELFs; or NULL */
  struct tests *tests;               /* receives each dump; or NULL */
  /* Only inputs.c uses the next fields; initialise as zeros. */
  struct dump_header *unpaired; /* a header of each build without an ELF */
  size_t unpaired_count;
  struct given_files given;
  const char *log;    /* name of the log that is read now */
  size_t found;       /* dumps in that log, of any build */
  size_t logs_without_dump; /* number of logs without a dump */
  const char *headless_log; /* a log whose beginning may be missing; or NULL */
  bool polled; /* Requests went to the log's port, also for lost parts. */
  bool warned_uncounted; /* The user was warned that dumps lack ordinals. */
  bool refused;      /* The firmware refused a dump. */
  bool failed;       /* an error that no option allows */
  unsigned left_out; /* errors that --allow-missing must allow */
};

/* Checks that all files exist. Returns 0, or reports the first missing file and
 * returns 1. */
int inputs_check_files(char **names, size_t count);

/* Whether a file is an ELF other than a core. Only a regular file can be an ELF
 * here, because ELFs are mapped into memory. */
bool inputs_is_elf(const char *name);
static inline bool inputs_is_core(struct bytes file) {
  return file.size >= 18 && memcmp(file.data, "\177ELF", 4) == 0 &&
         load16(file.data + 16, file.data[5] == 2) == ELF_CORE;
}

/* Opens the ELFs among the files as subjects. Returns 0, or reports the error
 * and returns 1. */
int inputs_open_elfs(struct inputs *inputs, char **names, size_t count);

/* Returns the subject with this build id, or NULL. */
struct input_elf *inputs_find_elf(const struct inputs *inputs, struct bytes id);

/* Adds a log that messages call `shown`. Returns 0, or reports the error and
 * returns 1. */
int inputs_add_log(struct inputs *inputs, const char *name, const char *shown);

/* Adds the counts in a core to subject `number`. Returns 0, or reports the
 * error and returns 1. */
int inputs_add_core(struct inputs *inputs, size_t number, struct bytes core);

/* Reads all files except the ELFs; call inputs_open_elfs before. Reports each
 * error or missing file in one line. Returns 0 if the report can be made.
 * Subjects without counts have been removed then. */
int inputs_read_files(struct inputs *inputs, char **names, size_t count);
void inputs_free(struct inputs *inputs);

/* Returns the latest clang release that the ELF names (.comment, debug
 * information) and that writes this raw version, or 0. */
unsigned inputs_clang_release(const struct elf *elf, unsigned raw);

/* Writes the subject's raw profile, and an indexed profile for the llvm-cov of
 * its compiler. Reads the counts into subject->profile and the function names
 * into subject->names. Returns 0, or reports the error and returns 1. */
int input_write_profiles(struct input_elf *subject, const char *raw,
                         const char *indexed);

/* input_dropped_count returns how many functions the linker has dropped from an
 * ELF. inputs_is_function_dropped returns whether the linker has dropped this
 * function, and all ELFs lack counts of the function. */
static inline size_t input_dropped_count(const struct input_elf *subject) {
  return subject->dropped.size / sizeof(struct dropped_function);
}
bool inputs_is_function_dropped(const struct inputs *inputs, const char *name);

/* Reads the counts that have been added up in subject->join. Returns 0, or
 * reports the error and returns 1. The caller frees the profile in both
 * cases. */
int input_make_profile(const struct input_elf *subject,
                       struct profile *profile);

/* ---- console.c ----
 *
 * Reads a console, which is a command's output (QEMU, a flasher) or a port,
 * until each ELF has the wanted number of dumps. Shows the output without dump
 * frames and writes all of it to a log. Writes to a port only to send requests.
 */

struct console {
  /* The caller sets the next fields. */
  char **command;   /* ends with NULL; empty if there is a port */
  const char *port; /* a name for port_open (wire/port.h); or NULL */
  unsigned long baud;
  const char *log;  /* the file that gets all output */
  unsigned count;   /* complete dumps of each ELF to wait for */
  uint64_t timeout; /* limit in ms; 0: until nothing has arrived for
                       CONSOLE_PATIENCE */
  bool quiet;       /* show no output */
  /* Called after complete dumps have been written to the log, at most once
   * every `every` ms; may be NULL. Returns 0, or 1 to end at once. */
  int (*on_dumps)(void *context);
  void *context;
  uint64_t every;
  bool polls; /* send requests for dumps to the port every `every` ms while
                counts change, and a last request at the end */
  void (*tick)(void *context); /* called several times a second; or NULL */
  bool endless;                /* continue after `count` dumps */
  /* The next fields are the result. */
  size_t frames; /* frames of dumps, complete or not */
  size_t dumps;  /* complete dumps, at most `count` of each ELF */
  bool refused;  /* The firmware refused a dump. */
  /* lost: a description of the loss, or NULL. lacks: why the output lacks a
   * frame. */
  const char *lost, *lacks;
  bool ended;              /* The command ended on its own and status is set. */
  bool closed;             /* The port was closed or unplugged. */
  struct os_losses losses; /* losses of the port */
  int status;              /* exit status of the command, as in base/os.h */
  bool out_of_time;        /* The timeout came before all dumps had. */
  bool unanswered; /* The firmware answered requests, but not the last one. */
};

enum { CONSOLE_PATIENCE = 60000 };

/* Runs the command or reads the port; the inputs have their ELFs already.
 * Returns 0; or 1 if the command could not run, which is reported. Ctrl-C ends
 * only the command. The command's child processes end with it, even if a signal
 * ends bareprof. */
int console_listen(struct console *console, const struct inputs *inputs);

/* ---- boots.c ----
 *
 * The boots of the firmware in a console log. A struct boot is one boot. Each
 * dump of a boot includes the counts of its earlier dumps, so the last complete
 * dump counts. Boots are told apart by core, image and boot number. A counter
 * or bitmap that has decreased also shows a new boot, and so does an ordinal
 * that comes back.
 *
 * Without a boot number and an ordinal, a later boot may by chance have all
 * counts of an earlier boot. One dump then stands for both boots: all covered
 * code is there, but counts may be missing.
 */

/* A problem in a log. */
enum log_problem_kind {
  TROUBLE_GAPS,     /* a dump with gaps that no other dump fills */
  TROUBLE_PASSED,   /* a dump with gaps; a later dump of its boot is complete */
  TROUBLE_LOST,     /* another loss: see lost */
  TROUBLE_REFUSED,  /* The firmware refused to send a dump. */
  TROUBLE_MISSING,  /* lost dumps or names: see reassembly.h */
  TROUBLE_UNCOUNTED /* A boot does not number its dumps. */
};

struct log_problem {
  enum log_problem_kind kind;
  const struct snapshot *dump;
  const char *lost;
  const struct answer *answer;
  const struct missing_ordinal_range *missing;
  const struct dump_header *header;
};

/* The callbacks of boots_parse_log. Only wanted and start are required; the
 * others may be NULL. */
struct boots_events {
  void *context;
  /* Returns whether to use a dump, which may be incomplete. May fill the pieces
   * of the dump that the ELF also has. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* A boot has ended. last: its last complete dump; dumps: the number of its
   * dumps; untold: how many of these may belong to another boot although the
   * last dump contains all their counts. */
  void (*boot_ended)(void *context, const struct snapshot *last, size_t dumps,
                     size_t untold);
  void (*trouble)(void *context, const struct log_problem *trouble);
  /* Receives each dump header and may set header->boot to 0 to ignore the boot
   * number. */
  void (*header)(void *context, struct dump_header *header);
  /* A complete dump, in the order of the log, with only its counts. before: the
   * previous dump of its boot; NULL: this dump is the first one, or the
   * counters were reset. name: the test's name, or NULL. A dump that only
   * repeats an earlier one is left out unless it has a name. */
  void (*dump)(void *context, const char *name, const struct snapshot *dump,
               const struct snapshot *before);
  /* Like dump, if a dump or a name between `before` and this dump is lost. */
  void (*unsure)(void *context, const char *name, const struct snapshot *dump,
                 const struct snapshot *before);
  /* The dump with this name is lost. */
  void (*lost_name)(void *context, const char *name);
  bool joins;                /* The beginning of the log may be missing. */
  bool polls;                /* Requests were sent: see reassembly.h. */
  const struct ere *pattern; /* the lines that name the next dump; or NULL */
};

/* Reads a log and calls the events. Returns NULL or the error. *lacks: why the
 * log does not contain a dump; lacks may be NULL. */
const char *boots_parse_log(struct bytes log, const struct boots_events *events,
                            const char **lacks);

/* Calls header for each dump header in a log. Returns NULL or the error. */
const char *boots_parse_headers(struct bytes log,
                                void (*header)(void *context,
                                               struct dump_header *header),
                                void *context);

#endif
