/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof samples: reads samples of the program counter and their ELF, and
 * writes a profile for clang, a flame graph's input or a list of hot places.
 * sample/make.h does the work.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "commands.h"
#include "../sample/make.h"

#define ELF_LIMIT ((size_t)2 << 30)
#define SAMPLES_LIMIT ((size_t)1 << 30)

struct arguments {
  struct samples_settings settings;
  struct file_renames renames;
  bool folded, top;
  char **files;
  int file_count;
};

/* An ELF and the samples of its runs. */
struct sampled_build {
  struct file file;
  struct sampled_program program;
  struct samples samples;
};

static int report_line(const char *name, size_t line, const char *error) {
  return !error ? 0
         : line ? report(name, "line %zu: %s", line, error)
                : report(name, "%s", error);
}

static int read_sample_text(struct samples *samples, enum samples_form form,
                            struct piece_reader *pieces) {
  struct samples_text text;
  struct bytes lines;
  const char *error = NULL;
  int status = 0;
  samples_text_begin(&text, samples, form);
  while (!error && !(status = pieces_read_next(pieces, &lines)) && lines.size)
    error = samples_text_add(&text, lines);
  if (!error && !status)
    error = samples_text_end(&text);
  return status ? status : report_line(pieces->name, text.line, error);
}

static int read_sample_file(struct samples *samples, enum samples_form form,
                            struct piece_reader *pieces) {
  struct bytes bytes;
  if (pieces_peek(pieces, &bytes))
    return 1;
  if (form == SAMPLES_AUTO)
    form = samples_detect_form(bytes);
  if (form != SAMPLES_TARGET)
    return read_sample_text(samples, form, pieces);
  return pieces_read_rest(pieces, &bytes) ||
         report_line(pieces->name, 0, samples_read_target(samples, bytes));
}

static int read_samples(enum samples_form form, char *const *files, int count,
                        struct samples *samples) {
  for (int i = 0; i < count; i++) {
    struct piece_reader pieces;
    int status = pieces_open(&pieces, files[i], SAMPLES_LIMIT);
    if (!status)
      status = read_sample_file(samples, form, &pieces);
    pieces_close(&pieces);
    if (status)
      return status;
  }
  samples_finish(samples);
  return samples->total || flow_has_any(&samples->flow)
             ? 0
             : report(files[0], "no samples found; call bareprof_sampler_start "
                                "in the firmware");
}

static int write_samples_result(const struct samples_settings *settings,
                                struct sampled_program *program,
                                struct samples *samples) {
  if (settings->kind != SAMPLES_PROFILE && !samples->total)
    return report(settings->elf, "ranges do not count single addresses; pass "
                                 "the samples that the ranges were made from");
  if (settings->kind != SAMPLES_PROFILE)
    return samples_write_view(settings, program, samples);
  return samples_make_profile(settings, program, samples);
}

static void close_build(struct sampled_build *build) {
  samples_free(&build->samples);
  program_close(&build->program);
  file_close(&build->file);
}

static enum program_part needed_part(const struct samples_settings *settings) {
  return settings->kind != SAMPLES_PROFILE ? PROGRAM_SYMBOLS
         : settings->lines                 ? PROGRAM_LINES
         : settings->context || !settings->no_targets ||
                 settings->renames->count
             ? PROGRAM_ALL
             : PROGRAM_PROBES;
}

/* Opens the ELF and reads the sample files. The caller closes the build after
 * success. */
static int open_build(struct sampled_build *build,
                      const struct samples_settings *settings,
                      char *const *files, int count) {
  if (file_map(&build->file, settings->elf, ELF_LIMIT))
    return 1;
  const char *error = program_open(&build->program, build->file.bytes,
                                   settings->encoding, needed_part(settings));
  samples_begin(&build->samples);
  build->samples.offset = settings->offset;
  build->samples.has_offset = settings->has_offset;
  build->samples.elf = &build->program.elf;
  int status =
      error ? report(settings->elf, "%s", error)
            : read_samples(settings->form, files, count, &build->samples);
  if (status)
    close_build(build);
  return status;
}

static int make_result(const struct arguments *arguments) {
  struct sampled_build build;
  if (open_build(&build, &arguments->settings, arguments->files,
                 arguments->file_count))
    return 1;
  int status = write_samples_result(&arguments->settings, &build.program,
                                    &build.samples);
  close_build(&build);
  return status;
}

static const char *parse_offset(void *context, const char *value) {
  struct arguments *arguments = context;
  char *end;
  arguments->settings.offset = strtoull(value, &end, 16);
  arguments->settings.has_offset = true;
  return *value && !*end ? NULL : "--offset must be a hexadecimal number";
}

static const char *parse_keep_cold(void *context, const char *value) {
  struct arguments *arguments = context;
  (void)value;
  arguments->settings.cold.merge = false;
  return NULL;
}

/* Returns the error if options exclude each other or an option lacks the one
 * that it depends on. */
static const char *find_contradiction(const struct samples_settings *settings) {
  if (settings->lines && settings->context)
    return "contexts need probes; use either --context or --lines";
  if (settings->kind != SAMPLES_PROFILE && settings->renames->count)
    return "--rename changes profiles only; remove --rename, or --hottest and "
           "--folded";
  if ((settings->cold.merge || settings->cold.trim) && !settings->context)
    return "cold options apply to contexts only; add --context";
  return NULL;
}

