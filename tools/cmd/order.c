/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof order: reads profiles with temporal traces, and writes a function
 * order for the linker. With this order a run touches few pages, because
 * functions that run at about the same time are near each other. order/order.h
 * makes the order.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "commands.h"
#include "../order/order.h"

struct arguments {
  struct merge_input_arguments given;
  struct merge_inputs inputs;
  const char *out, *elf;
  unsigned gnu;
};

/* ---- messages ---- */

static void warn_lost_traces(const struct lost_traces *lost) {
  if (lost->files)
    warn(lost->file,
         "traces cover %" PRIu64 " of %" PRIu64
         " runs, because traces are missing in %zu file(s); merge all original "
         "profiles again",
         lost->has, lost->ran, lost->files);
  if (lost->nameless)
    warn(NULL,
         "calls left out, because their functions have no name in the "
         "profile: %" PRIu64,
         lost->nameless);
}

static void warn_ambiguous_and_unfit(const struct order_listing *listing) {
  const char *first = NULL;
  for (size_t i = listing->count; i-- > 0;)
    if (listing->list[i].ambiguous)
      first = listing->list[i].symbol;
  if (first)
    warn(NULL,
         "ambiguous function names: %zu, such as %s; use "
         "-funique-internal-linkage-names, otherwise the linker places all "
         "functions of one name together",
         listing->ambiguous, first);
  if (listing->unfit)
    warn(NULL,
         "names left out, because a list cannot hold their characters: %zu",
         listing->unfit);
}

/* ---- the command ---- */

static int write_function_order(const struct arguments *arguments,
                                struct runs *runs, const struct elf *elf) {
  struct order_listing listing;
  struct output_file output;
  exit_on_error(elf ? arguments->elf : NULL,
                order_list_symbols(&listing, runs, order_compute(runs), elf));
  warn_ambiguous_and_unfit(&listing);
  exit_if_failed(output_open(&output, arguments->out));
  (arguments->gnu ? order_print_gnu : order_print_lld)(output.stream, &listing);
  return output_commit(&output);
}

static int order_by_traces(const struct arguments *arguments,
                           const struct elf *elf) {
  const struct merge_inputs *inputs = &arguments->inputs;
  struct lost_traces lost = {.file = NULL};
  struct runs runs;
  runs_init(&runs);
  exit_if_failed(order_add_traces(&runs, inputs, elf, &lost));
  warn_lost_traces(&lost);
  runs_merge_equal(&runs);
  int status =
      runs.count
          ? write_function_order(arguments, &runs, elf)
          : report(
                inputs->names[0],
                "no temporal traces found%s; compile with -fprofile-generate "
                "and -ftemporal-profile (clang 21 and later) or -mllvm "
                "-pgo-temporal-instrumentation (17 and later)",
                inputs->count > 1 ? " in this file or in the others" : "");
  runs_free(&runs);
  return status;
}

static int run_order(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  struct file file = {.name = NULL};
  struct elf elf;
  arguments.given.names = options_parse(command, argc, argv, &arguments);
  exit_if_failed(merge_inputs_collect(&arguments.inputs, &arguments.given));
  if (!arguments.inputs.count)
    exit_if_failed(options_report_misuse(command, "an input is missing"));
  if (arguments.elf)
    exit_if_failed(elf_open_file(&elf, &file, arguments.elf));
  int status = order_by_traces(&arguments, arguments.elf ? &elf : NULL);
  file_close(&file);
  merge_inputs_free(&arguments.inputs);
  merge_inputs_free(&arguments.given.weighted);
  merge_inputs_free(&arguments.given.lists);
  return status;
}

static const char *const formats[] = {"lld", "gnu-ld", NULL};

static const struct option_row options[] = {
    {"format", 0, "FORMAT",
     "write the order in this format: lld (names for --symbol-ordering-file, "
     "the default), or gnu-ld (input sections, to INCLUDE in an output section "
     "of a linker script)",
     OPTION(struct arguments, gnu), .words = formats},
    {"elf", 0, "ELF",
     "order only the functions of this ELF. Required for raw profiles without "
     "records",
     OPTION(struct arguments, elf)},
    MERGE_INPUT_ROWS("let each run of profile IN count W times",
                     "to let each run of IN count W times"),
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_order = {
    .name = "order",
    .summary = "write an order of functions for the linker, for a faster start",
    .examples = "bareprof order traced.profdata -o order.txt",
    .usage = "FILE... [options]",
    .about =
        "Orders functions for the linker, so that the program touches fewer "
        "pages or flash lines, above all at boot. The order comes from the "
        "temporal traces (orders of first calls) in profiles. Each function "
        "has a position in each run; a function that a run did not call gets a "
        "position after the last call. First, the command sorts functions by "
        "the weighted mean of the logarithms of their positions. Then the "
        "command swaps functions between the two halves of the list, between "
        "the halves of each half, and so on, as long as a swap brings "
        "functions together that the same runs call at about the same time. "
        "For a single run, the result is the order of calls in this run.",
    .notes = "To record traces, compile with -fprofile-generate and "
             "-ftemporal-profile (clang 21 and later) or -mllvm "
             "-pgo-temporal-instrumentation (clang 17 and later). A profile of "
             "`bareprof mip` (.mip) with the times of first calls also "
             "contains a trace, and counts as one run.",
    RUNS(run_order, options, 0, 0, NULL)};
