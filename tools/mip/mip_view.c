/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Shows a profile, with lines from its ELF, as a table, an LLVM text profile,
 * or an lcov tracefile. Opens the files that mip_view_show_profile gets; cmd/
 * has the commands.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "../base/number.h"
#include "mip_file.h"
#include "mip_view.h"

/* ==== Finds functions by address. The return address of a call may belong to
 * the next function, so the search uses an address inside the call. */

/* ---- functions by address ---- */

/* Maps signed addresses to unsigned numbers in the same order. */
static uint64_t sortable_address(int64_t address) {
  return (uint64_t)address ^ (uint64_t)INT64_MIN;
}

static void build_address_index(struct mip_locator *places) {
  const struct mip_profile *profile = places->profile;
  size_t count = profile->function_count;
  places->by_address =
      need_memory(malloc((count + 1) * sizeof *places->by_address));
  for (size_t i = 0; i < count; i++)
    places->by_address[i] = (struct mip_position){
        sortable_address(profile->functions[i].address), (uint32_t)i};
  qsort(places->by_address, count, sizeof *places->by_address,
        mip_compare_positions);
}

/* Bit 0 of a return address may be set on Thumb, so the function clears this
 * bit first. */
int64_t mip_call_address(int64_t from) {
  return from > INT64_MIN + 2 ? (from & ~INT64_C(1)) - 1 : from;
}

/* Returns the function of the profile that contains a call, or NULL. */
static const struct mip_function *
find_function_of_call(const struct mip_locator *places, int64_t call) {
  size_t i = search_after(places->by_address, places->profile->function_count,
                          at, sortable_address(call));
  if (!i)
    return NULL;
  const struct mip_function *function =
      &places->profile->functions[places->by_address[i - 1].number];
  return (uint64_t)call - (uint64_t)function->address < function->size
             ? function
             : NULL;
}

const struct mip_function *mip_find_caller(const struct mip_locator *places,
                                           int64_t from) {
  return find_function_of_call(places, mip_call_address(from));
}

/* ---- symbols ---- */

static int compare_symbols(const void *left, const void *right) {
  const struct mip_symbol *a = left, *b = right;
  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return strcmp(a->name, b->name);
}

static void list_function_symbols(struct mip_locator *places) {
  const struct elf *elf = &places->elf;
  uint64_t mask = elf->machine == ELF_ARM ? ~UINT64_C(1) : ~UINT64_C(0);
  struct mip_symbol *list =
      need_memory(malloc((size_t)(elf->symbol_count + 1) * sizeof *list));
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    if (symbol.type == ELF_FUNCTION && symbol.section && *symbol.name)
      list[places->symbol_count++] =
          (struct mip_symbol){symbol.value & mask, symbol.size, symbol.name};
  }
  qsort(list, places->symbol_count, sizeof *list, compare_symbols);
  places->symbols = list;
}

const char *mip_caller_name(const struct mip_locator *places, int64_t from) {
  int64_t call = mip_call_address(from);
  const struct mip_function *function = find_function_of_call(places, call);
  if (function || !places->open)
    return function ? function->name : NULL;
  uint64_t address = mip_address(places, call);
  size_t next =
      search_after(places->symbols, places->symbol_count, address, address);
  if (!next)
    return NULL;
  const struct mip_symbol *symbol = &places->symbols[next - 1];
  return address - symbol->address < symbol->size ? symbol->name : NULL;
}

static bool has_function_symbol(const struct mip_locator *places,
                                const struct mip_function *function) {
  const struct mip_symbol key = {mip_address(places, function->address), 0,
                                 function->name};
  return bsearch(&key, places->symbols, places->symbol_count, sizeof key,
                 compare_symbols);
}

/* ---- the build ---- */

static const char *check_map_build(const struct mip_locator *places) {
  struct mip_profile map;
  const char *error = mip_parse_file(&map, places->file.bytes);
  if (!error && mip_check_same_build(places->profile, &map))
    error = "the map of the ELF does not match the profile; pass the ELF of "
            "the profile's build";
  mip_profile_free(&map);
  return error;
}

/* Checks that the profile and the ELF are from one build. Compares the build
 * ids, then the map if the ELF has a map, otherwise the symbols. Returns NULL
 * or the error. */
static const char *check_elf_build(const struct mip_locator *places) {
  struct elf_section section;
  const struct mip_profile *profile = places->profile;
  uint32_t build = mip_build_hash(&places->elf);
  if (profile->build && build && profile->build != build)
    return "the build id does not match the profile; pass the ELF of the "
           "profile's build";
  if (elf_find_section(&places->elf, "__llvm_mipmap", &section) &&
      section.bytes && section.size)
    return check_map_build(places);
  for (size_t i = 0; places->symbol_count && i < profile->function_count; i++)
    if (!has_function_symbol(places, &profile->functions[i]))
      return "the function addresses do not match the profile; pass the ELF of "
             "the profile's build";
  return NULL;
}