static int run_with_files(const struct command *command,
                          struct arguments *arguments, char **files,
                          int count) {
  struct samples_settings *settings = &arguments->settings;
  if (arguments->top && arguments->folded)
    return options_report_wrong(command,
                                "use only one of --hottest and --folded");
  settings->kind = arguments->top      ? SAMPLES_TOP
                   : arguments->folded ? SAMPLES_FOLDED
                                       : SAMPLES_PROFILE;
  if (settings->cold.depth > 1000)
    settings->cold.depth = 1000; /* no stack is deeper */
  const char *wrong = find_contradiction(settings);
  if (wrong)
    return options_report_wrong(command, wrong);
  settings->elf = files[0];
  arguments->files = files + 1;
  arguments->file_count = count - 1;
  return make_result(arguments);
}

static int run_samples(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.settings = {.attribution = ATTRIBUTION_BLOCK,
                                             .out = "-",
                                             .scale = 1000,
                                             .cold = {.depth = 1}}};
  int status = options_parse(command, argc, argv, &arguments);
  arguments.settings.renames = &arguments.renames;
  if (status < 0)
    status = run_with_files(command, &arguments, argv + optind, argc - optind);
  renames_free(&arguments.renames);
  return status;
}

/* Indexed by enum attribution and enum samples_form. */
static const char *const attributions[] = {"region", "first-instruction",
                                           "block", NULL};
static const char *const forms[] = {"auto", "plain", "target", "ranges", NULL};

static const struct option_row options[] = {
    {.help = "Input"},
    {.name = "format",
     .value = "FORMAT",
     .help = "format of SAMPLES: auto, plain, target or ranges (default: auto, "
             "which detects the format)",
     OPTION(struct arguments, settings.form),
     .words = forms,
     .often = true},
    {.name = "offset",
     .value = "[-]HEX",
     .help = "subtract HEX from all addresses of SAMPLES (default for ranges: "
             "the start of code)",
     .take = parse_offset,
     .often = true},
    {.name = "encoding",
     .value = "HOW",
     .help = "encoding of .pseudo_probe, as in bareprof probes",
     OPTION(struct arguments, settings.encoding),
     .words = probe_encodings},
    {.help = "Counts"},
    {.name = "attribution",
     .value = "HOW",
     .help =
         "which samples count for a probe, divided by the number of their "
         "instructions: block (samples of its block), region (samples up to "
         "the next probe), or first-instruction (samples of the next "
         "instruction). Default: block, and region in functions with "
         "unsupported instructions; for branches and ranges, first-instruction",
     OPTION(struct arguments, settings.attribution),
     .words = attributions,
     .given = offsetof(struct arguments, settings.has_attribution)},
    {.name = "lines",
     .help = "count lines instead of probes, for an image compiled with -g1 "
             "-fdebug-info-for-profiling",
     OPTION(struct arguments, settings.lines),
     .often = true},
    {.name = "no-targets",
     .help = "do not write call targets",
     OPTION(struct arguments, settings.no_targets)},
    {.name = "scale",
     .value = "N",
     .help = "multiply the samples per instruction by N (default: 1000), or "
             "the executions of ranges by N (default: 1)",
     OPTION(struct arguments, settings.scale),
     .most = 1000000000,
     .given = offsetof(struct arguments, settings.has_scale),
     .often = true},
    RENAMES_ROW(struct arguments, renames),
    {.name = "force",
     .help = "write a profile even if samples are only at the start of blocks "
             "or from another build, or if probes are misplaced",
     OPTION(struct arguments, settings.force),
     .often = true},
    {.help = "Contexts"},
    {.name = "context",
     .help = "count a function separately for each call path",
     OPTION(struct arguments, settings.context),
     .often = true},
    {.name = "merge-cold",
     .help = "merge cold contexts that end in the same frames",
     OPTION(struct arguments, settings.cold.merge)},
    {.name = "keep-cold",
     .help = "keep cold contexts separate (default)",
     .take = parse_keep_cold},
    {.name = "cold-depth",
     .value = "N",
     .help = "with --merge-cold: keep the last N frames, including the "
             "function itself (default: 1)",
     OPTION(struct arguments, settings.cold.depth),
     .least = 1},
    {.name = "cold-below",
     .value = "COUNT",
     .help = "contexts with totals below COUNT are cold (default: the smallest "
             "of the counts that make up 99 %)",
     OPTION(struct arguments, settings.cold.below),
     .given = offsetof(struct arguments, settings.cold.has_below)},
    {.name = "trim-cold",
     .help = "remove contexts that are still cold after merging",
     OPTION(struct arguments, settings.cold.trim)},
    {.help = "Outputs"},
    {.name = "folded",
     .help = "write stacks for flame graphs instead of a profile",
     OPTION(struct arguments, folded),
     .often = true},
    {.name = "hottest",
     .help = "list functions by samples instead of writing a profile",
     OPTION(struct arguments, top),
     .often = true},
    OUTPUT_ROW("OUT", struct arguments, settings.out),
    {0}};

const struct command command_samples = {
    .name = "samples",
    .summary = "make a profile for clang from samples of the PC",
    .examples = "bareprof samples fw.elf fw.samples -o fw.prof\n"
                "bareprof samples fw.elf fw.samples --hottest",
    .usage = "ELF SAMPLES... [options]",
    .about =
        "Makes a profile for clang -fprofile-sample-use from samples of the "
        "program counter of an image that was compiled with "
        "-fpseudo-probe-for-profiling -g1. SAMPLES are files of "
        "bareprof_sampler.h or `bareprof receive`, or text with one sample a "
        "line, in hexadecimal: PC [RA [CALLER...]] [xCOUNT], innermost first; "
        "RA is the link register. SAMPLES may also be ranges, as llvm-profgen "
        "--skip-symbolization writes them, which say exactly what ran. The "
        "counts then equal those of llvm-profgen without its inliner and "
        "without its merging of cold contexts (--csspgo-preinliner=0 "
        "--gen-cs-nested-profile=0 --csprof-merge-cold-context=0).",
    .options = options,
    .least = 2,
    .files = "an ELF and its samples",
    .run = run_samples};
