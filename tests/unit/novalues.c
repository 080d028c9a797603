/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linked without values.c: an image with value sites is refused, one without
 * is written.
 */
#include "check.h"
#include "compose.h"
#include "tests.h"

int main(void) {
  static struct firmware firmware;
  static struct capture out;
  check_begin("%s without values.c: E_VALUES where there are sites",
              flavour_name);
  for (unsigned version = 7; version <= 11; version++)
    for (unsigned machine = 0; machine < machine_count; machine++) {
      struct target target = machines[machine];
      target.version = version;
      compose(&firmware, &target, &everything);
      expect(BAREPROF_E_VALUES, capture_image(&out, &firmware.image));
      expect(0, out.calls);
      expect(BAREPROF_E_VALUES, bareprof_status_image(&firmware.image));
      compose(&firmware, &target, &plans[0]);
      expect(0, capture_image(&out, &firmware.image));
      expect(0, bareprof_status_image(&firmware.image));
    }
  check_end();
  return 0;
}
