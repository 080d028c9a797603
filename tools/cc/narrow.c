/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes increments of counters 32-bit in a lowered module, and with 32-packed
 * the counters themselves. increment.c reads and writes the increments;
 * launch.c passes the result to the back end.
 */
#include "modes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "image_row.h"
#include "increment.h"

/* ---- 4-byte counters ----
 *
 * Changes the arrays of counters and each address in them. Increments still
 * have 64 bits afterwards; narrow_text changes those.
 *
 * clang 13 and 14 write the type of each pointer. There the new address is cast
 * to the old type, because the text around it names that type. */

static const char other_size[] =
    "some counters are not 8 bytes wide, so bareprof cannot narrow them to 4 "
    "bytes; compile without single-byte coverage, or without "
    "--counters=32-packed";
static const char other_place[] =
    "some counters are outside of the section __llvm_prf_cnts; compile for an "
    "ELF target, or without --counters=32-packed";
static const char other_form[] =
    "a counter address has an unsupported format; compile with clang 13 to 23, "
    "or with --counters=64";

/* Reads "[6 x i64]". count: the number. */
static bool take_array(struct part *text, struct part *count) {
  return part_match(text, NULL, "[%d x i64]", count);
}

/* Reads the name of a function's counters. */
static bool take_counters(struct part *text, struct part *name) {
  if (!part_begins(*text, "@__profc_") && !part_begins(*text, "@\"__profc_"))
    return false;
  *name = text_global(text);
  return true;
}

/* The address of a counter, as the text writes it. */
struct address {
  struct part flags; /* after getelementptr: " inbounds", or empty */
  struct part count; /* of the array; empty: the index is an offset in bytes */
  struct part name;
  struct part step;     /* before the index: ", i32 0, i32 " */
  struct part index;    /* empty: the address of the array itself */
  bool typed;           /* the pointer has the array's type */
};

/* Reads "ptr @__profc_f" or "[6 x i64]* @__profc_f". */
static bool take_pointer(struct part *text, struct address *to) {
  struct part count;
  to->typed = !part_take(text, "ptr ");
  if (to->typed) {
    if (!take_array(text, &count) || !part_take(text, "* "))
      return false;
    to->count = count;
  }
  return take_counters(text, &to->name);
}

/* Returns the text between two places. */
static struct part between(struct part from, struct part to) {
  return (struct part){from.at, (size_t)(to.at - from.at)};
}

/* Reads ", i32 0, i32 3", or ", i32 24" if the offset is in bytes. */
static bool take_index(struct part *text, struct address *to) {
  struct part begin = *text, zero;
  unsigned numbers = to->count.size ? 2 : 1;
  for (; numbers; numbers--) {
    if (!part_take(text, ", i32 ") && !part_take(text, ", i64 "))
      return false;
    to->step = between(begin, *text);
    zero = to->index;
    if (!part_match(text, NULL, "%d", &to->index))
      return false;
  }
  return !zero.size || (zero.size == 1 && *zero.at == '0');
}

/* Reads "getelementptr inbounds ([6 x i64], ptr @__profc_f, i32 0, i32 3)", or
 * the form with bytes, (i8, ptr @__profc_f, i32 24). */
static bool take_element(struct part *text, struct address *to) {
  if (!part_take(text, "getelementptr"))
    return false;
  struct part begin = *text;
  while (text->size && *text->at != '(' && *text->at != '[')
    part_cut(text, 1);
  to->flags = between(begin, *text);
  if (to->flags.size)
    to->flags.size--; /* without the blank */
  if (!part_take(text, "("))
    return false;
  if (!part_take(text, "i8") && !take_array(text, &to->count))
    return false;
  return part_take(text, ", ") && take_pointer(text, to) &&
         take_index(text, to) && part_take(text, ")");
}

/* Writes the index of a counter. An offset in bytes becomes half as large. */
static void put_index(FILE *out, const struct address *address) {
  unsigned long offset = 0;
  part_put(out, address->step);
  for (size_t i = 0; i < address->index.size; i++)
    offset = offset * 10 + (unsigned)(address->index.at[i] - '0');
  if (address->count.size)
    part_put(out, address->index);
  else
    fprintf(out, "%lu", offset / 2);
}

