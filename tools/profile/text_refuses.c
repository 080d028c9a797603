/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What text cannot say, or not to the llvm-profdata of a release.
 */
#include <string.h>

#include "text_inside.h"

/* llvm-profdata 18 to 22 read bitmaps of fewer bytes than this. */
enum { BITMAP_BYTES_LLVM = 256 };

/* Read back, it would be a comment, a directive, a number or two lines; or, in
 * traces, two names. */
static bool unwritable(const struct function_entry *function, bool traces,
                       unsigned llvm) {
  const char *name = function->name;
  size_t size = function->name_size;
  const struct bytes text = {(const unsigned char *)name, size};
  const struct bytes rest = {text.data + 1, size - 1};
  uint64_t number;
  return size == 0 || strchr("#:", *name) || memchr(name, '\n', size) ||
         name[size - 1] == '\r' || text_number(text, 10, &number) ||
         (*name == '$' && (llvm >= 18 || text_number(rest, 0, &number))) ||
         (traces && memchr(name, ',', size));
}

static const char *refuses_record(const struct counts *counts, unsigned llvm) {
  if (llvm && llvm < 18 && counts->bitmap_size)
    return "it has MC/DC bitmaps, which are known since LLVM 18; write it for "
           "that or later";
  if (llvm && counts->bitmap_size >= BITMAP_BYTES_LLVM)
    return "a function has 256 bytes of MC/DC bitmap or more, which no "
           "llvm-profdata reads from text; write an indexed profile";
  if (llvm && llvm < 19 && counts->site_count[VALUE_VTABLES])
    return "it has types of objects (vtables), which are known since LLVM 19; "
           "write it for that or later";
  return NULL;
}

static const char *refuses_flags(unsigned flags, unsigned llvm) {
  if (llvm && llvm < 13)
    return "LLVM before 13 is not written for; its tools may read what is "
           "written for 13";
  if (llvm && llvm < 17 && flags & PROFILE_TEMPORAL)
    return "it has traces, which are known since LLVM 17; write it for that "
           "or later";
  if (llvm && llvm < 18 && flags & PROFILE_BYTES)
    return "it only says whether code ran, which text has since LLVM 18; "
           "write an indexed profile";
  if (llvm && llvm < 20 && flags & PROFILE_LOOP_ENTRIES)
    return "it counts loop entries, which are known since LLVM 20; write it "
           "for that or later";
  return NULL;
}

const char *text_refuses(const struct profile *profile, unsigned llvm) {
  const char *error = refuses_flags(profile->flags, llvm);
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (const struct function_entry *entry = profile->buckets[i];
         entry && !error; entry = entry->next) {
      if (unwritable(entry, profile->trace_count, llvm))
        error = "a function's name cannot be in text; write an indexed profile";
      for (const struct counts *counts = entry->counts; counts && !error;
           counts = counts->next)
        error = refuses_record(counts, llvm);
    }
  return error;
}
