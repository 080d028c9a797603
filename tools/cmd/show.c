/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof show: prints a profile of any kind and version. show/shown_profile.h
 * sorts and counts the records of the profile.
 */
#include "../show/shown_profile.h"

#include <string.h>

#include "../base/demangle.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/llvm.h"
#include "../base/options.h"
#include "commands.h"
#include "../image/snapshot.h"

struct arguments {
  struct show_settings settings;
  const char *out, *elf;
  bool no_demangle;
};

static int write_shown_profile(struct shown_profile *shown,
                               const struct arguments *arguments) {
  struct output_file output;
  /* Programs that read the output expect mangled names. */
  bool plain = arguments->settings.json || arguments->no_demangle ||
               arguments->settings.covered || strcmp(arguments->out, "-") != 0;
  if (!plain)
    demangle_hold_stdout(0);
  exit_if_failed(output_open(&output, arguments->out));
  if (arguments->settings.json)
    show_profile_json(output.stream, shown, &arguments->settings);
  else
    show_profile_text(output.stream, shown, &arguments->settings);
  int status = output_commit(&output);
  return demangle_print_held() || status;
}

static void warn_counter_widths(const char *name, const struct elf *elf) {
  struct counter_widths widths;
  counter_width_read(&widths, elf);
  if (counter_width_is_modulo(&widths))
    counter_width_warn_modulo(name, widths.placed.objects);
}

static int run_show(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-", .settings.below = UINT64_MAX};
  struct profile_merge merge;
  struct shown_profile shown = {0};
  char **files = options_parse(command, argc, argv, &arguments);
  arguments.settings.file = *files;
  profile_merge_init(&merge, (const char *const *)files);
  merge.only = merge.profile.lost_on_error = true;
  exit_if_failed(profile_merge_open_elf(&merge, arguments.elf));
  if (arguments.elf)
    warn_counter_widths(arguments.elf, merge.elf);
  exit_if_failed(profile_merge_open_in_windows(&merge, 0));
  /* Windows hold only one part of the profile, so a profile with
   * context-sensitive records is loaded completely. */
  bool done = merge.windows && !(merge.profile.flags & PROFILE_CS) &&
              shown_fill_parts(&shown, &merge, &arguments.settings);
  if (!done) {
    shown_free(&shown);
    shown = (struct shown_profile){0};
    exit_if_failed(profile_merge_restart_whole_file(&merge));
    done = shown_fill_parts(&shown, &merge, &arguments.settings);
  }
  int status = done ? write_shown_profile(&shown, &arguments)
                    : report_out_of_memory(*files);
  shown_free(&shown);
  profile_merge_free(&merge);
  return status;
}

static const struct option_row options[] = {
    {.help = "Functions, hottest first"},
    {"all-functions", .often = true, .help = "list all functions",
     OPTION(struct arguments, settings.all_functions)},
    {"function", 0, "TEXT", "list functions whose name contains TEXT",
     OPTION(struct arguments, settings.name)},
    {"hot", .often = true,
     .help = "list the hot functions: functions with counts so high that "
             "compilers optimise them for speed",
     OPTION(struct arguments, settings.hot)},
    {"at-least", 0, "N", "list functions whose largest count is at least N",
     OPTION(struct arguments, settings.least),
     .given = offsetof(struct arguments, settings.limited)},
    {"below", 0, "N", "list functions whose largest count is less than N",
     OPTION(struct arguments, settings.below),
     .given = offsetof(struct arguments, settings.limited)},
    {"counts", .often = true,
     .help = "also show the counters of each listed function",
     OPTION(struct arguments, settings.counts)},
    {"bitmap", 0, NULL, "also show the MC/DC bitmaps of each listed function",
     OPTION(struct arguments, settings.bitmaps)},
    {"values", 0, NULL,
     "also show the recorded values of each listed function: call targets, "
     "sizes of memory operations, and how many values each site has",
     OPTION(struct arguments, settings.values)},
    {.help = "Other sections"},
    {"top", 0, "N", .often = true,
     .help = "list the N functions with the largest counts",
     OPTION(struct arguments, settings.hottest)},
    {"covered", .often = true,
     .help = "print the names of the functions that ran, one per line",
     OPTION(struct arguments, settings.covered)},
    {"detailed-summary", 0, NULL,
     "show how many of the largest counters make up 10 %, 20 %, ... 99 % of "
     "the total count",
     OPTION(struct arguments, settings.cutoffs)},
    {"traces", 0, NULL,
     "show the traces: in which order functions were first called",
     OPTION(struct arguments, settings.traces)},
    {"ids", 0, NULL, "print the build ids of the profile, one per line",
     OPTION(struct arguments, settings.ids)},
    {.help = "For all sections"},
    {"cs", 0, NULL,
     "show only the context-sensitive records, from -fcs-profile-generate "
     "(default: only the other records)",
     OPTION(struct arguments, settings.context_sensitive)},
    {"json", .often = true,
     .help = "print the sections that other options choose, or all sections, "
             "as JSON. Members: file, format, version, modes, regular, "
             "context_sensitive, traces, build_ids. The members regular and "
             "context_sensitive contain summary, sites, and list (name, hash, "
             "counters, bitmap, call, memop, vtable)",
     OPTION(struct arguments, settings.json)},
    {"no-demangle", 0, NULL,
     "show the mangled names of C++ and Rust functions. JSON, the file of "
     "--output and --covered always contain mangled names",
     OPTION(struct arguments, no_demangle)},
    {"elf", 0, "ELF",
     "read the records of a raw profile from this ELF, for code that was "
     "compiled with -profile-correlate",
     OPTION(struct arguments, elf)},
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_show = {
    .name = "show",
    .summary = "show the contents of a profile",
    .examples = "bareprof show all.profdata\n"
                "bareprof show all.profdata --all-functions --counts",
    .usage = "FILE [options]",
    .about =
        "Shows the contents of a profile: raw (.profraw) of LLVM 11 and 13 "
        "to " LLVM_LAST_TEXT
        ", indexed (.profdata), or text (.proftext). Prints an "
        "overview, unless options choose other sections.",
    RUNS(run_show, options, 1, 1,
         "one profile (merge several profiles first)")};
