/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inputs of `bareprof report`: ELFs and their dumps. Pairs ELFs and dumps
 * by build id, and adds up the dumps.
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
#include "../../wire/collect.h"
#include "../../wire/frame.h"
#include "../model/exported.h"

/* ---- inputs_seen.c ----
 *
 * The logs, dumps and raw profiles that `bareprof report` is given. Finds
 * repeated files, and facts that only all files together show.
 *
 * A start's number may be random RAM content (bareprof_boot_number after a
 * cold start, or on QEMU). If two logs begin with the same number, the number
 * tells nothing and counts as missing.
 */

#include "../../profile/raw.h" /* raw_is: whether a file is one */

struct given_file {
  struct file file;
  bool dump;             /* a .bpdump or a .profraw, otherwise a log */
  struct header *firsts; /* of a log: the first dump of each sender */
  size_t first_count;
};

struct inputs_seen {
  struct given_file *list; /* logs first */
  size_t count;
  uint64_t *dumps; /* seen in logs: see snapshot_hash */
  size_t dump_count;
  /* Files that are the same as earlier ones: the first, which that is, and how
   * many there are. Then the dumps that logs have. */
  const char *copy, *copied, *in_log;
  size_t copies, in_logs;
};

/* Reads a file. Messages call the file `shown`. A file that was read before is
 * left out. Returns 0, or 1: the file cannot be read. */
int given_add(struct inputs_seen *given, const char *name, const char *shown);

/* The name of a file's test: the file's without folder and extension, or with
 * the folders that tell files of one name apart. The caller frees the name. */
char *given_test(const struct inputs_seen *given, const char *name);

/* Call after the last given_add. Names what was left out, sorts, and compares
 * the beginnings of the logs. */
int given_settle(struct inputs_seen *given);

/* Names the dumps that logs have. */
void given_tell(const struct inputs_seen *given);

/* Whether two logs begin with this number. */
bool given_begins_two(const struct inputs_seen *given,
                      const struct header *header);

/* Remembers the counts of a log's dump. */
void given_note(struct inputs_seen *given, const struct snapshot *dump);

/* Whether a log has a dump with these counts, of the same build. */
bool given_has(const struct inputs_seen *given, const struct snapshot *dump);

void given_free(struct inputs_seen *given);

/* Reads the counts of a whole raw profile (.profraw), of this runtime or
 * another, as a lean dump: without records and names, as the ELF has them, and
 * without addresses. Returns NULL or the error; after an error there is nothing
 * to free. */
const char *rawfile_read(struct snapshot *snapshot, struct bytes file);

/* A source file next to the one that the ELF was built from. */
enum source_state {
  SOURCE_SAME,
  SOURCE_CHANGED,
  SOURCE_UNKNOWN, /* The ELF does not have its MD5. */
  SOURCE_MISSING  /* There is no such file here. */
};

struct source {
  char *name; /* as the compiler has it, tidied (paths.h) */
  char *here; /* its name on this machine */
  enum source_state state;
  unsigned char sha256[SHA256_SIZE]; /* unless it is missing */
};

/* ---- active.c ---- */

struct active {
  size_t logged;        /* starts whose last dump is one of a log */
  size_t halted;        /* starts whose core was halted */
  struct buffer stacks; /* uint64_t: of each start whose core was halted, its
                           place, then its calls, innermost first, then 0 */
  const char *dumps;    /* the function that dumps, if it is not known how it
                           was called; or NULL */
  struct buffer calls;  /* struct active_call: all of these */
  struct arena texts;
};

/* An ELF and its counts. */
struct subject {
  const char *name; /* as the user gave it */
  struct file file;
  struct elf elf;
  struct bytes build_id;
  unsigned char *digest; /* 16 bytes, where build_id may be */
  struct join join;
  size_t starts, dumps; /* starts that add up; dumps that they come from */
  /* Starts whose dump also stands for dumps that may be of another start. */
  size_t untold;
  unsigned release;       /* of its clang; 0: not known */
  char *stem;             /* the name of its files in the report */
  bool dumped;            /* a dump of it came, complete or not */
  struct profile profile; /* its counts, once they are written */
  struct names names;     /* of its functions */
  struct buffer dropped;  /* struct dropped: functions */
  struct scores_summary summary;
  struct source *sources; /* one for each row of summary; see source_digest.c */
  size_t changed;         /* of them */
  const struct object_model *object; /* instead of a mapping; or NULL */
  struct active active;
};

