/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The workload of store.c, and its device, which is RAM: folders; files
 * written, appended to, cut, sought in, read back, renamed and removed;
 * attributes; folders listed; mounted again and all read once more.
 */
#include "store.h"

static uint8_t disk[BLOCKS][BLOCK_SIZE];
static uint32_t sum = 1, operations[3];

static int ram_read(uint32_t block, uint32_t offset, void *to, uint32_t size) {
  uint8_t *out = to;
  operations[0]++;
  if (block >= BLOCKS || offset + size > BLOCK_SIZE)
    return STORE_CORRUPT;
  for (uint32_t i = 0; i < size; i++)
    out[i] = disk[block][offset + i];
  return STORE_OK;
}

/* As flash: bits only become 0. */
static int ram_program(uint32_t block, uint32_t offset, const void *from,
                       uint32_t size) {
  const uint8_t *in = from;
  operations[1]++;
  if (block >= BLOCKS || offset + size > BLOCK_SIZE)
    return STORE_CORRUPT;
  for (uint32_t i = 0; i < size; i++)
    disk[block][offset + i] &= in[i];
  return STORE_OK;
}

static int ram_erase(uint32_t block) {
  operations[2]++;
  if (block >= BLOCKS)
    return STORE_CORRUPT;
  for (uint32_t i = 0; i < BLOCK_SIZE; i++)
    disk[block][i] = 0xFF;
  return STORE_OK;
}

const struct device store_device = {ram_read, ram_program, ram_erase};

static void note(int value) { sum = (sum << 5) - sum + (uint32_t)value; }

static void visit(const struct entry *entry) {
  note(entry->kind);
  note(entry->name[0]);
  note((int)entry->size);
}

static void write_file(const char *path, uint32_t size) {
  struct file file;
  uint8_t bytes[20];
  note(store_open(&file, path, 1));
  for (uint32_t at = 0; at < size; at += sizeof bytes) {
    for (uint32_t i = 0; i < sizeof bytes; i++)
      bytes[i] = (uint8_t)(at + (i << 3));
    note(store_write(&file, bytes, sizeof bytes));
  }
  note(store_close(&file));
}

static void change_files(void) {
  struct file file;
  note(store_open(&file, "data/1", 0));
  note(store_seek(&file, 220));
  note(store_write(&file, "appended", 8));
  note(store_close(&file));
  note(store_open(&file, "data/2", 0));
  note(store_truncate(&file, 600));
  note(store_close(&file));
  note(store_set_attribute("data/1", 0x1234));
  note(store_rename("data/3", "data/old/3"));
  note(store_remove("data/0"));
  note(store_remove("data"));
}

static void read_file(const char *path) {
  struct file file;
  uint8_t bytes[24];
  uint32_t contents = 0;
  int size;
  note(store_open(&file, path, 0));
  while ((size = store_read(&file, bytes, sizeof bytes)) > 0)
    for (int i = 0; i < size; i++)
      contents = (contents << 5) - contents + bytes[i];
  note((int)contents);
  note(size);
}

static void look(void) {
  uint32_t attribute = 0;
  note(store_list("", visit));
  note(store_list("data", visit));
  note(store_attribute("data/1", &attribute));
  note((int)attribute);
  note(store_size("data/old/3"));
  note(store_size("data/0"));
  read_file("data/1");
  read_file("data/2");
  read_file("data/old/3");
  note(store_used());
}

uint32_t work(void) {
  note(store_format());
  note(store_mount());
  note(store_make_folder("data"));
  note(store_make_folder("data/old"));
  note(store_make_folder("none/here"));
  write_file("data/0", 20);
  write_file("data/1", 220);
  write_file("data/2", 1200);
  write_file("data/3", 1800);
  change_files();
  look();
  note(store_mount());
  look();
  for (uint32_t i = 0; i < 3; i++)
    note((int)operations[i]);
  return sum;
}
