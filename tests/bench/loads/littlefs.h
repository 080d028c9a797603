/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of littlefs' workloads: a device of 128 blocks of RAM, and
 * the buffers, so that nothing is allocated.
 */
#ifndef LITTLEFS_H
#define LITTLEFS_H

#include "bd/lfs_rambd.h"
#include "lfs.h"

enum { BLOCK = 512, BLOCKS = 128, CACHE = 64, UNIT = 16 };

static unsigned char disk[BLOCK * BLOCKS];
static unsigned char read_buffer[CACHE], program_buffer[CACHE], lookahead[16];
static unsigned char file_buffer[CACHE];
static lfs_rambd_t device;
static const struct lfs_rambd_config device_config = {.read_size = UNIT,
                                                      .prog_size = UNIT,
                                                      .erase_size = BLOCK,
                                                      .erase_count = BLOCKS,
                                                      .buffer = disk};
static const struct lfs_config config = {.context = &device,
                                         .read = lfs_rambd_read,
                                         .prog = lfs_rambd_prog,
                                         .erase = lfs_rambd_erase,
                                         .sync = lfs_rambd_sync,
                                         .read_size = UNIT,
                                         .prog_size = UNIT,
                                         .block_size = BLOCK,
                                         .block_count = BLOCKS,
                                         .block_cycles = 100,
                                         .cache_size = CACHE,
                                         .lookahead_size = sizeof lookahead,
                                         .read_buffer = read_buffer,
                                         .prog_buffer = program_buffer,
                                         .lookahead_buffer = lookahead};
static const struct lfs_file_config file_config = {.buffer = file_buffer};
static lfs_t lfs;

/* Returns a hash of all bytes of the device. */
static inline uint32_t disk_sum(void) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < sizeof disk; i++)
    sum = sum * 31 + disk[i];
  return sum;
}

#endif
