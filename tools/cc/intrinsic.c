/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "increment.h"

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

void part_put(FILE *out, struct ir_text text) {
  fwrite(text.at, 1, text.size, out);
}

struct ir_text text_profiled(struct ir_text line) {
  while (line.size && !text_begins(line, "@__profn_") &&
         !text_begins(line, "@\"__profn_"))
    text_cut(&line, 1);
  return text_global(&line);
}

/* at: behind the parenthesis. */
static bool read_call(struct ir_text at, struct intrinsic_call *call) {
  call->function = text_profiled(at);
  struct ir_text name = at;
  text_cut(&name, (size_t)(call->function.at - at.at) + call->function.size);
  call->before = at;
  if (!call->function.size || !text_skip_to(&name, ", i64 "))
    return false;
  call->before.size = (size_t)(name.at - at.at);
  call->hash = name;
  if (!text_skip_to(&name, ", i32 "))
    return false;
  call->hash.size = (size_t)(name.at - call->hash.at) - strlen(", i32 ");
  if (!text_digits(&name, &call->counters) || !text_take(&name, ", i32 ") ||
      !text_digits(&name, &call->index))
    return false;
  call->rest = name;
  return call->index < call->counters;
}

bool call_read(struct ir_text line, struct intrinsic_call *call) {
  return text_take(&line, call_word) && read_call(line, call);
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
  return true;
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
