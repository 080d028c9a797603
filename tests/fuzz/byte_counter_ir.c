/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: modules in LLVM's assembly language, whose counters become byte
 * counters. Any text gives an output or an error. A byte of the input stands
 * for a phrase.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/steps.h"
#include "module_made.h"
#include "phrases.h"

#define CALL(word, rest)              \
  "  call void @llvm.instrprof." word \
  "(ptr @__profn_f, i64 1, i32 3, i32 " rest ")\n"

static const char *const phrases[] = {
    module_made,
    "@__profn_f = private constant [1 x i8] c\"f\"\n",
    "@__covrec_1 = constant <{ i64, i32, i64, i64, [9 x i8] }> <{ i64 "
    "-3706093650706652785, i32 9, i64 1, i64 2, [9 x i8] c\"",
    "\\01\\01\\01\\01\\05\\01\\20\\05\\02\\01\\02\\01\\03\"",
    "\\01\\00\\02\\02\\06\\03\\01\\02",
    "\" }>, section \"__llvm_covfun\"\n",
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
    "@__profc_f = private global [10 x i8] zeroinitializer\n",
    "@__profc_f = private global [6 x i8] zeroinitializer\n",
    "  store i8 0, ptr getelementptr inbounds (i8, ptr @__profc_f, i32 4), "
    "align 1\n",
    "  %1 = add i64 ptrtoint (ptr @__profc_f to i64), %bias\n",
    "$__profc_f = comdat any\n",
    "}\n",
    "!0 = !{!\"clang version 22.0\"}\n",
    "\\",
    "("};
enum { PHRASES = sizeof phrases / sizeof *phrases };

static void lowered(const struct byte_counters *flags, const char *text,
                    size_t length) {
  char *to = NULL;
  size_t size;
  FILE *out = open_memstream(&to, &size);
  const char *error = byte_lowered_rewrite_module(
      flags, (struct bytes){(const unsigned char *)text, length}, out);
  must(!error || *error, "an error says something");
  fclose(out);
  free(to);
}

/* Returns the module with flags, which the caller frees, if there is no error,
 * as the tool lowers no other. */
static char *flagged(struct byte_counters *flags, struct bytes text,
                     size_t *length) {
  char *to = NULL;
  FILE *out = open_memstream(&to, length);
  const char *error = byte_counters_insert(flags, text, out);
  must(!error || *error, "an error says something");
  fclose(out);
  if (!error)
    return to;
  free(to);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct byte_counters flags = byte_counters_none;
  size_t length, to_length;
  unsigned kind = take(&input);
  flags.keeps = kind / 2 % 2;
  flags.bytes = kind / 4 % 2;
  char *made = module_damaged(&input);
  bool right = memcmp(made, module_made, sizeof module_made) == 0;
  char *text = phrases_text(phrases, PHRASES, input.at,
                            (size_t)(input.end - input.at), &length);
  struct bytes from = {(const unsigned char *)text, length};
  /* The phrases are what clang makes of the module. */
  if (kind % 2)
    from = (struct bytes){(const unsigned char *)made, sizeof module_made - 1};
  char *to = flagged(&flags, from, &to_length);
  must(to || !right || kind % 2 == 0, "a module that is right gets flags");
  if (to)
    lowered(&flags, to, to_length);
  if (to)
    lowered(&flags, text, length);
  map_free(&flags.functions);
  free(made);
  free(text);
  free(to);
  return 0;
}
