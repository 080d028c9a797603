/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests on a live port. What is asked for in vain is asked for again, at
 * first after a second, and given up after TRIES_MOST: the firmware may not
 * listen.
 */
#include "ask.h"

#include "profile.h"

enum { PATIENCE = 1000, TRIES_MOST = 20, AS_IT_LIKES = 0x80 };

void ask_heard(struct ask *ask, uint64_t now, bool end) {
  ask->heard = now;
  ask->tries = 0;
  if (end)
    ask->next = 0;
}

const char *ask_answer(struct ask *ask, const struct answer *answer) {
  if (answer->tag != ask->tag)
    return NULL;
  if (answer->command == BAREPROF_COMMAND_RESET) {
    ask->reset = false;
    ask->tries = 0;
    ask->next = 0;
  }
  return answer->error ? profile_error((int)answer->error) : NULL;
}

bool ask_wants(const struct ask *ask, const struct header *header) {
  if (!ask->dump && !ask->reset)
    return true;
  return !ask->reset &&
         (header->tag == 0 ||
          ask->tags[header->tag / 32 & 7] >> header->tag % 32 & 1);
}

void ask_whole(struct ask *ask, uint64_t now) {
  ask->wants_dump = false;
  ask->tries = 0;
  ask->next = 0;
  if (ask->every && ask->due <= now)
    ask->due = now + ask->every;
}

static size_t wish(struct ask *ask, struct wish *wish, uint64_t now,
                   char line[WISH_LINE]) {
  ask->tag = ask->tag == 255 ? 1 : ask->tag + 1;
  ask->tags[ask->tag / 32] |= UINT32_C(1) << ask->tag % 32;
  ask->next = now + PATIENCE;
  ask->tries++;
  wish->tag = ask->tag;
  return wish_line(line, wish);
}

/* Asks for the gaps of a dump, as it was sent. */
static size_t ask_gaps(struct ask *ask, struct collector *collector,
                       uint64_t now, char line[WISH_LINE]) {
  struct hole holes[BAREPROF_LINK_RANGES];
  struct wish gaps = {.command = BAREPROF_COMMAND_DUMP, .holes = holes};
  gaps.hole_count =
      collect_missing(collector, &gaps.to, holes, BAREPROF_LINK_RANGES);
  if (gaps.hole_count == 0)
    return 0;
  gaps.options = gaps.to->lean ? BAREPROF_LEAN : 0;
  if (ask->options & AS_IT_LIKES)
    gaps.options = AS_IT_LIKES;
  else
    gaps.options |= ask->options & BAREPROF_BINARY;
  return wish(ask, &gaps, now, line);
}

size_t ask_line(struct ask *ask, struct collector *collector, uint64_t now,
                char line[WISH_LINE]) {
  struct wish simple = {.command = BAREPROF_COMMAND_DUMP,
                        .options = ask->options};
  if (now < ask->next || ask->tries >= TRIES_MOST)
    return 0;
  if (ask->reset) {
    simple.command = BAREPROF_COMMAND_RESET;
    return wish(ask, &simple, now, line);
  }
  /* While frames come, more may; behind an end none do. */
  bool quiet = now - ask->heard >= PATIENCE;
  collect_settle(collector, quiet);
  if (collect_running(collector))
    return 0;
  size_t length = ask_gaps(ask, collector, now, line);
  if (length || !ask->dump || (!ask->wants_dump && now < ask->due))
    return length;
  if (!ask->wants_dump) {
    ask->wants_dump = true;
    ask->tries = 0;
    ask->due = ask->every ? now + ask->every : UINT64_MAX;
  }
  return wish(ask, &simple, now, line);
}
