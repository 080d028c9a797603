/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A logger of measurements: reads sensors, filters the values by a small
 * program, sorts them, and writes telegrams. It then reads the telegrams back
 * and checks them as the other side would. Drivers, orders and channels are
 * reached through pointers, as in any firmware made of parts, and the target is
 * nearly always the same. No C library, no division.
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

/* The results of a run, the same in each run. */
struct logger_result {
  uint32_t telegrams;
  uint32_t records;
  uint32_t errors; /* telegrams with a wrong check */
  uint32_t checksum;
};

/* One telegram a round. */
struct logger_result logger_run(unsigned rounds);

#endif
