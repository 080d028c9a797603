/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * First the pages of the sources, as they find what the index tells.
 */
#include "site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/map.h"
#include "../base/os.h"
#include "../coverage/inputs/source.h"
#include "../coverage/inputs/paths.h"
#include "../coverage/out/checks.h"

enum { PAGE_NAME_MOST = 100 };

/* ---- names of pages ---- */

/* The name of a source in harmless letters, and a number if that is taken. */
static char *page_name(struct map *taken, const char *shown) {
  static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  size_t size = strlen(shown);
  const char *tail =
      size > PAGE_NAME_MOST ? shown + size - PAGE_NAME_MOST : shown;
  char *name = malloc(PAGE_NAME_MOST + 40);
  if (!name)
    return NULL;
  size_t length = 0;
  for (; *tail; tail++) {
    char letter = strchr(harmless, *tail) ? *tail : '_';
    if (letter == '.' && !length)
      letter = '_';
    name[length++] = *tail == '/' ? '-' : letter;
  }
  name[length] = 0;
  uint64_t hash = 0, folded = 0;
  for (size_t i = 0; i < length; i++) { /* Some file systems fold case. */
    unsigned char low = (unsigned char)name[i] | 0x20;
    hash = hash * 1099511628211u + low;
    folded = (folded ^ low) * 0x9E3779B97F4A7C15u;
  }
  uint64_t *count = map_at(taken, hash, folded, length);
  if (!count) {
    free(name);
    return NULL;
  }
  if (++*count > 1)
    length +=
        (size_t)sprintf(name + length, "~%llu", (unsigned long long)*count);
  strcpy(name + length, ".html");
  return name;
}

/* ---- the site ---- */

static bool is_changed(const struct html_site *site, const char *name) {
  const struct inputs *inputs = site->coverage->inputs;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    for (size_t k = 0; k < subject->summary.count; k++)
      if (subject->sources[k].state == SOURCE_CHANGED &&
          strcmp(subject->summary.rows[k].name, name) == 0)
        return true;
  }
  return false;
}

static int name_pages(struct html_site *site) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  struct map taken = {.limit = 1 << 24};
  struct column_table table;
  bool changes = false, failed = false;
  table_begin(&table, &summary, 1, 0);
  site->common = table.folder;
  site->pages = calloc(summary->count + 1, sizeof *site->pages);
  for (size_t i = 0; i < site->coverage->inputs->count; i++)
    changes |= site->coverage->inputs->subjects[i].changed != 0;
  for (size_t i = 0; site->pages && i < summary->count && !failed; i++) {
    struct site_page *page = &site->pages[i];
    const char *name = summary->rows[i].name;
    page->shown = name + (strlen(name) > site->common ? site->common : 0);
    page->here = paths_name(&site->coverage->settings->paths, name);
    page->file = page_name(&taken, page->shown);
    page->changed = changes && is_changed(site, name);
    failed = !page->here || !page->file;
  }
  map_free(&taken);
  return failed || !site->pages ? report_memory(NULL) : 0;
}

static int write_sources(struct html_site *site) {
  const struct scores_summary *summary = &site->coverage->exported.summary;
  const char *first = NULL;
  unsigned missing = 0;
  for (size_t i = 0; i < summary->count; i++) {
    if (row_empty(&summary->rows[i]) && !site->view.lines[i].count)
      continue;
    if (site_source(site, i))
      return 1;
    if (site->pages[i].missing && missing++ == 0)
      first = site->pages[i].here;
  }
  return coverage_missing(site->coverage, missing, first);
}

static void free_site(struct html_site *site) {
  for (size_t i = 0; site->pages && i < site->coverage->exported.summary.count;
       i++) {
    free(site->pages[i].here);
    free((void *)(uintptr_t)site->pages[i].file);
  }
  free(site->pages);
  free(site->folder);
  view_free(&site->view);
}

static int write_site(struct html_site *site) {
  const struct coverage *coverage = site->coverage;
  const char *error = view_make(&site->view, &coverage->exported);
  if (!error && !coverage->settings->no_demangle)
    error = view_demangle(&site->view, coverage->release);
  if (error)
    return report(NULL, "report: %s", error);
  site->has_mcdc = coverage->exported.summary.total.scores[MCDC].count != 0;
  if (!os_make_folder(site->folder))
    return report(site->folder, "cannot be made; check rights and disk");
  return name_pages(site) || write_sources(site) || site_index(site) ||
         site_assets(site);
}

int pages_make(const struct paged *paged) {
  struct marks marks = {0};
  struct html_site site = {.coverage = paged->coverage, .marks = &marks};
  site.folder = folder_path(paged->coverage->folder, "html");
  int status = site.folder ? notes_gather(&marks, paged) || write_site(&site)
                           : report_memory(NULL);
  free_site(&site);
  marks_free(&marks);
  return status;
}
