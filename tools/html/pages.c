/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes all pages. The pages of the sources (page.c) come first,
 * because the index (index.c) shows their results.
 */
#include "site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../coverage/inputs/paths.h"
#include "../coverage/inputs/source.h"
#include "../coverage/mcdc/mcdc.h"

/* ---- marks ----
 *
 * This part collects the marks of all lines. A new kind of mark needs a
 * function here and a word in page.c.
 *
 * File names are compared without "." and ".." components, because only some
 * parts of a report have removed these components.
 */

static void add_line_mark(struct line_marks *marks, const char *name,
                          uint32_t line, uint32_t last, enum mark_kind kind,
                          const char *text) {
  marks->texts.limit = UINT32_MAX;
  char *file = need_copy(&marks->texts, name);
  if (*file == '/')
    paths_tidy(file);
  LIST_ADD(marks->list, marks->count,
           (struct line_mark){file, line, last, kind,
                              text ? need_copy(&marks->texts, text) : NULL});
}

static int compare_line_marks(const void *left, const void *right) {
  const struct line_mark *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (!order)
    order = compare_numbers(a->line, b->line);
  if (!order)
    order = compare_numbers(a->last, b->last);
  if (!order)
    order = compare_numbers(a->kind, b->kind);
  return order || !a->text || !b->text ? order : strcmp(a->text, b->text);
}

const struct line_mark *marks_find_for_file(const struct line_marks *marks,
                                            const char *file, size_t *count) {
  char *name = paths_copy_tidied(file);
  size_t low = search_text(marks->list, marks->count, file, name), end = low;
  while (end < marks->count && !strcmp(marks->list[end].file, name))
    end++;
  *count = end - low;
  free(name);
  return marks->list + low;
}

static void add_unmeasured_marks(struct line_marks *marks,
                                 const struct coverage *coverage) {
  const struct buffer *list = &coverage->unmeasured;
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured_decision *one = &unmeasured_list(list)[i];
    add_line_mark(marks, one->file, one->begin.line, one->begin.line,
                  MARK_UNMEASURED, NULL);
  }
}

static void add_not_known_marks(struct line_marks *marks,
                                const struct coverage *coverage) {
  const struct buffer *list = &coverage->not_known;
  const struct unknown_number *all = (const void *)list->data;
  for (size_t i = 0; i < list->size / sizeof *all; i++)
    /* A line shows only one reason. */
    if (!i || all[i].line != all[i - 1].line)
      add_line_mark(marks, coverage->exported.names[all[i].name], all[i].line,
                    all[i].line, MARK_NOT_KNOWN, cause_texts[all[i].cause]);
}

static void add_differing_marks(struct line_marks *marks,
                                const struct model *exported) {
  const struct llvm_cov_difference *all = (const void *)exported->differs.data;
  char text[24];
  for (size_t i = 0; i < exported->differs.size / sizeof *all; i++) {
    snprintf(text, sizeof text, "%" PRIu64, all[i].count);
    add_line_mark(marks, exported->names[all[i].row], all[i].line, all[i].line,
                  MARK_DIFFERS, text);
  }
}

/* Returns the reason of an exclusion, then the responsible person. */
static const char *format_exclusion_reason(const struct exclusion *exclusion,
                                           char *text, size_t size) {
  const char *reason = *exclusion->reason ? exclusion->reason : "no reason";
  if (!*exclusion->by)
    return reason;
  snprintf(text, size, "%s (%s)", reason, exclusion->by);
  return text;
}

static void add_exclusion_marks(struct line_marks *marks,
                                const struct exclusions *set) {
  static const enum mark_kind kinds[] = {[EXCLUDED_LINES] = MARK_EXCLUDED,
                                         [EXCLUDED_BRANCHES] = MARK_BRANCHES,
                                         [EXCLUDED_DECISION] = MARK_DECISION};
  char text[2000];
  for (size_t i = 0; i < set->source_count; i++) {
    const struct excluded_source *source = &set->sources[i];
    for (size_t k = 0; k < source->range_count; k++) {
      const struct excluded_range *range = &source->ranges[k];
      if (range->kind != EXCLUDED_FUNCTION)
        add_line_mark(marks, source->name, range->first, range->last,
                      kinds[range->kind],
                      format_exclusion_reason(&set->list[range->exclusion],
                                              text, sizeof text));
    }
  }
}

