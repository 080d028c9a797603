/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which build this is, for headers of MIP and of samples.
 */
#include "buildid.h"

#include "image.h"

uint32_t bareprof_build(void) {
  const struct bareprof_image image = {
      .build_id = {__bareprof_build_id_start, __bareprof_build_id_end}};
  return bareprof_build_hash(image.build_id.begin + 16,
                             bareprof_build_id_size(&image));
}
