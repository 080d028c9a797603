/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof samples: samples of the program counter to a profile for clang.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "sample/make.h"

#define ELF_LIMIT ((size_t)2 << 30)
#define SAMPLES_LIMIT ((size_t)1 << 30)

static const char help[] =
    "usage: bareprof samples ELF SAMPLES... [options]\n"
    "\n"
    "Samples of the program counter to a profile for clang "
    "-fprofile-sample-use,\n"
    "of an image compiled with -fpseudo-probe-for-profiling -g1. SAMPLES are\n"
    "what bareprof_sampler.h or `bareprof receive` wrote, the output of `perf\n"
    "script`, or text, a sample a line, in hexadecimal: PC [RA [CALLER...]]\n"
    "[xCOUNT], the innermost first, RA being the link register. Branches "
    "before\n"
    "samples (perf script --show-mmap-events -F ip,brstack, with or without\n"
    "stacks), or ranges as llvm-profgen --skip-symbolization writes them, say\n"
    "exactly what ran: then counts, and with stacks contexts, are as "
    "llvm-profgen\n"
    "has them.\n"
    "\n"
    "      --attribution=HOW  whose samples a probe gets, divided by how many\n"
    "                         instructions these are: region (the default),\n"
    "                         all up to the next probe; block, all of its\n"
    "                         block; first-instruction, the one behind it\n"
    "                         (the default of branches and ranges, where each\n"
    "                         instruction has how often it ran)\n"
    "      --context          counts of each function by the way it was "
    "called\n"
    "      --lines            of lines, for an image without probes, compiled "
    "with\n"
    "                         -g1 -fdebug-info-for-profiling\n"
    "      --merge-cold       contexts that are seldom reached are one, where "
    "their\n"
    "                         last frames are the same\n"
    "      --keep-cold        they are not: the default\n"
    "      --cold-depth=N     of so many last frames, with the function's "
    "(1)\n"
    "      --cold-below=COUNT totals below this are cold; else, below the\n"
    "                         smallest count of those that make up 99 %\n"
    "      --trim-cold        what is cold even so is left out\n"
    "      --binary           in LLVM's extensible binary form, not as text\n"
    "      --no-targets       without whom indirect and direct calls call\n"
    "      --scale=N          counts are N times samples an instruction "
    "(1000),\n"
    "                         or N times how often it ran (1)\n"
    "      --folded           stacks for flame graphs instead of a profile\n"
    "      --top              functions by samples instead of a profile\n"
    "      --form=FORM        of SAMPLES: plain, target, perf or ranges; else "
    "it is\n"
    "                         found out\n"
    "      --offset=[-]HEX    is subtracted from all addresses of SAMPLES; "
    "that "
    "of\n"
    "                         ranges is else such that they count from where "
    "code\n"
    "                         begins\n"
    "      --encoding=HOW     as of bareprof probes\n"
    "      --force            a profile even of samples that are only where\n"
    "                         blocks begin, or of another build, or if probes "
    "are\n"
    "                         misplaced\n"
    "  -o, --output OUT       where to; else standard output\n";

struct arguments {
  struct samples_wishes wishes;
  char **files;
  int file_count;
};

static int read_samples(const struct arguments *arguments,
                        struct samples *samples) {
  const char *error;
  for (int i = 0; i < arguments->file_count; i++) {
    struct file file;
    size_t line;
    if (file_read(&file, arguments->files[i], SAMPLES_LIMIT))
      return 1;
    error = samples_read(samples, file.bytes, arguments->wishes.form, &line);
    file_close(&file);
    if (error && line)
      return report(arguments->files[i], "line %zu: %s", line, error);
    if (error)
      return report(arguments->files[i], "%s", error);
  }
  error = samples_finish(samples);
  if (!error && !samples->total && !flow_any(&samples->flow))
    error = "no sample is in it; was the sampler started?";
  return error ? report(arguments->files[0], "%s", error) : 0;
}

