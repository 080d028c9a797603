/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof init: reads a linker script, and writes what a first dump over a
 * UART needs. Prints the compile and link lines of this installation.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/number.h"
#include "../base/options.h"
#include "../base/os.h"
#include "../base/storage.h"
#include "../init/script.h"
#include "commands.h"

struct arguments {
  const char *target, *llvm, *out;
  const char *folders[9]; /* of -L; the last is NULL */
  struct init_plan plan;
  bool force;
};

/* ---- the installation of this program ---- */

enum { PATH_MOST = PRIVATE_FOLDER };

struct archive {
  char llvm[8], target[64];
};

static struct installation {
  char top[PATH_MOST], scripts[PATH_MOST + 32], headers[PATH_MOST + 32],
      archives[PATH_MOST + 32];
  char out[PATH_MOST]; /* the folder for the files, with a separator */
  bool built;          /* by make lib, in a build tree */
  struct archive *list;
  size_t count;
} at;

static bool add_archive(void *context, const char *folder, bool is_folder) {
  (void)context;
  struct archive archive;
  char path[PATH_MOST + 160];
  const char *target = os_base(folder), *llvm = target - 2;
  while (llvm[-1] != '-')
    llvm--;
  int digits = (int)(target - 1 - llvm);
  snprintf(path, sizeof path, "%s/libbareprof.a", folder);
  if (is_folder && os_exists(path) && digits < 8 && strlen(target) < 64 &&
      list_more(&at.list, at.count, sizeof *at.list)) {
    snprintf(archive.llvm, sizeof archive.llvm, "%.*s", digits, llvm);
    strcpy(archive.target, target);
    at.list[at.count++] = archive;
  }
  return true;
}
static bool add_release(void *context, const char *folder, bool is_folder) {
  (void)context;
  if (is_folder && strncmp(os_base(folder), "llvm-", 5) == 0 &&
      os_base(folder)[5])
    os_list(folder, add_archive, NULL);
  return true;
}
static int by_name(const void *a, const void *b) {
  const struct archive *x = a, *y = b;
  int order = strcmp(x->target, y->target);
  return order ? order : strcmp(x->llvm, y->llvm);
}

/* Cuts the last name off a path. */
static bool cut(char *path) {
  char *name = path + (os_base(path) - path);
  if (name - path < 2)
    return false;
  name[-1] = '\0';
  return true;
}

/* Whether our scripts are in a folder that is called so. */
static bool is_top(const char *scripts, const char *headers) {
  struct os_facts facts;
  snprintf(at.scripts, sizeof at.scripts, "%s/%s/bareprof-insert.ld", at.top,
           scripts);
  snprintf(at.headers, sizeof at.headers, "%s/%s", at.top, headers);
  return os_look(at.scripts, &facts) && cut(at.scripts);
}

/* What make install makes is beside the program's folder; a build folder is in
 * the source tree. */
static int find_installation(void) {
  char tool[] = "bareprof", *in_path = os_find_program(tool),
       *own = os_real_path(os_own_name());
  if (!own && in_path)
    own = os_real_path(in_path);
  snprintf(at.top, sizeof at.top, "%s", own ? own : "");
  free(in_path);
  free(own);
  cut(at.top);
  snprintf(at.archives, sizeof at.archives, "%s", at.top);
  bool installed = strcmp(os_base(at.top), "bin") == 0, found = false;
  for (int depth = 0; depth < 6 && !found && cut(at.top); depth++)
    found = installed ? !depth && is_top("share/bareprof", "include/bareprof")
                      : is_top("linker-scripts", "include");
  at.built = !installed;
  if (!found)
    return report(at.archives, "only the tool is installed here; run make "
                               "install with its PREFIX, INSTALL_TARGETS and "
                               "LLVM, or use `bareprof cc --coverage', which "
                               "needs no library");
  if (!at.built)
    snprintf(at.archives, sizeof at.archives, "%s/lib/bareprof", at.top);
  os_list(at.archives, add_release, NULL);
  if (at.count)
    qsort(at.list, at.count, sizeof *at.list, by_name);
  return 0;
}

