/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip instrument: a compiler's assembly in, the same with sleds out.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "../base/same.h"
#include "asm.h"
#include "commands.h"
#include "hash.h"
#include "model.h"

static const char help[] =
    "usage: bareprof mip instrument IN.s -o OUT.s [--blocks] [--counts]\n"
    "\n"
    "Puts a sled of 7 to 12 bytes into each function of IN.s, assembly that\n"
    "clang or gcc made with -S, and adds the raw bytes and map records.\n"
    "`bareprof-mip-cc COMPILER ...` does it while compiling.\n"
    "\n"
    "  -o, --output OUT.s  where to; needed\n"
    "      --blocks        cover blocks too: a byte and a sled for each\n"
    "      --counts        count calls, and note the order of the first ones\n"
    "      --edges         the same, and note who called\n"
    "      --unit NAME     of the program, the same for all its files: tells\n"
    "                      its profiles from those of others\n"
    "      --arch ARCH     thumb1, thumb2, arm, aarch64, riscv32, riscv64 or\n"
    "                      x86-64, where the file does not tell\n"
    "      --log FILE      add a line there for each function left out, with\n"
    "                      the reason\n"
    "  -v, --verbose       print those lines, and how many got a sled\n";

struct arguments {
  const char *output, *log_name;
  struct asm_job job;
  bool verbose;
  const char *input;
  FILE *log;
};

enum { BLOCKS = 256, COUNTS, EDGES, UNIT, ARCH, LOG };

static int take(void *arguments_, int option) {
  struct arguments *arguments = arguments_;
  struct asm_job *job = &arguments->job;
  switch (option) {
  case 'o':
    arguments->output = optarg;
    return 0;
  case 'v':
    arguments->verbose = true;
    return 0;
  case BLOCKS:
    job->wish.type |= MIP_BLOCKS;
    return 0;
  case COUNTS:
    job->wish.type |= MIP_TIMES | MIP_CALLS;
    return 0;
  case EDGES:
    job->wish.type |= MIP_TIMES | MIP_CALLS | MIP_RETURNS;
    return 0;
  case UNIT:
    job->wish.hash = mip_module_hash(optarg);
    return 0;
  case LOG:
    arguments->log_name = optarg;
    return 0;
  case ARCH:
    if (asm_arch_named(optarg, &job->machine) != ASM_UNKNOWN)
      return 0;
    return options_wrong("mip instrument", "there is no such --arch");
  default:
    return options_unknown("mip instrument");
  }
}

/* NAME: skipped: REASON, or NAME: no block coverage: REASON */
static void tell(void *context, struct bytes name, bool skipped,
                 const char *why) {
  struct arguments *arguments = context;
  char text[512];
  const char *what = skipped ? "skipped" : "no block coverage";
  snprintf(text, sizeof text, "%.*s",
           (int)(name.size < sizeof text ? name.size : sizeof text - 1),
           (const char *)name.data);
  char shown[2048];
  printable(shown, sizeof shown, text);
  if (arguments->log)
    fprintf(arguments->log, "%s: %s: %s: %s\n", arguments->input, shown, what,
            why);
  if (arguments->verbose)
    fprintf(stderr, "%s: %s: %s: %s\n", arguments->input, shown, what, why);
}

static int open_log(struct arguments *arguments) {
  if (!arguments->log_name)
    return 0;
  arguments->log = fopen(arguments->log_name, "a");
  if (arguments->log)
    return 0;
  return report(arguments->log_name,
                "it cannot be written; give --log another name");
}

static int close_log(struct arguments *arguments) {
  if (!arguments->log || fclose(arguments->log) == 0)
    return 0;
  return report(arguments->log_name,
                "it could not be written; is the disk full?");
}

static int instrument(struct arguments *arguments, struct bytes bytes) {
  struct output output;
  struct asm_job *job = &arguments->job;
  int status = output_open(&output, arguments->output);
  if (status)
    return status;
  job->out = output.stream;
  job->tell = tell;
  job->context = arguments;
  const char *error = asm_instrument(job, bytes);
  if (error) {
    output_abandon(&output);
    return report(arguments->input, "%s", error);
  }
  if (arguments->verbose)
    fprintf(stderr, "%s: %u of %u functions instrumented\n", arguments->input,
            (unsigned)job->instrumented, (unsigned)job->functions);
  return output_commit(&output);
}

static int run(struct arguments *arguments) {
  const char *const outputs[] = {arguments->output, arguments->log_name};
  struct file file;
  int status = file_read(&file, arguments->input, ASM_SIZE_LIMIT);
  if (status)
    return status;
  status = same_refuses_any(outputs, 2);
  if (!status)
    status = open_log(arguments);
  if (!status) {
    status = instrument(arguments, file.bytes);
    int closed = close_log(arguments);
    status = status ? status : closed;
  }
  file_close(&file);
  return status;
}

int mip_instrument(int argc, char **argv) {
  static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                       {"blocks", no_argument, NULL, BLOCKS},
                                       {"counts", no_argument, NULL, COUNTS},
                                       {"edges", no_argument, NULL, EDGES},
                                       {"unit", required_argument, NULL, UNIT},
                                       {"arch", required_argument, NULL, ARCH},
                                       {"log", required_argument, NULL, LOG},
                                       {"verbose", no_argument, NULL, 'v'},
                                       {"help", no_argument, NULL, 'h'},
                                       {0}};
  struct arguments arguments = {.verbose = false};
  const struct options options = {"mip instrument", help, "o:vh", list, take};
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (optind != argc - 1 || !arguments.output)
    return options_wrong("mip instrument", "give IN.s and -o OUT.s");
  arguments.input = argv[optind];
  /* Counts take the place of the coverage byte. */
  if (!(arguments.job.wish.type & MIP_CALLS))
    arguments.job.wish.type |= MIP_COVERAGE;
  return run(&arguments);
}
