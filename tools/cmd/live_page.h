/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage of a running program as a page on this machine, which a browser
 * shows and keeps up to date.
 *
 * The server listens to 127.0.0.1 alone, has four files below a random folder
 * that nobody can guess, and no other ones: the page, its style, its script,
 * and the state in JSON. A request names 127.0.0.1 or localhost as its host, so
 * that no other site reads it by a name of its own. It takes no input besides.
 */
#ifndef BAREPROF_TOOLS_CMD_LIVE_PAGE_H
#define BAREPROF_TOOLS_CMD_LIVE_PAGE_H

#include "live.h"

/* Opens the page on a port, or on any if that is 0, and prints its address.
 * title: must live as long. Returns NULL after an error, which is reported. */
struct live_page *live_page_open(unsigned port, const char *title);

/* The page shows the state from now on. false: out of memory. */
bool live_page_show(struct live_page *page, const struct live *live);

/* Writes the answer to a request, which ends in a zero; the call changes the
 * request. For live_page.c and its fuzz target. */
void live_page_answer(const struct live_page *page, char *request, FILE *to);

/* The folder, with a slash at both ends, and the port. */
const char *live_page_folder(const struct live_page *page);
unsigned live_page_port(const struct live_page *page);

/* Answers the requests that have come. Does not wait. */
void live_page_serve(struct live_page *page);

/* NULL: does nothing. */
void live_page_close(struct live_page *page);

#endif
