/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the store's files: see store_log.c. All that return int
 * return an error below 0, or 0.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include "store.h"

extern struct entry entries[FILES];
extern uint8_t used[BLOCKS];

/* Bytes of a block: through a cache of one unit; read back. */
int fetch(uint32_t block, uint32_t offset, void *to, uint32_t size);
int program(uint32_t block, uint32_t offset, const void *from, uint32_t size);

/* The log. commit writes an entry, compact all of them to the other block. */
int valid(const struct entry *entry);
int commit(uint32_t number);
int compact(void);
int newest_log(void);
int empty_log(void);

/* Blocks of files. */
uint32_t next_of(uint32_t block);
void mark(uint32_t block, uint8_t how);
int allocate(uint32_t *block);

/* Of store.c: the entry of path, or FILES. */
uint32_t lookup(const char *path);
int create(const char *path, uint8_t kind, uint32_t *number);

#endif