static void add_change_marks(struct line_marks *marks,
                             const struct change_coverage *change) {
  for (size_t i = 0; change && change->names && i < change->diff.count; i++) {
    const struct unified_file *file = &change->diff.files[i];
    for (size_t k = 0; change->names[i] && k < file->span_count; k++)
      add_line_mark(marks, change->names[i], file->spans[k].first,
                    file->spans[k].last, MARK_CHANGED, NULL);
  }
}

/* ---- tests ---- */

enum { NAMES_SHOWN = 3, NAMES_MOST = 300 };

/* Returns a hash of the tests that reached a line, and sets *count to their
 * number. What ran outside of all tests does not count. */
static uint64_t hash_and_count_tests(const struct tests *tests,
                                     const struct test_line *line,
                                     uint32_t *count) {
  uint64_t set = 0;
  *count = 0;
  for (uint32_t i = 0; i < line->test_count; i++) {
    if (!tests->list[line->tests[i]].name)
      continue;
    set = (set ^ (line->tests[i] + UINT64_C(1))) * UINT64_C(0x9E3779B97F4A7C15);
    ++*count;
  }
  return set;
}

static void format_test_names(const struct tests *tests,
                              const struct test_line *line, uint32_t count,
                              char text[NAMES_MOST]) {
  size_t size = 0;
  uint32_t shown = 0;
  for (uint32_t i = 0; i < line->test_count && shown < NAMES_SHOWN; i++) {
    const char *name = tests->list[line->tests[i]].name;
    if (name)
      size += (size_t)snprintf(text + size, NAMES_MOST - size, "%s%.80s",
                               shown++ ? ", " : "", name);
  }
  if (count > NAMES_SHOWN)
    snprintf(text + size, NAMES_MOST - size, " and %u more",
             count - NAMES_SHOWN);
}

/* If the same tests reached several adjacent lines, only the first of these
 * lines has a mark. */
static void add_test_marks(struct line_marks *marks,
                           const struct tests *tests) {
  const struct test_line *last = NULL;
  uint64_t last_set = 0;
  for (size_t i = 0; i < tests->line_count; i++) {
    const struct test_line *line = &tests->lines[i];
    char text[NAMES_MOST];
    uint32_t count;
    uint64_t set = hash_and_count_tests(tests, line, &count);
    if (!line->test_count)
      continue;
    bool again = last && last_set == set && last->file == line->file;
    last = line;
    last_set = set;
    if (!count || again)
      continue;
    format_test_names(tests, line, count, text);
    add_line_mark(marks, line->file, line->line, line->line, MARK_TEST, text);
  }
}

static void collect_line_marks(struct line_marks *marks,
                               const struct output_contents *data) {
  add_unmeasured_marks(marks, data->coverage);
  add_not_known_marks(marks, data->coverage);
  add_differing_marks(marks, &data->coverage->exported);
  add_exclusion_marks(marks, data->coverage->exclusions);
  add_change_marks(marks, data->change);
  if (data->tests)
    add_test_marks(marks, data->tests);
  sort_array(marks->list, marks->count, sizeof *marks->list,
             compare_line_marks);
}

/* ---- names of pages ---- */

enum { PAGE_NAME_MOST = 100 };

/* Returns the name of a source's page, in letters that every file system
 * accepts. The name has a number if another page already has it. The caller
 * frees the name. */
