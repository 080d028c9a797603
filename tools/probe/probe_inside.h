/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shared by read.c and probe_decode.c.
 */
#ifndef PROBE_PROBE_INSIDE_H
#define PROBE_PROBE_INSIDE_H

#include "probe.h"

/* The largest size of a section, and the most probes. */
enum { PROBE_SECTION_MOST = 1 << 28, PROBE_COUNT_MOST = 1 << 25 };

struct probe_name {
  uint64_t guid, address;
  const char *name;
  uint32_t number; /* in the symbol table */
  /* Of the first of a GUID: */
  uint32_t count; /* symbols of the same */
  uint32_t last;  /* the last of these in the symbol table, from 0 */
  uint32_t taken; /* records that got one of these symbols */
};

/* The first symbol of a GUID, by address, or NULL: there is none. */
struct probe_name *probe_names_find(const struct probes *probes, uint64_t guid);

/* Reads the section .pseudo_probe, once there are symbols. */
struct probe_layout {
  unsigned encoding;
  unsigned pointer; /* bytes: 4 or 8 */
  bool big;
};
const char *probe_records_read(struct probes *probes, struct bytes section,
                               const struct probe_layout *layout);

#endif
