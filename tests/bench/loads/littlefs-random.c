/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: littlefs under 400 random operations on 30 files in three
 * folders, as a stress test does it: opened, written, read, moved about in,
 * cut, renamed, removed, given attributes, listed, remounted, on a device
 * that fills up. Errors are part of it: nothing is judged here.
 */
#include "forms.h"
#include "littlefs.h"

enum { OPERATIONS = 400 };

static unsigned char bytes[200];

static unsigned random_below(unsigned limit) {
  static uint32_t state = 12345;
  state = state * 1103515245u + 12345u;
  return (state >> 8) % limit;
}

static void pick(char *path) {
  static const char *const folders[] = {"a/f", "d/f", "d/e/f"};
  char digit = (char)('0' + random_below(10));
  strcpy(path, folders[random_below(3)]);
  path += strlen(path);
  *path++ = digit;
  *path = 0;
}

static void use_file(const char *path) {
  static const int flags[] = {LFS_O_WRONLY | LFS_O_CREAT | LFS_O_TRUNC,
                              LFS_O_RDWR | LFS_O_CREAT | LFS_O_APPEND,
                              LFS_O_RDWR | LFS_O_CREAT, LFS_O_RDONLY};
  lfs_file_t file;
  if (lfs_file_opencfg(&lfs, &file, path, flags[random_below(4)], &file_config))
    return;
  for (unsigned steps = random_below(12); steps > 0; steps--) {
    unsigned size = random_below(sizeof bytes);
    for (unsigned i = 0; i < size; i++)
      bytes[i] = (unsigned char)random_below(256);
    if (random_below(4))
      lfs_file_write(&lfs, &file, bytes, size);
    else
      lfs_file_read(&lfs, &file, bytes, size);
    if (!random_below(5))
      lfs_file_seek(&lfs, &file, (lfs_soff_t)random_below(300), LFS_SEEK_SET);
    if (!random_below(9))
      lfs_file_truncate(&lfs, &file, random_below(900));
    if (!random_below(7))
      lfs_file_sync(&lfs, &file);
  }
  lfs_file_size(&lfs, &file);
  lfs_file_close(&lfs, &file);
}

static void look_at(const char *path) {
  struct lfs_info info;
  lfs_stat(&lfs, path, &info);
  if (!lfs_setattr(&lfs, path, 't', bytes, 4))
    lfs_getattr(&lfs, path, 't', bytes, 4);
}

static void list(const char *path) {
  lfs_dir_t folder;
  struct lfs_info info;
  if (lfs_dir_open(&lfs, &folder, path))
    return;
  while (lfs_dir_read(&lfs, &folder, &info) > 0)
    continue;
  lfs_dir_close(&lfs, &folder);
}

static int visit(void *context, lfs_block_t block) {
  (void)context, (void)block;
  return 0;
}

static void remount(void) {
  lfs_unmount(&lfs);
  lfs_mount(&lfs, &config);
  lfs_fs_traverse(&lfs, visit, NULL);
  lfs_fs_gc(&lfs);
}

static void operate(const char *path, const char *other) {
  switch (random_below(8)) {
  case 3:
    lfs_rename(&lfs, path, other);
    break;
  case 4:
    lfs_remove(&lfs, path);
    break;
  case 5:
    look_at(path);
    break;
  case 6:
    list(random_below(2) ? "d" : "a");
    break;
  case 7:
    if (random_below(4))
      lfs_fs_size(&lfs);
    else
      remount();
    break;
  default:
    use_file(path);
  }
}

uint32_t work_result(void) { return disk_sum(); }

void work(void) {
  char path[16], other[16];
  lfs_rambd_create(&config, &device_config);
  lfs_format(&lfs, &config);
  lfs_mount(&lfs, &config);
  lfs_mkdir(&lfs, "d");
  lfs_mkdir(&lfs, "d/e");
  lfs_mkdir(&lfs, "a");
  for (unsigned i = 0; i < OPERATIONS; i++) {
    pick(path);
    pick(other);
    operate(path, other);
  }
  lfs_unmount(&lfs);
}
