/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values without a name are numbered in order, so new values have names, and
 * each value that was there stays.
 */
#include "increment.h"

#include <string.h>

/* ---- the parts of a line ---- */

/* Takes a local name: % and characters up to a blank or comma, or quotes. */
struct part text_name(struct part *text) {
  size_t size = 0;
  bool quoted = false;
  if (!part_begins(*text, "%"))
    return (struct part){text->at, 0};
  while (size < text->size &&
         (quoted || (text->at[size] != ' ' && text->at[size] != ','))) {
    quoted ^= text->at[size] == '"';
    size++;
  }
  return part_cut(text, size);
}

struct part text_global(struct part *text) {
  static const char others[] = "$._-";
  size_t size = 1;
  bool quoted = text->size > 1 && text->at[1] == '"';
  if (!part_begins(*text, "@"))
    return (struct part){text->at, 0};
  for (size += quoted; size < text->size; size++) {
    char c = text->at[size];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || (c && strchr(others, c));
    if (quoted ? c == '"' : !plain)
      break;
  }
  if (quoted && size < text->size)
    size++;
  return part_cut(text, size);
}

/* Takes an operand: up to a comma that is in no bracket and no quotes, or up to
 * the end of the line. */
static struct part take_operand(struct part *text) {
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
  return part_cut(text, size);
}

/* Takes a value: a name, or a number of at most 9 digits. */
static struct part take_value(struct part *text) {
  struct part digits;
  return part_match(text, NULL, "%d", &digits) ? digits : text_name(text);
}

/* %n is a name, %v a value, %o an operand. */
static struct part take_kind(struct part *text, char letter) {
  struct part taken = letter == 'n'   ? text_name(text)
                      : letter == 'v' ? take_value(text)
                                      : take_operand(text);
  taken.size -= taken.size == 1 && *taken.at == '%';
  return taken;
}

static bool is_metadata(struct part text) {
  return text.size == 0 ||
         (part_begins(text, ", !") && !part_contains(text, "@"));
}

/* Takes ", align 8", or 4 for x86. What follows may only be metadata. */
static bool take_align(struct part *text) {
  return (part_take(text, ", align 8") || part_take(text, ", align 4")) &&
         is_metadata(*text);
}

/* Whether the operand is, or is made from, the address of a counter. */
bool of_counter(struct part operand) {
  return part_contains(operand, "@__profc_") ||
         part_contains(operand, "@\"__profc_");
}

/* ---- increments ---- */

/* The parts of a pointer operand. */
static struct part pointer_value(struct part pointer, struct part *type) {
  struct part value = pointer;
  /* "ptr", "i64*", "ptr addrspace(1)": a value begins with %, @ or a letter
   * after the type. */
  *type = (struct part){pointer.at, 0};
  while (value.size && *value.at != ' ')
    part_cut(&value, 1);
  if (part_begins(value, " addrspace("))
    while (value.size && *value.at != ')')
      part_cut(&value, 1);
  while (value.size && *value.at != ' ')
    part_cut(&value, 1);
  type->size = pointer.size - value.size;
  part_take(&value, " ");
  return value;
}

static bool is_pointer(struct part pointer) {
  struct part type, value = pointer_value(pointer, &type);
  return type.size > 0 && value.size > 0;
}

bool increment_is_of(const struct increment *increment, struct part moved) {
  struct part type, value = pointer_value(increment->pointer, &type);
  return of_counter(value) || (value.size && part_same(value, moved));
}

/* "  %pgocount1 = load i64, ptr @__profc_f, align 8" */
static bool take_load(struct part line, struct increment *to) {
  bool is = part_match(&line, take_kind, "  %n = load i64, %o", &to->load,
                       &to->pointer) &&
            part_begins(to->load, "%pgocount") && is_pointer(to->pointer) &&
            take_align(&line);
  to->rest[0] = line;
  return is;
}

/* "  %1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8" */
static bool take_atomic(struct part line, struct part moved,
                        struct increment *to) {
  if (!part_match(&line, take_kind, "  %n = atomicrmw add %o, i64 %v monotonic",
                  &to->result, &to->pointer, &to->step) ||
      !is_pointer(to->pointer) || part_begins(to->result, "%\"") ||
      !increment_is_of(to, moved) || !take_align(&line))
    return false;
  to->load = (struct part){0};
  to->rest[0] = to->rest[1] = to->rest[2] = line;
  return true;
}

/* Behind the load, "  %1 = add i64 %pgocount1, 1" and
 * "  store i64 %1, ptr @__profc_f, align 8". */
