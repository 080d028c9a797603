/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files that make struct probes share.
 */
#ifndef PROBE_INSIDE_H
#define PROBE_INSIDE_H

#include "probe.h"

/* The most that a section may have, and of probes. */
enum { PROBE_SECTION_MOST = 1 << 28, PROBE_COUNT_MOST = 1 << 25 };

struct probe_name {
  uint64_t guid, address;
  const char *name;
  uint32_t number; /* in the symbol table */
  /* Of the first of a GUID: */
  uint32_t count; /* symbols of the same */
  uint32_t last;  /* of them the last in the symbol table, from 0 */
  uint32_t taken; /* records that they were given to */
};

/* Reads the symbols of code. NULL, or what is wrong. */
const char *probe_symbols_read(struct probes *probes, const struct elf *elf);

/* The first symbol of a GUID, by address, or NULL: there is none. */
struct probe_name *probe_names_find(const struct probes *probes, uint64_t guid);

/* Reads the section .pseudo_probe_desc. */
const char *probe_functions_read(struct probes *probes, struct bytes section,
                                 bool big);

/* Reads the section .pseudo_probe, once there are symbols. */
struct probe_layout {
  unsigned encoding;
  unsigned pointer; /* bytes: 4 or 8 */
  bool big;
};
const char *probe_records_read(struct probes *probes, struct bytes section,
                               const struct probe_layout *layout);

/* Gives records that could not be placed at once their place, and puts the
 * probes in order. */
const char *probe_place(struct probes *probes, unsigned pointer);

/* By address; those of one address stay in their order. Those of a record are
 * next to each other before. false: no memory. */
bool probes_sort(struct probe *list, size_t count, size_t records);

#endif
