/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/os.h"
#include "../base/program.h"

/* The lines of qemu_plugin.c, each in quotes; made by rules.mk. */
static const char *const source[] = {
#include "qemu_plugin.inc"
};

void plugin_source(FILE *out) {
  for (size_t i = 0; i < sizeof source / sizeof *source; i++)
    fputs(source[i], out);
}

static int write_source(const char *name) {
  FILE *out = os_fopen(name, "w");
  if (out)
    plugin_source(out);
  bool failed = !out || ferror(out);
  if ((out && fclose(out)) || failed)
    return report(name, "cannot be written: %s; set TMPDIR", os_error(errno));
  return 0;
}

/* The interface is another one from QEMU 9 on. */
static unsigned version_of(const char *qemu) {
  static const char before[] = "QEMU emulator version ";
  struct arguments arguments = {.quiet = true};
  struct buffer text = {.limit = 1 << 20}, messages = {.limit = 1 << 20};
  unsigned long release = 0;
  char *path = os_find_program(qemu);
  arguments_add(&arguments, "%s", path ? path : qemu);
  arguments_add(&arguments, "--version");
  if (path && !program_run(&arguments, &text, &messages) && text.size) {
    const char *at = strstr((const char *)text.data, before);
    release = at ? strtoul(at + strlen(before), NULL, 10) : 0;
  }
  buffer_free(&text);
  buffer_free(&messages);
  arguments_free(&arguments);
  free(path);
  return release >= 9 ? 2 : 1;
}

static char *find_compiler(void) {
  const char *const names[] = {getenv("CC"), "cc", "gcc", "clang"};
  char *path = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !path; i++)
    path = names[i] && *names[i] ? os_find_program(names[i]) : NULL;
  return path;
}

int plugin_build(const char *folder, const char *qemu) {
  char name[4200];
  struct arguments arguments = {0};
  struct buffer messages = {.limit = 1 << 20};
  char *compiler = find_compiler();
  if (!compiler)
    return report(NULL, "there is no C compiler for QEMU's plugin; install "
                        "gcc, or set CC");
  snprintf(name, sizeof name, "%s/plugin.c", folder);
  int status = write_source(name);
  arguments_add(&arguments, "%s", compiler);
  arguments_add(&arguments, "-shared");
  arguments_add(&arguments, "-fPIC");
  arguments_add(&arguments, "-O2");
  arguments_add(&arguments, "-DQEMU_PLUGIN=%u", version_of(qemu));
  arguments_add(&arguments, "-D_POSIX_C_SOURCE=200809L");
  arguments_add(&arguments, "%s", name);
  arguments_add(&arguments, "-o");
  arguments_add(&arguments, "%s/plugin.so", folder);
  if (!status)
    status = program_run(&arguments, NULL, &messages);
  buffer_free(&messages);
  arguments_free(&arguments);
  free(compiler);
  return status;
}
