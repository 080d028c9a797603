/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Modules of LLVM's assembly language, whose counters become flags: whatever
 * the text is, there is an output or an error. A byte of the input stands for
 * a phrase.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/modes.h"
#include "input.h"
#include "phrases.h"

#define CALL(word, rest)              \
  "  call void @llvm.instrprof." word \
  "(ptr @__profn_f, i64 1, i32 3, i32 " rest ")\n"

/* `if (a && b)`, as clang's front end leaves it. */
static const char module[] =
    "@__profn_f = private constant [1 x i8] c\"f\"\n"
    "@__covrec_1 = constant <{ i64, i32, i64, i64, [96 x i8] }> <{ i64 -370"
    "6093650706652785, i32 96, i64 1, i64 2, [96 x i8] c\"\\01\\01\\04\\01"
    "\\09\\09\\0D\\01\\05\\01\\05\\0C\\01\\01\\13\\04\\02\\01\\01\\07\\00"
    "\\08\\01\\00\\07\\00\\0D(\\03\\02\\00\\07\\00\\0D0\\09\\02\\01\\02\\00"
    "\\00\\07\\00\\08\\09\\00\\08\\00\\8C\\80\\80\\80\\08\\09\\00\\0C\\00"
    "\\0D0\\0D\\06\\02\\00\\00\\00\\0C\\00\\0D\\05\\00\\0E\\01\\85\\80\\80"
    "\\80\\08\\05\\01\\05\\00\\0D\\0E\\00\\0E\\01\\83\\80\\80\\80\\08\\0E"
    "\\01\\03\\00\\0B\" }>\n"
    "define i32 @f(i32 %0, i32 %1) {\n"
    "  %3 = alloca i32, align 4\n"
    "  %4 = alloca i32, align 4\n"
    "  %5 = alloca i32, align 4\n"
    "  %6 = alloca i32, align 4\n"
    "  store i32 %0, ptr %4, align 4\n"
    "  store i32 %1, ptr %5, align 4\n"
    "  call void @llvm.instrprof.increment(ptr @__profn_f, i64 1, i32 4, i3"
    "2 0)\n"
    "  call void @llvm.instrprof.mcdc.parameters(ptr @__profn_f, i64 1, i32"
    " 3)\n"
    "  store i32 0, ptr %6, align 4\n"
    "  %7 = load i32, ptr %4, align 4\n"
    "  %8 = icmp ne i32 %7, 0\n"
    "  %9 = load i32, ptr %6, align 4\n"
    "  %10 = add i32 %9, 0\n"
    "  %11 = add i32 %9, 0\n"
    "  %12 = select i1 %8, i32 %10, i32 %11\n"
    "  store i32 %12, ptr %6, align 4\n"
    "  br i1 %8, label %13, label %21\n"
    "\n"
    "13:\n"
    "  call void @llvm.instrprof.increment(ptr @__profn_f, i64 1, i32 4, i3"
    "2 2)\n"
    "  %14 = load i32, ptr %5, align 4\n"
    "  %15 = icmp ne i32 %14, 0\n"
    "  %16 = load i32, ptr %6, align 4\n"
    "  %17 = add i32 %16, 2\n"
    "  %18 = add i32 %16, 1\n"
    "  %19 = select i1 %15, i32 %17, i32 %18\n"
    "  store i32 %19, ptr %6, align 4\n"
    "  br i1 %15, label %20, label %21\n"
    "\n"
    "20:\n"
    "  call void @llvm.instrprof.increment(ptr @__profn_f, i64 1, i32 4, i3"
    "2 3)\n"
    "  br label %21\n"
    "\n"
    "21:\n"
    "  %22 = phi i1 [ false, %2 ], [ %15, %20 ], [ %15, %13 ]\n"
    "  call void @llvm.instrprof.mcdc.tvbitmap.update(ptr @__profn_f, i64 1"
    ", i32 0, ptr %6)\n"
    "  br i1 %22, label %23, label %24\n"
    "\n"
    "23:\n"
    "  call void @llvm.instrprof.increment(ptr @__profn_f, i64 1, i32 4, i3"
    "2 1)\n"
    "  store i32 1, ptr %3, align 4\n"
    "  br label %25\n"
    "\n"
    "24:\n"
    "  store i32 0, ptr %3, align 4\n"
    "  br label %25\n"
    "\n"
    "25:\n"
    "  %26 = load i32, ptr %3, align 4\n"
    "  ret i32 %26\n"
    "}\n"
    "!0 = !{!\"clang version 22.0\"}\n";

