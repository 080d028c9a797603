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
#include "../wire/session.h"

/* Times in milliseconds: the limit of one read, and of the question which
 * plugins QEMU supports. */
enum { READ_MOST = 50, ASK_MOST = 10000 };

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

/* Reads the output of a program until it ends, prints a whole line with the
 * text, or took ASK_MOST; or until a signal comes. */
static void read_until_line(struct os_child *child, const char *text,
                            struct buffer *said) {
  uint64_t begun = session_get_time();
  const char *at = NULL;
  while ((!at || !strchr(at, '\n')) && !interrupt_is_pending() &&
         session_get_time() - begun < ASK_MOST) {
    char part[4096];
    long got = os_child_read(child, part, sizeof part, READ_MOST);
    if (got < 0 || buffer_reserve(said, (size_t)got + 1))
      return;
    buffer_append_bytes(said, part, (size_t)got);
    said->data[said->size] = 0;
    at = strstr((const char *)said->data, text);
  }
}

/* Finds the latest interface version that QEMU supports. If a plugin needs a
 * later version, QEMU prints the version that it supports, and ends before it
 * starts the machine. The command may be a wrapper that passes -plugin on. A
 * wrapper that does not may run the firmware without end. */
static unsigned long ask_last_plugin_version(const char *folder,
                                             char *const *command) {
  static const char before[] = "supports only up to version ";
  struct argument_list arguments = {0};
  struct buffer said = {.limit = 1 << 20};
  char asks[4200];
  int status;
  snprintf(asks, sizeof asks, "%s/asks.so", folder);
  plugin_append_command(&arguments, command, asks);
  struct os_child *child =
      arguments.failed ? NULL : os_child_start(arguments.list);
  if (child) {
    read_until_line(child, before, &said);
    os_child_kill(child, &status);
    os_child_free(child);
  }
  const char *at = said.size ? strstr((const char *)said.data, before) : NULL;
  unsigned long version = at ? strtoul(at + strlen(before), NULL, 10) : 0;
  buffer_free(&said);
  arguments_free(&arguments);
  return version;
}

void plugin_append_command(struct argument_list *to, char *const *command,
                           const char *plugin) {
  for (size_t i = 0; command[i]; i++)
    arguments_append(to, "%s", command[i]);
  arguments_append(to, "-plugin");
  arguments_append(to, "%s", plugin);
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
