/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values without a name are numbered in order, so new values have names, and
 * each value that was there stays.
 */
#include "increment.h"

#include <string.h>

/* New names: that of the load, and what the value is. */
static const char step_suffix[] = ".step";
static const char place_suffix[] = ".low";
static const char words_suffix[] = ".words";
static const char sum_suffix[] = ".sum";

/* ---- the parts of a line ---- */

bool text_begins(struct ir_text text, const char *word) {
  size_t size = strlen(word);
  return text.size >= size && memcmp(text.at, word, size) == 0;
}

bool text_same(struct ir_text a, struct ir_text b) {
  return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* Takes word from the beginning of *text. */
bool text_take(struct ir_text *text, const char *word) {
  if (!text_begins(*text, word))
    return false;
  text->at += strlen(word);
  text->size -= strlen(word);
  return true;
}

struct ir_text text_cut(struct ir_text *text, size_t size) {
  struct ir_text first = {text->at, size};
  text->at += size;
  text->size -= size;
  return first;
}

/* Takes a local name: % and characters up to a blank or comma, or quotes. */
struct ir_text text_name(struct ir_text *text) {
  size_t size = 0;
  bool quoted = false;
  if (!text_begins(*text, "%"))
    return (struct ir_text){text->at, 0};
  while (size < text->size &&
         (quoted || (text->at[size] != ' ' && text->at[size] != ','))) {
    quoted ^= text->at[size] == '"';
    size++;
  }
  return text_cut(text, size);
}

struct ir_text text_global(struct ir_text *text) {
  static const char others[] = "$._-";
  size_t size = 1;
  bool quoted = text->size > 1 && text->at[1] == '"';
  if (!text_begins(*text, "@"))
    return (struct ir_text){text->at, 0};
  for (size += quoted; size < text->size; size++) {
    char c = text->at[size];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || (c && strchr(others, c));
    if (quoted ? c == '"' : !plain)
      break;
  }
  if (quoted && size < text->size)
    size++;
  return text_cut(text, size);
}

/* Takes an operand: up to a comma that is in no bracket and no quotes, or up to
 * the end of the line. */
static struct ir_text take_operand(struct ir_text *text) {
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
  return text_cut(text, size);
}

static bool is_metadata(struct ir_text text) {
  return text.size == 0 ||
         (text_begins(text, ", !") && !text_contains(text, "@"));
}

/* Takes ", align 8", or 4 for x86. What follows may only be metadata. */
static bool take_align(struct ir_text *text) {
  return (text_take(text, ", align 8") || text_take(text, ", align 4")) &&
         is_metadata(*text);
}

bool text_contains(struct ir_text text, const char *word) {
  size_t size = strlen(word);
  for (; text.size >= size; text.at++, text.size--)
    if (memcmp(text.at, word, size) == 0)
      return true;
  return false;
}

/* Whether the operand is, or is made from, the address of a counter. */
bool of_counter(struct ir_text operand) {
  return text_contains(operand, "@__profc_") ||
         text_contains(operand, "@\"__profc_");
}

struct ir_text line_at(const char *at, const char *end) {
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return (struct ir_text){at, (size_t)((stop ? stop : end) - at)};
}

/* The line behind `line`. Empty at the end. */
struct ir_text line_after(struct ir_text line, const char *end) {
  const char *at = line.at + line.size;
  return at < end ? line_at(at + 1, end) : (struct ir_text){at, 0};
}

/* ---- increments ---- */

/* The parts of a pointer operand. */
static struct ir_text pointer_value(struct ir_text pointer,
                                    struct ir_text *type) {
  struct ir_text value = pointer;
  /* "ptr", "i64*", "ptr addrspace(1)": a value begins with %, @ or a letter
   * behind the type. */
  *type = (struct ir_text){pointer.at, 0};
  while (value.size && *value.at != ' ')
    text_cut(&value, 1);
  if (text_begins(value, " addrspace("))
    while (value.size && *value.at != ')')
      text_cut(&value, 1);
  while (value.size && *value.at != ' ')
    text_cut(&value, 1);
  type->size = pointer.size - value.size;
  text_take(&value, " ");
  return value;
}

/* Whether the operand has a type and a value. */
static bool take_pointer(struct ir_text *line, struct ir_text *pointer) {
  struct ir_text type, value;
  *pointer = take_operand(line);
  value = pointer_value(*pointer, &type);
  return type.size > 0 && value.size > 0;
}

/* Whether a step is a number of at most 9 digits. */
static bool is_number(struct ir_text step) {
  for (size_t i = 0; i < step.size; i++)
    if (step.at[i] < '0' || step.at[i] > '9')
      return false;
  return step.size < 10;
}

/* Whether a step is such a number, or a value with a name. */
static bool is_step(struct ir_text step) {
  struct ir_text rest = step;
  return step.size > 0 &&
         (is_number(step) || (text_name(&rest).size > 1 && rest.size == 0));
}

/* "  %pgocount1 = load i64, ptr @__profc_f, align 8" */
static bool take_load(struct ir_text line, struct increment *increment) {
  if (!text_begins(line, "  %pgocount"))
    return false;
  text_cut(&line, 2);
  increment->load = text_name(&line);
  if (!text_take(&line, " = load i64, ") ||
      !take_pointer(&line, &increment->pointer) || !take_align(&line))
    return false;
  increment->rest[0] = line;
  return true;
}

/* "  %1 = add i64 %pgocount1, 1" */
static bool take_add(struct ir_text line, struct increment *increment) {
  if (!text_take(&line, "  "))
    return false;
  increment->result = text_name(&line);
  if (!text_take(&line, " = add i64 ") ||
      !text_same(text_name(&line), increment->load) || !text_take(&line, ", "))
    return false;
  increment->step = take_operand(&line);
  increment->rest[1] = line;
  return increment->result.size > 1 && is_step(increment->step) &&
         is_metadata(line);
}

/* "  store i64 %1, ptr @__profc_f, align 8" */
static bool take_store(struct ir_text line, struct increment *increment) {
  if (!text_take(&line, "  store i64 ") ||
      !text_same(text_name(&line), increment->result) ||
      !text_take(&line, ", ") ||
      !text_same(take_operand(&line), increment->pointer) || !take_align(&line))
    return false;
  increment->rest[2] = line;
  return true;
}

bool increment_is_of(const struct increment *increment, struct ir_text moved) {
  struct ir_text type, value = pointer_value(increment->pointer, &type);
  return of_counter(value) || (value.size && text_same(value, moved));
}

/* "  %1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8" */
static bool take_atomic(struct ir_text line, struct ir_text moved,
                        struct increment *increment) {
  static const char order[] = " monotonic";
  if (!text_take(&line, "  "))
    return false;
  increment->result = text_name(&line);
  if (!text_take(&line, " = atomicrmw add "))
    return false;
  if (!take_pointer(&line, &increment->pointer))
    return false;
  if (increment->result.size < 2 || text_begins(increment->result, "%\""))
    return false;
  if (!increment_is_of(increment, moved))
    return false;
  if (!text_take(&line, ", i64 "))
    return false;
  increment->step = take_operand(&line);
  size_t size = increment->step.size;
  if (size <= strlen(order) ||
      memcmp(increment->step.at + size - strlen(order), order, strlen(order)))
    return false;
  increment->step.size -= strlen(order);
  if (!is_step(increment->step) || !take_align(&line))
    return false;
  increment->load = (struct ir_text){0};
  increment->rest[0] = increment->rest[1] = increment->rest[2] = line;
  return true;
}

unsigned increment_read(struct increment *increment, struct ir_text line,
                        const char *end, struct ir_text moved) {
  if (take_atomic(line, moved, increment))
    return 1;
  if (!take_load(line, increment))
    return 0;
  line = line_after(line, end);
  if (!take_add(line, increment))
    return 0;
  line = line_after(line, end);
  return take_store(line, increment) ? 3 : 0;
}

/* Whether the line counts in a way that read_increment does not know. */
bool counts_otherwise(struct ir_text line) {
  struct increment increment;
  if (take_load(line, &increment))
    return true;
  return of_counter(line) && (text_contains(line, " = load i64, ") ||
                              (text_contains(line, " = atomicrmw ") &&
                               text_contains(line, ", i64 ")));
}

/* ---- narrow increments ---- */

/* A new name: that of the increment with a suffix. The numbers of values that
 * have none must not change. */
static void put_name(FILE *out, const struct increment *increment,
                     const char *suffix) {
  if (increment->load.size) {
    struct ir_text name = increment->load;
    bool quoted = name.at[name.size - 1] == '"';
    name.size -= quoted;
    part_put(out, name);
    fprintf(out, "%s%s", suffix, quoted ? "\"" : "");
  } else {
    fprintf(out, "%%pgocount.of.");
    fwrite(increment->result.at + 1, 1, increment->result.size - 1, out);
    fputs(suffix, out);
  }
}

/* Writes the instructions that a local pointer needs, if any. Returns whether
 * there are some: then the pointer is the name with place_suffix. */
static bool put_place(FILE *out, const struct increment *increment, bool big) {
  struct ir_text type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (!text_begins(value, "%") || (!typed && !big))
    return false;
  if (typed) {
    fputs("  ", out);
    put_name(out, increment, big ? words_suffix : place_suffix);
    fputs(" = bitcast ", out);
    part_put(out, increment->pointer);
    fputs(" to i32*\n", out);
  }
  if (big) {
    fputs("  ", out);
    put_name(out, increment, place_suffix);
    fputs(typed ? " = getelementptr i32, i32* " : " = getelementptr i8, ", out);
    if (typed)
      put_name(out, increment, words_suffix);
    else
      part_put(out, increment->pointer);
    fputs(typed ? ", i32 1\n" : ", i32 4\n", out);
  }
  return true;
}

/* How a pointer is written: local, if instructions were needed to make it. */
struct pointer_form {
  bool big, packed, local;
};

static const char *align_of(const struct pointer_form *form) {
  return form->big || form->packed ? ", align 4" : ", align 8";
}

/* The pointer to the low word, with its type. */
static void put_pointer(FILE *out, const struct increment *increment,
                        const struct pointer_form *form) {
  struct ir_text type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (typed)
    fputs("i32*", out);
  else
    part_put(out, type);
  fputc(' ', out);
  if (form->local) {
    put_name(out, increment, place_suffix);
  } else if (typed) {
    fputs(form->big ? "getelementptr (i32, i32* bitcast (" : "bitcast (", out);
    part_put(out, increment->pointer);
    fputs(form->big ? " to i32*), i32 1)" : " to i32*)", out);
  } else if (form->big) {
    fputs("getelementptr (i8, ", out);
    part_put(out, increment->pointer);
    fputs(", i32 4)", out);
  } else {
    part_put(out, value);
  }
}

static void put_step(FILE *out, const struct increment *increment) {
  if (is_number(increment->step))
    part_put(out, increment->step);
  else
    put_name(out, increment, step_suffix);
}

/* "NAME = add i32 OLD, STEP" */
static void put_add(FILE *out, const struct increment *increment) {
  struct ir_text old = increment->load;
  fputs("  ", out);
  if (old.size) {
    part_put(out, increment->result);
  } else {
    put_name(out, increment, sum_suffix);
    old = increment->result;
  }
  fputs(" = add i32 ", out);
  part_put(out, old);
  fputs(", ", out);
  put_step(out, increment);
  part_put(out, increment->rest[1]);
  fputc('\n', out);
}

static void put_plain(FILE *out, const struct increment *increment,
                      const struct pointer_form *form) {
  const char *align = align_of(form);
  bool loads = increment->load.size > 0;
  fputs("  ", out);
  part_put(out, loads ? increment->load : increment->result);
  fputs(" = load i32, ", out);
  put_pointer(out, increment, form);
  fputs(align, out);
  part_put(out, increment->rest[0]);
  fputc('\n', out);
  put_add(out, increment);
  fputs("  store i32 ", out);
  if (loads)
    part_put(out, increment->result);
  else
    put_name(out, increment, sum_suffix);
  fputs(", ", out);
  put_pointer(out, increment, form);
  fputs(align, out);
  part_put(out, increment->rest[2]);
  fputc('\n', out);
}

/* The sum of a loading increment remains, unused: the values behind it are
 * numbered in order. */
static void put_atomic(FILE *out, const struct increment *increment,
                       const struct pointer_form *form) {
  bool loads = increment->load.size > 0;
  fputs("  ", out);
  part_put(out, loads ? increment->load : increment->result);
  fputs(" = atomicrmw add ", out);
  put_pointer(out, increment, form);
  fputs(", i32 ", out);
  put_step(out, increment);
  fprintf(out, " monotonic%s", align_of(form));
  part_put(out, increment->rest[2]);
  fputc('\n', out);
  if (loads)
    put_add(out, increment);
}

void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *counting) {
  struct pointer_form form = {counting->big, counting->packed,
                              put_place(out, increment, counting->big)};
  if (!is_number(increment->step)) {
    fputs("  ", out);
    put_name(out, increment, step_suffix);
    fputs(" = trunc i64 ", out);
    part_put(out, increment->step);
    fputs(" to i32\n", out);
  }
  if (counting->atomic)
    put_atomic(out, increment, &form);
  else
    put_plain(out, increment, &form);
}
