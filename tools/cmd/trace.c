/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof trace: joins an image that has trace points with traces of its runs,
 * and writes a raw profile. image/trace_counts.h reads the traces. This file
 * also starts QEMU for bareprof run --trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/number.h"
#include "../base/os.h"
#include "../coverage/inputs/paths.h"
#include "../coverage/model/evaluate.h"
#include "../image/image.h"
#include "../image/trace_counts.h"
#include "../objectcode/objectcode.h"
#include "../trace/plugin.h"
#include "commands.h"
#include "report.h"

enum { FILE_LIMIT = 1 << 30, SWITCHES_MOST = 32, TRACE_NAME = 4200 };

struct arguments {
  const char *out;
  bool plugin, list, object_code, mtb, etm;
  struct trace_options how;
  const char *switches[SWITCHES_MOST + 1];
  size_t switch_count;
};

const char *trace_parse_position(void *context, const char *value) {
  struct trace_options *how = context;
  how->whole = true;
  return parse_option_number(value, 10, &how->position)
             ? NULL
             : "--position must be the value of MTB_POSITION, such as 0x144";
}

static const char *parse_switch(void *context, const char *value) {
  struct arguments *arguments = context;
  if (arguments->switch_count == SWITCHES_MOST)
    return "--switch may be repeated up to 32 times only";
  arguments->switches[arguments->switch_count++] = value;
  return NULL;
}

/* ---- trace --least ----
 *
 * If a trace is incomplete, its counts allow neither percentages nor a profile.
 * The counts still prove that code with a count ran at least once. Differences
 * of counts prove nothing, because the counted code may have begun before the
 * trace or continued after it. So an `else` and the code after a `return` are
 * not shown, unless they contain a counter.
 */

/* Prints the lines of one source that ran, as FILE: FIRST-LAST,... */
static void print_ran_lines_of_row(const struct model *exported, size_t row,
                                   const struct source_maps *paths) {
  struct source_lines lines = lines_make(exported, row);
  char shown[1000];
  bool any = false;
  for (uint32_t first = 1, end; first < lines.count; first = end + 1) {
    for (end = first; end < lines.count && lines.list[end].counted &&
                      lines.list[end].count;)
      end++;
    if (end == first)
      continue;
    if (!any)
      printf("  %s: ", make_printable(
                           shown, sizeof shown,
                           paths_shown_name(paths, exported->names[row])));
    printf(any ? ",%" PRIu32 : "%" PRIu32, first);
    if (end - first > 1)
      printf("-%" PRIu32, end - 1);
    any = true;
  }
  if (any)
    putchar('\n');
  lines_free(&lines);
}

static void print_lines_that_ran(const struct model *exported) {
  char here[4096];
  const struct source_maps paths = {.here =
                                        os_current_folder(here, sizeof here)};
  uint64_t counts[METRICS];
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = exported->summary.total.scores[i].covered;
  fputs("At least this ran: ", stdout);
  puts(metrics_print_counts(stdout, counts) ? "." : "nothing.");
  for (size_t i = 0; i < exported->summary.count; i++)
    print_ran_lines_of_row(exported, i, &paths);
  puts("Parts of the trace may be missing. Other code may have run, too, so "
       "this is not coverage.");
}

static int print_certain_coverage(struct image_join *join) {
  struct input_elf subject = {
      .name = join->elf_name, .elf = *join->elf, .join = *join};
  struct profile profile;
  struct model exported = {.name_count = 0};
  const struct source_maps paths = {.maps = NULL};
  struct token_store tokens = {.paths = &paths};
  const struct evaluation_options mask = {.tokens = &tokens};
  exit_if_failed(input_make_and_check_profile(&subject, &profile));
  exit_on_error(subject.name,
                evaluation_read_function_names(&subject.elf, &subject.names));
  const struct evaluation_input one = {&subject.elf, &subject.names, &profile,
                                       .least = true};
  exit_on_error(subject.name, evaluate_elfs(&exported, &one, 1, &mask));
  print_lines_that_ran(&exported);
  token_store_free(&tokens);
  model_free(&exported);
  names_free(&subject.names);
  profile_free(&profile);
  return 0;
}

/* ---- the command ---- */

static int write_plugin_source(const char *name) {
  struct output_file output;
  exit_if_failed(output_open(&output, name));
  plugin_print_source(output.stream);
  return output_commit(&output);
}

/* Writes the list for the plugin: the instructions of an ELF, or its trace
 * points. */
