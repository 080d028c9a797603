/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements bareprof mip info, which describes a profile, a map or data from a
 * target, and bareprof mip hot and cold, which list functions for a linker.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "../base/number.h"
#include "../base/options.h"
#include "../mip/mip_file.h"
#include "../mip/mip_model.h"
#include "../mip/mip_view.h"
#include "commands.h"

static const char *const kinds[MIP_KINDS] = {
    [MIP_RAW] = "raw section",
    [MIP_MAP] = "map",
    [MIP_PROFILE] = "profile",
    [MIP_EDGES] = "edges",
};

static void print_profile_type(uint32_t type) {
  static const char *const names[] = {
      "function coverage", "block coverage",   "times of first calls",
      "call counts",       "return addresses", "samples of calls"};
  const char *before = "";
  printf("  type:       ");
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (type >> i & 1) {
      printf("%s%s", before, names[i]);
      before = ", ";
    }
  printf(type ? "\n" : "nothing\n");
}

static void print_mip_header(const struct mip_header *header) {
  printf("%s, revision %s%s, version %u\n", kinds[header->kind],
         header->revision == MIP_A ? "A" : "B",
         header->revision == MIP_A ? ""
         : header->wide            ? " of 64 bits"
                                   : " of 32 bits",
         header->version);
  print_profile_type(header->type);
  printf("  hash:       0x%08" PRIx32 "%s\n", header->hash,
         header->hash ? "" : ", which tells no builds apart");
  if (header->build)
    printf("  build:      0x%08" PRIx32 "\n", header->build);
}

/* ---- profiles and maps ---- */

struct mip_profile_sums {
  uint64_t ran, blocks, blocks_ran, without_signature;
};

static struct mip_profile_sums
sum_runs_and_blocks(const struct mip_profile *profile) {
  struct mip_profile_sums sums = {0};
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct mip_function *function = &profile->functions[i];
    sums.ran += function->runs != 0;
    sums.blocks += function->block_count;
    for (uint32_t k = 0; k < function->block_count; k++)
      sums.blocks_ran += function->blocks[k].covered;
    sums.without_signature += !function->cfg;
  }
  return sums;
}

static void print_profile_sums(const struct mip_profile *profile) {
  struct mip_profile_sums sums = sum_runs_and_blocks(profile);
  size_t count = profile->function_count;
  printf("  functions:  %zu, of which %" PRIu64 " ran\n", count, sums.ran);
  printf("  blocks:     %" PRIu64 " after the entries, of which %" PRIu64
         " ran\n",
         sums.blocks, sums.blocks_ran);
  printf("  signatures: %" PRIu64 " of %zu functions",
         (uint64_t)count - sums.without_signature, count);
  if (sums.without_signature)
    printf("; the others have one block, or were patched");
  printf("\n  edges:      %zu; calls that found no room: %" PRIu64 "\n",
         profile->edge_count, profile->lost);
}

static const char *print_profile_file(struct bytes file) {
  struct mip_profile profile;
  const char *error = mip_parse_file(&profile, file);
  if (!error) {
    bool elf = file.data[0] == 0x7F;
    struct mip_header header =
        mip_header_from_profile(&profile, elf ? MIP_MAP : MIP_PROFILE);
    if (!elf)
      mip_header_parse(&header, file);
    print_mip_header(&header);
    print_profile_sums(&profile);
  }
  mip_profile_free(&profile);
  return error;
}

/* ---- data from targets ---- */

/* Finds the next header, because the size of a part is unknown without the map.
 * Returns the offset of the next valid header, or the file's size. */
static size_t find_next_header(struct bytes file, size_t from) {
  struct mip_header header;
  const unsigned char *end = file.data + file.size;
  const unsigned char *at = file.data + from;
  while (at != end && (at = memchr(at, 0xFB, (size_t)(end - at)))) {
    if (!mip_header_parse(&header, (struct bytes){at, (size_t)(end - at)}))
      return (size_t)(at - file.data);
    at++;
  }
  return file.size;
}

static const char *print_part_headers(struct bytes file) {
  for (size_t at = 0, next; at < file.size; at = next) {
    struct bytes rest = {file.data + at, file.size - at};
    struct mip_header header;
    const char *error = mip_header_parse(&header, rest);
    if (error)
      return error;
    size_t size = mip_header_size(header.revision);
    next = find_next_header(file, at + size);
    print_mip_header(&header);
    printf("  bytes:      %zu\n", next - at);
    if (header.kind == MIP_EDGES && rest.size >= size + 8)
      printf("  edges:      %" PRIu32 "; calls that found no room: %" PRIu32
             "\n",
             load32(rest.data + size, header.big),
             load32(rest.data + size + 4, header.big));
  }
  return NULL;
}

static int run_mip_info(const struct command *command, int argc, char **argv) {
  struct mip_header header;
  struct file file;
  char **files = options_parse(command, argc, argv, NULL);
  exit_if_failed(file_map(&file, *files, MIP_FILE_LIMIT));
  bool sent = !mip_header_parse(&header, file.bytes) &&
              (header.kind == MIP_RAW || header.kind == MIP_EDGES);
  const char *error =
      sent ? print_part_headers(file.bytes) : print_profile_file(file.bytes);
  exit_on_error(*files, error);
  file_close(&file);
  return 0;
}

