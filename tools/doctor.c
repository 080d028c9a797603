/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof doctor: says why the report of an image will be empty or wrong,
 * before anything runs, and what its profile costs. It reads the ELF only.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "doctor/examine.h"
#include "doctor/show.h"

enum { ELF_LIMIT = 1 << 30 };

static const char help[] =
    "usage: bareprof doctor [--json] ELF...\n"
    "\n"
    "Says why the report of a firmware will be empty or wrong, before it "
    "runs,\n"
    "and what its profile costs. Give the ELF as it was linked. Findings are\n"
    "  error    no profile, no report of it, or firmware that misbehaves\n"
    "  warning  something is lost, or paid for nothing\n"
    "  note     worth knowing\n"
    "each with a code that stays the same, what is wrong, and the mend. What\n"
    "is linked need not be called: that is not seen here. Then RAM and flash,\n"
    "without the code that counts; and an estimate of a whole dump as BINARY:\n"
    "80 bytes, 0.5 to 1.25 for each counter, as other firmware took, up to 8 "
    "for\n"
    "a value slot; if full, names, and half to two thirds of the records.\n"
    "Exit status 1 if there is an error.\n"
    "\n"
    "  --json   the same as JSON: {\"images\":[{\"file\":...,\"findings\":\n"
    "           [{\"code\":...,\"name\":...,\"severity\":...,\"text\":...}],\n"
    "           \"costs\":{...}}]}\n";

/* What cannot be read is said on standard error, as everywhere; and in JSON,
 * for programs that see only that. */
static int unreadable(const char *name, bool json, const char *error) {
  struct findings findings = {.count = 0};
  findings_add(&findings, ERROR, UNREADABLE, "%s", error);
  if (json)
    show_json(stdout, name, NULL, &findings);
  return 1;
}

static int examine_file(const char *name, bool json, bool first) {
  static struct facts facts;
  static struct findings findings;
  struct file file;
  struct elf elf;
  if (json && !first)
    fputc(',', stdout);
  if (file_map(&file, name, ELF_LIMIT))
    return unreadable(name, json, "it cannot be read");
  const char *error = elf_open(&elf, file.bytes);
  if (error) {
    report(name, "%s", error);
    unreadable(name, json, error);
    file_close(&file);
    return 1;
  }
  examine(&elf, &facts, &findings);
  if (json)
    show_json(stdout, name, &facts, &findings);
  else {
    if (!first)
      fputc('\n', stdout);
    show_text(stdout, name, &facts, &findings);
  }
  facts_free(&facts);
  file_close(&file);
  return findings_count(&findings, ERROR) != 0;
}

static int usage(const char *what, const char *which) {
  fprintf(stderr, "bareprof doctor: %s%s; see bareprof doctor --help\n", what,
          which);
  return 2;
}

int command_doctor(int argc, char **argv) {
  bool json = false;
  int at = 1, status = 0;
  for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
    if (strcmp(argv[at], "--help") == 0) {
      fputs(help, stdout);
      return 0;
    }
    if (strcmp(argv[at], "--json") == 0)
      json = true;
    else if (strcmp(argv[at], "--") == 0 && at++)
      break;
    else
      return usage("there is no option ", argv[at]);
  }
  if (at == argc)
    return usage("no ELF is given", "");
  if (json)
    fputs("{\"images\":[", stdout);
  for (int first = at; at < argc; at++)
    status |= examine_file(argv[at], json, at == first);
  if (json)
    fputs("]}\n", stdout);
  if (fflush(stdout) || ferror(stdout))
    return report("-", "output cannot be written; is the disk full?");
  return status;
}
