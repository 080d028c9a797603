/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chooses the index version for a profile. Says which parts each version can
 * hold, and which version each LLVM release writes. indexed_write.c writes the
 * versions. */
#include "indexed.h"

static unsigned index_version_for_llvm(unsigned llvm) {
  if (llvm < 15)
    return 7;
  if (llvm < 19)
    return llvm - 7;
  return llvm < 22 ? 12 : llvm < 23 ? 13 : INDEXED_NEWEST;
}

/* Checks whether front-end hashes are right for the version. From version 13
 * on, compilers search truncated hashes. A hash can be truncated, but not
 * restored. */
static const char *check_hashes_fit_index(const struct profile *profile,
                                          unsigned version) {
  if (!(profile->flags & PROFILE_FRONT_END))
    return NULL;
  if (version < 7)
    return "index versions before 7 hash profiles of -fprofile-instr-generate "
           "differently; use --index-version 7 or later";
  if (version < 13 && profile->hashes_cut)
    return "the hashes are from clang 22 or later, and older compilers do not "
           "find them; use --for-llvm 22 or later, or build with the older "
           "clang";
  return NULL;
}

/* Checks whether the bitmaps are right for the version. Readers assume that
 * bitmaps before version 12 are from LLVM 18, and all later bitmaps from LLVM
 * 19. */
static const char *check_bitmaps_fit_index(const struct profile *profile,
                                           unsigned version) {
  if (!profile->has_bitmaps)
    return NULL;
  if (version < 11)
    return "MC/DC bitmaps need LLVM 18 or later; use --for-llvm 18 or later";
  if (profile->bitmaps == BITMAPS_UNSAID)
    return "the text profile does not say which LLVM its MC/DC bitmaps are "
           "from; use merge --mcdc-llvm N";
  if (version < 12 && profile->bitmaps == BITMAPS_19)
    return "MC/DC bitmaps of LLVM 19 or later do not fit LLVM 18 and index "
           "version 11; use --for-llvm 19 or later";
  if (version > 11 && profile->bitmaps == BITMAPS_18)
    return "MC/DC bitmaps of LLVM 18 do not fit index version 12 and later; "
           "use --index-version 11";
  return NULL;
}

const char *indexed_check_version(const struct profile *profile,
                                  unsigned version) {
  unsigned flags = profile->flags;
  if (version < INDEXED_OLDEST || version > INDEXED_NEWEST)
    return "this index version is not supported for writing; use a version "
           "that `merge --help` lists";
  if (version < 12 && profile->has_sites[VALUE_VTABLES])
    return "vtables need LLVM 19 or later; use --for-llvm 19 or later";
  if (version < 12 && flags & PROFILE_LOOP_ENTRIES)
    return "loop entry counts need LLVM 20 or later; use --for-llvm 20 or "
           "later";
  if (version < 12 && profile->memprof.size && profile->memprof_version)
    return "this kind of memory profile needs LLVM 19 or later; use --for-llvm "
           "19 or later";
  if (version < 10 && profile->trace_count)
    return "temporal traces need LLVM 17 or later; use --for-llvm 17 or later";
  if (version < 8 && profile->memprof.size)
    return "memory profiles need LLVM 15 or later; use --for-llvm 15 or later";
  const char *error = check_bitmaps_fit_index(profile, version);
  return error ? error : check_hashes_fit_index(profile, version);
}

/* Returns the oldest version that can also hold the optional parts. */
static unsigned oldest_fitting_version(const struct profile *profile) {
  if (profile->vtables.size)
    return 12;
  if (profile->flags & PROFILE_TEMPORAL)
    return 10;
  return profile->ids.size ? 9 : 7;
}

unsigned indexed_choose_version(const struct profile *profile, unsigned llvm,
                                const char **why_not) {
  unsigned version = llvm ? index_version_for_llvm(llvm) : 7;
  *why_not = NULL;
  /* Later releases read version 11, and a later version would change the
   * meaning of the bitmaps. */
  if (version > 11 && profile->bitmaps == BITMAPS_18)
    version = 11;
  if (!llvm) {
    version = oldest_fitting_version(profile);
    while (version < INDEXED_NEWEST && indexed_check_version(profile, version))
      version++;
  }
  if (llvm && llvm < 13)
    *why_not = "profiles for LLVM before 13 cannot be written; use --for-llvm "
               "13, which the older compilers may read";
  else if (llvm == 13 && profile->flags & (PROFILE_BYTES | PROFILE_ENTRY_ONLY))
    *why_not = "profiles that only say whether code ran need LLVM 14 or later; "
               "use --for-llvm 14 or later";
  else if (llvm && llvm < 20 && profile->flags & PROFILE_LOOP_ENTRIES)
    *why_not =
        "loop entry counts need LLVM 20 or later; use --for-llvm 20 or later";
  else
    *why_not = indexed_check_version(profile, version);
  if (*why_not)
    return 0;
  if (version < 9 && profile->ids.size)
    *why_not =
        "build ids are left out, because LLVM before 16 cannot read them";
  return version;
}