static const char *find_raw_base(struct mip_locator *places) {
  struct elf_section section;
  if (elf_find_symbol(&places->elf, "__bareprof_mip_begin", &places->base))
    return NULL;
  if (!elf_find_section(&places->elf, "__llvm_mipraw", &section))
    return "the section __llvm_mipraw is missing; pass the linked ELF of the "
           "profile";
  places->base = section.address;
  return NULL;
}

static const char *open_and_check_elf(struct mip_locator *places) {
  const char *error = elf_open(&places->elf, places->file.bytes);
  if (!error)
    error = find_raw_base(places);
  if (error)
    return error;
  list_function_symbols(places);
  error = check_elf_build(places);
  if (!error)
    error = dwarf_open(&places->dwarf, &places->elf);
  if (!error)
    error = dwarf_lines_read(&places->lines, &places->dwarf);
  return error ? error : dwarf_scopes_read(&places->scopes, &places->dwarf);
}

/* Opens the ELF, which must be from the profile's build. If `name` is NULL,
 * opens nothing. Returns 0, or prints the error and returns 1. The caller calls
 * close_locator in both cases. The profile must live until then. */
static int open_locator(struct mip_locator *places,
                        const struct mip_profile *profile, const char *name) {
  *places = (struct mip_locator){.profile = profile};
  build_address_index(places);
  if (!name)
    return 0;
  if (file_map(&places->file, name, MIP_FILE_LIMIT))
    return 1;
  places->open = true;
  const char *error = open_and_check_elf(places);
  return error ? report(name, "%s", error) : 0;
}

static void close_locator(struct mip_locator *places) {
  if (places->open) {
    dwarf_scopes_free(&places->scopes);
    dwarf_lines_free(&places->lines);
    dwarf_close(&places->dwarf);
    file_close(&places->file);
  }
  free(places->symbols);
  free(places->by_address);
}

/* ---- addresses ---- */

uint64_t mip_address(const struct mip_locator *places, int64_t distance) {
  uint64_t address = places->base + (uint64_t)distance;
  if (places->open && !places->elf.wide)
    address = (uint32_t)address;
  if (places->open && places->elf.machine == ELF_ARM)
    address &= ~UINT64_C(1);
  return address;
}

char *mip_format_address(const struct mip_locator *places, int64_t distance,
                         char text[MIP_ADDRESS_ROOM]) {
  uint64_t size = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;
  if (places->open)
    snprintf(text, MIP_ADDRESS_ROOM, "0x%08" PRIx64,
             mip_address(places, distance));
  else
    snprintf(text, MIP_ADDRESS_ROOM, "raw%c0x%" PRIx64,
             distance < 0 ? '-' : '+', size);
  return text;
}

/* Sets *path and *line from a file's number and a line number. Returns false
 * for a file without a name. */
static bool set_path_and_line(struct mip_locator *places, uint32_t file,
                              uint32_t number, const char **path,
                              unsigned *line) {
  *path = dwarf_lines_path(&places->lines, file);
  *line = number;
  return **path != '\0';
}

bool mip_find_line(struct mip_locator *places, int64_t distance,
                   const char **path, unsigned *line) {
  const struct dwarf_row *row =
      places->open
          ? dwarf_lines_find_row(&places->lines, mip_address(places, distance))
          : NULL;
  return row && row->line &&
         set_path_and_line(places, row->file, row->line, path, line);
}

bool mip_find_function_line(struct mip_locator *places,
                            const struct mip_function *function,
                            const char **path, unsigned *line) {
  struct dwarf_frame frame;
  if (!places->open)
    return false;
  uint64_t begin = mip_address(places, function->address);
  struct dwarf_span span = {begin, begin + function->size};
  if (dwarf_find_function(&places->scopes, &places->lines, span, &frame) &&
      frame.declared &&
      set_path_and_line(places, frame.declared_in, frame.declared, path, line))
    return true;
  const struct dwarf_row *row =
      dwarf_lines_first_row_in_span(&places->lines, span);
  return row && set_path_and_line(places, row->file, row->line, path, line);
}

/* ==== Prints the views. */

static int print_to_output(struct mip_view *view, const char *name,
                           mip_view_print *print, void *context) {
  struct output_file output;
  if (output_open(&output, view->out ? view->out : "-"))
    return 1;
  view->stream = output.stream;
  const char *error = print(view, context);
  return output_commit_or_report(&output, name, error);
}

