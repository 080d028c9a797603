/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: a test of littlefs that goes through its functions once: format,
 * mount; folders; four files of different sizes written, appended to, cut,
 * sought in and read back; one renamed, one removed; attributes; folders
 * listed; mounted again and all read once more.
 */
#include "board.h"
#include "forms.h"
#include "littlefs.h"

enum { FILES = 4 };

static lfs_file_t file;
static unsigned char bytes[256];

/* Ends the run without a profile: it would not show what it should. */
static lfs_ssize_t must(lfs_ssize_t result) {
  if (result < 0)
    board_exit(10);
  return result;
}

static void open(unsigned number, int flags) {
  char path[] = "data/0";
  path[5] = (char)('0' + number);
  must(lfs_file_opencfg(&lfs, &file, path, flags, &file_config));
}

static void close(void) { must(lfs_file_close(&lfs, &file)); }

/* 20 bytes, 220, 1420, 2420. */
static void write(unsigned number) {
  static const unsigned sizes[FILES] = {20, 220, 1420, 2420};
  open(number, LFS_O_WRONLY | LFS_O_CREAT | LFS_O_EXCL);
  for (unsigned at = 0; at < sizes[number]; at += 20) {
    __builtin_memset(bytes, (int)at, 20);
    must(lfs_file_write(&lfs, &file, bytes, 20));
  }
  close();
}

static void change(void) {
  open(1, LFS_O_WRONLY | LFS_O_APPEND);
  must(lfs_file_write(&lfs, &file, bytes, 100));
  close();
  open(2, LFS_O_RDWR);
  must(lfs_file_seek(&lfs, &file, 700, LFS_SEEK_SET));
  must(lfs_file_write(&lfs, &file, bytes, 8));
  must(lfs_file_sync(&lfs, &file));
  must(lfs_file_truncate(&lfs, &file, 1000));
  close();
  must(lfs_rename(&lfs, "data/3", "data/old/3"));
  must(lfs_remove(&lfs, "data/0"));
  must(lfs_setattr(&lfs, "data/1", 't', bytes, 4));
  must(lfs_getattr(&lfs, "data/1", 't', bytes, 4));
}

static void read_back(unsigned number) {
  open(number, LFS_O_RDONLY);
  while (must(lfs_file_read(&lfs, &file, bytes, sizeof bytes)) > 0)
    continue;
  close();
}

static void list(const char *path) {
  lfs_dir_t folder;
  struct lfs_info info;
  must(lfs_dir_open(&lfs, &folder, path));
  while (must(lfs_dir_read(&lfs, &folder, &info)) > 0)
    continue;
  must(lfs_dir_close(&lfs, &folder));
}

static void look(void) {
  struct lfs_info info;
  list("/");
  list("data");
  read_back(1);
  read_back(2);
  must(lfs_stat(&lfs, "data/old/3", &info));
  if (lfs_stat(&lfs, "data/0", &info) != LFS_ERR_NOENT)
    board_exit(11);
  must(lfs_fs_size(&lfs));
}

uint32_t work_result(void) { return disk_sum(); }

void work(void) {
  must(lfs_rambd_create(&config, &device_config));
  must(lfs_format(&lfs, &config));
  must(lfs_mount(&lfs, &config));
  must(lfs_mkdir(&lfs, "data"));
  must(lfs_mkdir(&lfs, "data/old"));
  for (unsigned number = 0; number < FILES; number++)
    write(number);
  change();
  look();
  must(lfs_unmount(&lfs));
  must(lfs_mount(&lfs, &config));
  look();
  must(lfs_unmount(&lfs));
}
