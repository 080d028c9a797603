/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "increment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char call_word[] = "  call void @llvm.instrprof.increment(";
static const char step_word[] = "  call void @llvm.instrprof.increment.step(";

bool text_digits(struct ir_text *text, uint64_t *number) {
  size_t size = 0;
  for (*number = 0; size < text->size && size < 9 && text->at[size] >= '0' &&
                    text->at[size] <= '9';
       size++)
    *number = *number * 10 + (uint64_t)(text->at[size] - '0');
  text_cut(text, size);
  return size > 0;
}

bool text_skip_to(struct ir_text *text, const char *word) {
  while (text->size && !text_begins(*text, word))
    text_cut(text, 1);
  return text_take(text, word);
}

long text_group(struct ir_text line) {
  if (text_take(&line, "attributes #"))
    return strtol(line.at, NULL, 10);
  long group = -1;
  while (text_skip_to(&line, " #"))
    group = strtol(line.at, NULL, 10);
  return group;
}

uint64_t text_take_hash(struct ir_text *text) {
  bool minus = text_take(text, "-");
  uint64_t sum = 0;
  for (; text->size && *text->at >= '0' && *text->at <= '9'; text_cut(text, 1))
    sum = sum * 10 + (uint64_t)(*text->at - '0');
  return minus ? 0 - sum : sum;
}

void part_put(FILE *out, struct ir_text text) {
  fwrite(text.at, 1, text.size, out);
}

struct ir_text text_profiled(struct ir_text line) {
  while (line.size && !text_begins(line, "@__profn_") &&
         !text_begins(line, "@\"__profn_"))
    text_cut(&line, 1);
  return text_global(&line);
}

/* Takes the function and the hash, from behind the parenthesis on. */
static bool read_head(struct ir_text *at, struct intrinsic_call *call) {
  call->before = *at;
  call->function = text_profiled(*at);
  bool typed = !text_take(at, "ptr ");
  if (typed && !text_take(at, "i8* getelementptr inbounds (["))
    return false;
  if (typed)
    text_cut(at, (size_t)(call->function.at - at->at));
  if (!call->function.size || call->function.at != at->at)
    return false;
  text_cut(at, call->function.size);
  if ((typed && !text_take(at, ", i32 0, i32 0)")) ||
      !text_take(at, ", i64 "))
    return false;
  call->before.size -= at->size;
  call->hash = *at;
  if (!text_skip_to(at, ", i32 "))
    return false;
  call->hash.size -= at->size + strlen(", i32 ");
  return true;
}

/* Whether the text may end a call: a parenthesis, attributes and metadata. */
static bool is_end(struct ir_text text) {
  uint64_t number;
  if (!text_take(&text, ")"))
    return false;
  if (text_take(&text, " #") && !text_digits(&text, &number))
    return false;
  while (text_take(&text, ", !"))
    if (!text_skip_to(&text, " !") || !text_digits(&text, &number))
      return false;
  return !text.size;
}

static bool read_call(struct ir_text at, struct intrinsic_call *call) {
  if (!read_head(&at, call) || !text_digits(&at, &call->counters) ||
      !text_take(&at, ", i32 ") || !text_digits(&at, &call->index))
    return false;
  call->rest = at;
  return call->index < call->counters &&
         (is_end(at) || text_begins(at, ", i64 "));
}

bool call_read(struct ir_text line, struct intrinsic_call *call) {
  return text_take(&line, call_word) && read_call(line, call) &&
         is_end(call->rest);
}

bool call_is_step(struct ir_text line) { return text_begins(line, step_word); }

bool call_read_step(struct ir_text line, struct intrinsic_call *call,
                    struct ir_text *value) {
  if (!text_take(&line, step_word) || !read_call(line, call) ||
      !text_take(&call->rest, ", i64 "))
    return false;
  *value = call->rest;
  if (!text_skip_to(&call->rest, ")"))
    return false;
  value->size = (size_t)(call->rest.at - value->at) - 1;
  struct ir_text end = {call->rest.at - 1, call->rest.size + 1};
  return is_end(end);
}

bool call_read_outcome(struct ir_text line, struct outcome_call *outcome) {
  struct intrinsic_call *call = &outcome->call;
  uint64_t more;
  if (!text_take(&line, "  call void @llvm.instrprof.mcdc.tvbitmap.update(") ||
      !read_head(&line, call) || !text_digits(&line, &call->index))
    return false;
  if (text_take(&line, ", i32 ") && text_digits(&line, &more))
    return false; /* clang 18 */
  if (!text_take(&line, ", ptr "))
    return false;
  outcome->variable = call->rest = line;
  while (call->rest.size && *call->rest.at != ')')
    text_cut(&call->rest, 1);
  outcome->variable.size -= call->rest.size;
  return is_end(call->rest);
}

bool call_read_outcomes(struct ir_text line, struct intrinsic_call *call) {
  if (!text_take(&line, "  call void @llvm.instrprof.mcdc.parameters(") ||
      !read_head(&line, call) || !text_digits(&line, &call->index))
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
static size_t seen_before(struct ir_text line, struct ir_text from) {
  struct ir_text other;
  size_t nth = 0;
  while (text_skip_to(&line, ", %") && line.at < from.at) {
    line.at--;
    line.size++;
    other = text_name(&line);
    nth += text_same(other, from) && text_begins(line, " ]");
  }
  return nth;
}

void phi_put(FILE *out, struct ir_text line, const struct renaming *renaming) {
  struct ir_text done = line, rest = line;
  while (text_skip_to(&rest, ", %")) {
    struct ir_text name = {rest.at - 1, rest.size + 1}, from = text_name(&name);
    char again[40] = "";
    if (!text_begins(name, " ]"))
      continue;
    renaming->rename(renaming->context, from, seen_before(line, from), again);
    if (!*again)
      continue;
    part_put(out, (struct ir_text){done.at, (size_t)(from.at - done.at)});
    fputs(again, out);
    done = rest = name;
  }
  part_put(out, done);
  fputc('\n', out);
}
