/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof extract: copies the parts of an ELF that the host needs, so that
 * they can be archived next to the stripped program. The command refuses an ELF
 * that lacks a part, because otherwise nobody would notice the loss for months.
 */

#include "../object/elf_write.h"
#include "../base/file.h"
#include "../base/options.h"
#include "commands.h"
#include "../extract/elf_subset.h"
#include "../image/trace_counts.h"
#include "../image/image.h"
#include "../image/raw_version.h"

/* ---- the parts that must exist ---- */

/* Checks a section of records or of names. `correlated` is the section's name
 * with -profile-correlate=binary; placed_records has the names with
 * --place=bss. */
static const char *require_records_or_names(const struct elf_subset *keep,
                                            const char *name,
                                            const char *correlated) {
  const struct elf_section *section = elf_subset_find_section(keep, name);
  if (!section)
    section = elf_subset_find_section(keep, correlated);
  bool records = strcmp(name, "__llvm_prf_data") == 0;
  for (unsigned i = 0; records && !section && i < WIDTH_KINDS; i++)
    section = elf_subset_find_section(keep, placed_records[i]);
  if (!section)
    return "the ELF has counters, but its records or names are missing; pass "
           "the ELF that ran, unstripped or stripped with -g only; with "
           "-profile-correlate=debug-info archive the complete ELF";
  if (section->flags & ELF_COMPRESSED)
    return "the records or names are compressed, which llvm-cov cannot read; "
           "pass the ELF that ran, uncompressed";
  return section->bytes
             ? NULL
             : "the records or names have no contents, as after "
               "--only-keep-debug; pass the ELF that ran, unstripped";
}

static const char *require_profile_sections(const struct elf_subset *keep,
                                            const struct elf *elf) {
  if (!elf->section_count)
    return "the ELF has no section table; pass the ELF that ran, unstripped";
  if (!keep->ranges.count &&
      !elf_subset_find_section(keep, "__llvm_prf_cnts") &&
      !elf_subset_find_section(keep, "__llvm_prf_cnt4") &&
      !elf_subset_find_section(keep, LABELS_COUNTS))
    return "no counters found; compile with -fprofile-instr-generate "
           "-fcoverage-mapping, and link with bareprof.ld or bareprof-lean.ld";
  const char *error =
      require_records_or_names(keep, "__llvm_prf_data", "__llvm_covdata");
  return error ? error
               : require_records_or_names(keep, "__llvm_prf_names",
                                          "__llvm_covnames");
}

/* Checks that the parts show the kind of the profile. Only the version word
 * shows PGO, whose ELF lacks a coverage mapping. If the ELF has a mapping, a
 * wrong kind is visible in the function data. */
static const char *require_needed_parts(const struct elf_subset *keep,
                                        const struct elf *elf) {
  struct raw_version_evidence evidence;
  const char *error = require_profile_sections(keep, elf);
  if (error)
    return error;
  bool symbols = elf->symbol_count > 1;
  if ((!symbols || keep->word_lost) &&
      !elf_subset_find_section(keep, "__llvm_covmap"))
    return "the version word and the coverage mapping were stripped; pass the "
           "ELF that ran, unstripped, or stripped with -g only";
  return raw_version_collect_evidence(elf, 0, &evidence);
}

/* ---- the command ---- */

static int write_extracted_elf(const char *name, const struct elf *elf,
                               const char *out) {
  static struct elf_subset keep;
  struct output_file output;
  if (elf->type == ELF_REL || elf->type == ELF_CORE)
    exit_on_error(name,
                  "this is an object file or a core file; pass the linked ELF");
  exit_on_error(name, elf_subset_collect(&keep, elf));
  exit_on_error(name, require_needed_parts(&keep, elf));
  const struct elf_draft draft = {
      elf->wide,          elf->big,     elf->type,
      elf->machine,       elf->flags,   keep.sections,
      keep.section_count, keep.symbols, keep.symbol_count};
  exit_if_failed(output_open(&output, out));
  return output_commit_or_report(&output, name,
                                 elf_write(&draft, output.stream));
}

struct arguments {
  const char *out;
};

static int run_extract(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {NULL};
  struct file file;
  struct elf elf;
  char **files = options_parse(command, argc, argv, &arguments);
  exit_if_failed(image_open_file(&elf, &file, *files));
  int status = write_extracted_elf(file.name, &elf, arguments.out);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("META", struct arguments, out), {0}};

const struct command command_extract = {
    .name = "extract",
    .summary =
        "write a small ELF with only the parts that join and llvm-cov need",
    .examples = "bareprof extract fw.elf -o fw.meta",
    .usage = "ELF -o META",
    .about = "Writes a small ELF with the parts that `bareprof join` and "
             "llvm-cov need: records, names, coverage mapping, build id, and "
             "the bounds of sections. Archive the small ELF with the released "
             "program, which may then be stripped. Pass the ELF that the "
             "linker wrote, unstripped or stripped with -g only.",
    RUNS(run_extract, options, 1, 1, "one ELF")};
