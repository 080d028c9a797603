/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a module line by line.
 */
#include "modes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../image/witness.h"
#include "image_row.h"
#include "increment.h"

enum { SOURCE_SHOWN = 200 };

struct narrow_reader {
  struct narrow *narrow;
  FILE *out;
  const char *end;       /* of the module */
  struct ir_text source; /* its source file, as the module writes it */
  bool big;              /* the high word comes first */
  bool body;             /* inside a function */
  bool counters;         /* there are counters of 64 bits */
  unsigned raw;          /* the compiler's raw version; 0: it does not say */
  /* -runtime-counter-relocation: the last sum of a counter's address and the
   * bias, and the last pointer made of the sum. Empty: none. */
  struct ir_text sum, moved;
};

/* ---- modules ---- */

/* "  %2 = add i64 ptrtoint (ptr @__profc_f to i64), %1" and, as the next line,
 * "  %3 = inttoptr i64 %2 to ptr": %3 is a moved counter's address. */
static void follow_moved(struct narrow_reader *reader, struct ir_text line) {
  struct ir_text name;
  if (!text_take(&line, "  ") || (name = text_name(&line)).size == 0)
    return;
  if (text_begins(line, " = add i64 ptrtoint (") && of_counter(line))
    reader->sum = name;
  else if (text_take(&line, " = inttoptr i64 ") && reader->sum.size &&
           text_same(text_name(&line), reader->sum))
    reader->moved = name;
}

static void read_outside(struct narrow_reader *reader, struct ir_text line) {
  if (text_begins(line, "define ")) {
    reader->body = true;
    reader->sum = reader->moved = (struct ir_text){0};
  } else if (text_take(&line, "target datalayout = \"")) {
    reader->big = text_begins(line, "E");
  } else if (text_take(&line, "source_filename = \"")) {
    reader->source = (struct ir_text){line.at, line.size ? line.size - 1 : 0};
  } else if (text_begins(line, "!") && text_contains(line, "clang version ")) {
    reader->raw = compiler_raw_in(
        (struct bytes){(const unsigned char *)line.at, line.size});
  } else if (text_begins(line, "@") && of_counter(line)) {
    reader->counters |=
        text_contains(line, " x i64] ") || text_contains(line, " x i32] ");
  }
}

static void put_line(FILE *out, struct ir_text line) {
  fwrite(line.at, 1, line.size, out);
  fputc('\n', out);
}

/* Whether the line uses a counter that is not known to be one of 4 bytes. */
static bool is_left(const struct narrow_reader *reader, struct ir_text line) {
  bool packed = reader->narrow->packed && of_counter(line) &&
                !text_contains(line, " = add i64 ptrtoint (");
  return packed || counts_otherwise(line);
}

/* Handles a line of a function. Returns the last line that it consumed. */
static struct ir_text read_inside(struct narrow_reader *reader,
                                  struct ir_text line) {
  struct increment increment;
  unsigned lines = increment_read(&increment, line, reader->end, reader->moved);
  if (lines && reader->narrow->packed &&
      !increment_is_of(&increment, reader->moved))
    lines = 0;
  if (lines == 0) {
    follow_moved(reader, line);
    reader->narrow->left += is_left(reader, line);
    reader->body = !text_begins(line, "}");
    put_line(reader->out, line);
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

/* The name of the source in a string of the assembler, in a string of LLVM. */
static void put_source(const struct narrow_reader *reader) {
  struct ir_text source = reader->source;
  for (size_t i = 0; i < source.size && i < SOURCE_SHOWN; i++) {
    char c = source.at[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || strchr("./_+-", c);
    fputc(plain ? c : '_', reader->out);
  }
}

static void put_symbol(FILE *out, const char *name) {
  fprintf(out,
          "$%s = comdat any\n@%s = weak_odr hidden constant i8 1, comdat\n",
          name, name);
}

/* As IR PGO's objects bring it, but with the bit of counters of 4 bytes. It
 * takes the place of the runtime's own. */
static void put_version(FILE *out, unsigned raw) {
  static const char name[] = "__llvm_profile_raw_version";
  fprintf(out,
          "$%s = comdat any\n@%s = hidden constant i64 %" PRIu32 ", comdat\n",
          name, name, BAREPROF_PACKED | raw);
}

static const char *width_name(const struct narrow *narrow) {
  if (narrow->packed)
    return narrow->atomic ? "32-packed-atomic" : "32-packed";
  return narrow->atomic ? "32-atomic" : "32";
}

/* The section is not loaded. bareprof_counters_32 is a flag of the wire, see
 * seams.h: an absolute symbol, which only assembly can define. Full LTO makes
 * one assembly of all objects, and LLVM 22 then loses a symbol that is set
 * again. bareprof_counters_loose is a byte, which linkers keep where something
 * refers to it. */
static void put_marks(const struct narrow_reader *reader) {
  const struct narrow *narrow = reader->narrow;
  FILE *out = reader->out;
  fputs("\nmodule asm \".pushsection .bareprof.counters,\\22\\22,"
        "%progbits\"\n",
        out);
  fprintf(out, "module asm \".asciz \\22%s %zu ", width_name(narrow),
          narrow->left);
  put_source(reader);
  fputs("\\22\"\nmodule asm \".popsection\"\n", out);
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
    struct ir_text line = line_at(at, reader.end);
    if (reader.body) {
      line = read_inside(&reader, line);
    } else {
      read_outside(&reader, line);
      put_line(out, line);
    }
    at = line.at + line.size + 1;
  }
  if (reader.counters && narrow->narrowed == 0)
    return "its counters are incremented in a way that is not known; compile "
           "with clang 13 to 22, or with --counters=64";
  if (narrow->packed && narrow->left)
    return "some counters are used in a way that is not known, and would be "
           "taken for 8 bytes; compile without --counters=32-packed";
  if (narrow->packed && narrow->narrowed && !reader.raw)
    return "its IR does not name its clang, so the raw version is not known; "
           "compile with -fident, or without --counters=32-packed";
  if (narrow->narrowed)
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
