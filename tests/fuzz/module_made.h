/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A valid module: `if (a && b)`, as clang 22's front end writes it with
 * -fcoverage-mcdc, without the parts that bareprof cc does not read.
 */
#ifndef MODULE_MADE_H
#define MODULE_MADE_H

#include <string.h>

#include "input.h"

static const char module_made[] =
    "@__profn_f = private constant [1 x i8] c\"f\"\n"
    "@__covrec_1u = constant <{ i64, i32, i64, i64, [96 x i8] }> <{ i64 -370"
    "6093650706652785, i32 96, i64 1, i64 2, [96 x i8] c\"\\01\\01\\04\\01"
    "\\09\\09\\0D\\01\\05\\01\\05\\0C\\01\\01\\13\\04\\02\\01\\01\\07\\00"
    "\\08\\01\\00\\07\\00\\0D(\\03\\02\\00\\07\\00\\0D0\\09\\02\\01\\02\\00"
    "\\00\\07\\00\\08\\09\\00\\08\\00\\8C\\80\\80\\80\\08\\09\\00\\0C\\00"
    "\\0D0\\0D\\06\\02\\00\\00\\00\\0C\\00\\0D\\05\\00\\0E\\01\\85\\80\\80"
    "\\80\\08\\05\\01\\05\\00\\0D\\0E\\00\\0E\\01\\83\\80\\80\\80\\08\\0E"
    "\\01\\03\\00\\0B\" }>, section \"__llvm_covfun\"\n"
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

/* Returns a copy of the module, and changes up to 7 bytes of it: the input has
 * their number, then the offset and the value of each. The caller frees the
 * copy. */
static inline char *module_damaged(struct input *input) {
  char *text = malloc(sizeof module_made);
  memcpy(text, module_made, sizeof module_made);
  for (unsigned count = take(input) % 8; count; count--) {
    size_t at = take_number(input, 2) % (sizeof module_made - 1);
    text[at] = (char)take(input);
  }
  return text;
}

#endif
