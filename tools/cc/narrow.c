/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changes increments of counters in a lowered module to 32 bits; with
 * 32-packed, the counters get 32 bits, too. increment.c parses and writes the
 * increments; launch.c passes the result to the back end.
 */
#include "steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/llvm.h"
#include "image_layout.h"
#include "increment.h"

/* ---- 4-byte counters ----
 *
 * Changes the arrays of counters and each address in them. The increments still
 * have 64 bits afterwards; narrow_increments changes them.
 *
 * clang 13 and 14 write the type of each pointer. In their text the new address
 * is cast to the old type, because the text around it names the old type. */

/* Parses "[6 x i64]", and sets *count to the number. */
static bool parse_array_type(struct text_part *text, struct text_part *count) {
  return part_match_pattern(text, NULL, "[%d x i64]", count);
}

static bool parse_counters_name(struct text_part *text,
                                struct text_part *name) {
  if (!part_starts_with(*text, "@__profc_") &&
      !part_starts_with(*text, "@\"__profc_"))
    return false;
  *name = text_cut_global(text);
  return true;
}

/* The address of a counter, as it is written in the text. */
struct counter_address {
  struct text_part flags; /* the text after getelementptr: " inbounds", or
                             empty */
  /* the number of elements of the array; empty: the index is in bytes */
  struct text_part count;
  struct text_part name;
  struct text_part step;  /* the text before the index: ", i32 0, i32 " */
  struct text_part index; /* the index; empty: the address is the address of the
                             array */
  bool typed;             /* the pointer has the type of the array */
};

/* Parses "ptr @__profc_f" or "[6 x i64]* @__profc_f". */
static bool parse_array_pointer(struct text_part *text,
                                struct counter_address *to) {
  struct text_part count;
  to->typed = !part_skip_word(text, "ptr ");
  if (to->typed) {
    if (!parse_array_type(text, &count) || !part_skip_word(text, "* "))
      return false;
    to->count = count;
  }
  return parse_counters_name(text, &to->name);
}

/* Parses ", i32 0, i32 3", or ", i32 24" if the offset is in bytes. */
static bool parse_element_index(struct text_part *text,
                                struct counter_address *to) {
  struct text_part begin = *text, zero;
  unsigned numbers = to->count.size ? 2 : 1;
  for (; numbers; numbers--) {
    if (!part_skip_word(text, ", i32 ") && !part_skip_word(text, ", i64 "))
      return false;
    to->step = text_between(begin, *text);
    zero = to->index;
    if (!part_match_pattern(text, NULL, "%d", &to->index))
      return false;
  }
  return !zero.size || (zero.size == 1 && *zero.at == '0');
}

/* Parses "getelementptr inbounds ([6 x i64], ptr @__profc_f, i32 0, i32 3)", or
 * the form with bytes, (i8, ptr @__profc_f, i32 24). */
static bool parse_element_address(struct text_part *text,
                                  struct counter_address *to) {
  if (!part_skip_word(text, "getelementptr"))
    return false;
  to->flags = text_cut_until(text, "([");
  to->flags.size -= to->flags.size > 0; /* remove the blank at the end */
  return part_skip_word(text, "(") &&
         (part_skip_word(text, "i8") || parse_array_type(text, &to->count)) &&
         part_skip_word(text, ", ") && parse_array_pointer(text, to) &&
         parse_element_index(text, to) && part_skip_word(text, ")");
}

/* Writes the address of the 4-byte counter. An offset in bytes becomes half as
 * large. */
static void print_narrow_address(FILE *out,
                                 const struct counter_address *address) {
  struct text_part count = address->count, index = address->index;
  uint64_t offset;
  part_print_pattern(out,
                     address->typed ? "bitcast (i32* getelementptr%p ("
                                    : "getelementptr%p (",
                     address->flags);
  part_print_pattern(out, count.size ? "[%p x i32], " : "i8, ", count);
  part_print_pattern(out, address->typed ? "[%p x i32]* " : "ptr ", count);
  part_print_pattern(out, "%p%p", address->name, address->step);
  if (count.size)
    part_print_text(out, index);
  else if (part_parse_number(&index, &offset))
    fprintf(out, "%" PRIu64, offset / 2);
  fputs(address->typed ? ") to i64*)" : ")", out);
}

