/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: modules whose counters become trace points, before and after
 * clang lowers them, and assembly in which trace points get room. Any text
 * gives an output or an error. A byte of the input stands for a phrase.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cc/steps.h"
#include "module_made.h"
#include "phrases.h"

#define CALL(word, rest)              \
  "  call void @llvm.instrprof." word \
  "(ptr @__profn_f, i64 1, i32 3" rest ")\n"

static const char *const modules[] = {
    module_made,
    "target datalayout = \"e-p:32:32\"\n",
    "define void @f() {\n",
    CALL("increment", ", i32 0"),
    CALL("increment", ", i32 1"),
    CALL("increment.step", ", i32 2, i64 %3"),
    CALL("mcdc.parameters", ""),
    CALL("mcdc.tvbitmap.update", ", ptr %9"),
    CALL("mcdc.tvbitmap.update", ", i32 0, ptr %9"),
    "  store i32 0, ptr %9, align 4\n",
    "  %4 = load i32, ptr %9, align 4\n",
    "  %5 = add i32 %4, 2\n",
    "  %6 = add i32 %4, 1\n",
    "  %7 = select i1 %1, i32 %5, i32 %6\n",
    "  store i32 %7, ptr %9, align 4\n",
    "  br i1 %1, label %2, label %3\n",
    "\n2:\n",
    "\n3:\n",
    "  %8 = phi i32 [ 1, %2 ], [ %8, %3 ], [ 1, %0 ]\n",
    "  ret void\n",
    "}\n",
    "  %pgocount = load i64, ptr @__profc_f, align 8\n",
    "  %1 = add i64 %pgocount, 1\n",
    "  store i64 %1, ptr @__profc_f, align 8\n",
    "  %2 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8\n",
    "(",
    "\""};

static const char *const lines[] = {
    "\t.section\t.text.f,\"axG\",%progbits,f,comdat\n",
    "\t.section\t.text.f,\"ax\",%progbits\n",
    "\t.text\n",
    "\t.type\tf,%function\n",
    "f:\n",
    ".Lbareprof.0.1:\n",
    ".Lbareprof.1.2:\n",
    ".Lbareprof.99999999999.2:\n",
    "\tnop\n",
    "\tadd\tr0, r1\n",
    "\t@APP\n",
    "\t@NO_APP\n",
    "\t.loc\t1 2\n",
    "\t.p2align\t2\n",
    ".LBB0_1:\n",
    ".Ltmp1:\n",
    ".Lbareprof.0.1:\n\tnop\n\tadd\tr0, r1\n",
    ".Lbareprof.1.1:\n\tnop\n.LBB0_1:\n",
    "\t.type\tf,%function\n.L__profc_f:\n__profbm_f:\n",
    ".L__profc_f:\n",
    "__profbm_f:\n",
    "\".L__profc_a b\":\n",
    "\"",
    ":"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void must_say(const char *error) {
  must(!error || *error, "an error says something");
}

static void rewrite_file(struct trace_points *labels, unsigned kind,
                         struct bytes text) {
  char *to = NULL;
  size_t length;
  FILE *out = open_memstream(&to, &length);
  if (kind == 0)
    must_say(trace_points_insert(labels, text, out));
  else if (kind == 1)
    must_say(trace_points_rewrite_lowered(labels, text, out));
  else
    must_say(trace_points_rewrite_assembly(labels, text, out));
  fclose(out);
  free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  struct trace_points labels = trace_points_none;
  unsigned kind = take(&input) % 3;
  size_t length;
  char *made = module_damaged(&input);
  char *text = phrases_text(kind == 2 ? lines : modules,
                            kind == 2 ? COUNT(lines) : COUNT(modules), input.at,
                            (size_t)(input.end - input.at), &length);
  if (kind)
    rewrite_file(
        &labels, 0,
        (struct bytes){(const unsigned char *)made, sizeof module_made - 1});
  rewrite_file(&labels, kind,
               (struct bytes){(const unsigned char *)text, length});
  trace_points_free(&labels);
  free(made);
  free(text);
  return 0;
}