/* The archive for these words; NULL: one line has said which there are. */
static const struct archive *choose(const struct arguments *arguments) {
  const struct archive *chosen = NULL;
  bool targets = false, several = false;
  char list[600] = "";
  size_t size = 0;
  for (size_t i = 0; i < at.count; i++) {
    const struct archive *one = &at.list[i];
    if ((arguments->target && strcmp(arguments->target, one->target) != 0) ||
        (arguments->llvm && strcmp(arguments->llvm, one->llvm) != 0))
      continue;
    several |= chosen != NULL;
    targets |= chosen && strcmp(chosen->target, one->target) != 0;
    chosen = one;
  }
  for (size_t i = 0; i < at.count && size < sizeof list; i++)
    if (!several || !targets || !i ||
        strcmp(at.list[i - 1].target, at.list[i].target) != 0)
      size +=
          (size_t)snprintf(list + size, sizeof list - size,
                           several && targets ? "%s %s" : "%s %s of LLVM %s",
                           size ? "," : "", at.list[i].target, at.list[i].llvm);
  if (several)
    report(NULL, "for which %s? Give --%s; there are libraries for%s",
           targets ? "core" : "clang", targets ? "target" : "llvm", list);
  else if (!chosen)
    report(at.archives,
           "no library for %s of LLVM %s; run make %s=%s LLVM=%s%s%s",
           arguments->target ? arguments->target : "any target",
           arguments->llvm ? arguments->llvm : "any",
           at.built ? "lib TARGET" : "install INSTALL_TARGETS",
           arguments->target ? arguments->target : "thumbv7m-none-eabi",
           arguments->llvm ? arguments->llvm : "22",
           at.count ? "; there are" : "", list);
  return several ? NULL : chosen;
}

/* ---- the lines ---- */

static const char *gnu_tools(const char *target) {
  return strncmp(target, "riscv", 5) == 0     ? "riscv64-unknown-elf-"
         : strncmp(target, "aarch64", 7) == 0 ? "aarch64-none-elf-"
                                              : "arm-none-eabi-";
}

/* The line of a linker, or of a compiler that links: `driver`. */
static void print_link(const char *program, bool driver, const char *name,
                       const struct arguments *arguments,
                       const struct archive *archive,
                       const struct script *script) {
  printf("  %s", program);
  printf(driver ? " $LDFLAGS -Wl,--gc-sections,--build-id,-u,bareprof_%s"
                : " --gc-sections --build-id -u bareprof_%s",
         script->has_preinit ? "preinit" : "init");
  for (const char *const *folder = arguments->folders; *folder; folder++)
    printf(driver ? " -Wl,-L,%s" : " -L %s", *folder);
  printf(driver ? " -Wl,-L,%s -Wl,-T,%s,-T,%sregions.ld,-T,bareprof%s-insert.ld"
                : " -L %s -T %s -T %sregions.ld -T bareprof%s-insert.ld",
         at.scripts, name, at.out, script->has_phdrs ? "-phdrs" : "");
  printf(" $OBJECTS dump.o %s/llvm-%s/%s/libbareprof.a $LIBS -o fw.elf\n",
         at.archives, archive->llvm, archive->target);
}

static void print_lines(const struct arguments *arguments,
                        const struct archive *archive,
                        const struct script *script) {
  const char *target = archive->target, *gnu = gnu_tools(target),
             *name = script->files[0]->name,
             *for_lld = script->for_lld ? "lld.ld" : name;
  bool number = digit_of((unsigned char)archive->llvm[0]) < 10;
  char end[10], words[200];
  snprintf(end, sizeof end, "%s%s", number ? "-" : "",
           number ? archive->llvm : "");
  printf("\nCompile the files to measure, but no start-up code:\n"
         "  clang%s --target=%s $CFLAGS -fprofile-instr-generate "
         "-fcoverage-mapping%s -c FILE.c\n"
         "Compile dump.c:\n"
         "  clang%s --target=%s $CFLAGS -I%s -c %sdump.c\n",
         end, target,
         number && atoi(archive->llvm) < 18 ? "" : " -fcoverage-mcdc", end,
         target, at.headers, at.out);
  puts("Call dump_profile() when the tests are done.");
  if (!script->has_preinit)
    puts("Call bareprof_init() in the reset handler, before measured code: the "
         "script has no .preinit_array.");
  if (!arguments->plan.has_heap)
    puts("The script names no heap: one that begins behind .bss must begin at "
         "__bareprof_end.");
  puts("Link with the line of your linker:");
  if (script->for_lld)
    printf("  awk -f %s/for-lld.awk %s >lld.ld\n", at.scripts, name);
  if (script->for_lld && script->for_lld != script->files[0])
    printf("  (for lld, %s needs the same)\n", script->for_lld->name);
  snprintf(words, sizeof words, "ld.lld%s", end);
  print_link(words, false, for_lld, arguments, archive, script);
  snprintf(words, sizeof words, "%sld%s", gnu,
           strncmp(target, "riscv32", 7) ? "" : " -melf32lriscv");
  print_link(words, false, name, arguments, archive, script);
  snprintf(words, sizeof words, "%sgcc", gnu);
  print_link(words, true, name, arguments, archive, script);
  snprintf(words, sizeof words, "clang%s --target=%s -fuse-ld=lld", end,
           target);
  print_link(words, true, for_lld, arguments, archive, script);
  puts("Then: bareprof doctor fw.elf; bareprof run fw.elf --port /dev/ttyACM0");
}