static void put_element(FILE *out, const struct address *address) {
  part_print(out,
             address->typed ? "bitcast (i32* getelementptr%p ("
                            : "getelementptr%p (",
             address->flags);
  part_print(out, address->count.size ? "[%p x i32], " : "i8, ",
             address->count);
  part_print(out, address->typed ? "[%p x i32]* " : "ptr ", address->count);
  part_put(out, address->name);
  put_index(out, address);
  fputs(address->typed ? ") to i64*)" : ")", out);
}

/* Writes "[6 x i64]* @__profc_f" with a cast to the old type. */
static void put_typed(FILE *out, const struct address *address) {
  part_print(out, "[%p x i64]* bitcast ([%p x i32]* %p to [%p x i64]*)",
             address->count, address->count, address->name, address->count);
}

/* Whether the text begins with the address of a counter in a form that
 * take_element does not know. */
static bool is_other_element(struct part text) {
  const char *close = memchr(text.at, ')', text.size);
  if (close)
    text.size = (size_t)(close - text.at);
  return part_begins(text, "getelementptr") && of_counter(text);
}

/* Whether the offset is a counter's own, so that half of it is the offset of
 * the 4-byte counter. */
static bool is_whole(const struct address *address) {
  unsigned last = 0;
  for (size_t i = 0; i < address->index.size; i++)
    last = (last * 10 + (unsigned)(address->index.at[i] - '0')) % 8;
  return address->count.size || last == 0;
}

/* Copies a line and changes the addresses in it. Returns NULL or the error. */
static const char *put_line(FILE *out, struct part line) {
  while (line.size) {
    struct address element = {.typed = false}, array = element;
    struct part rest = line, other = line;
    if (take_element(&rest, &element) && is_whole(&element)) {
      put_element(out, &element);
      line = rest;
    } else if (*line.at == '[' && take_pointer(&other, &array)) {
      put_typed(out, &array);
      line = other;
    } else if (is_other_element(line)) {
      return other_form;
    } else {
      fputc(*line.at, out);
      part_cut(&line, 1);
    }
  }
  return NULL;
}

/* Copies up to a word and replaces the word. Returns false if it is missing. */
static bool put_replaced(FILE *out, struct part *line, const char *word,
                         const char *by) {
  while (line->size && !part_begins(*line, word)) {
    fputc(*line->at, out);
    part_cut(line, 1);
  }
  fputs(line->size ? by : "", out);
  return part_take(line, word);
}

/* Writes the line of an array. Returns NULL or the error. */
static const char *put_counters(FILE *out, struct part line) {
  struct part name = text_global(&line);
  part_put(out, name);
  if (!put_replaced(out, &line, " x i64] zeroinitializer, ",
                    " x i32] zeroinitializer, "))
    return other_size;
  if (!part_take(&line, "section \"__llvm_prf_cnts\""))
    return other_place;
  fputs("section \"__llvm_prf_cnt4\"", out);
  if (!put_replaced(out, &line, ", align 8", ", align 4"))
    return other_size;
  part_put(out, line);
  return NULL;
}

/* Writes the module. An array of counters,
 *
 *   @__profc_f = private global [2 x i64] zeroinitializer,
 *     section "__llvm_prf_cnts", comdat, align 8
 *
 * becomes [2 x i32] in section "__llvm_prf_cnt4", align 4. The address of a
 * counter becomes the address of the same counter, with its old type. Ignores
 * errors of out. Returns NULL or the error: counters have another size, section
 * or address. */
static const char *pack_module(struct bytes module, FILE *out) {
  const char *at = (const char *)module.data, *end = at + module.size;
  while (at < end) {
    struct part line = line_at(at, end), name, rest = line;
    const char *error = NULL;
    if (take_counters(&rest, &name))
      error = put_counters(out, line);
    else if (of_counter(line))
      error = put_line(out, line);
    else
      part_put(out, line);
    if (error)
      return error;
    fputc('\n', out);
    at = line.at + line.size + 1;
  }
  return NULL;
}

