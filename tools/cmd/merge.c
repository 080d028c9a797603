/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof merge: adds up raw, indexed and text profiles of any LLVM version,
 * and writes a profile that the user's compiler reads. profile/profile_merge.h
 * does the adding.
 */
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/llvm.h"
#include "../base/options.h"
#include "commands.h"
#include "../profile/profile_merge.h"
#include "../profile/indexed.h"
#include "../profile/proftext.h"

enum failure_mode { FAIL_ANY, FAIL_ALL, FAIL_NEVER };

struct arguments {
  struct merge_input_arguments given;
  struct merge_inputs inputs;
  const char *out, *elf;
  unsigned llvm, version, mcdc, threads;
  enum failure_mode mode;
  bool text, sparse, keep_vtables;
  struct file_renames renames;
};

static void show_merge_progress(size_t done, size_t all) {
  show_progress(done, all, "profiles");
}

/* Adds all inputs. Returns 0, or 1 if more inputs are bad than --failure-mode
 * allows. */
static int merge_all_inputs(struct profile_merge *merge,
                            const struct arguments *arguments) {
  const struct merge_inputs *inputs = &arguments->inputs;
  const struct parallel_merge work = {
      inputs, profile_merge_thread_count(inputs, arguments->threads),
      show_merge_progress};
  size_t bad = 0;
  merge->only = inputs->count == 1;
  show_merge_progress(0, inputs->count);
  if (arguments->mcdc)
    merge->profile.bitmaps_by_user =
        arguments->mcdc < 19 ? BITMAPS_18 : BITMAPS_19;
  merge->profile.lost_on_error = arguments->mode == FAIL_ANY;
  if (work.threads > 1 && profile_merge_in_threads(merge, &work))
    return 0;
  /* One thread, or an input that causes a message: messages are in the order of
   * the inputs. */
  for (size_t i = 0; i < inputs->count; i++) {
    if (profile_merge_add_file(merge, (uint32_t)i, inputs->weights[i])) {
      bad++;
      if (arguments->mode == FAIL_ANY)
        return 1;
    }
    show_merge_progress(i + 1, inputs->count);
  }
  return arguments->mode == FAIL_ALL && bad == inputs->count;
}

/* Changes the separator in the names of local functions to the separator that
 * the chosen release uses. */
static void translate_name_separator(struct profile_merge *merge,
                                     const struct arguments *arguments,
                                     unsigned version) {
  bool old =
      arguments->llvm ? arguments->llvm < 18 : version < INDEXED_SEMICOLON;
  if (arguments->llvm || arguments->version)
    profile_merge_translate_names(merge, old ? ':' : ';', arguments->out);
}

/* Returns whether the profile keeps vtable names. The names are dropped only if
 * the user asks for a release or an index version, because llvm-profdata would
 * drop them then. */
static bool keeps_vtables(const struct arguments *arguments) {
  return arguments->keep_vtables || (!arguments->llvm && !arguments->version);
}

static int write_merged_profile(struct profile_merge *merge,
                                const struct arguments *arguments) {
  const struct profile *profile = &merge->profile;
  struct indexed_options options = {.version = arguments->version,
                                    .sparse = arguments->sparse,
                                    .vtable_names = keeps_vtables(arguments)};
  const char *error = NULL;
  struct output_file output;
  if (!options.version && !arguments->text) {
    options.version = indexed_choose_version(profile, arguments->llvm, &error);
    exit_on_error(arguments->out, options.version ? NULL : error);
  }
  translate_name_separator(merge, arguments, options.version);
  if (options.version)
    exit_on_error(arguments->out,
                  indexed_check_version(profile, options.version));
  exit_if_failed(output_open(&output, arguments->out));
  error = arguments->text ? proftext_write(profile, output.stream,
                                           arguments->llvm, arguments->sparse)
                          : indexed_write(profile, output.stream, &options);
  return output_commit_or_report(&output, arguments->out, error);
}

