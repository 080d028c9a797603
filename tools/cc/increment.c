/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses calls of counting intrinsics and lowered increments in IR text, and
 * writes them with another width. byte_counters.c, trace_ir.c and narrow.c call
 * this file.
 *
 * LLVM numbers values without a name in order. So every new value gets a name,
 * and no value is removed.
 */
#include "increment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../base/os.h"
#include "../object/digest.h"

/* ---- memory ---- */

void *cc_allocate(struct arena *arena, size_t size) {
  void *memory = arena_allocate(arena, size);
  if (!memory)
    raise_error(out_of_memory);
  return memory;
}

void *cc_grow_list(struct arena *arena, void *list, size_t count, size_t size) {
  if (count & (count - 1))
    return list;
  void *grown = cc_allocate(arena, (count ? 2 * count : 1) * size);
  if (count)
    memcpy(grown, list, count * size);
  return grown;
}

uint64_t *cc_map_find_or_add(struct map *map, uint64_t a, uint64_t b,
                             uint64_t c) {
  uint64_t *value = map_find_or_add(map, a, b, c);
  if (!value)
    raise_error(out_of_memory);
  return value;
}

char *cc_print_to_memory(FILE **out, void (*act)(void *context), void *context,
                         size_t *size) {
  char *text = NULL;
  FILE *outer = *out, *inner = os_open_memory_stream(&text, size);
  if (!inner)
    raise_error(out_of_memory);
  *out = inner;
  const char *error = catch_error(act, context);
  *out = outer;
  if (!os_close_memory_stream(inner, &text, size) && !error)
    error = out_of_memory;
  if (error)
    free(text);
  raise_if_error(error);
  return text;
}

/* ---- text ---- */

bool text_next_line(struct bytes *text, struct text_part *line) {
  struct bytes one;
  if (!bytes_next_line(text, &one))
    return false;
  *line = (struct text_part){(const char *)one.data, one.size};
  return true;
}

struct text_part text_cut_until(struct text_part *text, const char *stops) {
  size_t size = 0;
  while (size < text->size && !strchr(stops, text->at[size]))
    size++;
  return part_cut_front(text, size);
}

struct text_part text_between(struct text_part from, struct text_part to) {
  return (struct text_part){from.at, (size_t)(to.at - from.at)};
}

uint64_t text_hash(struct text_part name) {
  return md5_low64(name.at, name.size);
}

struct text_part text_defined_name(struct text_part line) {
  text_cut_until(&line, "@");
  return text_cut_global(&line);
}

const char call_word[] = "  call void @llvm.instrprof.increment(";
static const char step_word[] = "  call void @llvm.instrprof.increment.step(";

long text_find_attribute_group(struct text_part line) {
  if (part_skip_word(&line, "attributes #"))
    return strtol(line.at, NULL, 10);
  long group = -1;
  while (part_skip_past(&line, " #"))
    group = strtol(line.at, NULL, 10);
  return group;
}

uint64_t text_parse_hash(struct text_part *text) {
  bool minus = part_skip_word(text, "-");
  uint64_t sum = 0;
  for (; text->size && *text->at >= '0' && *text->at <= '9';
       part_cut_front(text, 1))
    sum = sum * 10 + (uint64_t)(*text->at - '0');
  return minus ? 0 - sum : sum;
}

/* Handles the letters of part_match_pattern: %h is a hash, %f is the operand
 * @__profn_f, the variable with the function's name. */
static struct text_part cut_call_operand(struct text_part *text, char letter) {
  if (letter == 'h')
    return text_cut_until(text, ",");
  struct text_part name = {text->at, 0};
  bool typed = !part_skip_word(text, "ptr ");
  if (typed && !part_skip_word(text, "i8* getelementptr inbounds (["))
    return name;
  if (typed)
    text_cut_until(text, "@");
  if (part_starts_with(*text, "@__profn_") ||
      part_starts_with(*text, "@\"__profn_"))
    name = text_cut_global(text);
  if (typed && !part_skip_word(text, ", i32 0, i32 0)"))
    name.size = 0;
  return name;
}

/* Returns whether the text can be the end of a call: a parenthesis, attributes
 * and metadata. */
static bool is_call_end(struct text_part text) {
  uint64_t number;
  if (!part_skip_word(&text, ")"))
    return false;
  if (part_skip_word(&text, " #") && !part_parse_number(&text, &number))
    return false;
  while (part_skip_word(&text, ", !"))
    if (!part_skip_past(&text, " !") || !part_parse_number(&text, &number))
      return false;
  return !text.size;
}

/* Parses a call that begins with the word. If `counted` is true, the call has
 * the function's number of counters before the index. */
