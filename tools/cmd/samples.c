/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof samples: reads samples of the program counter and their ELF, and
 * writes a profile for clang, the input of a flame graph, or a list of hot
 * places. sample/make.h does the work.
 */

#include "../base/file.h"
#include "../base/number.h"
#include "../base/options.h"
#include "commands.h"
#include "../sample/make.h"

#define ELF_LIMIT ((size_t)2 << 30)
#define SAMPLES_LIMIT ((size_t)1 << 30)

struct arguments {
  struct samples_settings settings;
  struct file_renames renames;
  bool folded, top;
};

static void exit_on_line_error(const char *name, size_t line,
                               const char *error) {
  if (error && line)
    exit_after_flush(report(name, "line %zu: %s", line, error));
  exit_on_error(name, error);
}

static void parse_sample_text_or_exit(struct samples *samples,
                                      enum samples_form form,
                                      struct piece_reader *pieces) {
  struct samples_text_reader text;
  struct bytes lines;
  const char *error;
  samples_text_begin(&text, samples, form);
  do {
    exit_if_failed(pieces_read_lines(pieces, &lines));
    error = lines.size ? samples_text_parse_lines(&text, lines)
                       : samples_text_end(&text);
  } while (lines.size && !error);
  exit_on_line_error(pieces->name, text.line, error);
}

static void read_samples_or_exit(struct samples *samples,
                                 enum samples_form form, const char *name) {
  struct piece_reader pieces;
  struct bytes bytes;
  exit_if_failed(pieces_open(&pieces, name, SAMPLES_LIMIT) ||
                 pieces_peek(&pieces, &bytes));
  if (form == SAMPLES_AUTO)
    form = samples_detect_form(bytes);
  if (form != SAMPLES_TARGET) {
    parse_sample_text_or_exit(samples, form, &pieces);
  } else {
    exit_if_failed(pieces_read_rest(&pieces, &bytes));
    exit_on_error(name, samples_parse_target(samples, bytes));
  }
  pieces_close(&pieces);
}

static int write_samples_result(const struct samples_settings *settings,
                                struct sampled_program *program,
                                struct samples *samples, const char *name) {
  if (settings->kind == SAMPLES_PROFILE)
    return samples_write_profile(settings, program, samples);
  return samples->total ? samples_write_view(settings, program, samples)
                        : report(name,
                                 "--hottest and --folded need samples; pass "
                                 "those that the ranges were made from");
}

static enum program_part
choose_program_part(const struct samples_settings *settings) {
  return settings->kind != SAMPLES_PROFILE ? PROGRAM_SYMBOLS
         : settings->lines                 ? PROGRAM_LINES
         : settings->context || !settings->no_targets ||
                 settings->renames->count
             ? PROGRAM_ALL
             : PROGRAM_PROBES;
}

static int make_samples_result(const struct samples_settings *settings,
                               char **files) {
  struct file file;
  struct sampled_program program;
  struct samples samples;
  exit_if_failed(file_map(&file, settings->elf, ELF_LIMIT));
  exit_on_error(settings->elf,
                program_open(&program, file.bytes, settings->encoding,
                             choose_program_part(settings)));
  samples_begin(&samples);
  samples.offset = settings->offset;
  samples.has_offset = settings->has_offset;
  samples.elf = &program.elf;
  for (char **at = files; *at; at++)
    read_samples_or_exit(&samples, settings->form, *at);
  samples_sort_and_join(&samples);
  if (!samples.total && !flow_has_entries(&samples.flow))
    exit_on_error(
        *files,
        "no samples found; pass a file with samples, and let the firmware that "
        "sends the samples call bareprof_sampler_start");
  /* The counts of ranges are exact, but samples are only a part of all. */
  if (samples.total && flow_has_entries(&samples.flow))
    exit_on_error(*files, "samples and ranges cannot be counted together; make "
                          "a profile of each, and merge the profiles with "
                          "llvm-profdata merge --sample");
  int status = write_samples_result(settings, &program, &samples, *files);
  samples_free(&samples);
  program_close(&program);
  file_close(&file);
  return status;
}

static const char *parse_offset(void *context, const char *value) {
  struct arguments *arguments = context;
  bool negative = *value == '-';
  uint64_t offset;
  if (!parse_option_number(value + negative, 16, &offset))
    return "--offset must be a hexadecimal number below 2^64";
  arguments->settings.offset = negative ? 0 - offset : offset;
  arguments->settings.has_offset = true;
  return NULL;
}

static const char *parse_keep_cold(void *context, const char *value) {
  struct arguments *arguments = context;
  (void)value;
  arguments->settings.cold.merge = false;
  return NULL;
}

/* Returns an error if two options exclude each other, or if an option lacks
 * another option that it needs. */
static const char *
find_option_conflict(const struct samples_settings *settings) {
  if (settings->lines && settings->context)
    return "contexts need probes; use either --context or --lines";
  if (settings->kind != SAMPLES_PROFILE && settings->renames->count)
    return "--rename changes profiles only; remove --rename, or --hottest and "
           "--folded";
  if ((settings->cold.merge || settings->cold.trim) && !settings->context)
    return "the options for cold contexts work only with --context; add "
           "--context";
  return NULL;
}