unsigned increment_read(struct increment *to, struct part line, const char *end,
                        struct part moved) {
  struct part again, pointer;
  if (take_atomic(line, moved, to))
    return 1;
  if (!take_load(line, to))
    return 0;
  line = line_after(line, end);
  to->rest[1] = line;
  if (!part_match(&to->rest[1], take_kind, "  %n = add i64 %n, %v", &to->result,
                  &again, &to->step) ||
      !part_same(again, to->load) || !is_metadata(to->rest[1]))
    return 0;
  to->rest[2] = line_after(line, end);
  return part_match(&to->rest[2], take_kind, "  store i64 %n, %o", &again,
                    &pointer) &&
                 part_same(again, to->result) &&
                 part_same(pointer, to->pointer) && take_align(&to->rest[2])
             ? 3
             : 0;
}

/* Whether the line counts in a way that increment_read does not know. */
bool counts_otherwise(struct part line) {
  struct increment increment;
  if (take_load(line, &increment))
    return true;
  return of_counter(line) && (part_contains(line, " = load i64, ") ||
                              (part_contains(line, " = atomicrmw ") &&
                               part_contains(line, ", i64 ")));
}

/* ---- narrow increments ---- */

/* A new name is the load's, or of the atomic result, and a suffix: the numbers
 * of values that have none must not change. */
struct new_name {
  const char *before;
  struct part name;
  const char *after;
};
#define NEW(suffix) new.before, new.name, suffix, new.after
#define NEW_NAME "%s%p%s%s"

static struct new_name name_of(const struct increment *increment) {
  struct part name = increment->load;
  if (!name.size) {
    name = increment->result;
    part_cut(&name, 1);
    return (struct new_name){"%pgocount.of.", name, ""};
  }
  bool quoted = name.at[name.size - 1] == '"';
  name.size -= quoted;
  return (struct new_name){"", name, quoted ? "\"" : ""};
}

/* The pointer to the low word, with its type. local: put_place made it. */
static void put_pointer(FILE *out, const struct increment *increment,
                        const struct counting *how, bool local) {
  const struct new_name new = name_of(increment);
  struct part type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  part_print(out, typed ? "i32* " : "%p ", type);
  if (local)
    part_print(out, NEW_NAME, NEW(".low"));
  else if (typed)
    part_print(out,
               how->big
                   ? "getelementptr (i32, i32* bitcast (%p to i32*), i32 1)"
                   : "bitcast (%p to i32*)",
               increment->pointer);
  else if (how->big)
    part_print(out, "getelementptr (i8, %p, i32 4)", increment->pointer);
  else
    part_put(out, value);
}

/* Writes the instructions that a local pointer needs, if any. Returns whether
 * there are some: then the pointer is the new name with .low. */
static bool put_place(FILE *out, const struct increment *increment, bool big) {
  const struct new_name new = name_of(increment);
  struct part type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (!part_begins(value, "%") || (!typed && !big))
    return false;
  if (typed)
    part_print(out, "  " NEW_NAME " = bitcast %p to i32*\n",
               NEW(big ? ".words" : ".low"), increment->pointer);
  if (big && typed)
    part_print(out,
               "  " NEW_NAME " = getelementptr i32, i32* " NEW_NAME ", i32 1\n",
               NEW(".low"), NEW(".words"));
  else if (big)
    part_print(out, "  " NEW_NAME " = getelementptr i8, %p, i32 4\n",
               NEW(".low"), increment->pointer);
  return true;
}

static void put_step(FILE *out, const struct increment *increment) {
  const struct new_name new = name_of(increment);
  if (*increment->step.at != '%')
    part_put(out, increment->step);
  else
    part_print(out, NEW_NAME, NEW(".step"));
}

/* An atomic sum of a loading increment remains, unused: the values after it
 * are numbered in order. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *how) {
  const struct new_name new = name_of(increment);
  const char *align = how->big || how->packed ? ", align 4" : ", align 8";
  const struct part *rest = increment->rest;
  bool local = put_place(out, increment, how->big);
  bool loads = increment->load.size > 0;
  struct part old = loads ? increment->load : increment->result;
  if (*increment->step.at == '%')
    part_print(out, "  " NEW_NAME " = trunc i64 %p to i32\n", NEW(".step"),
               increment->step);
  part_print(out, how->atomic ? "  %p = atomicrmw add " : "  %p = load i32, ",
             old);
  put_pointer(out, increment, how, local);
  if (how->atomic) {
    part_print(out, ", i32 ");
    put_step(out, increment);
    part_print(out, " monotonic");
  }
  part_print(out, "%s%p\n", align, rest[how->atomic ? 2 : 0]);
  if (how->atomic && !loads)
    return;
  if (loads)
    part_print(out, "  %p = add i32 %p, ", increment->result, old);
  else
    part_print(out, "  " NEW_NAME " = add i32 %p, ", NEW(".sum"), old);
  put_step(out, increment);
  part_print(out, "%p\n", rest[1]);
  if (how->atomic)
    return;
  if (loads)
    part_print(out, "  store i32 %p, ", increment->result);
  else
    part_print(out, "  store i32 " NEW_NAME ", ", NEW(".sum"));
  put_pointer(out, increment, how, local);
  part_print(out, "%s%p\n", align, rest[2]);
}