/* Writes "[6 x i64]* @__profc_f" with a cast to the old type. */
static void print_cast_array(FILE *out, const struct counter_address *address) {
  part_print_pattern(out, "[%p x i64]* bitcast ([%p x i32]* %p to [%p x i64]*)",
                     address->count, address->count, address->name,
                     address->count);
}

/* Returns whether the text begins with the address of a counter in a form that
 * parse_element_address does not know. */
static bool is_unknown_counter_address(struct text_part text) {
  const char *close = memchr(text.at, ')', text.size);
  if (close)
    text.size = (size_t)(close - text.at);
  return part_starts_with(text, "getelementptr") &&
         text_has_counter_symbol(text);
}

/* Returns whether the offset is the beginning of a counter, so that half of the
 * offset is the offset of the 4-byte counter. */
static bool is_counter_offset(const struct counter_address *address) {
  struct text_part index = address->index;
  uint64_t offset;
  return address->count.size || !part_parse_number(&index, &offset) ||
         offset % 8 == 0;
}

/* Copies a line, and changes the addresses of counters in it. */
static void print_packed_line(FILE *out, struct text_part line) {
  while (line.size) {
    struct counter_address element = {.typed = false}, array = element;
    struct text_part rest = line, other = line;
    if (parse_element_address(&rest, &element) && is_counter_offset(&element)) {
      print_narrow_address(out, &element);
      line = rest;
    } else if (*line.at == '[' && parse_array_pointer(&other, &array)) {
      print_cast_array(out, &array);
      line = other;
    } else if (is_unknown_counter_address(line)) {
      raise_error("a counter address has an unsupported format; compile with "
                  "clang 13 to " LLVM_LAST_TEXT ", or with --counters=64");
    } else {
      part_print_text(out, part_cut_front(&line, 1));
    }
  }
}

/* Copies the line up to a word, and writes `by` instead of the word. */
static void print_replaced_word(FILE *out, struct text_part *line,
                                const char *word, const char *by) {
  struct text_part begin = *line;
  if (!part_skip_past(line, word))
    raise_error("some counters are not 8 bytes wide, so bareprof cannot narrow "
                "them to 4 bytes; compile without single-byte coverage, or "
                "without --counters=32-packed");
  begin.size -= line->size + strlen(word);
  part_print_pattern(out, "%p%s", begin, by);
}

static void print_packed_array(FILE *out, struct text_part line) {
  print_replaced_word(out, &line, " x i64] zeroinitializer, ",
                      " x i32] zeroinitializer, ");
  if (!part_skip_word(&line, "section \"__llvm_prf_cnts\""))
    raise_error("some counters are outside of the section __llvm_prf_cnts; "
                "compile for an ELF target, or without --counters=32-packed");
  fputs("section \"__llvm_prf_cnt4\"", out);
  print_replaced_word(out, &line, ", align 8", ", align 4");
  part_print_text(out, line);
}

struct narrow_rewriter {
  struct counter_narrowing *narrow;
  FILE *out;
  struct bytes module;     /* the rest of the module, which was not read yet */
  struct text_part source; /* the name of the source file, as the module writes
                              it */
  bool big;                /* the target is big-endian */
  bool body;               /* the current line is in a function */
  bool counters;           /* the module has 64-bit counters */
  bool bytes;              /* the module has clang's own byte counters */
  bool mapped;             /* the module has a coverage mapping */
  unsigned raw;            /* the version of the compiler's raw profiles; 0:
                              unknown */
  const char *error;       /* the error if the compiler's release is not
                              known */
  size_t used;             /* the number of functions that are in use according
                              to the coverage mapping; each has an increment */
  /* With -runtime-counter-relocation: `sum` is the last sum of a counter's
   * address and the bias, `moved` the last pointer made from such a sum. Empty:
   * none. */
  struct text_part sum, moved;
};

/* Writes the module. An array of counters,
 *
 *   @__profc_f = private global [2 x i64] zeroinitializer,
 *     section "__llvm_prf_cnts", comdat, align 8
 *
 * becomes [2 x i32] in section "__llvm_prf_cnt4", align 4. The address of a
 * counter becomes the address of the same counter, with its old type. */
