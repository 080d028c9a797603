/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof overlap: compares two profiles, and prints as text or JSON how
 * similar their counts are. compare/comparison.h computes the result.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/error.h"
#include "../base/buffer.h"
#include "../base/demangle.h"
#include "../base/file.h"
#include "../base/text.h"
#include "commands.h"
#include "../compare/comparison.h"

struct arguments {
  const char *names[SIDES];
  const char *out, *elf;
  bool json, no_demangle;
  struct overlap_settings settings;
};

/* ---- text ---- */

static void print_overlap_shares(FILE *stream, const struct overlap_shares *of,
                                 bool others) {
  fprintf(stream, "  %-17s %9s %13s %13s", "", "overlap", "sum in A",
          "sum in B");
  fputs(others ? " mismatched  only in B\n" : "\n", stream);
  for (unsigned i = 0; i < MEASURES; i++) {
    if (i != MEASURE_EDGES && !measure_has_counts(&of[i]))
      continue;
    fprintf(stream, "  %-17s %8.3f%% %13.0f %13.0f", measure_names[i],
            100 * of[i].overlap, of[i].sums[SIDE_A], of[i].sums[SIDE_B]);
    if (others)
      fprintf(stream, " %9.3f%% %9.3f%%", 100 * of[i].mismatched,
              100 * of[i].only_b);
    fputc('\n', stream);
  }
}

static void print_overlap_text(FILE *stream,
                               const struct profile_overlap *overlap,
                               const struct arguments *arguments) {
  const struct function_overlap *list = (const void *)overlap->list.data;
  for (int side = 0; side < SIDES; side++) {
    fprintf(stream, "%c  ", "AB"[side]);
    print_printable(stream, arguments->names[side]);
    fputc('\n', stream);
  }
  fprintf(stream,
          "\nFunctions%s\n"
          "  in both: %" PRIu64 "\n"
          "  in A with another hash or shape: %" PRIu64 "\n"
          "  only in B: %" PRIu64 "\n"
          "  in A without a match in B: %" PRIu64 "\n\n",
          arguments->settings.context_sensitive ? ", context sensitive" : "",
          overlap->functions, overlap->mismatched, overlap->only_b,
          overlap->only_a);
  print_overlap_shares(stream, overlap->of,
                       overlap->mismatched || overlap->only_b);
  for (size_t i = 0; i < overlap->list.size / sizeof *list; i++) {
    fputc('\n', stream);
    print_printable(stream, list[i].name);
    fprintf(stream, "\n  hash %" PRIu64 ", counters: %" PRIu32 "\n",
            list[i].hash, list[i].counters);
    print_overlap_shares(stream, list[i].of, false);
  }
}

/* ---- JSON ---- */

static void print_overlap_members(FILE *stream, const struct overlap_shares *of,
                                  bool all) {
  bool first = true;
  fputs("\"overlap\":{", stream);
  for (unsigned i = 0; i < MEASURES; i++) {
    if (i != MEASURE_EDGES && !measure_has_counts(&of[i]))
      continue;
    fprintf(stream, "%s\"%s\":{\"overlap\":%.3f,\"a_sum\":%.0f,\"b_sum\":%.0f",
            first ? "" : ",", measure_keys[i], 100 * of[i].overlap,
            of[i].sums[SIDE_A], of[i].sums[SIDE_B]);
    if (all)
      fprintf(stream, ",\"mismatched\":%.3f,\"only_b\":%.3f",
              100 * of[i].mismatched, 100 * of[i].only_b);
    fputc('}', stream);
    first = false;
  }
  fputc('}', stream);
}

static void print_overlap_json(FILE *stream,
                               const struct profile_overlap *overlap,
                               const struct arguments *arguments) {
  const struct function_overlap *list = (const void *)overlap->list.data;
  fputs("{\"a\":", stream);
  json_print_string(stream, arguments->names[SIDE_A]);
  fputs(",\"b\":", stream);
  json_print_string(stream, arguments->names[SIDE_B]);
  fprintf(stream,
          ",\"context_sensitive\":%s,\"functions\":{\"both\":%" PRIu64
          ",\"mismatched\":%" PRIu64 ",\"only_b\":%" PRIu64
          ",\"only_a\":%" PRIu64 "},",
          arguments->settings.context_sensitive ? "true" : "false",
          overlap->functions, overlap->mismatched, overlap->only_b,
          overlap->only_a);
  print_overlap_members(stream, overlap->of, true);
  fputs(",\"list\":[", stream);
  for (size_t i = 0; i < overlap->list.size / sizeof *list; i++) {
    fputs(i ? ",\n{\"name\":" : "\n{\"name\":", stream);
    json_print_string(stream, list[i].name);
    fprintf(stream, ",\"hash\":\"%" PRIu64 "\",\"counters\":%" PRIu32 ",",
            list[i].hash, list[i].counters);
    print_overlap_members(stream, list[i].of, false);
    fputc('}', stream);
  }
  fputs("]}\n", stream);
}

