/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions that MC/DC does not count. Clang leaves out decisions with another
 * boolean expression inside (`a && f(b || c)`), decisions with too many
 * conditions, and all of objects without -fcoverage-mcdc. llvm-cov does not
 * show them: without them, all of the others may be covered.
 */
#ifndef BAREPROF_TOOLS_MCDC_SKIPPED_H
#define BAREPROF_TOOLS_MCDC_SKIPPED_H

#include "../../base/buffer.h"
#include "../../object/mapping.h"
#include "../model/file_scores.h"

struct unmeasured {
  char *file;         /* as the compiler has it, without "." and ".." */
  struct place begin; /* of the first condition, as clang warns */
  struct place end;
};

/* The limit of the list, in bytes. */
enum { UNMEASURED_MOST = 1 << 26 };

/* Adds a decision, and takes over the file's name; NULL: there is no memory.
 * Returns NULL or the error. */
const char *unmeasured_add(struct buffer *list, char *file, struct place begin,
                           struct place end);

/* Adds the decisions of an ELF to a list of struct unmeasured. Returns NULL or
 * the error. */
const char *unmeasured_read(struct buffer *list, const struct elf *elf);

/* Drops from offset before on what is in none of the files of a summary: the
 * user leaves those files out. Returns NULL or the error. */
const char *unmeasured_keep(struct buffer *list, size_t before,
                            const struct summary *summary);

/* Sorts the list, and keeps one of several: those of templates and macros, and
 * of several ELFs. Leaves out a decision inside another one. */
void unmeasured_settle(struct buffer *list);
size_t unmeasured_count(const struct buffer *list);
const struct unmeasured *unmeasured_list(const struct buffer *list);
void unmeasured_free(struct buffer *list);

#endif
