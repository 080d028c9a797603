/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof extract: what the host needs of an ELF, to archive beside the
 * stripped program. An ELF that lacks some of it is refused: what is lost
 * here would be missed months later.
 */
#include <stdio.h>

#include "base/elf_write.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "extract/keep.h"
#include "image/image.h"

enum { FILE_LIMIT = 1 << 30 };

static const char help[] =
    "usage: bareprof extract ELF -o META\n"
    "\n"
    "Makes a small ELF of what `bareprof join` and llvm-cov need of ELF:\n"
    "records, names, coverage mapping, build id, bounds. Archive it beside\n"
    "the program that you release, which may then be stripped. Give the ELF\n"
    "as it was linked, or after strip -g.\n"
    "\n"
    "  -o, --output META   where to; needed\n";

/* ---- what must be there ---- */

static const char *check_either(const struct keep *keep, const char *name,
                                const char *correlated) {
  const struct elf_section *section = keep_find(keep, name);
  if (!section)
    section = keep_find(keep, correlated);
  if (!section)
    return "it has counters without records or names: llvm-strip without -g "
           "takes them, then give the ELF as it was linked; with "
           "-profile-correlate=debug-info they are in .debug_info, then "
           "archive the whole ELF";
  return section->bytes ? NULL
                        : "its records or names have no contents, as after "
                          "--only-keep-debug; give the ELF as it was linked";
}

static const char *check_sections(const struct keep *keep,
                                  const struct elf *elf) {
  if (!elf->section_count)
    return "it has no sections any more; give the ELF as it was linked";
  if (!keep_find(keep, "__llvm_prf_cnts"))
    return "it has no counters; was it compiled with profile flags, and linked "
           "with bareprof.ld or bareprof-lean.ld?";
  const char *error = check_either(keep, "__llvm_prf_data", "__llvm_covdata");
  return error ? error
               : check_either(keep, "__llvm_prf_names", "__llvm_covnames");
}

/* Without the mapping it is, or may be, an image of the optimiser's profile,
 * and only the version word says of which kind. With it, a wrong kind shows
 * in the records. */
static const char *check(const struct keep *keep, const struct elf *elf) {
  struct witnesses witnesses;
  const char *error = check_sections(keep, elf);
  if (error)
    return error;
  bool symbols = elf->symbol_count > 1;
  if ((!symbols || keep->word_lost) && !keep_find(keep, "__llvm_covmap"))
    return "strip has taken its version word, and coverage mapping if it had "
           "some; give the ELF as it was linked, or after strip -g";
  return image_witnesses(elf, 0, &witnesses);
}

/* ---- the command ---- */

static int extract(const char *name, const struct elf *elf, const char *out) {
  static struct keep keep;
  struct output output;
  const char *error = NULL;
  if (elf->type == ELF_REL || elf->type == ELF_CORE)
    error = "it is an object or a core; give the linked image";
  if (!error)
    error = keep_all(&keep, elf);
  if (!error)
    error = check(&keep, elf);
  if (error)
    return report(name, "%s", error);
  const struct elf_draft draft = {
      elf->wide,          elf->big,     elf->type,
      elf->machine,       elf->flags,   keep.sections,
      keep.section_count, keep.symbols, keep.symbol_count};
  if (output_open(&output, out))
    return 1;
  error = elf_write(&draft, output.stream);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(name, "%s", error);
}

static int usage(const char *what) { return options_wrong("extract", what); }

static int take(void *out, int option) {
  if (option != 'o')
    return options_unknown("extract");
  *(const char **)out = optarg;
  return 0;
}

int command_extract(int argc, char **argv) {
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
  static const struct options options = {"extract", help, "o:h", list, take};
  const char *out = NULL;
  int status = options_take(&options, argc, argv, &out);
  if (status >= 0)
    return status;
  if (!out)
    return usage("-o META is missing");
  if (optind + 1 != argc)
    return usage("give one ELF");
  struct file file;
  struct elf elf;
  if (file_map(&file, argv[optind], FILE_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  status =
      error ? report(file.name, "%s", error) : extract(file.name, &elf, out);
  file_close(&file);
  return status;
}