static const char *const phrases[] = {
    module,
    "@__profn_f = private constant [1 x i8] c\"f\"\n",
    "@__covrec_1 = constant <{ i64, i32, i64, i64, [9 x i8] }> <{ i64 "
    "-3706093650706652785, i32 9, i64 1, i64 2, [9 x i8] c\"",
    "\\01\\01\\01\\01\\05\\01\\20\\05\\02\\01\\02\\01\\03\"",
    "\\01\\00\\02\\02\\06\\03\\01\\02",
    "\" }>\n",
    "@llvm.used = [[9 x i8] }>* @__covrec_1 to i8*\n",
    "define void @f() {\n",
    "define void @g() {\n",
    "  call void @g()\n",
    "  invoke void @g() to label %2 unwind label %3\n",
    "  br i1 %1, label %2, label %2\n",
    CALL("increment", "0"),
    CALL("increment", "1"),
    CALL("increment.step", "2, i64 %3"),
    "  br i1 %1, label %2, label %3\n",
    "  br label %2\n",
    "  %9 = alloca i32\n",
    "  store i32 2, ptr %9\n",
    "  %8 = load i32, ptr %9\n",
    "  switch i32 %8, label %2 [\n",
    "    i32 2, label %3\n",
    "  ]\n",
    "\n2:\n",
    "\n3:\n",
    "  %7 = phi i32 [ 1, %2 ], [ %8, %3 ], [ 1, %0 ]\n",
    "  ret void\n",
    "  call void @llvm.instrprof.mcdc.parameters(ptr @__profn_f, i64 1, i32 8)"
    "\n",
    "  call void @llvm.instrprof.mcdc.tvbitmap.update(ptr @__profn_f, i64 1, "
    "i32 3, ptr %9)\n",
    "module asm \"/* bareprof.mcdc 14740650423002898831 */\"\n",
    "@__profbm_f = private global [8 x i8] zeroinitializer, comdat\n",
    "@__profd_f = private global { i32 } { i32 ptrtoint (ptr @__profbm_f to "
    "i32) }, comdat($__profc_f)\n",
    "  %bareprof.m0 = load i32, ptr %9, align 4\n",
    "  store i8 0, ptr @__profc_f, align 1\n",
    "@__profc_f = private global [7 x i8] zeroinitializer\n",
    "  store i8 0, ptr getelementptr inbounds (i8, ptr @__profc_f, i32 4), "
    "align 1\n",
    "  %1 = add i64 ptrtoint (ptr @__profc_f to i64), %bias\n",
    "$__profc_f = comdat any\n",
    "}\n",
    "!0 = !{!\"clang version 22.0\"}\n",
    "\\",
    "("};
enum { PHRASES = sizeof phrases / sizeof *phrases };

static void lowered(const struct flags *flags, const char *text,
                    size_t length) {
  char *to = NULL;
  size_t size;
  FILE *out = open_memstream(&to, &size);
  const char *error = flags_lowered(
      flags, (struct bytes){(const unsigned char *)text, length}, out);
  must(!error || *error, "an error says something");
  fclose(out);
  free(to);
}

/* Returns the module with flags, which the caller frees, if there is no error,
 * as the tool lowers no other. */
static char *flagged(struct flags *flags, struct bytes text, size_t *length) {
  char *to = NULL;
  FILE *out = open_memstream(&to, length);
  const char *differs = check_module(text);
  const char *error = flags_module(flags, text, out);
  must(!differs || error == differs, "what does not agree is refused");
  must(!error || *error, "an error says something");
  fclose(out);
  if (!error)
    return to;
  free(to);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct flags flags = flags_none;
  size_t length, to_length;
  unsigned kind = size ? *data++ : 0;
  size -= size != 0;
  flags.keeps = kind / 2 % 2;
  flags.bytes = kind / 4 % 2;
  char *text = phrases_text(phrases, PHRASES, data, size, &length);
  struct bytes from = {(const unsigned char *)text, length};
  /* The phrases are what clang makes of a module that is right. */
  if (kind % 2)
    from = (struct bytes){(const unsigned char *)module, sizeof module - 1};
  char *to = flagged(&flags, from, &to_length);
  must(to || kind % 2 == 0, "a module that is right gets flags");
  if (to)
    lowered(&flags, to, to_length);
  if (to)
    lowered(&flags, text, length);
  map_free(&flags.functions);
  free(text);
  free(to);
  return 0;
}