/* ---- all ---- */

enum { SOURCE_SHOWN = 200 };

struct narrow_reader {
  struct narrow *narrow;
  FILE *out;
  const char *end;       /* end of the module */
  struct part source;    /* the source file, as the module writes it */
  bool big;              /* big-endian */
  bool body;             /* the current line is in a function */
  bool counters;         /* there are 64-bit counters */
  bool bytes;            /* there are clang's own byte counters */
  bool mapped;           /* there is a coverage mapping */
  unsigned raw;          /* the compiler's raw version; 0: not known */
  const char *error;     /* the compiler's release is not known */
  size_t used;           /* functions that the coverage mapping says are used;
                            each has an increment */
  /* With -runtime-counter-relocation: the last sum of a counter's address and
   * the bias, and the last pointer made from such a sum. Empty: none. */
  struct part sum, moved;
};

/* ---- modules ---- */

/* Follows "  %2 = add i64 ptrtoint (ptr @__profc_f to i64), %1" and the next
 * line, "  %3 = inttoptr i64 %2 to ptr": %3 is the counter's address plus
 * bias. */
static void follow_moved(struct narrow_reader *reader, struct part line) {
  struct part name;
  if (!part_take(&line, "  ") || (name = text_name(&line)).size == 0)
    return;
  if (part_begins(line, " = add i64 ptrtoint (") && of_counter(line))
    reader->sum = name;
  else if (part_take(&line, " = inttoptr i64 ") && reader->sum.size &&
           part_same(text_name(&line), reader->sum))
    reader->moved = name;
}

static void read_outside(struct narrow_reader *reader, struct part line) {
  if (part_begins(line, "define ")) {
    reader->body = true;
    reader->sum = reader->moved = (struct part){0};
  } else if (part_take(&line, "target datalayout = \"")) {
    reader->big = part_begins(line, "E");
  } else if (part_take(&line, "source_filename = \"")) {
    reader->source = (struct part){line.at, line.size ? line.size - 1 : 0};
  } else if (part_begins(line, "!")) {
    const char *error = check_compiler(line, &reader->raw);
    reader->error = error ? error : reader->error;
  } else if (part_begins(line, "@__covrec_")) {
    struct part name = text_global(&line);
    reader->used += name.at[name.size - 1] == 'u';
  } else if (part_begins(line, "@") && of_counter(line)) {
    reader->counters |=
        part_contains(line, " x i64] ") || part_contains(line, " x i32] ");
    reader->bytes |= part_contains(line, " x i8] ");
  }
  reader->mapped |= part_begins(line, "@__llvm_coverage_mapping");
}

/* Whether the line uses a counter and is not a known increment. */
static bool is_left(const struct narrow_reader *reader, struct part line) {
  bool packed = reader->narrow->packed && of_counter(line) &&
                !part_contains(line, " = add i64 ptrtoint (");
  return packed || counts_otherwise(line);
}

/* Writes a line of a function, or an increment. Returns the last line that it
 * read. */
static struct part read_inside(struct narrow_reader *reader, struct part line) {
  struct increment increment;
  unsigned lines = increment_read(&increment, line, reader->end, reader->moved);
  if (lines && reader->narrow->packed &&
      !increment_is_of(&increment, reader->moved))
    lines = 0;
  if (lines == 0) {
    follow_moved(reader, line);
    reader->narrow->left += is_left(reader, line);
    reader->body = !part_begins(line, "}");
    part_print(reader->out, "%p\n", line);
    return line;
  }
  const struct counting counting = {reader->big && !reader->narrow->packed,
                                    reader->narrow->packed,
                                    reader->narrow->atomic};
  increment_put(reader->out, &increment, &counting);
  reader->narrow->narrowed++;
  while (--lines)
    line = line_after(line, reader->end);
  return line;
}

