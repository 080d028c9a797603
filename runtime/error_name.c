/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Returns the names of errors, for logs. The comment of each error says the
 * cause and the cure; docs/reference/errors.md is made from these comments.
 */
#include "bareprof.h"

#define NAME(error) \
  case error:       \
    return #error

/* The function uses a switch, because an array of pointers would be data to
 * relocate in position-independent code. */
const char *bareprof_error_name(int error) {
  switch (error) {
    /* The version word of the image does not match the runtime; a runtime for
     * all versions supports raw versions 7 to 11. Compile the runtime with the
     * compiler of the firmware (make lib LLVM=N), or define
     * BAREPROF_RAW_VERSION, or use the archive of make lib LLVM=any. */
    NAME(BAREPROF_E_VERSION);
    /* The image has no profile sections, and the linker script does not define
     * their bounds. Add INCLUDE bareprof.ld to the script, or remove the
     * profile sections from /DISCARD/. */
    NAME(BAREPROF_E_NO_BOUNDS);
    /* The profile sections are empty, because the image has no instrumented
     * function. Compile with an instrumentation flag, or check that
     * --gc-sections did not remove all instrumented functions. */
    NAME(BAREPROF_E_EMPTY);
    /* The image has records but no counters, because __llvm_prf_cnts was
     * discarded or renamed. Keep this section in the linker script. */
    NAME(BAREPROF_E_NO_COUNTERS);
    /* The image has counters but no records, due to a lean linker script or
     * -profile-correlate. Send a lean dump; the ELF has the records. */
    NAME(BAREPROF_E_NO_RECORDS);
    /* The image has records but no names, because __llvm_prf_names was
     * discarded or renamed. Keep this section in the linker script. */
    NAME(BAREPROF_E_NO_NAMES);
    /* The records or counters do not begin or end at a multiple of 8 bytes,
     * because another script than bareprof.ld placed them after unaligned data.
     * Put ALIGN(8) on their sections. */
    NAME(BAREPROF_E_ALIGN);
    /* The guard word is not set, so the counters are undefined. Call
     * bareprof_init() before measured code, and check that nothing overwrites
     * the end of the profile's RAM. */
    NAME(BAREPROF_E_NOT_INIT);
    /* Some records have another raw version than the image, or the image has
     * data of a later format. Compile all objects and the runtime with one
     * compiler. */
    NAME(BAREPROF_E_MIXED);
    /* The records do not match the counters or bitmaps: a record points to a
     * wrong address, or some counters have no record. There are four causes.
     * (1) The image is damaged: link and flash the image again. (2) Two
     * compilers made the objects: compile all objects with one compiler. (3)
     * clang 21 merged counters: compile with -mllvm -enable-global-merge=false.
     * (4) A function has two different weak definitions, and the records of
     * both point to the same counters: link with lld's --gc-sections, or
     * compile one definition without instrumentation. Only the host tool finds
     * cause 4. Identical definitions are allowed. */
    NAME(BAREPROF_E_RECORD);
    /* The image has value sites, but no code to write values. Link with
     * -u bareprof_values_write. Without a BAREPROF_VALUES line
     * (bareprof_values.h) profiles have no values, as `bareprof doctor` says.
     * bareprof_merge returns this number, too, if the profile has values and
     * the image is not the image that runs. */
    NAME(BAREPROF_E_VALUES);
    /* bareprof_merge: the buffer does not begin with a raw profile of this
     * target's pointer width and byte order. Pass a profile of this target. */
    NAME(BAREPROF_E_NOT_PROFILE);
    /* bareprof_merge: the buffer ends before the profile ends. Pass the
     * complete profile. */
    NAME(BAREPROF_E_TRUNCATED);
    /* bareprof_merge: the build id, the records or the names of the profile do
     * not match this image. Pass a profile of this build. */
    NAME(BAREPROF_E_OTHER_BUILD);
    /* Another dump with values (bareprof_values.h) is about to end. This call
     * interrupted that dump, or another core sends that dump. Call again; in an
     * interrupt handler, return first. The other dump ends within some 20
     * instructions for each slot. Until then bareprof_size returns 0. */
    NAME(BAREPROF_E_BUSY);
    /* bareprof_merge: raw version, mode or sizes in the profile's header do not
     * match this image, so a merge would write past the end of the counters.
     * Pass a profile of this build. */
    NAME(BAREPROF_E_OTHER_LAYOUT);
    /* The image has no build id of at least 5 bytes, so the host could not
     * match a lean dump with its ELF. Link with --build-id, and let no other
     * pattern of the linker script take .note.gnu.build-id before bareprof.ld.
     */
    NAME(BAREPROF_E_NO_BUILD_ID);
    /* bareprof_relocate: no object can move its counters or bitmaps. Compile
     * with -mllvm -runtime-counter-relocation; bitmaps need clang 20 or later.
     */
    NAME(BAREPROF_E_NOT_MOVABLE);
    /* bareprof_relocate: the RAM is too small, or not aligned to 8 bytes. Pass
     * aligned RAM of sufficient size. */
    NAME(BAREPROF_E_NO_ROOM);
    /* The counters have 4 bytes (`bareprof cc --counters=32-packed`), but a raw
     * profile has 8-byte counters. Send a lean dump: call bareprof_send with
     * BAREPROF_LEAN. bareprof_merge does not support 4-byte counters. */
    NAME(BAREPROF_E_PACKED);
    /* Your sink returned a negative number, so the sink received an incomplete
     * dump. Store the cause of the failure in the context of the sink. */
    NAME(BAREPROF_E_SINK);
  default:
    return error ? error > 0 ? "the sink's error" : "unknown error" : "success";
  }
}
