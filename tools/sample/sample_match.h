/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much of a sample profile another build takes. With probes clang looks at
 * the checksum of each function, wherever the function was inlined. A profile
 * of lines has no checksums, so only names are compared.
 */
#ifndef SAMPLE_SAMPLE_MATCH_H
#define SAMPLE_SAMPLE_MATCH_H

#include "../base/map.h"
#include "../compare/build_match.h"

/* Whether a file is a sample profile, binary or as text. */
bool sample_match_is(struct bytes file);

/* Matches a profile with a linked build. *match need not be initialised; the
 * caller frees it in any case. Returns NULL or the error. */
struct sample_match_found {
  size_t line;  /* where the error is in a text; 0: in none */
  bool of_elf;  /* the error is in the ELF */
  bool by_name; /* the profile has no checksums */
};
const char *sample_match_find(struct match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_found *found);

/* ==== The readers. Counts of a function that was inlined are its own. */

/* A function, or some of its counts. */
struct sample_body {
  struct bytes name;
  uint64_t reference, hash;
  double weight;
};

struct sample_records {
  struct match *match; /* begun */
  struct map known;    /* of its records, by name and checksum. With a limit */
  bool probed;         /* there are checksums */
  bool suffixed;       /* clang looks for names with .__uniq. */
  /* Adds to the record of that name and checksum. Returns NULL or the error. */
  const char *(*add)(struct sample_records *of,
                     const struct sample_body *body);
};

/* What add is, where records become those of *match. */
const char *sample_records_add(struct sample_records *of,
                               const struct sample_body *body);

/* Adds all functions of a text. Returns NULL or the error, and *line, the
 * number of the wrong one; 0: it is none of a line. */
const char *sample_text_read(struct sample_records *records,
                             struct bytes file, size_t *line);
bool sample_text_is(struct bytes file); /* by its first line */

/* The same of the binary form. */
const char *sample_binary_read(struct sample_records *records,
                               struct bytes file);
bool sample_binary_is(struct bytes file);

#endif
