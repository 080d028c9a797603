/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof init: reads the project's linker script (init/linker_script.h) and
 * writes the linker fragment and C file for a first dump over a UART. Also
 * prints the compile and link lines for this installation.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/options.h"
#include "../base/os.h"
#include "../init/linker_script.h"
#include "commands.h"

struct arguments {
  const char *target, *llvm, *out;
  const char *folders[9]; /* the values of -L; NULL ends them */
  struct init_plan plan;
  bool force;
  const char *name;    /* name of the linker script */
  const char *archive; /* llvm-N/TARGET, one of at.names */
};

/* ---- the installation of this program ---- */

enum { PATH_MOST = PRIVATE_FOLDER, NAME_MOST = 80, ARCHIVES_MOST = 128 };

static struct tool_installation {
  char top[PATH_MOST], scripts[PATH_MOST + 32], headers[PATH_MOST + 32],
      archives[PATH_MOST + 32];
  char out[PATH_MOST]; /* the folder for the files, with a separator at its
                          end */
  bool built;          /* the program is in a build tree, not installed */
  char names[ARCHIVES_MOST][NAME_MOST]; /* llvm-N/TARGET, one for each
                                           library */
  size_t count;
} at;

static bool add_archive(void *context, const char *folder, bool is_folder) {
  const char *name = folder + strlen(at.archives) + 1;
  char path[PATH_MOST + 200];
  snprintf(path, sizeof path, "%s/libbareprof.a", folder);
  if (!is_folder || strncmp(name, "llvm-", 5) != 0)
    return true;
  if (os_base_name(folder) == name)
    os_list_folder(folder, add_archive, context);
  else if (os_exists(path) && at.count < ARCHIVES_MOST)
    snprintf(at.names[at.count++], NAME_MOST, "%s", name);
  return true;
}
static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static bool cut_last_component(char *path) {
  char *name = path + (os_base_name(path) - path);
  if (name - path < 2)
    return false;
  name[-1] = '\0';
  return true;
}

/* Whether at.top has the linker scripts in the folder of this name. Sets
 * at.scripts and at.headers. */
static bool find_scripts_in_top(const char *scripts, const char *headers) {
  struct os_file_info facts;
  snprintf(at.scripts, sizeof at.scripts, "%s/%s/bareprof-insert.ld", at.top,
           scripts);
  snprintf(at.headers, sizeof at.headers, "%s/%s", at.top, headers);
  return os_stat(at.scripts, &facts) && cut_last_component(at.scripts);
}

/* Finds the scripts, headers and libraries: in the PREFIX whose bin/ has this
 * program, or in the source tree that contains this build folder. */
static int locate_installation(void) {
  char *own = os_real_path(os_program_path());
  snprintf(at.top, sizeof at.top, "%s", own ? own : "");
  free(own);
  cut_last_component(at.top);
  snprintf(at.archives, sizeof at.archives, "%s", at.top);
  at.built = strcmp(os_base_name(at.top), "bin") != 0;
  bool found = false;
  for (int depth = 0; depth < 6 && !found && cut_last_component(at.top);
       depth++)
    found = at.built ? find_scripts_in_top("linker-scripts", "include")
                     : !depth && find_scripts_in_top("share/bareprof",
                                                     "include/bareprof");
  if (!found)
    return report(at.archives,
                  "this installation has no target libraries; run make install "
                  "with its PREFIX, INSTALL_TARGETS and LLVM, or use `bareprof "
                  "cc --coverage', which needs no library");
  if (!at.built)
    snprintf(at.archives, sizeof at.archives, "%s/lib/bareprof", at.top);
  os_list_folder(at.archives, add_archive, NULL);
  qsort(at.names, at.count, NAME_MOST, compare_names);
  return 0;
}

/* Finds the one library that matches --target and --llvm, or reports which
 * libraries there are. */
static bool choose_archive(struct arguments *arguments) {
  const char *target = arguments->target, *llvm = arguments->llvm;
  char list[600] = "";
  size_t size = 0, fitting = 0;
  for (size_t i = 0; i < at.count; i++) {
    const char *name = at.names[i], *release = name + strlen("llvm-");
    size_t digits = strspn(release, "0123456789");
    if (size < sizeof list)
      size += (size_t)snprintf(list + size, sizeof list - size, "%s %s",
                               i ? "," : "", name);
    if ((target && strcmp(target, os_base_name(name)) != 0) ||
        (llvm && (strlen(llvm) != digits || memcmp(llvm, release, digits))))
      continue;
    arguments->archive = name;
    fitting++;
  }
  if (fitting > 1)
    report(NULL,
           "several libraries are installed; choose one with --llvm and "
           "--target; installed are%s",
           list);
  else if (!fitting)
    report(
        at.archives,
        "the library for %s of LLVM %s is missing; run make %s=%s LLVM=%s%s%s",
        target ? target : "any target", llvm ? llvm : "any",
        at.built ? "lib TARGET" : "install INSTALL_TARGETS",
        target ? target : "thumbv7m-none-eabi", llvm ? llvm : "22",
        at.count ? "; there are" : "", list);
  return fitting == 1;
}

