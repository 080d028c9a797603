/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Standard output goes to a file without a name meanwhile. So what prints
 * need not know of it.
 */
#include "demangle.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "program.h"

enum {
  RELEASE_FIRST = 13,
  RELEASE_LAST = 30,
  TEXT_LIMIT = 1 << 30,
  HASH = 3 + 16 /* "::h" and digits */
};

static FILE *held;
static int standard_output;

static char *numbered(unsigned release) {
  char name[32];
  snprintf(name, sizeof name, "llvm-cxxfilt-%u", release);
  return program_find(name);
}

char *demangle_program(unsigned release) {
  char *path = release ? numbered(release) : NULL;
  if (!path)
    path = program_find("llvm-cxxfilt");
  for (unsigned i = RELEASE_LAST; !path && i >= RELEASE_FIRST; i--)
    path = numbered(i);
  return path;
}

/* The release is that of demangle_begin. */
static unsigned wanted;

void demangle_begin(unsigned release) {
  wanted = release;
  fflush(stdout);
  held = tmpfile();
  standard_output = held ? dup(STDOUT_FILENO) : -1;
  if (standard_output >= 0 && dup2(fileno(held), STDOUT_FILENO) >= 0)
    return;
  if (standard_output >= 0)
    close(standard_output);
  if (held)
    fclose(held);
  held = NULL;
}

/* Whether a Rust hash ends here, and not in the middle of a name. */
static bool is_hash(const unsigned char *at, size_t left) {
  if (left < HASH || memcmp(at, "::h", 3) != 0)
    return false;
  for (size_t i = 3; i < HASH; i++)
    if (!isdigit(at[i]) && !(at[i] >= 'a' && at[i] <= 'f'))
      return false;
  return left == HASH || !(isalnum(at[HASH]) || at[HASH] == '_');
}

static void print(const unsigned char *text, size_t size) {
  size_t from = 0;
  for (size_t at = 0; at < size; at++)
    if (text[at] == ':' && is_hash(text + at, size - at)) {
      fwrite(text + from, 1, at - from, stdout);
      from = at + HASH;
      at = from - 1;
    }
  fwrite(text + from, 1, size - from, stdout);
}

/* Reads all that is held. NULL in data: not possible. */
static void read_held(struct buffer *text) {
  rewind(held);
  while (!buffer_reserve(text, 1 << 16)) {
    size_t got = fread(text->data + text->size, 1, 1 << 16, held);
    text->size += got;
    if (!got)
      return;
  }
  buffer_free(text);
}

static bool has_mangled(const struct buffer *text) {
  for (size_t i = 0; i + 1 < text->size; i++)
    if (text->data[i] == '_' &&
        (text->data[i + 1] == 'Z' || text->data[i + 1] == 'R'))
      return true;
  return false;
}

static void print_held(void) {
  struct arguments arguments = {.input = held, .quiet = true};
  struct buffer text = {.limit = TEXT_LIMIT}, plain = text;
  struct buffer messages = {.limit = 1 << 16};
  read_held(&text);
  char *program = has_mangled(&text) ? demangle_program(wanted) : NULL;
  lseek(fileno(held), 0, SEEK_SET);
  arguments_file(&arguments, "", program ? program : "");
  bool done = program && program_run(&arguments, &plain, &messages) == 0;
  const struct buffer *shown = done ? &plain : &text;
  print(shown->data, shown->size);
  free(program);
  arguments_free(&arguments);
  buffer_free(&text);
  buffer_free(&plain);
  buffer_free(&messages);
}

int demangle_end(void) {
  if (!held)
    return 0;
  fflush(stdout);
  dup2(standard_output, STDOUT_FILENO);
  close(standard_output);
  print_held();
  fclose(held);
  held = NULL;
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return 0;
  clearerr(stdout);
  return report("standard output", "cannot be written: %s; free the disk",
                errno ? strerror(errno) : "output error");
}
