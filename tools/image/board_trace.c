/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts trace points from a board's trace: the branches of an MTB, or the
 * ranges of code that OpenCSD lists for an ETM. trace_counts.h describes both
 * inputs. Decisions may nest, as in trace/qemu_plugin.c.
 */
#include "trace_counts.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/text_part.h"

enum { DEEP = 4096, STRAIGHT_MOST = 1 << 20 };

/* Addresses from here on are EXC_RETURN values instead of code. */
#define NO_CODE UINT32_C(0xF0000000)

struct open_decision {
  uint64_t key, index;
};

struct trace_replay {
  struct trace_counts *traced;
  const struct elf *elf;
  struct linked_trace_points points;
  struct open_decision *stack;
  size_t depth;
  bool begun, strange; /* `begun`: the trace has the start of a decision;
                          `strange`: a step belongs to no open decision */
  bool least;          /* a lost part of the trace may have begun decisions */
  trace_visit_range *on_range; /* receives the ranges; NULL: count trace points
                          instead */
  void *context;
};

static void count_trace_point(struct trace_replay *reading,
                              const struct linked_trace_point *label) {
  unsigned char *at =
      reading->traced->counts + (label->target - reading->traced->address);
  store64(at, load64(at, reading->elf->big) + 1, reading->elf->big);
}

/* Finds the open decision of a trace point, and ends the decisions above it,
 * which a jump left. Returns NULL if the trace lacks the decision's beginning.
 */
static struct open_decision *
unwind_to_decision(struct trace_replay *reading,
                   const struct linked_trace_point *label) {
  size_t top = reading->depth;
  uint64_t key = trace_decision_key(label), frame = key | LABEL_FRAME;
  while (top && reading->stack[top - 1].key != key &&
         reading->stack[top - 1].key != frame)
    top--;
  if (top && reading->stack[top - 1].key != key)
    top = 0;
  if (top)
    reading->depth = top;
  reading->strange |=
      !top && reading->begun && !reading->traced->lost && !reading->least;
  return top ? reading->stack + top - 1 : NULL;
}

/* Begins a decision. If the stack is full, drops its lower half, because jumps
 * usually left those decisions long ago. If a dropped decision continues later,
 * its start is missing. */
static void begin_decision(struct trace_replay *reading,
                           const struct linked_trace_point *label) {
  if (reading->depth == DEEP) {
    reading->depth = DEEP / 2;
    memcpy(reading->stack, reading->stack + DEEP / 2,
           DEEP / 2 * sizeof *reading->stack);
  }
  reading->stack[reading->depth++] =
      (struct open_decision){trace_decision_key(label), 0};
  reading->begun = true;
}

static void end_decision(struct trace_replay *reading,
                         const struct linked_trace_point *label) {
  const struct open_decision *one = unwind_to_decision(reading, label);
  if (!one)
    return;
  reading->depth--;
  if (label->value == LABEL_NO_BIT)
    return;
  uint64_t bit = label->value + one->index;
  uint64_t at = label->target - reading->traced->address + bit / 8;
  if (at < reading->traced->size)
    reading->traced->counts[at] |= (unsigned char)(1U << bit % 8);
}

static void replay_trace_point(struct trace_replay *reading,
                               const struct linked_trace_point *label) {
  struct open_decision *one;
  switch (label->kind) {
  case LABEL_COUNTER:
    count_trace_point(reading, label);
    break;
  case LABEL_BEGINS:
    begin_decision(reading, label);
    break;
  case LABEL_ADDS:
    one = unwind_to_decision(reading, label);
    if (one)
      one->index += label->value;
    break;
  case LABEL_ENDS:
    end_decision(reading, label);
    break;
  case LABEL_SWITCHES:
    reading->traced->lost += reading->depth;
    reading->depth = 0;
  }
}

/* Counts the trace points at addresses from `first` up to `end`, or passes the
 * range on. */
static const char *replay_range(struct trace_replay *reading, uint64_t first,
                                uint64_t end, uint64_t next) {
  const struct linked_trace_point *list = reading->points.list;
  if (reading->on_range)
    return reading->on_range(reading->context, first, end, next);
  for (size_t i = linked_points_find_from_address(&reading->points, first);
       i < reading->points.count && list[i].code < end; i++)
    replay_trace_point(reading, &list[i]);
  return NULL;
}

/* Drops the open decisions, because a part of the trace is lost. */
static void drop_open_decisions(struct trace_replay *reading) {
  reading->depth = 0;
}

/* Returns whether an address may be code. If only ranges are wanted, code may
 * also be outside this ELF, for example in a ROM. */
static bool may_be_code(const struct trace_replay *reading, uint64_t address) {
  return reading->on_range || linked_points_is_code(reading->elf, address);
}

/* Replays the code between the branches in an MTB buffer. Bit 0 of a branch's
 * address marks an exception, bit 0 of its target a start of the trace. */
