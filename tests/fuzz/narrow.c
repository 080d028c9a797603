/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: `bareprof cc` on any text instead of a compiler's IR. Bytes from
 * 128 on stand for phrases of IR, so that increments come up. What must hold: a
 * text without increments comes out as it is, or is refused; an increment is
 * narrowed once. Packed, none stays as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/steps.h"
#include "input.h"
#include "phrases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const phrases[] = {
    "define void @f() {\n",
    "}\n",
    "target datalayout = \"E-m:e\"\n",
    "target datalayout = \"e-m:e\"\n",
    "source_filename = \"a \\22 b.c\"\n",
    "@__profc_f = private global [2 x i64] zeroinitializer\n",
    "@__profc_f = private global [2 x i64] zeroinitializer",
    ", section \"__llvm_prf_cnts\", comdat, align 8\n",
    "!0 = !{!\"clang version 22.1.0\"}\n",
    "getelementptr inbounds ([2 x i64], [2 x i64]* @__profc_f, i32 0, i32 1)",
    "getelementptr (i8, ptr @\"__profc_a.c;f\", i32 8)",
    "  %2 = add i64 ptrtoint ([2 x i64]* @__profc_f to i64), %1\n",
    "  %pgocount = load i64, ptr @__profc_f, align 8\n",
    "  %pgocount1.i = load i64, i64* %2, align 8, !dbg !7\n",
    "  %1 = add i64 %pgocount, 1\n",
    "  %1 = add i64 %pgocount1.i, %8, !dbg !7\n",
    "  store i64 %1, ptr @__profc_f, align 8\n",
    "  store i64 %1, i64* %2, align 8, !dbg !7\n",
    "  %1 = atomicrmw add ptr @\"__profc_a.c;f\", i64 1 monotonic, align 8\n",
    "  %4 = atomicrmw add ptr addrspace(1) %3, i64 %9 monotonic, align 8\n",
    "  %2 = add i64 ptrtoint (ptr @__profc_f to i64), %1\n",
    "  %3 = inttoptr i64 %2 to ptr\n",
    "  %pgocount",
    " = load i64, ptr ",
    "getelementptr inbounds ([2 x i64], ptr @__profc_f, i32 0, i32 1)",
    ", align 8\n",
    " = add i64 %pgocount",
    ", 12345678901\n",
    "  store i64 ",
    "%\"a b\"",
    "  %1 = atomicrmw add ",
    ", i64 1 monotonic",
    "\n"};
enum { PHRASES = sizeof phrases / sizeof *phrases };

static char *narrowed(struct counter_narrowing *narrow, const char *text,
                      size_t *size, const char **error) {
  struct bytes module = {(const unsigned char *)text, *size};
  char *to = NULL;
  FILE *out = open_memstream(&to, size);
  *error = narrow_module(narrow, module, out);
  fclose(out);
  return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct counter_narrowing narrow = {.atomic = size && (*data & 1),
                                     .packed = size && (*data & 2)};
  struct counter_narrowing second = narrow;
  const char *error;
  size_t length, out_length;
  char *text = phrases_text(phrases, PHRASES, data, size, &length);
  out_length = length;
  char *out = narrowed(&narrow, text, &out_length, &error);
  if (!error && narrow.packed)
    must(narrow.left == 0, "packed, no increment stays as it was");
  else if (!error && narrow.narrowed == 0) {
    must(out_length >= length && memcmp(out, text, length) == 0,
         "a text without increments comes out as it is");
    must(out_length <= length + 1, "nothing but the end of a line is added");
  }
  if (!error && narrow.narrowed && !narrow.packed) {
    size_t again_length = out_length;
    char *again = narrowed(&second, out, &again_length, &error);
    must(second.narrowed == 0, "an increment is narrowed once");
    free(again);
  }
  free(text);
  free(out);
  return 0;
}