/* Takes the calls that a core was halted in. Returns NULL or the error. */
const char *active_halted(struct active *active, struct bytes core);

/* Finds the calls of the subject that were active. */
void active_find(struct subject *subject);
void active_free(struct active *active);

struct tests;

struct inputs {
  struct subject *subjects;
  size_t count;
  bool allow_missing;  /* the user's option: continue with the available data */
  bool object_code;    /* ELFs need no mapping and no build id. */
  const struct object_model *object; /* of all of them; or NULL */
  struct tests *tests; /* gets each dump; or NULL */
  /* Only for inputs.c, 0 at first. */
  struct header *unpaired; /* one header of each build that has no ELF */
  size_t unpaired_count;
  struct inputs_seen given;
  const char *log;    /* the log being read */
  size_t found;       /* dumps in it, of any build */
  size_t silent;      /* logs without a dump */
  const char *joined; /* a log that may begin late; or NULL */
  bool asked; /* That log is of a port that was asked: what got lost has been
                 asked for again. */
  bool uncounted;    /* The user was told that dumps have no ordinals. */
  bool refused;      /* the firmware refused a dump of some ELF */
  bool failed;       /* There was an error that no option allows. */
  unsigned left_out; /* errors that --allow-missing must allow */
};

/* Checks that all files exist. Returns 0, or reports the first missing file and
 * returns 1. */
int inputs_check(char **names, size_t count);

/* Whether a file is one: it is mapped, so it must be no device. A core is none,
 * but memory with counts. */
bool inputs_is_elf(const char *name);
static inline bool inputs_is_core(struct bytes file) {
  return file.size >= 18 && memcmp(file.data, "\177ELF", 4) == 0 &&
         load16(file.data + 16, file.data[5] == 2) == ELF_CORE;
}

/* Opens the ELFs among the files. Returns 0, or reports the error and returns
 * 1. */
int inputs_elfs(struct inputs *inputs, char **names, size_t count);

/* The ELF of a build id, or NULL. */
struct subject *inputs_of_build(const struct inputs *inputs, struct bytes id);

/* Adds a log that the user knows by another name. Returns 0 or 1. */
int inputs_log(struct inputs *inputs, const char *name, const char *shown);

/* Adds the counts of the ELF of this number, in a core. Returns 0 or 1. */
int inputs_memory(struct inputs *inputs, size_t number, struct bytes core);

/* Reads all files except the ELFs; call inputs_elfs before. Reports each error
 * or missing file in one line. Returns 0 if the report can be made. Subjects
 * without counts are removed then. */
int inputs_read(struct inputs *inputs, char **names, size_t count);
void inputs_free(struct inputs *inputs);

/* The highest release of clang that the ELF names (.comment, debug information)
 * and that writes this raw version. 0: the ELF names none. */
unsigned counted_release(const struct elf *elf, unsigned raw);

/* Writes the subject's raw profile, and the indexed one that its compiler's
 * llvm-cov reads; reads the counts into subject->profile, and the names of its
 * functions. Returns 0, or reports the error and returns 1. */
int counted_write(struct subject *subject, const char *raw,
                  const char *indexed);

/* How many functions the linker has dropped from an ELF; and whether it has
 * dropped this one, and no other ELF has it. */
static inline size_t dropped_count(const struct subject *subject) {
  return subject->dropped.size / sizeof(struct dropped);
}
bool dropped_is(const struct inputs *inputs, const char *name);

/* Reads the subject's counts as they are now. Returns 0, or reports the error
 * and returns 1. The caller frees the profile in both cases. */
int counted_read(const struct subject *subject, struct profile *profile);

/* ---- console.c ----
 *
 * Listens to a console, which is a command's output (QEMU, a flasher) or a
 * port, until each ELF has the wanted dumps. Shows the output without the
 * frames of dumps, and keeps the output in a log. Sends nothing to a port,
 * unless it is to ask.
 */

