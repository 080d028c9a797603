/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Redirects standard output to an unnamed file, and demangles its text at the
 * end. So code that prints need not know about demangling.
 */
#include "demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "file.h"
#include "os.h"
#include "program.h"

enum {
  RELEASE_FIRST = 13,
  RELEASE_LAST = 30,
  TEXT_LIMIT = 1 << 30,
  HASH = 3 + 16 /* number of bytes in "::h" and the 16 digits */
};

static FILE *held;
static int standard_output;

static char *find_numbered_demangler(unsigned release) {
  char name[32];
  snprintf(name, sizeof name, "llvm-cxxfilt-%u", release);
  return os_find_program(name);
}

/* Returns the path of the release's llvm-cxxfilt. If that is missing, returns
 * any other llvm-cxxfilt, or else c++filt. Returns NULL if no program was
 * found. */
static char *find_demangler(unsigned release) {
  char *path = release ? find_numbered_demangler(release) : NULL;
  if (!path)
    path = os_find_program("llvm-cxxfilt");
  for (unsigned i = RELEASE_LAST; !path && i >= RELEASE_FIRST; i--)
    path = find_numbered_demangler(i);
  return path ? path : os_find_program("c++filt");
}

/* The LLVM release whose demangler is preferred; 0: any. */
static unsigned wanted_release;

void demangle_hold_stdout(unsigned release) {
  wanted_release = release;
  fflush(stdout);
  held = os_temporary_file();
  standard_output = held ? dup(STDOUT_FILENO) : -1;
  if (standard_output >= 0 && dup2(fileno(held), STDOUT_FILENO) >= 0)
    return;
  if (standard_output >= 0)
    close(standard_output);
  if (held)
    fclose(held);
  held = NULL;
}

/* Returns whether a Rust hash begins at `at`, and the name ends after it. */
static bool is_rust_hash(const unsigned char *at, size_t left) {
  if (left < HASH || memcmp(at, "::h", 3) != 0)
    return false;
  for (size_t i = 3; i < HASH; i++)
    if (!isdigit(at[i]) && !(at[i] >= 'a' && at[i] <= 'f'))
      return false;
  return left == HASH || !(isalnum(at[HASH]) || at[HASH] == '_');
}

static size_t remove_rust_hashes(unsigned char *text, size_t size) {
  size_t kept = 0;
  for (size_t at = 0; at < size;) {
    if (text[at] == ':' && is_rust_hash(text + at, size - at))
      at += HASH;
    else
      text[kept++] = text[at++];
  }
  return kept;
}

static bool has_mangled_name(void) {
  char bytes[1 << 14];
  bool begun = false; /* the previous piece ended in _ */
  rewind(held);
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, held)) != 0;) {
    const char *at = bytes, *end = bytes + got;
    if (begun && (*at == 'Z' || *at == 'R'))
      return true;
    while ((at = memchr(at, '_', (size_t)(end - at))) && ++at != end)
      if (*at == 'Z' || *at == 'R')
        return true;
    begun = end[-1] == '_';
  }
  return false;
}

static bool demangle_file(const char *program, FILE *file,
                          struct buffer *plain) {
  struct argument_list arguments = {.input = file, .quiet = true};
  struct buffer messages = {.limit = 1 << 16};
  plain->limit = TEXT_LIMIT;
  arguments_append(&arguments, "%s", program);
  lseek(fileno(file), 0, SEEK_SET);
  bool done = program_run(&arguments, plain, &messages) == 0;
  if (done)
    plain->size = remove_rust_hashes(plain->data, plain->size);
  arguments_free(&arguments);
  buffer_free(&messages);
  return done;
}

bool demangle_lines(unsigned release, FILE *lines, struct buffer *plain) {
  char *program = find_demangler(release);
  bool done = program && demangle_file(program, lines, plain);
  free(program);
  return done;
}

/* Prints the held-back text after the program has demangled it. Returns false
 * if nothing was printed. */
static bool print_demangled(const char *program) {
  struct buffer plain = {.data = NULL};
  bool done = demangle_file(program, held, &plain);
  if (done)
    fwrite(plain.data, 1, plain.size, stdout);
  buffer_free(&plain);
  return done;
}

static void print_held_output(void) {
  unsigned char bytes[1 << 14];
  char *program = has_mangled_name() ? find_demangler(wanted_release) : NULL;
  if (!program || !print_demangled(program)) {
    rewind(held);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, held)) != 0;)
      fwrite(bytes, 1, got, stdout);
  }
  free(program);
}

int demangle_print_held(void) {
  if (!held)
    return 0;
  fflush(stdout);
  dup2(standard_output, STDOUT_FILENO);
  close(standard_output);
  print_held_output();
  fclose(held);
  held = NULL;
  return flush_standard_output();
}