int mip_view_show_profile(struct mip_view *view, const char *name,
                          mip_view_print *print, void *context) {
  int status = mip_load_profile(&view->profile, name);
  if (!status) {
    status = open_locator(&view->locator, &view->profile, view->elf);
    if (!status)
      status = print_to_output(view, name, print, context);
    close_locator(&view->locator);
  }
  mip_profile_free(&view->profile);
  return status;
}

/* ==== Prints a profile as a table. The table omits columns for data that the
 * profile type lacks. */

/* The state of the table. `edge` is the index of the current function's first
 * edge. */
struct table_printer {
  struct mip_view *view;
  size_t edge;
};

static void print_source_line(struct mip_view *view, const char *path,
                              unsigned line) {
  fputs("  ", view->stream);
  print_printable(view->stream, path);
  fprintf(view->stream, ":%u", line);
}

static void print_source_place(struct mip_view *view, int64_t distance) {
  const char *path;
  unsigned line;
  if (mip_find_line(&view->locator, distance, &path, &line))
    print_source_line(view, path, line);
}

static void print_table_head(const struct mip_view *view) {
  const struct mip_profile *profile = &view->profile;
  if (mip_has_counts(profile))
    fprintf(view->stream, "%12s", "calls");
  fprintf(view->stream, "%6s", "runs");
  if (profile->type & MIP_TIMES)
    fprintf(view->stream, "%9s", "order");
  if (profile->type & MIP_BLOCKS)
    fprintf(view->stream, "%10s", "blocks");
  fprintf(view->stream, "%16s%8s  function\n", "address", "bytes");
}

/* Prints the number of blocks. The entry counts as a block, too. */
static void print_block_count(FILE *stream,
                              const struct mip_function *function) {
  char text[32];
  uint64_t ran = function->runs != 0;
  for (uint32_t i = 0; i < function->block_count; i++)
    ran += function->blocks[i].covered;
  snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, ran,
           (uint64_t)function->block_count + 1);
  fprintf(stream, "%10s", text);
}

static void print_mip_function_row(struct mip_view *view,
                                   const struct mip_function *function) {
  const struct mip_profile *profile = &view->profile;
  char address[MIP_ADDRESS_ROOM];
  const char *path;
  unsigned line;
  FILE *stream = view->stream;
  if (mip_has_counts(profile))
    fprintf(stream, "%12" PRIu64, function->calls);
  fprintf(stream, "%6" PRIu32, function->runs);
  if (profile->type & MIP_TIMES && mip_call_rank(function) > 0)
    fprintf(stream, "%9.1f", mip_call_rank(function));
  else if (profile->type & MIP_TIMES)
    fprintf(stream, "%9s", "-");
  if (profile->type & MIP_BLOCKS)
    print_block_count(stream, function);
  fprintf(stream, "%16s%8" PRIu32 "  ",
          mip_format_address(&view->locator, function->address, address),
          function->size);
  print_printable(stream, function->name);
  if (mip_find_function_line(&view->locator, function, &path, &line))
    print_source_line(view, path, line);
  fputc('\n', stream);
}

static void print_block_rows(struct mip_view *view,
                             const struct mip_function *function) {
  for (uint32_t i = 0; i < function->block_count; i++) {
    const struct mip_block *block = &function->blocks[i];
    fprintf(view->stream, "        block +0x%" PRIx32 "  %s", block->offset,
            block->covered ? "ran" : "did not run");
    print_source_place(view, function->address + block->offset);
    fputc('\n', view->stream);
  }
}

static void print_edge_row(struct mip_view *view, const struct mip_edge *edge) {
  char address[MIP_ADDRESS_ROOM];
  const char *name = mip_caller_name(&view->locator, edge->from);
  fprintf(view->stream, "        %" PRIu64 " from %s", edge->count,
          mip_format_address(&view->locator, edge->from, address));
  if (name) {
    fputs(" in ", view->stream);
    print_printable(view->stream, name);
  }
  print_source_place(view, mip_call_address(edge->from));
  fputc('\n', view->stream);
}

static void print_or_pass_edge_rows(struct table_printer *table,
                                    uint32_t number, bool shown) {
  const struct mip_profile *profile = &table->view->profile;
  for (; table->edge < profile->edge_count &&
         profile->edges[table->edge].callee == number;
       table->edge++)
    if (shown)
      print_edge_row(table->view, &profile->edges[table->edge]);
}