const struct command command_mip_info = {
    .name = "mip info",
    .summary = "show whether a file is a profile, a map or data of a target",
    .examples = "bareprof mip info run.mip",
    .usage = "FILE",
    .about = "Shows what kind of file FILE is: a profile, a map, an ELF with a "
             "map, or data that a target sent.",
    RUNS(run_mip_info, NULL, 1, 1, "one file")};

/* ---- hot and cold ---- */

struct arguments {
  struct mip_view view;
  const char *command;
  uint64_t least, bytes;
  bool hot;
  unsigned gnu;
};

/* ---- the lists ---- */

struct function_call_count {
  const struct mip_function *function;
  uint64_t count, size; /* size: of all functions with this name, in bytes */
};

/* Puts the functions with the most calls first. If these are equal, orders by
 * first call, and then by position in the map. */
static int compare_call_counts(const void *left, const void *right) {
  const struct function_call_count *a = left, *b = right;
  int order = mip_compare_ranks(a->function, b->function);
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  if (order)
    return order;
  return (a->function > b->function) - (a->function < b->function);
}

static int compare_function_names(const void *left, const void *right) {
  const struct function_call_count *a = left, *b = right;
  return strcmp(a->function->name, b->function->name);
}

/* Merges functions with the same name. A linker treats all of them alike, so
 * they count as hot if one of them is hot. Returns how many items are left. */
static size_t merge_same_names(struct function_call_count *list, size_t count) {
  size_t kept = 0;
  qsort(list, count, sizeof *list, compare_function_names);
  for (size_t i = 0; i < count; i++) {
    uint64_t size = list[i].size;
    if (!kept || compare_function_names(&list[kept - 1], &list[i]))
      list[kept++] = list[i];
    else
      size += list[kept - 1].size;
    if (list[kept - 1].count < list[i].count)
      list[kept - 1] = list[i];
    list[kept - 1].size = size;
  }
  qsort(list, kept, sizeof *list, compare_call_counts);
  return kept;
}

/* Returns whether the list contains a function. For `mip hot`, deducts the size
 * of the function from *left, the bytes that remain. */
static bool deduct_function_if_listed(const struct function_call_count *item,
                                      const struct arguments *arguments,
                                      uint64_t *left) {
  if (!arguments->hot)
    return item->count == 0;
  if (item->count == 0 || item->count < arguments->least || item->size > *left)
    return false;
  *left -= item->size;
  return true;
}

static void print_linker_list_line(FILE *stream, const char *name, bool gnu) {
  if (gnu)
    fprintf(stream,
            "*(.text.%s .text.hot.%s .text.unlikely.%s .text.startup.%s)\n",
            name, name, name, name);
  else
    fprintf(stream, "%s\n", name);
}

static const char *print_function_list(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  const struct mip_profile *profile = &view->profile;
  size_t count = profile->function_count, left_out = 0;
  uint64_t left = arguments->bytes;
  struct function_call_count *list =
      need_memory(malloc((count + 1) * sizeof *list));
  for (size_t i = 0; i < count; i++)
    list[i] = (struct function_call_count){
        &profile->functions[i], mip_run_count(profile, &profile->functions[i]),
        profile->functions[i].size};
  count = merge_same_names(list, count);
  for (size_t i = 0; i < count; i++) {
    uint64_t before = left;
    if (!deduct_function_if_listed(&list[i], arguments, &left))
      continue;
    if (name_can_be_unquoted(list[i].function->name)) {
      print_linker_list_line(view->stream, list[i].function->name,
                             arguments->gnu);
    } else {
      left = before;
      left_out++;
    }
  }
  free(list);
  if (left_out)
    warn(arguments->command,
         "functions left out, because a linker's list cannot hold their names: "
         "%zu",
         left_out);
  return NULL;
}

/* ---- the commands ---- */

static int run_mip_list(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.command = command->name,
                                .least = 1,
                                .bytes = UINT64_MAX,
                                .hot = command == &command_mip_hot};
  char **files = options_parse(command, argc, argv, &arguments);
  return mip_view_show_profile(&arguments.view, *files, print_function_list,
                               &arguments);
}

static const char *const formats[] = {"lld", "gnu-ld", NULL};

static const struct option_row options[] = {
    {"at-least", 0, "N",
     "list only functions that were called at least N times",
     OPTION(struct arguments, least)},
    {"bytes", 0, "N",
     "list only the first functions that together fit into N bytes",
     OPTION(struct arguments, bytes)},
    {"format", 0, "FORMAT",
     "write the list in this format: lld (names for --symbol-ordering-file, "
     "the default), or gnu-ld (sections for an INCLUDE in a linker script; "
     "compile with -ffunction-sections)",
     OPTION(struct arguments, gnu), .words = formats},
    MIP_VIEW_OUT,
    {0}};

const struct command command_mip_hot = {
    .name = "mip hot",
    .summary = "list the functions that ran most often, for a linker",
    .examples = "bareprof mip hot run.mip",
    .usage = "P.mip [options]",
    .about = "Lists the functions that ran, most calls first, for example to "
             "place these functions in faster memory. A profile of coverage "
             "has no calls: functions that ran in most inputs are first.",
    RUNS(run_mip_list, options, 1, 1, "one profile")};

/* The first two options are only for hot, so cold begins with the third one. */
const struct command command_mip_cold = {
    .name = "mip cold",
    .summary = "list the functions that never ran, for a linker",
    .examples = "bareprof mip cold run.mip",
    .usage = "P.mip [options]",
    .about = "Lists the functions that never ran, for example to place these "
             "functions in slower memory, or to compile them for size.",
    RUNS(run_mip_list, options + 2, 1, 1, "one profile")};
