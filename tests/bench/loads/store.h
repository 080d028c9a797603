/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A store of named files on a flash device, as large as such stores in
 * firmware. Benchmarks measure how instrumentation slows it down, and check
 * that its results stay the same. It has no library, no division, no heap; it
 * needs 8 KB of RAM, of which the device takes 6.
 *
 * The device has blocks, which are erased as a whole, and programmed in units.
 * Blocks 0 and 1 hold the log of all files, in turns. A file is a list of
 * blocks; each block has the number of the next one. A file's parent is a
 * folder. The room of the log limits the number of files.
 */
#ifndef STORE_H
#define STORE_H

#include <stdint.h>

enum { BLOCKS = 24, BLOCK_SIZE = 256, UNIT = 16, NAME_SIZE = 12, FILES = 7 };
enum {
  STORE_OK = 0,
  STORE_NOT_THERE = -1,
  STORE_EXISTS = -2,
  STORE_FULL = -3,
  STORE_CORRUPT = -4,
  STORE_NOT_EMPTY = -5
};
enum { STORE_FILE = 1, STORE_FOLDER = 2, NO_BLOCK = 0xFF, ROOT = 0xFF };

/* Offsets are within a block. All functions return 0, or an error below 0. */
struct device {
  int (*read)(uint32_t block, uint32_t offset, void *to, uint32_t size);
  int (*program)(uint32_t block, uint32_t offset, const void *, uint32_t size);
  int (*erase)(uint32_t block);
};
extern const struct device store_device;

/* An entry of the log. Of the entries with one number, the newest is valid. */
struct entry {
  uint8_t number, kind, parent, first; /* kind 0: removed */
  uint32_t size;
  char name[NAME_SIZE];
  uint32_t attribute;
  uint32_t check; /* CRC-32 of the bytes before it */
};

struct file {
  uint8_t number, block;
  uint32_t position, block_begin;
};

/* Files are named by a path, `a/b/c`. */
int store_format(void);
int store_mount(void);
int store_make_folder(const char *path);
int store_open(struct file *file, const char *path, int create);
int store_write(struct file *file, const void *bytes, uint32_t size);
int store_read(struct file *file, void *bytes, uint32_t size);
int store_seek(struct file *file, uint32_t position);
int store_truncate(struct file *file, uint32_t size);
int store_close(struct file *file);
int store_remove(const char *path);
int store_rename(const char *from, const char *to);
int store_set_attribute(const char *path, uint32_t value);
int store_attribute(const char *path, uint32_t *value);
int store_size(const char *path);
int store_used(void);

/* Calls visit for each entry of a folder, in the order of the names. */
int store_list(const char *path, void (*visit)(const struct entry *));

/* For examining a device that does not mount; nothing calls them. */
int store_repair(void);
int store_dump(void (*line)(const char *));

/* Runs the whole workload once. Returns a number that is the same in all
 * builds. */
uint32_t work(void);

#endif
