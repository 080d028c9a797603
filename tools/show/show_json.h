/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The document of `bareprof show --json`, one object. Keys stay; others may
 * come. Counts are whole numbers up to 2^64-1; a reader that uses doubles
 * rounds them. Hashes are strings, because they are no counts.
 *
 *   file               as the user gave it
 *   format             raw, indexed or text
 *   version            of that format; not of text
 *   bits, endian       of a raw file: 32 or 64; little or big
 *   mcdc_llvm          if there are MC/DC bitmaps: 18, or 19 for that and later
 *                      ones; 0: text does not say
 *   modes              array of front_end, ir, context_sensitive, entry_first,
 *                      loop_entries, single_byte, entry_only, temporal,
 *                      correlated
 *   regular            a part, see below
 *   context_sensitive  a part: what -fcs-profile-generate counted
 *   traces             {runs, list: [{weight, functions: [name or null]}]}
 *   build_ids          array of hex
 *   memory_profile     {version, bytes}, if there is one
 *
 * A part is there if it has records or is the only one; --cs chooses one part.
 * A part has
 *
 *   functions, functions_run     number of names; those that ran
 *   records, pseudo, suspicious  number of records; those with pseudo counts;
 *                                those with counts beyond reason
 *   counters, counters_run       number of counters; those that are not 0
 *   bitmap_bytes                 of MC/DC
 *   summary            without records that have pseudo counts, as compilers
 *                      see it: {records, counters, most_first, most_others,
 *                      most, total (modulo 2^64), hot, cutoffs: [{cutoff
 *                      (millionths), least, counters}]}; code is hot from a
 *                      count of `hot` on
 *   sites              {call, memop, vtable}, each {sites, with_values,
 *                      values, histogram: [[values, sites]]}
 *   covered            array of the names that ran
 *   hottest            array of {name, hash, most}, largest first
 *   list               array of records, hottest first:
 *     name, hash       hash: 16 hex digits behind 0x
 *     records          how many records there are of that name
 *     pseudo           hot or warm, and no counters; or it is not there
 *     suspicious       true if a count is beyond reason; or it is not there
 *     most             the largest counter
 *     counters         array
 *     bitmap           hex
 *     call, vtable     array of sites, each an array of {name (null: not in
 *                      this profile), count}, largest count first
 *     memop            the same, of {size, count}
 *
 * If sections were asked for, only they are there: a list has counters, bitmap
 * or sites only with --counts, --bitmap, --values.
 */
#ifndef BAREPROF_TOOLS_SHOW_SHOW_JSON_H
#define BAREPROF_TOOLS_SHOW_SHOW_JSON_H

#include "shown.h"

void show_profile_json(FILE *stream, struct shown *shown,
                       const struct wishes *wishes);

#endif
