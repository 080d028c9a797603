/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof doctor: says, before anything runs, why the report of an image will
 * be empty or wrong, and how much memory and time the profile costs. The
 * command reads only the ELF.
 */
#include <stdio.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "commands.h"
#include "../doctor/findings.h"

enum { ELF_LIMIT = 1 << 30 };

/* With --json, prints that the file cannot be read, for programs that read only
 * standard output. The error is also on standard error, as in all commands.
 * Returns 1. */
static int print_unreadable_if_json(const char *name, bool json,
                                    const char *error) {
  struct findings findings = {.count = 0};
  findings_add(&findings, ERROR, UNREADABLE,
               "this file cannot be read as an ELF: %s; pass the ELF that ran, "
               "unstripped",
               error);
  if (json)
    doctor_print_json(stdout, name, NULL, &findings);
  return 1;
}

static int diagnose_elf_file(const char *name, bool json, bool first) {
  static struct image_info facts;
  static struct findings findings;
  struct file file;
  struct elf elf;
  if (json && !first)
    fputc(',', stdout);
  if (file_map(&file, name, ELF_LIMIT))
    return print_unreadable_if_json(name, json,
                                    "see the message on standard error");
  const char *error = elf_open(&elf, file.bytes);
  if (!error && elf.type != ELF_REL && !elf.segment_count)
    error = "the ELF has no segments, like an extract (.meta); pass the ELF "
            "that ran";
  if (error) {
    report(name, "%s", error);
    print_unreadable_if_json(name, json, error);
    file_close(&file);
    return 1;
  }
  doctor_run_checks(&elf, &facts, &findings);
  if (json)
    doctor_print_json(stdout, name, &facts, &findings);
  else {
    if (!first)
      fputc('\n', stdout);
    doctor_print_text(stdout, name, &facts, &findings);
  }
  image_info_free(&facts);
  file_close(&file);
  return findings_count_severity(&findings, ERROR) != 0;
}

struct arguments {
  bool json;
};

static int run_doctor(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.json = false};
  char **files = options_parse(command, argc, argv, &arguments);
  int status = 0;
  if (arguments.json)
    fputs("{\"images\":[", stdout);
  for (char **at = files; *at; at++)
    status |= diagnose_elf_file(*at, arguments.json, at == files);
  if (arguments.json)
    fputs("]}\n", stdout);
  return status;
}

static const struct option_row options[] = {
    {"json", 0, NULL,
     "print JSON: a list of images. Each image has file, findings (a list of "
     "code, name, severity and text) and costs",
     OPTION(struct arguments, json)},
    {0}};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "check an ELF for causes of an empty or wrong report",
    .examples = "bareprof doctor fw.elf\n"
                "bareprof doctor fw.elf --json",
    .usage = "ELF... [--json]",
    .about =
        "Checks an ELF for causes of an empty or wrong report before the "
        "firmware runs, and prints how much memory the profile needs. Pass the "
        "ELF that the linker wrote, unstripped. Each finding says what is "
        "wrong and how to fix the problem, and has a severity:\n  error    the "
        "profile or the report is missing or wrong, or the firmware fails\n  "
        "warning  data is lost, or memory is wasted\n  note     a fact worth "
        "knowing\nThe code of a finding, such as D023, never changes; "
        "`bareprof explain D023` prints more about the finding. doctor cannot "
        "see whether linked functions are ever called. The costs are the RAM "
        "and flash of the profile's data (without the code that counts), and "
        "the estimated size of a complete dump in the BINARY format: 80 bytes, "
        "plus 0.5 to 1.25 bytes for each counter, and up to 8 bytes for each "
        "slot for values. A full dump also contains the names and the records "
        "of functions, compressed to between half and two thirds of their "
        "size. The exit status is 1 if a finding is an error.",
    RUNS(run_doctor, options, 1, 0, "the ELF of the firmware")};