static int write_list(const struct arguments *arguments, const struct elf *elf,
                      const char *name, const char *out) {
  struct output_file output;
  struct elf_section mapping;
  struct objectcode of;
  const char *error;
  exit_if_failed(output_open(&output, out));
  if (arguments->object_code ||
      (elf->type != ELF_REL &&
       !elf_find_section(elf, "__llvm_covmap", &mapping))) {
    error = objectcode_open(&of, elf);
    if (!error)
      objectcode_write_plugin_list(&of, 1, output.stream);
    objectcode_close(&of);
  } else {
    error = trace_write_point_list(elf, arguments->switches, output.stream);
  }
  return output_commit_or_report(&output, name, error);
}

static void add_trace_file(struct image_join *join,
                           const struct arguments *arguments,
                           const char *name) {
  struct file file;
  exit_if_failed(file_map(&file, name, FILE_LIMIT));
  if (arguments->mtb || arguments->etm) {
    struct trace_counts traced;
    trace_reader *reads =
        arguments->mtb ? board_trace_read_mtb : board_trace_read_ranges;
    exit_on_error(name, reads(&traced, join->elf, &arguments->how, file.bytes));
    exit_if_failed(join_add_trace(join, name, &traced));
    free(traced.counts);
  } else if (trace_file_has_magic(file.bytes)) {
    exit_if_failed(join_add_file(join, name, file.bytes));
  } else {
    exit_on_error(name, "this is not a trace of QEMU's plugin; for a board's "
                        "trace use --mtb or --etm, for dumps bareprof join");
  }
  file_close(&file);
}

static int join_traces_and_write_profile(const struct arguments *arguments,
                                         const struct elf *elf, char **names) {
  struct image_join join = {.elf = elf, .elf_name = names[0]};
  for (size_t i = 1; names[i]; i++)
    add_trace_file(&join, arguments, names[i]);
  int status = arguments->how.least ? print_certain_coverage(&join)
                                    : join_write(&join, arguments->out);
  join_free(&join);
  return status;
}

/* Returns an error if options exclude or need each other; otherwise returns
 * NULL. */
static const char *check_trace_options(const struct arguments *arguments,
                                       char **names) {
  const struct trace_options *how = &arguments->how;
  if (arguments->plugin)
    return *names || arguments->list ? "--plugin takes no file, and no --list"
                                     : NULL;
  if (!*names)
    return "pass the ELF";
  if (arguments->object_code && !arguments->list)
    return "--object-code needs --list";
  if (how->whole && !arguments->mtb)
    return "--position needs --mtb";
  if (how->least && (arguments->out || !(arguments->mtb || arguments->etm)))
    return "--least needs --mtb or --etm, and makes no file, because it has no "
           "counts";
  if (arguments->list ? names[1] != NULL
                      : !names[1] || (!arguments->out && !how->least))
    return "pass an ELF and --list, or an ELF, traces and -o OUT.profraw";
  return NULL;
}

static int run_trace_command(const struct command *command, int argc,
                             char **argv) {
  struct arguments arguments = {0};
  struct file file;
  struct elf elf;
  char **names = options_parse(command, argc, argv, &arguments);
  const char *out = arguments.out ? arguments.out : "-";
  const char *wrong = check_trace_options(&arguments, names);
  if (wrong)
    return options_report_misuse(command, "%s", wrong);
  if (arguments.plugin)
    return write_plugin_source(out);
  arguments.how.switches = arguments.switches;
  exit_if_failed(image_open_file(&elf, &file, names[0]));
  int status = arguments.list
                   ? write_list(&arguments, &elf, names[0], out)
                   : join_traces_and_write_profile(&arguments, &elf, names);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    {"output", 'o', "OUT",
     "write to the file OUT (default for --plugin and --list: standard output)",
     OPTION(struct arguments, out), .parse_value = options_parse_output_name},
    {"plugin", 0, NULL,
     "write the source code of the QEMU plugin; the first lines of the source "
     "say how to compile the plugin",
     OPTION(struct arguments, plugin)},
    {"list", 0, NULL,
     "write the trace points of the ELF to a file for the QEMU plugin. For an "
     "ELF without a coverage mapping, write the code addresses of the ELF",
     OPTION(struct arguments, list)},
    {"object-code", 0, NULL,
     "with --list: write the code addresses of the ELF, even if the ELF has "
     "trace points or a coverage mapping",
     OPTION(struct arguments, object_code)},
    {"mtb", 0, NULL,
     "read each TRACE as an Arm Micro Trace Buffer: the words from the "
     "beginning of the buffer to MTB_POSITION",
     OPTION(struct arguments, mtb)},
    {"position", 0, "VALUE",
     "with --mtb: use VALUE as the value of the register MTB_POSITION. Needed "
     "only if you saved the whole buffer, not only the words up to "
     "MTB_POSITION",
     PARSED_BY(struct arguments, how, trace_parse_position)},
    {"etm", 0, NULL,
     "read each TRACE as the trace of an ETM or PTM: the output of OpenCSD's "
     "trc_pkt_lister -decode_only for one core",
     OPTION(struct arguments, etm)},
    {"least", 0, NULL,
     "with --mtb or --etm: print only the code that certainly ran, even if the "
     "buffer wrapped or trace data is lost",
     OPTION(struct arguments, how.least)},
    {"switch", 0, "FUNCTION",
     "with --list, --mtb or --etm: treat FUNCTION as a task switch. A decision "
     "that a task switch interrupts gets no MC/DC result. The task switches of "
     "FreeRTOS, Zephyr, ThreadX, NuttX, RTX and RT-Thread are built in",
     .parse_value = parse_switch},
    {0}};

