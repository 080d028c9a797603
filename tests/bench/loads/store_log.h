/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the store's files: see store_log.c. All functions of type
 * int return 0, or an error below 0.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include "store.h"

extern struct entry entries[FILES];
extern uint8_t used[BLOCKS];

/* Read and program bytes of a block. fetch uses a cache of one unit; program
 * reads the bytes back. */
int fetch(uint32_t block, uint32_t offset, void *to, uint32_t size);
int program(uint32_t block, uint32_t offset, const void *from, uint32_t size);

/* The log. commit writes an entry; compact writes all entries to the other
 * block. */
int valid(const struct entry *entry);
int commit(uint32_t number);
int compact(void);
int newest_log(void);
int empty_log(void);

/* The blocks of files. */
uint32_t next_of(uint32_t block);
void mark(uint32_t block, uint8_t how);
int allocate(uint32_t *block);

/* store.c: lookup returns the index of the path's entry, or FILES if the path
 * does not exist. */
uint32_t lookup(const char *path);
int create(const char *path, uint8_t kind, uint32_t *number);

#endif
