/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof merge: profiles of any version into one that the user's compiler
 * takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "profile/gather_all.h"
#include "profile/indexed_write.h"
#include "profile/text.h"
#include "profile/translate.h"

static const char help[] =
    "usage: bareprof merge IN... -o OUT [options]\n"
    "\n"
    "Adds profiles up: raw ones (.profraw) of LLVM 11 and 13 to 23, indexed\n"
    "ones (.profdata) of any release up to 22, text (.proftext). What is\n"
    "merged of parts merges to the same as all at once.\n"
    "\n"
    "  -o, --output OUT           where to; needed\n"
    "      --for-llvm N           13 to 22: what that release reads and its "
    "own\n"
    "                             llvm-profdata would write\n"
    "      --index-version N      4 to 13; else the oldest that loses nothing\n"
    "      --text                 write text\n"
    "      --sparse               leave out functions that never ran\n"
    "      --keep-vtable-symbols  names of vtables too, as without --for-llvm\n"
    "                             and --index-version\n"
    "      --weighted-input=W,IN  count IN W times\n"
    "      --input-files=LIST     names of inputs, or W,IN, a line each\n"
    "      --failure-mode=MODE    any: a bad input is an error (as without);\n"
    "                             all: only if all are bad; warn: never\n"
    "      --elf ELF              the image of raw profiles without records\n"
    "                             (-profile-correlate)\n"
    "      --num-threads=N        read by N threads; 0, as without: as many "
    "as\n"
    "                             there are processors, if there is enough to\n"
    "                             read. The output is the same for any N\n";

enum failure_mode { FAIL_ANY, FAIL_ALL, FAIL_NEVER };

struct arguments {
  struct sources inputs;
  struct sources_given given;
  const char *out, *elf;
  unsigned llvm, version, threads;
  enum failure_mode mode;
  bool text, sparse, keep_vtables;
};

static int usage(const char *what) { return options_wrong("merge", what); }

static void show_progress(size_t done, size_t all) {
  if ((done % 64 == 0 || done == all) && all > 64 && sources_progress())
    fprintf(stderr, "\r%zu of %zu profiles%s", done, all,
            done == all ? "\n" : "");
}

/* Adds all inputs. 0, or 1: more were bad than may be. */
static int add_all(struct gather *gather, const struct arguments *arguments) {
  const struct sources *inputs = &arguments->inputs;
  const struct gather_work work = {
      inputs, gather_threads(inputs, arguments->threads), show_progress};
  size_t bad = 0;
  gather->only = inputs->count == 1;
  if (work.threads > 1 && gather_all(gather, &work))
    return 0;
  for (size_t i = 0; i < inputs->count; i++) {
    if (gather_file(gather, (uint32_t)i, inputs->weights[i])) {
      bad++;
      if (arguments->mode == FAIL_ANY)
        return 1;
    }
    show_progress(i + 1, inputs->count);
  }
  return arguments->mode == FAIL_ALL && bad == inputs->count;
}

/* The separator of local names that a release uses. */
static const char *translate(struct profile *profile,
                             const struct arguments *arguments,
                             unsigned version) {
  if (!(profile->flags & PROFILE_IR) ||
      (!arguments->llvm && !arguments->version))
    return NULL;
  bool old =
      arguments->llvm ? arguments->llvm < 18 : version < INDEXED_SEMICOLON;
  return translate_locals(profile, old ? ':' : ';', NULL);
}

/* Nothing is lost unless another tool's ways are asked for. */
static bool keeps_vtables(const struct arguments *arguments) {
  return arguments->keep_vtables || (!arguments->llvm && !arguments->version);
}

