/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inputs of `bareprof report`: ELFs and their dumps. Pairs ELFs and dumps
 * by build id, and adds up the dumps.
 */
#ifndef BAREPROF_TOOLS_INPUTS_H
#define BAREPROF_TOOLS_INPUTS_H

#include "../../base/file.h"
#include "../../image/join_dump.h"
#include "../../object/names.h"
#include "../../object/sha256.h"
#include "../../profile/model.h"
#include "inputs_seen.h"
#include "../model/file_scores.h"

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
  struct summary summary;
  struct source *sources; /* one for each row of summary; see source_digest.h */
  size_t changed;         /* of them */
};

struct tests;

struct inputs {
  struct subject *subjects;
  size_t count;
  bool allow_missing;  /* the user's option: continue with the available data */
  struct tests *tests; /* gets each dump; or NULL */
  /* Only for inputs.c, 0 at first. */
  struct header *unpaired; /* one header of each build that has no ELF */
  size_t unpaired_count;
  struct given given;
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

/* Whether a file is one: it is mapped, so it must be no device. */
bool inputs_is_elf(const char *name);

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

/* Reads the subject's counts as they are now. Returns 0, or reports the error
 * and returns 1. The caller frees the profile in both cases. */
int counted_read(const struct subject *subject, struct profile *profile);

#endif
