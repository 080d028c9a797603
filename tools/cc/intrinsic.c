/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "increment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char call_word[] = "  call void @llvm.instrprof.increment(";
static const char step_word[] = "  call void @llvm.instrprof.increment.step(";

long text_group(struct part line) {
  if (part_take(&line, "attributes #"))
    return strtol(line.at, NULL, 10);
  long group = -1;
  while (part_skip_to(&line, " #"))
    group = strtol(line.at, NULL, 10);
  return group;
}

uint64_t text_take_hash(struct part *text) {
  bool minus = part_take(text, "-");
  uint64_t sum = 0;
  for (; text->size && *text->at >= '0' && *text->at <= '9'; part_cut(text, 1))
    sum = sum * 10 + (uint64_t)(*text->at - '0');
  return minus ? 0 - sum : sum;
}

struct part text_profiled(struct part line) {
  while (line.size && !part_begins(line, "@__profn_") &&
         !part_begins(line, "@\"__profn_"))
    part_cut(&line, 1);
  return text_global(&line);
}

/* Takes the function and the hash, from behind the parenthesis on. */
static bool read_head(struct part *at, struct intrinsic_call *call) {
  call->before = *at;
  call->function = text_profiled(*at);
  bool typed = !part_take(at, "ptr ");
  if (typed && !part_take(at, "i8* getelementptr inbounds (["))
    return false;
  if (typed)
    part_cut(at, (size_t)(call->function.at - at->at));
  if (!call->function.size || call->function.at != at->at)
    return false;
  part_cut(at, call->function.size);
  if ((typed && !part_take(at, ", i32 0, i32 0)")) || !part_take(at, ", i64 "))
    return false;
  call->before.size -= at->size;
  call->hash = *at;
  if (!part_skip_to(at, ", i32 "))
    return false;
  call->hash.size -= at->size + strlen(", i32 ");
  return true;
}

/* Whether the text may end a call: a parenthesis, attributes and metadata. */
static bool is_end(struct part text) {
  uint64_t number;
  if (!part_take(&text, ")"))
    return false;
  if (part_take(&text, " #") && !part_take_number(&text, &number))
    return false;
  while (part_take(&text, ", !"))
    if (!part_skip_to(&text, " !") || !part_take_number(&text, &number))
      return false;
  return !text.size;
}

static bool read_call(struct part at, struct intrinsic_call *call) {
  if (!read_head(&at, call) || !part_take_number(&at, &call->counters) ||
      !part_take(&at, ", i32 ") || !part_take_number(&at, &call->index))
    return false;
  call->rest = at;
  return call->index < call->counters &&
         (is_end(at) || part_begins(at, ", i64 "));
}

bool call_read(struct part line, struct intrinsic_call *call) {
  return part_take(&line, call_word) && read_call(line, call) &&
         is_end(call->rest);
}

bool call_is_step(struct part line) { return part_begins(line, step_word); }

bool call_read_step(struct part line, struct intrinsic_call *call,
                    struct part *value) {
  if (!part_take(&line, step_word) || !read_call(line, call) ||
      !part_take(&call->rest, ", i64 "))
    return false;
  *value = call->rest;
  if (!part_skip_to(&call->rest, ")"))
    return false;
  value->size = (size_t)(call->rest.at - value->at) - 1;
  struct part end = {call->rest.at - 1, call->rest.size + 1};
  return is_end(end);
}

bool call_read_outcome(struct part line, struct outcome_call *outcome) {
  struct intrinsic_call *call = &outcome->call;
  uint64_t more;
  if (!part_take(&line, "  call void @llvm.instrprof.mcdc.tvbitmap.update(") ||
      !read_head(&line, call) || !part_take_number(&line, &call->index))
    return false;
  if (part_take(&line, ", i32 ") && part_take_number(&line, &more))
    return false; /* clang 18 */
  if (!part_take(&line, ", ptr "))
    return false;
  outcome->variable = call->rest = line;
  while (call->rest.size && *call->rest.at != ')')
    part_cut(&call->rest, 1);
  outcome->variable.size -= call->rest.size;
  return is_end(call->rest);
}

bool call_read_outcomes(struct part line, struct intrinsic_call *call) {
  if (!part_take(&line, "  call void @llvm.instrprof.mcdc.parameters(") ||
      !read_head(&line, call) || !part_take_number(&line, &call->index))
    return false;
  call->rest = line;
  return is_end(line);
}

void call_put_flag(FILE *out, const struct intrinsic_call *call,
                   uint64_t hash) {
  fputs("  call void @llvm.instrprof.cover(", out);
  part_put(out, call->before);
  fprintf(out, "%" PRId64 ", i32 %" PRIu64 ", i32 %" PRIu64, (int64_t)hash,
          call->counters, call->index);
  part_put(out, call->rest);
  fputc('\n', out);
}

/* How often the same block stands in a phi before a name. */
static size_t seen_before(struct part line, struct part from) {
  struct part other;
  size_t nth = 0;
  while (part_skip_to(&line, ", %") && line.at < from.at) {
    line.at--;
    line.size++;
    other = text_name(&line);
    nth += part_same(other, from) && part_begins(line, " ]");
  }
  return nth;
}

void phi_put(FILE *out, struct part line, const struct renaming *renaming) {
  struct part done = line, rest = line;
  while (part_skip_to(&rest, ", %")) {
    struct part name = {rest.at - 1, rest.size + 1}, from = text_name(&name);
    char again[40] = "";
    if (!part_begins(name, " ]"))
      continue;
    renaming->rename(renaming->context, from, seen_before(line, from), again);
    if (!*again)
      continue;
    part_put(out, (struct part){done.at, (size_t)(from.at - done.at)});
    fputs(again, out);
    done = rest = name;
  }
  part_put(out, done);
  fputc('\n', out);
}
