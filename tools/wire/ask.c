/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides which request to send to the firmware, and what to do with the
 * answer. session.c sends the lines that ask_line makes.
 */
#include "session.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bareprof_sampler.h"
#include "../image/dumpfile.h"

enum { PATIENCE = 1000, TRIES_MOST = 20, AS_IT_LIKES = 0x80 };

/* The tags of a run count up from a random number. A target that has obeyed a
 * reset ignores requests with the same tag or the 255 tags before it. A run
 * makes few requests, so the next run draws one of those tags once in eight
 * million times. */
void ask_begin(struct ask *ask) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t time = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  uint64_t mixed =
      (time << 20 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 40) *
      UINT64_C(0x9E3779B97F4A7C15);
  ask->first = (uint32_t)(mixed >> 34) + 1;
  ask->name = (uint16_t)(mixed >> 16);
}

static bool has_bit(const unsigned char *bits, unsigned i) {
  return bits[i / 8] >> i % 8 & 1;
}

static void set_bit(unsigned char *bits, unsigned i) {
  bits[i / 8] |= (unsigned char)(1u << i % 8);
}

/* The current request has been answered. */
static void end_request(struct ask *ask) {
  ask->again = false;
  ask->tries = 0;
  ask->next = 0;
}

void ask_header(struct ask *ask, const struct header *header, uint64_t now) {
  struct poll_state *poll = &ask->poll;
  unsigned sender = header->core | header->image << 4;
  set_bit(ask->known, header->boot % START_NUMBERS);
  bool same_start = poll->boot == header->boot && poll->sender == sender;
  if (!header->part) {
    poll->several |= poll->boot && poll->sender != sender;
    poll->known &= same_start;
    poll->sender = sender;
    poll->boot = header->boot;
  } else if (poll->under_way && header->tag == poll->tag) {
    poll->changed = !poll->known || !same_start || poll->state != header->dump;
    poll->known = same_start;
    poll->state = header->dump;
    poll->under_way = false;
    end_request(ask);
    ask->due = poll->changed ? now : now + ask->every;
  }
}

void ask_now(struct ask *ask) {
  ask->poll.changed = true;
  ask->poll.under_way = false;
  ask->due = 0;
  end_request(ask);
}

/* Draws a new number for a boot that has none. Each line that is sent carries a
 * new number, even a repeated request, because the boot that it was meant for
 * may have ended, and two boots must not share a number. Returns 0, which is
 * not a boot number, if none is left. */
static uint16_t new_boot_number(struct ask *ask) {
  for (unsigned tries = 0; tries < START_NUMBERS; tries++) {
    unsigned name = ++ask->name;
    if (!name || has_bit(ask->known, name))
      continue;
    set_bit(ask->known, name);
    return (uint16_t)name;
  }
  return 0;
}

void ask_heard(struct ask *ask, uint64_t now, bool end) {
  ask->heard = now;
  ask->tries = 0;
  if (end)
    ask->next = 0;
}

/* ---- answers ---- */

