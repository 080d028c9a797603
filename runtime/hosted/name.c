/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The name of the profile's file: who says it, and what the patterns in it
 * stand for.
 *
 *   %p  the process that chose the name: a forked child keeps it
 *   %h  the machine's name
 *   %t  the folder of TMPDIR, with a slash behind
 *   %b  the build id in hexadecimal
 *   %m  the module's signature, and that the file is merged into; %4m is
 *       four files, of which a process takes one
 *   %c  nothing, but that the counters live in the file
 *
 * Any other % is itself, and so is what follows it. A pattern that cannot be
 * filled in is reported, and the default takes its place.
 */
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

static struct {
  char pattern[PATH_MAX];
  long process;
  const char *folder;      /* TMPDIR */
  unsigned long pool_size; /* 0: no pool */
  bool continuous;
} chosen = {.pattern = DEFAULT_NAME};

/* A part of the pattern: how long it is there, and what it stands for. */
struct part {
  size_t length;
  char kind;            /* of "phtbmc"; 0 is text that stands for itself */
  unsigned long number; /* of %4m */
};

static struct part next_part(const char *pattern) {
  struct part part = {strcspn(pattern + 1, "%") + 1, 0, 0};
  if (*pattern != '%')
    return part;
  size_t digits = strspn(pattern + 1, "0123456789");
  char kind = pattern[1 + digits];
  if (kind == 'm' || (kind && digits == 0 && strchr("phtbc", kind))) {
    part.length = digits + 2;
    part.kind = kind;
    part.number = digits ? strtoul(pattern + 1, NULL, 10) : 1;
  } else {
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
static void fill_in(const struct part *part, const char *pattern, char *to,
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
  default:
    snprintf(to, size, "%.*s", (int)part->length, pattern);
  }
}

int bareprof_hosted_name(char *to, size_t size) {
  size_t at = 0;
  *to = 0;
  for (const char *pattern = chosen.pattern; *pattern && at < size;) {
    struct part part = next_part(pattern);
    fill_in(&part, pattern, to + at, size - at);
    at += strlen(to + at);
    pattern += part.length;
  }
  if (at != 0 && at + 1 < size)
    return 0;
  bareprof_hosted_report(chosen.pattern,
                         at ? "the name is too long" : "the name is empty",
                         "give another one in LLVM_PROFILE_FILE");
  return -1;
}

/* What is wrong with the pattern, or NULL. Notes what it asks for. */
static const char *look_at(const char *pattern) {
  unsigned pools = 0, continuous = 0;
  if (strlen(pattern) >= sizeof chosen.pattern)
    return "the name is too long";
  for (struct part part; *pattern; pattern += part.length) {
    part = next_part(pattern);
    if (part.kind == 'm') {
      pools++;
      chosen.pool_size = part.number ? part.number : 1;
    }
    if (part.kind == 'c')
      continuous++;
    if (part.kind == 't' && !(chosen.folder = getenv("TMPDIR")))
      return "TMPDIR, for %t, is not set";
    if (part.kind == 'b' && !bareprof_build_id_size(&bareprof_hosted_image))
      return "there is no build id for %b";
  }
  chosen.continuous = continuous != 0;
  return pools > 1        ? "%m is there twice"
         : continuous > 1 ? "%c is there twice"
                          : NULL;
}

static void choose(const char *pattern) {
  const char *wrong;
  chosen.pool_size = 0;
  chosen.continuous = false;
  chosen.process = (long)getpid();
  if ((wrong = look_at(pattern)) != NULL) {
    bareprof_hosted_report(pattern, wrong, "taking " DEFAULT_NAME);
    chosen.pool_size = 0;
    chosen.continuous = false;
    pattern = DEFAULT_NAME;
  }
  memmove(chosen.pattern, pattern, strlen(pattern) + 1);
}

void bareprof_hosted_choose_name(void) {
  const char *environment = getenv("LLVM_PROFILE_FILE");
  if (environment && *environment)
    choose(environment);
  else if (__llvm_profile_filename && *__llvm_profile_filename)
    choose(__llvm_profile_filename);
  else
    choose(DEFAULT_NAME);
}

void bareprof_hosted_set_name(const char *pattern) {
  choose(pattern ? pattern : DEFAULT_NAME);
}

bool bareprof_hosted_is_pool(void) { return chosen.pool_size != 0; }

bool bareprof_hosted_is_continuous(void) { return chosen.continuous; }