/* ---- the compile and link lines ---- */

/* Prints a path, in quotes if a shell would split or change it. */
static void print_quoted_path(const char *before, const char *folder,
                              const char *name) {
  const char *const parts[] = {folder, name};
  bool plain = !strpbrk(folder, " '\"$`&;()") && !strpbrk(name, " '\"$`&;()");
  printf(plain ? "%s" : "%s\"", before);
  for (int i = 0; i < 2; i++)
    for (const char *byte = parts[i]; *byte; byte++)
      printf("%s%c", strchr("\"$`", *byte) ? "\\" : "", *byte);
  fputs(plain ? "" : "\"", stdout);
}

static void print_link_line(const struct arguments *arguments,
                            const struct linker_script *script,
                            const char *program, const char *end,
                            const char *name) {
  char archive[NAME_MOST + 20];
  bool driver = strstr(program, "clang") || strstr(end, "gcc");
  printf(driver ? "  %s%s $LDFLAGS -Wl,--gc-sections,--build-id,-u,bareprof_%s"
                : "  %s%s --gc-sections --build-id -u bareprof_%s",
         program, end, script->has_preinit ? "preinit" : "init");
  for (const char *const *folder = arguments->folders; *folder; folder++)
    print_quoted_path(" -L ", *folder, "");
  print_quoted_path(" -L ", at.scripts, "");
  print_quoted_path(" -T ", name, "");
  print_quoted_path(" -T ", at.out, "regions.ld");
  printf(" -T bareprof%s-insert.ld $OBJECTS dump.o ",
         script->has_phdrs ? "-phdrs" : "");
  snprintf(archive, sizeof archive, "/%s/libbareprof.a", arguments->archive);
  print_quoted_path("", at.archives, archive);
  puts(" $LIBS -o fw.elf");
}

static void print_link_lines(const struct arguments *arguments,
                             const struct linker_script *script,
                             const char *clang, const char *release) {
  const char *target = os_base_name(arguments->archive),
             *name = arguments->name,
             *ld = strncmp(target, "riscv32", 7) ? "ld" : "ld -melf32lriscv",
             *for_lld = script->gnu_only ? "lld.ld" : name,
             *gnu = strncmp(target, "riscv", 5) == 0 ? "riscv64-unknown-elf-"
                    : strncmp(target, "aarch64", 7) == 0 ? "aarch64-none-elf-"
                                                         : "arm-none-eabi-";
  print_link_line(arguments, script, "ld.lld", release, for_lld);
  print_link_line(arguments, script, gnu, ld, name);
  print_link_line(arguments, script, gnu, "gcc", name);
  print_link_line(arguments, script, clang, " -fuse-ld=lld", for_lld);
}

static void print_build_lines(const struct arguments *arguments,
                              const struct linker_script *script) {
  int llvm = atoi(arguments->archive + strlen("llvm-"));
  char release[16], clang[NAME_MOST + 40];
  snprintf(release, sizeof release, "-%d", llvm);
  snprintf(clang, sizeof clang, "clang%s --target=%s", release,
           os_base_name(arguments->archive));
  printf(
      "\nCompile the files to measure, but no start-up code:\n"
      "  %s $CFLAGS -fprofile-instr-generate -fcoverage-mapping%s -c FILE.c\n"
      "Compile dump.c, without -nostdinc:\n"
      "  %s $CFLAGS",
      clang, llvm < 18 ? "" : " -fcoverage-mcdc", clang);
  print_quoted_path(" -I", at.headers, "");
  print_quoted_path(" -c ", at.out, "dump.c");
  puts("\nDo interrupts or several cores run measured code? Add "
       "-fprofile-update=atomic to the first line.\n"
       "Call dump_profile() when the tests are done.");
  if (!script->has_preinit)
    puts("Call bareprof_init() in the reset handler, before measured code: the "
         "script has no .preinit_array.");
  if (!arguments->plan.has_heap)
    puts("The script names no heap: if the heap begins after .bss, it must "
         "begin at __bareprof_end.");
  puts("Link with the line of your linker:");
  if (script->gnu_only) {
    print_quoted_path("  awk -f ", at.scripts, "/for-lld.awk");
    print_quoted_path(" ", arguments->name, "");
    puts(" >lld.ld");
  }
  if (script->gnu_only && script->file_count)
    puts("  (for lld, convert each file that the script includes, too)");
  print_link_lines(arguments, script, clang, release);
  puts("Set $LDFLAGS to your linker flags, and $LIBS to your libraries. Remove "
       "-T SCRIPT\nfrom your flags, because the line has your script already. "
       "If your flags leave\nout the C library (-nostdlib), add -lc to $LIBS, "
       "or add a file that defines memcpy,\nmemset, memmove and memcmp.\nThen "
       "run: bareprof doctor fw.elf; bareprof run fw.elf --port /dev/ttyACM0");
}

/* ---- the files ---- */

