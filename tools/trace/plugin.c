/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Builds the QEMU plugin from the source text in the tool.
 */
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "../base/program.h"

/* The lines of qemu_plugin.c as strings. rules.mk makes the included file. */
static const char *const source[] = {
#include "qemu_plugin.inc"
};

void plugin_print_source(FILE *out) {
  for (size_t i = 0; i < sizeof source / sizeof *source; i++)
    fputs(source[i], out);
}

static int write_c_source(const char *name, const char *text) {
  FILE *out = os_fopen(name, "w");
  if (out && text)
    fputs(text, out);
  else if (out)
    plugin_print_source(out);
  return file_close_written(out, name, SET_TMPDIR);
}

static char *find_compiler(void) {
  const char *const names[] = {getenv("CC"), "cc", "gcc", "clang"};
  char *path = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !path; i++)
    path = names[i] && *names[i] ? os_find_program(names[i]) : NULL;
  return path;
}

/* Compiles the text to NAME.so in the folder. If the text is NULL, compiles the
 * source of the plugin. */
static int compile_plugin(const char *folder, const char *name,
                          const char *text, unsigned interface) {
  char file[4200];
  struct argument_list arguments = {0};
  struct buffer messages = {.limit = 1 << 20};
  char *compiler = find_compiler();
  if (!compiler)
    return report(
        NULL, "no C compiler found for QEMU's plugin; install gcc, or set CC");
  snprintf(file, sizeof file, "%s/%s.c", folder, name);
  int status = write_c_source(file, text);
  arguments_append(&arguments, "%s", compiler);
  arguments_append(&arguments, "-shared");
  arguments_append(&arguments, "-fPIC");
  arguments_append(&arguments, "-O2");
  arguments_append(&arguments, "-DQEMU_PLUGIN=%u", interface);
  arguments_append(&arguments, "-D_POSIX_C_SOURCE=200809L");
  arguments_append(&arguments, "%s", file);
  arguments_append(&arguments, "-o");
  arguments_append(&arguments, "%s/%s.so", folder, name);
  if (!status)
    status = program_run(&arguments, NULL, &messages);
  buffer_free(&messages);
  arguments_free(&arguments);
  free(compiler);
  return status;
}

/* Finds the latest interface version that QEMU supports. If a plugin needs a
 * later version, QEMU prints the version that it supports, and ends before it
 * starts the machine. The command may be a wrapper that passes -plugin on. */
static unsigned long ask_last_plugin_version(const char *folder,
                                             char *const *command) {
  static const char before[] = "supports only up to version ";
  struct argument_list arguments = {.quiet = true};
  struct buffer messages = {.limit = 1 << 20};
  unsigned long version = 0;
  char *path = os_find_program(command[0]);
  arguments_append(&arguments, "%s", path ? path : command[0]);
  for (size_t i = 1; command[i]; i++)
    arguments_append(&arguments, "%s", command[i]);
  arguments_append(&arguments, "-plugin");
  arguments_append(&arguments, "%s/asks.so", folder);
  if (path && program_run(&arguments, NULL, &messages) && messages.size) {
    const char *at = strstr((const char *)messages.data, before);
    version = at ? strtoul(at + strlen(before), NULL, 10) : 0;
  }
  buffer_free(&messages);
  arguments_free(&arguments);
  free(path);
  return version;
}

int plugin_build(const char *folder, char *const *command) {
  static const char asks[] = "int qemu_plugin_version = 1 << 20;\n"
                             "int qemu_plugin_install(void) { return 1; }\n";
  if (compile_plugin(folder, "asks", asks, 0))
    return 1;
  unsigned long last = ask_last_plugin_version(folder, command);
  return compile_plugin(folder, "plugin", NULL,
                        last < 2   ? 1
                        : last < 7 ? 2
                                   : 7);
}
