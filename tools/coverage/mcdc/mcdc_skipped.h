/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions that MC/DC does not count. Clang leaves out decisions with another
 * boolean expression inside (`a && f(b || c)`), decisions with too many
 * conditions, and all of objects without -fcoverage-mcdc. llvm-cov does not
 * show them: without them, all of the others may be covered.
 *
 * And decisions that MC/DC counts wrongly. clang 22 measures `!(a || b) && c`,
 * and llvm-cov takes the value of the condition that was evaluated last for the
 * result. Where ! stands before several conditions, the result is the contrary:
 * conditions count as covered that no two vectors show.
 */
#ifndef BAREPROF_TOOLS_MCDC_SKIPPED_H
#define BAREPROF_TOOLS_MCDC_SKIPPED_H

#include "../../base/buffer.h"
#include "../../object/mapping.h"
#include "../inputs/paths.h"
#include "../model/exported.h"

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

/* Adds the decisions of an ELF to a list of struct unmeasured. summary: of the
 * sources that the report has; NULL: it has all. Returns NULL or the error. */
const char *unmeasured_read(struct buffer *list, const struct elf *elf,
                            const struct summary *summary);

/* Adds the decisions of a model that its sources show to be counted wrongly.
 * Those whose operators are hidden by macros, or whose source is not there, are
 * not found. Returns 0, or reports the error and returns 1. */
int negated_find(struct buffer *list, const struct exported *exported,
                 const struct paths *paths);

/* Sorts the list, and keeps one of several: those of templates and macros, and
 * of several ELFs. Leaves out a decision inside another one. */
void unmeasured_settle(struct buffer *list);
size_t unmeasured_count(const struct buffer *list);
const struct unmeasured *unmeasured_list(const struct buffer *list);
void unmeasured_free(struct buffer *list);

#endif