static void print_packed_module(void *context) {
  struct narrow_rewriter *reader = context;
  FILE *out = reader->out;
  for (struct text_part line; text_next_line(&reader->module, &line);
       fputc('\n', out)) {
    struct text_part name, rest = line;
    if (parse_counters_name(&rest, &name))
      print_packed_array(out, line);
    else if (text_has_counter_symbol(line))
      print_packed_line(out, line);
    else
      part_print_text(out, line);
  }
}

/* ---- modules ---- */

enum { SOURCE_SHOWN = 200 };

/* Follows the pointer that is the counter's address plus the bias. The text has
 * " %2 = add i64 ptrtoint (ptr @__profc_f to i64), %1", and in the next line "
 * %3 = inttoptr i64 %2 to ptr": %3 is the pointer. */
static void track_biased_pointer(struct narrow_rewriter *reader,
                                 struct text_part line) {
  struct text_part name;
  if (!part_skip_word(&line, "  ") || (name = text_cut_local(&line)).size == 0)
    return;
  if (part_starts_with(line, " = add i64 ptrtoint (") &&
      text_has_counter_symbol(line))
    reader->sum = name;
  else if (part_skip_word(&line, " = inttoptr i64 ") && reader->sum.size &&
           part_equals(text_cut_local(&line), reader->sum))
    reader->moved = name;
}

static void parse_global_line(struct narrow_rewriter *reader,
                              struct text_part line) {
  if (part_starts_with(line, "define ")) {
    reader->body = true;
    reader->sum = reader->moved = (struct text_part){0};
  } else if (part_skip_word(&line, "target datalayout = \"")) {
    reader->big = part_starts_with(line, "E");
  } else if (part_skip_word(&line, "source_filename = \"")) {
    reader->source = (struct text_part){line.at, line.size ? line.size - 1 : 0};
  } else if (part_starts_with(line, "!")) {
    const char *error = cc_parse_raw_version(line, &reader->raw);
    reader->error = error ? error : reader->error;
  } else if (part_starts_with(line, "@__covrec_")) {
    struct text_part name = text_cut_global(&line);
    reader->used += name.at[name.size - 1] == 'u';
  } else if (part_starts_with(line, "@") && text_has_counter_symbol(line)) {
    reader->counters |=
        part_contains(line, " x i64] ") || part_contains(line, " x i32] ");
    reader->bytes |= part_contains(line, " x i8] ");
  }
  reader->mapped |= part_starts_with(line, "@__llvm_coverage_mapping");
}

/* Returns whether the line uses a counter but is not a known increment. If
 * packed, only a line that adds the bias may use one, too. */
static bool is_unknown_counter_use(const struct narrow_rewriter *reader,
                                   struct text_part line) {
  bool packed = reader->narrow->packed && text_has_counter_symbol(line) &&
                !part_contains(line, " = add i64 ptrtoint (");
  return packed || increment_touches_counter(line);
}

/* Writes a line of a function, or all lines of an increment. */
static void rewrite_body_line(struct narrow_rewriter *reader,
                              struct text_part line) {
  struct counter_narrowing *narrow = reader->narrow;
  struct increment increment;
  unsigned lines =
      increment_parse(&increment, line, reader->module, reader->moved);
  if (!lines ||
      (narrow->packed && !increment_has_counter(&increment, reader->moved))) {
    track_biased_pointer(reader, line);
    narrow->left += is_unknown_counter_use(reader, line);
    reader->body = !part_starts_with(line, "}");
    part_print_pattern(reader->out, "%p\n", line);
    return;
  }
  const struct increment_style style = {reader->big && !narrow->packed,
                                        narrow->packed, narrow->atomic};
  increment_print(reader->out, &increment, &style);
  narrow->narrowed++;
  while (--lines)
    text_next_line(&reader->module, &line);
}