const char *mip_show_table(struct mip_view *view, const char *text) {
  const struct mip_profile *profile = &view->profile;
  struct table_printer table = {view, 0};
  print_table_head(view);
  for (uint32_t i = 0; i < profile->function_count; i++) {
    const struct mip_function *function = &profile->functions[i];
    bool shown = strstr(function->name, text);
    if (shown)
      print_mip_function_row(view, function);
    /* If a function did not run, its blocks did not run, either. */
    if (shown && function->runs && profile->type & MIP_BLOCKS)
      print_block_rows(view, function);
    print_or_pass_edge_rows(&table, i, shown);
  }
  if (profile->type & MIP_SAMPLED)
    fputs("counts of call sites are estimates from samples\n", view->stream);
  if (profile->lost)
    fprintf(view->stream,
            "calls that found no room in the target's table: %" PRIu64 "\n",
            profile->lost);
  return NULL;
}

/* ==== Writes an LLVM text profile with one trace, which has the functions in
 * the order of their first calls. llvm-profdata knows only names that also have
 * a record. So each function has a record with its calls, under the hash 0,
 * which never matches a function of a compiler. */

static void print_proftext_trace(FILE *stream, const struct mip_function **list,
                                 size_t count) {
  const char *before = "";
  for (size_t i = 0; i < count; i++)
    if (name_can_be_unquoted(list[i]->name)) {
      fprintf(stream, "%s%s", before, list[i]->name);
      before = ",";
    }
  fputs("\n\n", stream);
  for (size_t i = 0; i < count; i++)
    if (name_can_be_unquoted(list[i]->name))
      fprintf(stream,
              "%s\n# Hash:\n0\n# Counters:\n1\n# Calls:\n%" PRIu64 "\n\n",
              list[i]->name, list[i]->calls);
}

const char *mip_show_proftext(struct mip_view *view) {
  size_t count;
  const struct mip_function **list;
  const char *error = mip_list_by_call_rank(&view->profile, &list, &count);
  if (!error) {
    fputs("# The order of first calls, of a MIP profile. Hashes are 0: there "
          "is\n# nothing here for clang -fprofile-use.\n"
          ":ir\n:temporal_prof_traces\n"
          "# Traces:\n1\n# Of so many:\n1\n# Weight:\n1\n",
          view->stream);
    print_proftext_trace(view->stream, list, count);
  }
  free(list);
  return error;
}

/* ==== Writes an lcov tracefile. A function's count is its calls or, for
 * coverage, the number of runs that called it. With instrumented blocks, each
 * line gets a count: lines of the entry block get the function's count, and
 * lines of other blocks get 1 or 0, because no counts of these blocks exist.
 * Without instrumented blocks, only the line of the function itself gets a
 * count. */

/* A function or a line in the tracefile. */
struct lcov_item {
  const char *path;
  const char *name; /* name of the function; NULL: the item is a line */
  unsigned line;
  uint64_t count;
};

struct lcov_builder {
  struct mip_view *view;
  struct lcov_item *list;
  size_t count;
};

/* ---- collecting ---- */

static void add_lcov_item(struct lcov_builder *builder, const char *name,
                          const char *path, unsigned line, uint64_t count) {
  if (line && *path)
    LIST_ADD(builder->list, builder->count,
             (struct lcov_item){path, name, line, count});
}

ORDER_BY(compare_blocks, struct mip_block, x->offset);

/* Adds the lines of a function and its blocks, from the line table. */
static void add_lcov_lines(struct lcov_builder *builder,
                           const struct mip_function *function, uint64_t begin,
                           uint64_t end) {
  struct mip_view *view = builder->view;
  size_t left = function->block_count, size = left * sizeof *function->blocks;
  struct mip_block *blocks = need_memory(malloc(size + 1)), *block = blocks;
  uint64_t count = mip_run_count(&view->profile, function);
  const struct dwarf_row *row = dwarf_lines_first_row_in_span(
      &view->locator.lines, (struct dwarf_span){begin, end});
  if (left)
    memcpy(blocks, function->blocks, size);
  qsort(blocks, left, sizeof *blocks, compare_blocks);
  for (; row && row->address < end; row++) {
    if (row->flags & DWARF_END) {
      row = dwarf_lines_find_row(&view->locator.lines, row->address);
      if (!row || row->address >= end || row->flags & DWARF_END)
        break;
    }
    for (; left && begin + block->offset <= row->address; block++, left--)
      count = block->covered;
    /* If several rows have one address, the last one counts. */
    if (row[1].address > row->address)
      add_lcov_item(builder, NULL,
                    dwarf_lines_path(&view->locator.lines, row->file),
                    row->line, count);
  }
  free(blocks);
}

