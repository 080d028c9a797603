/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof match: compares a profile with the ELF of another build, and prints
 * how much of the profile clang would use for that build, and why it would not
 * use the rest. compare/comparison.h does the comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../compare/comparison.h"
#include "../image/dumpfile.h"
#include "../profile/profile_merge.h"
#include "../sample/make.h"
#include "bareprof.h"
#include "commands.h"

struct arguments {
  const char *names[2]; /* the names of the profile and of the ELF */
  const char *out;
  double at_least; /* the lowest accepted percentage; 0: no limit */
  unsigned top, raw;
  bool by_name; /* the profile has names, but lacks hashes */
};

static double percent_of_counts(const struct build_match *match,
                                double weight) {
  return 100 * weight / match->all.weight;
}

static void print_match_sum(FILE *stream, const struct build_match *match,
                            const char *name,
                            const struct match_reason_total *sum) {
  fprintf(stream, "%-8s %9.3f %% %14.0f %10zu\n", name,
          percent_of_counts(match, sum->weight), sum->weight, sum->functions);
}

/* Lists up to `top` functions whose counts the build does not use. MATCH_KIND
 * is skipped, because this reason holds for all functions or for none. */
static void print_unmatched_functions(FILE *stream,
                                      const struct build_match *match,
                                      unsigned top) {
  const struct match_function *list = (const void *)match->records.data;
  size_t count = match->records.size / sizeof *list, shown = 0;
  for (size_t i = 0; i < count; i++) {
    enum match_reason reason = list[i].reason;
    if (reason == MATCH_TAKEN || reason == MATCH_KIND || list[i].weight < 1 ||
        shown++ >= top)
      continue;
    fprintf(stream, "%s%-8s %9.3f %% %14.0f  ", shown == 1 ? "\n" : "",
            match_reasons[reason], percent_of_counts(match, list[i].weight),
            list[i].weight);
    print_printable(stream, list[i].name);
    if (list[i].now) {
      fputs("  now ", stream);
      print_printable(stream, list[i].now);
    }
    fputc('\n', stream);
  }
  if (shown > top)
    fprintf(stream, "... and %zu more; use --top N to show more\n",
            shown - top);
}

/* Writes the result, even if the limit then fails. */
static int write_and_check_limit(const struct arguments *arguments,
                                 const struct build_match *match) {
  struct output_file output;
  if (match->all.weight < 1)
    return report(arguments->names[0],
                  "all counts are zero; pass a profile of a run");
  exit_if_failed(output_open(&output, arguments->out));
  fprintf(output.stream, "%-8s %11s %14s %10s\n", "", "share", "counts",
          "functions");
  for (unsigned i = 0; i < MATCH_REASONS; i++)
    if (match->sums[i].functions || i == MATCH_TAKEN)
      print_match_sum(output.stream, match, match_reasons[i], &match->sums[i]);
  print_match_sum(output.stream, match, "all", &match->all);
  if (arguments->by_name)
    fputs("\nNames alone are compared: a profile of lines has no checksums, so "
          "what was\nchanged counts as taken.\n",
          output.stream);
  print_unmatched_functions(output.stream, match, arguments->top);
  exit_if_failed(output_commit(&output));
  double taken = percent_of_counts(match, match->sums[MATCH_TAKEN].weight);
  return taken >= arguments->at_least
             ? 0
             : report(arguments->names[0],
                      "the build uses %.3f %% of the counts, less than the %g "
                      "%% of --fail-under; see the reasons above, or make a "
                      "new profile",
                      taken, arguments->at_least);
}

/* Takes ownership of the file: a pipe cannot be read a second time. */
static int match_counter_profile(const struct arguments *arguments,
                                 struct file file, const struct elf *elf) {
  struct image_functions functions = {0};
  struct build_match match;
  struct profile_merge merge;
  const struct build_image build = {elf, arguments->raw, &functions};
  match_begin(&match);
  profile_merge_init(&merge, arguments->names);
  merge.only = merge.profile.lost_on_error = true;
  merge.lasting = file;
  exit_if_failed(profile_merge_restart_whole_file(&merge));
  exit_on_error(arguments->names[1],
                match_profile(&match, &merge.profile, &build));
  int status = write_and_check_limit(arguments, &match);
  match_free(&match);
  functions_free(&functions);
  profile_merge_free(&merge);
  return status;
}