static const char *replay_branches(struct trace_replay *reading,
                                   struct bytes file) {
  static const char foreign[] =
      "a branch is outside the code of this ELF; pass the ELF that ran, and "
      "the buffer from its first word";
  uint32_t from = NO_CODE;
  for (size_t at = 0; at < file.size; at += 8) {
    uint32_t source = load32(file.data + at, reading->elf->big);
    uint32_t target = load32(file.data + at + 4, reading->elf->big);
    bool exception = source & 1;
    source &= ~UINT32_C(1);
    if (reading->least && target & 1) {
      drop_open_decisions(reading);
      from = NO_CODE;
    }
    if (!reading->least && (target & 1) != (at == 0))
      return at ? "the trace was stopped and restarted; trace in one run, or "
                  "use --least"
                : "the buffer was too small for all branches, and lost the "
                  "first ones, so counts are unknown; trace less code, or use "
                  "--least";
    if (from < NO_CODE && source < NO_CODE) {
      if (source < from || source - from > STRAIGHT_MOST ||
          !may_be_code(reading, from))
        return foreign;
      const char *error =
          replay_range(reading, from, source + (uint64_t)!exception,
                       exception ? source : target & ~UINT32_C(1));
      if (error)
        return error;
    }
    from = target & ~UINT32_C(1);
  }
  return reading->strange ? TRACED_STRANGE : NULL;
}

/* ---- ranges ---- */

static const char element[] = "OCSD_GEN_TRC_ELEM_";

/* Skips a text at the cursor. Returns false if another text is at the cursor.
 */
static bool skip_text(const char **at, const char *text) {
  size_t size = strlen(text);
  bool same = strncmp(*at, text, size) == 0;
  *at += same ? size : 0;
  return same;
}

static bool parse_address(const char **at, uint64_t *value) {
  char *end;
  if (!skip_text(at, "0x"))
    return false;
  *value = strtoull(*at, &end, 16);
  bool some = end != *at;
  *at = end;
  return some;
}

struct range_list_state {
  bool on, ended;
  char id[12];    /* name of the trace stream; "" if the lines do not name
                     streams */
  uint64_t index; /* position in the stream of the last element */
  uint64_t next;  /* start of the next range if the last branch was not taken,
                     otherwise 0 */
  size_t count;   /* number of ranges */
};

static const char holes[] = "some lines are missing or repeated; list the "
                            "trace again with trc_pkt_lister -decode_only";

/* Returns whether the element of a line comes after the previous element of the
 * stream. Stores the position of the element. */
static bool advance_stream_index(struct range_list_state *ranges,
                                 const char *line) {
  const char *at = strstr(line, "Idx:");
  uint64_t index = at ? strtoull(at + 4, NULL, 10) : ranges->index;
  bool next = index >= ranges->index;
  ranges->index = index;
  return next;
}

static const char *replay_listed_range(struct trace_replay *reading,
                                       struct range_list_state *ranges,
                                       const char *at) {
  uint64_t first, end;
  if (!skip_text(&at, "exec range=") || !parse_address(&at, &first) ||
      !skip_text(&at, ":[") || !parse_address(&at, &end) || *at != ']' ||
      end <= first || end - first > STRAIGHT_MOST)
    return "a range is not valid; pass the output of trc_pkt_lister "
           "-decode_only";
  if (!may_be_code(reading, first))
    return "a range is outside the code of this ELF; pass the ELF that ran";
  if (ranges->next && ranges->next != first)
    return holes;
  ranges->next = strstr(at, ") N ") ? end : 0;
  ranges->count++;
  return replay_range(reading, first, end,
                      strstr(at, ") E ") ? TRACE_TAKEN : ranges->next);
}

/* Checks that all elements belong to one core, because decisions of several
 * cores would mix. */
static bool set_or_match_stream_id(struct range_list_state *ranges,
                                   const char *line) {
  const char *id = strstr(line, "ID:");
  size_t size = id ? strcspn(id, ";\t ") : 0;
  if (!size || size >= sizeof ranges->id)
    return !size;
  if (!*ranges->id)
    memcpy(ranges->id, id, size);
  return strncmp(ranges->id, id, size) == 0 && !ranges->id[size];
}

/* Returns whether the element is of a known kind that does not say which code
 * ran. `at` is the rest of the element's name. */
static bool is_ignored_element(const char *at) {
  return text_starts_with_any(
      at, "( _RET( PE_CONTEXT( TIMESTAMP( CYCLE_COUNT( EVENT SYNC_ SWTRACE( "
          "MEMTRANS( INSTRUMENTATION(");
}

/* Replays a line of trc_pkt_lister, if it has an element. Unless reading->least
 * is set, rejects any element which shows that the trace has holes. */
