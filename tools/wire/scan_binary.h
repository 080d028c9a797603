/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * BINARY candidates: what may be a frame from 0xFA to 0xFB, with the lines
 * of text that an interrupt has put in between.
 */
#ifndef BAREPROF_TOOLS_SCAN_BINARY_H
#define BAREPROF_TOOLS_SCAN_BINARY_H

#include "scan_search.h"

/* Whether the search finds a frame in what is between the marks. */
bool binary_try(struct search *search, const unsigned char *bytes, size_t size);

/* About the frame found: what is not the frame's, in order. */
typedef void binary_give(void *context, const unsigned char *bytes,
                         size_t size);
void binary_foreign(const struct search *search, size_t size, binary_give *give,
                    void *context);

#endif
