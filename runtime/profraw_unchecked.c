/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile without the check of each record, for images that `bareprof doctor`
 * has checked behind the link.
 */
#include "profraw_write.h"
#include "weak_hooks.h"

int bareprof_write_unchecked(const struct bareprof_sink *sink) {
  const struct bareprof_image *image = &bareprof_running;
  __asm__("" : "+r"(image));
  int error = bareprof_check_whole(image);
  if (error)
    return error;
  struct bareprof_writer writer = {.profile = bareprof_profile_of(image),
                                   .sink = sink};
  const struct bareprof_layout *row = bareprof_row(&writer.profile);
  const unsigned char *record = image->records.begin;
  for (; record < image->records.end; record += row->record_size) {
    writer.profile.sites |= bareprof_sites(image, row, record);
    writer.profile.record_count++;
  }
  if (!writer.profile.sites)
    bareprof_put_profile(&writer);
  else if (hook_values_write)
    hook_values_write(&writer);
  else
    return BAREPROF_E_VALUES;
  return writer.error;
}