static const char *replay_listed_element(struct trace_replay *reading,
                                         struct range_list_state *ranges,
                                         const char *line) {
  const char *at = strstr(line, element);
  if (!at)
    return NULL;
  at += sizeof element - 1;
  if (!set_or_match_stream_id(ranges, line))
    return "the trace has streams of several cores; list one of them with -id";
  if (ranges->ended || !advance_stream_index(ranges, line))
    return holes;
  if (skip_text(&at, "INSTR_RANGE("))
    return ranges->on || reading->least
               ? replay_listed_range(reading, ranges, at)
               : "TRACE_ON is missing at the start; pass the complete output "
                 "of trc_pkt_lister -decode_only, or use --least";
  bool starts = skip_text(&at, "TRACE_ON");
  bool lost = skip_text(&at, "NO_SYNC") || skip_text(&at, "ADDR_NACC") ||
              skip_text(&at, "ADDR_UNKNOWN") ||
              skip_text(&at, "I_RANGE_NOPATH");
  if (ranges->on && (starts || lost) && !reading->least)
    return "parts of the trace are lost, so counts are unknown; trace in one "
           "run without overflow, and pass the ELF's memory to trc_pkt_lister; "
           "or use --least";
  if (starts || lost) {
    drop_open_decisions(reading);
    ranges->next = 0;
  }
  ranges->on |= starts;
  ranges->ended |= skip_text(&at, "EO_TRACE");
  /* An interrupt may come before the next instruction. */
  if (skip_text(&at, "EXCEPTION"))
    ranges->next = 0;
  return starts || lost || ranges->ended || is_ignored_element(at) ? NULL
                                                                   : holes;
}

static const char *replay_ranges(struct trace_replay *reading,
                                 struct bytes file) {
  struct range_list_state ranges = {0};
  struct bytes whole;
  const char *error = NULL;
  while (!error && bytes_next_line(&file, &whole)) {
    char line[512];
    size_t size = whole.size < sizeof line ? whole.size : sizeof line - 1;
    memcpy(line, whole.data, size);
    line[size] = 0;
    error = replay_listed_element(reading, &ranges, line);
  }
  if (!error && ranges.ended && !ranges.count)
    error = "no code ran in this trace; pass the output of trc_pkt_lister "
            "-decode_only";
  if (!error && !ranges.ended)
    error = "EO_TRACE is missing at the end; list the trace again with "
            "trc_pkt_lister -decode_only";
  return error ? error : reading->strange ? TRACED_STRANGE : NULL;
}

/* ---- both formats ---- */

static const char *replay_trace(struct trace_replay *reading, struct bytes file,
                                const struct trace_options *how,
                                const char *(*runs)(struct trace_replay *,
                                                    struct bytes)) {
  reading->least = how->least;
  reading->stack = calloc(DEEP, sizeof *reading->stack);
  const char *error = reading->stack ? NULL : out_of_memory;
  if (!error && !reading->on_range)
    error = trace_counts_read_and_allocate(reading->traced, &reading->points,
                                           reading->elf, how->switches);
  if (!error)
    error = runs(reading, file);
  linked_points_free(&reading->points);
  free(reading->stack);
  return error;
}

/* Replaces a whole buffer with its branches in the order of time. The caller
 * frees *made. */
static const char *unroll_ring(struct bytes *file,
                               const struct trace_options *how,
                               unsigned char **made) {
  size_t size = file->size;
  if (!size || size & (size - 1))
    return "the buffer size is not a power of 2; pass the complete buffer, or "
           "remove --position";
  size_t next = (size_t)how->position & (size - 1) & ~(size_t)7;
  if (!(how->position & 4)) {
    file->size = next;
    return NULL;
  }
  if (!how->least)
    return "the buffer wrapped, so counts are unknown; trace less code, or use "
           "--least";
  *made = malloc(size);
  if (!*made)
    return out_of_memory;
  memcpy(*made, file->data + next, size - next);
  memcpy(*made + size - next, file->data, next);
  file->data = *made;
  return NULL;
}

static const char *replay_mtb_buffer(struct trace_replay *reading,
                                     struct bytes file,
                                     const struct trace_options *how) {
  unsigned char *made = NULL;
  const char *error = how->whole ? unroll_ring(&file, how, &made) : NULL;
  if (!error && (file.size < 16 || file.size % 8))
    error = "the buffer has fewer than two branches, or ends within a branch; "
            "save the words of the buffer up to MTB_POSITION";
  if (!error)
    error = replay_trace(reading, file, how, replay_branches);
  free(made);
  return error;
}

const char *board_trace_read_mtb(struct trace_counts *traced,
                                 const struct elf *elf,
                                 const struct trace_options *how,
                                 struct bytes file) {
  struct trace_replay reading = {.traced = traced, .elf = elf};
  *traced = (struct trace_counts){0};
  return replay_mtb_buffer(&reading, file, how);
}

const char *board_trace_read_ranges(struct trace_counts *traced,
                                    const struct elf *elf,
                                    const struct trace_options *how,
                                    struct bytes file) {
  struct trace_replay reading = {.traced = traced, .elf = elf};
  *traced = (struct trace_counts){0};
  return replay_trace(&reading, file, how, replay_ranges);
}

const char *board_trace_visit_ranges(const struct elf *elf,
                                     const struct trace_options *how,
                                     bool listed, struct bytes file,
                                     trace_visit_range *ran, void *context) {
  struct trace_replay reading = {
      .elf = elf, .on_range = ran, .context = context};
  return listed ? replay_trace(&reading, file, how, replay_ranges)
                : replay_mtb_buffer(&reading, file, how);
}
