/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof init: reads the project's linker script (init/linker_script.h) and
 * writes the linker fragment and C file for a first dump over a UART. Also
 * prints the compile and link lines for this installation.
 */
#include "../base/catch.h"
#include "../base/file.h"
#include "../base/need.h"
#include "../base/options.h"
#include "../base/os.h"
#include "../base/text_part.h"
#include "../init/linker_script.h"
#include "commands.h"

static struct arguments {
  const char *target, *llvm, *out;
  struct ld_script script;
  bool force;
} given = {.out = ""};

/* Returns a text, formatted as by printf. The texts exist until the program
 * ends. */
#define TEXT(...) need_formatted_text(&given.script.texts, __VA_ARGS__)

/* ---- the installation of this program ---- */

static struct tool_installation {
  const char *prefix;
  const char *list;    /* the libraries: llvm-N/TARGET */
  const char *library; /* the last library that fits --target and --llvm */
  size_t fitting;      /* the number of libraries that fit */
} installed = {.list = ""};

/* Adds the libraries of a folder: a folder llvm-N contains a folder for each
 * target. `archives` is the path that contains all folders llvm-N. */
static bool add_library(void *archives, const char *folder, bool is_folder) {
  const char *name = TEXT("%s", folder + strlen(archives) + 1);
  const char *target = os_base_name(name);
  if (!is_folder || !text_starts_with(name, "llvm-"))
    return true;
  if (target == name)
    os_list_folder(folder, add_library, archives);
  else if (os_exists(TEXT("%s/libbareprof.a", folder))) {
    installed.list =
        TEXT("%s%s %s", installed.list, *installed.list ? "," : "", name);
    if ((!given.target || strcmp(given.target, target) == 0) &&
        (!given.llvm || text_starts_with(name, TEXT("llvm-%s/", given.llvm)))) {
      installed.library = name;
      installed.fitting++;
    }
  }
  return true;
}

/* Returns a path for a command line: in quotes if a shell would split or change
 * the path. */
static const char *quote_path(const char *folder, const char *name) {
  const char *path = TEXT("%s%s", folder, name), *quoted = "\"";
  if (!strpbrk(path, " '\"$`&;()"))
    return path;
  for (; *path; path++)
    quoted = TEXT("%s%s%c", quoted, strchr("\"$`", *path) ? "\\" : "", *path);
  return TEXT("%s\"", quoted);
}

/* Finds the scripts and libraries in the PREFIX whose bin/ has this program.
 * Ends the program unless exactly one library fits --target and --llvm. */
static void locate_installation(void) {
  char *folder = need_memory(os_real_path(os_program_path()));
  folder[os_base_name(folder) - folder - 1] = '\0';
  installed.prefix =
      TEXT("%.*s", (int)(os_base_name(folder) - folder) - 1, folder);
  if (!os_exists(
          TEXT("%s/share/bareprof/bareprof-insert.ld", installed.prefix)))
    exit_on_error(folder,
                  "this installation has no target libraries; run make install "
                  "with its PREFIX, INSTALL_TARGETS and LLVM, or use `bareprof "
                  "cc --coverage`, which needs no library");
  char *archives = TEXT("%s/lib/bareprof", installed.prefix);
  os_list_folder(archives, add_library, archives);
  const char *target = given.target, *llvm = given.llvm;
  if (installed.fitting > 1)
    exit_on_error(NULL, TEXT("several libraries are installed; choose one with "
                             "--llvm and --target; installed are%s",
                             installed.list));
  if (!installed.fitting)
    exit_on_error(
        archives,
        TEXT("the library for %s and %s is missing; run make install PREFIX=%s "
             "INSTALL_TARGETS=%s LLVM=%s%s%s",
             target ? target : "any target",
             llvm ? TEXT("LLVM %s", llvm) : "any LLVM",
             quote_path(installed.prefix, ""),
             target ? target : "thumbv7m-none-eabi", llvm ? llvm : "22",
             *installed.list ? "; there are" : "", installed.list));
}

/* ---- the compile and link lines ---- */

static const char steps[] =
    "\nCompile the files to measure, but no start-up code:\n"
    "  %s $CFLAGS -fprofile-instr-generate -fcoverage-mapping%s -c FILE.c\n"
    "Compile dump.c, without -nostdinc:\n"
    "  %s $CFLAGS -I%s -c %s\n"
    "Do interrupts, tasks or other cores run measured code? Add "
    "-fprofile-update=atomic to the first line.\n"
    "Call dump_profile() when the tests are done.\n"
    "%s%sLink with the line of your linker:\n%s"
    "  ld.lld-%d --gc-sections --build-id %s\n"
    "  %sld%s --gc-sections --build-id %s\n"
    "  %sgcc $LDFLAGS -Wl,--gc-sections,--build-id %s\n"
    "  %s%s -fuse-ld=lld $LDFLAGS -Wl,--gc-sections,--build-id %s\n"
    "Set $LDFLAGS to your linker flags, and $LIBS to your libraries. Remove "
    "-T SCRIPT\nfrom your flags, because the line has your script already. If "
    "your flags leave\nout the C library (-nostdlib), add -lc to $LIBS, or add "
    "a file that defines memcpy,\nmemset, memmove and memcmp.\nThen run: "
    "bareprof doctor fw.elf; bareprof run fw.elf --port /dev/ttyACM0\n";
static const char call_init[] =
    "Call bareprof_init() in the reset handler, before measured code: the "
    "script has no .preinit_array.\n";
static const char place_heap[] =
    "The script names no heap: if the heap begins after .bss, it must begin at "
    "__bareprof_end.\n";

