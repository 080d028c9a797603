/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip instrument: reads a compiler's assembly, and writes it with
 * sleds (code that records calls). mip/asm/plan.h places them.
 */
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "../base/os.h"
#include "../mip/asm/plan.h"
#include "commands.h"
#include "../mip/mip_model.h"

struct arguments {
  const char *output, *log_name;
  struct asm_job job;
  bool verbose, blocks, keep, counts, edges, sampled;
  const char *input;
  FILE *log;
};

/* Writes a line to the log: FILE: NAME: skipped: REASON, or FILE: NAME: no
 * block coverage: REASON. With --verbose, also to standard error. */
static void log_skipped_function(void *context, struct bytes name, bool skipped,
                                 const char *why) {
  struct arguments *arguments = context;
  char text[512];
  const char *what = skipped ? "skipped" : "no block coverage";
  snprintf(text, sizeof text, "%.*s",
           (int)(name.size < sizeof text ? name.size : sizeof text - 1),
           (const char *)name.data);
  char shown[2048];
  make_printable(shown, sizeof shown, text);
  if (arguments->log)
    fprintf(arguments->log, "%s: %s: %s: %s\n", arguments->input, shown, what,
            why);
  if (arguments->verbose)
    fprintf(stderr, "%s: %s: %s: %s\n", arguments->input, shown, what, why);
}

static int instrument_file(struct arguments *arguments) {
  const char *const outputs[] = {arguments->output, arguments->log_name};
  struct asm_job *job = &arguments->job;
  struct file file;
  struct output_file output;
  exit_if_failed(file_read(&file, arguments->input, ASM_SIZE_LIMIT) ||
                 output_report_bad_names(outputs, 2));
  if (arguments->log_name)
    arguments->log = os_fopen(arguments->log_name, "a");
  if (arguments->log_name && !arguments->log)
    exit_on_error(arguments->log_name,
                  "the log file cannot be written; use another name for --log");
  exit_if_failed(output_open(&output, arguments->output));
  job->out = output.stream;
  job->report_skip = log_skipped_function;
  job->context = arguments;
  const char *error = asm_instrument(job, file.bytes);
  if (!error && arguments->verbose)
    fprintf(stderr, "%s: %u of %u functions instrumented\n", arguments->input,
            (unsigned)job->instrumented, (unsigned)job->functions);
  int status = output_commit_or_report(&output, arguments->input, error);
  bool failed = arguments->log && fclose(arguments->log);
  file_close(&file);
  return failed ? report(arguments->log_name,
                         "the log file cannot be written; check the "
                         "permissions and the disk space")
                : status;
}

static const char *hash_link_unit(void *arguments, const char *value) {
  ((struct arguments *)arguments)->job.settings.hash = mip_module_hash(value);
  return NULL;
}

static const char *parse_arch(void *arguments, const char *value) {
  struct asm_job *job = &((struct arguments *)arguments)->job;
  return asm_parse_arch_name(value, &job->machine) != ASM_UNKNOWN
             ? NULL
             : "--arch is thumb1, thumb2, arm, aarch64, riscv32 or riscv64";
}

/* Returns the type of the profile. Counts replace the coverage byte. */
static uint32_t choose_profile_type(const struct arguments *arguments) {
  uint32_t type = !arguments->blocks ? 0
                  : arguments->keep  ? MIP_BLOCKS
                                     : MIP_BLOCKS | MIP_FOLLOWS;
  if (arguments->sampled)
    type |= MIP_SAMPLED;
  if (arguments->edges || arguments->sampled)
    return type | MIP_TIMES | MIP_CALLS | MIP_RETURNS;
  return type | (arguments->counts ? MIP_TIMES | MIP_CALLS : MIP_COVERAGE);
}

static int run_mip_instrument(const struct command *command, int argc,
                              char **argv) {
  struct arguments arguments = {.verbose = false};
  char **files = options_parse(command, argc, argv, &arguments);
  arguments.input = *files;
  arguments.job.settings.type = choose_profile_type(&arguments);
  return instrument_file(&arguments);
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT.s", struct arguments, output),
    {"blocks", 0, NULL,
     "record basic blocks, too: add a byte and a sled to each block, unless "
     "the bytes of other blocks show whether the block ran",
     OPTION(struct arguments, blocks)},
    {"keep-implied", 0, NULL,
     "with --blocks: add a byte and a sled to all blocks, so that dumps of "
     "crashes and interrupts are exact",
     OPTION(struct arguments, keep)},
    {"counts", 0, NULL, "count calls, and record the order of first calls",
     OPTION(struct arguments, counts)},
    {"edges", 0, NULL,
     "count calls, and record the order and the callers of calls",
     OPTION(struct arguments, edges)},
    {"sampled", 0, NULL,
     "count calls, and record the callers of some of the calls (a sample), "
     "which is faster than --edges",
     OPTION(struct arguments, sampled)},
    {"unit", 0, "NAME",
     "use NAME as the name of the program, the same name for all its files. "
     "The name separates profiles of different programs",
     .parse_value = hash_link_unit},
    {"arch", 0, "ARCH",
     "set the architecture if the assembly does not show it: thumb1, thumb2, "
     "arm, aarch64, riscv32 or riscv64",
     .parse_value = parse_arch},
    {"log", 0, "FILE",
     "append a line to FILE for each function without a sled, with the reason",
     OPTION(struct arguments, log_name)},
    {"verbose", 'v', NULL,
     "print a line for each function without a sled, and the number of "
     "functions with a sled",
     OPTION(struct arguments, verbose)},
    {0}};

const struct command command_mip_instrument = {
    .name = "mip instrument",
    .summary = "add code that records calls to the assembly of a compiler",
    .examples = "bareprof mip instrument a.s -o a-sleds.s",
    .usage = "IN.s -o OUT.s [options]",
    .about =
        "Adds a sled (7 to 36 bytes of code that record a call) to each "
        "function of the assembly file IN.s, and the RAM and the map records "
        "for the sleds. clang or gcc wrote IN.s with -S. `bareprof-mip-cc "
        "COMPILER ...` runs this command for each file that it compiles.",
    RUNS(run_mip_instrument, options, 1, 1, "IN.s and -o OUT.s")};
