/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The logs, dumps and raw profiles that `bareprof report` is given. Finds
 * repeated files, and facts that only all files together show.
 *
 * A start's number may be random RAM content (bareprof_start_number after a
 * cold start, or on QEMU). If two logs begin with the same number, the number
 * tells nothing and counts as missing.
 */
#ifndef BAREPROF_TOOLS_INPUTS_SEEN_H
#define BAREPROF_TOOLS_INPUTS_SEEN_H

#include "../../base/file.h"
#include "../../image/snapshot.h"
#include "../../profile/raw.h" /* raw_is: whether a file is one */

struct given_file {
  struct file file;
  bool dump;             /* a .bpdump or a .profraw, otherwise a log */
  struct header *firsts; /* of a log: the first dump of each sender */
  size_t first_count;
};

struct given {
  struct given_file *list; /* logs first */
  size_t count;
  uint64_t *dumps; /* seen in logs: see snapshot_hash */
  size_t dump_count;
};

/* Reads a file. Messages call the file `shown`. A file that was read before is
 * reported and left out. Returns 0, or 1: the file cannot be read. */
int given_add(struct given *given, const char *name, const char *shown);

/* Call behind the last given_add. Sorts, and compares the beginnings of the
 * logs. */
int given_settle(struct given *given);

/* Whether two logs begin with this number. */
bool given_begins_two(const struct given *given, const struct header *header);

/* Remembers the counts of a log's dump. false: out of memory. */
bool given_note(struct given *given, const struct snapshot *dump);

/* Whether a log has a dump with these counts, of the same build. */
bool given_has(const struct given *given, const struct snapshot *dump);

void given_free(struct given *given);

/* Reads the counts of a whole raw profile (.profraw), of this runtime or
 * another, as a lean dump: without records and names, as the ELF has them, and
 * without addresses. Returns NULL or the error; after an error there is nothing
 * to free. */
const char *rawfile_read(struct snapshot *snapshot, struct bytes file);

#endif