/* Prints the remaining steps: lines that compile and link, and the calls. */
static void print_steps(const char *name) {
  const struct ld_script *script = &given.script;
  const char *target = os_base_name(installed.library);
  const char *gnu = text_starts_with(target, "riscv") ? "riscv64-unknown-elf-"
                    : text_starts_with(target, "aarch64") ? "aarch64-none-elf-"
                                                          : "arm-none-eabi-";
  int llvm = atoi(installed.library + strlen("llvm-"));
  const char *clang = TEXT("clang-%d --target=%s", llvm, target);
  /* Start-up code calls bareprof_init through .preinit_array. */
  bool walked = script->facts & FACT_PREINIT;
  const char *flags = walked ? "-u bareprof_preinit" : "-u bareprof_init";
  for (size_t i = 0; i < script->folder_count; i++)
    flags = TEXT("%s -L %s", flags, quote_path(script->folders[i], ""));
  flags = TEXT("%s -L %s -T", flags,
               quote_path(installed.prefix, "/share/bareprof"));
  const char *rest =
      TEXT("-T %s -T bareprof%s-insert.ld $OBJECTS dump.o %s $LIBS -o fw.elf",
           quote_path(given.out, "regions.ld"),
           script->facts & FACT_PHDRS ? "-phdrs" : "",
           quote_path(
               installed.prefix,
               TEXT("/lib/bareprof/%s/libbareprof.a", installed.library)));
  const char *for_gnu = TEXT("%s %s %s", flags, name, rest);
  const char *for_lld = for_gnu, *convert = "";
  if (script->facts & FACT_GNU) {
    for_lld = TEXT("%s lld.ld %s", flags, rest);
    convert =
        TEXT("  awk -f %s %s >lld.ld\n"
             "  (for lld, convert each file that the script includes, too)\n",
             quote_path(installed.prefix, "/share/bareprof/for-lld.awk"), name);
  }
  /* clang 21 merges counters of inlined functions, whose records are lost. */
  const char *more = llvm < 18    ? ""
                     : llvm == 21 ? " -fcoverage-mcdc -mllvm "
                                    "-enable-global-merge=false"
                                  : " -fcoverage-mcdc";
  printf(steps, clang, more, clang,
         quote_path(installed.prefix, "/include/bareprof"),
         quote_path(given.out, "dump.c"), walked ? "" : call_init,
         script->names_heap ? "" : place_heap, convert, llvm, for_lld, gnu,
         text_starts_with(target, "riscv32") ? " -melf32lriscv" : "", for_gnu,
         gnu, for_gnu, clang, llvm < 23 ? "" : " -noprofilelib", for_lld);
}

/* ---- the files ---- */

/* The lines of dump.c, from README. rules.mk makes the file that is included
 * here. */
static const char dump[] =
#include "dump.inc"
    ;

static void write_project_files(void) {
  const struct ld_script *script = &given.script;
  const char *const paths[] = {TEXT("%sregions.ld", given.out),
                               TEXT("%sdump.c", given.out)};
  for (int i = 0; i < 2; i++)
    if (os_exists(paths[i]) && !given.force)
      exit_on_error(paths[i],
                    "the file exists already; use --force to replace it, or -o "
                    "FOLDER for another folder");
  for (int i = 0; i < 2; i++)
    exit_if_failed(
        output_write_bytes(paths[i], bytes_of_text(i ? dump : script->lines)));
  printf("%s: counters in %s, records in %s\n"
         "%s: write the function uart_send, which this file calls\n",
         paths[0], script->ram->name, script->rom->name, paths[1]);
}

/* ---- the command ---- */

static int run_init(const struct command *command, int argc, char **argv) {
  struct file file;
  char **files = options_parse(command, argc, argv, &given);
  exit_if_failed(file_read(&file, *files, SCRIPT_LIMIT));
  given.script.text = file.bytes;
  exit_on_error(file.name, catch_error(script_parse_and_plan, &given.script));
  if (*given.out)
    given.out = TEXT("%s/", given.out);
  locate_installation();
  write_project_files();
  print_steps(quote_path(file.name, ""));
  return 0;
}

/* Indexed by enum init_heap. */
static const char *const heaps[] = {"ask", "limited", "open", NULL};

static const struct option_row options[] = {
    {"target", 0, "TARGET",
     "use the library for this target triple (default: the target of the only "
     "installed library)",
     OPTION(struct arguments, target)},
    {"llvm", 0, "N",
     "use the library for LLVM release N, the release of your clang (default: "
     "the release of the only installed library)",
     OPTION(struct arguments, llvm)},
    {"ram", 0, "REGION",
     "put the counters into this memory region (default: the region of .bss)",
     OPTION(struct arguments, script.ram_name)},
    {"rom", 0, "REGION",
     "put the records into this memory region (default: the region of .text)",
     OPTION(struct arguments, script.rom_name)},
    {"heap", 0, "WAY",
     "say whether _sbrk stops at the end of the heap in the linker script. "
     "limited: _sbrk stops. open: _sbrk does not stop, as in newlib. ask: "
     "report an error if the script does not show whether _sbrk stops "
     "(default)",
     OPTION(struct arguments, script.heap), .words = heaps},
    {"library-path", 'L', "FOLDER",
     "search this folder for INCLUDE files, as the linker does. May be "
     "repeated",
     OPTION_TO_LIST(struct arguments, script.folders, script.folder_count)},
    {"output", 'o', "FOLDER",
     "write the files to this folder (default: the current folder)",
     OPTION(struct arguments, out)},
    {"force", 0, NULL, "overwrite regions.ld and dump.c if they exist",
     OPTION(struct arguments, force)},
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