static int run_samples(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.settings = {.attribution = ATTRIBUTION_BLOCK,
                                             .out = "-",
                                             .scale = 1000,
                                             .cold = {.depth = 1}}};
  char **files = options_parse(command, argc, argv, &arguments);
  struct samples_settings *settings = &arguments.settings;
  settings->renames = &arguments.renames;
  settings->kind = arguments.top      ? SAMPLES_TOP
                   : arguments.folded ? SAMPLES_FOLDED
                                      : SAMPLES_PROFILE;
  if (settings->cold.depth > 1000)
    settings->cold.depth = 1000; /* no stack is deeper than this */
  settings->elf = *files;
  const char *wrong = arguments.top && arguments.folded
                          ? "use only one of --hottest and --folded"
                          : find_option_conflict(settings);
  int status = wrong ? options_report_misuse(command, "%s", wrong)
                     : make_samples_result(settings, files + 1);
  renames_free(&arguments.renames);
  return status;
}

/* The names of attributions and forms, indexed by enum attribution and enum
 * samples_form. */
static const char *const attributions[] = {"region", "first-instruction",
                                           "block", NULL};
static const char *const forms[] = {"auto", "plain", "target", "ranges", NULL};

static const struct option_row options[] = {
    {.help = "Input"},
    {"format", 0, "FORMAT",
     "read SAMPLES in this format: plain (text with one sample per line), "
     "target (binary samples of the firmware), ranges (address ranges), or "
     "auto (the default, which detects the format)",
     OPTION(struct arguments, settings.form), .words = forms, .often = true},
    {"offset", 0, "[-]HEX",
     "subtract the hexadecimal number HEX from all addresses in SAMPLES "
     "(default for ranges: the address where code begins)",
     .parse_value = parse_offset, .often = true},
    {"encoding", 0, "HOW",
     "read the section .pseudo_probe in this encoding; `bareprof probes "
     "--help` lists the encodings",
     OPTION(struct arguments, settings.encoding), .words = probe_encodings},
    {.help = "Counts"},
    {"attribution", 0, "HOW",
     "choose which samples count for a probe. block: samples in the basic "
     "block of the probe. region: samples up to the next probe. "
     "first-instruction: samples of the next instruction. The count is the sum "
     "of the samples, divided by the number of instructions. Default for "
     "samples: block, or region in functions with unsupported instructions. "
     "Default for ranges: first-instruction",
     OPTION(struct arguments, settings.attribution), .words = attributions,
     .given = offsetof(struct arguments, settings.has_attribution)},
    {"lines", 0, NULL,
     "count samples of source lines instead of probes, for an image compiled "
     "with -g1 -fdebug-info-for-profiling",
     OPTION(struct arguments, settings.lines), .often = true},
    {"no-targets", 0, NULL, "do not write the targets of calls to the profile",
     OPTION(struct arguments, settings.no_targets)},
    {"scale", 0, "N",
     "multiply all counts by N. Default: 1000 for samples of addresses, 1 for "
     "address ranges",
     OPTION(struct arguments, settings.scale), .most = 1000000000,
     .given = offsetof(struct arguments, settings.has_scale), .often = true},
    RENAMES_ROW(struct arguments, renames),
    {"force", 0, NULL,
     "write a profile even if all samples are at the start of blocks, if "
     "samples are from another build, or if probes are misplaced",
     OPTION(struct arguments, settings.force), .often = true},
    {.help = "Contexts"},
    {"context", 0, NULL,
     "count a function separately for each call path (context)",
     OPTION(struct arguments, settings.context), .often = true},
    {"merge-cold", 0, NULL,
     "merge cold contexts (call paths that rarely ran) if their last frames "
     "are the same",
     OPTION(struct arguments, settings.cold.merge)},
    {"keep-cold", 0, NULL, "do not merge cold contexts (default)",
     .parse_value = parse_keep_cold},
    {"cold-depth", 0, "N",
     "with --merge-cold: compare and keep the last N frames of contexts, "
     "including the function itself (default: 1)",
     OPTION(struct arguments, settings.cold.depth), .least = 1},
    {"cold-below", 0, "COUNT",
     "treat contexts with a total count below COUNT as cold (default: the "
     "smallest of the largest counts that together make up 99 % of all "
     "counts)",
     OPTION(struct arguments, settings.cold.below),
     .given = offsetof(struct arguments, settings.cold.has_below)},
    {"trim-cold", 0, NULL,
     "remove contexts from the profile that are still cold after merging",
     OPTION(struct arguments, settings.cold.trim)},
    {.help = "Outputs"},
    {"folded", 0, NULL,
     "write call stacks for flame graphs instead of a profile",
     OPTION(struct arguments, folded), .often = true},
    {"hottest", 0, NULL,
     "list functions, most samples first, instead of writing a profile",
     OPTION(struct arguments, top), .often = true},
    OUTPUT_ROW("OUT", struct arguments, settings.out),
    {0}};

const struct command command_samples = {
    .name = "samples",
    .summary = "make a profile for clang from samples of the program counter",
    .examples = "bareprof samples fw.elf fw.samples -o fw.prof\n"
                "bareprof samples fw.elf fw.samples --hottest",
    .usage = "ELF SAMPLES... [options]",
    .about =
        "Makes a profile for clang -fprofile-sample-use from samples of the "
        "program counter (PC). Compile the image with "
        "-fpseudo-probe-for-profiling -g1. SAMPLES are files from `bareprof "
        "receive`, or files that firmware wrote with bareprof_sampler.h, or "
        "text with one sample per line, in hexadecimal: PC [RA [CALLER...]] "
        "[xCOUNT], innermost function first. RA is the return address in the "
        "link register. SAMPLES may also be the address ranges that ran, in "
        "the format of llvm-profgen --skip-symbolization. From ranges, this "
        "command makes the same counts as llvm-profgen without its inliner and "
        "without its merging of cold contexts (--csspgo-preinliner=0 "
        "--gen-cs-nested-profile=0 --csprof-merge-cold-context=0).",
    RUNS(run_samples, options, 2, 0, "an ELF and its samples")};