const struct command command_trace = {
    .name = "trace",
    .summary = "make a raw profile from a trace of code without counters",
    .usage = "ELF TRACE... {-o OUT.profraw | --least} | ELF --list | --plugin",
    .examples = "bareprof trace fw.elf --list -o fw.labels\n"
                "bareprof trace fw.elf fw.trace -o fw.profraw",
    .about =
        "Makes a raw profile from a trace. Compile the image with `bareprof cc "
        "--counters=trace`; its code then has no counters. A QEMU plugin "
        "counts how often each trace point (a marked address in the code) "
        "runs, and writes a trace file. From the ELF and the trace file, this "
        "command makes the same raw profile as from clang's counters, "
        "including MC/DC. `bareprof run --trace` runs all steps.",
    RUNS(run_trace_command, options, 0, 0, "the ELF and its traces")};

/* ---- run --trace ---- */

static int write_plugin_list(const struct report_arguments *arguments,
                             const char *name) {
  const struct input_elf *subject = arguments->inputs.subjects;
  const char *error = NULL;
  FILE *out = os_fopen(name, "w");
  if (out && arguments->inputs.object_code)
    objectcode_write_plugin_list(arguments->object.elfs,
                                 arguments->object.elf_count, out);
  else if (out)
    error = trace_write_point_list(&subject->elf, NULL, out);
  if (file_close_written(out, name, SET_TMPDIR))
    return 1;
  return error ? report(subject->name, "%s", error) : 0;
}

static int run_with_plugin(struct console *console, const struct inputs *inputs,
                           const char *plugin) {
  char **command = console->command;
  struct argument_list words = {0};
  plugin_append_command(&words, command, plugin);
  console->command = words.list;
  int status = words.failed ? report_out_of_memory(NULL)
                            : console_listen(console, inputs);
  console->command = command;
  arguments_free(&words);
  return status;
}

/* Runs the command with the plugin, which reads the list `labels` in the folder
 * and writes the trace. */
static int run_and_check_trace(struct report_arguments *arguments,
                               const char *folder, const char *trace) {
  struct console *console = &arguments->console;
  char plugin[3 * TRACE_NAME];
  snprintf(plugin, sizeof plugin, "%s/plugin.so,list=%s/labels,out=%s", folder,
           folder, trace);
  if (plugin_build(folder, console->command) ||
      run_with_plugin(console, &arguments->inputs, plugin))
    return 1;
  if (console->out_of_time)
    fprintf(stderr,
            console->timeout
                ? "bareprof: the program still ran, and was ended by "
                  "--timeout\n"
                : "bareprof: the program printed nothing for 60 s, and was "
                  "ended; use --timeout to let the program run longer\n");
  console->out_of_time = false;
  if (os_can_read(trace))
    return 0;
  /* add_command_end_checks reports how the command failed. */
  return console->ended && console->status
             ? 1
             : report(console->command[0],
                      "the command wrote no trace; use a QEMU with plugins, "
                      "and pass the argument -plugin on to QEMU");
}

int trace_run_command(struct report_arguments *arguments,
                      const struct report_folder *report_in) {
  char folder[PRIVATE_FOLDER], list[TRACE_NAME], trace[TRACE_NAME];
  struct inputs *inputs = &arguments->inputs;
  if (inputs->count != 1 && !inputs->object_code)
    return report(inputs->subjects[1].name,
                  "run --trace takes one ELF with trace points; trace each "
                  "image separately");
  if (make_folder_for_qemu(folder, "-plugin"))
    return 1;
  snprintf(list, sizeof list, "%s/labels", folder);
  snprintf(trace, sizeof trace, "%s/trace", folder);
  int status = write_plugin_list(arguments, list) ||
               run_and_check_trace(arguments, folder, trace) ||
               (inputs->object_code
                    ? report_object_add_run(arguments, trace, report_in)
                    : inputs_read_log(inputs, trace, "the trace"));
  os_remove_folder(folder);
  return status;
}
