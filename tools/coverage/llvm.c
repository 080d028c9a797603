/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Releases of LLVM. Packages of Debian and apt.llvm.org put the release behind
 * a program's name. Other systems have one release, without a number.
 */
#include "llvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../image/witness.h"
#include "bareprof.h"
#include "../base/program.h"

enum {
  RELEASE_FIRST = 13,
  RELEASE_MOST = COMPILER_LAST, /* as far as is looked */
  VERSION_LIMIT = 1 << 20
};

/* A release later than the known ones is expected to use the last version. */
unsigned llvm_raw(unsigned release) {
  unsigned raw = compiler_raw(release);
  return raw || release < RELEASE_FIRST ? raw : BAREPROF_RAW_VERSION_LAST;
}

unsigned llvm_release(const struct elf *elf, unsigned raw) {
  uint64_t found =
      compiler_releases(elf, ".comment") | compiler_releases(elf, ".debug_str");
  for (unsigned release = COMPILER_LAST; release >= RELEASE_FIRST; release--)
    if (found >> release & 1 && llvm_raw(release) == raw)
      return release;
  return 0;
}

void llvm_version(const char *path, const char *tool,
                  char version[LLVM_VERSION]) {
  static const char before[] = "LLVM version ";
  struct arguments arguments = {.quiet = true};
  struct buffer out = {.limit = VERSION_LIMIT};
  struct buffer messages = {.limit = VERSION_LIMIT};
  *version = 0;
  arguments_file(&arguments, "", path);
  /* Early llvm-profdata tells only behind a command. */
  if (strcmp(tool, "llvm-profdata") == 0)
    arguments_add(&arguments, "merge");
  arguments_add(&arguments, "--version");
  if (program_run(&arguments, &out, &messages) == 0) {
    const char *found = strstr((char *)out.data, before);
    if (found)
      snprintf(version, LLVM_VERSION, "%.*s",
               (int)strcspn(found + strlen(before), " \r\n"),
               found + strlen(before));
  }
  arguments_free(&arguments);
  buffer_free(&out);
  buffer_free(&messages);
}

/* Asks the program for its release. 0: the program does not say. */
static unsigned ask_release(const char *path, const char *tool) {
  char version[LLVM_VERSION];
  llvm_version(path, tool, version);
  return (unsigned)strtoul(version, NULL, 10);
}

static bool numbered(const struct search *search, unsigned release,
                     struct program *program) {
  program->path = program_find_release(search->tool, release);
  program->release = release;
  return program->path != NULL;
}

static bool fits(const struct search *search, unsigned release) {
  return search->forced
             ? release == search->forced
             : release >= search->least ||
                   (release && search->raw && llvm_raw(release) == search->raw);
}

static bool unnumbered(const struct search *search, struct program *program) {
  program->path = program_find(search->tool);
  program->release =
      program->path ? ask_release(program->path, search->tool) : 0;
  if (program->path && fits(search, program->release))
    return true;
  free(program->path);
  program->path = NULL;
  return false;
}

/* Finds any program that fits. For an unknown compiler, prefers a new release:
 * an old llvm-cov does not read a new compiler's files. */
static bool any(const struct search *search, struct program *program) {
  bool newest = search->release == 0;
  for (unsigned i = 0; i <= RELEASE_MOST - RELEASE_FIRST; i++) {
    unsigned release = newest ? RELEASE_MOST - i : RELEASE_FIRST + i;
    if (release >= search->least && numbered(search, release, program))
      return true;
  }
  for (unsigned release = search->least; release-- > RELEASE_FIRST;)
    if (fits(search, release) && numbered(search, release, program))
      return true;
  return false;
}

static int find_given(const struct search *search, struct program *program) {
  program->path = program_find(search->given);
  if (!program->path)
    return report(search->given,
                  "there is no such program; give another "
                  "--%s",
                  search->tool);
  program->release = ask_release(program->path, search->tool);
  return 0;
}

int llvm_find(const struct search *search, struct program *program) {
  unsigned exact = search->forced ? search->forced : search->release;
  if (search->given)
    return find_given(search, program);
  if ((exact >= search->least || search->forced) && exact &&
      numbered(search, exact, program))
    return 0;
  if (unnumbered(search, program))
    return 0;
  if (!search->forced && any(search, program))
    return 0;
  if (search->quiet)
    return 1;
  if (!search->forced && exact < search->least)
    exact = search->least;
  char name[64];
  snprintf(name, sizeof name, "%s-%u", search->tool, exact);
  return report(name, "it is not there; install llvm-%u, or give --%s PROGRAM",
                exact, search->tool);
}
