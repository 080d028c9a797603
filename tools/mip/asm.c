/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The steps of instrumenting, one after the other.
 */
#include "asm.h"

#include <string.h>

static bool holds(struct bytes bytes, const char *word) {
  size_t size = strlen(word);
  const unsigned char *at = bytes.data, *end = bytes.data + bytes.size;
  while (bytes.size >= size && at <= end - size) {
    at = memchr(at, *word, (size_t)(end - at) - size + 1);
    if (!at)
      return false;
    if (memcmp(at, word, size) == 0)
      return true;
    at++;
  }
  return false;
}

static void tell(const struct asm_job *job, const struct asm_program *program,
                 const struct asm_function *function) {
  const char *why = function->skipped ? function->skipped : function->plain;
  struct bytes name = {(const unsigned char *)program->text->data +
                           function->name.at,
                       function->name.size};
  if (why && job->tell)
    job->tell(job->context, name, function->skipped != NULL, why);
}

static const char *plan_and_write(struct asm_job *job,
                                  struct asm_program *program) {
  struct asm_plan plan = {
      .program = program, .machine = &job->machine, .wish = job->wish};
  const char *error = asm_choose(&plan);
  for (uint32_t i = 0; i < program->function_count && !error; i++) {
    const struct asm_function *function = asm_function_at(program, i);
    job->functions++;
    job->instrumented += !function->skipped;
    tell(job, program, function);
  }
  if (!error)
    error = asm_write(job->out, &plan);
  buffer_free(&plan.edits);
  return error;
}

static const char *find_machine(struct asm_job *job, struct bytes bytes) {
  if (holds(bytes, ".section\t__llvm_mipraw"))
    return "it is instrumented already; give what the compiler made";
  if (job->machine.arch == ASM_UNKNOWN)
    job->machine.arch = asm_detect(bytes);
  if (job->machine.arch == ASM_UNKNOWN && holds(bytes, "function"))
    return "nothing in it tells the architecture; name it with --arch";
  return NULL;
}

const char *asm_instrument(struct asm_job *job, struct bytes bytes) {
  struct asm_text text = {.count = 0};
  struct asm_program program = {.text = &text};
  job->functions = job->instrumented = 0;
  const char *error = find_machine(job, bytes);
  if (!error)
    error = asm_text_read(&text, bytes, job->machine.arch);
  if (!error) {
    asm_machine_read(&job->machine, &text);
    error = asm_program_read(&program, &text);
  }
  if (!error)
    error = plan_and_write(job, &program);
  asm_program_free(&program);
  asm_text_free(&text);
  return error;
}