static int merge_and_write_profile(struct arguments *arguments) {
  struct profile_merge merge;
  profile_merge_init(&merge, arguments->inputs.names);
  exit_if_failed(profile_merge_open_elf(&merge, arguments->elf) ||
                 merge_all_inputs(&merge, arguments));
  profile_merge_rename_files(&merge, &arguments->renames, arguments->out);
  int status = write_merged_profile(&merge, arguments);
  profile_merge_free(&merge);
  return status;
}

static int run_merge(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = NULL};
  arguments.given.names = options_parse(command, argc, argv, &arguments);
  exit_if_failed(merge_inputs_collect(&arguments.inputs, &arguments.given));
  const char *wrong = arguments.inputs.count == 0 ? "an input is missing"
                      : arguments.llvm && arguments.version
                          ? "use only one of --for-llvm and --index-version"
                          : NULL;
  int status = wrong ? options_report_misuse(command, "%s", wrong)
                     : merge_and_write_profile(&arguments);
  merge_inputs_free(&arguments.inputs);
  merge_inputs_free(&arguments.given.weighted);
  merge_inputs_free(&arguments.given.lists);
  renames_free(&arguments.renames);
  return status;
}

static const char *const modes[] = {"any", "all", "warn", NULL};

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT", struct arguments, out),
    {"for-llvm", 0, "N",
     "write the format that LLVM release N (13 to " LLVM_LAST_TEXT
     ") reads, and that llvm-profdata of this release writes. A "
     "profile with MC/DC of LLVM 18 stays in the format of LLVM "
     "18, because later releases encode MC/DC differently",
     OPTION(struct arguments, llvm), .least = LLVM_FIRST, .most = LLVM_LAST},
    {"index-version", 0, "N",
     "write this version of the indexed format, 4 to " LLVM_TEXT(
         INDEXED_NEWEST) " (default: the oldest version that loses no data)",
     OPTION(struct arguments, version), .least = INDEXED_OLDEST,
     .most = INDEXED_NEWEST},
    {"mcdc-llvm", 0, "N",
     "read the MC/DC bitmaps of a text profile as written by LLVM release N "
     "(18 to " LLVM_LAST_TEXT "), because a text profile (.proftext) does not "
     "contain the release",
     OPTION(struct arguments, mcdc), .least = 18, .most = LLVM_LAST},
    {"text", 0, NULL, "write a text profile", OPTION(struct arguments, text)},
    {"sparse", 0, NULL, "leave out functions that never ran",
     OPTION(struct arguments, sparse)},
    {"keep-vtable-symbols", 0, NULL,
     "keep the names of vtables (without this option, --for-llvm and "
     "--index-version remove these names)",
     OPTION(struct arguments, keep_vtables)},
    RENAMES_ROW(struct arguments, renames),
    MERGE_INPUT_ROWS("multiply the counts of input profile IN by W",
                     "to multiply the counts of IN by W"),
    {"failure-mode", 0, "MODE",
     "choose when a bad input is an error: any (if any input is bad, the "
     "default), all (only if all inputs are bad), or warn (never, with a "
     "warning)",
     OPTION(struct arguments, mode), .words = modes},
    {"elf", 0, "ELF",
     "read the records of raw profiles from this ELF, for code that was "
     "compiled with -profile-correlate",
     OPTION(struct arguments, elf)},
    {"num-threads", 0, "N",
     "read inputs with N threads; the output is the same for any N (default: "
     "0, which uses one thread per processor if inputs are large)",
     OPTION(struct arguments, threads), .most = 4096},
    {0}};

const struct command command_merge = {
    .name = "merge",
    .summary =
        "merge profiles, also of different LLVM releases, into one profile",
    .examples = "bareprof merge *.profraw -o all.profdata\n"
                "bareprof merge *.profraw -o all.profdata --for-llvm 19",
    .usage = "IN... -o OUT [options]",
    .about = "Adds the counts of profiles: raw (.profraw) of LLVM 11 and 13 "
             "to " LLVM_LAST_TEXT ", indexed (.profdata) or text (.proftext). "
             "Merging in several steps gives the same "
             "result as merging all profiles at once.",
    RUNS(run_merge, options, 0, 0, NULL)};
