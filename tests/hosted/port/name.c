/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The name of the profile's file: where it comes from, and the meaning of its
 * patterns.
 *
 *   %p  the process that chose the name: a forked child keeps it
 *   %h  the machine's name
 *   %t  the folder of TMPDIR, with a slash behind
 *   %b  the build id in hexadecimal
 *   %m  the module's signature, and that the file is merged into; %4m is
 *       four files, of which a process takes one
 *   %c  nothing, but that the counters live in the file
 *
 * If a name has any of these, another % and the character after it are dropped;
 * otherwise they stay, as in compiler-rt. A pattern that cannot be filled in is
 * reported, and the default replaces it.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hosted.h"

#define DEFAULT_NAME "default.profraw"

/* From an object, if the compiler was given a name. */
extern const char __llvm_profile_filename[]
    __attribute__((weak, visibility("hidden")));

/* The origin of the name. A name is never replaced by one of lesser rank. */
enum chooser { NOBODY, DEFAULT, COMPILER, ENVIRONMENT, PROGRAM };

static struct {
  char pattern[PATH_MAX];
  enum chooser chooser;
  long process;
  const char *folder;      /* TMPDIR */
  unsigned long pool_size; /* 0: no pool */
  bool filled_in;          /* the pattern has something to fill in */
  bool continuous;         /* stays so with other names */
} chosen = {.pattern = DEFAULT_NAME};

/* A part of the pattern: how long it is there, and what it stands for. */
struct text_part {
  size_t length;
  char kind;            /* of "phtbmc"; ? is unknown; 0 is text as it is */
  unsigned long number; /* of %4m */
};

static struct text_part next_part(const char *pattern) {
  struct text_part part = {strcspn(pattern + 1, "%") + 1, 0, 0};
  if (*pattern != '%')
    return part;
  size_t digits = strspn(pattern + 1, "0123456789");
  char kind = pattern[1 + digits];
  if (kind == 'm' || (kind && digits == 0 && strchr("phtbc", kind))) {
    part.length = digits + 2;
    part.kind = kind;
    part.number = digits ? strtoul(pattern + 1, NULL, 10) : 1;
  } else {
    part.kind = '?';
    part.length = pattern[1] ? 2 : 1;
  }
  return part;
}

static void put_hexadecimal(char *to, size_t size) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  size_t id_size = bareprof_build_id_size(image);
  for (size_t i = 0; i < id_size && 2 * i + 2 < size; i++)
    snprintf(to + 2 * i, 3, "%02x", image->build_id.begin[16 + i]);
}

/* What a part stands for, as a string in to. */
static void fill_in(const struct text_part *part, const char *pattern, char *to,
                    size_t size) {
  struct utsname machine;
  *to = 0;
  switch (part->kind) {
  case 'p':
    snprintf(to, size, "%ld", chosen.process);
    break;
  case 'h':
    if (uname(&machine) == 0)
      snprintf(to, size, "%s", machine.nodename);
    break;
  case 't':
    snprintf(to, size, "%s/", chosen.folder);
    break;
  case 'b':
    put_hexadecimal(to, size);
    break;
  case 'm':
    snprintf(to, size, "%llu_%lu",
             (unsigned long long)bareprof_hosted_signature(),
             (unsigned long)getpid() % chosen.pool_size);
    break;
  case 'c':
    break;
  case '?':
    if (chosen.filled_in)
      break;
    /* fall through */
  default:
    snprintf(to, size, "%.*s", (int)part->length, pattern);
  }
}

int bareprof_hosted_name(char *to, size_t size) {
  size_t at = 0;
  *to = 0;
  for (const char *pattern = chosen.pattern; *pattern && at < size;) {
    struct text_part part = next_part(pattern);
    fill_in(&part, pattern, to + at, size - at);
    at += strlen(to + at);
    pattern += part.length;
  }
  return at == 0 ? ENOENT : at + 1 < size ? 0 : ENAMETOOLONG;
}

/* The reason why the pattern cannot be filled in; about is the part that it is
 * about. */
static bool refuse(const char *about, const char *pattern, const char *then) {
  bareprof_hosted_report("Warning", about, pattern, then, NULL);
  return false;
}

/* Whether the default name is continuous where another one, with a second %c,
 * is refused: up to some release between LLVM 16 and 19. */
enum { STAYS_CONTINUOUS = __clang_major__ < 19 };

/* Notes what a part of the pattern asks for, if it can be had. */
static bool note(const struct text_part *part, const char *pattern) {
  switch (part->kind) {
  case 'm':
    if (chosen.pool_size)
      return refuse("%m specifier can only be specified once in ", pattern,
                    ". Using the default path.");
    chosen.pool_size = part->number ? part->number : 1;
    break;
  case 'c':
    if (chosen.continuous) {
      chosen.continuous = STAYS_CONTINUOUS;
      return refuse("%c specifier can only be specified once in ", pattern,
                    ". Using the default path.");
    }
    chosen.continuous = true;
    break;
  case 't':
    if (!(chosen.folder = getenv("TMPDIR")))
      return refuse("Unable to get the TMPDIR environment variable, "
                    "referenced in ",
                    pattern, ". Using the default path.");
    break;
  case 'b':
    if (!bareprof_build_id_size(&bareprof_hosted_image))
      return refuse("Unable to get binary ID for filename pattern ", pattern,
                    ". Using the default name.");
  }
  chosen.filled_in |= part->kind && part->kind != '?';
  return true;
}

static bool look_at(const char *pattern) {
  struct text_part part;
  if (strlen(pattern) >= sizeof chosen.pattern)
    return refuse("The name is too long: ", pattern,
                  ". Using the default path.");
  for (const char *at = pattern; *at; at += part.length) {
    part = next_part(at);
    if (!note(&part, pattern))
      return false;
  }
  return true;
}

static void forget(void) {
  chosen.pool_size = 0;
  chosen.filled_in = false;
}

static bool choose(const char *pattern, enum chooser chooser) {
  enum chooser before = chosen.chooser;
  if (chooser < before)
    return false;
  chosen.chooser = chooser;
  if (before != NOBODY && strcmp(pattern, chosen.pattern) == 0)
    return false;
  forget();
  chosen.process = (long)getpid();
  if (!look_at(pattern)) {
    forget();
    pattern = DEFAULT_NAME;
  }
  memmove(chosen.pattern, pattern, strlen(pattern) + 1);
  return true;
}

bool bareprof_hosted_choose_name(void) {
  const char *environment = getenv("LLVM_PROFILE_FILE");
  if (environment && *environment)
    return choose(environment, ENVIRONMENT);
  if (bareprof_hosted_has(__llvm_profile_filename) && *__llvm_profile_filename)
    return choose(__llvm_profile_filename, COMPILER);
  return choose(DEFAULT_NAME, DEFAULT);
}

bool bareprof_hosted_set_name(const char *pattern) {
  return choose(pattern ? pattern : DEFAULT_NAME, PROGRAM);
}

bool bareprof_hosted_is_pool(void) { return chosen.pool_size != 0; }

bool bareprof_hosted_is_continuous(void) { return chosen.continuous; }