static int match_sample_profile(struct arguments *arguments,
                                struct bytes profile, const struct elf *elf) {
  struct sample_match_details found = {0};
  struct build_match match;
  const char *error = sample_match_make(&match, profile, elf, &found);
  arguments->by_name = found.by_name;
  if (error && found.line)
    exit_after_flush(
        report(arguments->names[0], "line %zu: %s", found.line, error));
  exit_on_error(arguments->names[found.of_elf], error);
  int status = write_and_check_limit(arguments, &match);
  match_free(&match);
  return status;
}

/* Compares a profile of any kind with the ELF. */
static int match_any_profile(struct arguments *arguments,
                             const struct elf *elf) {
  struct file file;
  exit_if_failed(file_map(&file, arguments->names[0], (size_t)1 << 30));
  if (!sample_match_is_profile(file.bytes))
    return match_counter_profile(arguments, file, elf);
  int status = match_sample_profile(arguments, file.bytes, elf);
  file_close(&file);
  return status;
}

static const char *parse_percent(void *context, const char *value) {
  struct arguments *arguments = context;
  char *end;
  arguments->at_least = strtod(value, &end);
  bool number = end != value && (!*end || strcmp(end, "%") == 0);
  return number && arguments->at_least > 0 && arguments->at_least <= 100
             ? NULL
             : "--fail-under is a percentage, above 0 and at most 100";
}

static int run_match(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-", .top = 20};
  char **files = options_parse(command, argc, argv, &arguments);
  struct file file;
  struct elf elf;
  for (int i = 0; i < 2; i++)
    arguments.names[i] = files[i];
  exit_if_failed(elf_open_file(&elf, &file, arguments.names[1]));
  int status = match_any_profile(&arguments, &elf);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    {"fail-under", 0, "PERCENT",
     "exit with status 1 if the build can use less than PERCENT of the counts",
     .parse_value = parse_percent},
    {"top", 0, "N",
     "list the N functions that lose the most counts (default: 20)",
     OPTION(struct arguments, top)},
    {"raw-version", 0, "N",
     "read the records as raw version N, 7 to 11. Needed only if the ELF does "
     "not contain its version",
     OPTION(struct arguments, raw), .least = BAREPROF_RAW_VERSION_FIRST,
     .most = BAREPROF_RAW_VERSION_LAST},
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_match = {
    .name = "match",
    .summary = "show how much of a profile clang can use for another build",
    .examples = "bareprof match fw.profdata next.elf --fail-under 90%",
    .usage = "PROFILE ELF [options]",
    .about =
        "Shows how much of a profile clang can use for another build, and why "
        "clang cannot use the rest. ELF is the other build. Compile ELF with "
        "the same instrumentation as the build that made the profile: the "
        "records of ELF contain the names and hashes that clang compares. For "
        "a sample profile with probes, ELF is a build with pseudo probes. For "
        "a sample profile by lines, ELF is a build with -g1, and only names "
        "are compared. Each count of the profile is in one of these groups:\n  "
        "taken    clang can use the count: name and hash of the function "
        "match\n  hash     the function has another hash in the build, so its "
        "code changed\n  path     the function is static, and its file has "
        "another name now\n           (see --rename of merge, samples, mip "
        "prof)\n  __uniq   the hash of the file name, which\n           "
        "-funique-internal-linkage-names appends, differs or is\n           "
        "missing on one side (see --rename)\n  renamed  exactly one new "
        "function of the build has the same structure,\n           or the "
        "function became static or is no longer static\n  gone     the build "
        "has no such function\n  kind     the build has another kind of "
        "instrumentation (IR, front end)",
    RUNS(run_match, options, 2, 2, "a profile and an ELF")};
