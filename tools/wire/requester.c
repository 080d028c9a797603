/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides which request to send to the firmware, and what to do with the
 * answer. session.c sends the lines that requester_build_next_line makes.
 */
#include "session.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "bareprof_sampler.h"
#include "../image/dumpfile.h"

/* A request is sent again after PATIENCE milliseconds without an effect, in all
 * TRIES_MOST times, or for ever with --every. */
enum { PATIENCE = 1000, TRIES_MOST = 20 };

/* Draws random numbers for the first tag and the first boot number. After a
 * reset, a target ignores requests whose tag is the tag of the reset or one of
 * the 255 tags before it. The next run starts with such a tag only once in
 * eight million runs, because a run makes few requests. */
void requester_draw_numbers(struct requester *requester) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t time = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  uint64_t mixed =
      (time << 20 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 40) *
      UINT64_C(0x9E3779B97F4A7C15);
  requester->first = (uint32_t)(mixed >> 34) + 1;
  requester->drawn = (uint16_t)(mixed >> 16);
}

static bool has_bit(const unsigned char *bits, unsigned i) {
  return bits[i / 8] >> i % 8 & 1;
}

static void set_bit(unsigned char *bits, unsigned i) {
  bits[i / 8] |= (unsigned char)(1u << i % 8);
}

/* Ends the current request, because it has been answered. */
static void end_request(struct requester *requester) {
  requester->again = false;
  requester->tries = 0;
  requester->next = 0;
}

void requester_note_closed_dump(struct requester *requester,
                                const struct dump_header *header,
                                uint64_t now) {
  struct poll_state *poll = &requester->poll;
  unsigned sender = header->core | header->image << 4;
  set_bit(requester->known, header->boot % BOOT_NUMBERS);
  bool same_boot = poll->boot == header->boot && poll->sender == sender;
  if (!header->ranges_only) {
    poll->several |= poll->boot && poll->sender != sender;
    poll->known &= same_boot;
    poll->sender = sender;
    poll->boot = header->boot;
  } else if (poll->under_way && header->tag == poll->tag) {
    poll->changed = !poll->known || !same_boot || poll->state != header->dump;
    poll->known = same_boot;
    poll->state = header->dump;
    poll->under_way = false;
    end_request(requester);
    requester->due = poll->changed ? now : now + requester->every;
  }
}

void requester_make_dump_due(struct requester *requester) {
  requester->poll.changed = true;
  requester->poll.under_way = false;
  requester->due = 0;
  end_request(requester);
}

/* Draws a new number for a boot without a number. Each line that is sent has a
 * new number, even if it repeats a request: the boot that should get the
 * earlier number may have ended, and two boots must not share a number. After
 * 65,535 lines, a number that no boot has used comes again. Returns 0, which is
 * not a boot number, if boots have used all numbers. */
static uint16_t draw_boot_number(struct requester *requester) {
  for (unsigned tries = 0; tries < BOOT_NUMBERS; tries++) {
    unsigned boot = ++requester->drawn;
    if (boot && !has_bit(requester->known, boot))
      return (uint16_t)boot;
  }
  return 0;
}