static char *make_page_name(struct map *taken, const char *shown) {
  static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  size_t size = strlen(shown);
  const char *tail =
      size > PAGE_NAME_MOST ? shown + size - PAGE_NAME_MOST : shown;
  char *name = need_memory(malloc(PAGE_NAME_MOST + 40));
  size_t length = 0;
  for (; *tail; tail++) {
    char letter = strchr(harmless, *tail) ? *tail : '_';
    if (letter == '.' && !length)
      letter = '_';
    name[length++] = *tail == '/' ? '-' : letter;
  }
  name[length] = 0;
  uint64_t hash = 0, folded = 0;
  for (size_t i = 0; i < length; i++) { /* Some file systems do not distinguish
                                           capital letters. */
    unsigned char low = (unsigned char)name[i] | 0x20;
    hash = hash * 1099511628211u + low;
    folded = (folded ^ low) * 0x9E3779B97F4A7C15u;
  }
  uint64_t *count = need_memory(map_find_or_add(taken, hash, folded, length));
  if (++*count > 1)
    length +=
        (size_t)sprintf(name + length, "~%llu", (unsigned long long)*count);
  strcpy(name + length, ".html");
  return name;
}

/* ---- the site ---- */

static bool is_source_changed(const struct html_site *site, const char *name) {
  const struct inputs *inputs = site->coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct input_elf *subject = &inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      if (subject->sources[k].state == SOURCE_CHANGED &&
          strcmp(subject->summary.rows[k].name, name) == 0)
        return true;
  }
  return false;
}

void site_list_pages(struct html_site *site) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  struct map taken = {.limit = 1 << 24};
  struct table_layout table;
  bool changes = false;
  site->has_mcdc = summary->total.scores[MCDC].count != 0;
  table_set_layout(&table, &summary, 1, 0);
  site->common = table.folder;
  /* The site itself has pages with these names. */
  free(make_page_name(&taken, "index"));
  free(make_page_name(&taken, "functions"));
  site->pages = need_memory(calloc(summary->count + 1, sizeof *site->pages));
  for (size_t i = 0; i < site->coverage->inputs->count; i++)
    changes |= site->coverage->inputs->subjects[i].changed != 0;
  for (size_t i = 0; i < summary->count; i++) {
    struct source_page *page = &site->pages[i];
    const char *name = summary->rows[i].name;
    page->shown = name + (strlen(name) > site->common ? site->common : 0);
    page->here = paths_local_name(&site->coverage->settings->paths, name);
    page->file = make_page_name(&taken, page->shown);
    page->changed = changes && is_source_changed(site, name);
  }
  map_free(&taken);
}

static void write_source_pages(struct html_site *site) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  const char *first = NULL;
  unsigned missing = 0;
  for (size_t i = 0; i < summary->count; i++) {
    exit_if_failed(site_write_source_page(site, i));
    if (site->pages[i].missing && !summary->rows[i].added && missing++ == 0)
      first = site->pages[i].here;
  }
  coverage_warn_missing_sources(site->coverage, missing, first);
}

void site_begin(struct html_site *site) {
  const struct coverage *coverage = site->coverage;
  view_make(&site->view, &coverage->exported);
  if (!coverage->settings->no_demangle)
    view_demangle(&site->view, coverage->release);
  site_list_pages(site);
}

void site_end(struct html_site *site) {
  for (size_t i = 0; i < site->coverage->exported.summary.count; i++) {
    free(site->pages[i].here);
    free((void *)(uintptr_t)site->pages[i].file);
  }
  free(site->pages);
  free(site->folder);
  view_free(&site->view);
}

void pages_write(const struct output_contents *data) {
  struct line_marks marks = {0};
  struct html_site site = {.coverage = data->coverage, .marks = &marks};
  site.folder = folder_file_path(data->coverage->folder, "html");
  collect_line_marks(&marks, data);
  site_begin(&site);
  if (!os_make_folder(site.folder))
    exit_on_error(site.folder, "the folder cannot be created; check the "
                               "permissions and the disk space");
  write_source_pages(&site);
  site_write_index(&site);
  site_write_assets(&site);
  site_end(&site);
  free(marks.list);
  arena_free(&marks.texts);
}