struct console {
  /* From the command line. */
  char **command;   /* up to NULL; of no words with a port */
  const char *port; /* as of wire/port.h; or NULL */
  unsigned long baud;
  const char *log;  /* the file that gets all output */
  unsigned count;   /* complete dumps of each ELF before the command is ended */
  uint64_t timeout; /* ms that it may take; 0: until nothing is heard for
                       CONSOLE_PATIENCE */
  bool quiet;       /* show nothing of it */
  /* If not NULL, called at most each `every` ms, when whole dumps have come:
   * they are in the log by then. Returns 0, or 1 to end at once. */
  int (*look)(void *context);
  void *context;
  uint64_t every;
  bool asks; /* request dumps of the port, each `every` ms, if counts change;
                a last one at the end */
  void (*tick)(void *context); /* called some times a second; or NULL */
  bool endless; /* count dumps are enough, and yet more are listened to */
  /* The result. */
  size_t frames; /* of dumps, complete or not */
  size_t dumps;  /* complete dumps of the ELFs, of each up to count */
  bool refused;  /* the firmware refused a dump */
  /* If there were no frames: what is lost, or NULL; why there are none. */
  const char *lost, *lacks;
  bool ended;  /* The command ended by itself; then status is set. */
  bool closed; /* the port has gone */
  struct os_losses losses; /* of the port */
  int status;              /* of it, for os.h */
  bool out_of_time;        /* the time was over before all dumps had come */
  bool unanswered; /* the last request, of a firmware that had answered */
};

enum { CONSOLE_PATIENCE = 60000 };

/* Runs the command, or listens to the port. The inputs have their ELFs already.
 * The command's child processes are ended with the command, also when a signal
 * ends bareprof.
 * Returns 0; or 1 if the command could not run, which is reported. Ctrl-C ends
 * only the command. */
int console_run(struct console *console, const struct inputs *inputs);

/* ---- starts.c ----
 *
 * The starts of firmware that a console log shows. Each dump of a start
 * contains the counts of the dumps before it, so the last complete dump counts.
 * Core, image and boot number distinguish starts. A counter or bitmap that has
 * lost something shows a new start, too, and so does an ordinal that comes
 * back. Without either, a later start may by chance have all counts of an
 * earlier start. Its dump stands for both starts then: all covered code is
 * there, and counts may be missing.
 */

/* What is wrong with a log. */
enum trouble_kind {
  TROUBLE_GAPS,    /* a dump with gaps that nothing fills */
  TROUBLE_PASSED,  /* the same, and a later dump of its start is complete */
  TROUBLE_LOST,    /* what cannot be named more closely */
  TROUBLE_REFUSED, /* The firmware has refused a dump. */
  TROUBLE_MISSING, /* dumps or names: see collect.h */
  TROUBLE_UNCOUNTED /* A start numbers no dumps. */
};

struct trouble {
  enum trouble_kind kind;
  const struct snapshot *dump;
  const char *lost;
  const struct answer *answer;
  const struct missing *missing;
  const struct header *header;
};

/* Only wanted and start are needed; others may be NULL. */
struct starts_events {
  void *context;
  /* Whether a dump is of interest, complete or not. May complete the dump's
   * constant parts. */
  bool (*wanted)(void *context, struct snapshot *dump);
  /* A start has ended: its last complete dump, the number of its dumps, and how
   * many of these dumps may be of another start although the last dump contains
   * all their counts. */
  void (*start)(void *context, const struct snapshot *last, size_t dumps,
                size_t untold);
  void (*trouble)(void *context, const struct trouble *trouble);
  /* A dump's header; boot may be set to 0. */
  void (*header)(void *context, struct header *header);
  /* A whole dump in the order of the log, its counts alone, and the dump of its
   * start before it; NULL: the first, or the counts began again. name: of a
   * test, or NULL. A dump that only repeats another one is left out, unless it
   * has a name. NULL: not wanted. */
  void (*dump)(void *context, const char *name, const struct snapshot *dump,
               const struct snapshot *before);
  /* The same, if a dump or a name between before and this dump is lost. */
  void (*unsure)(void *context, const char *name, const struct snapshot *dump,
                 const struct snapshot *before);
  /* The dump of that name is lost. */
  void (*unnamed)(void *context, const char *name);
  bool joins;                /* The log may begin late. */
  bool asks;                 /* The firmware was asked: see collect.h. */
  const struct ere *pattern; /* the lines that name the next dump; or NULL */
};

/* Reads a log. Returns NULL or the error. lacks, if not NULL, becomes why there
 * is no dump, for a log without one. */
const char *starts_read(struct bytes log, const struct starts_events *events,
                        const char **lacks);

/* Reads only the headers of all dumps in a log. */
const char *starts_headers(struct bytes log,
                           void (*header)(void *context, struct header *header),
                           void *context);

#endif