static const char dump[] =
    "#include \"bareprof_wire.h\"\n"
    "\n"
    "extern void uart_send(unsigned char byte); /* yours; measured or not */\n"
    "\n"
    "static int to_uart(void *context, const void *bytes, size_t size) {\n"
    "  const unsigned char *byte = (const unsigned char *)bytes;\n"
    "  (void)context;\n"
    "  while (size--)\n"
    "    uart_send(*byte++);\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "int dump_profile(void) {\n"
    "  const struct bareprof_sink uart = {to_uart, NULL};\n"
    "  return bareprof_send(&uart, BAREPROF_TEXT); /* 0, or an error number "
    "*/\n"
    "}\n";

static int write_project_files(const struct arguments *arguments) {
  const struct init_plan *plan = &arguments->plan;
  char paths[2][PATH_MOST + 16];
  struct output_file output;
  for (int i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s%s", at.out,
             i ? "dump.c" : "regions.ld");
    if (os_exists(paths[i]) && !arguments->force)
      return report(paths[i], "the file exists already; use --force to replace "
                              "it, or -o FOLDER for another folder");
  }
  for (int i = 0; i < 2; i++) {
    if (output_open(&output, paths[i]))
      return 1;
    if (i)
      fputs(dump, output.stream);
    else
      init_print_regions(output.stream, plan);
    if (output_commit(&output))
      return 1;
  }
  printf("%s: counters in %.*s, records in %.*s\n%s: write the function "
         "uart_send, which this file calls\n",
         paths[0], (int)plan->ram.size, (const char *)plan->ram.data,
         (int)plan->rom.size, (const char *)plan->rom.data, paths[1]);
  return 0;
}

/* ---- the command ---- */

static int run_init(const struct command *command, int argc, char **argv) {
  static struct linker_script script;
  struct arguments arguments = {.target = NULL};
  struct file file;
  char **files = options_parse(command, argc, argv, &arguments);
  if (file_read(&file, *files, 16 << 20))
    return 1;
  arguments.name = file.name;
  script.folders = arguments.folders;
  if (arguments.out)
    snprintf(at.out, sizeof at.out, "%s/", arguments.out);
  const char *error = script_parse(&script, file.bytes);
  if (!error)
    error = init_decide_plan(&arguments.plan, &script);
  int status = error ? report(file.name, "%s", error)
                     : locate_installation() || !choose_archive(&arguments) ||
                           write_project_files(&arguments);
  if (!status)
    print_build_lines(&arguments, &script);
  script_free(&script);
  file_close(&file);
  return status;
}

static const char *add_library_folder(void *context, const char *value) {
  struct arguments *arguments = context;
  size_t i = 0;
  while (arguments->folders[i])
    i++;
  arguments->folders[i] = value;
  return i < 8 ? NULL : "too many -L";
}

/* Indexed by enum init_heap. */
static const char *const heaps[] = {"ask", "limited", "open", NULL};

#define ROW(option, one_letter, shown, text, ...)                       \
  {                                                                     \
    .name = option, .letter = one_letter, .value = shown, .help = text, \
    __VA_ARGS__                                                         \
  }

static const struct option_row options[] = {
    ROW("target", 0, "TARGET",
        "use the library for this target triple (default: the target of the "
        "only installed library)",
        OPTION(struct arguments, target)),
    ROW("llvm", 0, "N",
        "use the library for LLVM release N, the release of your clang "
        "(default: the release of the only installed library)",
        OPTION(struct arguments, llvm)),
    ROW("ram", 0, "REGION",
        "put the counters into this memory region (default: the region of "
        ".bss)",
        OPTION(struct arguments, plan.ram_name)),
    ROW("rom", 0, "REGION",
        "put the records into this memory region (default: the region of "
        ".text)",
        OPTION(struct arguments, plan.rom_name)),
    ROW("heap", 0, "WAY",
        "say whether _sbrk stops at the end of the heap in the linker script. "
        "limited: _sbrk stops. open: _sbrk does not stop, as in newlib. ask: "
        "report an error if the script does not show whether _sbrk stops "
        "(default)",
        OPTION(struct arguments, plan.heap), .words = heaps),
    ROW("library-path", 'L', "FOLDER",
        "search this folder for INCLUDE files, as the linker does. May be "
        "repeated",
        .parse_value = add_library_folder),
    ROW("output", 'o', "FOLDER",
        "write the files to this folder (default: the current folder)",
        OPTION(struct arguments, out)),
    ROW("force", 0, NULL, "overwrite regions.ld and dump.c if they exist",
        OPTION(struct arguments, force)),
    {0}};

const struct command command_init = {
    .name = "init",
    .summary = "write the linker and C files that send a profile over a UART",
    .usage = "SCRIPT [options]",
    .about =
        "Reads the linker script of your project, for GNU ld or lld, without "
        "changing the script. Writes two files: regions.ld names the memory "
        "regions for counters and records, and moves the heap; dump.c sends "
        "the profile with your function uart_send. Prints the command lines to "
        "compile and to link with lld, GNU ld, gcc and clang.",
    .examples = "bareprof init STM32F103XB_FLASH.ld\n"
                "bareprof init yours.ld --target thumbv6m-none-eabi -o profile",
    RUNS(run_init, options, 1, 1, "one linker script")};