/* ---- the command ---- */

static int write_overlap(const struct profile_overlap *overlap,
                         const struct profile_pair *pair,
                         const struct arguments *arguments) {
  struct output_file output;
  for (int side = 0; side < SIDES; side++)
    if (overlap->of[MEASURE_EDGES].sums[side] < 1)
      return report(arguments->names[side],
                    arguments->settings.context_sensitive
                        ? "no context-sensitive counts found; run the command "
                          "without --cs"
                    : pair->profiles[side]->flags & PROFILE_CS
                        ? "the regular counts are all zero; compare "
                          "context-sensitive records with --cs"
                        : "all counts are zero; pass profiles of runs");
  exit_if_failed(output_open(&output, arguments->out));
  (arguments->json ? print_overlap_json
                   : print_overlap_text)(output.stream, overlap, arguments);
  return output_commit(&output);
}

/* Measures and prints the overlap. If pair->wrong is set afterwards, nothing
 * has been printed. The caller may then read both profiles completely and call
 * this function again. */
static int measure_and_write_overlap(const struct arguments *arguments,
                                     struct profile_pair *pair) {
  struct profile_overlap overlap;
  int status = 0;
  bool demangles = !arguments->json && !arguments->no_demangle &&
                   strcmp(arguments->out, "-") == 0;
  if (demangles)
    demangle_hold_stdout(0);
  if (overlap_compute(&overlap, pair, &arguments->settings))
    status = write_overlap(&overlap, pair, arguments);
  buffer_free(&overlap.list);
  return demangle_print_held() || status;
}

static int run_overlap(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  struct profile_pair pair;
  char **files = options_parse(command, argc, argv, &arguments);
  for (int i = 0; i < SIDES; i++)
    arguments.names[i] = files[i];
  exit_if_failed(pair_open(&pair, arguments.names, arguments.elf));
  int status = measure_and_write_overlap(&arguments, &pair);
  if (!status && pair.wrong)
    status = pair_read_whole_files(&pair) ||
             measure_and_write_overlap(&arguments, &pair);
  pair_close(&pair);
  return status;
}

static const struct option_row options[] = {
    {"cs", 0, NULL,
     "compare only the context-sensitive records, from -fcs-profile-generate "
     "(default: only the other records)",
     OPTION(struct arguments, settings.context_sensitive)},
    {"function", 0, "TEXT", "also list functions whose name contains TEXT",
     OPTION(struct arguments, settings.function)},
    {"at-least", 0, "N",
     "also list functions with a count of at least N in profile B",
     OPTION(struct arguments, settings.cutoff),
     .given = offsetof(struct arguments, settings.by_count)},
    {"json", 0, NULL, "print JSON", OPTION(struct arguments, json)},
    {"no-demangle", 0, NULL, "show the mangled names of C++ and Rust functions",
     OPTION(struct arguments, no_demangle)},
    {"elf", 0, "ELF",
     "read the records of raw profiles from this ELF, for code that was "
     "compiled with -profile-correlate",
     OPTION(struct arguments, elf)},
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_overlap = {
    .name = "overlap",
    .summary = "measure how similar two profiles are",
    .examples = "bareprof overlap old.profdata new.profdata",
    .usage = "A B [options]",
    .about =
        "Measures how similar two profiles are, as llvm-profdata overlap does. "
        "Each counter has a share of the sum of all counters in A, and a share "
        "of the sum of all counters in B. The overlap is the sum of the "
        "smaller shares: 100 % means that both profiles have the same "
        "distribution of counts. A low overlap shows that a profile no longer "
        "represents how the program is used. Some functions of B are missing "
        "in A, or have another hash or structure there; the command prints "
        "which share of the counts of B these functions have.",
    RUNS(run_overlap, options, SIDES, SIDES, "two profiles, A and B")};
