/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * C++ that is measured: nobody calls it.
 */
#include "thermostat.h"

namespace heating {
int degrees(const thermostat &of);
int degrees(const thermostat &of) { return of.heating ? of.wanted : 0; }
} // namespace heating