static bool parse_call(struct text_part line, const char *word, bool counted,
                       struct intrinsic_call *call) {
  struct text_part begin, digits[2];
  if (!part_skip_word(&line, word))
    return false;
  begin = line;
  if (!part_match_pattern(&line, cut_call_operand, "%f, i64 %h, i32 %d",
                          &call->function, &call->hash, &digits[0]))
    return false;
  digits[1] = digits[0];
  if (counted && !part_match_pattern(&line, NULL, ", i32 %d", &digits[1]))
    return false;
  call->before = text_between(begin, call->hash);
  call->rest = line;
  return part_parse_number(&digits[0], &call->counters) &&
         part_parse_number(&digits[1], &call->index) &&
         (!counted || call->index < call->counters);
}

bool call_parse_increment(struct text_part line, struct intrinsic_call *call) {
  return parse_call(line, call_word, true, call) && is_call_end(call->rest);
}

bool call_is_step(struct text_part line) {
  return part_starts_with(line, step_word);
}

bool call_parse_step(struct text_part line, struct intrinsic_call *call,
                     struct text_part *value) {
  if (!parse_call(line, step_word, true, call) ||
      !part_skip_word(&call->rest, ", i64 "))
    return false;
  *value = text_cut_until(&call->rest, ")");
  return is_call_end(call->rest);
}

bool call_parse_outcome(struct text_part line, struct outcome_call *outcome) {
  struct intrinsic_call *call = &outcome->call;
  if (!parse_call(line, "  call void @llvm.instrprof.mcdc.tvbitmap.update(",
                  false, call) ||
      !part_skip_word(&call->rest, ", ptr "))
    return false;
  outcome->variable = text_cut_until(&call->rest, ")");
  return is_call_end(call->rest);
}

bool call_parse_bit_count(struct text_part line, struct intrinsic_call *call) {
  return parse_call(line, "  call void @llvm.instrprof.mcdc.parameters(", false,
                    call) &&
         is_call_end(call->rest);
}

void call_print_byte_store(FILE *out, const struct intrinsic_call *call,
                           uint64_t hash) {
  fputs("  call void @llvm.instrprof.cover(", out);
  part_print_text(out, call->before);
  fprintf(out, "%" PRId64 ", i32 %" PRIu64 ", i32 %" PRIu64, (int64_t)hash,
          call->counters, call->index);
  part_print_pattern(out, "%p\n", call->rest);
}

/* Returns how often the phi names the block before this place. */
static size_t count_phi_names_before(struct text_part line,
                                     struct text_part from) {
  struct text_part other;
  size_t nth = 0;
  while (part_skip_past(&line, ", %") && line.at < from.at) {
    line.at--;
    line.size++;
    other = text_cut_local(&line);
    nth += part_equals(other, from) && part_starts_with(line, " ]");
  }
  return nth;
}

void phi_print_renamed(FILE *out, struct text_part line,
                       const struct phi_renaming *renaming) {
  struct text_part done = line, rest = line;
  while (part_skip_past(&rest, ", %")) {
    struct text_part name = {rest.at - 1, rest.size + 1},
                     from = text_cut_local(&name);
    char again[40] = "";
    if (!part_starts_with(name, " ]"))
      continue;
    renaming->rename(renaming->context, from,
                     count_phi_names_before(line, from), again);
    if (!*again)
      continue;
    part_print_pattern(out, "%p%s", text_between(done, from), again);
    done = rest = name;
  }
  part_print_pattern(out, "%p\n", done);
}

/* ==== The next functions parse and write increments. */

/* ---- the parts of a line ---- */

struct text_part text_cut_local(struct text_part *text) {
  size_t size = 0;
  bool quoted = false;
  if (!part_starts_with(*text, "%"))
    return (struct text_part){text->at, 0};
  while (size < text->size &&
         (quoted || (text->at[size] != ' ' && text->at[size] != ','))) {
    quoted ^= text->at[size] == '"';
    size++;
  }
  return part_cut_front(text, size);
}

struct text_part text_cut_global(struct text_part *text) {
  size_t size = 1;
  bool quoted = text->size > 1 && text->at[1] == '"';
  if (!text->size || (*text->at != '@' && *text->at != '$'))
    return (struct text_part){text->at, 0};
  for (size += quoted; size < text->size; size++) {
    char c = text->at[size];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || (c && strchr("$._-", c));
    if (quoted ? c == '"' : !plain)
      break;
  }
  return part_cut_front(text, size + (quoted && size < text->size));
}

/* Removes and returns an operand. An operand ends at a comma outside brackets
 * and quotes, or at the end of the line. */
static struct text_part parse_operand(struct text_part *text) {
  size_t size = 0;
  unsigned depth = 0;
  bool quoted = false;
  for (; size < text->size; size++) {
    char c = text->at[size];
    quoted ^= c == '"';
    if (quoted)
      continue;
    if (c == ',' && depth == 0)
      break;
    depth += c == '(' || c == '[' || c == '{' || c == '<';
    if (depth > 0)
      depth -= c == ')' || c == ']' || c == '}' || c == '>';
  }
  return part_cut_front(text, size);
}

