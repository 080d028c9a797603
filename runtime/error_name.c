/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Errors by name, for logs. The comments are the cause and the cure of each
 * error: docs/reference/errors.md is made from them.
 */
#include "bareprof.h"

#define NAME(error) \
  case error:       \
    return #error

/* A switch, not an array: an array would be data to relocate in
 * position-independent code. */
const char *bareprof_error_name(int error) {
  switch (error) {
    /* The version word names another raw version than the runtime's, or, to a
     * runtime for all versions, none of 7 to 11. Compile the runtime with the
     * compiler of the firmware (make lib LLVM=N), or define
     * BAREPROF_RAW_VERSION, or use the archive of make lib LLVM=any. */
    NAME(BAREPROF_E_VERSION);
    /* The linker script does not bound the profile sections, and no object has
     * any: INCLUDE bareprof.ld is missing, or /DISCARD/ took the sections. */
    NAME(BAREPROF_E_NO_BOUNDS);
    /* The sections are bounded but empty: the image has no instrumented
     * function. The compile flag is missing, or --gc-sections removed all of
     * them. */
    NAME(BAREPROF_E_EMPTY);
    /* Records without counters: __llvm_prf_cnts was discarded or renamed. */
    NAME(BAREPROF_E_NO_COUNTERS);
    /* Counters without records: a lean linker script, or objects compiled with
     * -profile-correlate. Only a lean dump is possible; the ELF has the rest.
     */
    NAME(BAREPROF_E_NO_RECORDS);
    /* Records without names: __llvm_prf_names was discarded or renamed. */
    NAME(BAREPROF_E_NO_NAMES);
    /* The bounds of records or counters are not multiples of 8 bytes: a script
     * other than bareprof.ld placed them after unaligned data. */
    NAME(BAREPROF_E_ALIGN);
    /* The guard word is not set: bareprof_init() has not run, or something has
     * overwritten the end of the profile's RAM. The counters are undefined. */
    NAME(BAREPROF_E_NOT_INIT);
    /* Some records are not of the image's raw version, or the image has pieces
     * that this version does not know: objects of two compilers, or of a
     * compiler other than the runtime's. */
    NAME(BAREPROF_E_MIXED);
    /* A record points outside the counters or the bitmap, or between two
     * counters, or some counters belong to no record: a damaged image, or clang
     * 21 without -mllvm -enable-global-merge=false. Objects of two compilers
     * may also end here, if value sites disguise their records. Two weak
     * definitions of one function that differ are for the host to see: both
     * records point to the counters of one. Link with lld's --gc-sections, or
     * leave one of them without instrumentation. Identical definitions are
     * allowed. */
    NAME(BAREPROF_E_RECORD);
    /* Records with value sites, without code to write values: link values.c (-u
     * bareprof_values_write). Without a BAREPROF_VALUES line
     * (bareprof_values.h) profiles are written, and have no values: `bareprof
     * doctor` says so. merge: the profile has values, and the image is not the
     * running one. */
    NAME(BAREPROF_E_VALUES);
    /* merge: the buffer does not begin with a raw profile of this target's
     * pointer width and byte order. */
    NAME(BAREPROF_E_NOT_PROFILE);
    /* merge: the buffer ends before its own counters and bitmaps do. */
    NAME(BAREPROF_E_TRUNCATED);
    /* merge: the profile is of another build. Its build id, records or names
     * differ from those of this image. */
    NAME(BAREPROF_E_OTHER_BUILD);
    /* Values are profiled (bareprof_values.h), and another dump is just ending:
     * one that this call has interrupted, or one on another core. The end
     * releases the slots, at some 20 instructions a slot; otherwise dumps may
     * overlap. Call again; from an interrupt, return first. bareprof_size is
     * then 0. */
    NAME(BAREPROF_E_BUSY);
    /* merge: the profile's header differs in raw version, mode or sizes.
     * Merging it would run past the end of this image's counters. */
    NAME(BAREPROF_E_OTHER_LAYOUT);
    /* A lean dump of an image without a build id of at least 5 bytes: the host
     * could not tell which ELF has its records. Link with --build-id. The
     * linker script must not place .note.gnu.build-id before bareprof.ld does.
     */
    NAME(BAREPROF_E_NO_BUILD_ID);
    /* relocate: no object can move its counters or bitmaps. Compile with -mllvm
     * -runtime-counter-relocation; bitmaps need clang 20 or later. */
    NAME(BAREPROF_E_NOT_MOVABLE);
    /* relocate: the RAM is not aligned to 8, or too small. */
    NAME(BAREPROF_E_NO_ROOM);
    /* Counters have 4 bytes (`bareprof cc --counters=32-packed`). A raw profile
     * has 8-byte counters, so only a lean dump is possible: bareprof_send with
     * BAREPROF_LEAN. The host makes 8 bytes of them. Nor can bareprof_merge add
     * to them. */
    NAME(BAREPROF_E_PACKED);
    /* Your sink returned a negative number. What it got is incomplete. The
     * number is the sink's own: keep it in the context. */
    NAME(BAREPROF_E_SINK);
  default:
    return error ? error > 0 ? "the sink's error" : "unknown error" : "success";
  }
}
