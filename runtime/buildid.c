/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which build this is, for headers of MIP and of samples.
 */
#include "buildid.h"

#include "image.h"

uint32_t bareprof_build(void) {
  const struct bareprof_image image = {
      .build_id = {__bareprof_build_id_start, __bareprof_build_id_end}};
  /* In integers: without a note there is no pointer to add to. */
  uintptr_t id = (uintptr_t)image.build_id.begin + 16;
  return bareprof_build_hash((const unsigned char *)id,
                             bareprof_build_id_size(&image));
}