static const struct {
  unsigned command;
  const char *word;
  const char *(*tell)(const struct answer *answer, FILE *stream);
} answers[] = {
#define ANSWER_ROW(kind, option, about, tell) \
  {BAREPROF_COMMAND_##kind, option, tell},
    ANSWERS(ANSWER_ROW)};

enum answer_kind answer_kind(unsigned command) {
  unsigned kind = 0;
  while (kind < ANSWER_KINDS && answers[kind].command != command)
    kind++;
  return (enum answer_kind)kind;
}

const char *answer_tell(const struct answer *answer, FILE *stream) {
  enum answer_kind kind = answer_kind(answer->command);
  return kind == ANSWER_KINDS || answer->error
             ? NULL
             : answers[kind].tell(answer, stream);
}

enum answer_kind ask_first(const struct ask *ask) {
  unsigned kind = 0;
  while (kind < ANSWER_KINDS && !ask->kinds[kind])
    kind++;
  return (enum answer_kind)kind;
}

const char *ask_answer(struct ask *ask, const struct answer *answer) {
  enum answer_kind kind = answer_kind(answer->command);
  if (kind < ANSWER_KINDS) {
    ask->kinds[kind] = false;
    end_request(ask);
  }
  if (ask->samples && answer->error == BAREPROF_E_EMPTY)
    return "no sample was taken; call bareprof_sampler_start in the firmware";
  return answer->error ? profile_error((int)answer->error) : NULL;
}

/* Whether a tag belongs to this run. */
static bool is_own(const struct ask *ask, uint32_t tag) {
  return tag >= ask->first && tag <= ask->tag;
}

bool ask_wants(const struct ask *ask, const struct header *header) {
  bool first = ask_first(ask) < ANSWER_KINDS;
  if (!ask->dump && !first)
    return true;
  /* Samples carry no tag. Samples that the firmware sends without a request do
   * not answer a request for a profile. */
  bool samples = header->kind == BAREPROF_KIND_SAMPLES;
  if (ask->samples ? !samples : samples && ask->dump && !ask->every)
    return false;
  return !first && (header->tag == 0 || is_own(ask, header->tag));
}

void ask_whole(struct ask *ask, uint64_t now) {
  ask->wants_dump = false;
  end_request(ask);
  if (ask->every && ask->due <= now)
    ask->due = now + ask->every;
}

uint64_t ask_waits(const struct ask *ask, uint64_t now) {
  return ask->tries ? now - ask->since : 0;
}

void ask_tell(const struct ask *ask) {
  enum answer_kind first = ask_first(ask);
  fprintf(
      stderr,
      "bareprof: waiting for an answer to the request for a %s; the firmware "
      "must pass each byte to bareprof_wire_feed, and call bareprof_%s_serve\n",
      first < ANSWER_KINDS ? answers[first].word : "dump",
      ask->samples ? "sampler" : "wire");
}

static uint32_t next_tag(struct ask *ask) {
  ask->tag = ask->tag ? ask->tag + 1 : ask->first;
  return ask->tag;
}

/* Gives the request a new tag, unless it has one or repeats the last request.
 */
static size_t make_request(struct ask *ask, struct request *request,
                           uint64_t now, char line[REQUEST_LINE]) {
  static const struct header sampler = {.image = BAREPROF_SAMPLER_WIRE >> 12};
  if (!request->tag)
    request->tag = ask->tag && ask->again ? ask->tag : next_tag(ask);
  if (ask->tries == 0)
    ask->since = now;
  ask->again = true;
  ask->next = now + PATIENCE;
  ask->tries++;
  if (!request->hole_count)
    request->name = new_boot_number(ask);
  if (ask->samples)
    request->to = &sampler;
  return request_line(line, request);
}

/* Requests the gaps of a dump, in the form in which the dump was sent. Each
 * request names other gaps, or the same gaps in another state. */
static size_t ask_gaps(struct ask *ask, struct collector *collector,
                       uint64_t now, char line[REQUEST_LINE]) {
  struct hole holes[BAREPROF_WIRE_RANGES];
  struct request gaps = {.command = BAREPROF_COMMAND_DUMP, .holes = holes};
  gaps.hole_count =
      collect_missing(collector, &gaps.to, holes, BAREPROF_WIRE_RANGES);
  /* Samples change meanwhile, so only a complete dump shows one moment. */
  if (gaps.hole_count == 0 || gaps.to->kind == BAREPROF_KIND_SAMPLES ||
      !gaps.to->boot)
    return 0;
  gaps.name = (uint16_t)gaps.to->boot;
  for (unsigned i = 0; i < gaps.hole_count; i++)
    if (holes[i].piece == BAREPROF_PIECE_BITMAP) {
      holes[i].piece = BAREPROF_PIECE_COUNTERS;
      holes[i].first += header_elements(gaps.to, BAREPROF_PIECE_COUNTERS);
    }
  gaps.options = gaps.to->lean ? BAREPROF_LEAN : 0;
  if (ask->options & AS_IT_LIKES)
    gaps.options = AS_IT_LIKES;
  else
    gaps.options |= ask->options & BAREPROF_BINARY;
  ask->again = false;
  return make_request(ask, &gaps, now, line);
}

/* Whether the next request may be a poll. An unanswered poll is given up,
 * because complete dumps are known to arrive. */
static bool may_poll(struct ask *ask) {
  enum { POLL_TRIES = 2 };
  struct poll_state *poll = &ask->poll;
  if (poll->under_way && ask->tries >= POLL_TRIES)
    ask_now(ask);
  return ask->changes && poll->boot && !poll->several && !poll->changed;
}

static size_t ask_poll(struct ask *ask, uint64_t now, char line[REQUEST_LINE]) {
  static const struct hole none = {.piece = BAREPROF_PIECE_COUNTERS};
  struct poll_state *poll = &ask->poll;
  if (!poll->tag)
    poll->tag = next_tag(ask);
  struct request request = {.tag = poll->tag,
                            .name = (uint16_t)poll->boot,
                            .command = BAREPROF_COMMAND_DUMP,
                            .options = ask->options,
                            .holes = &none,
                            .hole_count = 1};
  poll->under_way = true;
  return make_request(ask, &request, now, line);
}

size_t ask_line(struct ask *ask, struct collector *collector, uint64_t now,
                char line[REQUEST_LINE]) {
  struct request simple = {.command = BAREPROF_COMMAND_DUMP,
                           .options = ask->options};
  if (now < ask->next || (ask->tries >= TRIES_MOST && !ask->every))
    return 0;
  enum answer_kind first = ask_first(ask);
  if (first < ANSWER_KINDS) {
    simple.command = answers[first].command;
    return make_request(ask, &simple, now, line);
  }
  /* While frames arrive, more may follow; after an END frame, none do. */
  bool quiet = now - ask->heard >= PATIENCE;
  collect_settle(collector, quiet);
  if (collect_running(collector))
    return 0;
  size_t length = ask_gaps(ask, collector, now, line);
  if (length || !ask->dump || (!ask->wants_dump && now < ask->due))
    return length;
  if (!ask->wants_dump && may_poll(ask))
    return ask_poll(ask, now, line);
  if (!ask->wants_dump) {
    ask->wants_dump = true;
    ask->poll.changed = false;
    ask->again = false;
    ask->tries = 0;
    ask->due = ask->every ? now + ask->every : UINT64_MAX;
  }
  return make_request(ask, &simple, now, line);
}