static int make(const struct samples_wishes *wishes, struct program *program,
                struct samples *samples) {
  if (wishes->kind != SAMPLES_PROFILE && !samples->total)
    return report(wishes->elf, "ranges have no samples of places; give what "
                               "they were made from");
  if (wishes->kind != SAMPLES_PROFILE)
    return samples_write_view(wishes, program, samples);
  if (samples->traced || flow_any(&samples->flow))
    return samples_make_flow(wishes, program, samples);
  return wishes->lines ? samples_make_lines(wishes, program, samples)
                       : samples_make_profile(wishes, program, samples);
}

static const char *open_program(const struct samples_wishes *wishes,
                                struct program *program, struct bytes file) {
  if (wishes->kind != SAMPLES_PROFILE)
    return program_open_symbols(program, file);
  if (wishes->lines)
    return program_open_lines(program, file);
  return program_open(program, file, wishes->encoding,
                      wishes->context || !wishes->no_targets);
}

static int run(const struct arguments *arguments) {
  struct file file;
  struct program program;
  struct samples samples;
  if (file_map(&file, arguments->wishes.elf, ELF_LIMIT))
    return 1;
  const char *error = open_program(&arguments->wishes, &program, file.bytes);
  samples_begin(&samples);
  samples.offset = arguments->wishes.offset;
  samples.has_offset = arguments->wishes.has_offset;
  samples.elf = &program.elf;
  samples.elf_name = arguments->wishes.elf;
  int status = error ? report(arguments->wishes.elf, "%s", error)
                     : read_samples(arguments, &samples);
  if (!status)
    status = make(&arguments->wishes, &program, &samples);
  samples_free(&samples);
  program_close(&program);
  file_close(&file);
  return status;
}

enum {
  ATTRIBUTION = 256,
  NO_TARGETS,
  SCALE,
  AS_FOLDED,
  AS_TOP,
  FORM,
  OFFSET,
  ENCODING,
  FORCE,
  CONTEXT,
  BINARY,
  LINES,
  MERGE_COLD,
  KEEP_COLD,
  TRIM_COLD,
  COLD_DEPTH,
  COLD_BELOW
};

/* The number of a word in a list, or -1. */
static int word_of(const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(optarg, words[i]) == 0)
      return i;
  return -1;
}

static int take_word(struct arguments *arguments, int option) {
  static const char *const attributions[] = {"region", "first-instruction",
                                             "block"};
  static const char *const forms[] = {"auto", "plain", "target", "perf",
                                      "ranges"};
  static const char *const encodings[] = {"auto",      "delta", "absolute8",
                                          "absolute4", "rfc",   "rfc-lines"};
  int word = option == ATTRIBUTION ? word_of(attributions, ATTRIBUTIONS)
             : option == FORM      ? word_of(forms, SAMPLES_FORMS)
                                   : word_of(encodings, PROBE_ENCODINGS);
  if (word < 0)
    return options_wrong(
        "samples", option == ATTRIBUTION ? "there is no such --attribution"
                   : option == FORM      ? "there is no such --form"
                                         : "there is no such --encoding");
  if (option == ATTRIBUTION) {
    arguments->wishes.attribution = (enum attribution)word;
    arguments->wishes.has_attribution = true;
  } else if (option == FORM)
    arguments->wishes.form = (enum samples_form)word;
  else
    arguments->wishes.encoding = (unsigned)word;
  return 0;
}

static int take_number(struct arguments *arguments, int option) {
  char *end;
  if (option == OFFSET) {
    arguments->wishes.offset = strtoull(optarg, &end, 16);
    arguments->wishes.has_offset = true;
    return *optarg && !*end
               ? 0
               : options_wrong("samples", "--offset is a hexadecimal number");
  }
  arguments->wishes.scale = strtod(optarg, &end);
  arguments->wishes.has_scale = true;
  return *optarg && !*end && arguments->wishes.scale > 0 &&
                 arguments->wishes.scale <= 1e9
             ? 0
             : options_wrong("samples", "--scale is a number up to 1e9");
}

