/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: `bareprof cc` on any text instead of the output of `clang -###`.
 * Bytes from 128 on stand for arguments. What must hold: each step of a job
 * that counts has the job's program, one input and one output, and the lowering
 * has no option of the source.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/steps.h"
#include "input.h"
#include "phrases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const phrases[] = {"clang version 22\n",
                                      " (in-process)\n",
                                      "\n",
                                      " \"/usr/bin/clang\" \"-cc1\"",
                                      " \"-emit-obj\"",
                                      " \"-fprofile-instrument=clang\"",
                                      " \"-fprofile-update=atomic\"",
                                      " \"-o\" \"a.o\"",
                                      " \"-x\" \"c\" \"a.c\"\n",
                                      " \"-x\" \"ir\" \"a.bc\"\n",
                                      " \"-mllvm\"",
                                      " \"-runtime-counter-relocation\"",
                                      " \"-MT\" \"a.o\"",
                                      " \"-triple\"",
                                      " \"a \\\"b\\\\ \\$\"",
                                      " \"-I\" \"-S\"",
                                      " \"@response\"",
                                      "clang: error: no\n",
                                      "clang: warning: so\n"};
enum { PHRASES = sizeof phrases / sizeof *phrases };

static void check_step(const struct compiler_job *job, enum compile_step step) {
  struct argument_list arguments = {0};
  job_fill_step_arguments(job, step, "in", "out", &arguments);
  size_t count = arguments.count;
  char **list = arguments.list;
  must(!arguments.failed && count >= 5, "a step has arguments");
  must(strcmp(list[0], job->arguments.list[0]) == 0, "and a program");
  must(strcmp(list[count - 1], "in") == 0 &&
           strcmp(list[count - 2], "out") == 0 &&
           strcmp(list[count - 3], "-o") == 0,
       "its input and output come last");
  for (size_t i = 3; step == STEP_LOWER && i < count; i++)
    must(strcmp(list[i - 1], "-triple") == 0 ||
             (strcmp(list[i], "-I") != 0 && strcmp(list[i], "-MT") != 0 &&
              strcmp(list[i], "-emit-obj") != 0),
         "the lowering has no option of the source");
  arguments_free(&arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct compiler_jobs jobs = {0};
  size_t length;
  char *text = phrases_text(phrases, PHRASES, data, size, &length);
  enum jobs_result read = jobs_parse(&jobs, text);
  for (size_t i = 0; read == JOBS_READ && i < jobs.count; i++) {
    struct argument_list again = {0};
    if (jobs.list[i].kind != JOB_COUNTS)
      continue;
    for (enum compile_step step = STEP_FRONT; step <= STEP_REST; step++)
      check_step(&jobs.list[i], step);
    job_copy_command(&jobs.list[i], "out", &again);
    must(again.count == jobs.list[i].arguments.count,
         "the job again has as many arguments");
    arguments_free(&again);
  }
  jobs_free(&jobs);
  free(text);
  return 0;
}
