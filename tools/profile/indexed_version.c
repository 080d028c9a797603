/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which index version has what, and which LLVM release has which.
 */
#include "indexed_write.h"

static unsigned version_of(unsigned llvm) {
  if (llvm < 15)
    return 7;
  if (llvm < 19)
    return llvm - 7;
  return llvm < 22 ? 12 : INDEXED_NEWEST;
}

/* Front-end hashes are looked up by how they are made in that version: 13 has
 * them cut, which can be done here, and not undone. */
static const char *refuses_hashes(const struct profile *profile,
                                  unsigned version) {
  if (!(profile->flags & PROFILE_FRONT_END))
    return NULL;
  if (version < 7)
    return "it is by -fprofile-instr-generate, whose hashes are others in "
           "this index version; write version 7 or later";
  if (version < 13 && profile->hashes_cut)
    return "its hashes are those of clang 22, which older compilers do not "
           "look for; write it for LLVM 22, or build with the older clang";
  return NULL;
}

const char *indexed_refuses(const struct profile *profile, unsigned version) {
  unsigned flags = profile->flags;
  if (version < INDEXED_OLDEST || version > INDEXED_NEWEST)
    return "index versions are written from 4 to 13; choose one of them";
  if (version < 12 && profile->has_sites[VALUE_VTABLES])
    return "it has types of objects (vtables), which are known since LLVM 19; "
           "write it for that or later";
  if (version < 12 && flags & PROFILE_LOOP_ENTRIES)
    return "it counts loop entries, which are known since LLVM 20; write it "
           "for that or later";
  if (version < 12 && profile->memprof.size && profile->memprof_version)
    return "it has a memory profile of LLVM 19 or later; write it for that or "
           "later";
  if (version < 11 && profile->has_bitmaps)
    return "it has MC/DC bitmaps, which are known since LLVM 18; write it for "
           "that or later";
  if (version < 10 && profile->trace_count)
    return "it has traces, which are known since LLVM 17; write it for that "
           "or later";
  if (version < 8 && profile->memprof.size)
    return "it has a memory profile, which is known since LLVM 15; write it "
           "for that or later";
  return refuses_hashes(profile, version);
}

/* For what may be left out, and need not be. */
static unsigned oldest_of(const struct profile *profile) {
  if (profile->vtables.size)
    return 12;
  if (profile->flags & PROFILE_TEMPORAL)
    return 10;
  return profile->ids.size ? 9 : 7;
}

unsigned indexed_version_for(const struct profile *profile, unsigned llvm,
                             const char **why_not) {
  unsigned version = llvm ? version_of(llvm) : 7;
  *why_not = NULL;
  if (!llvm) {
    version = oldest_of(profile);
    while (version < INDEXED_NEWEST && indexed_refuses(profile, version))
      version++;
  }
  if (llvm && llvm < 13)
    *why_not = "LLVM before 13 is not written for; its compilers may read "
               "what is written for 13";
  else if (llvm == 13 && profile->flags & (PROFILE_BYTES | PROFILE_ENTRY_ONLY))
    *why_not = "it only says whether code ran, which is known since LLVM 14; "
               "write it for that or later";
  else if (llvm && llvm < 20 && profile->flags & PROFILE_LOOP_ENTRIES)
    *why_not = "it counts loop entries, which are known since LLVM 20; write "
               "it for that or later";
  else
    *why_not = indexed_refuses(profile, version);
  if (*why_not)
    return 0;
  if (version < 9 && profile->ids.size)
    *why_not = "build ids are left out, which LLVM before 16 does not know";
  return version;
}