void width_note(FILE *out, const char *width, size_t left,
                struct bytes source) {
  fprintf(out,
          "\nmodule asm \".pushsection .bareprof.counters,\\22\\22,"
          "%%progbits\"\nmodule asm \".asciz \\22%s %zu ",
          width, left);
  for (size_t i = 0; i < source.size && i < SOURCE_SHOWN; i++) {
    char c = (char)source.data[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || strchr("./_+-", c);
    fputc(plain ? c : '_', out);
  }
  fputs("\\22\"\nmodule asm \".popsection\"\n", out);
}

static void put_symbol(FILE *out, const char *name) {
  fprintf(out,
          "$%s = comdat any\n@%s = weak_odr hidden constant i8 1, comdat\n",
          name, name);
}

/* Writes the version word, as objects with IR PGO have it, plus the bit for
 * 4-byte counters. This word replaces the runtime's word. */
static void put_version(FILE *out, unsigned raw) {
  static const char name[] = "__llvm_profile_raw_version";
  fprintf(out,
          "$%s = comdat any\n@%s = hidden constant i64 %" PRIu32 ", comdat\n",
          name, name, BAREPROF_PACKED | raw);
}

static const char *width_name(const struct narrow_reader *reader) {
  const struct narrow *narrow = reader->narrow;
  if (reader->bytes)
    return "byte";
  if (narrow->packed)
    return narrow->atomic ? "32-packed-atomic" : "32-packed";
  return narrow->atomic ? "32-atomic" : "32";
}

/* Writes the notes about the counters. Their section is not loaded.
 * bareprof_counters_32 is an absolute symbol, a flag of the wire format (see
 * weak_hooks.h), so only assembly can define it. Full LTO joins the assembly of
 * all objects, and LLVM 22 then loses a symbol that is set twice.
 * bareprof_counters_loose is a byte, which linkers keep if something refers to
 * it. */
static void put_marks(const struct narrow_reader *reader) {
  const struct narrow *narrow = reader->narrow;
  FILE *out = reader->out;
  width_note(out, width_name(reader), narrow->left,
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
    put_version(out, reader->raw);
  else if (!narrow->atomic || narrow->left)
    put_symbol(out, "bareprof_counters_loose");
}

static const char *narrow_text(struct narrow *narrow, struct bytes module,
                               FILE *out) {
  const char *at = (const char *)module.data;
  struct narrow_reader reader = {
      .narrow = narrow, .out = out, .end = at + module.size};
  narrow->narrowed = narrow->left = 0;
  while (at < reader.end) {
    struct part line = line_at(at, reader.end);
    if (reader.body) {
      line = read_inside(&reader, line);
    } else {
      read_outside(&reader, line);
      part_print(out, "%p\n", line);
    }
    at = line.at + line.size + 1;
  }
  if (reader.error)
    return reader.error;
  if (reader.counters && (narrow->narrowed == 0 ||
                          narrow->narrowed + narrow->left < reader.used))
    return "a counter is incremented in an unsupported way; compile with clang "
           "13 to 23, or with --counters=64";
  if (narrow->packed && narrow->left)
    return "some code uses 8-byte counters in a way that bareprof cannot "
           "narrow to 4 bytes; compile without --counters=32-packed";
  if (narrow->packed && narrow->narrowed && !reader.raw)
    return "the IR does not name the clang release, so the raw version is "
           "unknown; compile with -fident, or without --counters=32-packed";
  if (narrow->narrowed || reader.mapped)
    put_marks(&reader);
  return NULL;
}

static const char *narrow_packed(struct narrow *narrow, struct bytes module,
                                 FILE *out) {
  char *text = NULL;
  size_t size = 0;
  FILE *packed = os_memory_begin(&text, &size);
  if (!packed)
    return out_of_memory;
  const char *error = pack_module(module, packed);
  if (!os_memory_end(packed, &text, &size) && !error)
    error = out_of_memory;
  if (!error)
    error = narrow_text(narrow,
                        (struct bytes){(const unsigned char *)text, size}, out);
  free(text);
  return error;
}

const char *narrow_module(struct narrow *narrow, struct bytes module,
                          FILE *out) {
  return (narrow->packed ? narrow_packed : narrow_text)(narrow, module, out);
}