void narrow_print_counter_note(FILE *out, const char *width, size_t number,
                               struct bytes source) {
  fprintf(out,
          "\nmodule asm \".pushsection .bareprof.counters,\\22\\22,"
          "%%progbits\"\nmodule asm \".asciz \\22%s %zu ",
          width, number);
  for (size_t i = 0; i < source.size && i < SOURCE_SHOWN; i++) {
    char c = (char)source.data[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || strchr("./_+-", c);
    fputc(plain ? c : '_', out);
  }
  fputs("\\22\"\nmodule asm \".popsection\"\n", out);
}

static void print_weak_symbol(FILE *out, const char *name) {
  fprintf(out,
          "$%s = comdat any\n@%s = weak_odr hidden constant i8 1, comdat\n",
          name, name);
}

/* Writes the version word as objects with IR PGO have it, and adds the bit for
 * 4-byte counters. This word replaces the runtime's word. */
static void print_version_word(FILE *out, unsigned raw) {
  static const char name[] = "__llvm_profile_raw_version";
  fprintf(out,
          "$%s = comdat any\n@%s = hidden constant i64 %" PRIu32 ", comdat\n",
          name, name, BAREPROF_PACKED | raw);
}

static const char *width_name(const struct narrow_rewriter *reader) {
  const struct counter_narrowing *narrow = reader->narrow;
  if (reader->bytes)
    return "byte";
  if (narrow->packed)
    return narrow->atomic ? "32-packed-atomic" : "32-packed";
  return narrow->atomic ? "32-atomic" : "32";
}

/* Writes the notes about the counters. The section of the notes is not loaded.
 * bareprof_counters_32 is an absolute symbol, a flag of the wire format (see
 * weak_hooks.h), so only assembly can define it. Full LTO joins the assembly of
 * all objects, and LLVM 22 then loses a symbol that is set twice.
 * bareprof_counters_loose is a byte, because the linker scripts refer to it:
 * an image with bareprof_fold must not have it. */
static void print_width_notes(const struct narrow_rewriter *reader) {
  const struct counter_narrowing *narrow = reader->narrow;
  FILE *out = reader->out;
  narrow_print_counter_note(
      out, width_name(reader), narrow->left,
      (struct bytes){(const unsigned char *)reader->source.at,
                     reader->source.size});
  if (!narrow->narrowed)
    return;
  fputs("module asm \".ifndef bareprof_counters_32\"\n"
        "module asm \".weak bareprof_counters_32\"\n"
        "module asm \".set bareprof_counters_32, 64\"\n"
        "module asm \".endif\"\n",
        out);
  if (narrow->packed)
    print_version_word(out, reader->raw);
  else if (!narrow->atomic || narrow->left)
    print_weak_symbol(out, "bareprof_counters_loose");
}

static void narrow_increments(void *context) {
  struct narrow_rewriter *reader = context;
  struct counter_narrowing *narrow = reader->narrow;
  for (struct text_part line; text_next_line(&reader->module, &line);) {
    if (reader->body) {
      rewrite_body_line(reader, line);
    } else {
      parse_global_line(reader, line);
      part_print_pattern(reader->out, "%p\n", line);
    }
  }
  raise_if_error(reader->error);
  if (reader->counters &&
      (narrow->narrowed == 0 || narrow->narrowed + narrow->left < reader->used))
    raise_error("a counter is incremented in an unsupported way; compile with "
                "clang 13 to " LLVM_LAST_TEXT ", or with --counters=64");
  if (narrow->packed && narrow->left)
    raise_error("some code uses 8-byte counters in a way that bareprof cannot "
                "narrow to 4 bytes; compile without --counters=32-packed");
  if (narrow->packed && narrow->narrowed && !reader->raw)
    raise_error(
        "the IR does not name the clang release, so the raw version is "
        "unknown; compile with -fident, or without --counters=32-packed");
  if (narrow->narrowed || reader->mapped)
    print_width_notes(reader);
}

static void narrow_packed_module(void *context) {
  struct narrow_rewriter *reader = context;
  size_t size;
  char *text =
      cc_print_to_memory(&reader->out, print_packed_module, reader, &size);
  reader->module = (struct bytes){(const unsigned char *)text, size};
  const char *error = catch_error(narrow_increments, reader);
  free(text);
  raise_if_error(error);
}

const char *narrow_module(struct counter_narrowing *narrow, struct bytes module,
                          FILE *out) {
  struct narrow_rewriter reader = {
      .narrow = narrow, .out = out, .module = module};
  narrow->narrowed = narrow->left = 0;
  return catch_error(narrow->packed ? narrow_packed_module : narrow_increments,
                     &reader);
}