/* ---- the files ---- */

static const char dump[] =
    "#include \"bareprof_wire.h\"\n"
    "\n"
    "extern void uart_send(unsigned char byte); /* yours */\n"
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

static int write_files(const struct arguments *arguments,
                       const struct script *script) {
  static const char *const names[] = {"regions.ld", "dump.c"};
  char paths[2][PATH_MOST + 16];
  struct output output;
  for (int i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s%s", at.out, names[i]);
    if (os_exists(paths[i]) && !arguments->force)
      return report(paths[i], "it is there already; give --force to replace "
                              "it, or -o FOLDER for another place");
  }
  for (int i = 0; i < 2; i++) {
    if (output_open(&output, paths[i]))
      return 1;
    if (i)
      fputs(dump, output.stream);
    else
      init_regions(output.stream, &arguments->plan, script);
    if (output_commit(&output))
      return 1;
  }
  printf("%s: counters in %.*s, records in %.*s\n%s: write uart_send, which it "
         "calls\n",
         paths[0], (int)arguments->plan.ram.size,
         (const char *)arguments->plan.ram.data, (int)arguments->plan.rom.size,
         (const char *)arguments->plan.rom.data, paths[1]);
  return 0;
}

/* ---- the command ---- */

static int init(struct arguments *arguments, struct file *file) {
  static struct script script;
  const struct archive *archive = NULL;
  script.folders = arguments->folders;
  if (arguments->out)
    snprintf(at.out, sizeof at.out, "%s/", arguments->out);
  const char *error = script_read(&script, file);
  if (!error)
    error = init_decide(&arguments->plan, &script);
  int status = error ? report(file->name, "%s", error) : find_installation();
  if (!status)
    status = !(archive = choose(arguments));
  if (!status)
    status = write_files(arguments, &script);
  if (!status)
    print_lines(arguments, archive, &script);
  script_free(&script);
  free(at.list);
  return status;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.target = NULL};
  struct file file;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (file_read(&file, argv[optind], 16 << 20))
    return 1;
  status = init(&arguments, &file);
  file_close(&file);
  return status;
}

static const char *take_folder(void *context, const char *value) {
  struct arguments *arguments = context;
  size_t i = 0;
  while (arguments->folders[i])
    i++;
  arguments->folders[i] = value;
  return i < 8 ? NULL : "there are too many -L";
}

/* By enum init_heap. */
static const char *const heaps[] = {"ask", "limited", "open", NULL};

static const struct option_row options[] = {
    {.name = "target",
     .value = "TARGET",
     .help = "the core, as clang names it (default: the one installed)",
     OPTION(struct arguments, target)},
    {.name = "llvm",
     .value = "N",
     .help = "the release of your clang (default: the one installed)",
     OPTION(struct arguments, llvm)},
    {.name = "ram",
     .value = "REGION",
     .help = "the region for the counters (default: that of .bss)",
     OPTION(struct arguments, plan.ram_name)},
    {.name = "rom",
     .value = "REGION",
     .help = "the region for the records (default: that of .text)",
     OPTION(struct arguments, plan.rom_name)},
    {.name = "heap",
     .value = "WAY",
     .help = "whether _sbrk stops at the script's end of the heap",
     OPTION(struct arguments, plan.heap),
     .words = heaps},
    {.name = "library-path",
     .letter = 'L',
     .value = "FOLDER",
     .help = "search FOLDER for what the script includes; may be repeated",
     .take = take_folder},
    {.name = "output",
     .letter = 'o',
     .value = "FOLDER",
     .help = "write the files there (default: the current folder)",
     OPTION(struct arguments, out)},
    {.name = "force",
     .help = "replace regions.ld and dump.c",
     OPTION(struct arguments, force)},
    {0}};

const struct command command_init = {
    .name = "init",
    .summary = "write what a linker script needs for a profile over a UART",
    .usage = "SCRIPT [options]",
    .about =
        "Reads a linker script of GNU ld or lld, which stays as it is. Writes "
        "regions.ld, which names the regions for counters and records and "
        "moves the heap, and dump.c, which sends the profile by your function "
        "uart_send. Prints the lines to compile and link with: for lld, GNU "
        "ld, gcc and clang, with the paths of this installation.",
    .options = options,
    .examples = "bareprof init STM32F103XB_FLASH.ld\n"
                "bareprof init yours.ld --target thumbv6m-none-eabi -o profile",
    ONE_FILE("one linker script"),
    .run = run};
