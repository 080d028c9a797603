/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A logger of measurements: reads sensors, filters what they say by a small
 * program, sorts it, and puts out telegrams, which it then takes in and checks
 * as the other side would. Drivers, orders and channels are reached through
 * pointers, as in any firmware that is put together of parts, and nearly
 * always it is the same one. No C library, no division.
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdbool.h>
#include <stdint.h>

enum { LOGGER_RECORDS = 64, LOGGER_BYTES = 2048 };

struct record {
  uint16_t sensor;
  uint16_t time;
  int32_t value;
};

/* What a run has done, all of it the same in each. */
struct logger_result {
  uint32_t telegrams;
  uint32_t records;
  uint32_t errors; /* telegrams that came back wrong: those made so */
  uint32_t checksum;
};

/* One telegram a round. */
struct logger_result logger_run(unsigned rounds);

#endif