static int take_cold(struct cold_wishes *cold, int option) {
  char *end = "";
  if (option == MERGE_COLD || option == KEEP_COLD)
    cold->merge = option == MERGE_COLD;
  else if (option == TRIM_COLD)
    cold->trim = true;
  else if (option == COLD_BELOW) {
    cold->below = strtoull(optarg, &end, 10);
    cold->has_below = true;
  } else {
    unsigned long depth = strtoul(optarg, &end, 10);
    cold->depth = depth < 1000 ? (unsigned)depth : 1000;
  }
  return (optarg && (*optarg < '0' || *optarg > '9')) || *end || !cold->depth
             ? options_wrong("samples", "--cold-depth is a number from 1 on, "
                                        "and --cold-below one from 0 on")
             : 0;
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case MERGE_COLD:
  case KEEP_COLD:
  case TRIM_COLD:
  case COLD_DEPTH:
  case COLD_BELOW:
    return take_cold(&arguments->wishes.cold, option);
  case ATTRIBUTION:
  case FORM:
  case ENCODING:
    return take_word(arguments, option);
  case SCALE:
  case OFFSET:
    return take_number(arguments, option);
  case AS_FOLDED:
  case AS_TOP:
    arguments->wishes.kind = option == AS_TOP ? SAMPLES_TOP : SAMPLES_FOLDED;
    return 0;
  case NO_TARGETS:
    arguments->wishes.no_targets = true;
    return 0;
  case CONTEXT:
    arguments->wishes.context = true;
    return 0;
  case LINES:
    arguments->wishes.lines = true;
    return 0;
  case BINARY:
    arguments->wishes.binary = true;
    return 0;
  case FORCE:
    arguments->wishes.force = true;
    return 0;
  case 'o':
    arguments->wishes.out = optarg;
    return 0;
  default:
    return options_unknown("samples");
  }
}

int command_samples(int argc, char **argv) {
  static const struct option list[] = {
      {"attribution", required_argument, NULL, ATTRIBUTION},
      {"context", no_argument, NULL, CONTEXT},
      {"binary", no_argument, NULL, BINARY},
      {"lines", no_argument, NULL, LINES},
      {"merge-cold", no_argument, NULL, MERGE_COLD},
      {"keep-cold", no_argument, NULL, KEEP_COLD},
      {"trim-cold", no_argument, NULL, TRIM_COLD},
      {"cold-depth", required_argument, NULL, COLD_DEPTH},
      {"cold-below", required_argument, NULL, COLD_BELOW},
      {"no-targets", no_argument, NULL, NO_TARGETS},
      {"scale", required_argument, NULL, SCALE},
      {"folded", no_argument, NULL, AS_FOLDED},
      {"top", no_argument, NULL, AS_TOP},
      {"form", required_argument, NULL, FORM},
      {"offset", required_argument, NULL, OFFSET},
      {"encoding", required_argument, NULL, ENCODING},
      {"force", no_argument, NULL, FORCE},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"samples", help, "o:h", list, take};
  struct arguments arguments = {
      .wishes = {.out = "-", .scale = 1000, .cold = {.depth = 1}}};
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (arguments.wishes.lines && arguments.wishes.context)
    return options_wrong("samples", "contexts are of probes; leave out "
                                    "--context or --lines");
  if (arguments.wishes.kind != SAMPLES_PROFILE && arguments.wishes.binary)
    return options_wrong("samples", "--binary is a profile's; leave it out, or "
                                    "--top and --folded");
  if ((arguments.wishes.cold.merge || arguments.wishes.cold.trim) &&
      !arguments.wishes.context)
    return options_wrong("samples", "only contexts are cold; add --context");
  if (optind + 2 > argc)
    return options_wrong("samples", "give an ELF and its samples");
  arguments.wishes.elf = argv[optind];
  arguments.files = argv + optind + 1;
  arguments.file_count = argc - optind - 1;
  return run(&arguments);
}
