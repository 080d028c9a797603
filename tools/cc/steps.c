/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "modes.h"

#include <errno.h>

#include "../base/error.h"
#include "../base/os.h"

int cannot_run(const char *program) {
  return report(program, "cannot be run: %s; give another compiler",
                os_error(errno));
}

static int exit_status(int status) {
  return os_signal(status) ? 128 + os_signal(status) : os_exit_status(status);
}

int run_arguments(const struct arguments *arguments, FILE *messages) {
  if (arguments->failed)
    return report_memory(NULL);
  fflush(NULL);
  int status = os_run(arguments->list, stdin, stdout, messages);
  return status == -1 ? cannot_run(arguments->list[0]) : exit_status(status);
}

int run_step(const struct job *job, enum step step, const char *input,
                    const char *output, FILE *messages) {
  struct arguments arguments = {0};
  job_step(job, step, input, output, &arguments);
  int status = run_arguments(&arguments, messages);
  arguments_free(&arguments);
  return status;
}

void show_messages(FILE *messages) {
  char text[4096];
  size_t size;
  rewind(messages);
  while ((size = fread(text, 1, sizeof text, messages)) > 0)
    fwrite(text, 1, size, stderr);
}
