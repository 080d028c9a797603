/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof order: where the linker should put functions, so that little
 * memory is touched, and that at first what runs first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "order/arrange.h"
#include "order/listing.h"
#include "order/traces.h"

#define ELF_LIMIT ((size_t)1 << 30)

static const char help[] =
    "usage: bareprof order FILE... [options]\n"
    "\n"
    "An order of functions from the temporal traces of profiles, for the\n"
    "linker: few pages or flash lines are touched then, above all at start.\n"
    "Functions come in the order of the weighted mean of their places in the\n"
    "runs (of the logarithm), those that a run lacks being behind its end. "
    "Then\n"
    "the halves of the list, their halves and so on exchange functions, as "
    "long\n"
    "as that brings together what the same runs call at about the same time.\n"
    "One run gives its own order.\n"
    "\n"
    "      --format=lld           a file for --symbol-ordering-file; the "
    "default\n"
    "      --format=gnu-ld        input sections for a linker script, to "
    "INCLUDE\n"
    "                             inside of the output section\n"
    "      --elf ELF              only functions that are in this image; it "
    "is\n"
    "                             also the one of raw profiles without "
    "records\n"
    "      --weighted-input=W,IN  the runs of IN count W times\n"
    "      --input-files=LIST     names of inputs, or W,IN, a line each\n"
    "  -o, --output OUT           where to; else standard output\n"
    "\n"
    "Traces come from -fprofile-generate with -ftemporal-profile (clang 21 "
    "and\n"
    "later) or -mllvm -pgo-temporal-instrumentation (17 and later), or from a\n"
    ".mip with times of first calls, which is one run in its average order.\n";

struct arguments {
  struct sources inputs;
  struct sources_given given;
  const char *out, *elf;
  bool gnu;
};

/* ---- what there is to say ---- */

static void say_lost(const struct traces_lost *lost) {
  if (lost->files)
    report(lost->file,
           "it has traces for %" PRIu64 " of %" PRIu64
           " runs, and so has not all in %zu file(s); give the profiles of "
           "before the merge, of which none is left out",
           lost->has, lost->ran, lost->files);
  if (lost->nameless)
    report(NULL,
           "%" PRIu64 " calls are of functions without a name in the profile, "
           "and left out",
           lost->nameless);
}

static void say_listing(const struct listing *listing) {
  const char *first = NULL;
  for (size_t i = listing->count; i-- > 0;)
    if (listing->list[i].ambiguous)
      first = listing->list[i].symbol;
  if (first)
    report(NULL,
           "several functions have one name (%zu such names, %s is the first); "
           "linkers put them in one place, which is that of the first called",
           listing->ambiguous, first);
  if (listing->unfit)
    report(NULL, "%zu names cannot be written in a list, and are left out",
           listing->unfit);
}

/* ---- the command ---- */

static int write_out(const struct arguments *arguments,
                     const struct listing *listing) {
  struct output output;
  say_listing(listing);
  if (output_open(&output, arguments->out))
    return 1;
  (arguments->gnu ? listing_gnu : listing_lld)(output.stream, listing);
  return output_commit(&output);
}

static int put_in_order(const struct arguments *arguments,
                        const struct runs *runs, const struct elf *elf) {
  struct listing listing;
  uint32_t *order = arrange(runs);
  if (!order)
    return report(NULL, "not enough memory; free some");
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
    status = runs_count(&runs)
                 ? put_in_order(arguments, &runs, elf)
                 : report(inputs->names[0],
                          "there are no temporal traces%s; compile with "
                          "-fprofile-generate and -ftemporal-profile (clang 21 "
                          "and later) or -mllvm -pgo-temporal-instrumentation "
                          "(17 and later)",
                          inputs->count > 1 ? " in it, nor in the others"
                                            : " in it");
  }
  runs_free(&runs);
  return status;
}

static int with_elf(const struct arguments *arguments) {
  struct file file;
  struct elf elf;
  if (!arguments->elf)
    return order_with(arguments, NULL);
  if (file_map(&file, arguments->elf, ELF_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  int status =
      error ? report(arguments->elf, "%s", error) : order_with(arguments, &elf);
  file_close(&file);
  return status;
}

static int run(struct arguments *arguments, char **names) {
  arguments->given.names = names;
  if (sources_take(&arguments->inputs, &arguments->given))
    return 1;
  if (arguments->inputs.count == 0)
    return options_wrong("order", "an input is missing");
  return with_elf(arguments);
}

enum { FORMAT = 256, ELF, WEIGHTED, LIST };

static int take_format(struct arguments *arguments) {
  arguments->gnu = strcmp(optarg, "gnu-ld") == 0;
  return arguments->gnu || strcmp(optarg, "lld") == 0
             ? 0
             : options_wrong("order", "--format is lld or gnu-ld");
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case FORMAT:
    return take_format(arguments);
  case ELF:
    arguments->elf = optarg;
    return 0;
  case WEIGHTED:
    return sources_weighted(&arguments->given.weighted, optarg);
  case LIST:
    return sources_add(&arguments->given.lists, optarg, 1);
  case 'o':
    arguments->out = optarg;
    return 0;
  default:
    return options_unknown("order");
  }
}

int command_order(int argc, char **argv) {
  static const struct option list[] = {
      {"format", required_argument, NULL, FORMAT},
      {"elf", required_argument, NULL, ELF},
      {"weighted-input", required_argument, NULL, WEIGHTED},
      {"input-files", required_argument, NULL, LIST},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"order", help, "o:h", list, take};
  struct arguments arguments = {.out = "-"};
  int status = options_take(&options, argc, argv, &arguments);
  if (status < 0)
    status = run(&arguments, argv + optind);
  sources_free(&arguments.inputs);
  sources_free(&arguments.given.weighted);
  sources_free(&arguments.given.lists);
  return status;
}
