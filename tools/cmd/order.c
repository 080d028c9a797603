/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof order: reads profiles with temporal traces, and writes a function
 * order for the linker. With this order a run touches few pages, and first the
 * functions that run first. order/order.h sorts.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "commands.h"
#include "../order/order.h"

struct arguments {
  struct sources_given given;
  struct sources inputs;
  const char *out, *elf;
  unsigned gnu;
};

/* ---- messages ---- */

static void say_lost(const struct traces_lost *lost) {
  if (lost->files)
    warn(lost->file,
         "traces cover %" PRIu64 " of %" PRIu64
         " runs, and %zu file(s) lack some; merge the original profiles again, "
         "with all of them",
         lost->has, lost->ran, lost->files);
  if (lost->nameless)
    warn(NULL,
         "%" PRIu64 " calls are left out, because their functions have no name "
         "in the profile",
         lost->nameless);
}

static void say_listing(const struct order_listing *listing) {
  const char *first = NULL;
  for (size_t i = listing->count; i-- > 0;)
    if (listing->list[i].ambiguous)
      first = listing->list[i].symbol;
  if (first)
    warn(NULL,
         "%zu function names are ambiguous, such as %s; use "
         "-funique-internal-linkage-names, or the linker places all functions "
         "of a name together",
         listing->ambiguous, first);
  if (listing->unfit)
    warn(NULL,
         "%zu names are left out, because a list cannot hold their characters",
         listing->unfit);
}

/* ---- the command ---- */

static int write_out(const struct arguments *arguments,
                     const struct order_listing *listing) {
  struct output output;
  say_listing(listing);
  if (output_open(&output, arguments->out))
    return 1;
  (arguments->gnu ? listing_gnu : listing_lld)(output.stream, listing);
  return output_commit(&output);
}

static int put_in_order(const struct arguments *arguments,
                        const struct runs *runs, const struct elf *elf) {
  struct order_listing listing;
  uint32_t *order = arrange(runs);
  if (!order)
    return report_memory(NULL);
  const char *error = listing_make(&listing, runs, order, elf);
  int status = error ? report(elf ? arguments->elf : NULL, "%s", error)
                     : write_out(arguments, &listing);
  free(listing.list);
  free(order);
  return status;
}

static int order_with(const struct arguments *arguments,
                      const struct elf *elf) {
  const struct sources *inputs = &arguments->inputs;
  struct traces_lost lost = {.file = NULL};
  struct runs runs;
  runs_new(&runs);
  int status = traces_add(&runs, inputs, elf, &lost);
  if (!status) {
    say_lost(&lost);
    runs_fold(&runs);
    status =
        runs_count(&runs)
            ? put_in_order(arguments, &runs, elf)
            : report(
                  inputs->names[0],
                  "no temporal traces found%s; compile with -fprofile-generate "
                  "and -ftemporal-profile (clang 21 and later) or -mllvm "
                  "-pgo-temporal-instrumentation (17 and later)",
                  inputs->count > 1 ? " in this file or in the others" : "");
  }
  runs_free(&runs);
  return status;
}

static int with_elf(const struct arguments *arguments) {
  struct file file;
  struct elf elf;
  if (!arguments->elf)
    return order_with(arguments, NULL);
  if (elf_map(&elf, &file, arguments->elf))
    return 1;
  int status = order_with(arguments, &elf);
  file_close(&file);
  return status;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  int status = options_take(command, argc, argv, &arguments);
  arguments.given.names = argv + optind;
  if (status < 0)
    status = sources_take(&arguments.inputs, &arguments.given) ? 1 : -1;
  if (status < 0)
    status = arguments.inputs.count
                 ? with_elf(&arguments)
                 : options_wrong(command, "an input is missing");
  sources_free(&arguments.inputs);
  sources_free(&arguments.given.weighted);
  sources_free(&arguments.given.lists);
  return status;
}

static const char *const formats[] = {"lld", "gnu-ld", NULL};

static const struct option_row options[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "output format. lld: names for --symbol-ordering-file. gnu-ld: "
             "input sections, to INCLUDE in an output section of a linker "
             "script. Default: lld",
     OPTION(struct arguments, gnu),
     .words = formats},
    {.name = "elf",
     .value = "ELF",
     .help = "order only functions of this ELF; raw profiles without records "
             "also need the ELF",
     OPTION(struct arguments, elf)},
    SOURCES_ROWS,
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_order = {
    .name = "order",
    .summary = "order functions for the linker",
    .examples = "bareprof order traced.profdata -o order.txt",
    .usage = "FILE... [options]",
    .about =
        "Orders functions for the linker, from the temporal traces of "
        "profiles, so that the program touches fewer pages or flash lines, "
        "above all at boot. Each function has a position in each run; a "
        "function missing in a run counts as called after its end. The command "
        "sorts functions by the weighted mean of the logarithm of these "
        "positions. Then it swaps functions between the halves of the list, "
        "between their halves and so on, as long as that brings functions "
        "together that the same runs call at about the same time. With one "
        "run, the result is the order of that run.",
    .options = options,
    .notes = "Traces come from -fprofile-generate with -ftemporal-profile "
             "(clang 21 and later) or -mllvm -pgo-temporal-instrumentation "
             "(clang 17 and later), or from a .mip with times of first calls, "
             "which counts as one run.",
    .run = run};
