/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip hot and cold: lists for linkers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "rank.h"
#include "view.h"

#define LISTS_HELP                                                       \
  "      --format=FORMAT  lld: names, for --symbol-ordering-file (as "   \
  "without);\n"                                                          \
  "                       gnu-ld: sections, for an INCLUDE in a linker " \
  "script\n"                                                             \
  "                       (compile with -ffunction-sections)\n"          \
  "  -o, --output OUT     where to; standard output without\n"

static const char hot_help[] =
    "usage: bareprof mip hot P.mip [options]\n"
    "\n"
    "Lists the functions that ran, those called most first (of coverage: in\n"
    "most runs), for example for a faster memory.\n"
    "\n"
    "      --least=N        only those called N times or more\n"
    "      --bytes=N        as many of them, from the first on, as fit N "
    "bytes\n" LISTS_HELP;

static const char cold_help[] =
    "usage: bareprof mip cold P.mip [options]\n"
    "\n"
    "Lists the functions that never ran, for example for a slower memory, or\n"
    "to be compiled for size.\n"
    "\n" LISTS_HELP;

struct arguments {
  struct mip_view view;
  const char *command;
  uint64_t least, bytes;
  bool hot, gnu;
};

/* ---- what is listed ---- */

struct item {
  const struct mip_function *function;
  uint64_t count;
};

/* Most calls first; then first called first; then by the map. */
static int compare(const void *left, const void *right) {
  const struct item *a = left, *b = right;
  int order = mip_compare_ranks(a->function, b->function);
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  if (order)
    return order;
  return (a->function > b->function) - (a->function < b->function);
}

static int compare_names(const void *left, const void *right) {
  const struct item *a = left, *b = right;
  return strcmp(a->function->name, b->function->name);
}

/* Functions of one name are one to a linker: they are hot if one of them is.
 * Returns how many are left. */
static size_t unite(struct item *list, size_t count) {
  size_t kept = 0;
  qsort(list, count, sizeof *list, compare_names);
  for (size_t i = 0; i < count; i++)
    if (!kept || compare_names(&list[kept - 1], &list[i]))
      list[kept++] = list[i];
    else if (list[kept - 1].count < list[i].count)
      list[kept - 1] = list[i];
  qsort(list, kept, sizeof *list, compare);
  return kept;
}

static bool is_listed(const struct item *item,
                      const struct arguments *arguments, uint64_t *left) {
  if (!arguments->hot)
    return item->count == 0;
  if (item->count == 0 || item->count < arguments->least ||
      item->function->size > *left)
    return false;
  *left -= item->function->size;
  return true;
}

static void put(FILE *stream, const char *name, bool gnu) {
  if (gnu)
    fprintf(stream,
            "*(.text.%s .text.hot.%s .text.unlikely.%s .text.startup.%s)\n",
            name, name, name, name);
  else
    fprintf(stream, "%s\n", name);
}

static const char *print(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  const struct mip_profile *profile = &view->profile;
  size_t count = profile->function_count, left_out = 0;
  uint64_t left = arguments->bytes;
  struct item *list = malloc((count + 1) * sizeof *list);
  if (!list)
    return "not enough memory; free some";
  for (size_t i = 0; i < count; i++)
    list[i] = (struct item){&profile->functions[i],
                            mip_count(profile, &profile->functions[i])};
  count = unite(list, count);
  for (size_t i = 0; i < count; i++) {
    if (!mip_is_plain(list[i].function->name))
      left_out++;
    else if (is_listed(&list[i], arguments, &left))
      put(view->stream, list[i].function->name, arguments->gnu);
  }
  free(list);
  if (left_out)
    fprintf(stderr,
            "bareprof: %s: %zu functions are left out, whose names a linker's "
            "list cannot have\n",
            arguments->command, left_out);
  return NULL;
}

/* ---- the commands ---- */

static bool take_number(uint64_t *number) {
  char *end;
  *number = strtoull(optarg, &end, 0);
  return *optarg >= '0' && *optarg <= '9' && !*end;
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  const char *command = arguments->command;
  switch (option) {
  case 'o':
    arguments->view.out = optarg;
    return 0;
  case 'f':
    arguments->gnu = !strcmp(optarg, "gnu-ld");
    return arguments->gnu || !strcmp(optarg, "lld")
               ? 0
               : options_wrong(command, "--format is lld or gnu-ld");
  case 'l':
    return take_number(&arguments->least)
               ? 0
               : options_wrong(command, "--least is a number");
  case 'b':
    return take_number(&arguments->bytes)
               ? 0
               : options_wrong(command, "--bytes is a number");
  default:
    return options_unknown(command);
  }
}

static int run(struct arguments *arguments, const struct options *options,
               int argc, char **argv) {
  int status = options_take(options, argc, argv, arguments);
  return status >= 0 ? status
                     : mip_view_run(&arguments->view, arguments->command,
                                    argv + optind, print, arguments);
}

/* Those of cold are from the third on. */
static const struct option hot_list[] = {
    {"least", required_argument, NULL, 'l'},
    {"bytes", required_argument, NULL, 'b'},
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

int mip_hot(int argc, char **argv) {
  static const struct options options = {"mip hot", hot_help, "o:h", hot_list,
                                         take};
  struct arguments arguments = {
      .command = "mip hot", .least = 1, .bytes = UINT64_MAX, .hot = true};
  return run(&arguments, &options, argc, argv);
}

int mip_cold(int argc, char **argv) {
  static const struct options options = {"mip cold", cold_help, "o:h",
                                         hot_list + 2, take};
  struct arguments arguments = {.command = "mip cold"};
  return run(&arguments, &options, argc, argv);
}