/* Returns the address at which the function ends. The end is not after the
 * beginning of the next function. `i` is the function's index in by_address. */
static uint64_t find_function_end(const struct mip_locator *places, size_t i) {
  const struct mip_profile *profile = places->profile;
  const struct mip_function *function =
      &profile->functions[places->by_address[i].number];
  uint64_t begin = mip_address(places, function->address);
  uint64_t end = begin + function->size;
  if (i + 1 < profile->function_count) {
    uint64_t next = mip_address(
        places, profile->functions[places->by_address[i + 1].number].address);
    if (next > begin && next < end)
      end = next;
  }
  return end;
}

static void add_lcov_function(struct lcov_builder *builder, size_t i) {
  struct mip_locator *places = &builder->view->locator;
  const struct mip_profile *profile = places->profile;
  const struct mip_function *function =
      &profile->functions[places->by_address[i].number];
  uint64_t count = mip_run_count(profile, function);
  const char *path;
  unsigned line;
  if (!mip_find_function_line(places, function, &path, &line))
    return;
  add_lcov_item(builder, function->name, path, line, count);
  add_lcov_item(builder, NULL, path, line, count);
  if (profile->type & MIP_BLOCKS)
    add_lcov_lines(builder, function, mip_address(places, function->address),
                   find_function_end(places, i));
}

/* ---- writing ---- */

/* Compares two items for sorting, by file. In a file, functions come before
 * lines. */
static int compare_lcov_items(const void *left, const void *right) {
  const struct lcov_item *a = left, *b = right;
  int order = a->path == b->path ? 0 : strcmp(a->path, b->path);
  if (order)
    return order;
  if (!a->name != !b->name)
    return a->name ? -1 : 1;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->name ? strcmp(a->name, b->name) : 0;
}

/* Joins equal entries. Adds up the calls of functions, and keeps the largest
 * count of a line. Returns the number of entries that are left. */
static size_t merge_equal_lcov_items(struct lcov_item *list, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (!kept || compare_lcov_items(&list[kept - 1], &list[i])) {
      list[kept++] = list[i];
      continue;
    }
    struct lcov_item *into = &list[kept - 1];
    if (into->name)
      into->count = add_saturated(into->count, list[i].count);
    else if (into->count < list[i].count)
      into->count = list[i].count;
  }
  return kept;
}

static void print_lcov_functions(FILE *stream, const struct lcov_item *list,
                                 size_t count) {
  size_t hit = 0;
  for (size_t i = 0; i < count; i++) {
    fprintf(stream, "FN:%u,", list[i].line);
    print_printable(stream, list[i].name);
    fputc('\n', stream);
  }
  for (size_t i = 0; i < count; i++) {
    fprintf(stream, "FNDA:%" PRIu64 ",", list[i].count);
    print_printable(stream, list[i].name);
    fputc('\n', stream);
    hit += list[i].count != 0;
  }
  fprintf(stream, "FNF:%zu\nFNH:%zu\n", count, hit);
}

static void print_lcov_lines(FILE *stream, const struct lcov_item *list,
                             size_t count) {
  size_t hit = 0;
  for (size_t i = 0; i < count; i++) {
    fprintf(stream, "DA:%u,%" PRIu64 "\n", list[i].line, list[i].count);
    hit += list[i].count != 0;
  }
  fprintf(stream, "LF:%zu\nLH:%zu\n", count, hit);
}

static void print_lcov_files(FILE *stream, const struct lcov_item *list,
                             size_t count) {
  for (size_t i = 0, functions, end; i < count; i = end) {
    for (end = i; end < count && list[end].name; end++)
      if (strcmp(list[end].path, list[i].path))
        break;
    functions = end - i;
    while (end < count && !list[end].name &&
           !strcmp(list[end].path, list[i].path))
      end++;
    fputs("SF:", stream);
    print_printable(stream, list[i].path);
    fputc('\n', stream);
    print_lcov_functions(stream, list + i, functions);
    print_lcov_lines(stream, list + i + functions, end - i - functions);
    fputs("end_of_record\n", stream);
  }
}

const char mip_no_lines[] =
    "the ELF has no line numbers for its functions; compile with -g";

const char *mip_show_lcov(struct mip_view *view) {
  struct lcov_builder builder = {.view = view};
  for (size_t i = 0; i < view->profile.function_count; i++)
    add_lcov_function(&builder, i);
  if (!builder.count)
    return mip_no_lines;
  qsort(builder.list, builder.count, sizeof *builder.list, compare_lcov_items);
  print_lcov_files(view->stream, builder.list,
                   merge_equal_lcov_items(builder.list, builder.count));
  free(builder.list);
  return NULL;
}