static int write_out(struct profile *profile,
                     const struct arguments *arguments) {
  struct indexed_options options = {.version = arguments->version,
                                    .sparse = arguments->sparse,
                                    .vtable_names = keeps_vtables(arguments)};
  const char *error = NULL;
  struct output output;
  if (!options.version && !arguments->text) {
    options.version = indexed_version_for(profile, arguments->llvm, &error);
    if (!options.version)
      return report(arguments->out, "%s", error);
  }
  if (!(error = translate(profile, arguments, options.version)) &&
      options.version)
    error = indexed_refuses(profile, options.version);
  if (error)
    return report(arguments->out, "%s", error);
  if (output_open(&output, arguments->out))
    return 1;
  error = arguments->text ? text_write(profile, output.stream, arguments->llvm,
                                       arguments->sparse)
                          : indexed_write(profile, output.stream, &options);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(arguments->out, "%s", error);
}

static int merge(const struct arguments *arguments) {
  struct gather gather;
  gather_new(&gather, arguments->inputs.names);
  int status = gather_elf(&gather, arguments->elf);
  if (!status)
    status = add_all(&gather, arguments);
  if (!status)
    status = write_out(&gather.profile, arguments);
  gather_free(&gather);
  return status;
}

static int take_number(const char *text, unsigned least, unsigned most,
                       unsigned *number) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  *number = (unsigned)value;
  return *text < '0' || *text > '9' || *end || value < least || value > most;
}

static int take_mode(const char *text, enum failure_mode *mode) {
  static const char *const names[] = {"any", "all", "warn"};
  for (unsigned i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *mode = (enum failure_mode)i;
      return 0;
    }
  return usage("--failure-mode is any, all or warn");
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case 'o':
    arguments->out = optarg;
    return 0;
  case 'l':
    return take_number(optarg, 13, 22, &arguments->llvm)
               ? usage("--for-llvm is 13 to 22")
               : 0;
  case 'i':
    return take_number(optarg, INDEXED_OLDEST, INDEXED_NEWEST,
                       &arguments->version)
               ? usage("--index-version is 4 to 13")
               : 0;
  case 't':
    arguments->text = true;
    return 0;
  case 's':
    arguments->sparse = true;
    return 0;
  case 'k':
    arguments->keep_vtables = true;
    return 0;
  case 'w':
    return sources_weighted(&arguments->given.weighted, optarg);
  case 'f':
    return sources_add(&arguments->given.lists, optarg, 1);
  case 'm':
    return take_mode(optarg, &arguments->mode);
  case 'e':
    arguments->elf = optarg;
    return 0;
  case 'n':
    return take_number(optarg, 0, 4096, &arguments->threads)
               ? usage("--num-threads is 0 to 4096")
               : 0;
  default:
    return options_unknown("merge");
  }
}

static int run(struct arguments *arguments, char **rest) {
  arguments->given.names = rest;
  if (sources_take(&arguments->inputs, &arguments->given))
    return 1;
  if (!arguments->out)
    return usage("-o OUT is missing");
  if (arguments->inputs.count == 0)
    return usage("an input is missing");
  if (arguments->llvm && arguments->version)
    return usage("--for-llvm and --index-version are one too many");
  return merge(arguments);
}

int command_merge(int argc, char **argv) {
  static const struct option list[] = {
      {"output", required_argument, NULL, 'o'},
      {"for-llvm", required_argument, NULL, 'l'},
      {"index-version", required_argument, NULL, 'i'},
      {"text", no_argument, NULL, 't'},
      {"sparse", no_argument, NULL, 's'},
      {"keep-vtable-symbols", no_argument, NULL, 'k'},
      {"weighted-input", required_argument, NULL, 'w'},
      {"input-files", required_argument, NULL, 'f'},
      {"failure-mode", required_argument, NULL, 'm'},
      {"elf", required_argument, NULL, 'e'},
      {"num-threads", required_argument, NULL, 'n'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"merge", help, "o:h", list, take};
  struct arguments arguments = {0};
  int status = options_take(&options, argc, argv, &arguments);
  if (status < 0)
    status = run(&arguments, argv + optind);
  sources_free(&arguments.inputs);
  sources_free(&arguments.given.weighted);
  sources_free(&arguments.given.lists);
  return status;
}