/* Removes and returns a value: a name, or a number of at most 9 digits. */
static struct text_part parse_value(struct text_part *text) {
  struct text_part digits;
  return part_match_pattern(text, NULL, "%d", &digits) ? digits
                                                       : text_cut_local(text);
}

struct text_part text_cut_operand(struct text_part *text, char letter) {
  struct text_part taken = letter == 'n'   ? text_cut_local(text)
                           : letter == 'v' ? parse_value(text)
                                           : parse_operand(text);
  taken.size -= taken.size == 1 && *taken.at == '%';
  return taken;
}

/* Returns whether at most metadata follows, which lacks symbols (@). */
static bool is_empty_or_metadata(struct text_part text) {
  return text.size == 0 ||
         (part_starts_with(text, ", !") && !part_contains(text, "@"));
}

/* Removes ", align 8", or ", align 4" as on x86. Returns whether only metadata
 * follows. */
static bool parse_alignment(struct text_part *text) {
  return (part_skip_word(text, ", align 8") ||
          part_skip_word(text, ", align 4")) &&
         is_empty_or_metadata(*text);
}

bool text_has_counter_symbol(struct text_part text) {
  return part_contains(text, "@__profc_") || part_contains(text, "@\"__profc_");
}

/* ---- increments ---- */

/* Divides a pointer operand into type and value. Returns the value. */
static struct text_part split_pointer(struct text_part pointer,
                                      struct text_part *type) {
  struct text_part value = pointer;
  text_cut_until(&value, " ");
  if (part_starts_with(value, " addrspace(")) {
    text_cut_until(&value, ")");
    text_cut_until(&value, " ");
  }
  *type = text_between(pointer, value);
  part_skip_word(&value, " ");
  return value;
}

static bool is_typed_pointer(struct text_part pointer) {
  struct text_part type, value = split_pointer(pointer, &type);
  return type.size > 0 && value.size > 0;
}

bool increment_has_counter(const struct increment *increment,
                           struct text_part moved) {
  struct text_part type, value = split_pointer(increment->pointer, &type);
  return text_has_counter_symbol(value) ||
         (value.size && part_equals(value, moved));
}

/* Parses " %pgocount1 = load i64, ptr @__profc_f, align 8". */
static bool parse_load(struct text_part line, struct increment *to) {
  bool is = part_match_pattern(&line, text_cut_operand, "  %n = load i64, %o",
                               &to->load, &to->pointer) &&
            part_starts_with(to->load, "%pgocount") &&
            is_typed_pointer(to->pointer) && parse_alignment(&line);
  to->rest[0] = line;
  return is;
}

/* Parses " %1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8". */
static bool parse_atomic_increment(struct text_part line,
                                   struct text_part moved,
                                   struct increment *to) {
  if (!part_match_pattern(&line, text_cut_operand,
                          "  %n = atomicrmw add %o, i64 %v monotonic",
                          &to->result, &to->pointer, &to->step) ||
      !is_typed_pointer(to->pointer) || part_starts_with(to->result, "%\"") ||
      !increment_has_counter(to, moved) || !parse_alignment(&line))
    return false;
  to->load = (struct text_part){0};
  to->rest[0] = to->rest[1] = to->rest[2] = line;
  return true;
}

/* Parses an atomic increment, or three lines: the load, then " %1 = add i64
 * %pgocount1, 1" and " store i64 %1, ptr @__profc_f, align 8". */
unsigned increment_parse(struct increment *to, struct text_part line,
                         struct bytes rest, struct text_part moved) {
  struct text_part again, pointer;
  if (parse_atomic_increment(line, moved, to))
    return 1;
  if (!parse_load(line, to))
    return 0;
  text_next_line(&rest, &line);
  to->rest[1] = line;
  if (!part_match_pattern(&to->rest[1], text_cut_operand,
                          "  %n = add i64 %n, %v", &to->result, &again,
                          &to->step) ||
      !part_equals(again, to->load) || !is_empty_or_metadata(to->rest[1]))
    return 0;
  text_next_line(&rest, &line);
  to->rest[2] = line;
  return part_match_pattern(&to->rest[2], text_cut_operand,
                            "  store i64 %n, %o", &again, &pointer) &&
                 part_equals(again, to->result) &&
                 part_equals(pointer, to->pointer) &&
                 parse_alignment(&to->rest[2])
             ? 3
             : 0;
}

bool increment_touches_counter(struct text_part line) {
  struct increment increment;
  if (parse_load(line, &increment))
    return true;
  return text_has_counter_symbol(line) &&
         (part_contains(line, " = load i64, ") ||
          (part_contains(line, " = atomicrmw ") &&
           part_contains(line, ", i64 ")));
}

