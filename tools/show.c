/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof show: what is in a profile of any kind and version.
 */
#include "show/shown.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "show/json.h"

static const char help[] =
    "usage: bareprof show FILE [options]\n"
    "\n"
    "What is in a profile: raw (.profraw) of LLVM 11 and 13 to 23, indexed\n"
    "(.profdata) of any release up to 22, or text (.proftext). Without a\n"
    "section, an overview.\n"
    "\n"
    "  functions, the hottest first:\n"
    "      --all-functions     all of them, or those\n"
    "      --function TEXT       whose names have TEXT in them\n"
    "      --hot                 that compilers take for hot\n"
    "      --at-least N          whose largest count is N or more,\n"
    "      --below N             or less than N\n"
    "      --counts            with their counters\n"
    "      --bitmap            with their MC/DC bitmaps\n"
    "      --values            with what they called and copied, and how many\n"
    "                          values sites have\n"
    "  other sections:\n"
    "      --topn N            the N functions with the largest counts\n"
    "      --covered           names of functions that ran, one a line\n"
    "      --detailed-summary  how few places have most of the total\n"
    "      --traces            in which order functions were first called\n"
    "      --ids               build ids, one a line\n"
    "\n"
    "      --cs                of context-sensitive records, not of the "
    "others\n"
    "      --json              sections, or all there is, as JSON: file,\n"
    "                          format, version, modes, regular, "
    "context_sensitive\n"
    "                          (summary, sites, list: name, hash, counters,\n"
    "                          bitmap, call, memop, vtable), traces, "
    "build_ids;\n"
    "                          tools/show/json.h describes it\n"
    "      --elf ELF           the image of a raw profile without records\n"
    "                          (-profile-correlate)\n"
    "  -o, --output OUT        where to, else standard output\n";

struct arguments {
  struct wishes wishes;
  const char *out, *elf;
  bool json;
};

static int usage(const char *what) { return options_wrong("show", what); }

static int write_out(struct shown *shown, const struct arguments *arguments) {
  struct output output;
  if (output_open(&output, arguments->out))
    return 1;
  if (arguments->json)
    show_profile_json(output.stream, shown, &arguments->wishes);
  else
    show_profile_text(output.stream, shown, &arguments->wishes);
  return output_commit(&output);
}

static int show(const struct arguments *arguments) {
  const char *const files[] = {arguments->wishes.file};
  struct gather gather;
  struct shown shown = {0};
  gather_new(&gather, files);
  int status = gather_elf(&gather, arguments->elf);
  if (!status)
    status = gather_file(&gather, 0, 1);
  if (!status)
    status = shown_new(&shown, &gather)
                 ? write_out(&shown, arguments)
                 : report(arguments->wishes.file,
                          "out of memory; close other programs");
  shown_free(&shown);
  gather_free(&gather);
  return status;
}

/* ---- arguments ---- */

static int take_number(uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(optarg, &end, 10);
  if (*optarg >= '0' && *optarg <= '9' && !*end && !errno)
    return 0;
  return usage("N is a number, such as 10");
}

/* Options that only say yes. */
enum {
  ALL = 1,
  HOT,
  COUNTS,
  BITMAP,
  VALUES,
  COVERED,
  CUTOFFS,
  TRACES,
  IDS,
  CS,
  JSON,
  SWITCHES
};

static bool *switch_of(struct arguments *arguments, int option) {
  struct wishes *wishes = &arguments->wishes;
  bool *const switches[SWITCHES] = {
      [ALL] = &wishes->all_functions, [HOT] = &wishes->hot,
      [COUNTS] = &wishes->counts,     [BITMAP] = &wishes->bitmaps,
      [VALUES] = &wishes->values,     [COVERED] = &wishes->covered,
      [CUTOFFS] = &wishes->cutoffs,   [TRACES] = &wishes->traces,
      [IDS] = &wishes->ids,           [CS] = &wishes->context_sensitive,
      [JSON] = &arguments->json};
  return option > 0 && option < SWITCHES ? switches[option] : NULL;
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  struct wishes *wishes = &arguments->wishes;
  bool *yes = switch_of(arguments, option);
  if (yes) {
    *yes = true;
    return 0;
  }
  switch (option) {
  case 'o':
    arguments->out = optarg;
    return 0;
  case 'e':
    arguments->elf = optarg;
    return 0;
  case 'f':
    wishes->name = optarg;
    return 0;
  case 'n':
    return take_number(&wishes->hottest);
  case 'l':
    wishes->limited = true;
    return take_number(&wishes->least);
  case 'b':
    wishes->limited = true;
    return take_number(&wishes->below);
  default:
    return options_unknown("show");
  }
}

int command_show(int argc, char **argv) {
  static const struct option list[] = {
      {"all-functions", no_argument, NULL, ALL},
      {"function", required_argument, NULL, 'f'},
      {"hot", no_argument, NULL, HOT},
      {"at-least", required_argument, NULL, 'l'},
      {"below", required_argument, NULL, 'b'},
      {"counts", no_argument, NULL, COUNTS},
      {"bitmap", no_argument, NULL, BITMAP},
      {"values", no_argument, NULL, VALUES},
      {"topn", required_argument, NULL, 'n'},
      {"covered", no_argument, NULL, COVERED},
      {"detailed-summary", no_argument, NULL, CUTOFFS},
      {"traces", no_argument, NULL, TRACES},
      {"ids", no_argument, NULL, IDS},
      {"cs", no_argument, NULL, CS},
      {"json", no_argument, NULL, JSON},
      {"elf", required_argument, NULL, 'e'},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"show", help, "o:h", list, take};
  struct arguments arguments = {.out = "-", .wishes.below = UINT64_MAX};
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (argc - optind != 1)
    return usage(argc == optind ? "a file is missing"
                                : "it takes one file; merge them first");
  arguments.wishes.file = argv[optind];
  return show(&arguments);
}
