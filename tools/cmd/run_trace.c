/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../image/traced.h"
#include "../trace/plugin.h"

static int write_list(const struct subject *subject, const char *name) {
  FILE *out = os_fopen(name, "w");
  const char *error = out ? trace_list(&subject->elf, NULL, out) : NULL;
  bool failed = !out || ferror(out);
  if ((out && fclose(out)) || failed)
    return report(name, "cannot be written: %s; set TMPDIR", os_error(errno));
  return error ? report(subject->name, "%s", error) : 0;
}

/* Runs the command with two more words. */
static int run_with(struct console *console, const struct inputs *inputs,
                    char *plugin) {
  char **command = console->command, option[] = "-plugin";
  size_t count = 0;
  while (command[count])
    count++;
  char **words = calloc(count + 3, sizeof *words);
  if (!words)
    return report_memory(NULL);
  memcpy(words, command, count * sizeof *words);
  words[count] = option;
  words[count + 1] = plugin;
  console->command = words;
  int status = console_run(console, inputs);
  console->command = command;
  free(words);
  return status;
}

static int run_in(struct console *console, struct inputs *inputs,
                  const char *folder) {
  char plugin[3 * 4200], list[4200], trace[4200];
  const struct subject *subject = &inputs->subjects[0];
  snprintf(list, sizeof list, "%s/labels", folder);
  snprintf(trace, sizeof trace, "%s/trace", folder);
  snprintf(plugin, sizeof plugin, "%s/plugin.so,list=%s,out=%s", folder, list,
           trace);
  if (write_list(subject, list) || plugin_build(folder, console->command[0]) ||
      run_with(console, inputs, plugin))
    return 1;
  if (console->out_of_time)
    fprintf(stderr, "bareprof: the program was ended as it ran: the time is "
                    "over\n");
  console->out_of_time = false;
  if (!os_can_read(trace))
    return report(console->command[0],
                  "it left no trace; is it a QEMU with plugins, and does it "
                  "pass -plugin on?");
  return inputs_log(inputs, trace, "the trace");
}

int run_trace(struct console *console, struct inputs *inputs) {
  char folder[PRIVATE_FOLDER];
  if (inputs->count != 1)
    return report(inputs->subjects[1].name,
                  "run --trace takes one ELF; trace each image by itself");
  if (strchr(os_temporary(), ','))
    return report(os_temporary(), "QEMU's -plugin takes no comma in a name; "
                                  "set TMPDIR");
  if (private_folder(folder))
    return 1;
  int status = run_in(console, inputs, folder);
  os_remove_all(folder);
  return status;
}