/* ---- 32-bit increments ---- */

/* The name of a new value: the name of the load or of the atomic result, and a
 * suffix. New values need names, because the numbers of values without a name
 * must not change. */
struct value_name {
  const char *before;
  struct text_part name;
  const char *after;
};
#define NEW(suffix) new.before, new.name, suffix, new.after
#define NEW_NAME "%s%p%s%s"

static struct value_name make_value_name(const struct increment *increment) {
  struct text_part name = increment->load;
  if (!name.size) {
    name = increment->result;
    part_cut_front(&name, 1);
    return (struct value_name){"%pgocount.of.", name, ""};
  }
  bool quoted = name.at[name.size - 1] == '"';
  name.size -= quoted;
  return (struct value_name){"", name, quoted ? "\"" : ""};
}

/* Writes the pointer to the low 32 bits, with its type. If `local` is true,
 * print_pointer_if_local has already computed the pointer. */
static void print_low_pointer(FILE *out, const struct increment *increment,
                              const struct increment_style *how, bool local) {
  const struct value_name new = make_value_name(increment);
  struct text_part type, value = split_pointer(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  part_print_pattern(out, typed ? "i32* " : "%p ", type);
  if (local)
    part_print_pattern(out, NEW_NAME, NEW(".low"));
  else if (typed)
    part_print_pattern(
        out,
        how->big ? "getelementptr (i32, i32* bitcast (%p to i32*), i32 1)"
                 : "bitcast (%p to i32*)",
        increment->pointer);
  else if (how->big)
    part_print_pattern(out, "getelementptr (i8, %p, i32 4)",
                       increment->pointer);
  else
    part_print_text(out, value);
}

/* If the pointer to the low 32 bits needs instructions of its own, writes them
 * and returns true. The new pointer has the new name with .low. */
static bool print_pointer_if_local(FILE *out, const struct increment *increment,
                                   bool big) {
  const struct value_name new = make_value_name(increment);
  struct text_part type, value = split_pointer(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (!part_starts_with(value, "%") || (!typed && !big))
    return false;
  if (typed)
    part_print_pattern(out, "  " NEW_NAME " = bitcast %p to i32*\n",
                       NEW(big ? ".words" : ".low"), increment->pointer);
  if (big && typed)
    part_print_pattern(
        out, "  " NEW_NAME " = getelementptr i32, i32* " NEW_NAME ", i32 1\n",
        NEW(".low"), NEW(".words"));
  else if (big)
    part_print_pattern(out, "  " NEW_NAME " = getelementptr i8, %p, i32 4\n",
                       NEW(".low"), increment->pointer);
  return true;
}

static void print_step_value(FILE *out, const struct increment *increment) {
  const struct value_name new = make_value_name(increment);
  if (*increment->step.at != '%')
    part_print_text(out, increment->step);
  else
    part_print_pattern(out, NEW_NAME, NEW(".step"));
}

/* Writes a 32-bit increment. If an increment with a load becomes atomic, the
 * unused addition stays, because the values after it are numbered in order. */
void increment_print(FILE *out, const struct increment *increment,
                     const struct increment_style *how) {
  const struct value_name new = make_value_name(increment);
  const char *align = how->big || how->packed ? ", align 4" : ", align 8";
  const struct text_part *rest = increment->rest;
  bool local = print_pointer_if_local(out, increment, how->big);
  bool loads = increment->load.size > 0;
  struct text_part old = loads ? increment->load : increment->result;
  if (*increment->step.at == '%')
    part_print_pattern(out, "  " NEW_NAME " = trunc i64 %p to i32\n",
                       NEW(".step"), increment->step);
  part_print_pattern(
      out, how->atomic ? "  %p = atomicrmw add " : "  %p = load i32, ", old);
  print_low_pointer(out, increment, how, local);
  if (how->atomic) {
    part_print_pattern(out, ", i32 ");
    print_step_value(out, increment);
    part_print_pattern(out, " monotonic");
  }
  part_print_pattern(out, "%s%p\n", align, rest[how->atomic ? 2 : 0]);
  if (how->atomic && !loads)
    return;
  if (loads)
    part_print_pattern(out, "  %p = add i32 %p, ", increment->result, old);
  else
    part_print_pattern(out, "  " NEW_NAME " = add i32 %p, ", NEW(".sum"), old);
  print_step_value(out, increment);
  part_print_pattern(out, "%p\n", rest[1]);
  if (how->atomic)
    return;
  if (loads)
    part_print_pattern(out, "  store i32 %p, ", increment->result);
  else
    part_print_pattern(out, "  store i32 " NEW_NAME ", ", NEW(".sum"));
  print_low_pointer(out, increment, how, local);
  part_print_pattern(out, "%s%p\n", align, rest[2]);
}