void requester_note_frame(struct requester *requester, uint64_t now, bool end) {
  requester->heard = now;
  requester->tries = 0;
  if (end)
    requester->next = 0;
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

/* Returns the kind of a command, or ANSWER_KINDS if no row has the command. */
static enum answer_kind find_answer_kind(unsigned command) {
  unsigned kind = 0;
  while (kind < ANSWER_KINDS && answers[kind].command != command)
    kind++;
  return (enum answer_kind)kind;
}

const char *answer_print(const struct answer *answer, FILE *stream) {
  enum answer_kind kind = find_answer_kind(answer->command);
  return kind == ANSWER_KINDS || answer->error
             ? NULL
             : answers[kind].tell(answer, stream);
}

enum answer_kind
requester_get_first_command(const struct requester *requester) {
  unsigned kind = 0;
  while (kind < ANSWER_KINDS && !requester->kinds[kind])
    kind++;
  return (enum answer_kind)kind;
}

const char *requester_note_answer(struct requester *requester,
                                  const struct answer *answer) {
  enum answer_kind kind = find_answer_kind(answer->command);
  if (kind < ANSWER_KINDS) {
    requester->kinds[kind] = false;
    end_request(requester);
  }
  if (requester->samples && answer->error == BAREPROF_E_EMPTY)
    return "no sample was taken; call bareprof_sampler_start in the firmware";
  return answer->error ? image_error_message((int)answer->error) : NULL;
}

/* Returns whether a request of this run has had this tag. */
static bool is_tag_of_this_run(const struct requester *requester,
                               uint32_t tag) {
  return tag >= requester->first && tag <= requester->tag;
}

bool requester_wants_dump(const struct requester *requester,
                          const struct dump_header *header) {
  bool first = requester_get_first_command(requester) < ANSWER_KINDS;
  if (!requester->dump && !first)
    return true;
  /* Samples do not have a tag. If the firmware sends samples without a request,
   * they do not answer a request for a profile. */
  bool samples = header->kind == BAREPROF_KIND_SAMPLES;
  if (requester->samples ? !samples
                         : samples && requester->dump && !requester->every)
    return false;
  return !first &&
         (header->tag == 0 || is_tag_of_this_run(requester, header->tag));
}

void requester_note_complete_dump(struct requester *requester, uint64_t now) {
  requester->wants_dump = false;
  end_request(requester);
  if (requester->every && requester->due <= now)
    requester->due = now + requester->every;
}

uint64_t requester_wait_time(const struct requester *requester, uint64_t now) {
  return requester->tries ? now - requester->since : 0;
}

void requester_report_wait(const struct requester *requester) {
  enum answer_kind first = requester_get_first_command(requester);
  fprintf(
      stderr,
      "bareprof: waiting for an answer to the request for a %s; the firmware "
      "must pass each byte to bareprof_wire_feed, and call bareprof_%s_serve\n",
      first < ANSWER_KINDS ? answers[first].word : "dump",
      requester->samples ? "sampler" : "wire");
}

static uint32_t advance_tag(struct requester *requester) {
  requester->tag = requester->tag ? requester->tag + 1 : requester->first;
  return requester->tag;
}

/* Builds the line of a request. If the request lacks a tag and does not repeat
 * the last request, gives it a new tag. */
static size_t build_and_count_request(struct requester *requester,
                                      struct request *request, uint64_t now,
                                      char line[REQUEST_LINE]) {
  static const struct dump_header sampler = {.image =
                                                 BAREPROF_SAMPLER_WIRE >> 12};
  if (!request->tag)
    request->tag = requester->tag && requester->again ? requester->tag
                                                      : advance_tag(requester);
  if (requester->tries == 0)
    requester->since = now;
  requester->again = true;
  requester->next = now + PATIENCE;
  requester->tries++;
  if (!request->hole_count)
    request->boot = draw_boot_number(requester);
  if (requester->samples)
    request->to = &sampler;
  return frame_build_request(line, request);
}

/* Requests the gaps of a dump. The answer is full or lean, like the dump with
 * the gaps. */
static size_t build_gaps_request(struct requester *requester,
                                 struct reassembler *reassembler, uint64_t now,
                                 char line[REQUEST_LINE]) {
  struct snapshot_gap holes[BAREPROF_WIRE_RANGES];
  struct request gaps = {.command = BAREPROF_COMMAND_DUMP, .holes = holes};
  gaps.hole_count =
      reassembly_list_gaps(reassembler, &gaps.to, holes, BAREPROF_WIRE_RANGES);
  /* Samples change between two dumps, so only a complete dump shows all samples
   * of one moment. */
  if (gaps.hole_count == 0 || gaps.to->kind == BAREPROF_KIND_SAMPLES ||
      !gaps.to->boot)
    return 0;
  gaps.boot = (uint16_t)gaps.to->boot;
  for (unsigned i = 0; i < gaps.hole_count; i++)
    if (holes[i].piece == BAREPROF_PIECE_BITMAP) {
      holes[i].piece = BAREPROF_PIECE_COUNTERS;
      holes[i].first += header_element_count(gaps.to, BAREPROF_PIECE_COUNTERS);
    }
  gaps.options = gaps.to->lean ? BAREPROF_LEAN : 0;
  if (requester->options & BAREPROF_REQUEST_AS_IT_LIKES)
    gaps.options = BAREPROF_REQUEST_AS_IT_LIKES;
  else
    gaps.options |= requester->options & BAREPROF_BINARY;
  requester->again = false;
  return build_and_count_request(requester, &gaps, now, line);
}

/* Decides whether the next request is a poll. After an unanswered poll, a
 * complete dump is requested, because such requests were answered before. */
static bool is_next_request_poll(struct requester *requester) {
  enum { POLL_TRIES = 2 };
  struct poll_state *poll = &requester->poll;
  if (poll->under_way && requester->tries >= POLL_TRIES)
    requester_make_dump_due(requester);
  return requester->changes && poll->boot && !poll->several && !poll->changed;
}

static size_t build_poll_request(struct requester *requester, uint64_t now,
                                 char line[REQUEST_LINE]) {
  static const struct snapshot_gap none = {.piece = BAREPROF_PIECE_COUNTERS};
  struct poll_state *poll = &requester->poll;
  if (!poll->tag)
    poll->tag = advance_tag(requester);
  struct request request = {.tag = poll->tag,
                            .boot = (uint16_t)poll->boot,
                            .command = BAREPROF_COMMAND_DUMP,
                            .options = requester->options,
                            .holes = &none,
                            .hole_count = 1};
  poll->under_way = true;
  return build_and_count_request(requester, &request, now, line);
}

size_t requester_build_next_line(struct requester *requester,
                                 struct reassembler *reassembler, uint64_t now,
                                 char line[REQUEST_LINE]) {
  struct request simple = {.command = BAREPROF_COMMAND_DUMP,
                           .options = requester->options};
  if (now < requester->next ||
      (requester->tries >= TRIES_MOST && !requester->every))
    return 0;
  enum answer_kind first = requester_get_first_command(requester);
  if (first < ANSWER_KINDS) {
    simple.command = answers[first].command;
    return build_and_count_request(requester, &simple, now, line);
  }
  /* While frames arrive, more frames may follow. After an END frame, no more
   * frames follow. */
  bool quiet = now - requester->heard >= PATIENCE;
  reassembly_close_dumps(reassembler, quiet);
  if (reassembly_has_open_dump(reassembler))
    return 0;
  size_t length = build_gaps_request(requester, reassembler, now, line);
  if (length || !requester->dump ||
      (!requester->wants_dump && now < requester->due))
    return length;
  if (!requester->wants_dump && is_next_request_poll(requester))
    return build_poll_request(requester, now, line);
  if (!requester->wants_dump) {
    requester->wants_dump = true;
    requester->poll.changed = false;
    requester->again = false;
    requester->tries = 0;
    requester->due = requester->every ? now + requester->every : UINT64_MAX;
  }
  return build_and_count_request(requester, &simple, now, line);
}
