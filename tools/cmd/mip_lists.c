/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip hot and cold: lists for linkers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/number.h"
#include "commands.h"
#include "../base/error.h"
#include "../mip/mip_model.h"
#include "../mip/mip_view.h"

struct arguments {
  struct mip_view view;
  const char *command;
  uint64_t least, bytes;
  bool hot;
  unsigned gnu;
};

/* ---- what is listed ---- */

struct list_item {
  const struct mip_function *function;
  uint64_t count;
};

/* Most calls first; then first called first; then by the map. */
static int compare(const void *left, const void *right) {
  const struct list_item *a = left, *b = right;
  int order = mip_compare_ranks(a->function, b->function);
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  if (order)
    return order;
  return (a->function > b->function) - (a->function < b->function);
}

static int compare_names(const void *left, const void *right) {
  const struct list_item *a = left, *b = right;
  return strcmp(a->function->name, b->function->name);
}

/* A linker treats functions of one name as one function, so all are hot if one
 * is. Returns how many items are left. */
static size_t unite(struct list_item *list, size_t count) {
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

static bool is_listed(const struct list_item *item,
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
  struct list_item *list = malloc((count + 1) * sizeof *list);
  if (!list)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    list[i] = (struct list_item){&profile->functions[i],
                                 mip_count(profile, &profile->functions[i])};
  count = unite(list, count);
  for (size_t i = 0; i < count; i++) {
    if (!name_is_plain(list[i].function->name))
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

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.command = command->name,
                                .least = 1,
                                .bytes = UINT64_MAX,
                                .hot = command == &command_mip_hot};
  int status = options_take(command, argc, argv, &arguments);
  return status >= 0
             ? status
             : mip_view_run(&arguments.view, argv[optind], print, &arguments);
}

static const char *const formats[] = {"lld", "gnu-ld", NULL};

static const struct option_row options[] = {
    {.name = "at-least",
     .value = "N",
     .help = "only functions called N times or more",
     OPTION(struct arguments, least)},
    {.name = "least", .old_of = "at-least"},
    {.name = "bytes",
     .value = "N",
     .help = "only as many functions, from the first, as fit into N bytes",
     OPTION(struct arguments, bytes)},
    {.name = "format",
     .value = "FORMAT",
     .help = "lld: names for --symbol-ordering-file; gnu-ld: sections for an "
             "INCLUDE in a linker script, of code compiled with "
             "-ffunction-sections (default: lld)",
     OPTION(struct arguments, gnu),
     .words = formats},
    MIP_VIEW_OUT,
    {0}};

const struct command command_mip_hot = {
    .name = "mip hot",
    .summary = "list the functions that run most, for a linker",
    .examples = "bareprof mip hot run.mip",
    .usage = "P.mip [options]",
    .about = "Lists the functions that ran, most calls first (coverage "
             "profiles: most runs first), for example for a faster memory.",
    .options = options,
    ONE_FILE("one profile"),
    .run = run};

/* Its options are from the fourth on. */
const struct command command_mip_cold = {
    .name = "mip cold",
    .summary = "list the functions that never ran, for a linker",
    .examples = "bareprof mip cold run.mip",
    .usage = "P.mip [options]",
    .about = "Lists the functions that never ran, for example for a slower "
             "memory, or to compile them for size.",
    .options = options + 3,
    ONE_FILE("one profile"),
    .run = run};
